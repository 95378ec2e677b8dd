//! What to change, in the words of the server that is there: the exact attribute or property for its kind, and the key of
//! the arm that sets it.

use super::change;
use model::arm::Arm;
use model::outcome::{Change, Effective};

/// What to change.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Remedy {
    /// In a sentence.
    pub(crate) says: String,
    /// As keys of the arm, where prony can try it.
    pub(crate) change: Vec<Change>,
}

impl Remedy {
    /// One that only the reader can apply.
    pub(crate) fn advice(says: impl Into<String>) -> Self {
        Self {
            says: says.into(),
            change: Vec::new(),
        }
    }

    /// The arm's key set to that value: `says` names what it is in the server.
    pub(crate) fn set(says: impl Into<String>, key: &str, value: impl ToString) -> Self {
        Self {
            says: says.into(),
            change: vec![change(key, value)],
        }
    }
}

/// Kinds of servers, as far as their settings have different names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tomcat,
    BootTomcat,
    Jetty,
    BootJetty,
    Undertow,
    /// Started by a command of the reader's: only the reader knows its settings.
    Foreign,
}

impl Kind {
    /// By what the arm runs; an executable jar of the reader's own is told by what its server said of itself.
    pub(crate) fn of(arm: &Arm, effective: &Effective) -> Self {
        match arm.server.as_str() {
            "tomcat" => Self::Tomcat,
            "spring-boot-tomcat" => Self::BootTomcat,
            "jetty" => Self::Jetty,
            "spring-boot-jetty" => Self::BootJetty,
            "undertow" => Self::Undertow,
            _ => {
                let said = effective.server.as_deref().unwrap_or_default();
                match (said.contains("Spring Boot"), said) {
                    (true, tomcat) if tomcat.starts_with("Tomcat/") => Self::BootTomcat,
                    (true, jetty) if jetty.starts_with("Jetty/") => Self::BootJetty,
                    _ => Self::Foreign,
                }
            }
        }
    }

    /// What the limit of worker threads is called.
    pub(crate) const fn threads(self) -> &'static str {
        match self {
            Self::Tomcat => "the Connector's `maxThreads`",
            Self::BootTomcat => "`server.tomcat.threads.max`",
            Self::Jetty => "`jetty.threadPool.maxThreads` (QueuedThreadPool maxThreads)",
            Self::BootJetty => "`server.jetty.threads.max`",
            Self::Undertow => "the worker's threads (`Undertow.Builder.setWorkerThreads`)",
            Self::Foreign => "the limit of its worker threads",
        }
    }

    /// What the limit of connections is called.
    pub(crate) const fn connections(self) -> &'static str {
        match self {
            Self::Tomcat => "the Connector's `maxConnections`",
            Self::BootTomcat => "`server.tomcat.max-connections`",
            Self::Jetty => "`jetty.networkConnectionLimit.maxNetworkConnectionCount`",
            Self::BootJetty => "`server.jetty.max-connections`",
            Self::Undertow => "the worker's `Options.CONNECTION_HIGH_WATER`",
            Self::Foreign => "the limit of its connections",
        }
    }

    /// What the length of the accept queue is called.
    pub(crate) const fn accept_queue(self) -> &'static str {
        match self {
            Self::Tomcat => "the Connector's `acceptCount`",
            Self::BootTomcat => "`server.tomcat.accept-count`",
            Self::Jetty => "`jetty.http.acceptQueueSize`",
            Self::BootJetty => {
                "the accept queue (`ServerConnector.setAcceptQueueSize`: Spring Boot has no property for it)"
            }
            Self::Undertow => "the backlog (`Options.BACKLOG`)",
            Self::Foreign => "the backlog of its listener",
        }
    }

    /// The property that limits what virtual threads serve at once; `None` where there is none.
    pub(crate) const fn tasks(self) -> Option<&'static str> {
        match self {
            Self::Jetty => Some("jetty.threadPool.virtual.maxConcurrentTasks"),
            Self::BootJetty => Some("server.jetty.threads.max"),
            Self::Tomcat | Self::BootTomcat | Self::Undertow | Self::Foreign => None,
        }
    }

    /// What writes an access log without a request that waits for it; `None` where that is so anyhow or nobody knows.
    pub(crate) const fn buffered_log(self) -> Option<&'static str> {
        match self {
            Self::Tomcat => Some("the AccessLogValve's `buffered=\"true\"`"),
            Self::BootTomcat => Some("`server.tomcat.accesslog.buffered=true`"),
            Self::Jetty => Some("AsyncRequestLogWriter"),
            Self::BootJetty | Self::Undertow | Self::Foreign => None,
        }
    }

    /// What lets a connection serve any number of requests; `None` where that is so anyhow.
    pub(crate) const fn keep_alive_requests(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Tomcat => Some((
                "set the Connector's `maxKeepAliveRequests` to -1",
                "attributes.maxKeepAliveRequests",
            )),
            Self::BootTomcat => Some((
                "set `server.tomcat.max-keep-alive-requests` to -1",
                "properties.server.tomcat.max-keep-alive-requests",
            )),
            Self::Jetty | Self::BootJetty | Self::Undertow | Self::Foreign => None,
        }
    }
}

/// Room for so many at once: the next two digits that leave a tenth to spare.
pub(crate) fn room_for(wanted: f64) -> u64 {
    let wanted = (1.1 * wanted).max(1.0);
    let step = 10f64.powf(wanted.log10().floor() - 1.0).max(1.0);
    // What is a round number but for the last bit is one.
    ((wanted / step - 1e-9).ceil() * step) as u64
}

/// The version of the Spring Boot in an arm, as numbers that compare.
pub(crate) fn release(version: &str) -> Vec<u32> {
    let numbers = version.split(['.', '-']);
    numbers.map_while(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_to_spare_in_round_numbers() {
        assert_eq!([1.0, 32.0, 500.0, 8300.0].map(room_for), [2, 36, 550, 9200]);
    }

    #[test]
    fn releases_compare_as_numbers() {
        assert!(release("4.0.3") > release("4.0.1") && release("4.0.10") > release("4.0.3"));
        assert!(release("4.1.1") > release("4.0.3"));
    }
}
