//! Starts that fail: each is one error without delay, with the server's log, and no process is left.

use crate::common::{guard, jdk, site, spec, start};
use ask::arm::Threads;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use sut::{Error, Server, WorkFolder};

#[test]
fn a_misspelt_attribute_is_an_error_at_once() {
    let mut spec = spec("10.1.29");
    let attributes = &mut spec.settings.attributes;
    attributes.insert("maxThreds".to_owned(), "50".to_owned());
    let error = start(&spec).expect_err("misspelt");
    let text = error.to_string();
    assert!(text.starts_with("tomcat:10.1.29 did not start as configured: "), "{text}");
    assert!(text.contains("failed to set property [maxThreds] to [50]"), "{text}");
    assert!(error.hint().is_some_and(|hint| hint.contains("no such setting")));
    assert!(!error.log().is_empty());
}

#[test]
fn a_connector_that_fails_is_an_error_although_its_port_is_open() {
    let Ok(old) = sut::jdk::newest_of(&sut::jdk::jdks(), 17).cloned() else {
        eprintln!("skipped: virtual threads fail below Java 21, and there is no JDK 17");
        return;
    };
    let mut spec = spec("10.1.29");
    spec.jdk = old;
    spec.settings.threads = Some(Threads::Virtual);
    let error = start(&spec).expect_err("no virtual threads");
    assert!(matches!(error, Error::Refused { .. }), "{error}: {:#?}", error.log());
    assert!(error.log().len() > 3);
}

#[test]
fn a_refused_jvm_option_is_named() {
    let mut spec = spec("10.1.29");
    spec.jvm.extra = vec!["-XX:+UseNoSuchThing".to_owned()];
    let error = start(&spec).expect_err("refused");
    assert!(matches!(error, Error::Exited { .. }), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("UseNoSuchThing")), "{:?}", error.hint());
}

#[test]
fn a_server_that_is_not_ready_in_time_is_given_up() {
    let mut spec = spec("10.1.29");
    spec.timeout = Duration::from_millis(100);
    let error = start(&spec).expect_err("not ready");
    assert!(matches!(error, Error::NotReady { .. }), "{error}");
}

#[test]
fn a_wrong_body_is_not_ready() {
    let mut spec = spec("10.1.29");
    spec.ready.body = Some(b"something else".to_vec());
    let error = start(&spec).expect_err("wrong");
    assert!(error.to_string().contains("status 200, 27 bytes of body"), "{error}");
    spec.ready.path = "/nothing-here".to_owned();
    let error = start(&spec).expect_err("absent");
    assert!(error.to_string().contains("GET /nothing-here: status 404"), "{error}");
}

#[test]
fn the_error_for_a_taken_port_names_its_holder() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let mut spec = spec("10.1.29");
    let port = listener.local_addr().expect("bound").port();
    spec.port = Some(port);
    let error = start(&spec).expect_err("taken").to_string();
    assert!(error.starts_with(&format!("port {port} is taken by ")), "{error}");
    assert!(error.contains(&format!("(process {})", std::process::id())), "{error}");
}

#[test]
fn stop_ends_the_wait() {
    let spec = spec("10.1.29");
    let stop = AtomicBool::new(false);
    let work = WorkFolder::create(&site().cache, 1).expect("made");
    let path = work.path().to_owned();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
        });
        let began = Instant::now();
        let result = Server::start(&spec, work, &guard(), &stop);
        assert!(matches!(result, Err(Error::Interrupted)));
        assert!(began.elapsed() < Duration::from_secs(60));
    });
    assert!(!path.exists());
}

#[test]
fn a_java_that_is_gone_is_an_error() {
    let mut spec = spec("10.1.29");
    spec.jdk = sut::Jdk { home: "/nowhere/jdk".into(), ..jdk() };
    let error = start(&spec).expect_err("no Java");
    assert!(matches!(error, Error::Exited { .. }), "{error}");
    assert!(error.log().iter().any(|line| line.contains("JAVA_HOME")), "{:?}", error.log());
}
