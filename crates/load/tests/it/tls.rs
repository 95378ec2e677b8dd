//! TLS, against a server that uses the same library: handshakes are counted by kind, and certificates are verified if the
//! plan says so.

use crate::{millis, patiently, run, window};
use load::{Fault, RequestBuilder, Session, Slice, Url};
use model::units::Nanos;
use rcgen::{BasicConstraints, CertificateParams, CertifiedKey as CertifiedKeyPair, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{ServerConfig, WebPkiClientVerifier};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{RootCertStore, ServerConnection, Stream, SupportedProtocolVersion};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use traffic::plan::{Arrivals, Identity, Plan, Reuse, Target, Tls, TlsVersion, Trust, Users};
use traffic::scenario::StepFailure;

type Made = CertifiedKeyPair<KeyPair>;

fn made() -> Made {
    rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap()
}

/// A certificate that signs itself and says that it is an authority, as `openssl req -x509` makes them.
fn authority() -> Made {
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let signing_key = KeyPair::generate().unwrap();
    Made { cert: params.self_signed(&signing_key).unwrap(), signing_key }
}

/// A server with a self-signed certificate. Each of its threads ends with its connection; the listener ends with the test.
pub(super) struct TlsServer {
    pub(super) address: SocketAddr,
    /// The certificate as PEM.
    certificate: String,
}

impl TlsServer {
    /// Starts a server that sends the same bytes to every request.
    pub(super) fn start(versions: &[&'static SupportedProtocolVersion], answer: Vec<u8>) -> Self {
        let made = made();
        Self::with_key_of(&made, &made, versions, answer)
    }

    /// Shows the certificate of `shown` and signs with the key of `signing`.
    fn with_key_of(
        shown: &Made,
        signing: &Made,
        versions: &[&'static SupportedProtocolVersion],
        answer: Vec<u8>,
    ) -> Self {
        Self::with(shown, signing, versions, answer, None)
    }

    /// Takes clients that show this certificate, and no others.
    fn asking_for(client: &Made) -> Self {
        let made = made();
        Self::with(&made, &made, BOTH, hello(), Some(client))
    }

    fn with(
        shown: &Made,
        signing: &Made,
        versions: &[&'static SupportedProtocolVersion],
        answer: Vec<u8>,
        client: Option<&Made>,
    ) -> Self {
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing.signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let key = provider.key_provider.load_private_key(key).unwrap();
        let shows = SingleCertAndKey::from(CertifiedKey::new(vec![shown.cert.der().clone()], key));
        let builder =
            ServerConfig::builder_with_provider(Arc::clone(&provider)).with_protocol_versions(versions);
        let builder = builder.unwrap();
        let builder = match client {
            None => builder.with_no_client_auth(),
            Some(client) => {
                let mut roots = RootCertStore::empty();
                roots.add(client.cert.der().clone()).unwrap();
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let config = builder.with_cert_resolver(Arc::new(shows));
        let (config, answer) = (Arc::new(config), Arc::new(answer));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let (config, answer) = (Arc::clone(&config), Arc::clone(&answer));
                std::thread::spawn(move || serve(socket, config, &answer));
            }
        });
        Self { address, certificate: shown.cert.pem() }
    }

    pub(super) fn plan(&self, users: usize, tls: Tls) -> Plan {
        let url = Url::parse(&format!("https://{}/", self.address)).unwrap();
        let request = RequestBuilder::new(&url).expect_status(200..=200).build().unwrap();
        Plan { tls: Some(tls), ..Plan::new(self.address, vec![request], Arrivals::Closed { users }) }
    }

    /// The TLS settings of a plan, with the certificates to trust as PEM.
    pub(super) fn tls(&self, ca_file: Option<&str>) -> Tls {
        let ca_file = ca_file.map(|text| text.as_bytes().to_vec());
        Tls::new("localhost", &Target::Tcp(self.address), ca_file)
    }
}

/// Sends the same bytes for each request head until something fails.
fn serve(mut socket: TcpStream, config: Arc<ServerConfig>, answer: &[u8]) -> Option<()> {
    socket.set_nodelay(true).ok()?;
    let mut connection = ServerConnection::new(config).ok()?;
    let mut incoming = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let mut stream = Stream::new(&mut connection, &mut socket);
        let length = stream.read(&mut buffer).ok().filter(|&length| length > 0)?;
        incoming.extend_from_slice(&buffer[..length]);
        while let Some(end) = incoming.windows(4).position(|window| window == b"\r\n\r\n") {
            incoming.drain(..end + 4);
            stream.write_all(answer).ok()?;
        }
    }
}

fn hello() -> Vec<u8> {
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".to_vec()
}

pub(super) const BOTH: &[&SupportedProtocolVersion] = &[&rustls::version::TLS13, &rustls::version::TLS12];

/// The numbers of full and of resumed handshakes.
fn handshakes(slice: &Slice) -> (u64, u64) {
    (slice.tls_full, slice.tls_resumed)
}

#[test]
fn requests_share_the_connections_that_are_kept_open() {
    patiently(|| {
        let server = TlsServer::start(BOTH, hello());
        let plan = Plan { limit: Some(500), ..server.plan(4, server.tls(None)) };
        let slice = run(plan, window(0, 60_000));
        assert_eq!((slice.ok, slice.faults.total()), (500, 0));
        assert_eq!((slice.connects, slice.tls_full + slice.tls_resumed), (4, 4));
        assert_eq!(slice.tls.len(), 4);
        assert!(millis(&slice.tls, 0.5) > millis(&slice.connect, 0.5));
    });
}

#[test]
fn pipelined_responses_in_one_record_are_separated() {
    let server = TlsServer::start(BOTH, hello());
    let plan = Plan { limit: Some(500), pipeline: 16, ..server.plan(4, server.tls(None)) };
    let slice = run(plan, window(0, 60_000));
    assert_eq!((slice.ok, slice.faults.total()), (500, 0));
    assert_eq!((slice.service.len(), slice.connects), (500, 4));
}

#[test]
fn sessions_are_resumed_if_the_plan_says_so() {
    for version in BOTH {
        let server = TlsServer::start(&[version], hello());
        for resume in [true, false] {
            let plan = Plan {
                limit: Some(20),
                reuse: Reuse::Never,
                ..server.plan(1, Tls { resume, ..server.tls(None) })
            };
            let slice = run(plan, window(0, 60_000));
            assert_eq!((slice.ok, slice.connects), (20, 20), "{:?}", slice.faults);
            let expected = if resume { (1, 19) } else { (20, 0) };
            assert_eq!(handshakes(&slice), expected, "{version:?}");
        }
    }
}

#[test]
fn certificates_are_verified_if_a_ca_file_is_given() {
    let server = TlsServer::start(BOTH, hello());
    let other = TlsServer::start(BOTH, hello());
    let limited = |tls| Plan { limit: Some(2), ..server.plan(1, tls) };
    assert_eq!(run(limited(server.tls(Some(&server.certificate))), window(0, 60_000)).ok, 2);
    let wrong_authority = run(limited(server.tls(Some(&other.certificate))), window(0, 60_000));
    assert_eq!(wrong_authority.faults.count(Fault::Tls), 2);
    let wrong_name = Tls { server_name: "example.org".to_owned(), ..server.tls(Some(&server.certificate)) };
    let wrong_name = run(limited(wrong_name), window(0, 60_000));
    assert_eq!(wrong_name.faults.count(Fault::Tls), 2);
    let why = |slice: &Slice| slice.first_failure().map(|first| first.why.clone());
    let told = [why(&wrong_authority), why(&wrong_name)].map(|why| match why {
        Some(StepFailure::Tls(text)) => text,
        other => panic!("{other:?}"),
    });
    assert!(told[0].contains("invalid peer certificate") && told[1].contains("example.org"), "{told:?}");
}

#[test]
fn an_authority_that_is_trusted_may_be_the_certificate_of_a_server() {
    let (own, other) = (authority(), authority());
    let server = TlsServer::with_key_of(&own, &own, BOTH, hello());
    let right = |tls| run(Plan { limit: Some(2), ..server.plan(1, tls) }, window(0, 60_000)).ok;
    let trusted = server.tls(Some(&own.cert.pem()));
    assert_eq!(right(trusted.clone()), 2);
    assert_eq!(right(server.tls(Some(&other.cert.pem()))), 0, "another one of this name");
    assert_eq!(right(Tls { server_name: "example.org".to_owned(), ..trusted }), 0, "another server");
}

#[test]
fn a_server_that_asks_for_a_certificate_gets_the_one_of_the_plan() {
    let (client, stranger) = (made(), made());
    let server = TlsServer::asking_for(&client);
    let shown = |made: &Made| {
        let identity = Identity::Pem {
            chain: made.cert.pem().into_bytes(),
            key: made.signing_key.serialize_pem().into_bytes(),
        };
        let tls = Tls { identity: Some(identity), ..server.tls(None) };
        run(Plan { limit: Some(2), ..server.plan(1, tls) }, window(0, 60_000))
    };
    let (right, wrong) = (shown(&client), shown(&stranger));
    assert_eq!((right.ok, right.faults.total()), (2, 0), "{:?}", right.faults);
    assert_eq!(wrong.ok, 0);
    let none = run(Plan { limit: Some(2), ..server.plan(1, server.tls(None)) }, window(0, 60_000));
    assert_eq!(none.ok, 0);
    let broken = Identity::Pem { chain: client.cert.pem().into_bytes(), key: b"no key".to_vec() };
    let plan = server.plan(1, Tls { identity: Some(broken), ..server.tls(None) });
    assert!(Session::open(plan).is_err_and(|error| error.to_string().contains("client certificate")));
}

#[test]
fn the_plan_chooses_version_and_ciphers() {
    let old = TlsServer::start(&[&rustls::version::TLS12], hello());
    let with = |version, ciphers: &[&str]| {
        let ciphers = ciphers.iter().map(|name| (*name).to_owned()).collect();
        let tls = Tls { version, ciphers, ..old.tls(None) };
        Plan { limit: Some(2), ..old.plan(1, tls) }
    };
    let ecdsa = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
    assert_eq!(run(with(Some(TlsVersion::Tls12), &[ecdsa]), window(0, 60_000)).ok, 2);
    assert_eq!(run(with(Some(TlsVersion::Tls13), &[]), window(0, 60_000)).ok, 0);
    assert_eq!(run(with(None, &["TLS_AES_128_GCM_SHA256"]), window(0, 60_000)).ok, 0, "one of TLS 1.3 alone");
    let unknown = Session::open(with(None, &["TLS_ROT13"])).expect_err("refused").to_string();
    assert!(unknown.contains("TLS_ROT13") && unknown.contains("TLS_AES_256_GCM_SHA384"), "{unknown}");
}

#[test]
fn a_server_has_to_hold_the_key_of_its_certificate_even_where_any_is_accepted() {
    for version in BOTH {
        let (shown, signing) = (made(), made());
        let server = TlsServer::with_key_of(&shown, &signing, &[version], hello());
        let tls = server.tls(None);
        assert_eq!(tls.trust, Trust::Anyone);
        let plan = Plan { limit: Some(2), ..server.plan(1, tls) };
        let slice = run(plan, window(0, 60_000));
        assert_eq!((slice.ok, slice.faults.count(Fault::Tls)), (0, 2), "{version:?}");
    }
}

#[test]
fn servers_beyond_this_machine_are_verified_by_default() {
    let far: SocketAddr = "192.0.2.1:443".parse().unwrap();
    let tls = Tls::new("example.org", &Target::Tcp(far), None);
    let server = TlsServer::start(BOTH, hello());
    let plan = Plan { limit: Some(2), ..server.plan(1, tls) };
    match Session::open(plan.clone()) {
        // A self-signed certificate is of none of this machine's authorities.
        Ok(_) => assert_eq!(run(plan, window(0, 60_000)).faults.count(Fault::Tls), 2),
        Err(error) => assert!(error.to_string().contains("no CA certificate"), "{error}"),
    }
}

#[test]
fn large_bodies_are_decrypted() {
    let length = 3_000_000;
    let mut answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n").into_bytes();
    answer.resize(answer.len() + length, b'x');
    let server = TlsServer::start(BOTH, answer);
    let mut plan = server.plan(2, server.tls(None));
    plan.requests[0].body = Some(vec![b'x'; length]);
    plan.limit = Some(6);
    let slice = run(plan, window(0, 60_000));
    assert_eq!((slice.ok, slice.faults.total()), (6, 0), "{:?}", slice.faults);
    assert!(slice.bytes > 18_000_000);
}

#[test]
fn tickets_that_arrive_while_a_user_thinks_do_not_end_the_connection() {
    let server = TlsServer::start(BOTH, hello());
    let users = Users {
        think: traffic::plan::Think::Constant(Nanos::from_millis(20)),
        iterations: Some(4),
        ..Users::default()
    };
    let slice = run(Plan { users, ..server.plan(2, server.tls(None)) }, window(0, 60_000));
    assert_eq!((slice.ok, slice.connects), (8, 2));
}

#[test]
fn a_server_that_does_not_answer_the_handshake_causes_a_connect_timeout() {
    let server = testkit::ScriptedServer::start(testkit::Script::new(testkit::Reply::garbage())).unwrap();
    let url = Url::parse(&server.address().to_string()).unwrap();
    let plan = Plan {
        tls: Some(Tls::new("localhost", &Target::Tcp(server.address()), None)),
        limit: Some(2),
        connect_timeout: Nanos::from_millis(300),
        ..Plan::new(
            server.address(),
            vec![RequestBuilder::new(&url).build().unwrap()],
            Arrivals::Closed { users: 1 },
        )
    };
    // The scripted server speaks no TLS: it waits for the end of a request head, which never comes.
    let slice = run(plan, window(0, 60_000));
    assert_eq!(slice.faults.count(Fault::ConnectTimeout), 2, "{:?}", slice.faults);
    let (address, most) = (server.address().to_string(), Nanos::from_millis(300));
    let why = slice.first_failure().map(|first| first.why.clone());
    assert_eq!(why, Some(StepFailure::ConnectTooSlow { address, most }));
}
