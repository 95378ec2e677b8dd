//! Real Tomcats: the tests start them, read their settings in effect, and stop them.

use crate::common::{GO_ON, effective, eventually, lives, spec, start, start_with};
use ask::arm::{AccessLog, Connector, Threads, TlsStack};
use model::units::Bytes;
use record::outcome::Limit;
use std::net::TcpStream;
use std::sync::Barrier;
use std::thread;
use sut::{Gc, JvmOptions};

/// The options of a JVM for an arm that asks for none.
fn default_options() -> JvmOptions {
    JvmOptions::new(Bytes(256 << 20))
}

/// Starts a Tomcat, checks its settings in effect, stops it, and checks that nothing is left.
#[track_caller]
pub(crate) fn up_and_down(version: &str) {
    let mut spec = spec(version);
    spec.jvm = default_options();
    let server = start(&spec).expect("started");
    let (pid, address) = (server.pid(), server.addr());
    assert!(address.ip().is_loopback());
    assert!((0.05..60.0).contains(&server.startup().as_secs_f64()), "{:?}", server.startup());

    let effective = effective(&server);
    assert_eq!(effective.server, Some(format!("Tomcat/{version}")));
    assert_eq!(effective.protocol_handler.as_deref(), Some("http-nio"));
    assert_eq!(effective.max_threads, Some(200));
    assert_eq!(effective.max_connections, Some(Limit::At(8192)));
    assert_eq!(effective.accept_count, Some(100));
    assert_eq!(effective.jdk.as_deref(), Some(spec.jdk.version.as_str()));
    assert_eq!(effective.gc.as_deref(), Some("G1"));
    assert_eq!(effective.heap, Some(spec.jvm.heap));

    server.stop().expect("stopped");
    assert!(!lives(pid));
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn tomcat_10_starts_answers_and_stops() {
    up_and_down("10.1.29");
}

#[test]
fn settings_take_effect() {
    let mut spec = spec("10.1.29");
    spec.settings.connector = Some(Connector::Nio2);
    spec.settings.tls = Some(TlsStack::Jsse);
    spec.settings.threads = Some(Threads::Platform(25));
    spec.settings.accept_count = Some(20);
    spec.settings.max_connections = Some(300);
    spec.settings.access_log = Some(AccessLog::Unbuffered);
    spec.jvm.gc = Some(Gc::Parallel);
    spec.jvm.extra.push("-Dwords=two words".to_owned());
    let server = start(&spec).expect("started");
    assert!(server.log().contains("-Dwords=two words"));
    assert!(server.certificate().is_some());
    let effective = effective(&server);
    assert_eq!(effective.protocol_handler.as_deref(), Some("https-jsse-nio2"));
    let tls = effective.tls.expect("encrypted");
    assert!(tls.starts_with("TLSv1.3 TLS_") && !tls.contains("OpenSSL"), "{tls}");
    assert_eq!(effective.max_threads, Some(25));
    assert_eq!(effective.accept_count, Some(20));
    assert_eq!(effective.max_connections, Some(Limit::At(300)));
    assert_eq!(effective.gc.as_deref(), Some("Parallel"));
    server.stop().expect("stopped");
}

#[test]
fn two_that_choose_the_same_port_both_get_one_and_a_dropped_one_is_killed() {
    let spec = spec("10.1.29");
    let both_up = Barrier::new(2);
    let start_one = || {
        // The same seed chooses the same port, and both check that it is free before either has it.
        let server = start_with(&spec, 4711, &GO_ON);
        both_up.wait();
        server.expect("started beside the other")
    };
    thread::scope(|scope| {
        // A server ends with the thread that has started it, so each thread ends its own.
        let other = scope.spawn(|| {
            let dropped = start_one();
            let (pid, address) = (dropped.pid(), dropped.addr());
            drop(dropped);
            eventually("the end of the dropped server", || !lives(pid));
            address
        });
        let stopped = start_one();
        assert_ne!(stopped.addr(), other.join().expect("started"));
        assert!(lives(stopped.pid()));
        stopped.stop().expect("stopped");
    });
}
