//! Which certificates of servers are accepted.

use crate::{Error, TlsFlaw};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::sync::Arc;
use traffic::plan::Trust;

/// What decides about the certificates of servers.
pub(super) fn verifier(trust: &Trust, provider: Arc<CryptoProvider>) -> Result<Arc<Verifier>, Error> {
    let trusted = match trust {
        Trust::Anyone => None,
        Trust::Roots(pem) => Some(Trusted::of(pem, Arc::clone(&provider))?),
    };
    Ok(Arc::new(Verifier { trusted, provider }))
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

/// The certificates that a file or this machine trusts.
#[derive(Debug)]
struct Trusted {
    chains: Arc<WebPkiServerVerifier>,
    own: Vec<CertificateDer<'static>>,
}

/// What the library says of an authority that a server shows as its own certificate. It says so after it has looked at all that a certificate says
/// by itself, such as its dates.
const AUTHORITY: &str = "CaUsedAsEndEntity";

impl Trusted {
    fn of(pem: &[u8], provider: Arc<CryptoProvider>) -> Result<Self, Error> {
        let own = certificates(pem)?;
        let chains =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots(pem, &own)?), provider).build();
        let chains = chains.map_err(|error| Error::BadTls(TlsFlaw::Library(error.to_string())))?;
        Ok(Self { chains, own })
    }

    /// Accepts certificates that a trusted one has signed, and those that are trusted themselves: `openssl req -x509` makes certificates that sign
    /// themselves and say that they are authorities, and the library takes no authority for a server. curl and JVMs take it if it is the
    /// one that they were told to trust.
    fn verify(
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
                if why.to_string() == AUTHORITY && self.own.contains(certificate) =>
            {
                verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            _ => verified,
        }
    }
}

/// Accepts trusted certificates, or every one. A server has to have the key of its certificate in any case, so that a handshake takes the same
/// work.
#[derive(Debug)]
pub(super) struct Verifier {
    /// `None` accepts every certificate.
    trusted: Option<Trusted>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match &self.trusted {
            Some(trusted) => trusted.verify(certificate, between, name, ocsp, now),
            None => Ok(ServerCertVerified::assertion()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
