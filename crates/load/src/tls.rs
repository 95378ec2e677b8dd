//! TLS: [`TlsConfig`] is made from a plan and shared by all connections, [`TlsConnection`] is the TLS state of one
//! connection. Received bytes are passed in by the caller; ciphertext is sent through the port.
//!
//! Sessions are resumed whenever the server gave a ticket, if the plan allows it. Every handshake tells whether it
//! was a resumed one. Otherwise a comparison of servers could compare their ticket caches without anybody noticing.

mod trust;

use crate::pkcs12::{self, OpenedIdentity};
use crate::port::Port;
use crate::{Error, Fault, TlsFlaw};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustls::client::{ClientSessionStore, Resumption, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{
    ClientConfig, ClientConnection, HandshakeKind, NamedGroup, SupportedCipherSuite, SupportedProtocolVersion,
};
use std::io::{ErrorKind, Read, Write};
use std::sync::{Arc, Mutex};
use traffic::plan::{self, Http, Identity, TlsVersion};

/// The most session tickets that are kept. Servers send two or more with each full handshake.
const TICKETS: usize = 16 * 1024;
/// The name of HTTP/2 in the handshake.
const HTTP2: &[u8] = b"h2";

/// The TLS settings and the session cache of a plan.
#[derive(Debug)]
pub(crate) struct TlsConfig {
    config: Arc<ClientConfig>,
    /// The name that the server's certificate must have.
    name: ServerName<'static>,
}

impl TlsConfig {
    /// # Errors
    ///
    /// [`Error::BadTls`] says what is wrong with the plan's settings.
    pub(crate) fn new(tls: &plan::Tls, http: Http) -> Result<Self, Error> {
        let mut config = config_of(tls)?;
        config.alpn_protocols = match http {
            Http::One => vec![b"http/1.1".to_vec()],
            Http::Two { .. } => vec![HTTP2.to_vec()],
        };
        config.resumption = if tls.resume {
            Resumption::store(Arc::new(SessionCache::default()))
        } else {
            Resumption::disabled()
        };
        let name = ServerName::try_from(tls.server_name.clone())
            .map_err(|_| Error::BadTls(TlsFlaw::ServerName(tls.server_name.clone())))?;
        let config = Self { config: Arc::new(config), name };
        // The library seeds its random numbers for the first key of a process, which takes 40 ms. It is done here, so that
        // it does not count as time of the first handshake.
        config.new_connection().map_err(|_| Error::BadTls(TlsFlaw::NoHandshake))?;
        Ok(config)
    }

    /// The name that the server's certificate must have.
    pub(crate) fn server_name(&self) -> String {
        self.name.to_str().into_owned()
    }

    /// The TLS state for a new connection.
    pub(crate) fn new_connection(&self) -> Result<TlsConnection, Fault> {
        let connection = ClientConnection::new(Arc::clone(&self.config), self.name.clone());
        Ok(TlsConnection { state: Box::new(connection.map_err(|_| Fault::Tls)?), failure: None })
    }
}

/// The library's settings for a client that connects as a load does. Requests beside the load use them, too, so that one place decides which
/// certificates are accepted and shown.
pub fn client_config(tls: &plan::Tls) -> Result<ClientConfig, Error> {
    config_of(tls)
}

fn config_of(tls: &plan::Tls) -> Result<ClientConfig, Error> {
    let provider = Arc::new(provider(&tls.ciphers)?);
    let versions: &[&SupportedProtocolVersion] = match tls.version {
        None => rustls::ALL_VERSIONS,
        Some(TlsVersion::Tls12) => &[&rustls::version::TLS12],
        Some(TlsVersion::Tls13) => &[&rustls::version::TLS13],
    };
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(versions)
        .map_err(|error| Error::BadTls(TlsFlaw::Library(error.to_string())))?;
    let builder =
        builder.dangerous().with_custom_certificate_verifier(trust::verifier(&tls.trust, provider)?);
    let Some(identity) = &tls.identity else {
        return Ok(builder.with_no_client_auth());
    };
    let (chain, key) = opened(identity)?;
    builder
        .with_client_auth_cert(chain, key)
        .map_err(|error| Error::BadTls(TlsFlaw::NotAnIdentity(error.to_string())))
}

/// A client certificate with those that have signed it, and its key.
fn opened(identity: &Identity) -> Result<OpenedIdentity, Error> {
    let flaw = |error: pem::Error| Error::BadTls(TlsFlaw::NotAnIdentity(error.to_string()));
    match identity {
        Identity::Pem { chain, key } => {
            let chain = CertificateDer::pem_slice_iter(chain).collect::<Result<_, _>>().map_err(flaw)?;
            Ok((chain, PrivateKeyDer::from_pem_slice(key).map_err(flaw)?))
        }
        Identity::Pkcs12 { store, password } => {
            pkcs12::open(store, password).ok_or(Error::BadTls(TlsFlaw::NotAStore))
        }
    }
}

/// The library's cryptography with the cipher suites of these names.
fn provider(ciphers: &[String]) -> Result<CryptoProvider, Error> {
    let mut provider = aws_lc_rs::default_provider();
    if ciphers.is_empty() {
        return Ok(provider);
    }
    // The library calls `TLS_AES_128_GCM_SHA256` `TLS13_AES_128_GCM_SHA256`.
    let name = |suite: &SupportedCipherSuite| format!("{:?}", suite.suite()).replacen("TLS13_", "TLS_", 1);
    let known: Vec<String> = provider.cipher_suites.iter().map(name).collect();
    if let Some(unknown) = ciphers.iter().find(|cipher| !known.contains(cipher)) {
        return Err(Error::BadTls(TlsFlaw::UnknownCipher { name: unknown.clone(), known }));
    }
    provider.cipher_suites.retain(|suite| ciphers.contains(&name(suite)));
    Ok(provider)
}

/// The TLS state of one connection.
#[derive(Debug)]
pub(crate) struct TlsConnection {
    state: Box<ClientConnection>,
    /// Why nothing more can be received.
    failure: Option<rustls::Error>,
}

/// The result of [`TlsConnection::read`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decrypted {
    /// This number of bytes was read.
    Bytes(usize),
    /// There is nothing to read now.
    Nothing,
    /// The server announced that it sends no more (`close_notify`).
    Closed,
    /// The stream ended without such an announcement.
    CutOff,
}

impl TlsConnection {
    /// Whether the session was resumed; `None` while the handshake is under way.
    pub(crate) fn handshake_result(&self) -> Option<bool> {
        let done = !self.state.is_handshaking();
        done.then(|| self.state.handshake_kind() == Some(HandshakeKind::Resumed))
    }

    /// Whether the server has agreed to HTTP/2 in the handshake.
    pub(crate) fn speaks_http2(&self) -> bool {
        self.state.alpn_protocol() == Some(HTTP2)
    }

    /// Takes received bytes from the front of `ciphertext`, as many as the library has room for. What they decrypt to has to
    /// be read before more is passed in.
    pub(crate) fn receive(&mut self, ciphertext: &mut &[u8]) -> Result<(), Fault> {
        self.state.read_tls(ciphertext).map_err(|_| Fault::Tls)?;
        self.failure = self.state.process_new_packets().err();
        self.failure.as_ref().map_or(Ok(()), |_| Err(Fault::Tls))
    }

    /// Why nothing more can be received, in the words of the library: what it says of the certificate, or the alert of the server.
    pub(crate) fn failure(&self) -> Option<&rustls::Error> {
        self.failure.as_ref()
    }

    /// Reads decrypted bytes into a buffer.
    pub(crate) fn read(&mut self, into: &mut [u8]) -> Decrypted {
        match self.state.reader().read(into) {
            Ok(0) => Decrypted::Closed,
            Ok(length) => Decrypted::Bytes(length),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Decrypted::Nothing,
            Err(_) => Decrypted::CutOff,
        }
    }

    /// Encrypts and sends as much of `bytes` as there is room for; returns the number of bytes taken, 0 when there is no
    /// room now.
    pub(crate) fn send(&mut self, socket: &OwnedFd, bytes: &[u8]) -> Result<usize, Errno> {
        let taken = self.state.writer().write(bytes).unwrap_or(0);
        self.flush(socket)?;
        Ok(taken)
    }

    /// Sends the encrypted bytes that wait to be sent, as many as the socket takes.
    pub(crate) fn flush(&mut self, socket: &OwnedFd) -> Result<(), Errno> {
        while self.state.wants_write() {
            match self.state.write_tls(&mut Wire(socket)) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
            }
        }
        Ok(())
    }

    /// True when all bytes that [`TlsConnection::send`] has taken were sent.
    pub(crate) fn is_flushed(&self) -> bool {
        !self.state.wants_write()
    }

    /// Announces to the server that the connection ends. A server may forget the session of a client that does not.
    pub(crate) fn send_close_notify(&mut self, socket: &OwnedFd) {
        self.state.send_close_notify();
        self.flush(socket).ok();
    }
}

/// A socket to which the library writes ciphertext.
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

/// The sessions that can be resumed. The library's own store keeps eight tickets. Many connections that are opened for
/// every request would run out of these, and a random part of their handshakes would be full ones.
#[derive(Debug, Default)]
struct SessionCache(Mutex<CachedSessions>);

/// What the server gave in earlier handshakes.
#[derive(Debug, Default)]
struct CachedSessions {
    /// The key exchange group that the server chose.
    group: Option<NamedGroup>,
    /// The session of TLS 1.2.
    session: Option<Tls12ClientSessionValue>,
    /// The tickets of TLS 1.3; each is used once.
    tickets: Vec<Tls13ClientSessionValue>,
}

impl SessionCache {
    /// Locks the cache.
    fn cached(&self) -> std::sync::MutexGuard<'_, CachedSessions> {
        self.0.lock().expect("nothing panics with the lock held")
    }
}

impl ClientSessionStore for SessionCache {
    fn set_kx_hint(&self, _: ServerName<'static>, group: NamedGroup) {
        self.cached().group = Some(group);
    }

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        self.cached().group
    }

    fn set_tls12_session(&self, _: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.cached().session = Some(value);
    }

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.cached().session.clone()
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {
        self.cached().session = None;
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: Tls13ClientSessionValue) {
        let tickets = &mut self.cached().tickets;
        if tickets.len() < TICKETS {
            tickets.push(value);
        }
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.cached().tickets.pop()
    }
}
