//! How `prony load` gets to its server: the addresses that stand for names, the source addresses, and TLS.

use crate::failure::Failure;
use crate::files::{Given, unreadable};
use clap::{Args, ValueEnum};
use load::Url;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use traffic::plan::{Identity, Tls, TlsVersion};

/// The most addresses of one range.
const MOST_SOURCES: u32 = 256;

/// The way to the servers of a load.
#[derive(Debug, Args)]
pub(super) struct NetworkArgs {
    /// The address of a host, as HOST:PORT:ADDRESS, in the place of the one that its name has; may be repeated.
    #[arg(long, value_name = "HOST:PORT:ADDRESS", value_parser = parse_resolve)]
    resolve: Vec<Redirection>,
    /// Connect to another host and port in the place of these, as HOST:PORT:HOST2:PORT2; the name in Host and in the handshake
    /// stays. May be repeated.
    #[arg(long, value_name = "HOST:PORT:HOST2:PORT2", value_parser = parse_connect_to)]
    connect_to: Vec<Redirection>,
    /// Addresses of this machine from which connections are made, in turn, such as 127.0.0.2-127.0.0.9 or 10.0.0.5,10.0.0.6: each
    /// has ports of its own.
    #[arg(long, value_name = "LIST", value_parser = parse_sources)]
    // With the whole path, because clap takes a bare Vec for a flag that may be repeated.
    source: Option<std::vec::Vec<IpAddr>>,
    /// https: a PEM file with the client's certificate and those that have signed it.
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// https: a PEM file with the private key of --cert, not encrypted.
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
    /// https: the version of TLS [default: whichever the server prefers]
    #[arg(long = "tls", value_name = "VERSION")]
    version: Option<Version>,
    /// https: the cipher suites to offer, such as TLS_AES_128_GCM_SHA256; a list with commas.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    ciphers: Vec<String>,
    /// https: the name in the handshake (SNI), which the certificate must have, in the place of the URL's host. The header Host is set
    /// by -H.
    #[arg(long, value_name = "NAME")]
    sni: Option<String>,
}

/// A version of TLS as the command line names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Version {
    /// TLS 1.2.
    #[value(name = "1.2")]
    Two,
    /// TLS 1.3.
    #[value(name = "1.3")]
    Three,
}

/// Where a connection goes in the place of where its URL says.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Redirection {
    host: String,
    port: u16,
    to: (String, u16),
}

impl NetworkArgs {
    /// Where a connection to the host of a URL goes, if the flags say something of it.
    pub(super) fn redirected(&self, url: &Url) -> Option<Url> {
        let mut all = self.connect_to.iter().chain(&self.resolve);
        let found = all.find(|one| one.host.eq_ignore_ascii_case(&url.host) && one.port == url.port)?;
        let (host, port) = found.to.clone();
        Some(Url { host, port, ..url.clone() })
    }

    /// The addresses from which connections are made.
    pub(super) fn sources(&self) -> Vec<IpAddr> {
        self.source.clone().unwrap_or_default()
    }

    /// Says how connections are encrypted, where the flags say something of it.
    pub(super) fn set_tls(&self, tls: &mut Tls) -> Result<(), Failure> {
        if let (Some(cert), Some(key)) = (&self.cert, &self.key) {
            let read = |path: &PathBuf| std::fs::read(path).map_err(unreadable(Given::Other, path));
            tls.identity = Some(Identity { chain: read(cert)?, key: read(key)? });
        }
        tls.version = self.version.map(|version| match version {
            Version::Two => TlsVersion::Tls12,
            Version::Three => TlsVersion::Tls13,
        });
        tls.ciphers.clone_from(&self.ciphers);
        if let Some(sni) = &self.sni {
            tls.server_name.clone_from(sni);
        }
        Ok(())
    }
}

/// Parses `HOST:PORT:ADDRESS`.
fn parse_resolve(text: &str) -> Result<Redirection, String> {
    let wrong = || "expected a host, its port and its address, such as shop.example:443:10.0.0.5".to_owned();
    let (host, rest) = text.split_once(':').ok_or_else(wrong)?;
    let (port, address) = rest.split_once(':').ok_or_else(wrong)?;
    let port = port.parse().map_err(|_| wrong())?;
    let address: IpAddr = address.trim_matches(['[', ']']).parse().map_err(|_| wrong())?;
    Ok(Redirection { host: host.to_owned(), port, to: (address.to_string(), port) })
}

/// Parses `HOST:PORT:HOST2:PORT2`.
fn parse_connect_to(text: &str) -> Result<Redirection, String> {
    let wrong = || "expected two hosts with their ports, such as shop.example:443:10.0.0.5:8443".to_owned();
    let (host, rest) = text.split_once(':').ok_or_else(wrong)?;
    let (port, to) = rest.split_once(':').ok_or_else(wrong)?;
    let (to, to_port) = to.rsplit_once(':').ok_or_else(wrong)?;
    let [port, to_port] = [port, to_port].map(|port| port.parse().map_err(|_| wrong()));
    let to = to.trim_matches(['[', ']']);
    if host.is_empty() || to.is_empty() {
        return Err(wrong());
    }
    Ok(Redirection { host: host.to_owned(), port: port?, to: (to.to_owned(), to_port?) })
}

/// Parses `127.0.0.2-127.0.0.9,10.0.0.5`.
fn parse_sources(text: &str) -> Result<Vec<IpAddr>, String> {
    let mut all = Vec::new();
    for part in text.split(',') {
        match part.split_once('-') {
            None => all.push(part.parse().map_err(|_| format!("`{part}` is not an IP address"))?),
            Some((first, last)) => {
                let [first, last] = [first, last].map(|end| {
                    end.parse::<Ipv4Addr>()
                        .map(u32::from)
                        .map_err(|_| format!("`{end}` is not an IPv4 address"))
                });
                let (first, last) = (first?, last?);
                if last < first || last - first >= MOST_SOURCES {
                    return Err(format!("`{part}` has to be a range of at most {MOST_SOURCES} addresses"));
                }
                all.extend((first..=last).map(|address| IpAddr::V4(address.into())));
            }
        }
    }
    Ok(all)
}

/// Whether all addresses are of the family of the target; a connection cannot cross from one to the other.
pub(super) fn reach(sources: &[IpAddr], target: SocketAddr) -> bool {
    sources.iter().all(|source| source.is_ipv4() == target.is_ipv4())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_addresses_and_ranges() {
        let list = |text: &str| parse_sources(text).map(|all| all.len());
        assert_eq!(list("127.0.0.2-127.0.0.9"), Ok(8));
        assert_eq!(list("10.0.0.5,127.0.0.2-127.0.0.3,::1"), Ok(4));
        for wrong in ["", "127.0.0.9-127.0.0.2", "10.0.0.0-10.0.255.255", "localhost"] {
            assert!(parse_sources(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_connection_goes_where_the_flags_say_and_keeps_its_name() {
        let url = Url::parse("https://shop.example/x").expect("a URL");
        let arguments = |resolve: &[&str], connect_to: &[&str]| NetworkArgs {
            resolve: resolve.iter().map(|text| parse_resolve(text).expect("a rule")).collect(),
            connect_to: connect_to.iter().map(|text| parse_connect_to(text).expect("a rule")).collect(),
            source: None,
            cert: None,
            key: None,
            version: None,
            ciphers: Vec::new(),
            sni: None,
        };
        let goes = |arguments: NetworkArgs| arguments.redirected(&url).map(|to| to.authority());
        assert_eq!(goes(arguments(&["shop.example:443:10.0.0.5"], &[])).as_deref(), Some("10.0.0.5"));
        assert_eq!(goes(arguments(&["shop.example:80:10.0.0.5"], &[])), None, "another port");
        let both = arguments(&["shop.example:443:10.0.0.5"], &["SHOP.example:443:green.example:8443"]);
        assert_eq!(goes(both).as_deref(), Some("green.example:8443"));
        assert_eq!(goes(arguments(&["shop.example:443:[::1]"], &[])).as_deref(), Some("[::1]"));
        assert!(
            parse_connect_to("shop.example:443:10.0.0.5").is_err() && parse_resolve("shop.example").is_err()
        );
    }
}
