//! [`Settings`]: what an arm sets in its server, and the keys that set it. A new setting is a field and a row here. A row has the name of
//! the setting on every kind of server that has code; on the others it is in the table `server.keys` of their file of the catalog.

use crate::arm::choices::{AccessLog, Connector, Http2Way, HttpVersion, Threads, TlsStack};
use crate::arm::key::{Key, ReadBack, Setting, Taker, ValueType, choice};
use crate::diagnostic::Diagnostic;
use crate::kind::{Called, Kind, is_set_by_prony};
use crate::node::{self, Node};
use crate::slip::{ArmAdvice, ArmSlip, ExpectedValue, Hint};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What an arm sets in its server; what stays `None` is the server's own default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// How the server talks to its sockets.
    pub connector: Option<Connector>,
    /// What encrypts its connections; `None` is plain HTTP.
    #[serde(default)]
    pub tls: Option<TlsStack>,
    /// The version of HTTP that the load speaks with it, and that it is set up for; `None` is HTTP/1.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpVersion>,
    /// Streams of a connection of HTTP/2 that it allows at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_streams: Option<u32>,
    /// Worker threads.
    pub threads: Option<Threads>,
    /// Threads kept when idle.
    pub min_threads: Option<u32>,
    /// Connections that wait in the kernel while the server has no room.
    pub accept_count: Option<u32>,
    /// Connections the server holds at once.
    pub max_connections: Option<u32>,
    /// Further attributes of Tomcat's Connector.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
    /// Further properties of the server, or of the framework that embeds it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, String>,
    /// How it writes a line about each request; `None` leaves the server's own default, which is not to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_log: Option<AccessLog>,
}

/// The attribute of Tomcat's UpgradeProtocol, and not of its Connector, that limits the streams of a connection.
pub const MAX_STREAMS_OF_TOMCAT: &str = "maxConcurrentStreams";

/// A number of threads or connections.
const COUNT: ValueType = ValueType::Whole { least: 1, most: 1_000_000 };
/// The size of a pool of threads.
const POOL: ValueType = ValueType::Whole { least: 1, most: 100_000 };

/// What keys have in common whose value is a number that is written as it is: the field of [`Settings`] has the name of the key.
macro_rules! count {
    ($field:ident) => {
        Key {
            value: COUNT,
            takers: Taker::CONFIGURED,
            read: |from, arm| from.whole().map(|count| arm.settings.$field = Some(count)),
            written: |settings| Some(settings.$field?.to_string()),
            ..Key::PLAIN
        }
    };
}

/// The keys of [`Settings`].
pub(crate) const KEYS: &[Key] = &[
    Key {
        name: "threads",
        about: "Worker threads: the size of the pool, or \"virtual\" for a virtual thread for every request.",
        value: ValueType::AnyOf(&[POOL, ValueType::OneOf(|| vec!["virtual"])]),
        takers: Taker::CONFIGURED,
        settings: &[
            Setting::new(Kind::Tomcat, "maxThreads"),
            Setting::new(Kind::SpringBootTomcat, "server.tomcat.threads.max"),
            Setting::new(Kind::Jetty, "jetty.threadPool.maxThreads").called_by(
                "`jetty.threadPool.maxThreads` (QueuedThreadPool maxThreads)",
                "`jetty.threadPool.maxThreads`（QueuedThreadPool 的 maxThreads）",
            ),
            Setting::new(Kind::SpringBootJetty, "server.jetty.threads.max"),
            Setting::new(Kind::SpringBootUndertow, "server.undertow.threads.worker"),
            Setting::new(Kind::SpringBootNetty, "reactor.netty.ioWorkerCount").called_by(
                "the number of event loops (the system property `reactor.netty.ioWorkerCount`)",
                "事件循环的数量（系统属性 `reactor.netty.ioWorkerCount`）",
            ),
        ],
        in_general: Some(Called::words("the limit of its worker threads", "其工作线程数上限")),
        read: |from, arm| threads(from.node).map(|threads| arm.settings.threads = Some(threads)),
        asked: |arm| {
            let threads = arm.settings.threads?;
            Some(threads.pool().map_or_else(|| "virtual".to_owned(), |count| count.to_string()))
        },
        written: |settings| Some(settings.threads?.pool()?.to_string()),
        ..Key::PLAIN
    },
    Key {
        name: "min_threads",
        about: "Worker threads kept when idle.",
        settings: &[
            Setting::new(Kind::Tomcat, "minSpareThreads"),
            Setting::new(Kind::SpringBootTomcat, "server.tomcat.threads.min-spare"),
            Setting::new(Kind::Jetty, "jetty.threadPool.minThreads"),
            Setting::new(Kind::SpringBootJetty, "server.jetty.threads.min"),
        ],
        in_general: Some(Called::words("the number of its idle threads", "其空闲线程数")),
        ..count!(min_threads)
    },
    Key {
        name: "accept_count",
        about: "Connections that wait in the kernel while the server has no room.",
        settings: &[
            Setting::new(Kind::Tomcat, "acceptCount"),
            Setting::new(Kind::SpringBootTomcat, "server.tomcat.accept-count"),
            Setting::new(Kind::Jetty, "jetty.http.acceptQueueSize"),
            // Spring Boot has no property for it; the launcher in apps/ has.
            Setting::new(Kind::SpringBootJetty, "prony.jetty.accept-queue").called_by(
                "the accept queue (`ServerConnector.setAcceptQueueSize`: Spring Boot has no property for it)",
                "accept 队列（`ServerConnector.setAcceptQueueSize`：Spring Boot 没有对应的属性）",
            ),
            Setting::new(Kind::SpringBootUndertow, "server.undertow.options.socket.backlog"),
            // Spring Boot has no property for it; the launcher in apps/ has.
            Setting::new(Kind::SpringBootNetty, "prony.netty.accept-queue").called_by(
                "the backlog (`ChannelOption.SO_BACKLOG`: Spring Boot has no property for it)",
                "backlog（`ChannelOption.SO_BACKLOG`：Spring Boot 没有对应的属性）",
            ),
        ],
        in_general: Some(Called::words("the backlog of its listener", "其监听套接字的 backlog")),
        read_back: &[
            ReadBack { objects: "*:type=ThreadPool,name=\"*-{port}\"", attribute: "acceptCount" },
            ReadBack {
                objects: "org.eclipse.jetty.server:type=serverconnector,*",
                attribute: "acceptQueueSize",
            },
        ],
        ..count!(accept_count)
    },
    Key {
        name: "max_connections",
        about: "Connections that the server holds at once.",
        settings: &[
            Setting::new(Kind::Tomcat, "maxConnections"),
            Setting::new(Kind::SpringBootTomcat, "server.tomcat.max-connections"),
            Setting::new(Kind::Jetty, "jetty.networkConnectionLimit.maxNetworkConnectionCount"),
            Setting::new(Kind::SpringBootJetty, "server.jetty.max-connections"),
            Setting::new(Kind::SpringBootUndertow, "server.undertow.options.socket.connection-high-water"),
        ],
        in_general: Some(Called::words("the limit of its connections", "其连接数上限")),
        ..count!(max_connections)
    },
    Key {
        name: "connector",
        about: "How the server talks to its sockets.",
        takers: &[Taker::Catalog],
        everywhere: false,
        asked: |arm| Some(arm.settings.connector?.id().to_owned()),
        ..choice!(Connector, settings.connector)
    },
    Key {
        name: "tls",
        about: "What encrypts the connections; without it they are plain HTTP. A jar or command of your own has \"own\".",
        takers: &[Taker::Catalog, Taker::BootJar, Taker::PlainJar, Taker::Command],
        everywhere: false,
        asked: |arm| Some(arm.settings.tls?.id().to_owned()),
        ..choice!(TlsStack, settings.tls)
    },
    Key {
        name: "http",
        about: "The version of HTTP that the load speaks: \"2\" is HTTP/2, over TLS by ALPN, over clear text by prior knowledge.",
        value: ValueType::OneOf(|| HttpVersion::ALL.map(HttpVersion::id).into()),
        everywhere: false,
        read: |from, arm| http_version(from.node).map(|version| arm.settings.http = Some(version)),
        asked: |arm| Some(arm.settings.http?.id().to_owned()),
        ..Key::PLAIN
    },
    Key {
        name: "max_streams",
        about: "Streams of a connection of HTTP/2 that the server allows at once.",
        settings: &[
            Setting::new(Kind::Tomcat, MAX_STREAMS_OF_TOMCAT).called_by(
                "the UpgradeProtocol's `maxConcurrentStreams`",
                "UpgradeProtocol 的 `maxConcurrentStreams`",
            ),
            Setting::new(Kind::Jetty, "jetty.http2c.maxConcurrentStreams").called_by(
                "`maxConcurrentStreams` of its module `http2` or `http2c`",
                "其模块 `http2` 或 `http2c` 的 `maxConcurrentStreams`",
            ),
            Setting::new(
                Kind::SpringBootUndertow,
                "server.undertow.options.server.http2-settings-max-concurrent-streams",
            ),
        ],
        in_general: Some(Called::words(
            "the limit of streams of a connection (SETTINGS_MAX_CONCURRENT_STREAMS)",
            "每个连接的流数上限（SETTINGS_MAX_CONCURRENT_STREAMS）",
        )),
        everywhere: false,
        ..count!(max_streams)
    },
    Key {
        name: "attributes",
        about: "Further attributes of Tomcat's Connector; those of its HTTP/2 begin with \"UpgradeProtocol.\".",
        value: ValueType::Table,
        takers: &[Taker::Catalog],
        everywhere: false,
        read: |from, arm| further(from.node).map(|settings| arm.settings.attributes = settings),
        ..Key::PLAIN
    },
    Key {
        name: "properties",
        about: "Further properties of the server, or of the framework that embeds it.",
        value: ValueType::Table,
        takers: Taker::CONFIGURED,
        everywhere: false,
        read: |from, arm| further(from.node).map(|settings| arm.settings.properties = settings),
        ..Key::PLAIN
    },
    Key {
        name: "access_log",
        about: "Whether the server writes a line about each request; \"unbuffered\" writes it before the request ends.",
        value: ValueType::AnyOf(&[ValueType::Truth, ValueType::OneOf(|| vec!["unbuffered"])]),
        takers: &[Taker::Catalog],
        everywhere: false,
        read: |from, arm| access_log(from.node).map(|log| arm.settings.access_log = log),
        asked: |arm| Some(arm.settings.access_log?.id().to_owned()),
        ..Key::PLAIN
    },
];

impl Settings {
    /// Whether its connector or its TLS stack needs the library tcnative.
    pub fn needs_tcnative(&self) -> bool {
        self.connector == Some(Connector::Apr) || self.tls == Some(TlsStack::OpenSsl)
    }

    /// How its connections come to speak HTTP/2; `None` where they speak HTTP/1.1.
    pub fn http2_way(&self) -> Option<Http2Way> {
        let way = if self.tls.is_some() { Http2Way::Alpn } else { Http2Way::PriorKnowledge };
        (self.http == Some(HttpVersion::Two)).then_some(way)
    }

    /// Returns the settings whose value is written as it is, by their names on a kind of server.
    pub fn named(&self, kind: Kind) -> impl Iterator<Item = (&'static str, String)> {
        KEYS.iter().filter_map(move |key| {
            let setting = key.setting_on(kind)?;
            Some((setting.name, (key.written)(self)?))
        })
    }
}

/// Reads a version of HTTP. On the command line, `http=2` is a number.
pub(crate) fn http_version(node: &Node) -> Result<HttpVersion, Diagnostic> {
    match node.value {
        node::Value::Integer(2) => Ok(HttpVersion::Two),
        _ => node.one_of(&HttpVersion::ALL, HttpVersion::id),
    }
}

fn threads(node: &Node) -> Result<Threads, Diagnostic> {
    match &node.value {
        node::Value::Text(text) if text == "virtual" => Ok(Threads::Virtual),
        node::Value::Text(text) => {
            Err(node.unknown_word(text, &["virtual"]).hint(ArmAdvice::NumberOrVirtual))
        }
        _ => node.integer(1..=100_000).map(|count| Threads::Platform(count as u32)),
    }
}

/// Reads `true`, `false` or `"unbuffered"`.
fn access_log(node: &Node) -> Result<Option<AccessLog>, Diagnostic> {
    match &node.value {
        node::Value::Bool(true) => Ok(Some(AccessLog::Buffered)),
        node::Value::Bool(false) => Ok(None),
        node::Value::Text(text) if text == "unbuffered" => Ok(Some(AccessLog::Unbuffered)),
        node::Value::Text(text) => Err(node.unknown_word(text, &["unbuffered"]).hint(Hint::write_one_of([
            "true",
            "false",
            "\"unbuffered\"",
        ]))),
        _ => Err(node.expected(ExpectedValue::TruthOr("unbuffered"))),
    }
}

/// Reads a table of settings by their names on the server.
fn further(node: &Node) -> Result<BTreeMap<String, String>, Diagnostic> {
    let node::Value::Table(entries) = &node.value else {
        return Err(node.expected(ExpectedValue::TableLike("{ \"server.tomcat.threads.max\" = 50 }")));
    };
    let read = |(name, value): &(Node, Node)| {
        let text = match &value.value {
            node::Value::Text(text) => text.clone(),
            node::Value::Integer(number) => number.to_string(),
            node::Value::Bool(set) => set.to_string(),
            _ => return Err(value.expected(ExpectedValue::Setting)),
        };
        let name = name.text()?.to_owned();
        if is_set_by_prony(&name) {
            let problem = value.refuse(ArmSlip::SetByProny(name));
            return Err(problem.hint(ArmAdvice::PortAndAddress));
        }
        Ok((name, text))
    };
    entries.iter().map(read).collect()
}
