//! Kinds of servers in older versions, with other applications than `hello`, and as native programs.

use crate::common::{GO_ON, TIMEOUT, effective, jdk, site, spec_of, start};
use crate::kinds::{
    BOOTS_JETTY_ENCRYPTS, ask, assert_in_boot, assert_limited, encrypted, limited, owned, settings,
    virtual_threads,
};
use ask::arm::Threads;
use ask::arm::settings::Settings;
use record::outcome::Limit;
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use sut::{App, Catalog, ServerSpec, native};

#[test]
#[ignore = "measured: ./test --all"]
fn spring_boot_2_7_has_tomcat_9_and_encrypts() {
    let plain = settings(&spec_of("spring-boot-tomcat:2.7.18", "hello"), |_| ());
    assert_eq!(plain.server.as_deref(), Some("Tomcat/9.0.83 in Spring Boot 2.7.18"));
    assert_eq!(plain.max_threads, Some(200));
    assert_eq!(plain.accept_count, Some(100));
    encrypted(spec_of("spring-boot-tomcat:2.7.18", "hello"), "https-jsse-nio");
}

#[test]
#[ignore = "measured: ./test --all"]
fn spring_boot_3_5_has_the_servers_that_boot_had() {
    let effective = settings(&limited("spring-boot-tomcat:3.5.16", "hello"), |_| ());
    assert_in_boot(&effective, "Tomcat/10.1.", "3.5.16");
    assert_limited(&effective);
    let effective = settings(&limited("spring-boot-jetty:3.5.6", "hello"), |_| ());
    assert_in_boot(&effective, "Jetty/12.0.", "3.5.6");
    assert_limited(&effective);
}

#[test]
#[ignore = "measured: ./test --all"]
fn spring_boot_4_1_encrypts() {
    encrypted(spec_of("spring-boot-tomcat:4.1.1", "hello"), "https-jsse-nio");
    encrypted(spec_of("spring-boot-jetty:4.1.1", "hello"), BOOTS_JETTY_ENCRYPTS);
}

#[test]
#[ignore = "measured: ./test --all"]
fn pay_answers_in_spring_boot_with_every_limit() {
    let effective = settings(&limited("spring-boot-tomcat:4.0.1", "pay"), |address| {
        let paid = ask(address, "GET", "/pay?orderId=77&millis=1", "");
        assert_eq!(paid, (200, "Order 77 paid via card".to_owned()));
        assert_eq!(ask(address, "GET", "/pay", "").0, 400);
    });
    assert_eq!(effective.protocol_handler.as_deref(), Some("http-nio"));
    assert_limited(&effective);
    let effective = settings(&limited("spring-boot-jetty:4.0.8", "pay"), |_| ());
    let handler = effective.protocol_handler.as_deref();
    assert_eq!(handler, Some("ServerConnector (http/1.1)"));
    assert_limited(&effective);
}

#[test]
#[ignore = "measured: ./test --all"]
fn spring_boot_with_jetty_stays_at_200_virtual_tasks_whatever_its_property_says() {
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
    assert_eq!(stuck.virtual_threads, Some(Limit::At(200)), "Spring Boot 4.0.1 ignores the property");
    assert_eq!((stuck.max_threads, stuck.accept_count), (None, Some(50)));
    assert_eq!(stuck.max_connections, Some(Limit::None));

    spec.settings.properties = owned(&[("prony.jetty.virtual-tasks", "0")]);
    spec.settings.accept_count = Some(20);
    let lifted = settings(&spec, |_| ());
    assert_eq!(lifted.virtual_threads, Some(Limit::None));
    assert_eq!(lifted.accept_count, Some(20));
}

#[test]
#[ignore = "measured: ./test --all"]
fn pages_are_encrypted_by_servers_with_every_limit() {
    let jetty = limited("jetty:12.1.12", "page");
    assert_limited(&encrypted(jetty, "ServerConnector (ssl, http/1.1)"));
    assert_limited(&encrypted(limited("undertow:2.3.26.Final", "page"), "https"));
    let mut boot = limited("spring-boot-undertow:3.5.16", "page");
    boot.settings.min_threads = None; // Boot has no property for it.
    assert_limited(&encrypted(boot, "https"));
}

#[test]
#[ignore = "measured: ./test --all"]
fn json_is_served_by_virtual_threads_of_undertow() {
    if !virtual_threads() {
        return;
    }
    let mut spec = spec_of("undertow:2.3.26.Final", "json");
    spec.settings.threads = Some(Threads::Virtual);
    assert_eq!(settings(&spec, |_| ()).virtual_threads, Some(Limit::None));
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
        .args(["-l", "127.0.0.1", "-U", "0", "-u", "nobody", "-p", &address.port().to_string()])
        .stdin(Stdio::null())
        .spawn()
        .ok()?;
    let running = Memcached(child);
    crate::common::eventually("a Memcached", || TcpStream::connect(address).is_ok());
    Some((running, address))
}

#[test]
#[ignore = "measured: ./test --all"]
fn crud_keeps_its_entities_in_memcached() {
    let Some((_memcached, address)) = memcached() else {
        eprintln!("skipped: there is no memcached");
        return;
    };
    let mut spec = spec_of("tomcat:10.1.29", "crud");
    spec.jvm.extra.push(format!("-Dmemcached.address={address}"));
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
#[ignore = "measured: ./test --all"]
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
    let compilation = native::Compilation { compiler: &compiler, virtual_threads: false };
    let program = native::obtain(&release, &app, compilation, &site(), &GO_ON, &mut |_| {});
    let program = program.unwrap_or_else(|error| panic!("{error}: {:#?}", error.log()));
    let mut spec = ServerSpec::new(release.spec(), program, jdk(), app.default_answer().clone());
    spec.timeout = TIMEOUT;
    let server = start(&spec).unwrap_or_else(|error| panic!("{error}: {:#?}", error.log()));
    assert!(server.log().contains("Starting AOT-processed"), "{}", server.log());
    let effective = effective(&server);
    assert_eq!(effective.server.as_deref(), Some("Tomcat/11.0.15 in Spring Boot 4.0.1"));
    assert_eq!((effective.jdk, effective.accept_count), (None, Some(100)));
    server.stop().expect("stopped");
    let other = catalog.lookup("tomcat:10.1.29").expect("known");
    let refused = native::obtain(&other, &app, compilation, &site(), &GO_ON, &mut |_| {});
    assert!(refused.is_err());
}
