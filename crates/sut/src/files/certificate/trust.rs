//! [`TlsTrust`]: which certificates the readiness check accepts.

use rustls::client::ClientConnection;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;

/// The TLS client settings with which a server on this machine is asked: they decide which certificates are accepted.
#[derive(Clone, Debug)]
pub(crate) struct TlsTrust(Arc<ClientConfig>);

impl TlsTrust {
    /// Accepts this certificate only.
    pub(crate) fn only(certificate: &CertificateDer<'_>) -> io::Result<Self> {
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone().into_owned()).map_err(io::Error::other)?;
        let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?;
        Ok(builder.with_root_certificates(roots).with_no_client_auth().into())
    }

    /// A new TLS connection to 127.0.0.1 with these settings.
    pub(crate) fn connection(&self) -> io::Result<ClientConnection> {
        self.connection_to(&Ipv4Addr::LOCALHOST.to_string())
    }

    /// A new TLS connection to a server whose certificate must have this name or address.
    pub(crate) fn connection_to(&self, host: &str) -> io::Result<ClientConnection> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        ClientConnection::new(Arc::clone(&self.0), name).map_err(io::Error::other)
    }
}

impl From<ClientConfig> for TlsTrust {
    fn from(config: ClientConfig) -> Self {
        Self(Arc::new(config))
    }
}
