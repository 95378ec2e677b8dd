//! [`Network`]: the way to servers that prony did not start, as `prony load` and the arms of a file say it.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table, Value};
use crate::slip::{ArmSlip, NetworkSlip, TableName};
use model::units::Nanos;
use model::url::Url;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use traffic::plan::TlsVersion;

mod proxy;

pub use proxy::{ProxyAddress, ProxyChoice};

/// The most addresses of one range.
const MOST_SOURCES: u32 = 256;

/// The way to the servers of a load. What is not said is as usual.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Network {
    /// Where connections go in the place of where a URL says; the first that fits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redirections: Vec<Redirection>,
    /// The addresses of this machine from which connections are made, in turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<IpAddr>,
    /// The proxy through which connections are made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<ProxyChoice>,
    /// How long the addresses of a name count; `None` is for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dns_ttl: Option<Nanos>,
    /// Whether any certificate is accepted.
    pub insecure: bool,
    /// The certificate authorities to trust, PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cacert: Option<PathBuf>,
    /// The client's certificate: PEM, with its key in `key`, or PKCS #12, with its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cert: Option<PathBuf>,
    /// The private key of a certificate in PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<PathBuf>,
    /// The version of TLS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsVersion>,
    /// The cipher suites that are offered; empty offers all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ciphers: Vec<String>,
    /// The name in the handshake, in the place of the URL's host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sni: Option<String>,
}

/// The versions of TLS, as the command line and files name them.
pub const TLS_VERSIONS: [TlsVersion; 2] = [TlsVersion::Tls12, TlsVersion::Tls13];

/// How a version of TLS is written.
pub const fn tls_id(version: TlsVersion) -> &'static str {
    match version {
        TlsVersion::Tls12 => "1.2",
        TlsVersion::Tls13 => "1.3",
    }
}

/// Where a connection goes in the place of where its URL says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirection {
    pub host: String,
    pub port: u16,
    pub to_host: String,
    pub to_port: u16,
}

impl Redirection {
    /// Parses `HOST:PORT:ADDRESS`, as curl's `--resolve`.
    pub fn parse_resolve(text: &str) -> Result<Self, NetworkSlip> {
        let parse = || {
            let (host, rest) = text.split_once(':')?;
            let (port, address) = rest.split_once(':')?;
            let port = port.parse().ok()?;
            let address: IpAddr = address.trim_matches(['[', ']']).parse().ok()?;
            Some(Self { host: host.to_owned(), port, to_host: address.to_string(), to_port: port })
        };
        parse().ok_or_else(|| NetworkSlip::Resolve(text.to_owned()))
    }

    /// Parses `HOST:PORT:HOST2:PORT2`, as curl's `--connect-to`.
    pub fn parse_connect_to(text: &str) -> Result<Self, NetworkSlip> {
        let parse = || {
            let (host, rest) = text.split_once(':')?;
            let (port, to) = rest.split_once(':')?;
            let (to, to_port) = to.rsplit_once(':')?;
            let to_host = to.trim_matches(['[', ']']).to_owned();
            let is_named = !host.is_empty() && !to_host.is_empty();
            let (port, to_port) = (port.parse().ok()?, to_port.parse().ok()?);
            is_named.then(|| Self { host: host.to_owned(), port, to_host, to_port })
        };
        parse().ok_or_else(|| NetworkSlip::ConnectTo(text.to_owned()))
    }
}

/// Parses `127.0.0.2-127.0.0.9,10.0.0.5`.
pub fn parse_sources(text: &str) -> Result<Vec<IpAddr>, NetworkSlip> {
    let mut all = Vec::new();
    let bad = || NetworkSlip::Source { text: text.to_owned(), most: MOST_SOURCES };
    for part in text.split(',') {
        match part.split_once('-') {
            None => all.push(part.trim().parse().map_err(|_| bad())?),
            Some((first, last)) => {
                let end = |end: &str| end.trim().parse::<Ipv4Addr>().map(u32::from).map_err(|_| bad());
                let (first, last) = (end(first)?, end(last)?);
                if last < first || last - first >= MOST_SOURCES {
                    return Err(bad());
                }
                all.extend((first..=last).map(|address| IpAddr::V4(address.into())));
            }
        }
    }
    Ok(all)
}

impl Network {
    /// Whether everything is as usual.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Where a connection to the server of a URL goes: the URL with another host and port, where that is said.
    pub fn redirected(&self, url: &Url) -> Option<Url> {
        let fits = |one: &&Redirection| one.host.eq_ignore_ascii_case(&url.host) && one.port == url.port;
        let found = self.redirections.iter().find(fits)?;
        Some(Url { host: found.to_host.clone(), port: found.to_port, ..url.clone() })
    }

    /// Makes relative paths start from this folder.
    pub(crate) fn relative_to(&mut self, folder: &Path) {
        let files = [&mut self.cacert, &mut self.cert, &mut self.key];
        files.into_iter().flatten().for_each(|file| *file = folder.join(&*file));
    }

    /// What it says, as a report shows it: without secrets; `None` where everything is as usual.
    pub(crate) fn shown(&self) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        let mut put = |name: &str, value: String| parts.push(format!("{name}={value}"));
        for Redirection { host, port, to_host, to_port } in &self.redirections {
            put("connect_to", format!("{host}:{port}:{to_host}:{to_port}"));
        }
        for source in &self.sources {
            put("source", source.to_string());
        }
        if let Some(proxy) = &self.proxy {
            put("proxy", proxy.to_string());
        }
        if let Some(ttl) = self.dns_ttl {
            put("dns_ttl", format!("{}s", ttl.as_secs_f64()));
        }
        if self.insecure {
            put("insecure", true.to_string());
        }
        for (name, file) in [("cacert", &self.cacert), ("cert", &self.cert)] {
            if let Some(file) = file {
                put(name, file.display().to_string());
            }
        }
        if let Some(version) = self.tls {
            put("tls", tls_id(version).to_owned());
        }
        if !self.ciphers.is_empty() {
            put("ciphers", self.ciphers.join(","));
        }
        if let Some(sni) = &self.sni {
            put("sni", sni.clone());
        }
        (!parts.is_empty()).then(|| parts.join(" "))
    }

    /// Checks that nothing in it contradicts the rest.
    ///
    /// # Errors
    ///
    /// The first key or option that does.
    pub fn check(&self) -> Result<(), NetworkSlip> {
        if self.key.is_some() && self.cert.is_none() {
            return Err(NetworkSlip::KeyAlone);
        }
        if self.insecure && self.cacert.is_some() {
            return Err(NetworkSlip::InsecureWithAuthority);
        }
        if self.dns_ttl.is_some() && self.proxy.is_some() {
            return Err(NetworkSlip::LookupByProxy);
        }
        Ok(())
    }
}

/// Reads the key `network` of an arm, whose keys are called like the options of `prony load`.
pub(crate) fn network(node: &Node) -> Result<Network, Diagnostic> {
    let mut problems = Vec::new();
    let mut table = Table::open(node, TableName::Key("network"))?;
    let mut network = Network::default();
    let redirections =
        |parse: fn(&str) -> Result<Redirection, NetworkSlip>| move |node: &Node| each(node, parse);
    for (key, parse) in [
        ("connect_to", Redirection::parse_connect_to as fn(&str) -> _),
        ("resolve", Redirection::parse_resolve),
    ] {
        let read = table.read(key, &mut problems, redirections(parse));
        network.redirections.extend(read.into_iter().flatten());
    }
    let some_path = |node: &Node| Ok(Some(PathBuf::from(node.text()?)));
    table.set("source", &mut network.sources, &mut problems, |node| {
        parse_sources(node.text()?).map_err(|slip| node.refuse(slip))
    });
    table.set("proxy", &mut network.proxy, &mut problems, |node| {
        node.text()?.parse().map(Some).map_err(|slip: NetworkSlip| node.refuse(slip))
    });
    table.set("dns_ttl", &mut network.dns_ttl, &mut problems, |node| node.duration().map(Some));
    table.set("insecure", &mut network.insecure, &mut problems, Node::boolean);
    table.set("cacert", &mut network.cacert, &mut problems, some_path);
    table.set("cert", &mut network.cert, &mut problems, some_path);
    table.set("key", &mut network.key, &mut problems, some_path);
    table.set("tls", &mut network.tls, &mut problems, |node| node.one_of(&TLS_VERSIONS, tls_id).map(Some));
    table.set("ciphers", &mut network.ciphers, &mut problems, |node| {
        each(node, |name| Ok::<_, ArmSlip>(name.to_owned()))
    });
    table.set("sni", &mut network.sni, &mut problems, |node| node.owned_text().map(Some));
    table.finish(&mut problems);
    if let Some(problem) = problems.into_iter().next() {
        return Err(problem);
    }
    network.check().map_err(|slip| node.refuse(slip))?;
    Ok(network)
}

/// Reads a text, or each text of a list.
fn each<T, S: Into<crate::slip::Slip>>(
    node: &Node,
    parse: impl Fn(&str) -> Result<T, S>,
) -> Result<Vec<T>, Diagnostic> {
    let one = |node: &Node| parse(node.text()?).map_err(|slip| node.refuse(slip));
    match &node.value {
        Value::List(items) => items.iter().map(one).collect(),
        _ => Ok(vec![one(node)?]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node;

    #[test]
    fn sources_are_addresses_and_ranges() {
        let list = |text: &str| parse_sources(text).map(|all| all.len()).ok();
        assert_eq!(list("127.0.0.2-127.0.0.9"), Some(8));
        assert_eq!(list("10.0.0.5,127.0.0.2-127.0.0.3, ::1"), Some(4));
        for wrong in ["", "127.0.0.9-127.0.0.2", "10.0.0.0-10.0.255.255", "localhost"] {
            assert!(parse_sources(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_connection_goes_where_it_is_said_and_keeps_its_name() {
        let url = Url::parse("https://shop.example/x").expect("a URL");
        let goes = |connect_to: &[&str], resolve: &[&str]| {
            let connect_to = connect_to.iter().map(|text| Redirection::parse_connect_to(text));
            let resolve = resolve.iter().map(|text| Redirection::parse_resolve(text));
            let redirections = connect_to.chain(resolve).collect::<Result<_, _>>().expect("rules");
            let network = Network { redirections, ..Network::default() };
            network.redirected(&url).map(|to| to.authority())
        };
        assert_eq!(goes(&[], &["shop.example:443:10.0.0.5"]).as_deref(), Some("10.0.0.5"));
        assert_eq!(goes(&[], &["shop.example:80:10.0.0.5"]), None, "another port");
        let both = goes(&["SHOP.example:443:green.example:8443"], &["shop.example:443:10.0.0.5"]);
        assert_eq!(both.as_deref(), Some("green.example:8443"));
        assert_eq!(goes(&[], &["shop.example:443:[::1]"]).as_deref(), Some("[::1]"));
        assert!(Redirection::parse_connect_to("shop.example:443:10.0.0.5").is_err());
        assert!(Redirection::parse_resolve("shop.example").is_err());
    }

    #[test]
    fn a_file_has_the_names_of_the_options_and_refuses_what_contradicts_itself() {
        let read = |text: &str| network(&node::parse(text).expect("TOML"));
        let all = read(
            "connect_to = \"a:80:b:81\"\nresolve = [\"c:80:10.0.0.1\"]\nsource = \"127.0.0.2-127.0.0.3\"\n\
             cacert = \"ca.pem\"\ncert = \"c.p12\"\ntls = \"1.3\"\nciphers = [\"TLS_AES_128_GCM_SHA256\"]\nsni = \"x\"\n\
             proxy = \"http://me:secret@proxy:3128\"\n",
        );
        let mut all = all.expect("a network");
        assert_eq!((all.redirections.len(), all.sources.len(), all.tls), (2, 2, Some(TlsVersion::Tls13)));
        all.relative_to(Path::new("/in"));
        assert_eq!((all.cert.as_deref(), all.key.as_deref()), (Some(Path::new("/in/c.p12")), None));
        let shown = all.shown().expect("something");
        assert!(shown.contains("proxy=http://proxy:3128") && !shown.contains("secret"), "{shown}");
        let stored = serde_json::to_string(&all).expect("JSON");
        assert!(!stored.contains("secret") && stored.contains("proxy:3128"), "{stored}");
        for wrong in [
            "key = \"k.pem\"",
            "insecure = true\ncacert = \"ca.pem\"",
            "dns_ttl = \"5s\"\nproxy = \"env\"",
            "tls = \"1.1\"",
            "proxy = \"ftp://x:1\"",
            "source = \"here\"",
            "sources = \"127.0.0.2\"",
            "connect_to = 5",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read("").expect("nothing").is_usual());
    }
}
