//! [`Way`]: how connections get to servers that prony did not start, as the user says it ([`Network`]), with the files that it names.

use ask::network::Network;
use ask::slip::NetworkSlip;
use load::{Url, open_tunnel};
use say::Say;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use traffic::plan::{Identity, Lookup, Plan, ProxyProtocol, Target, Tls, Trust, Tunnel};

/// Why a server cannot be reached as the user says.
#[derive(Debug, Say)]
#[say(error)]
pub enum WayError {
    /// What was said contradicts itself, or names no proxy.
    #[say(transparent)]
    Network(#[say(from)] NetworkSlip),
    /// A name has no address, or TLS cannot be set up.
    #[say(transparent)]
    Load(#[say(from)] load::Error),
    /// A file of certificates or keys cannot be read.
    #[say(
        en = "cannot read {path}: {source}",
        zh = "无法读取 {path}：{source}",
        hint(
            en = "certificates and keys are files in PEM, or one file in PKCS #12",
            zh = "证书和私钥应为 PEM 文件，或一个 PKCS #12 文件"
        )
    )]
    Unreadable { path: PathBuf, source: io::Error },
    /// A certificate in PEM without its key.
    #[say(
        en = "{path} has no private key",
        zh = "{path} 中没有私钥",
        hint(en = "name its file: `key`", zh = "请用 `key` 指定私钥文件")
    )]
    NoKey { path: PathBuf },
    /// Connections cannot come from these addresses.
    #[say(
        en = "a connection to {target} cannot come from each address of `source`",
        zh = "`source` 中的地址并非都能连接到 {target}",
        hint(en = "give addresses of its family, IPv4 or IPv6", zh = "请给出与其同族（IPv4 或 IPv6）的地址")
    )]
    OtherFamily {
        /// Where the server or the proxy listens.
        target: SocketAddr,
    },
}

/// The variable that has the password of a PKCS #12 store.
const PASSWORD: &str = "PRONY_CERT_PASSWORD";

/// The way to servers, with the content of the files that it names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    network: Network,
    /// The certificate authorities to trust; `None` are those of this machine.
    roots: Option<Vec<u8>>,
    identity: Option<Identity>,
}

/// Where connections to one server go.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The server, or the proxy.
    pub target: SocketAddr,
    pub tunnel: Option<Tunnel>,
    pub lookup: Option<Lookup>,
}

impl Way {
    /// Reads the files.
    ///
    /// # Errors
    ///
    /// A contradiction, or a file that cannot be read.
    pub fn read(network: &Network) -> Result<Self, WayError> {
        network.check()?;
        let roots = network.cacert.as_deref().map(read).transpose()?;
        let identity =
            network.cert.as_deref().map(|cert| identity(cert, network.key.as_deref())).transpose()?;
        Ok(Self { network: network.clone(), roots, identity })
    }

    /// The addresses of this machine from which connections are made.
    pub fn sources(&self) -> &[IpAddr] {
        &self.network.sources
    }

    /// Finds out where connections to the server of a URL go. `hosts` are names whose addresses are known.
    ///
    /// # Errors
    ///
    /// A name without an address, a proxy that is none, or a source that does not reach the target.
    pub fn to(&self, url: &Url, hosts: &[(String, String)]) -> Result<Route, WayError> {
        let known = hosts.iter().find(|(name, _)| name.eq_ignore_ascii_case(&url.host));
        let known = known.map(|(_, address)| Url { host: address.clone(), ..url.clone() });
        let there = self.network.redirected(url).or(known).unwrap_or_else(|| url.clone());
        let environment = |name: &str| std::env::var(name).ok();
        let proxy =
            self.network.proxy.as_ref().map(|choice| choice.for_url(&there, &environment)).transpose()?;
        let route = match proxy.flatten() {
            None => Route { target: load::resolve(&there)?, tunnel: None, lookup: self.lookup(&there) },
            Some(proxy) => {
                let host = match (proxy.protocol, proxy.looks_up) {
                    (ProxyProtocol::Socks5, false) => load::resolve(&there)?.ip().to_string(),
                    _ => there.host.clone(),
                };
                let at = Url { host: proxy.host, port: proxy.port, ..there.clone() };
                let (protocol, port, credentials) = (proxy.protocol, there.port, proxy.credentials);
                let tunnel = Tunnel { protocol, host, port, credentials };
                Route { target: load::resolve(&at)?, tunnel: Some(tunnel), lookup: None }
            }
        };
        let target = route.target;
        match self.network.sources.iter().all(|source| source.is_ipv4() == target.is_ipv4()) {
            true => Ok(route),
            false => Err(WayError::OtherFamily { target }),
        }
    }

    fn lookup(&self, there: &Url) -> Option<Lookup> {
        let every = self.network.dns_ttl?;
        Some(Lookup { host: there.host.clone(), port: there.port, every })
    }

    /// How connections to the server of a URL are encrypted, which are made to `target`. Without a word about certificates, those of a server
    /// on this machine are not verified.
    pub fn tls(&self, url: &Url, target: &Target, is_tunnelled: bool) -> Tls {
        let mut tls = Tls::new(&url.host, target, self.roots.clone());
        if is_tunnelled && self.roots.is_none() {
            // It is the proxy that is on this machine.
            tls.trust = Trust::Roots(Vec::new());
        }
        if self.network.insecure {
            tls.trust = Trust::Anyone;
        }
        tls.identity.clone_from(&self.identity);
        tls.version = self.network.tls;
        tls.ciphers.clone_from(&self.network.ciphers);
        if let Some(sni) = &self.network.sni {
            tls.server_name.clone_from(sni);
        }
        tls
    }
}

impl Route {
    /// Sends the load of a plan this way.
    pub(crate) fn guide(&self, plan: &mut Plan, way: &Way) {
        plan.target = Target::Tcp(self.target);
        plan.tunnel.clone_from(&self.tunnel);
        plan.lookup.clone_from(&self.lookup);
        plan.sources = way.sources().to_vec();
    }

    /// Has the proxy of the route, if it has one, connect a socket to the server.
    pub(crate) fn open_tunnel(&self, socket: &TcpStream) -> io::Result<()> {
        self.tunnel.as_ref().map_or(Ok(()), |tunnel| open_tunnel(socket, tunnel))
    }
}

fn read(path: &Path) -> Result<Vec<u8>, WayError> {
    std::fs::read(path).map_err(|source| WayError::Unreadable { path: path.to_owned(), source })
}

/// A client certificate: PEM with the key in another file or in the same one, or a store.
fn identity(cert: &Path, key: Option<&Path>) -> Result<Identity, WayError> {
    let chain = read(cert)?;
    let has = |text: &str| chain.windows(text.len()).any(|part| part == text.as_bytes());
    match key {
        Some(key) => Ok(Identity::Pem { key: read(key)?, chain }),
        None if has("PRIVATE KEY-----") => Ok(Identity::Pem { key: chain.clone(), chain }),
        None if has("-----BEGIN") => Err(WayError::NoKey { path: cert.to_owned() }),
        None => Ok(Identity::Pkcs12 { store: chain, password: std::env::var(PASSWORD).unwrap_or_default() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ask::network::Redirection;

    fn way(proxy: Option<&str>, connect_to: &[&str]) -> Way {
        let redirections = connect_to.iter().map(|text| Redirection::parse_connect_to(text));
        Way::read(&Network {
            proxy: proxy.map(|text| text.parse().expect("a proxy")),
            redirections: redirections.collect::<Result<_, _>>().expect("rules"),
            ..Network::default()
        })
        .expect("no file")
    }

    #[test]
    fn a_route_goes_to_the_proxy_and_names_the_server_there() {
        let url = Url::parse("https://shop.example/x").expect("a URL");
        let direct = way(None, &["shop.example:443:127.0.0.1:8443"]).to(&url, &[]).expect("a route");
        assert_eq!((direct.target.to_string().as_str(), direct.tunnel), ("127.0.0.1:8443", None));
        let by_http = way(Some("http://me:x@127.0.0.1:3128"), &[]).to(&url, &[]).expect("a route");
        let tunnel = by_http.tunnel.expect("a tunnel");
        assert_eq!((by_http.target.port(), tunnel.host.as_str(), tunnel.port), (3128, "shop.example", 443));
        assert_eq!(tunnel.credentials.map(|who| who.user).as_deref(), Some("me"));
        let known = [("shop.example".to_owned(), "127.0.0.9".to_owned())];
        let by_socks = way(Some("socks5://127.0.0.1:1080"), &[]).to(&url, &known).expect("a route");
        assert_eq!(by_socks.tunnel.expect("a tunnel").host, "127.0.0.9");
    }

    #[test]
    fn certificates_of_a_server_behind_a_proxy_of_this_machine_are_verified() {
        let url = Url::parse("https://127.0.0.1:8443/").expect("a URL");
        let target = Target::Tcp(([127, 0, 0, 1], 8443).into());
        let trust = |is_tunnelled| way(None, &[]).tls(&url, &target, is_tunnelled).trust;
        assert_eq!(trust(false), Trust::Anyone);
        assert_eq!(trust(true), Trust::Roots(Vec::new()));
    }
}
