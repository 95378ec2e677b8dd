//! [`Row`]: a kind of server that needs no code: how it is started, what its log tells, and the names of its settings.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;
use toml::Spanned;

/// How servers of a kind are started and read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Whether it runs servlets; where not, it runs only applications that have routes.
    #[serde(default)]
    pub servlets: bool,
    /// The property that limits how many requests virtual threads serve at once.
    #[serde(default)]
    pub virtual_tasks: Option<String>,
    /// How it is started.
    pub start: Start,
    /// What its log tells.
    pub log: LogWords,
    /// The names of its settings by the keys of an arm.
    #[serde(default)]
    pub keys: BTreeMap<Spanned<String>, SettingWords>,
}

impl Row {
    /// Returns its setting for a key of an arm.
    pub fn setting(&self, key: &str) -> Option<&SettingWords> {
        let mut all = self.keys.iter();
        all.find(|(name, _)| name.get_ref() == key).map(|(_, setting)| setting)
    }

    /// Whether a setting tells it where to listen.
    pub fn sets_address(&self, setting: &str) -> bool {
        let all = self.start.groups().into_iter().flatten();
        let places = ["{host}", "{port}"];
        all.filter(|given| given.name == setting).any(|given| places.contains(&given.value.as_str()))
    }
}

/// How a server is started: `java -jar`, with settings of the form NAME=VALUE.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The jar in the folder that Maven has built; `None` where Maven builds a jar.
    #[serde(default)]
    pub jar: Option<String>,
    /// How it is told its settings.
    pub settings: Channel,
    /// The settings of every start.
    #[serde(default)]
    pub always: Vec<Given>,
    /// The settings where it does not listen on 127.0.0.1.
    #[serde(default)]
    pub elsewhere: Vec<Given>,
    /// The settings without encryption.
    #[serde(default)]
    pub plain: Vec<Given>,
    /// The settings with encryption.
    #[serde(default)]
    pub tls: Vec<Given>,
    /// The settings for HTTP/2, whether or not it is encrypted.
    #[serde(default)]
    pub http2: Vec<Given>,
    /// The settings for virtual threads.
    #[serde(default)]
    pub virtual_threads: Vec<Given>,
}

impl Start {
    fn groups(&self) -> [&Vec<Given>; 6] {
        [&self.always, &self.elsewhere, &self.plain, &self.tls, &self.http2, &self.virtual_threads]
    }
}

/// How a server is told its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// By system properties, `-DNAME=VALUE`.
    SystemProperties,
    /// By arguments, `NAME=VALUE`.
    Arguments,
}

/// A setting that prony gives: a name, and a value with placeholders in it.
#[derive(Debug, PartialEq, Eq)]
pub struct Given {
    /// The name of the setting.
    pub name: String,
    /// The value: `file:{key_store}`.
    pub value: String,
}

/// What can stand in braces in the value of a setting.
pub const PLACEHOLDERS: &[&str] = &[
    "host",
    "port",
    "certificate",
    "key",
    "key_store",
    "key_store_type",
    "key_store_password",
    "key_store_alias",
];

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let Some((name, value)) = text.split_once('=') else {
            return Err(D::Error::custom(format!("`{text}` is not NAME=VALUE")));
        };
        let opened = value.split('{').skip(1);
        let mut words = opened.map(|rest| rest.split('}').next().unwrap_or_default());
        if let Some(unknown) = words.find(|word| !PLACEHOLDERS.contains(word)) {
            return Err(D::Error::unknown_variant(unknown, PLACEHOLDERS));
        }
        Ok(Self { name: name.to_owned(), value: value.to_owned() })
    }
}

/// What the lines of a log tell. Words are parts of a line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogWords {
    /// All of these stand in the line which says that everything is deployed: a wrong answer is final from then on.
    pub up: Vec<String>,
    /// Each of these says that the start has failed.
    pub failed: Vec<String>,
    /// Each of these says that the port was taken, besides the words of the JDK.
    #[serde(default)]
    pub port_taken: Vec<String>,
    /// What stands before the version.
    pub version_after: String,
    /// What the server is called before its version: `Undertow` gives `Undertow/2.3.26.Final`.
    pub called: String,
    /// What stands before the scheme: `http`, or an address that begins with it.
    pub scheme_after: String,
    /// What stands before the number of requests that virtual threads serve at once, where -1 is no limit. Without it the launcher
    /// tells which threads serve.
    #[serde(default)]
    pub virtual_tasks_after: Option<String>,
    /// What stands before the number of connections that it holds at once, where -1 is no limit.
    #[serde(default)]
    pub connections_after: Option<String>,
}

/// What a setting is called on a server: its name, or also words that say it to people.
#[derive(Debug, PartialEq, Eq)]
pub struct SettingWords {
    /// The name under which it is written to the server.
    pub name: String,
    /// What a sentence calls it in English and in Chinese, where that is more than its name.
    pub words: Option<(String, String)>,
}

impl<'de> Deserialize<'de> for SettingWords {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(SettingReader)
    }
}

struct SettingReader;

impl<'de> Visitor<'de> for SettingReader {
    type Value = SettingWords;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the name of a setting, or a table with `name`, `en` and `zh`")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<SettingWords, E> {
        Ok(SettingWords { name: name.to_owned(), words: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SettingWords, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Words {
            name: String,
            en: String,
            zh: String,
        }
        let words = Words::deserialize(MapAccessDeserializer::new(map))?;
        Ok(SettingWords { name: words.name, words: Some((words.en, words.zh)) })
    }
}

/// Methods of a server: full names, with a `*` at an end for anything.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Frames {
    /// In which a thread waits for work, so that it serves no request.
    pub idle: Vec<String>,
    /// In which a thread waits for events of connections, or for new connections.
    pub events: Vec<String>,
    /// In which a thread of its pool for requests is held in reserve for the server's own work.
    pub reserved: Vec<String>,
    /// In which a thread reads from the server's client, or writes to it.
    pub client: Vec<String>,
    /// In which a thread waits until its line is in a log, by the name of the log.
    pub logs: BTreeMap<String, Vec<String>>,
    /// Which a thread has on its stack while it answers a request.
    pub requests: Vec<String>,
    /// How the names of the server's own methods begin: `io.undertow.`. What begins otherwise may be the application's.
    pub packages: Vec<String>,
}
