//! A server's certificate. It is made for one start and deleted after it, so that no key is ever kept anywhere.
//!
//! It is self-signed and the only one that the readiness check and the load accept: a server that answers with it holds
//! the key that we gave to the server we started. It is ECDSA on P-256, which public authorities issue by default
//! today.

use crate::error::{Error, FileAct};
use crate::files::work::WorkFolder;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

pub(crate) mod key_store;
mod trust;

pub(crate) use trust::TlsTrust;

/// The certificate and key of one start.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The certificate in PEM, for the clients that have to trust it.
    pub pem: String,
    /// The PEM file of the certificate.
    pub(crate) file: PathBuf,
    /// The PEM file of the key, which only our user can read.
    pub(crate) key: PathBuf,
    /// A Java key store with both, see [`key_store`].
    pub(crate) store: PathBuf,
    /// TLS settings of a client that accepts this certificate and no other.
    pub(crate) trust: TlsTrust,
}

impl Certificate {
    /// Makes a certificate for 127.0.0.1 and the address on which its server listens, in a work folder.
    pub(crate) fn make(work: &WorkFolder, listen: IpAddr) -> Result<Self, Error> {
        let folder = work.folder("tls")?;
        let failed =
            |error: rcgen::Error| Error::io(FileAct::MakeCertificate, &folder, io::Error::other(error));
        let mut names = vec!["localhost".to_owned(), Ipv4Addr::LOCALHOST.to_string()];
        names.extend((!listen.is_loopback()).then(|| listen.to_string()));
        let made = rcgen::generate_simple_self_signed(names).map_err(failed)?;
        let certificate = Self {
            pem: made.cert.pem(),
            file: folder.join("certificate.pem"),
            key: folder.join("key.pem"),
            store: folder.join("key-store.jks"),
            trust: TlsTrust::only(made.cert.der())
                .map_err(|error| Error::io(FileAct::Trust, &folder, error))?,
        };
        write(&certificate.file, certificate.pem.as_bytes())?;
        write(&certificate.key, made.signing_key.serialize_pem().as_bytes())?;
        let store = key_store::jks(made.cert.der(), &made.signing_key.serialize_der());
        write(&certificate.store, &store)?;
        // The first connection of a process seeds the library's random numbers, which takes 40 ms: do it before a server's
        // start-up is timed.
        let first = certificate.trust.connection();
        first.map_err(|error| Error::io(FileAct::Trust, &folder, error))?;
        Ok(certificate)
    }

    /// A word of a command or the value of a setting, with its files, and what opens its key store, in place of their names in braces.
    pub(crate) fn fill(&self, word: &str) -> String {
        let files = [("{certificate}", &self.file), ("{key}", &self.key), ("{key_store}", &self.store)];
        let mut filled = word.to_owned();
        for (name, file) in files {
            filled = filled.replace(name, &file.display().to_string());
        }
        filled
            .replace("{key_store_type}", key_store::FORMAT)
            .replace("{key_store_password}", key_store::PASSWORD)
            .replace("{key_store_alias}", key_store::ALIAS)
    }
}

/// Writes a file that only our user can read, from its first byte on.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(bytes)).map_err(|error| Error::io(FileAct::Write, path, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn its_files_take_the_place_of_their_names() {
        let cache = tempfile::tempdir().expect("a folder");
        let work = WorkFolder::create(cache.path(), 1).expect("made");
        let made = Certificate::make(&work, Ipv4Addr::LOCALHOST.into()).expect("made");
        let file = made.file.display();
        assert_eq!(made.fill("--tls={certificate}"), format!("--tls={file}"));
        assert_eq!(made.fill("{key}"), made.key.display().to_string());
        assert_eq!(made.fill("{key_store_type} {port}"), format!("{} {{port}}", key_store::FORMAT));
    }

    #[test]
    fn only_our_user_can_read_the_key_and_every_start_has_its_own() {
        let cache = tempfile::tempdir().expect("a folder");
        let work = WorkFolder::create(cache.path(), 1).expect("made");
        let one = Certificate::make(&work, Ipv4Addr::LOCALHOST.into()).expect("made");
        for secret in [&one.key, &one.store] {
            let mode = std::fs::metadata(secret).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let key = std::fs::read_to_string(&one.key).expect("read");
        assert!(key.starts_with("-----BEGIN PRIVATE KEY-----"), "PKCS #8, which Java and OpenSSL read");
        let other = Certificate::make(&work, Ipv4Addr::LOCALHOST.into()).expect("made");
        assert_ne!(one.pem, other.pem);
    }
}
