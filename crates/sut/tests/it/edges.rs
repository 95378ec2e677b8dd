//! The rules of the catalog at the edges of their ranges, on the real releases: the first release that has something starts with
//! it, and the last one before does not. Of a rule whose edge was never released (9.0.92), the releases beside it are taken.
//!
//! They download dozens of releases, so they run only where that is asked for: `cargo test -p sut --test it -- --ignored edges::`.

use crate::common::{GO_ON, effective, java, site, spec_of, start};
use model::arm::{Connector, Threads, TlsStack};
use sut::{Catalog, ServerSpec, tcnative};

/// An edge of a rule.
struct Edge {
    /// The name of the server.
    server: &'static str,
    /// The last release that lacks something; empty where none of the releases that prony runs does.
    without: &'static str,
    /// The first release that has it.
    with: &'static str,
}

const fn edge(server: &'static str, without: &'static str, with: &'static str) -> Edge {
    Edge {
        server,
        without,
        with,
    }
}

/// The specification of a release on this Java, with what `ask` sets.
fn spec(server: &str, version: &str, release: u32, ask: fn(&mut ServerSpec)) -> ServerSpec {
    let name = format!("{server}:{version}");
    let mut spec = spec_of(&name, "hello");
    spec.jdk = java(release);
    ask(&mut spec);
    if spec.needs_tcnative() {
        let release = Catalog::embedded().lookup(&name).expect("prony runs it");
        let request = tcnative::TcnativeRequest {
            release: &release,
            home: spec.program.distribution(),
            jdk: &spec.jdk,
        };
        spec.tcnative = Some(tcnative::tcnative(request, &site(), &GO_ON).expect("installed or built"));
    }
    spec
}

/// Checks that the catalog and the releases agree on both sides of an edge.
fn check(edge: &Edge, release: u32, has: fn(&Catalog, &str) -> bool, ask: fn(&mut ServerSpec)) {
    let Edge {
        server,
        without,
        with,
    } = *edge;
    let catalog = Catalog::embedded();
    assert!(has(&catalog, &format!("{server}:{with}")), "{server}:{with}");
    let started = start(&spec(server, with, release, ask))
        .unwrap_or_else(|error| panic!("{server}:{with}: {error}: {:#?}", error.log()));
    started.stop().expect("stopped");
    if !without.is_empty() {
        assert!(
            !has(&catalog, &format!("{server}:{without}")),
            "{server}:{without}"
        );
        let started = start(&spec(server, without, release, ask));
        assert!(started.is_err(), "{server}:{without} has it, too");
    }
}

fn can_do(catalog: &Catalog, name: &str, can: fn(&model::ability::Ability) -> bool) -> bool {
    can(&catalog.lookup(name).expect("prony runs it").ability)
}

#[test]
#[ignore = "downloads many releases"]
fn virtual_threads_begin_where_the_catalog_says() {
    let has: fn(&Catalog, &str) -> bool =
        |catalog, name| can_do(catalog, name, |ability| ability.virtual_threads);
    for edge in [
        edge("tomcat", "8.5.89", "8.5.90"),
        edge("tomcat", "9.0.75", "9.0.76"),
        edge("tomcat", "10.1.9", "10.1.10"),
        edge("jetty", "10.0.15", "10.0.16"),
        edge("jetty", "11.0.15", "11.0.16"),
        edge("jetty", "12.0.0", "12.0.1"),
    ] {
        check(&edge, 25, has, |spec| {
            spec.settings.threads = Some(Threads::Virtual)
        });
    }
}

#[test]
#[ignore = "downloads many releases"]
fn openssl_by_ffm_begins_where_the_catalog_says() {
    let has: fn(&Catalog, &str) -> bool = |catalog, name| {
        can_do(catalog, name, |ability| {
            ability.tls.contains(&TlsStack::OpenSslFfm)
        })
    };
    for edge in [
        edge("tomcat", "9.0.91", "9.0.93"),
        edge("tomcat", "10.1.20", "10.1.23"),
    ] {
        check(&edge, 25, has, |spec| {
            spec.settings.tls = Some(TlsStack::OpenSslFfm)
        });
    }
}

#[test]
#[ignore = "downloads many releases"]
fn tomcats_connectors_begin_and_end_where_the_catalog_says() {
    let nio2: fn(&Catalog, &str) -> bool = |catalog, name| {
        can_do(catalog, name, |ability| {
            ability.connectors.contains(&Connector::Nio2)
        })
    };
    let ask: fn(&mut ServerSpec) = |spec| spec.settings.connector = Some(Connector::Nio2);
    check(&edge("tomcat", "7.0.109", "8.0.53"), 17, nio2, ask);
    let apr: fn(&Catalog, &str) -> bool = |catalog, name| {
        can_do(catalog, name, |ability| {
            ability.connectors.contains(&Connector::Apr)
        })
    };
    let ask: fn(&mut ServerSpec) = |spec| spec.settings.connector = Some(Connector::Apr);
    check(&edge("tomcat", "10.1.0", "10.0.27"), 17, apr, ask);
    let jsse: fn(&Catalog, &str) -> bool =
        |catalog, name| can_do(catalog, name, |ability| ability.tls.contains(&TlsStack::Jsse));
    let ask: fn(&mut ServerSpec) = |spec| spec.settings.tls = Some(TlsStack::Jsse);
    check(&edge("tomcat", "8.0.53", "8.5.61"), 17, jsse, ask);
}

#[test]
#[ignore = "downloads many releases"]
fn releases_start_on_the_java_that_the_catalog_says_and_not_on_an_older_one() {
    for (server, version, older) in [
        ("tomcat", "11.0.0", 11),
        ("jetty", "12.0.16", 11),
        ("spring-boot-tomcat", "3.0.13", 11),
        ("spring-boot-tomcat", "4.0.1", 11),
    ] {
        let least = Catalog::embedded()
            .release(server, version)
            .expect("prony runs it")
            .ability
            .java;
        let started = start(&spec(server, version, least, |_| ()));
        let started =
            started.unwrap_or_else(|error| panic!("{server}:{version}: {error}: {:#?}", error.log()));
        started.stop().expect("stopped");
        assert!(
            start(&spec(server, version, older, |_| ())).is_err(),
            "{server}:{version}"
        );
    }
}

/// The application is built for the Servlet API that the catalog names, so that a release starts with it only if that is right.
#[test]
#[ignore = "downloads many releases"]
fn the_servlet_api_changes_where_the_catalog_says() {
    for (release, tells) in [
        ("tomcat:7.0.109", "Tomcat/7.0.109"),
        ("tomcat:9.0.99", "Tomcat/9.0.99"),
        ("tomcat:10.0.27", "Tomcat/10.0.27"),
        ("jetty:9.4.57.v20241219", "Jetty/9.4.57.v20241219"),
        ("jetty:10.0.24", "Jetty/10.0.24"),
        ("jetty:11.0.24", "Jetty/11.0.24"),
        ("jetty:12.0.16", "Jetty/12.0.16"),
        ("undertow:2.2.37.Final", "Undertow/2.2.37.Final"),
        ("undertow:2.3.18.Final", "Undertow/2.3.18.Final"),
        ("spring-boot-tomcat:2.7.18", "Tomcat/9.0.83 in Spring Boot 2.7.18"),
        ("spring-boot-tomcat:3.5.6", "Tomcat/10.1.46 in Spring Boot 3.5.6"),
    ] {
        let (server, version) = release.split_once(':').expect("a version");
        let spec = spec(server, version, 17, |_| ());
        let server = start(&spec).unwrap_or_else(|error| panic!("{release}: {error}: {:#?}", error.log()));
        assert_eq!(effective(&server).server.as_deref(), Some(tells));
        server.stop().expect("stopped");
    }
}

/// Jetty's module that limits connections has another name from 12.1 on.
#[test]
#[ignore = "downloads many releases"]
fn connections_are_limited_by_the_module_that_the_catalog_says() {
    for version in ["9.4.57.v20241219", "11.0.24", "12.0.16", "12.1.12"] {
        let spec = spec("jetty", version, 17, |spec| {
            spec.settings.max_connections = Some(300)
        });
        let server = start(&spec).unwrap_or_else(|error| panic!("{version}: {error}: {:#?}", error.log()));
        server.stop().expect("stopped");
    }
}
