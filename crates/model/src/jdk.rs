//! [`JdkName`]: a JDK that an arm names by its version or vendor: `21.0.8`, `temurin-21`.

use crate::version::is_of_line;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};

/// A JDK by its version, or the beginning of one, and where it matters by its vendor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct JdkName {
    /// The vendor, as one of the names in the table of this module.
    vendor: Option<String>,
    /// The version: `21.0.8`, or 21 for any of that release.
    version: String,
}

/// The names of vendors in experiment files, each with a part of the name in the `release` file of their JDKs.
const VENDORS: [(&str, &str); 11] = [
    ("temurin", "adoptium"),
    ("corretto", "amazon"),
    ("zulu", "azul"),
    ("liberica", "bellsoft"),
    ("graalvm", "graalvm"),
    ("semeru", "ibm"),
    ("microsoft", "microsoft"),
    ("oracle", "oracle"),
    ("sapmachine", "sap"),
    ("debian", "debian"),
    ("ubuntu", "ubuntu"),
];

impl JdkName {
    /// Returns its feature release: 21 for `temurin-21.0.8`.
    pub fn release(&self) -> u32 {
        let numbers = self.version.strip_prefix("1.").unwrap_or(&self.version);
        let end = numbers.find(|c: char| !c.is_ascii_digit()).unwrap_or(numbers.len());
        numbers[..end].parse().unwrap_or(0)
    }

    /// Whether a JDK of this version and vendor, as its `release` file names them, is meant.
    pub fn fits(&self, version: &str, vendor: &str) -> bool {
        let vendor = vendor.to_lowercase();
        let is_of = |name: &str| {
            let mut vendors = VENDORS.iter();
            vendors.any(|(known, part)| *known == name && vendor.contains(part))
        };
        is_of_line(version, &self.version) && self.vendor.as_deref().is_none_or(is_of)
    }

    /// Returns the names of the vendors that can stand before a version.
    pub fn vendors() -> impl Iterator<Item = &'static str> {
        VENDORS.iter().map(|(name, _)| *name)
    }
}

impl TryFrom<String> for JdkName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let vendor = Self::vendors().find(|vendor| {
            let rest = text.strip_prefix(vendor);
            rest.is_some_and(|rest| rest.starts_with('-'))
        });
        let version = vendor.map_or(text.as_str(), |vendor| &text[vendor.len() + 1..]);
        let is_version = version.starts_with(|c: char| c.is_ascii_digit())
            && version.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c));
        match is_version {
            true => Ok(Self { vendor: vendor.map(str::to_owned), version: version.to_owned() }),
            false => Err(text),
        }
    }
}

impl From<JdkName> for String {
    fn from(name: JdkName) -> Self {
        name.to_string()
    }
}

impl Display for JdkName {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match &self.vendor {
            Some(vendor) => write!(out, "{vendor}-{}", self.version),
            None => out.write_str(&self.version),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> JdkName {
        JdkName::try_from(text.to_owned()).expect("a JDK")
    }

    #[test]
    fn a_jdk_is_named_by_version_or_vendor_and_version() {
        assert!(name("21.0.8").fits("21.0.8", "Debian") && !name("21.0.8").fits("21.0.80", "Debian"));
        assert!(name("21.0").fits("21.0.8", "x") && !name("21").fits("17.0.9", "x"));
        let temurin = name("temurin-21");
        assert!(temurin.fits("21.0.8", "Eclipse Adoptium") && !temurin.fits("21.0.8", "Debian"));
        assert_eq!((temurin.release(), name("1.8.0_504").release()), (21, 8));
        for text in ["temurin-21.0.8", "17.0.15"] {
            assert_eq!(name(text).to_string(), text);
        }
    }

    #[test]
    fn a_word_is_no_jdk() {
        for text in ["seventeen", "temurin", "temurin-", "acme-21", "../17", "/jdk/21", ""] {
            assert!(JdkName::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
