//! [`Authority`]: a certificate authority of this machine, with which the proxy reads https. Its key is readable to its
//! user only: somebody who has the key can pretend to be any server to a client that trusts the authority.

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PublicKeyData, date_time_ymd,
};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Years for which the authority is valid.
const YEARS: i64 = 5;
/// Bits of a file's mode that let others read or write it.
const OTHERS: u32 = 0o077;

/// A certificate authority.
pub(crate) struct Authority {
    /// The certificate that clients have to trust.
    pub(crate) certificate: PathBuf,
    issuer: Issuer<'static, KeyPair>,
    /// The key of the certificates of servers, which is another one each time.
    key: KeyPair,
    /// What TLS needs for each server that was asked for.
    servers: Mutex<BTreeMap<String, Arc<ServerConfig>>>,
}

impl Authority {
    /// Opens the authority in a folder, or makes one there.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written, is none of an authority, or its key can be read by others.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let (certificate, key_file) = (folder.join("ca.pem"), folder.join("ca-key.pem"));
        if !key_file.exists() {
            make(folder, &certificate, &key_file)?;
        }
        let mode = fs::metadata(&key_file)?.mode();
        if mode & OTHERS != 0 {
            let name = key_file.display();
            return Err(io::Error::other(format!("others can read {name}: chmod 600 {name}")));
        }
        let key = KeyPair::from_pem(&fs::read_to_string(&key_file)?).map_err(io::Error::other)?;
        File::open(&certificate)?;
        Ok(Self {
            certificate,
            issuer: Issuer::new(parameters()?, key),
            key: KeyPair::generate().map_err(io::Error::other)?,
            servers: Mutex::default(),
        })
    }

    /// Returns the hash of the public key that servers show, as Chromium takes it to accept them.
    pub(crate) fn key_hash(&self) -> String {
        let hash = Sha256::digest(self.key.subject_public_key_info());
        base64::Engine::encode(&base64::prelude::BASE64_STANDARD, hash)
    }

    /// Returns what TLS needs to pretend to be this host.
    pub(crate) fn server(&self, host: &str) -> io::Result<Arc<ServerConfig>> {
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = servers.get(host) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(self.make_server(host)?);
        servers.insert(host.to_owned(), Arc::clone(&made));
        Ok(made)
    }

    fn make_server(&self, host: &str) -> io::Result<ServerConfig> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let mut parameters = CertificateParams::new([host.to_owned()]).map_err(io::Error::other)?;
        parameters.distinguished_name = named(host);
        // Clients refuse certificates that are valid for years.
        let (from, until) = (in_days(-1), in_days(300));
        parameters.not_before = date_time_ymd(from.year, from.month, from.day);
        parameters.not_after = date_time_ymd(until.year, until.month, until.day);
        let signed = parameters.signed_by(&self.key, &self.issuer).map_err(io::Error::other)?;
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(self.key.serialize_der()));
        let chain: Vec<CertificateDer<'static>> = vec![signed.der().clone()];
        ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
            .map_err(io::Error::other)
    }
}

/// Makes an authority. The key is never readable to others, not even for a moment.
fn make(folder: &Path, certificate: &Path, key_file: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let key = KeyPair::generate().map_err(io::Error::other)?;
    let made = parameters()?.self_signed(&key).map_err(io::Error::other)?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(key_file)?;
    file.write_all(key.serialize_pem().as_bytes())?;
    fs::write(certificate, made.pem())
}

fn named(name: &str) -> DistinguishedName {
    let mut all = DistinguishedName::new();
    all.push(DnType::CommonName, name);
    all
}

/// Returns the parameters of the authority, which are always the same but for their dates.
fn parameters() -> io::Result<CertificateParams> {
    let mut parameters = CertificateParams::new(Vec::new()).map_err(io::Error::other)?;
    parameters.distinguished_name = named("prony record on this machine");
    parameters.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let (from, until) = (in_days(-1), in_days(365 * YEARS));
    parameters.not_before = date_time_ymd(from.year, from.month, from.day);
    parameters.not_after = date_time_ymd(until.year, until.month, until.day);
    Ok(parameters)
}

/// A day of the calendar.
struct Day {
    year: i32,
    month: u8,
    day: u8,
}

/// Returns the day that is so many days from now.
fn in_days(days: i64) -> Day {
    let today = jiff::Zoned::now().date();
    let date = today.checked_add(jiff::Span::new().days(days)).unwrap_or(today);
    Day { year: date.year().into(), month: date.month().unsigned_abs(), day: date.day().unsigned_abs() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_for_its_user_only_and_is_used_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = Authority::open(folder.path()).expect("made");
        let key = folder.path().join("ca-key.pem");
        assert_eq!(fs::metadata(&key).expect("a key").mode() & 0o777, 0o600);
        let again = Authority::open(folder.path()).expect("read");
        let public = |one: &Authority| one.issuer.key().subject_public_key_info();
        assert_eq!(public(&first), public(&again));
        let one = again.server("localhost").expect("a certificate");
        assert!(Arc::ptr_eq(&one, &again.server("localhost").expect("the same")));
        again.server("127.0.0.1").expect("a certificate");
        let open: fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        fs::set_permissions(&key, open).expect("a mode");
        let refused = Authority::open(folder.path()).map(drop).expect_err("others can read it");
        assert!(refused.to_string().contains("chmod 600"), "{refused}");
    }
}
