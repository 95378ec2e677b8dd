//! Servers without servlets: the tests start each kind, read its settings in effect, and stop it. Older versions and other applications
//! are in `measured::routed`.

use crate::common::{lives, spec_with, start};
use crate::kinds::{ask, encrypted, owned, virtual_threads};
use ask::arm::Threads;
use ask::arm::settings::Settings;
use record::outcome::{Effective, Limit};
use std::fs;
use sut::ServerSpec;

/// As many threads as the tests ask for.
pub(crate) const THREE: Option<Threads> = Some(Threads::Platform(3));

/// The specification of a server with a backlog of 20, and as many threads as asked.
pub(crate) fn spec(server: &str, app: &str, threads: Option<Threads>) -> ServerSpec {
    spec_with(server, app, Settings { threads, accept_count: Some(20), ..Settings::default() })
}

/// Starts a server that encrypts, checks its name and its backlog, and returns its settings in effect.
#[track_caller]
pub(crate) fn encrypts(spec: ServerSpec, name: &str) -> Effective {
    let effective = encrypted(spec, "https");
    let told = effective.server.as_deref().unwrap_or_default();
    assert!(told.starts_with(name), "it calls itself {told}");
    assert_eq!(effective.accept_count, Some(20), "{name}");
    effective
}

/// Starts a server without encryption, checks its answers, and returns the number of its threads whose names begin like this, while it is
/// sent requests by many connections.
#[track_caller]
pub(crate) fn threads_named(spec: &ServerSpec, name: &str) -> usize {
    let server = start(spec).unwrap_or_else(|error| panic!("{error}: {:#?}", error.log()));
    let (pid, address) = (server.pid(), server.addr());
    assert_eq!(ask(address, "GET", "/hello", "").1, "Hello, World!");
    assert_eq!(ask(address, "GET", "/none", "").0, 404);
    let asking = (0..32).map(|_| std::thread::spawn(move || ask(address, "GET", "/json", "").0));
    for asked in asking.collect::<Vec<_>>() {
        assert_eq!(asked.join().expect("asked"), 200);
    }
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).expect("it runs");
    let names = tasks.flatten().filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    let count = names.filter(|comm| comm.starts_with(name)).count();
    server.stop().expect("stopped");
    assert!(!lives(pid));
    count
}

#[test]
fn vertx_serves_by_as_many_event_loops_as_asked_and_encrypts() {
    let mut three = spec("vertx:5.1.6", "hello", THREE);
    three.settings.properties = owned(&[("idleTimeout", "30"), ("compressionSupported", "true")]);
    let effective = encrypts(three, "Vert.x/5.1.6");
    assert_eq!((effective.max_threads, effective.virtual_threads), (None, None));
    // Some versions have one more, which has deployed the verticle and serves nothing.
    let loops = threads_named(&spec("vertx:5.1.6", "hello", THREE), "vert.x-eventloo");
    assert!((3..=4).contains(&loops), "{loops}");
}

#[test]
fn vertx_takes_the_fields_of_its_options_and_no_other() {
    let mut spec = spec("vertx:5.1.6", "hello", None);
    spec.settings.properties = owned(&[("idleTimeuot", "30")]);
    let refused = start(&spec).expect_err("misspelt").to_string();
    assert!(refused.contains("no such setting: idleTimeuot"), "{refused}");
}

#[test]
fn webflux_serves_by_as_many_event_loops_as_asked_and_encrypts() {
    let three = spec("spring-boot-netty:4.1.1", "hello", THREE);
    encrypts(three.clone(), "Netty in Spring Boot 4.1.1");
    assert_eq!(threads_named(&three, "reactor-http-"), 3);
}

#[test]
fn helidon_serves_every_request_by_a_virtual_thread_and_encrypts() {
    if !virtual_threads() {
        return;
    }
    let mut limited = spec("helidon:4.5.0", "hello", Some(Threads::Virtual));
    limited.settings.max_connections = Some(300);
    limited.settings.properties = owned(&[("server.max-concurrent-requests", "40")]);
    let effective = encrypts(limited, "Helidon/4.5.0");
    assert_eq!(effective.max_connections, Some(Limit::At(300)));
    assert_eq!(effective.virtual_threads, Some(Limit::At(40)));
    // Virtual threads run on these.
    assert!(threads_named(&spec("helidon:4.5.0", "hello", None), "ForkJoinPool") > 0);
}

#[test]
fn quarkus_serves_by_worker_threads_and_encrypts() {
    let three = spec("quarkus:3.33.2.1", "hello", THREE);
    encrypts(three.clone(), "Quarkus/3.33.2.1");
    assert!((1..=3).contains(&threads_named(&three, "executor-thread")));
}

#[test]
fn micronaut_serves_by_event_loops_and_encrypts() {
    let three = spec("micronaut:4.10.17", "hello", THREE);
    // The version of its core, which differs from the platform's version.
    let effective = encrypts(three.clone(), "Micronaut/4.10.");
    assert_eq!(effective.virtual_threads, None);
    assert_eq!(threads_named(&three, "default-nioEven"), 3);
}
