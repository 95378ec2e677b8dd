//! [`Encryption`]: whether a connection to a team's store is encrypted, and whose certificates are trusted.
//! Names and defaults are psql's: `sslmode` and `sslrootcert` of the address, else `PGSSLMODE` and
//! `PGSSLROOTCERT`. (PostgreSQL documentation, "SSL Support" of libpq.)

use super::TeamError;
use percent_encoding::percent_decode_str;
use postgres::config::SslMode;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore, crypto};
use rustls_tokio_postgres::{MakeRustlsConnect, config_no_verify};
use std::path::PathBuf;
use std::sync::Arc;

/// How a connection is encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Encryption {
    /// Not at all.
    Never,
    /// Where the server offers it. Its certificate is not looked at, so this protects against listeners, not against impostors.
    WhereOffered,
    /// Always. Somebody trusted has to have signed the server's certificate for the host of the address.
    /// Trusted are the certificates in this PEM file; `None` means the system's.
    Checked { roots: Option<PathBuf> },
}

impl Encryption {
    /// Takes `sslmode` and `sslrootcert` out of an address. Returns the rest of it, and how its connections are encrypted.
    ///
    /// # Errors
    ///
    /// [`TeamError::NoSuchEncryption`] for a mode that psql does not have.
    pub(super) fn split_off(url: &str) -> Result<(String, Self), TeamError> {
        let (address, query) = url.split_once('?').unwrap_or((url, ""));
        let value_of = |wanted: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let given = pairs.find(|(name, _)| *name == wanted);
            given.map(|(_, value)| percent_decode_str(value).decode_utf8_lossy().into_owned())
        };
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let mode = value_of("sslmode").or_else(|| set("PGSSLMODE"));
        let roots = value_of("sslrootcert").or_else(|| set("PGSSLROOTCERT"));
        let others: Vec<&str> = query
            .split('&')
            .filter(|pair| !pair.starts_with("sslmode=") && !pair.starts_with("sslrootcert="))
            .filter(|pair| !pair.is_empty())
            .collect();
        let rest = match others.is_empty() {
            true => address.to_owned(),
            false => format!("{address}?{}", others.join("&")),
        };
        Ok((rest, Self::of_mode(mode.as_deref(), roots)?))
    }

    fn of_mode(mode: Option<&str>, roots: Option<String>) -> Result<Self, TeamError> {
        // `system` is psql's word for what the system trusts.
        let roots = roots.filter(|roots| roots != "system").map(PathBuf::from);
        match mode {
            Some("disable") => Ok(Self::Never),
            None | Some("allow" | "prefer") => Ok(Self::WhereOffered),
            Some("require" | "verify-ca" | "verify-full") => Ok(Self::Checked { roots }),
            Some(mode) => Err(TeamError::NoSuchEncryption { mode: mode.to_owned() }),
        }
    }

    /// The mode for the library.
    pub(super) const fn mode(&self) -> SslMode {
        match self {
            Self::Never => SslMode::Disable,
            Self::WhereOffered => SslMode::Prefer,
            Self::Checked { .. } => SslMode::Require,
        }
    }

    /// What encrypts connections in this way.
    ///
    /// # Errors
    ///
    /// [`TeamError::Certificates`] when there are no certificates to trust.
    pub(super) fn connector(&self) -> Result<MakeRustlsConnect, TeamError> {
        let Self::Checked { roots } = self else {
            return Ok(MakeRustlsConnect::new(config_no_verify()));
        };
        let provider = Arc::new(crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let builder = builder.expect("the library's own versions suit its provider");
        let config = builder.with_root_certificates(trusted(roots.as_ref())?);
        Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
    }
}

/// The certificates in a file, or the system's.
fn trusted(file: Option<&PathBuf>) -> Result<RootCertStore, TeamError> {
    let mut roots = RootCertStore::empty();
    let unusable = |said: String| TeamError::Certificates { path: file.cloned(), said };
    let certificates = match file {
        Some(path) => CertificateDer::pem_file_iter(path)
            .and_then(Iterator::collect)
            .map_err(|error| unusable(error.to_string()))?,
        None => rustls_native_certs::load_native_certs().certs,
    };
    // The bundle of a system holds some that the library refuses.
    roots.add_parsable_certificates(certificates);
    match roots.is_empty() {
        true => Err(unusable("no certificate is in it".to_owned())),
        false => Ok(roots),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_says_how_connections_are_encrypted() {
        let split = |url: &str| Encryption::split_off(url).expect("a known mode");
        let plain = "postgres://nina@db/perf";
        assert_eq!(split(plain), (plain.to_owned(), Encryption::WhereOffered));
        let off = split("postgres://nina@db/perf?sslmode=disable&connect_timeout=3");
        let rest = "postgres://nina@db/perf?connect_timeout=3";
        assert_eq!(off, (rest.to_owned(), Encryption::Never));
        let roots = Some(PathBuf::from("/a b/ca.pem"));
        let checked = split("postgres://nina@db/perf?sslrootcert=/a%20b/ca.pem&sslmode=verify-full");
        assert_eq!(checked, (plain.to_owned(), Encryption::Checked { roots }));
        let system = split("postgres://nina@db/perf?sslmode=require&sslrootcert=system");
        assert_eq!(system.1, Encryption::Checked { roots: None });
        assert!(matches!(
            Encryption::split_off("postgres://nina@db/perf?sslmode=always"),
            Err(TeamError::NoSuchEncryption { mode }) if mode == "always"
        ));
    }
}
