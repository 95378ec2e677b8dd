//! [`Upstream`]: connections to the servers that a client asks for.

use hyper::body::Incoming;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use import::Address;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use traffic::plan::{Target, Tls, Trust};

use http_body_util::Full;
use hyper::body::Bytes;

/// The longest time for connecting.
const CONNECT: Duration = Duration::from_secs(10);

/// How servers are reached.
#[derive(Clone, Debug)]
pub(crate) struct Upstream {
    /// Whether any certificate is accepted.
    pub(crate) accepts_any: bool,
}

/// A stream with or without TLS.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

impl Upstream {
    /// Connects to a server, given as `host:port`.
    pub(crate) async fn connect(&self, server: &str) -> io::Result<TcpStream> {
        let connect = TcpStream::connect(server.to_owned());
        let stream = tokio::time::timeout(CONNECT, connect).await;
        stream.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
    }

    /// Sends a request and returns the head of the answer.
    pub(crate) async fn send(
        &self,
        address: &Address,
        request: Request<Full<Bytes>>,
    ) -> io::Result<Response<Incoming>> {
        let is_tls = address.scheme == "https";
        let server = with_port(&address.host, if is_tls { 443 } else { 80 });
        let tcp = self.connect(&server).await?;
        let stream: Box<dyn Stream> = match is_tls {
            true => Box::new(self.encrypt(host_of(&server), tcp).await?),
            false => Box::new(tcp),
        };
        let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
            .preserve_header_case(true)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(io::Error::other)?;
        tokio::spawn(connection);
        sender.send_request(request).await.map_err(io::Error::other)
    }

    /// Begins TLS. Whom a load trusts is trusted here, too.
    async fn encrypt(&self, host: &str, tcp: TcpStream) -> io::Result<impl Stream + use<>> {
        let peer: SocketAddr = tcp.peer_addr()?;
        let trust = match self.accepts_any {
            true => Trust::Anyone,
            false => Tls::new(host, &Target::Tcp(peer), None).trust,
        };
        let trust = match trust {
            Trust::Roots(pem) if pem.is_empty() => Trust::Roots(system_roots()?),
            trust => trust,
        };
        let config =
            load::client_config(&Tls { trust, ..Tls::accepting_anyone(host) }).map_err(io::Error::other)?;
        let name = rustls::pki_types::ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        TlsConnector::from(Arc::new(config)).connect(name, tcp).await
    }
}

/// Returns the certificate authorities that this system trusts.
fn system_roots() -> io::Result<Vec<u8>> {
    const BUNDLES: [&str; 3] =
        ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];
    let there = BUNDLES.iter().find(|path| std::path::Path::new(path).exists());
    std::fs::read(there.unwrap_or(&BUNDLES[0]))
}

/// Returns `host:port`.
pub(super) fn with_port(host: &str, usual: u16) -> String {
    let behind_bracket = host.rsplit(']').next().unwrap_or(host);
    match behind_bracket.contains(':') {
        true => host.to_owned(),
        false => format!("{host}:{usual}"),
    }
}

/// Returns the host of `host:port`, without the brackets of IPv6.
pub(super) fn host_of(server: &str) -> &str {
    let host = server.rsplit_once(':').map_or(server, |(host, _)| host);
    host.trim_start_matches('[').trim_end_matches(']')
}
