//! Real Tomcats: the tests start them, read their settings in effect, and stop them.

use crate::common::{GO_ON, effective, eventually, guard, lives, site, spec, start};
use model::arm::AccessLog;
use model::arm::{Connector, Threads};
use model::outcome::Limit;
use std::net::TcpStream;
use std::sync::Barrier;
use std::thread;
use sut::{Server, WorkFolder};

/// Starts a Tomcat, checks its settings in effect, stops it, and checks that nothing is left.
fn up_and_down(version: &str) {
    let spec = spec(version);
    let server = start(&spec).expect("started");
    let (pid, address) = (server.pid(), server.addr());
    assert!(address.ip().is_loopback());
    assert!(
        (0.05..60.0).contains(&server.startup().as_secs_f64()),
        "{:?}",
        server.startup()
    );

    let effective = effective(&server);
    assert_eq!(effective.server, Some(format!("Tomcat/{version}")));
    assert_eq!(effective.protocol_handler.as_deref(), Some("http-nio"));
    assert_eq!(effective.max_threads, Some(200));
    assert_eq!(effective.max_connections, Some(Limit::At(8192)));
    assert_eq!(effective.accept_count, Some(100));
    assert_eq!(effective.jdk.as_deref(), Some(spec.jdk.version.as_str()));
    assert_eq!(effective.gc.as_deref(), Some("G1"));
    assert_eq!(effective.heap, Some(spec.jvm.heap.0));

    server.stop().expect("stopped");
    assert!(!lives(pid));
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn tomcat_9_starts_answers_and_stops() {
    up_and_down("9.0.95");
}

#[test]
fn tomcat_10_starts_answers_and_stops() {
    up_and_down("10.1.29");
}

#[test]
fn settings_take_effect() {
    let mut spec = spec("10.1.29");
    spec.settings.connector = Some(Connector::Nio2);
    spec.settings.threads = Some(Threads::Platform(25));
    spec.settings.accept_count = Some(20);
    spec.settings.max_connections = Some(300);
    spec.settings.access_log = Some(AccessLog::Unbuffered);
    spec.jvm.gc = Some(sut::Gc::Serial);
    spec.jvm.extra = vec!["-Dwords=two words".to_owned()];
    let server = start(&spec).expect("started");
    assert!(server.log().contains("-Dwords=two words"));
    let effective = effective(&server);
    assert_eq!(effective.protocol_handler.as_deref(), Some("http-nio2"));
    assert_eq!(effective.max_threads, Some(25));
    assert_eq!(effective.accept_count, Some(20));
    assert_eq!(effective.max_connections, Some(Limit::At(300)));
    assert_eq!(effective.gc.as_deref(), Some("Serial"));
    server.stop().expect("stopped");
}

#[test]
fn two_run_side_by_side_and_a_dropped_one_is_killed() {
    let spec = spec("10.1.29");
    let one = start(&spec).expect("started");
    let two = start(&spec).expect("started beside it");
    assert_ne!(one.addr(), two.addr());
    let pid = one.pid();
    drop(one);
    eventually("the end of the dropped server", || !lives(pid));
    assert!(lives(two.pid()));
    two.stop().expect("stopped");
}

#[test]
fn two_that_choose_the_same_port_both_get_one() {
    let spec = spec("10.1.29");
    let both_up = Barrier::new(2);
    let one = || {
        // The same seed chooses the same port, and both check that it is free before either has it.
        let work = WorkFolder::create(&site().cache, 4711).expect("made");
        let server = Server::start(&spec, work, &guard(), &GO_ON);
        both_up.wait();
        let server = server.expect("started");
        let address = server.addr();
        server.stop().expect("stopped");
        address
    };
    thread::scope(|scope| {
        let other = scope.spawn(one);
        assert_ne!(one(), other.join().expect("started"));
    });
}
