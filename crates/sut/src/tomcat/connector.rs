//! A Tomcat's connector: what an arm asks for in the words of `server.xml`, and the name in the log that proves it.
//!
//! What encrypts is always said in so many words: left to itself Tomcat takes the library that happens to be installed.

use crate::spec::ServerSpec;
use model::arm::{Connector, Threads, TlsStack};

/// The listener that loads the library which the connector needs.
pub(super) fn listener(spec: &ServerSpec) -> Option<&'static str> {
    match (spec.connector, spec.tls) {
        (_, Some(TlsStack::OpenSslFfm)) => Some("org.apache.catalina.core.OpenSSLLifecycleListener"),
        _ if spec.needs_tcnative() => Some("org.apache.catalina.core.AprLifecycleListener"),
        _ => None,
    }
}

/// Only what the arm sets, and no limit on requests per connection: Tomcat's 100 would measure reconnecting.
pub(super) fn attributes(spec: &ServerSpec) -> Vec<(String, String)> {
    let (max_threads, virtual_threads) = match spec.threads {
        Some(Threads::Platform(count)) => (Some(count.to_string()), None),
        Some(Threads::Virtual) => (None, Some("true".to_owned())),
        None => (None, None),
    };
    let number = |value: Option<u32>| value.map(|value| value.to_string());
    let word = |value: &str| Some(value.to_owned());
    let known = [
        ("protocol", protocol(spec).and_then(word)),
        ("maxThreads", max_threads),
        ("useVirtualThreads", virtual_threads),
        ("minSpareThreads", number(spec.min_threads)),
        ("maxConnections", number(spec.max_connections)),
        ("acceptCount", number(spec.accept_count)),
        ("maxKeepAliveRequests", word("-1")),
        ("SSLEnabled", spec.tls.and_then(|_| word("true"))),
        ("scheme", spec.tls.and_then(|_| word("https"))),
        ("secure", spec.tls.and_then(|_| word("true"))),
        ("sslImplementationName", implementation(spec).and_then(word)),
    ];
    // The arm's own word takes the place of ours: an attribute that stands twice is no XML.
    let own = |name: &str| spec.attributes.iter().any(|(own, _)| own == name);
    let set = known
        .into_iter()
        .filter(|(name, _)| !own(name))
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    set.chain(spec.attributes.iter().cloned()).collect()
}

/// The class behind the connector; `None` leaves it to the server, which takes NIO.
fn protocol(spec: &ServerSpec) -> Option<&'static str> {
    let default = spec.tls.map(|_| Connector::Nio);
    spec.connector.or(default).map(|connector| match connector {
        Connector::Nio => "org.apache.coyote.http11.Http11NioProtocol",
        Connector::Nio2 => "org.apache.coyote.http11.Http11Nio2Protocol",
        Connector::Apr => "org.apache.coyote.http11.Http11AprProtocol",
    })
}

/// The class that encrypts; APR has no choice and refuses to be told.
fn implementation(spec: &ServerSpec) -> Option<&'static str> {
    if spec.connector == Some(Connector::Apr) {
        return None;
    }
    spec.tls.map(|tls| match tls {
        TlsStack::Jsse => "org.apache.tomcat.util.net.jsse.JSSEImplementation",
        TlsStack::OpenSsl => "org.apache.tomcat.util.net.openssl.OpenSSLImplementation",
        TlsStack::OpenSslFfm => "org.apache.tomcat.util.net.openssl.panama.OpenSSLImplementation",
    })
}

/// The protocol handler that the arm asks for, by the name that the log has for it: `https-openssl-nio`.
pub(super) fn handler(spec: &ServerSpec) -> String {
    let scheme = match spec.tls {
        None => "http",
        Some(TlsStack::Jsse) => "https-jsse",
        Some(TlsStack::OpenSsl) => "https-openssl",
        Some(TlsStack::OpenSslFfm) => "https-opensslffm",
    };
    format!("{scheme}-{}", spec.connector.unwrap_or(Connector::Nio).id())
}
