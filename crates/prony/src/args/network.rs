//! The way to servers that prony did not start. Files of experiments say the same by the key `network` of an arm.

use crate::failure::Failure;
use ask::network::{Network, ProxyChoice, Redirection, TLS_VERSIONS, parse_sources, tls_id};
use ask::values;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use lab::Way;
use model::units::Nanos;
use std::net::IpAddr;
use std::path::PathBuf;
use traffic::plan::TlsVersion;

/// The way to servers that prony did not start.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct NetworkArgs {
    /// https: accept any certificate; on 127.0.0.1 and ::1 every certificate is accepted anyway.
    #[arg(long)]
    insecure: bool,
    /// https: a PEM file with the certificate authorities to trust.
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    cacert: Option<PathBuf>,
    /// The address of a host, as HOST:PORT:ADDRESS, in the place of the one that its name has; may be repeated.
    #[arg(long, value_name = "HOST:PORT:ADDRESS", value_parser = Redirection::parse_resolve)]
    resolve: Vec<Redirection>,
    /// Connect to another host and port in the place of these, as HOST:PORT:HOST2:PORT2; the name in Host and in the handshake
    /// stays. May be repeated.
    #[arg(long, value_name = "HOST:PORT:HOST2:PORT2", value_parser = Redirection::parse_connect_to)]
    connect_to: Vec<Redirection>,
    /// Addresses of this machine from which connections are made, in turn, such as 127.0.0.2-127.0.0.9 or 10.0.0.5,10.0.0.6: each
    /// has ports of its own.
    #[arg(long, value_name = "LIST", value_parser = parse_sources)]
    // With the whole path, because clap takes a bare Vec for a flag that may be repeated.
    source: Option<std::vec::Vec<IpAddr>>,
    /// Connect through a proxy: http://HOST:PORT (CONNECT, also for http), socks5://HOST:PORT or, if the proxy has to look names up,
    /// socks5h://HOST:PORT. User and password are part of the address, or in PRONY_PROXY_USER and PRONY_PROXY_PASSWORD. The word env takes
    /// what HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY say [default: none]
    #[arg(long, value_name = "URL")]
    proxy: Option<ProxyChoice>,
    /// Look the name of the host up again after this time, and let new connections take all of its addresses in turn [default: the first
    /// address, for ever]
    #[arg(long, value_name = "TIME", value_parser = values::duration, conflicts_with = "proxy")]
    dns_ttl: Option<Nanos>,
    /// https: a file with the client's certificate: PEM with those that have signed it, or a PKCS #12 store with its key, whose password
    /// is in PRONY_CERT_PASSWORD.
    #[arg(long, value_name = "FILE")]
    cert: Option<PathBuf>,
    /// https: a PEM file with the private key of --cert, not encrypted [default: the key in the file of --cert]
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
    /// https: the version of TLS [default: whichever the server prefers]
    #[arg(long = "tls", value_name = "VERSION", value_parser = tls_version())]
    version: Option<TlsVersion>,
    /// https: the cipher suites to offer, such as TLS_AES_128_GCM_SHA256; a list with commas.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    ciphers: Vec<String>,
    /// https: the name in the handshake (SNI), which the certificate must have, in the place of the URL's host. The header Host is set
    /// by -H.
    #[arg(long, value_name = "NAME")]
    sni: Option<String>,
}

/// Reads a version of TLS.
fn tls_version() -> impl TypedValueParser<Value = TlsVersion> {
    let named = |version| PossibleValue::new(tls_id(version)).help(format!("TLS {}", tls_id(version)));
    let parsed = |text: String| TLS_VERSIONS.into_iter().find(|version| tls_id(*version) == text);
    PossibleValuesParser::new(TLS_VERSIONS.map(named)).map(move |text| parsed(text).expect("one of them"))
}

impl NetworkArgs {
    /// What the options say together.
    pub(crate) fn network(&self) -> Network {
        Network {
            redirections: self.connect_to.iter().chain(&self.resolve).cloned().collect(),
            sources: self.source.clone().unwrap_or_default(),
            proxy: self.proxy.clone(),
            dns_ttl: self.dns_ttl,
            insecure: self.insecure,
            cacert: self.cacert.clone(),
            cert: self.cert.clone(),
            key: self.key.clone(),
            tls: self.version,
            ciphers: self.ciphers.clone(),
            sni: self.sni.clone(),
        }
    }

    /// The way that the options say, with the files that they name.
    pub(crate) fn way(&self) -> Result<Way, Failure> {
        Way::read(&self.network()).map_err(Failure::usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ask::slip::NetworkSlip;

    /// The options are the fields of one type, which the key of a file sets, too.
    #[test]
    fn every_option_says_something() {
        let said = NetworkArgs {
            insecure: false,
            cacert: Some("ca.pem".into()),
            resolve: vec![Redirection::parse_resolve("a:80:10.0.0.5").expect("a rule")],
            connect_to: vec![Redirection::parse_connect_to("b:80:c:81").expect("a rule")],
            source: Some(vec![IpAddr::from([127, 0, 0, 2])]),
            proxy: Some("env".parse().expect("a proxy")),
            dns_ttl: Some(Nanos::from_secs(5)),
            cert: Some("c.pem".into()),
            key: Some("k.pem".into()),
            version: Some(TlsVersion::Tls13),
            ciphers: vec!["X".to_owned()],
            sni: Some("name".to_owned()),
        };
        let network = said.network();
        assert_eq!(network.redirections[0].host, "b", "connect-to comes before resolve");
        assert_eq!((network.redirections.len(), network.tls), (2, Some(TlsVersion::Tls13)));
        assert_eq!(network.check(), Err(NetworkSlip::LookupByProxy));
        assert!(Way::read(&Network { proxy: None, ..network }).is_err(), "there is no such file");
    }
}
