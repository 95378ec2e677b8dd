//! Proxies of HTTP and SOCKS 5, which note what they are asked for.

use crate::{run, window};
use load::{Fault, RequestBuilder, Slice, Url, open_tunnel};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use testkit::{Reply, Script, ScriptedServer};
use traffic::plan::{Arrivals, Credentials, Plan, ProxyProtocol, Reuse, Tunnel};

/// A proxy on a port of its own. It connects to whatever it is asked for, and its threads end with their connections.
struct Proxy {
    address: SocketAddr,
    /// Each request for a connection: user and password where they were given, and where to.
    log: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// A proxy that lets in only whoever knows the password, if there is one.
    fn start(password: Option<&'static str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = listener.local_addr().expect("an address");
        let log = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&log);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let noted = Arc::clone(&noted);
                std::thread::spawn(move || answer(client, password, &noted));
            }
        });
        Self { address, log }
    }

    fn plan(&self, protocol: ProxyProtocol, server: SocketAddr, credentials: Option<Credentials>) -> Plan {
        let url = Url::parse(&format!("http://{server}/")).expect("a URL");
        let request = RequestBuilder::new(&url).build().expect("a request");
        let tunnel = Tunnel { protocol, host: server.ip().to_string(), port: server.port(), credentials };
        Plan {
            tunnel: Some(tunnel),
            limit: Some(20),
            reuse: Reuse::Never,
            ..Plan::new(self.address, vec![request], Arrivals::Closed { users: 2 })
        }
    }

    fn load(&self, protocol: ProxyProtocol, server: SocketAddr, credentials: Option<Credentials>) -> Slice {
        run(self.plan(protocol, server, credentials), window(0, 60_000))
    }

    fn log(&self) -> Vec<String> {
        self.log.lock().expect("no panic").clone()
    }
}

fn answer(mut client: TcpStream, password: Option<&str>, log: &Mutex<Vec<String>>) -> Option<()> {
    let mut first = [0];
    client.read_exact(&mut first).ok()?;
    let (to, success): (String, &[u8]) = match first[0] {
        5 => (socks(&mut client, password, log)?, &[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
        _ => (connect(&mut client, password, log)?, b"HTTP/1.1 200 Connection established\r\n\r\n"),
    };
    let server = TcpStream::connect(to).ok()?;
    client.write_all(success).ok()?;
    let (mut from, mut into) = (client.try_clone().ok()?, server.try_clone().ok()?);
    std::thread::spawn(move || {
        std::io::copy(&mut from, &mut into).ok();
        into.shutdown(Shutdown::Write).ok();
    });
    std::io::copy(&mut &server, &mut client).ok();
    client.shutdown(Shutdown::Both).ok()
}

/// The rest of a request of HTTP, whose first byte was read.
fn connect(client: &mut TcpStream, password: Option<&str>, log: &Mutex<Vec<String>>) -> Option<String> {
    let mut head = b"C".to_vec();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte).ok()?;
        head.extend(byte);
    }
    let head = String::from_utf8(head).ok()?;
    log.lock().ok()?.push(head.clone());
    if password.is_some_and(|password| !head.contains(&format!("Basic {password}\r\n"))) {
        client.write_all(b"HTTP/1.1 407 Who are you?\r\nContent-Length: 0\r\n\r\n").ok()?;
        return None;
    }
    Some(head.strip_prefix("CONNECT ")?.split(' ').next()?.to_owned())
}

fn socks(client: &mut TcpStream, password: Option<&str>, log: &Mutex<Vec<String>>) -> Option<String> {
    let mut write = client.try_clone().ok()?;
    let mut read = |count: usize| {
        let mut bytes = vec![0; count];
        client.read_exact(&mut bytes).ok().map(|()| bytes)
    };
    let methods = read(1)?[0];
    read(methods.into())?;
    let mut said = String::new();
    if let Some(password) = password {
        write.write_all(&[5, 2]).ok()?;
        let length = read(2)?[1];
        said += &String::from_utf8(read(length.into())?).ok()?;
        let length = read(1)?[0];
        said += &format!(":{}", String::from_utf8(read(length.into())?).ok()?);
        let is_right = said.ends_with(password);
        write.write_all(&[1, u8::from(!is_right)]).ok()?;
        is_right.then_some(())?;
    } else {
        write.write_all(&[5, 0]).ok()?;
    }
    let request = read(4 + 4 + 2)?;
    let [5, 1, 0, 1, a, b, c, d, high, low] = request.as_slice() else { return None };
    let to = format!("{a}.{b}.{c}.{d}:{}", u16::from_be_bytes([*high, *low]));
    log.lock().ok()?.push(format!("{said} {to}"));
    Some(to)
}

fn me(password: &str) -> Option<Credentials> {
    Some(Credentials { user: "me".to_owned(), password: password.to_owned() })
}

#[test]
fn each_connection_is_asked_of_the_proxy_and_then_is_the_servers() {
    let server = ScriptedServer::start(Script::new(Reply::ok("hello"))).expect("a server");
    let proxy = Proxy::start(None);
    let slice = proxy.load(ProxyProtocol::Http, server.address(), None);
    assert_eq!((slice.ok, slice.connects, slice.faults.total()), (20, 20, 0), "{:?}", slice.faults);
    let asked = format!("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n\r\n", server.address());
    assert_eq!(proxy.log(), vec![asked; 20]);
    let socks = Proxy::start(None);
    let slice = socks.load(ProxyProtocol::Socks5, server.address(), None);
    assert_eq!((slice.ok, slice.faults.total()), (20, 0), "{:?}", slice.faults);
    assert_eq!(socks.log(), vec![format!(" {}", server.address()); 20]);
}

#[test]
fn a_proxy_that_does_not_know_the_password_is_a_fault_of_its_own() {
    let server = ScriptedServer::start(Script::new(Reply::ok("hello"))).expect("a server");
    // me:secret
    let proxies = [
        (ProxyProtocol::Http, Proxy::start(Some("bWU6c2VjcmV0"))),
        (ProxyProtocol::Socks5, Proxy::start(Some(":secret"))),
    ];
    for (protocol, proxy) in proxies {
        assert_eq!(proxy.load(protocol, server.address(), me("secret")).ok, 20, "{protocol:?}");
        for credentials in [me("wrong"), None] {
            let mut plan = proxy.plan(protocol, server.address(), credentials);
            plan.limit = Some(2);
            let slice = run(plan, window(0, 60_000));
            assert_eq!((slice.ok, slice.faults.count(Fault::Proxy)), (0, 2), "{:?}", slice.faults);
        }
        // A request beside the load goes the same way.
        let tunnel =
            |credentials| proxy.plan(protocol, server.address(), credentials).tunnel.expect("a tunnel");
        let socket = || TcpStream::connect(proxy.address).expect("connected");
        assert!(open_tunnel(&socket(), &tunnel(me("wrong"))).is_err());
        let mut through = socket();
        open_tunnel(&through, &tunnel(me("secret"))).expect("open");
        through.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").expect("sent");
        let mut answer = [0; 12];
        through.read_exact(&mut answer).expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 200");
    }
}
