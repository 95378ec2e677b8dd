//! The connector of a Tomcat: the arm's settings as attributes in `server.xml`, and the name in the log that proves them.
//!
//! The TLS stack is always written explicitly: without that Tomcat uses the library that happens to be installed.

use ask::arm::settings::{MAX_STREAMS_OF_TOMCAT, Settings};
use ask::arm::{Connector, Http2Way, Threads, TlsStack};
use ask::kind::Kind;

/// The class of the listener that loads the library of the connector, where it needs one.
pub(super) fn listener(settings: &Settings) -> Option<&'static str> {
    match (settings.connector, settings.tls) {
        (_, Some(TlsStack::OpenSslFfm)) => Some("org.apache.catalina.core.OpenSSLLifecycleListener"),
        _ if settings.needs_tcnative() => Some("org.apache.catalina.core.AprLifecycleListener"),
        _ => None,
    }
}

/// The attributes of the connector: what the arm sets, and no limit on requests per connection. With Tomcat's default of
/// 100 reconnecting would be measured.
pub(super) fn attributes(settings: &Settings) -> Vec<(String, String)> {
    let encrypts = settings.tls.is_some();
    let virtual_threads = settings.threads == Some(Threads::Virtual);
    let words = [
        ("protocol", protocol(settings)),
        ("useVirtualThreads", virtual_threads.then_some("true")),
        ("maxKeepAliveRequests", Some("-1")),
        ("SSLEnabled", encrypts.then_some("true")),
        ("scheme", encrypts.then_some("https")),
        ("secure", encrypts.then_some("true")),
        ("sslImplementationName", implementation(settings)),
    ];
    let words = words.into_iter().filter_map(|(name, word)| Some((name, word?.to_owned())));
    // An attribute of the arm replaces ours: XML does not allow an attribute twice.
    let ours = words
        .chain(settings.named(Kind::Tomcat))
        .filter(|(name, _)| *name != MAX_STREAMS_OF_TOMCAT && !settings.attributes.contains_key(*name))
        .map(|(name, value)| (name.to_owned(), value));
    let own = settings.attributes.iter().filter(|(name, _)| !name.starts_with(UPGRADE));
    ours.chain(own.map(|(name, value)| (name.clone(), value.clone()))).collect()
}

/// How the names of the arm's attributes begin that are for the UpgradeProtocol.
pub(super) const UPGRADE: &str = "UpgradeProtocol.";

/// The attributes of the UpgradeProtocol: what the arm sets.
pub(super) fn upgrade_attributes(settings: &Settings) -> Vec<(String, String)> {
    let own =
        || settings.attributes.iter().filter_map(|(name, value)| Some((name.strip_prefix(UPGRADE)?, value)));
    let ours = settings.named(Kind::Tomcat).filter(|(name, _)| *name == MAX_STREAMS_OF_TOMCAT);
    let ours = ours.filter(|(name, _)| own().all(|(set, _)| set != *name));
    let ours = ours.map(|(name, value)| (name.to_owned(), value));
    ours.chain(own().map(|(name, value)| (name.to_owned(), value.clone()))).collect()
}

/// The words in the log that prove that the connector speaks HTTP/2 in this way.
pub(super) const fn http2_words(way: Http2Way) -> &'static str {
    match way {
        Http2Way::PriorKnowledge => "configured to support HTTP upgrade to [h2c]",
        Http2Way::Alpn => "configured to support negotiation to [h2] via ALPN",
    }
}

/// The class of the connector; `None` leaves it to the server, which uses NIO.
fn protocol(settings: &Settings) -> Option<&'static str> {
    let default = settings.tls.map(|_| Connector::Nio);
    settings.connector.or(default).map(|connector| match connector {
        Connector::Nio => "org.apache.coyote.http11.Http11NioProtocol",
        Connector::Nio2 => "org.apache.coyote.http11.Http11Nio2Protocol",
        Connector::Apr => "org.apache.coyote.http11.Http11AprProtocol",
    })
}

/// The class of the TLS stack. APR supports only OpenSSL and rejects the attribute.
fn implementation(settings: &Settings) -> Option<&'static str> {
    if settings.connector == Some(Connector::Apr) {
        return None;
    }
    settings.tls.and_then(|tls| match tls {
        TlsStack::Jsse => Some("org.apache.tomcat.util.net.jsse.JSSEImplementation"),
        TlsStack::OpenSsl => Some("org.apache.tomcat.util.net.openssl.OpenSSLImplementation"),
        TlsStack::OpenSslFfm => Some("org.apache.tomcat.util.net.openssl.panama.OpenSSLImplementation"),
        // No Tomcat takes it.
        TlsStack::Own => None,
    })
}

/// The name in the log of the protocol handler that the arm asks for: `https-openssl-nio`.
pub(super) fn handler(settings: &Settings) -> String {
    let scheme = match settings.tls {
        None => "http",
        Some(TlsStack::Jsse) => "https-jsse",
        Some(TlsStack::OpenSsl) => "https-openssl",
        Some(TlsStack::OpenSslFfm) => "https-opensslffm",
        Some(TlsStack::Own) => "https",
    };
    let name = format!("{scheme}-{}", settings.connector.unwrap_or(Connector::Nio).id());
    settings.http2_way().map_or(name.clone(), |way| format!("{name}, {}", way.id()))
}
