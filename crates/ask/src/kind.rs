//! [`Kind`]: the kinds of servers, and the facts about each that need no code: its name, the keys of an arm that it
//! takes, and what its documentation calls things. Most kinds are a table of a file of the catalog ([`RowKind`]); the
//! others have code. The table of keys, [`crate::arm::keys`], has the names of the settings of the kinds with code.

use crate::arm::choices::{AccessLog, Package};
use crate::catalog;
use crate::catalog::row::Row;
use say::{Language, Say, Writer};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::sync::LazyLock;

/// A kind of server: all servers of a kind are configured, started and read in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A Tomcat distribution.
    Tomcat,
    /// A Jetty distribution.
    Jetty,
    /// A Spring Boot application with Tomcat in it.
    SpringBootTomcat,
    /// A Spring Boot application with Jetty in it.
    SpringBootJetty,
    /// A Spring Boot application with Undertow in it.
    SpringBootUndertow,
    /// A Spring Boot application with WebFlux and Netty in it.
    SpringBootNetty,
    /// A server that a file of the catalog describes.
    Row(&'static RowKind),
    /// An executable jar of the user's without Spring Boot in it; none is in the catalog.
    Jar,
    /// A server that a command of the user's starts.
    Command,
    /// A server that runs already.
    Running,
}

/// A kind of server that needs no code: its file of the catalog has the table `server`.
pub struct RowKind {
    /// Its name, which is the name of the server, too: `undertow`.
    pub name: &'static str,
    /// How it is started and read.
    pub row: &'static Row,
    facts: Facts,
}

impl PartialEq for RowKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for RowKind {}

impl fmt::Debug for RowKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

static ROWS: LazyLock<Vec<RowKind>> = LazyLock::new(|| {
    let kind = |file: &'static catalog::CatalogFile| {
        let row = file.server.as_ref()?;
        Some(RowKind {
            name: &file.name,
            row,
            facts: Facts { runs_servlets: row.servlets, virtual_tasks: row.virtual_tasks.as_deref(), ..JAR },
        })
    };
    catalog::servers().iter().filter_map(kind).collect()
});

/// Returns the kinds that are described in the catalog.
pub fn rows() -> &'static [RowKind] {
    &ROWS
}

/// What something in a server is called in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// The name of an attribute of Tomcat's Connector.
    Attribute(&'static str),
    /// The name of a property.
    Property(&'static str),
    /// Words that are no name.
    Words { en: &'static str, zh: &'static str },
}

impl Called {
    /// Words in English and in Chinese.
    pub(crate) const fn words(en: &'static str, zh: &'static str) -> Self {
        Self::Words { en, zh }
    }
}

impl Say for Called {
    fn say(&self, out: &mut Writer) {
        match (*self, out.language()) {
            (Self::Attribute(name), Language::En) => out.words(&format!("the Connector's `{name}`")),
            (Self::Attribute(name), Language::Zh) => out.words(&format!("Connector 的 `{name}`")),
            (Self::Property(name), _) => out.value(format_args!("`{name}`")),
            (Self::Words { en, .. }, Language::En) => out.words(en),
            (Self::Words { zh, .. }, Language::Zh) => out.words(zh),
        }
    }
}

/// Facts about a kind of server.
#[derive(Debug)]
pub struct Facts {
    /// Packages of applications that it runs, the usual one first; empty where it brings its application with it.
    pub packages: &'static [Package],
    /// Whether it runs servlets; where not, it runs only applications that have routes.
    pub runs_servlets: bool,
    /// The key of an arm for settings that have no key of their own.
    pub further_settings: &'static str,
    /// The access logs that prony can make it write.
    pub access_logs: &'static [AccessLog],
    /// The setting that makes its access log buffered; `None` where the log always is, or where no such setting is known.
    pub buffered_log: Option<Called>,
    /// The key of an arm that limits the requests of one connection, and that -1 turns off; `None` where there is no such limit.
    pub keep_alive_requests: Option<&'static str>,
    /// The property that limits how many requests virtual threads serve at once; `None` where there is none.
    pub virtual_tasks: Option<&'static str>,
}

const TOMCAT: Facts = Facts {
    packages: &[Package::War],
    runs_servlets: true,
    further_settings: "attributes",
    access_logs: &[AccessLog::Buffered, AccessLog::Unbuffered],
    buffered_log: Some(Called::words(
        "the AccessLogValve's `buffered=\"true\"`",
        "AccessLogValve 的 `buffered=\"true\"`",
    )),
    keep_alive_requests: Some("attributes.maxKeepAliveRequests"),
    virtual_tasks: None,
};

const JETTY: Facts = Facts {
    packages: &[Package::War],
    runs_servlets: true,
    further_settings: "properties",
    access_logs: &[AccessLog::Buffered],
    buffered_log: Some(Called::words("AsyncRequestLogWriter", "AsyncRequestLogWriter")),
    keep_alive_requests: None,
    virtual_tasks: Some("jetty.threadPool.virtual.maxConcurrentTasks"),
};

const SPRING_BOOT_TOMCAT: Facts = Facts {
    packages: &[Package::Jar, Package::Native],
    runs_servlets: true,
    further_settings: "properties",
    access_logs: &[AccessLog::Buffered, AccessLog::Unbuffered],
    buffered_log: Some(Called::Property("server.tomcat.accesslog.buffered=true")),
    keep_alive_requests: Some("properties.server.tomcat.max-keep-alive-requests"),
    virtual_tasks: None,
};

const SPRING_BOOT_JETTY: Facts = Facts {
    packages: &[Package::Jar, Package::Native],
    access_logs: &[AccessLog::Buffered],
    virtual_tasks: Some("server.jetty.threads.max"),
    ..JAR
};

const SPRING_BOOT_UNDERTOW: Facts = Facts { access_logs: &[AccessLog::Buffered], ..JAR };

/// Facts about applications in a jar of their own, and about servers that prony knows nothing about.
const JAR: Facts = Facts {
    packages: &[Package::Jar],
    runs_servlets: true,
    further_settings: "properties",
    access_logs: &[],
    buffered_log: None,
    keep_alive_requests: None,
    virtual_tasks: None,
};

const SPRING_BOOT_NETTY: Facts = Facts { runs_servlets: false, ..JAR };

/// The kinds with code that a file of the catalog can have, by their names.
const CODED: [(&str, Kind); 6] = [
    ("tomcat", Kind::Tomcat),
    ("jetty", Kind::Jetty),
    ("spring-boot-tomcat", Kind::SpringBootTomcat),
    ("spring-boot-jetty", Kind::SpringBootJetty),
    ("spring-boot-undertow", Kind::SpringBootUndertow),
    ("spring-boot-netty", Kind::SpringBootNetty),
];

/// The kinds that are in no file of the catalog, by their names.
const UNLISTED: [(&str, Kind); 3] =
    [("jar", Kind::Jar), ("command", Kind::Command), ("running", Kind::Running)];

impl Kind {
    /// Returns the facts about it.
    pub const fn facts(self) -> &'static Facts {
        match self {
            Self::Tomcat => &TOMCAT,
            Self::Jetty => &JETTY,
            Self::SpringBootTomcat => &SPRING_BOOT_TOMCAT,
            Self::SpringBootJetty => &SPRING_BOOT_JETTY,
            Self::SpringBootUndertow => &SPRING_BOOT_UNDERTOW,
            Self::SpringBootNetty => &SPRING_BOOT_NETTY,
            Self::Row(kind) => &kind.facts,
            Self::Jar | Self::Command | Self::Running => &JAR,
        }
    }

    /// Returns its name, as files and reports write it.
    pub fn id(self) -> &'static str {
        if let Self::Row(kind) = self {
            return kind.name;
        }
        let mut all = CODED.iter().chain(&UNLISTED);
        all.find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// Returns the kind of the servers of this name in the catalog; `None` for another name.
    pub fn named(server: &str) -> Option<Self> {
        let coded = CODED.iter().find(|(name, _)| *name == server);
        let row = || rows().iter().find(|kind| kind.name == server).map(Self::Row);
        coded.map(|(_, kind)| *kind).or_else(row)
    }

    /// Returns the kind of a server in an executable jar of the user's, from the name and version that it reports, as
    /// `Tomcat/11.0.15 in Spring Boot 4.0.1`; `None` for any other.
    pub fn in_boot_jar(server: &str) -> Option<Self> {
        if !server.contains("Spring Boot") {
            return None;
        }
        let inside = [
            ("Tomcat/", Self::SpringBootTomcat),
            ("Jetty/", Self::SpringBootJetty),
            ("Undertow/", Self::SpringBootUndertow),
            ("Netty", Self::SpringBootNetty),
        ];
        let (_, kind) = inside.into_iter().find(|(name, _)| server.starts_with(name))?;
        Some(kind)
    }
}

/// Whether this setting would put a server where prony does not look for it.
pub fn is_set_by_prony(setting: &str) -> bool {
    let coded = [
        "address",
        "server.address",
        "server.port",
        "jetty.http.host",
        "jetty.http.port",
        "jetty.ssl.host",
        "jetty.ssl.port",
    ];
    coded.contains(&setting) || rows().iter().any(|kind| kind.row.sets_address(setting))
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.id())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        let unlisted = || UNLISTED.iter().find(|(id, _)| *id == name).map(|(_, kind)| *kind);
        let kind = Self::named(&name).or_else(unlisted);
        kind.ok_or_else(|| D::Error::custom(format!("`{name}` is no kind of server")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_of_the_catalog_has_code_or_a_table_and_a_name_that_is_stored() {
        for file in catalog::servers() {
            let kind = Kind::named(&file.name).expect("a kind");
            assert_eq!(matches!(kind, Kind::Row(_)), file.server.is_some(), "{}", file.name);
        }
        for (name, kind) in CODED.iter().chain(&UNLISTED) {
            assert_eq!(kind.id(), *name);
        }
        for kind in rows().iter().map(Kind::Row).chain([Kind::Tomcat, Kind::Running]) {
            let stored = serde_json::to_string(&kind).expect("JSON");
            assert_eq!(stored, format!("\"{}\"", kind.id()));
            assert_eq!(serde_json::from_str::<Kind>(&stored).expect("a kind"), kind);
        }
        assert!(serde_json::from_str::<Kind>("\"nginx\"").is_err());
    }

    #[test]
    fn where_a_server_listens_is_for_prony_to_say() {
        for setting in
            ["address", "host", "port", "server.host", "quarkus.http.ssl-port", "micronaut.server.ssl.port"]
        {
            assert!(is_set_by_prony(setting), "{setting}");
        }
        assert!(!is_set_by_prony("quarkus.http.accept-backlog"));
    }

    #[test]
    fn a_kind_is_found_by_the_name_in_the_catalog_and_by_what_a_server_tells() {
        assert_eq!(Kind::named("spring-boot-jetty"), Some(Kind::SpringBootJetty));
        assert_eq!(Kind::named("tomcat"), Some(Kind::Tomcat));
        assert!(Kind::named("command").is_none() && Kind::named("nginx").is_none());
        let inside = Kind::in_boot_jar("Tomcat/11.0.15 in Spring Boot 4.0.1");
        assert_eq!(inside, Some(Kind::SpringBootTomcat));
        assert_eq!(Kind::in_boot_jar("Tomcat/11.0.15"), None, "no jar of the user's holds one");
    }
}
