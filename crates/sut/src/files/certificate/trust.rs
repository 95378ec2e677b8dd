//! [`TlsTrust`]: which certificates the readiness check accepts.

use rustls::client::ClientConnection;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
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

    /// Accepts any certificate: of a server that we started ourselves with a certificate of the user, which names other hosts.
    pub(crate) fn anyone() -> io::Result<Self> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?;
        let builder =
            builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)));
        Ok(builder.with_no_client_auth().into())
    }

    /// A new TLS connection to 127.0.0.1 with these settings.
    pub(crate) fn connection(&self) -> io::Result<ClientConnection> {
        self.connection_to(&Ipv4Addr::LOCALHOST.to_string(), &[])
    }

    /// A new TLS connection to a server whose certificate must have this name or address. These protocols are
    /// offered (ALPN); without any, those of the settings.
    pub(crate) fn connection_to(&self, host: &str, protocols: &[&[u8]]) -> io::Result<ClientConnection> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let offered = match protocols {
            [] => self.0.alpn_protocols.clone(),
            protocols => protocols.iter().map(|protocol| protocol.to_vec()).collect(),
        };
        ClientConnection::new_with_alpn(Arc::clone(&self.0), name, offered).map_err(io::Error::other)
    }
}

impl From<ClientConfig> for TlsTrust {
    fn from(config: ClientConfig) -> Self {
        Self(Arc::new(config))
    }
}

/// Verifies that the server has the key of its certificate, whatever certificate that is.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
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
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
