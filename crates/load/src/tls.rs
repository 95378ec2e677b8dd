//! TLS, all of it: [`Config`] from a plan, [`Tls`] on a connection. Sans-I/O except that ciphertext goes out by the port.
//!
//! Sessions are resumed whenever the server gave a ticket; each handshake says which kind it was, so that a comparison of
//! servers is not one of their ticket caches unseen.

use crate::port::Port;
use crate::{Error, Fault};
use model::plan::{self, Trust};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{ClientSessionStore, Resumption, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, HandshakeKind, NamedGroup, RootCertStore,
    SignatureScheme,
};
use std::io::{ErrorKind, Read, Write};
use std::sync::{Arc, Mutex};

/// Tickets kept; servers send two or more with each full handshake.
const TICKETS: usize = 16 * 1024;

/// What all connections of a session share.
#[derive(Debug)]
pub(crate) struct Config {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl Config {
    pub(crate) fn new(tls: &plan::Tls) -> Result<Self, Error> {
        let bad = |reason: String| Error::BadTls(reason);
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| bad(error.to_string()))?;
        let builder = match &tls.trust {
            Trust::Anyone => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Anyone(provider))),
            Trust::Roots(pem) => builder.with_root_certificates(roots(pem)?),
        };
        let mut config = builder.with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        config.resumption = if tls.resume {
            Resumption::store(Arc::new(Sessions::default()))
        } else {
            Resumption::disabled()
        };
        let name = ServerName::try_from(tls.server_name.clone())
            .map_err(|_| bad(format!("`{}` is no name of a server", tls.server_name)))?;
        let config = Self {
            config: Arc::new(config),
            name,
        };
        // The first key of a process takes 40 ms, for the library seeds its random numbers then; that is no server's time.
        config
            .begin()
            .map_err(|_| bad("no handshake can be begun".to_owned()))?;
        Ok(config)
    }

    /// For a new connection.
    pub(crate) fn begin(&self) -> Result<Tls, Fault> {
        let connection = ClientConnection::new(Arc::clone(&self.config), self.name.clone());
        Ok(Tls(Box::new(connection.map_err(|_| Fault::Tls)?)))
    }
}

fn roots(pem: &[u8]) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| Error::BadTls(format!("not a CA file: {error}")))?;
        // A system's bundle holds some that this library refuses; a single bad one in a given file leaves none.
        roots.add(certificate).ok();
    }
    if roots.is_empty() {
        return Err(Error::BadTls(
            "there is no CA certificate to verify the server by".to_owned(),
        ));
    }
    Ok(roots)
}

/// The TLS side of one connection.
#[derive(Debug)]
pub(crate) struct Tls(Box<ClientConnection>);

/// What reading decrypted bytes came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plain {
    /// So many bytes.
    Bytes(usize),
    /// No more for now.
    Nothing,
    /// The server said that it will send no more.
    Closed,
    /// The stream ended without that word.
    CutOff,
}

impl Tls {
    /// `None` while the handshake goes on, then whether it was a resumed one.
    pub(crate) fn handshake(&self) -> Option<bool> {
        let done = !self.0.is_handshaking();
        done.then(|| self.0.handshake_kind() == Some(HandshakeKind::Resumed))
    }

    /// Takes ciphertext from the front of `wire`; the plaintext has to be read before more is given.
    pub(crate) fn take(&mut self, wire: &mut &[u8]) -> Result<(), Fault> {
        self.0.read_tls(wire).map_err(|_| Fault::Tls)?;
        self.0.process_new_packets().map_err(|_| Fault::Tls)?;
        Ok(())
    }

    /// Reads decrypted bytes.
    pub(crate) fn read(&mut self, into: &mut [u8]) -> Plain {
        match self.0.reader().read(into) {
            Ok(0) => Plain::Closed,
            Ok(length) => Plain::Bytes(length),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Plain::Nothing,
            Err(_) => Plain::CutOff,
        }
    }

    /// Encrypts and sends as much of `bytes` as there is room for; zero when there is none now.
    pub(crate) fn send(&mut self, socket: &OwnedFd, bytes: &[u8]) -> Result<usize, Errno> {
        let taken = self.0.writer().write(bytes).unwrap_or(0);
        self.flush(socket)?;
        Ok(taken)
    }

    /// Sends what is encrypted as far as the socket takes it.
    pub(crate) fn flush(&mut self, socket: &OwnedFd) -> Result<(), Errno> {
        while self.0.wants_write() {
            match self.0.write_tls(&mut Wire(socket)) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
            }
        }
        Ok(())
    }

    /// Whether all that was given to [`Tls::send`] has left.
    pub(crate) fn flushed(&self) -> bool {
        !self.0.wants_write()
    }

    /// Tells the server that no more is asked: it may drop the session of who goes without a word.
    pub(crate) fn close(&mut self, socket: &OwnedFd) {
        self.0.send_close_notify();
        self.flush(socket).ok();
    }
}

/// A socket as ciphertext leaves by it.
struct Wire<'a>(&'a OwnedFd);

impl Write for Wire<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match Port::send(self.0, bytes)? {
            0 => Err(ErrorKind::WouldBlock.into()),
            sent => Ok(sent),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Sessions to resume. The library's own store keeps eight tickets, and a connection per request on many connections
/// would run out of them and measure full handshakes at random.
#[derive(Debug, Default)]
struct Sessions(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    group: Option<NamedGroup>,
    session: Option<Tls12ClientSessionValue>,
    tickets: Vec<Tls13ClientSessionValue>,
}

impl Sessions {
    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0.lock().expect("nothing panics with the lock held")
    }
}

impl ClientSessionStore for Sessions {
    fn set_kx_hint(&self, _: ServerName<'static>, group: NamedGroup) {
        self.kept().group = Some(group);
    }

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        self.kept().group
    }

    fn set_tls12_session(&self, _: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.kept().session = Some(value);
    }

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.kept().session.clone()
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {
        self.kept().session = None;
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: Tls13ClientSessionValue) {
        let tickets = &mut self.kept().tickets;
        if tickets.len() < TICKETS {
            tickets.push(value);
        }
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.kept().tickets.pop()
    }
}

/// Accepts every certificate, but still checks that the server holds its key: the work of a handshake stays the same.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
