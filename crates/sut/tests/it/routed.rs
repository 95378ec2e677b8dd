//! Servers without servlets: the tests start each kind with the applications that have routes, read its settings in effect, and
//! stop it.

use crate::common::{lives, spec_of, spec_with, start};
use crate::kinds::{ask, encrypted, owned, settings, virtual_threads};
use model::arm::Threads;
use model::outcome::{Effective, Limit};
use std::fs;
use std::net::SocketAddr;
use sut::ServerSpec;

/// The specification of a server with a backlog of 20, and as many threads as asked.
fn spec(server: &str, app: &str, threads: Option<Threads>) -> ServerSpec {
    let mut spec = spec_with(server, app, threads);
    spec.settings.accept_count = Some(20);
    spec
}

/// Checks that a server serves the page unchanged and nothing at another path.
fn serves_page(server: &str) {
    settings(&spec_of(server, "page"), |address| {
        let (status, page) = ask(address, "GET", "/index.html", "");
        assert_eq!((status, page.len() > 11_000), (200, true), "{server}");
        assert_eq!(ask(address, "GET", "/none.html", "").0, 404, "{server}");
    });
}

/// Checks that the answers of `pay` come after a wait and repeat the order.
fn pays(address: SocketAddr) {
    let paid = ask(address, "GET", "/pay?orderId=77&millis=1", "");
    assert_eq!(paid, (200, "Order 77 paid via card".to_owned()));
    assert_eq!(ask(address, "GET", "/pay", "").0, 400);
}

/// Checks what all of these kinds have in common, and returns the settings in effect while the server encrypts.
fn serves(server: &str, name: &str, threads: Option<Threads>) -> Effective {
    let effective = settings(&spec(server, "hello", threads), |address| {
        assert_eq!(ask(address, "GET", "/hello", "").1, "Hello, World!", "{server}");
        assert_eq!(ask(address, "GET", "/none", "").0, 404, "{server}");
    });
    let told = effective.server.as_deref().unwrap_or_default();
    assert!(told.starts_with(name), "{server} calls itself {told}");
    assert_eq!(effective.accept_count, Some(20), "{server}");
    assert_eq!(effective.protocol_handler.as_deref(), Some("http"), "{server}");
    settings(&spec(server, "pay", threads), pays);
    serves_page(server);
    encrypted(spec(server, "hello", threads), "https")
}

/// The number of threads of a running server whose names begin like this, while it is sent requests by many connections.
fn threads_named(spec: &ServerSpec, name: &str) -> usize {
    let server = start(spec).unwrap_or_else(|error| panic!("{error}: {:#?}", error.log()));
    let pid = server.pid();
    let asking = (0..32).map(|_| {
        let address = server.addr();
        std::thread::spawn(move || ask(address, "GET", "/json", "").0)
    });
    for asked in asking.collect::<Vec<_>>() {
        assert_eq!(asked.join().expect("asked"), 200);
    }
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).expect("it runs");
    let names = tasks
        .flatten()
        .filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    let count = names.filter(|comm| comm.starts_with(name)).count();
    server.stop().expect("stopped");
    assert!(!lives(pid));
    count
}

#[test]
fn vertx_serves_by_as_many_event_loops_as_asked() {
    for version in ["4.5.32", "5.1.6"] {
        let (server, name) = (format!("vertx:{version}"), format!("Vert.x/{version}"));
        let effective = serves(&server, &name, Some(Threads::Platform(3)));
        assert_eq!((effective.max_threads, effective.virtual_threads), (None, None));
        // Some versions have one more, which has deployed the verticle and serves nothing.
        let loops = |threads| threads_named(&spec(&server, "hello", threads), "vert.x-eventloo");
        let (three, one) = (loops(Some(Threads::Platform(3))), loops(None));
        assert_eq!(
            (three - one, one <= 2),
            (2, true),
            "{server}: one is Vert.x's default"
        );
    }
}

#[test]
fn vertx_takes_the_fields_of_its_options_and_no_other() {
    let mut spec = spec("vertx:5.1.6", "hello", None);
    spec.settings.properties = owned(&[("idleTimeout", "30"), ("compressionSupported", "true")]);
    settings(&spec, |_| ());
    spec.settings.properties = owned(&[("idleTimeuot", "30")]);
    let refused = start(&spec).expect_err("misspelt").to_string();
    assert!(refused.contains("no such setting: idleTimeuot"), "{refused}");
}

#[test]
fn webflux_serves_by_as_many_event_loops_as_asked() {
    for version in ["3.5.16", "4.1.1"] {
        let server = format!("spring-boot-netty:{version}");
        let name = format!("Netty in Spring Boot {version}");
        serves(&server, &name, Some(Threads::Platform(3)));
        let three = spec(&server, "hello", Some(Threads::Platform(3)));
        assert_eq!(threads_named(&three, "reactor-http-"), 3, "{server}");
    }
}

#[test]
fn helidon_serves_every_request_by_a_virtual_thread() {
    if !virtual_threads() {
        return;
    }
    let mut spec = spec("helidon:4.5.0", "hello", Some(Threads::Virtual));
    spec.settings.max_connections = Some(300);
    let limited = settings(&spec, |_| ());
    assert_eq!(limited.max_connections, Some(Limit::At(300)));
    spec.settings.properties = owned(&[("server.max-concurrent-requests", "40")]);
    let limited = settings(&spec, |_| ());
    assert_eq!(limited.virtual_threads, Some(Limit::At(40)));
    let effective = serves("helidon:4.5.0", "Helidon/4.5.0", None);
    assert_eq!(effective.virtual_threads, Some(Limit::None));
    assert_eq!(effective.max_connections, Some(Limit::None));
}

#[test]
fn quarkus_serves_by_worker_threads() {
    let threads = Some(Threads::Platform(3));
    serves("quarkus:3.33.2.1", "Quarkus/3.33.2.1", threads);
    let three = spec("quarkus:3.33.2.1", "hello", threads);
    assert!((1..=3).contains(&threads_named(&three, "executor-thread")));
    if virtual_threads() {
        let spec = spec("quarkus:3.33.2.1", "pay", Some(Threads::Virtual));
        assert_eq!(settings(&spec, pays).virtual_threads, Some(Limit::None));
    }
}

#[test]
fn micronaut_serves_by_event_loops_or_virtual_threads() {
    let name = "Micronaut/4.10."; // The version of its core, which differs from that of the platform.
    let effective = serves("micronaut:4.10.17", name, Some(Threads::Platform(3)));
    assert_eq!(effective.virtual_threads, None);
    let three = spec("micronaut:4.10.17", "hello", Some(Threads::Platform(3)));
    assert_eq!(threads_named(&three, "default-nioEven"), 3);
    if virtual_threads() {
        let effective = settings(&spec("micronaut:4.10.17", "pay", Some(Threads::Virtual)), pays);
        assert_eq!(effective.virtual_threads, Some(Limit::None));
    }
}
