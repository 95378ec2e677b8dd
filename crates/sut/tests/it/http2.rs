//! Servers that speak HTTP/2. What Tomcat writes into its access log proves it; the client here knows just enough of HTTP/2 to ask once.

use crate::common::{effective, eventually, lives, spec_with, start};
use crate::kinds::ask;
use ask::arm::settings::Settings;
use ask::arm::{AccessLog, HttpVersion, TlsStack};
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
use sut::Server;

/// HTTP/2 with a limit of streams.
fn http2() -> Settings {
    Settings { http: Some(HttpVersion::Two), max_streams: Some(37), ..Settings::default() }
}

/// Begins a connection with HTTP/2 and asks for `/hello` on stream 1. Returns the status, and the most streams that the server allows.
fn asked_by_http2(address: SocketAddr) -> (u16, Option<u32>) {
    let mut stream = TcpStream::connect(address).expect("connected");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
    // Preface, empty SETTINGS, and HEADERS that end the stream: GET, http, the path and an authority, all by RFC 7541 without Huffman.
    let mut head = vec![0x82, 0x86, 0x44, 6];
    head.extend(b"/hello");
    head.extend([0x41, 4]);
    head.extend(b"name");
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    bytes.extend([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    bytes.extend([0, 0, head.len() as u8, 1, 5, 0, 0, 0, 1]);
    bytes.extend(head);
    stream.write_all(&bytes).expect("sent");
    let mut most = None;
    loop {
        let mut frame = [0; 9];
        stream.read_exact(&mut frame).expect("a frame of HTTP/2");
        let length = u32::from_be_bytes([0, frame[0], frame[1], frame[2]]) as usize;
        assert!(length <= 16_384, "no frame of HTTP/2: {frame:?}");
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload).expect("its payload");
        match (frame[3], frame[4]) {
            (4, 0) => {
                let number = |entry: &[u8]| u32::from_be_bytes([entry[2], entry[3], entry[4], entry[5]]);
                let streams = payload.chunks(6).find(|entry| entry[..2] == [0, 3]);
                most = streams.map(number).or(most);
            }
            // The status is a field of the static table in every answer of these servers.
            (1, _) => match first_field(&payload) {
                Some(0x88) => return (200, most),
                other => panic!("the head begins with {other:x?}"),
            },
            (7, _) => panic!("the server ends the connection: {payload:?}"),
            _ => {}
        }
    }
}

/// The first field of a head, behind changes of the table's size.
fn first_field(block: &[u8]) -> Option<u8> {
    let mut rest = block;
    loop {
        let (first, behind) = rest.split_first()?;
        if first & 0xe0 != 0x20 {
            return Some(*first);
        }
        let more = behind.iter().position(|byte| byte & 0x80 == 0).filter(|_| first & 0x1f == 0x1f);
        rest = &behind[more.map_or(0, |end| end + 1)..];
    }
}

/// The lines of the access logs in the folder of a server.
fn access_log_of(server: &Server) -> String {
    let logs = fs::read_dir(format!("/proc/{}/cwd/logs", server.pid())).into_iter().flatten().flatten();
    let written = logs.filter(|log| log.file_name().to_string_lossy().starts_with("access"));
    written.map(|log| fs::read_to_string(log.path()).unwrap_or_default()).collect()
}

/// Starts a server over clear text, asks it by HTTP/2, and checks the limit of its streams and what it wrote, where it writes an access log.
#[track_caller]
fn speaks_http2(name: &str, handler: &str, access_log: Option<AccessLog>) {
    let spec = spec_with(name, "hello", Settings { access_log, ..http2() });
    let server = start(&spec).unwrap_or_else(|error| panic!("{error}: {:#?}", error.log()));
    let handlers = effective(&server).protocol_handler;
    assert_eq!(handlers.as_deref(), Some(handler), "{name}");
    assert_eq!(asked_by_http2(server.addr()), (200, Some(37)), "{name}");
    assert_eq!(ask(server.addr(), "GET", "/json", "").0, 200, "{name} still speaks HTTP/1.1");
    let line = "\"GET /hello HTTP/2.0\" 200";
    if access_log.is_some() {
        eventually(line, || access_log_of(&server).contains(line));
    }
    let pid = server.pid();
    server.stop().expect("stopped");
    assert!(!lives(pid));
}

#[test]
fn tomcat_speaks_http2_over_clear_text_with_the_limit_of_its_arm() {
    speaks_http2("tomcat:10.1.29", "http-nio, h2c", Some(AccessLog::Unbuffered));
}

#[test]
fn jetty_speaks_http2_over_clear_text_with_the_limit_of_its_arm() {
    speaks_http2("jetty:12.1.12", "ServerConnector (http/1.1, h2c)", None);
}

#[test]
fn undertow_speaks_http2_over_clear_text_with_the_limit_of_its_arm() {
    speaks_http2("undertow:2.3.26.Final", "http", None);
}

#[test]
fn tomcat_and_jetty_offer_http2_in_the_handshake() {
    for name in ["tomcat:10.1.29", "jetty:12.1.12"] {
        let settings = Settings { tls: Some(TlsStack::Jsse), ..http2() };
        let server = start(&spec_with(name, "hello", settings));
        let server = server.unwrap_or_else(|error| panic!("{error}: {:#?}", error.log()));
        let handler = effective(&server).protocol_handler;
        assert!(handler.as_ref().is_some_and(|handler| handler.contains(", h2")), "{name}: {handler:?}");
        server.stop().expect("stopped");
    }
}
