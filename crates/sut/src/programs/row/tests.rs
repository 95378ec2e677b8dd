//! What the rows of the catalog make of settings and of logs.

use super::*;
use crate::files::work::WorkFolder;
use ask::arm::TlsStack;
use std::net::Ipv4Addr;

fn program(name: &str) -> RowProgram {
    let Some(Kind::Row(kind)) = Kind::named(name) else {
        panic!("{name} is no row");
    };
    RowProgram { kind, path: "/a".into() }
}

/// The settings that a server on port 8123 is started with, as NAME=VALUE.
fn given(name: &str, settings: &Settings, certificate: Option<&Certificate>) -> Vec<String> {
    let all = program(name).settings(settings, ([127, 0, 0, 1], 8123).into(), certificate);
    all.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
}

#[test]
fn settings_get_their_names_on_the_server() {
    let settings = Settings {
        threads: Some(Threads::Platform(2)),
        accept_count: Some(10),
        max_connections: Some(300),
        ..Settings::default()
    };
    for (name, expected) in [
        ("undertow", vec!["port=8123", "threads=2", "accept-queue=10", "max-connections=300"]),
        ("vertx", vec!["port=8123", "instances=2", "acceptBacklog=10"]),
        (
            "micronaut",
            vec![
                "micronaut.server.host=127.0.0.1",
                "micronaut.server.port=8123",
                "micronaut.netty.event-loops.default.num-threads=2",
                "micronaut.server.netty.options.SO_BACKLOG=10",
            ],
        ),
        (
            "quarkus",
            vec![
                "quarkus.http.host=127.0.0.1",
                "quarkus.http.port=8123",
                "quarkus.thread-pool.max-threads=2",
                "quarkus.http.accept-backlog=10",
                "quarkus.http.limits.max-connections=300",
            ],
        ),
    ] {
        assert_eq!(given(name, &settings, None), expected);
    }
    let helidon = given("helidon", &settings, None);
    assert_eq!(helidon[1], "server.port=8123");
    assert_eq!(helidon[3..], ["server.backlog=10", "server.max-tcp-connections=300"]);
}

#[test]
fn virtual_threads_another_address_and_the_arms_own_properties_are_given() {
    let mut settings = Settings { threads: Some(Threads::Virtual), ..Settings::default() };
    assert_eq!(given("undertow", &settings, None), ["port=8123", "threads=virtual"]);
    let micronaut = given("micronaut", &settings, None);
    assert_eq!(micronaut[2], "micronaut.server.thread-selection=blocking");
    let away = program("vertx").settings(&settings, ([10, 0, 0, 1], 80).into(), None);
    assert_eq!(away[1], ("host".to_owned(), "10.0.0.1".to_owned()));
    settings.accept_count = Some(10);
    settings.properties.insert("acceptBacklog".to_owned(), "20".to_owned());
    let own = given("vertx", &settings, None);
    assert_eq!(own, ["port=8123", "acceptBacklog=20"], "the arm's own property replaces ours");
}

#[test]
fn every_row_fills_its_placeholders() {
    let cache = tempfile::tempdir().expect("a folder");
    let work = WorkFolder::create(cache.path(), 0).expect("made");
    let certificate = Certificate::make(&work, Ipv4Addr::LOCALHOST.into()).expect("made");
    for kind in ask::kind::rows() {
        for certificate in [None, Some(&certificate)] {
            for setting in given(kind.name, &Settings::default(), certificate) {
                assert!(!setting.contains(['{', '}']), "{}: {setting}", kind.name);
            }
        }
    }
}

/// A log of each kind that speaks HTTPS, and the name and version in it.
const LOGS: [(&str, &str, &str); 5] = [
    (
        "undertow",
        "INFO: starting server: Undertow - 2.3.26.Final\nprony: listens for https\nprony: everything is deployed\n",
        "Undertow/2.3.26.Final",
    ),
    (
        "vertx",
        "prony: runs Vert.x 5.0.4 with 1 instances of the verticle\nprony: listens for https\nprony: everything is deployed\n",
        "Vert.x/5.0.4",
    ),
    (
        "helidon",
        "INFO: Helidon SE 4.3.0 features: [Config, WebServer]\nprony: listens for https\nprony: everything is deployed\n",
        "Helidon/4.3.0",
    ),
    (
        "quarkus",
        "INFO  [io.quarkus] (main) hello 1 on JVM (powered by Quarkus 3.15.1) started in 0.9s. Listening on: https://127.0.0.1:8123\n",
        "Quarkus/3.15.1",
    ),
    (
        "micronaut",
        "prony: runs Micronaut 4.7.1\nINFO - Startup completed in 612ms. Server Running: https://127.0.0.1:8123\n",
        "Micronaut/4.7.1",
    ),
];

#[test]
fn a_log_shows_what_runs_and_that_it_is_up() {
    let encrypted = Settings { tls: Some(TlsStack::Jsse), ..Settings::default() };
    for (name, log, server) in LOGS {
        let program = program(name);
        let effective = program.effective(log);
        assert_eq!(effective.server.as_deref(), Some(server));
        assert_eq!(effective.protocol_handler.as_deref(), Some("https"), "{name}");
        assert_eq!(log.lines().filter(|line| program.is_up(line)).count(), 1, "{name}");
        program.check("server:1", &encrypted, log).expect("as asked for");
        let unasked = program.check("server:1", &Settings::default(), log);
        let expected = "server:1 runs `https` and not `http`, which was asked for";
        assert_eq!(unasked.expect_err("it encrypts unasked").to_string(), expected);
        assert!(program.check("server:1", &encrypted, "").is_err(), "nothing proves it");
    }
}

#[test]
fn a_log_shows_the_limits_and_the_threads() {
    let log = "prony: most requests at a time: -1\nprony: most connections: 300\n";
    let helidon = program("helidon").effective(log);
    assert_eq!(helidon.virtual_threads, Some(Limit::None));
    assert_eq!(helidon.max_connections, Some(Limit::At(300)));
    let served = "prony: requests are served by java.util.concurrent.ThreadPerTaskExecutor\n";
    assert_eq!(program("undertow").effective(served).virtual_threads, Some(Limit::None));
    assert_eq!(program("undertow").effective("").virtual_threads, None);
}

#[test]
fn a_log_shows_why_a_start_failed() {
    let taken = "ERROR (main) Port 8123 seems to be in use by another process.";
    assert_eq!(program("quarkus").trouble(taken), Some(Trouble::PortTaken));
    for (name, line) in [
        ("undertow", "Exception in thread \"main\" java.lang.IllegalArgumentException"),
        (
            "micronaut",
            "ERROR io.micronaut.runtime.Micronaut - Error starting Micronaut server: Unexpected error",
        ),
        ("quarkus", "ERROR [io.quarkus.runtime.Application] Failed to start application"),
    ] {
        assert_eq!(program(name).trouble(line), Some(Trouble::Failed), "{name}");
        assert_eq!(program(name).trouble("INFO fine"), None);
    }
}

#[test]
fn a_program_goes_to_another_host_and_back() {
    let sent = serde_json::to_string(&program("helidon")).expect("JSON");
    assert_eq!(sent, r#"{"kind":"helidon","path":"/a"}"#);
    let back: RowProgram = serde_json::from_str(&sent).expect("a program");
    assert_eq!(back, program("helidon"));
}
