//! [`Key`]: all that is known about one key of an arm. Parsing, refusals, the settings in a report, the changes that a
//! diagnosis suggests, the help of `prony catalog` and the JSON Schema follow from it.

use crate::arm::Arm;
use crate::arm::file_settings::FileSettings;
use crate::arm::settings::Settings;
use crate::available::Available;
use crate::diagnostic::Diagnostic;
use crate::kind::{self, Called, Kind};
use crate::node::Node;

/// A key of an arm.
#[derive(Debug)]
pub struct Key {
    /// As files and the command line write it.
    pub name: &'static str,
    /// What it is, for the schema.
    pub about: &'static str,
    /// The values that it takes.
    pub value: ValueType,
    /// The arms that take it.
    pub takers: &'static [Taker],
    /// Whether every server of these takers has it; where not, the kind or the release of the server decides.
    pub everywhere: bool,
    /// What the setting behind it is called on each kind of server that has one, of the kinds with code.
    pub(crate) settings: &'static [Setting],
    /// What a sentence calls the setting where the server is unknown; `None` for a key that sets nothing in a server.
    pub in_general: Option<Called>,
    /// Where the JVM of a running server shows its value; empty where nothing shows it.
    pub read_back: &'static [ReadBack],
    /// Reads its value into an arm.
    pub(crate) read: fn(&KeyReading<'_>, &mut Arm) -> Result<(), Diagnostic>,
    /// Its value as a report shows what was asked for, where that is not what is written; `None` where the arm does not set it, or where
    /// the report shows it among the facts of what ran.
    pub(crate) asked: fn(&Arm) -> Option<String>,
    /// Its value as it is written into a server's configuration; `None` where there is nothing to write.
    pub(crate) written: fn(&Settings) -> Option<String>,
}

/// Where the server of an arm comes from, which decides the keys that the arm takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taker {
    Catalog,
    /// An executable jar of the user's with Spring Boot in it.
    BootJar,
    /// An executable jar of the user's without it.
    PlainJar,
    /// A command of the user's, which starts it.
    Command,
    /// An image of the user's, which a container runs.
    Image,
    /// A server that runs already.
    Url,
}

impl Taker {
    /// All variants.
    pub const ALL: &'static [Self] =
        &[Self::Catalog, Self::BootJar, Self::PlainJar, Self::Command, Self::Image, Self::Url];
    /// Servers that prony starts.
    pub const STARTED: &'static [Self] =
        &[Self::Catalog, Self::BootJar, Self::PlainJar, Self::Command, Self::Image];
    /// Servers that may be in a container, or on another host: prony starts them there, or they run there already.
    pub const PUT_OR_FOUND: &'static [Self] =
        &[Self::Catalog, Self::BootJar, Self::PlainJar, Self::Command, Self::Url];
    /// Servers of the user's that only the user knows how to start.
    pub const BY_COMMAND: &'static [Self] = &[Self::Command, Self::Image];
    /// Servers in a JVM that prony starts.
    pub const JVMS: &'static [Self] = &[Self::Catalog, Self::BootJar, Self::PlainJar];
    /// Servers whose settings prony knows.
    pub const CONFIGURED: &'static [Self] = &[Self::Catalog, Self::BootJar];
    /// Executable jars of the user's.
    pub const JARS: &'static [Self] = &[Self::BootJar, Self::PlainJar];
}

/// The form of a key's values.
#[derive(Clone, Copy, Debug)]
pub enum ValueType {
    /// Any text.
    Text,
    /// `true` or `false`.
    Truth,
    /// A whole number.
    Whole { least: u64, most: u64 },
    /// A number, which may have a fraction.
    Number { least: f64, most: f64 },
    /// A size as `256M`, or a number of bytes.
    Size,
    /// One of these words.
    OneOf(fn() -> Vec<&'static str>),
    /// A list of texts.
    Texts,
    /// A table of names and values.
    Table,
    /// Any of these.
    AnyOf(&'static [ValueType]),
}

/// What a setting is called on a kind of server.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub kind: Kind,
    /// The name under which it is written to the server.
    pub name: &'static str,
    /// What a sentence calls it, where that is more than its name.
    words: Option<Called>,
}

impl Setting {
    /// A setting that a sentence calls by its name.
    pub(crate) const fn new(kind: Kind, name: &'static str) -> Self {
        Self { kind, name, words: None }
    }

    /// A setting that a sentence calls by these words, in English and in Chinese.
    pub(crate) const fn called_by(self, en: &'static str, zh: &'static str) -> Self {
        Self { words: Some(Called::words(en, zh)), ..self }
    }

    /// What a sentence calls it.
    pub fn called(&self) -> Called {
        self.words.unwrap_or(match self.kind {
            Kind::Tomcat => Called::Attribute(self.name),
            _ => Called::Property(self.name),
        })
    }
}

/// Where the JVM of a running server shows the value of a key.
#[derive(Clone, Copy, Debug)]
pub struct ReadBack {
    /// The objects of its management agent, as a pattern of their names; `{port}` stands for where the server listens.
    pub objects: &'static str,
    /// The attribute of these objects.
    pub attribute: &'static str,
}

/// What keys have in common whose value is one of the words of a type. The rest names the place in the arm.
#[macro_export]
macro_rules! choice {
    ($choice:ident, $($place:ident).+) => {
        Key {
            value: ValueType::OneOf(|| $choice::ALL.map($choice::id).into()),
            read: |from, arm| {
                arm.$($place).+ = Some(from.node.one_of(&$choice::ALL, $choice::id)?);
                Ok(())
            },
            ..Key::PLAIN
        }
    };
}

pub use choice;

/// What the reader of a key needs: the key, its value, what can be asked for, and what the file sets for all of its arms.
pub(crate) struct KeyReading<'a> {
    pub(crate) key: &'static Key,
    pub(crate) node: &'a Node,
    pub(crate) known: &'a Available,
    pub(crate) file: &'a FileSettings,
}

impl KeyReading<'_> {
    /// A whole number within the key's limits.
    pub(crate) fn whole(&self) -> Result<u32, Diagnostic> {
        let (least, most) = match self.key.value {
            ValueType::Whole { least, most } => (least, most),
            _ => (0, u64::MAX),
        };
        self.node.integer(least..=most.min(u64::from(u32::MAX))).map(|number| number as u32)
    }
}

impl Key {
    /// A key that every arm takes, that sets nothing in a server and that reports leave out of what was asked: what a row of
    /// the table does not say.
    pub(crate) const PLAIN: Self = Self {
        name: "",
        about: "",
        value: ValueType::Text,
        takers: Taker::ALL,
        everywhere: true,
        settings: &[],
        in_general: None,
        read_back: &[],
        read: |_, _| Ok(()),
        asked: |_| None,
        written: |_| None,
    };

    /// Returns its value as a report shows what was asked for; `None` where the arm does not set it, or where the report shows it among the
    /// facts of what ran.
    pub(crate) fn asked_of(&self, arm: &Arm) -> Option<String> {
        (self.asked)(arm).or_else(|| (self.written)(&arm.settings))
    }

    /// Whether an arm takes it whose server comes from one of `takers`.
    pub fn is_for(&self, takers: &[Taker]) -> bool {
        takers.iter().any(|taker| self.takers.contains(taker))
    }

    /// Returns what the setting behind it is called on each kind of server that has one.
    pub fn settings(&self) -> impl Iterator<Item = Setting> {
        let rows = kind::rows().iter().map(Kind::Row);
        let described = rows.filter_map(|kind| self.setting_on(kind));
        self.settings.iter().copied().chain(described)
    }

    /// Returns its setting on a kind of server; `None` where that has none.
    pub(crate) fn setting_on(&self, kind: Kind) -> Option<Setting> {
        match kind {
            Kind::Row(described) => {
                let setting = described.row.setting(self.name)?;
                let words = setting.words.as_ref().map(|(en, zh)| Called::words(en, zh));
                Some(Setting { kind, name: &setting.name, words })
            }
            _ => self.settings.iter().find(|setting| setting.kind == kind).copied(),
        }
    }

    /// Whether it sets something in some kind of server.
    pub fn sets_something(&self) -> bool {
        self.settings().next().is_some()
    }

    /// Whether a kind of server has no setting for it, though others have one.
    pub(crate) fn is_unknown_to(&self, kind: Kind) -> bool {
        self.sets_something() && self.setting_on(kind).is_none()
    }

    /// What its setting is called on a kind of server; `None` where that has none.
    pub fn called_on(&self, kind: Kind) -> Option<Called> {
        self.setting_on(kind).as_ref().map(Setting::called)
    }

    /// What a sentence calls its setting on a kind of server; `None` for a key that sets nothing in a server.
    pub fn called(&self, kind: Kind) -> Option<Called> {
        self.called_on(kind).or(self.in_general)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_only_some_servers_have_is_known_to_these() {
        const KEY: &Key = &Key { settings: &[Setting::new(Kind::Tomcat, "keepAliveTimeout")], ..Key::PLAIN };
        assert!(KEY.is_unknown_to(Kind::Jetty) && !KEY.is_unknown_to(Kind::Tomcat));
        assert!(!Key::PLAIN.is_unknown_to(Kind::Jetty), "it sets nothing in a server");
        assert_eq!(KEY.called(Kind::Tomcat), Some(Called::Attribute("keepAliveTimeout")));
        assert_eq!(KEY.called(Kind::Jetty), None);
    }
}
