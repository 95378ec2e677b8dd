//! Values that files name by an id of theirs.

/// Implements serde for a type with `id()` and `from_id()`: files have the id. `$expected` says in errors what a file should have.
#[macro_export]
macro_rules! serde_by_id {
    ($type:ty, $expected:literal) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.id())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let id = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                let unknown = || {
                    let found = serde::de::Unexpected::Str(&id);
                    serde::de::Error::invalid_value(found, &$expected)
                };
                Self::from_id(&id).ok_or_else(unknown)
            }
        }
    };
}

pub use serde_by_id;
