//! Whose certificates readiness accepts.

use rustls::client::ClientConnection;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ConfigBuilder, DigitallySignedStruct, RootCertStore, SignatureScheme, WantsVerifier,
};
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

/// Whose certificates are accepted of a server on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Trust(Arc<ClientConfig>);

impl Trust {
    /// This one only.
    pub(crate) fn only(certificate: &CertificateDer<'_>) -> io::Result<Self> {
        let mut roots = RootCertStore::empty();
        roots
            .add(certificate.clone().into_owned())
            .map_err(io::Error::other)?;
        let (builder, _) = builder()?;
        Ok(Self(Arc::new(
            builder.with_root_certificates(roots).with_no_client_auth(),
        )))
    }

    /// Any: of a server that prony did not start nobody says which it should have.
    pub(crate) fn anyone() -> io::Result<Self> {
        let (builder, provider) = builder()?;
        let builder = builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Anyone(provider)));
        Ok(Self(Arc::new(builder.with_no_client_auth())))
    }

    /// A connection of one who trusts so.
    pub(crate) fn connection(&self) -> io::Result<ClientConnection> {
        let name = ServerName::from(IpAddr::V4(Ipv4Addr::LOCALHOST));
        ClientConnection::new(Arc::clone(&self.0), name).map_err(io::Error::other)
    }
}

type Builder = ConfigBuilder<ClientConfig, WantsVerifier>;

fn builder() -> io::Result<(Builder, Arc<CryptoProvider>)> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder =
        ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
    Ok((builder.map_err(io::Error::other)?, provider))
}

/// Accepts whatever is shown. Readiness only asks whether there is a right answer; the load does check that the server
/// holds the key of its certificate.
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
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
