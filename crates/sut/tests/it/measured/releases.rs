//! Every release in `docs/guide/servers.md`. One test for each server, because they download and build dozens of releases.

mod edges;

use crate::common::{effective, java, spec_of, start};
use crate::guide::rows;

/// Starts each release of a server in the guide on the Java beside it, and checks what its log calls it.
fn start_releases_of(name: &str) {
    let of_server = |server: &str| server.split(':').next() == Some(name);
    let rows = rows().into_iter().filter(|row| of_server(&row.server));
    let mut count = 0;
    for row in rows {
        let server = &row.server;
        let mut spec = spec_of(server, "hello");
        spec.jdk = java(row.java);
        let running = start(&spec).unwrap_or_else(|error| panic!("{server}: {error}: {:#?}", error.log()));
        let told = effective(&running).server.unwrap_or_default();
        eprintln!("{server} started on Java {}: {told}", spec.jdk.version);
        assert!(told.starts_with(&row.name), "{server} calls itself {told}");
        running.stop().expect("stopped");
        count += 1;
    }
    assert!(count > 0, "the guide has no {name}");
}

#[test]
#[ignore = "measured: ./test --all"]
fn every_tomcat_of_the_guide_starts_on_its_java() {
    start_releases_of("tomcat");
}

#[test]
#[ignore = "measured: ./test --all"]
fn every_jetty_of_the_guide_starts_on_its_java() {
    start_releases_of("jetty");
}

#[test]
#[ignore = "measured: ./test --all"]
fn every_spring_boot_tomcat_of_the_guide_starts_on_its_java() {
    start_releases_of("spring-boot-tomcat");
}

#[test]
#[ignore = "measured: ./test --all"]
fn every_spring_boot_jetty_of_the_guide_starts_on_its_java() {
    start_releases_of("spring-boot-jetty");
}

#[test]
#[ignore = "measured: ./test --all"]
fn every_spring_boot_undertow_of_the_guide_starts_on_its_java() {
    start_releases_of("spring-boot-undertow");
}

#[test]
#[ignore = "measured: ./test --all"]
fn every_spring_boot_netty_of_the_guide_starts_on_its_java() {
    start_releases_of("spring-boot-netty");
}

#[test]
#[ignore = "measured: ./test --all"]
fn every_server_of_the_guide_that_needs_no_code_starts_on_its_java() {
    for kind in ask::kind::rows() {
        start_releases_of(kind.name);
    }
}
