//! A server of every kind: the tests start it, send it requests, read its settings in effect, and stop it.

use crate::common::{GO_ON, effective, jdk, lives, site, spec_of, start};
use model::arm::settings::Settings;
use model::arm::{Threads, TlsStack};
use model::outcome::{Effective, Limit};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use sut::{App, Catalog, ServerSpec, native, tcnative};

/// Starts a server, calls `ask` with its address, reads its settings in effect, and stops it.
pub(crate) fn settings(spec: &ServerSpec, ask: impl FnOnce(SocketAddr)) -> Effective {
    let server = start(spec).unwrap_or_else(|error| panic!("{error}: {:#?}", error.log()));
    let (pid, address) = (server.pid(), server.addr());
    ask(address);
    let effective = effective(&server);
    assert_eq!(effective.jdk.as_deref(), Some(spec.jdk.version.as_str()));
    assert_eq!(effective.heap, Some(spec.jvm.heap.0));
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
    ServerSpec {
        settings,
        ..spec_of(server, app)
    }
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

#[test]
fn spring_boot_with_tomcat_accepts_every_limit() {
    let effective = settings(&limited("spring-boot-tomcat:4.0.1", "pay"), |address| {
        let paid = ask(address, "GET", "/pay?orderId=77&millis=1", "");
        assert_eq!(paid, (200, "Order 77 paid via card".to_owned()));
        assert_eq!(ask(address, "GET", "/pay", "").0, 400);
    });
    assert_eq!(
        effective.server.as_deref(),
        Some("Tomcat/11.0.15 in Spring Boot 4.0.1")
    );
    assert_eq!(effective.protocol_handler.as_deref(), Some("http-nio"));
    assert_limited(&effective);
}

#[test]
fn spring_boot_2_7_has_tomcat_9() {
    let effective = settings(&spec_of("spring-boot-tomcat:2.7.18", "hello"), |_| ());
    assert_eq!(
        effective.server.as_deref(),
        Some("Tomcat/9.0.83 in Spring Boot 2.7.18")
    );
    assert_eq!(effective.max_threads, Some(200));
    assert_eq!(effective.accept_count, Some(100));
}

/// Runs a server with TLS by Java. The negotiated cipher suite and the connector's name prove that it encrypts.
pub(crate) fn encrypted(mut spec: ServerSpec, handler: &str) -> Effective {
    spec.settings.tls = Some(TlsStack::Jsse);
    let effective = settings(&spec, |address| {
        let mut plain = TcpStream::connect(address).expect("connected");
        plain
            .write_all(b"GET /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            .expect("asked");
        let mut answer = Vec::new();
        let _ = plain.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "it answers without TLS");
    });
    let tls = effective.tls.as_deref().expect("encrypted");
    assert!(
        tls.starts_with("TLSv1.3 TLS_") && !tls.contains("OpenSSL"),
        "{tls}"
    );
    assert_eq!(effective.protocol_handler.as_deref(), Some(handler));
    effective
}

#[test]
fn java_encrypts_in_spring_boot() {
    encrypted(spec_of("spring-boot-tomcat:4.1.1", "hello"), "https-jsse-nio");
    encrypted(spec_of("spring-boot-tomcat:2.7.18", "hello"), "https-jsse-nio");
    let jetty = "SslValidatingServerConnector (ssl, http/1.1)";
    encrypted(spec_of("spring-boot-jetty:4.1.1", "hello"), jetty);
}

#[test]
fn openssl_encrypts_in_spring_boot_2_7() {
    let spec = spec_of("spring-boot-tomcat:2.7.18", "hello");
    let (catalog, jdk) = (Catalog::embedded(), jdk());
    let release = catalog.lookup("spring-boot-tomcat:2.7.18").expect("known");
    let request = tcnative::TcnativeRequest {
        release: &release,
        home: None,
        jdk: &jdk,
    };
    let installed = match tcnative::tcnative(request, &site(), &GO_ON) {
        Ok(installed) => installed,
        Err(none) => {
            assert!(
                none.hint().is_some_and(|hint| hint.contains("libtcnative-1")),
                "{none}"
            );
            return eprintln!("skipped: {none}");
        }
    };
    let spec = ServerSpec {
        settings: Settings {
            tls: Some(TlsStack::OpenSsl),
            ..Settings::default()
        },
        tcnative: Some(installed),
        ..spec
    };
    let effective = settings(&spec, |_| ());
    assert_eq!(effective.protocol_handler.as_deref(), Some("https-openssl-nio"));
    let tls = effective.tls.expect("encrypted");
    assert!(
        tls.starts_with("TLSv1.") && tls.contains("; tcnative 1."),
        "{tls}"
    );
}

#[test]
fn spring_boot_with_jetty_stays_at_200_virtual_tasks_until_a_bean_lifts_that() {
    if !virtual_threads() {
        return;
    }
    let mut spec = ServerSpec {
        settings: Settings {
            threads: Some(Threads::Virtual),
            properties: owned(&[("server.jetty.threads.max", "1000")]),
            ..Settings::default()
        },
        ..spec_of("spring-boot-jetty:4.0.1", "pay")
    };
    let stuck = settings(&spec, |_| ());
    assert_eq!(stuck.server.as_deref(), Some("Jetty/12.1.5 in Spring Boot 4.0.1"));
    assert_eq!(
        stuck.virtual_threads,
        Some(Limit::At(200)),
        "Spring Boot 4.0.1 ignores the property"
    );
    assert_eq!((stuck.max_threads, stuck.accept_count), (None, Some(50)));
    assert_eq!(stuck.max_connections, Some(Limit::None));

    spec.settings.properties = owned(&[("prony.jetty.virtual-tasks", "0")]);
    spec.settings.accept_count = Some(20);
    let lifted = settings(&spec, |_| ());
    assert_eq!(lifted.virtual_threads, Some(Limit::None));
    assert_eq!(lifted.accept_count, Some(20));
}

#[test]
fn spring_boot_with_jetty_accepts_every_limit() {
    let effective = settings(&limited("spring-boot-jetty:4.0.8", "pay"), |_| ());
    let handler = effective.protocol_handler.as_deref();
    assert_eq!(handler, Some("ServerConnector (http/1.1)"));
    assert_limited(&effective);
}

#[test]
fn jetty_accepts_every_limit_and_encrypts_and_has_200_virtual_tasks() {
    let effective = encrypted(
        limited("jetty:12.1.12", "page"),
        "ServerConnector (ssl, http/1.1)",
    );
    assert_eq!(effective.server.as_deref(), Some("Jetty/12.1.12"));
    assert_limited(&effective);
    if !virtual_threads() {
        return;
    }
    let spec = ServerSpec {
        settings: Settings {
            threads: Some(Threads::Virtual),
            ..Settings::default()
        },
        ..spec_of("jetty:12.1.12", "hello")
    };
    let effective = settings(&spec, |_| ());
    let handler = effective.protocol_handler.as_deref();
    assert_eq!(handler, Some("ServerConnector (http/1.1)"));
    assert_eq!(effective.virtual_threads, Some(Limit::At(200)));
    assert_eq!(effective.accept_count, Some(50));
}

#[test]
fn undertow_accepts_every_limit_and_encrypts_and_has_virtual_threads_without_one() {
    let effective = encrypted(limited("undertow:2.3.26.Final", "page"), "https");
    assert_eq!(effective.server.as_deref(), Some("Undertow/2.3.26.Final"));
    assert_limited(&effective);
    if !virtual_threads() {
        return;
    }
    let spec = ServerSpec {
        settings: Settings {
            threads: Some(Threads::Virtual),
            ..Settings::default()
        },
        ..spec_of("undertow:2.3.26.Final", "json")
    };
    let effective = settings(&spec, |_| ());
    assert_eq!(effective.protocol_handler.as_deref(), Some("http"));
    assert_eq!(effective.virtual_threads, Some(Limit::None));
    assert_eq!(effective.max_connections, Some(Limit::None));
    assert_eq!(effective.accept_count, Some(1000));
}

/// A memcached that ends with the test, however that ends.
struct Memcached(Child);

impl Drop for Memcached {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// A running memcached and its address; `None` where it is not installed.
fn memcached() -> Option<(Memcached, SocketAddr)> {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = free.local_addr().expect("bound");
    drop(free);
    let child = Command::new("memcached")
        .args([
            "-l",
            "127.0.0.1",
            "-U",
            "0",
            "-u",
            "nobody",
            "-p",
            &address.port().to_string(),
        ])
        .stdin(Stdio::null())
        .spawn()
        .ok()?;
    let running = Memcached(child);
    crate::common::eventually("a Memcached", || TcpStream::connect(address).is_ok());
    Some((running, address))
}

#[test]
fn crud_keeps_its_entities_in_memcached() {
    let Some((_memcached, address)) = memcached() else {
        eprintln!("skipped: there is no memcached");
        return;
    };
    let mut spec = spec_of("tomcat:10.1.29", "crud");
    spec.jvm.extra = vec![format!("-Dmemcached.address={address}")];
    settings(&spec, |server| {
        let crud = |method, body| ask(server, method, "/crud/seven", body);
        assert_eq!(crud("GET", "").0, 404);
        assert_eq!(crud("POST", "{\"n\":0}").0, 404);
        assert_eq!(crud("PUT", "{\"n\":7}").0, 201);
        assert_eq!(crud("GET", ""), (200, "{\"n\":7}".to_owned()));
        assert_eq!(crud("POST", "{\"n\":8}").0, 204);
        assert_eq!(crud("GET", "").1, "{\"n\":8}");
        assert_eq!(crud("DELETE", "").0, 204);
        assert_eq!((crud("DELETE", "").0, crud("GET", "").0), (404, 404));
    });
}

/// A stand-in for native-image, as far as Maven uses it. The "program" that it compiles is a script that runs the same
/// classes, processed ahead of time, on a JVM.
const NATIVE_IMAGE: &str = r#"#!/bin/sh
case "$*" in *--version*) echo "native-image 25.0.1 2025-10-21"; exit;; esac
here=$(dirname "$0")
while [ $# -gt 1 ]; do
    case $1 in -cp) classes=$2;; -o) program=$2;; esac
    shift
done
cp -R "${classes%%:*}" "$here/classes"
printf '#!/bin/sh\nexec "%s" -Dspring.aot.enabled=true -cp "%s:%s" %s "$@"\n' \
    "$JAVA" "$here/classes" "${classes#*:}" "$1" > "$program"
chmod +x "$program"
"#;

#[test]
fn a_native_image_is_compiled_by_what_is_installed() {
    // The folder is kept between runs, because the compiled program is, too.
    let bin = Path::new(env!("CARGO_TARGET_TMPDIR")).join("graalvm/bin");
    fs::create_dir_all(&bin).expect("made");
    let compiler = bin.join("native-image");
    let script = NATIVE_IMAGE.replace("$JAVA", &jdk().java().display().to_string());
    fs::write(&compiler, script).expect("written");
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("set");
    let (catalog, app) = (Catalog::embedded(), App::find("json").expect("known"));
    let release = catalog.lookup("spring-boot-tomcat:4.0.1").expect("known");
    let compilation = native::Compilation {
        compiler: &compiler,
        virtual_threads: false,
    };
    let program = native::obtain(&release, &app, compilation, &site(), &GO_ON, &mut |_| {});
    let program = program.unwrap_or_else(|error| panic!("{error}: {:#?}", error.log()));
    let mut spec = ServerSpec::new(release.spec(), program, jdk(), app.default_answer().clone());
    spec.timeout = Duration::from_secs(180);
    let server = start(&spec).unwrap_or_else(|error| panic!("{error}: {:#?}", error.log()));
    assert!(
        server.log().contains("Starting AOT-processed"),
        "{}",
        server.log()
    );
    let effective = effective(&server);
    assert_eq!(
        effective.server.as_deref(),
        Some("Tomcat/11.0.15 in Spring Boot 4.0.1")
    );
    assert_eq!((effective.jdk, effective.accept_count), (None, Some(100)));
    server.stop().expect("stopped");
    let other = catalog.lookup("tomcat:10.1.29").expect("known");
    let refused = native::obtain(&other, &app, compilation, &site(), &GO_ON, &mut |_| {});
    assert!(refused.is_err());
}

#[test]
fn spring_boot_3_5_has_the_servers_that_boot_had() {
    let effective = settings(&limited("spring-boot-tomcat:3.5.16", "hello"), |_| ());
    let server = effective.server.as_deref().expect("told");
    assert!(
        server.starts_with("Tomcat/10.1.") && server.ends_with("Spring Boot 3.5.16"),
        "{server}"
    );
    assert_limited(&effective);
    let effective = settings(&limited("spring-boot-jetty:3.5.6", "hello"), |_| ());
    let server = effective.server.as_deref().expect("told");
    assert!(
        server.starts_with("Jetty/12.0.") && server.ends_with("Spring Boot 3.5.6"),
        "{server}"
    );
    assert_limited(&effective);
}

#[test]
fn spring_boot_with_undertow_accepts_its_limits_and_encrypts_and_has_virtual_threads() {
    let mut spec = limited("spring-boot-undertow:3.5.16", "page");
    spec.settings.min_threads = None; // Boot has no property for it.
    let effective = encrypted(spec, "https");
    let server = effective.server.as_deref().expect("told");
    assert!(
        server.starts_with("Undertow/2.3.") && server.ends_with("Spring Boot 3.5.16"),
        "{server}"
    );
    assert_limited(&effective);
    if !virtual_threads() {
        return;
    }
    let spec = ServerSpec {
        settings: Settings {
            threads: Some(Threads::Virtual),
            ..Settings::default()
        },
        ..spec_of("spring-boot-undertow:3.5.16", "hello")
    };
    let effective = settings(&spec, |_| ());
    assert_eq!(effective.protocol_handler.as_deref(), Some("http"));
    assert_eq!(effective.virtual_threads, Some(Limit::None));
}
