//! [`Kind`]: the kinds of servers, and the facts about each that need no code: its name, the keys of an arm that it takes, and
//! what its documentation calls things. The names of its settings are in the table of keys, [`crate::arm::keys`].

use crate::arm::choices::{AccessLog, Package};
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;
use serde::{Deserialize, Serialize};

/// A kind of server: all servers of a kind are configured, started and read in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
    /// An application in an embedded Undertow.
    Undertow,
    /// An application on Vert.x.
    Vertx,
    /// An application on Helidon SE.
    Helidon,
    /// An application on Quarkus.
    Quarkus,
    /// An application on Micronaut.
    Micronaut,
    /// An executable jar of the user's without Spring Boot in it; none is in the catalog.
    Jar,
    /// A server that a command of the user's starts.
    Command,
    /// A server that runs already.
    Running,
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

const SPRING_BOOT_UNDERTOW: Facts = Facts {
    access_logs: &[AccessLog::Buffered],
    ..JAR
};

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

/// Facts about servers that have no servlets.
const ROUTED: Facts = Facts {
    runs_servlets: false,
    ..JAR
};

const HELIDON: Facts = Facts {
    virtual_tasks: Some("server.max-concurrent-requests"),
    ..ROUTED
};

impl Kind {
    /// Returns the facts about it.
    pub const fn facts(self) -> &'static Facts {
        match self {
            Self::Tomcat => &TOMCAT,
            Self::Jetty => &JETTY,
            Self::SpringBootTomcat => &SPRING_BOOT_TOMCAT,
            Self::SpringBootJetty => &SPRING_BOOT_JETTY,
            Self::SpringBootUndertow => &SPRING_BOOT_UNDERTOW,
            Self::Helidon => &HELIDON,
            Self::SpringBootNetty | Self::Vertx | Self::Quarkus | Self::Micronaut => &ROUTED,
            Self::Undertow | Self::Jar | Self::Command | Self::Running => &JAR,
        }
    }

    /// Returns the kind of the servers of this name in the catalog; `None` for another name.
    pub fn named(server: &str) -> Option<Self> {
        let name: StrDeserializer<'_, serde::de::value::Error> = server.into_deserializer();
        let kind = Self::deserialize(name).ok();
        kind.filter(|kind| !matches!(kind, Self::Jar | Self::Command | Self::Running))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_found_by_the_name_in_the_catalog_and_by_what_a_server_tells() {
        assert_eq!(Kind::named("spring-boot-jetty"), Some(Kind::SpringBootJetty));
        assert_eq!(Kind::named("tomcat"), Some(Kind::Tomcat));
        assert!(Kind::named("command").is_none() && Kind::named("nginx").is_none());
        let inside = Kind::in_boot_jar("Tomcat/11.0.15 in Spring Boot 4.0.1");
        assert_eq!(inside, Some(Kind::SpringBootTomcat));
        assert_eq!(
            Kind::in_boot_jar("Tomcat/11.0.15"),
            None,
            "no jar of the user's holds one"
        );
    }
}
