//! Tomcat's connectors, plain and encrypted, in older and newer versions.

use crate::common::{GO_ON, jdk, site, spec_of};
use crate::connectors::{negotiated, run, with};
use crate::kinds::settings;
use crate::servers::up_and_down;
use ask::arm::settings::Settings;
use ask::arm::{Connector, TlsStack};
use record::outcome::Limit;
use sut::{Catalog, ServerSpec, tcnative};

#[test]
#[ignore = "measured: ./test --all"]
fn tomcat_9_starts_answers_and_stops() {
    up_and_down("9.0.95");
}

#[test]
#[ignore = "measured: ./test --all"]
fn apr_and_nio2_run_without_encryption() {
    let apr = run(&with("8.5.87", Connector::Apr, None), "http-apr");
    assert_eq!(apr.server.as_deref(), Some("Tomcat/8.5.87, assembled (donor 8.5.78)"));
    assert_eq!((apr.tls, apr.max_connections), (None, Some(Limit::At(8192))));
    run(&with("10.1.29", Connector::Nio2, None), "http-nio2");
}

#[test]
#[ignore = "measured: ./test --all"]
fn openssl_encrypts_by_tcnative() {
    let old = run(&with("9.0.12", Connector::Nio, Some(TlsStack::OpenSsl)), "https-openssl-nio");
    assert_eq!(old.server.as_deref(), Some("Tomcat/9.0.12"));
    assert_eq!(old.max_connections, Some(Limit::At(10_000)));
    // The installed tcnative may be too old for it: then one is built.
    let tls = negotiated(&with("11.0.24", Connector::Nio, Some(TlsStack::OpenSsl)), "https-openssl-nio");
    assert!(tls.contains("tcnative ") && tls.contains("OpenSSL 3."), "{tls}");
}

#[test]
#[ignore = "measured: ./test --all"]
fn openssl_encrypts_in_spring_boot_2_7() {
    let spec = spec_of("spring-boot-tomcat:2.7.18", "hello");
    let (catalog, jdk) = (Catalog::embedded(), jdk());
    let release = catalog.lookup("spring-boot-tomcat:2.7.18").expect("known");
    let request = tcnative::TcnativeRequest { release: &release, home: None, jdk: &jdk };
    let installed = match tcnative::tcnative(request, &site(), &GO_ON) {
        Ok(installed) => installed,
        Err(none) => {
            assert!(none.hint().is_some_and(|hint| hint.contains("libtcnative-1")), "{none}");
            return eprintln!("skipped: {none}");
        }
    };
    let spec = ServerSpec {
        settings: Settings { tls: Some(TlsStack::OpenSsl), ..Settings::default() },
        tcnative: Some(installed),
        ..spec
    };
    let effective = settings(&spec, |_| ());
    assert_eq!(effective.protocol_handler.as_deref(), Some("https-openssl-nio"));
    let tls = effective.tls.expect("encrypted");
    assert!(tls.starts_with("TLSv1.") && tls.contains("; tcnative 1."), "{tls}");
}
