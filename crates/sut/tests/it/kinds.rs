//! A server of every kind: the tests start it, send it requests, read its settings in effect, and stop it. Older versions and other
//! applications are in `measured::kinds`.

use crate::common::{effective, jdk, lives, spec_of, start};
use ask::arm::settings::Settings;
use ask::arm::{Threads, TlsStack};
use record::outcome::{Effective, Limit};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use sut::ServerSpec;

/// Starts a server, calls `ask` with its address, reads its settings in effect, and stops it.
#[track_caller]
pub(crate) fn settings(spec: &ServerSpec, ask: impl FnOnce(SocketAddr)) -> Effective {
    let server = start(spec).unwrap_or_else(|error| panic!("{error}: {:#?}", error.log()));
    let (pid, address) = (server.pid(), server.addr());
    ask(address);
    let effective = effective(&server);
    assert_eq!(effective.jdk.as_deref(), Some(spec.jdk.version.as_str()));
    assert_eq!(effective.heap, Some(spec.jvm.heap));
    server.stop().expect("stopped");
    assert!(!lives(pid) && TcpStream::connect(address).is_err());
    effective
}

/// The specification of a server with all limits set.
pub(crate) fn limited(server: &str, app: &str) -> ServerSpec {
    let settings = Settings {
        threads: Some(Threads::Platform(25)),
        min_threads: Some(5),
        accept_count: Some(20),
        max_connections: Some(300),
        ..Settings::default()
    };
    ServerSpec { settings, ..spec_of(server, app) }
}

pub(crate) fn assert_limited(effective: &Effective) {
    assert_eq!(effective.max_threads, Some(25));
    assert_eq!(effective.accept_count, Some(20));
    assert_eq!(effective.max_connections, Some(Limit::At(300)));
    assert_eq!(effective.virtual_threads, None);
}

pub(crate) fn owned(properties: &[(&str, &str)]) -> BTreeMap<String, String> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    properties.iter().map(owned).collect()
}

/// Whether the Java of the tests has virtual threads.
pub(crate) fn virtual_threads() -> bool {
    let has = jdk().major >= 21;
    if !has {
        eprintln!("skipped: virtual threads need JDK 21");
    }
    has
}

/// Sends one request, and returns the status and body of the answer.
pub(crate) fn ask(address: SocketAddr, method: &str, path: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("connected");
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).expect("asked");
    let mut answer = Vec::new();
    let mut part = [0; 4096];
    // Helidon keeps the connection all the same, so that an answer ends by its length.
    while !is_whole(&answer) {
        match stream.read(&mut part).expect("answered") {
            0 => break,
            count => answer.extend_from_slice(&part[..count]),
        }
    }
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok());
    let body = answer.split_once("\r\n\r\n").expect("a head").1;
    (status.expect("a status"), body.to_owned())
}

/// Whether an answer has the length that its head says; one that does not say it ends with the connection.
fn is_whole(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let head = head.to_ascii_lowercase();
    let mut lines = head.lines();
    let length = lines.find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    length.is_some_and(|length: usize| body.len() >= length)
}

/// The name of Spring Boot's connector of Jetty with TLS.
pub(crate) const BOOTS_JETTY_ENCRYPTS: &str = "SslValidatingServerConnector (ssl, http/1.1)";

/// Runs a server with TLS by Java. The negotiated cipher suite and the connector's name prove that it encrypts.
#[track_caller]
pub(crate) fn encrypted(mut spec: ServerSpec, handler: &str) -> Effective {
    spec.settings.tls = Some(TlsStack::Jsse);
    let effective = settings(&spec, |address| {
        let mut plain = TcpStream::connect(address).expect("connected");
        plain.write_all(b"GET /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").expect("asked");
        let mut answer = Vec::new();
        let _ = plain.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "it answers without TLS");
    });
    let tls = effective.tls.as_deref().expect("encrypted");
    assert!(tls.starts_with("TLSv1.3 TLS_") && !tls.contains("OpenSSL"), "{tls}");
    assert_eq!(effective.protocol_handler.as_deref(), Some(handler));
    effective
}

/// The specification of a server with virtual threads.
fn with_virtual_threads(server: &str) -> ServerSpec {
    let settings = Settings { threads: Some(Threads::Virtual), ..Settings::default() };
    ServerSpec { settings, ..spec_of(server, "hello") }
}

/// Checks the name of a server in Spring Boot: what it begins and ends with.
pub(crate) fn assert_in_boot(effective: &Effective, server: &str, boot: &str) {
    let told = effective.server.as_deref().unwrap_or_default();
    assert!(told.starts_with(server) && told.ends_with(&format!(" in Spring Boot {boot}")), "{told}");
}

#[test]
fn spring_boot_with_tomcat_accepts_every_limit_and_encrypts() {
    let effective = encrypted(limited("spring-boot-tomcat:4.0.1", "hello"), "https-jsse-nio");
    assert_in_boot(&effective, "Tomcat/11.0.15", "4.0.1");
    assert_limited(&effective);
}

#[test]
fn spring_boot_with_jetty_accepts_every_limit_and_encrypts_and_a_bean_lifts_the_limit_of_virtual_threads() {
    let effective = encrypted(limited("spring-boot-jetty:4.1.1", "hello"), BOOTS_JETTY_ENCRYPTS);
    assert_in_boot(&effective, "Jetty/12.1.", "4.1.1");
    assert_limited(&effective);
    if !virtual_threads() {
        return;
    }
    let mut spec = with_virtual_threads("spring-boot-jetty:4.1.1");
    spec.settings.properties = owned(&[("prony.jetty.virtual-tasks", "0")]);
    spec.settings.accept_count = Some(20);
    let effective = settings(&spec, |_| ());
    let handler = effective.protocol_handler.as_deref();
    assert_eq!(handler, Some("ServerConnector (http/1.1)"));
    assert_eq!(effective.virtual_threads, Some(Limit::None));
    assert_eq!(effective.accept_count, Some(20));
}

#[test]
fn jetty_accepts_every_limit_and_encrypts_and_has_200_virtual_tasks() {
    let effective = encrypted(limited("jetty:12.1.12", "hello"), "ServerConnector (ssl, http/1.1)");
    assert_eq!(effective.server.as_deref(), Some("Jetty/12.1.12"));
    assert_limited(&effective);
    if !virtual_threads() {
        return;
    }
    let effective = settings(&with_virtual_threads("jetty:12.1.12"), |_| ());
    let handler = effective.protocol_handler.as_deref();
    assert_eq!(handler, Some("ServerConnector (http/1.1)"));
    assert_eq!(effective.virtual_threads, Some(Limit::At(200)));
    assert_eq!(effective.accept_count, Some(50));
}

#[test]
fn undertow_accepts_every_limit_and_encrypts_and_has_virtual_threads_without_one() {
    let effective = encrypted(limited("undertow:2.3.26.Final", "hello"), "https");
    assert_eq!(effective.server.as_deref(), Some("Undertow/2.3.26.Final"));
    assert_limited(&effective);
    if !virtual_threads() {
        return;
    }
    let effective = settings(&with_virtual_threads("undertow:2.3.26.Final"), |_| ());
    assert_eq!(effective.protocol_handler.as_deref(), Some("http"));
    assert_eq!(effective.virtual_threads, Some(Limit::None));
    assert_eq!(effective.max_connections, Some(Limit::None));
    assert_eq!(effective.accept_count, Some(1000));
}

#[test]
fn spring_boot_with_undertow_accepts_its_limits_and_encrypts_and_has_virtual_threads() {
    let mut spec = limited("spring-boot-undertow:3.5.16", "hello");
    spec.settings.min_threads = None; // Boot has no property for it.
    let effective = encrypted(spec, "https");
    assert_in_boot(&effective, "Undertow/2.3.", "3.5.16");
    assert_limited(&effective);
    if !virtual_threads() {
        return;
    }
    let effective = settings(&with_virtual_threads("spring-boot-undertow:3.5.16"), |_| ());
    assert_eq!(effective.protocol_handler.as_deref(), Some("http"));
    assert_eq!(effective.virtual_threads, Some(Limit::None));
}
