//! [`ServerSetting`]: a setting that a remedy is about, under the name that the server gives it.

use ask::arm::keys;
use ask::kind::{Called, Kind};
use model::units::Bytes;
use say::Say;
use serde::{Deserialize, Serialize};

/// What a setting limits, whatever a server calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SettingName {
    /// Worker threads.
    Threads,
    /// Connections that the server holds.
    MaxConnections,
    /// Connections that wait to be accepted.
    AcceptCount,
    /// Streams of a connection of HTTP/2.
    MaxStreams,
}

impl SettingName {
    /// The key of an arm that sets it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::MaxConnections => "max_connections",
            Self::AcceptCount => "accept_count",
            Self::MaxStreams => "max_streams",
        }
    }
}

/// A setting of a server; what it is called depends on the kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
#[say(transparent = called(*server, *name))]
pub struct ServerSetting {
    pub server: Kind,
    pub name: SettingName,
}

/// What a server calls a setting; the name of its key where that is not known.
fn called(server: Kind, name: SettingName) -> Called {
    let key = keys::find(name.key());
    key.and_then(|key| key.called(server)).unwrap_or(Called::Property(name.key()))
}

impl ServerSetting {
    /// The key of an arm that sets it, where an arm with that server takes the key. What prony knows nothing about has to be set in its
    /// own way.
    pub(super) fn arm_key(self) -> Option<&'static str> {
        let key = keys::find(self.name.key());
        key.is_some_and(|key| key.called_on(self.server).is_some()).then(|| self.name.key())
    }
}

/// What a server calls the limit of requests of one connection; `None` where it has none.
pub(super) fn requests_per_connection(server: Kind) -> Option<Called> {
    let key = server.facts().keep_alive_requests?;
    Some(match key.split_once('.') {
        Some(("attributes", name)) => Called::Attribute(name),
        Some((_, name)) => Called::Property(name),
        None => Called::Property(key),
    })
}

/// The setting by which a pool tells where connections were taken that nobody gave back.
pub(super) fn how_to_find_leaks(product: &str) -> Option<&'static str> {
    Some(match product {
        "HikariCP" => "`leakDetectionThreshold`",
        "DBCP" | "Commons Pool" => "`logAbandoned` with `removeAbandonedOnBorrow`",
        "Tomcat JDBC" | "Druid" => "`logAbandoned` with `removeAbandoned`",
        "c3p0" => "`debugUnreturnedConnectionStackTraces` with `unreturnedConnectionTimeout`",
        "Agroal" => "`leakTimeout`",
        _ => return None,
    })
}

/// The setting by which a pool keeps connections that nobody uses; `None` where it has none, or where a time decides.
pub(super) fn idle_setting(product: &str) -> Option<&'static str> {
    Some(match product {
        "DBCP" | "Commons Pool" | "Jedis" | "Tomcat JDBC" => "maxIdle",
        "HikariCP" => "minimumIdle",
        "Agroal" | "Druid" => "minIdle",
        "Lettuce" => "maxIdle",
        "OkHttp" => "maxIdleConnections",
        _ => return None,
    })
}

/// A size as it is written in experiment files: `570M`.
pub(super) fn mebibytes(size: Bytes) -> String {
    format!("{}M", size.0 >> 20)
}
