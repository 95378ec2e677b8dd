//! A Tomcat's connector: what an arm asks for in the words of `server.xml`, and the name in the log that proves it.
//!
//! What encrypts is always said in so many words: left to itself Tomcat takes the library that happens to be installed.

use model::arm::settings::Settings;
use model::arm::{Connector, Threads, TlsStack};
use model::kind::Kind;

/// The listener that loads the library which the connector needs.
pub(super) fn listener(settings: &Settings) -> Option<&'static str> {
    match (settings.connector, settings.tls) {
        (_, Some(TlsStack::OpenSslFfm)) => Some("org.apache.catalina.core.OpenSSLLifecycleListener"),
        _ if settings.needs_tcnative() => Some("org.apache.catalina.core.AprLifecycleListener"),
        _ => None,
    }
}

/// Only what the arm sets, and no limit on requests per connection: Tomcat's 100 would measure reconnecting.
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
    let words = words
        .into_iter()
        .filter_map(|(name, word)| Some((name, word?.to_owned())));
    // An attribute of the arm takes the place of ours: one that stands twice is no XML.
    let ours = words
        .chain(settings.named(Kind::Tomcat))
        .filter(|(name, _)| !settings.attributes.contains_key(*name))
        .map(|(name, value)| (name.to_owned(), value));
    ours.chain(settings.attributes.clone()).collect()
}

/// The class behind the connector; `None` leaves it to the server, which takes NIO.
fn protocol(settings: &Settings) -> Option<&'static str> {
    let default = settings.tls.map(|_| Connector::Nio);
    settings.connector.or(default).map(|connector| match connector {
        Connector::Nio => "org.apache.coyote.http11.Http11NioProtocol",
        Connector::Nio2 => "org.apache.coyote.http11.Http11Nio2Protocol",
        Connector::Apr => "org.apache.coyote.http11.Http11AprProtocol",
    })
}

/// The class that encrypts; APR has no choice and refuses to be told.
fn implementation(settings: &Settings) -> Option<&'static str> {
    if settings.connector == Some(Connector::Apr) {
        return None;
    }
    settings.tls.map(|tls| match tls {
        TlsStack::Jsse => "org.apache.tomcat.util.net.jsse.JSSEImplementation",
        TlsStack::OpenSsl => "org.apache.tomcat.util.net.openssl.OpenSSLImplementation",
        TlsStack::OpenSslFfm => "org.apache.tomcat.util.net.openssl.panama.OpenSSLImplementation",
    })
}

/// The protocol handler that the arm asks for, by the name that the log has for it: `https-openssl-nio`.
pub(super) fn handler(settings: &Settings) -> String {
    let scheme = match settings.tls {
        None => "http",
        Some(TlsStack::Jsse) => "https-jsse",
        Some(TlsStack::OpenSsl) => "https-openssl",
        Some(TlsStack::OpenSslFfm) => "https-opensslffm",
    };
    format!("{scheme}-{}", settings.connector.unwrap_or(Connector::Nio).id())
}
