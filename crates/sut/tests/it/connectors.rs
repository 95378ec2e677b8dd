//! Tomcat's connectors: each is checked by the name that the server logs. More of them are in `measured::connectors`.

use crate::common::{GO_ON, effective, java, site, spec, start};
use ask::arm::{Connector, TlsStack};
use record::outcome::Effective;
use sut::{Catalog, Error, ServerSpec, tcnative};

pub(crate) fn with(version: &str, connector: Connector, tls: Option<TlsStack>) -> ServerSpec {
    let mut spec = spec(version);
    spec.settings.connector = Some(connector);
    spec.settings.tls = tls;
    if spec.needs_tcnative() {
        let catalog = Catalog::embedded();
        let release = catalog.release("tomcat", version).expect("known");
        let request = tcnative::TcnativeRequest {
            release: &release,
            home: spec.program.distribution(),
            jdk: &spec.jdk,
        };
        let library = tcnative::tcnative(request, &site(), &GO_ON);
        spec.tcnative = Some(library.expect("installed or built"));
    }
    spec
}

/// Starts and stops a server, and checks that it runs this connector.
#[track_caller]
pub(crate) fn run(spec: &ServerSpec, handler: &str) -> Effective {
    let server = start(spec).unwrap_or_else(|error| panic!("{handler}: {error}\n{:#?}", error.log()));
    let effective = effective(&server);
    assert_eq!(effective.protocol_handler.as_deref(), Some(handler));
    assert_eq!(effective.max_threads, Some(200), "the MBean of this connector was found");
    assert_eq!(server.certificate().is_some(), handler.starts_with("https"));
    server.stop().expect("stopped");
    effective
}

#[track_caller]
pub(crate) fn negotiated(spec: &ServerSpec, handler: &str) -> String {
    run(spec, handler).tls.expect("encrypted")
}

#[test]
fn apr_encrypts_on_an_assembled_tomcat() {
    let encrypted = run(&with("9.0.94", Connector::Apr, Some(TlsStack::OpenSsl)), "https-openssl-apr");
    assert_eq!(encrypted.server.as_deref(), Some("Tomcat/9.0.94, assembled (donor 9.0.93)"));
    let tls = encrypted.tls.expect("encrypted");
    assert!(tls.starts_with("TLSv1.") && tls.contains("tcnative 1."), "{tls}");
}

#[test]
fn openssl_encrypts_by_ffm() {
    let mut ffm = with("11.0.24", Connector::Nio, Some(TlsStack::OpenSslFfm));
    ffm.jdk = java(25);
    let tls = negotiated(&ffm, "https-opensslffm-nio");
    assert!(!tls.contains("tcnative") && tls.contains("OpenSSL 3."), "{tls}");
}

#[test]
fn a_connector_without_its_library_is_an_error() {
    let mut spec = with("9.0.95", Connector::Apr, None);
    spec.tcnative = None;
    let error = start(&spec).expect_err("no library");
    assert!(matches!(error, Error::Refused { .. }), "{error}: {:#?}", error.log());
}
