//! Which certificates of servers are accepted.

use crate::{Error, TlsFlaw};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::sync::Arc;
use traffic::plan::Trust;

/// What decides about the certificates of servers.
pub(super) fn verifier(
    trust: &Trust,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    let Trust::Roots(pem) = trust else {
        return Ok(Arc::new(AcceptAnyCertificate(provider)));
    };
    let trusted = certificates(pem)?;
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots(pem, &trusted)?), provider);
    let chains = verifier.build().map_err(|error| Error::BadTls(TlsFlaw::Library(error.to_string())))?;
    Ok(Arc::new(AcceptTrusted { chains, trusted }))
}

/// The certificates of a PEM file.
fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, Error> {
    let all: Result<_, _> = CertificateDer::pem_slice_iter(pem).collect();
    all.map_err(|error| Error::BadTls(TlsFlaw::NotACaFile(error.to_string())))
}

/// These certificates as roots of trust, or those of this machine where the PEM file is empty; an error when there is none.
fn roots(pem: &[u8], trusted: &[CertificateDer<'static>]) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    if pem.is_empty() {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    // The bundle of a system contains some certificates that the library refuses. If the only one of a file is
    // refused, there are no roots, which is an error below.
    roots.add_parsable_certificates(trusted.iter().cloned());
    match roots.is_empty() {
        true => Err(Error::BadTls(TlsFlaw::NoCaCertificate)),
        false => Ok(roots),
    }
}

/// Accepts certificates that a trusted one has signed, and those that are trusted themselves: `openssl req -x509` makes certificates that sign
/// themselves and say that they are authorities, and the library takes no authority for a server. curl and JVMs take it if it is the
/// one that they were told to trust.
#[derive(Debug)]
struct AcceptTrusted {
    chains: Arc<WebPkiServerVerifier>,
    trusted: Vec<CertificateDer<'static>>,
}

/// What the library says of an authority that a server shows as its own certificate. It says so after it has looked at all that a certificate says
/// by itself, such as its dates.
const AUTHORITY: &str = "CaUsedAsEndEntity";

impl ServerCertVerifier for AcceptTrusted {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified = self.chains.verify_server_cert(certificate, between, name, ocsp, now);
        match &verified {
            Err(rustls::Error::InvalidCertificate(CertificateError::Other(why)))
                if why.to_string() == AUTHORITY && self.trusted.contains(certificate) =>
            {
                verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            _ => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.chains.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.chains.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chains.supported_verify_schemes()
    }
}

/// Accepts every certificate, but still verifies that the server has its key, so that a handshake takes the same work.
#[derive(Debug)]
struct AcceptAnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAnyCertificate {
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
