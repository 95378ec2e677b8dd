//! Servers without servlets in older versions, with other applications and with other threads.

use crate::common::spec_of;
use crate::kinds::{ask, owned, settings, virtual_threads};
use crate::routed::{THREE, encrypts, spec, threads_named};
use ask::arm::Threads;
use record::outcome::{Effective, Limit};
use std::net::SocketAddr;

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

/// Checks that a server serves `pay` by these threads, and the page.
fn serves(server: &str, threads: Option<Threads>) {
    let effective = settings(&spec(server, "pay", threads), pays);
    assert_eq!(effective.accept_count, Some(20), "{server}");
    assert_eq!(effective.protocol_handler.as_deref(), Some("http"), "{server}");
    serves_page(server);
}

/// Checks that `hello` is served plain and encrypted by an older version; returns the settings in effect.
fn serves_hello(server: &str, name: &str) -> Effective {
    let plain = settings(&spec(server, "hello", THREE), |address| {
        assert_eq!(ask(address, "GET", "/hello", "").1, "Hello, World!", "{server}");
        assert_eq!(ask(address, "GET", "/none", "").0, 404, "{server}");
    });
    assert_eq!(plain.protocol_handler.as_deref(), Some("http"), "{server}");
    encrypts(spec(server, "hello", THREE), name)
}

#[test]
#[ignore = "measured: ./test --all"]
fn vertx_serves_page_and_pay() {
    serves("vertx:5.1.6", THREE);
}

#[test]
#[ignore = "measured: ./test --all"]
fn vertx_4_serves_as_vertx_5_does() {
    serves("vertx:4.5.32", THREE);
    let effective = serves_hello("vertx:4.5.32", "Vert.x/4.5.32");
    assert_eq!((effective.max_threads, effective.virtual_threads), (None, None));
}

#[test]
#[ignore = "measured: ./test --all"]
fn vertx_has_one_event_loop_by_default() {
    for server in ["vertx:4.5.32", "vertx:5.1.6"] {
        let loops = |threads| threads_named(&spec(server, "hello", threads), "vert.x-eventloo");
        // Some versions have one more, which has deployed the verticle and serves nothing.
        let (three, one) = (loops(THREE), loops(None));
        assert_eq!((three - one, one <= 2), (2, true), "{server}");
    }
}

#[test]
#[ignore = "measured: ./test --all"]
fn webflux_serves_page_and_pay() {
    serves("spring-boot-netty:4.1.1", THREE);
}

#[test]
#[ignore = "measured: ./test --all"]
fn webflux_of_boot_3_serves_as_that_of_boot_4_does() {
    let server = "spring-boot-netty:3.5.16";
    serves(server, THREE);
    serves_hello(server, "Netty in Spring Boot 3.5.16");
    assert_eq!(threads_named(&spec(server, "hello", THREE), "reactor-http-"), 3);
}

#[test]
#[ignore = "measured: ./test --all"]
fn helidon_has_no_limits_by_default_and_serves_page_and_pay() {
    if !virtual_threads() {
        return;
    }
    serves("helidon:4.5.0", None);
    let effective = encrypts(spec("helidon:4.5.0", "hello", None), "Helidon/4.5.0");
    assert_eq!(effective.virtual_threads, Some(Limit::None));
    assert_eq!(effective.max_connections, Some(Limit::None));
    let mut limited = spec("helidon:4.5.0", "hello", Some(Threads::Virtual));
    limited.settings.max_connections = Some(300);
    assert_eq!(settings(&limited, |_| ()).max_connections, Some(Limit::At(300)));
}

#[test]
#[ignore = "measured: ./test --all"]
fn quarkus_serves_page_and_pay_and_pays_by_virtual_threads() {
    serves("quarkus:3.33.2.1", THREE);
    if virtual_threads() {
        let spec = spec("quarkus:3.33.2.1", "pay", Some(Threads::Virtual));
        assert_eq!(settings(&spec, pays).virtual_threads, Some(Limit::None));
    }
}

#[test]
#[ignore = "measured: ./test --all"]
fn micronaut_serves_page_and_pay_and_pays_by_virtual_threads() {
    serves("micronaut:4.10.17", THREE);
    if virtual_threads() {
        let spec = spec("micronaut:4.10.17", "pay", Some(Threads::Virtual));
        assert_eq!(settings(&spec, pays).virtual_threads, Some(Limit::None));
    }
}

#[test]
#[ignore = "measured: ./test --all"]
fn vertx_compresses_without_encryption() {
    let mut spec = spec("vertx:5.1.6", "hello", None);
    spec.settings.properties = owned(&[("idleTimeout", "30"), ("compressionSupported", "true")]);
    settings(&spec, |_| ());
}
