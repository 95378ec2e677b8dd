//! A server that uses as little CPU time as possible: it parses nothing, and sends the same bytes whenever what it received
//! ends with an empty line. `cargo run --release -p load --example target -- 127.0.0.1:18080 [BODY BYTES] [close]`.

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, SocketFlags, accept_with, recv, send, sockopt};
use std::net::TcpListener;

const LISTENER: u64 = u64::MAX;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, rest @ ..] = arguments.as_slice() else {
        return Err("usage: target ADDRESS [BODY BYTES] [close]".into());
    };
    let length = rest.first().map_or(Ok(64), |text| text.parse())?;
    let close = rest.get(1).is_some_and(|word| word == "close");
    serve(address, answer(length, close), close)
}

fn answer(length: usize, close: bool) -> Vec<u8> {
    let connection = if close { "close" } else { "keep-alive" };
    let mut bytes = format!(
        "HTTP/1.1 200 OK\r\nServer: target\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\
         Connection: {connection}\r\n\r\n"
    )
    .into_bytes();
    bytes.resize(bytes.len() + length, b'x');
    bytes
}

fn serve(address: &str, answer: Vec<u8>, close: bool) -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind(address)?;
    rustix::net::listen(&listener, 4096)?; // std asks for 128
    listener.set_nonblocking(true)?;
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(&epoll, &listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
    let mut connections: Vec<Option<OwnedFd>> = Vec::new();
    let mut events = Vec::with_capacity(256);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        events.clear();
        match epoll::wait(&epoll, spare_capacity(&mut events), None) {
            Err(Errno::INTR) => continue, // the process was stopped and continued
            waited => waited?,
        };
        for event in &events {
            if event.data.u64() == LISTENER {
                accept(&listener, &epoll, &mut connections)?;
                continue;
            }
            let slot = event.data.u64() as usize;
            let Some(connection) = &connections[slot] else {
                continue;
            };
            if !exchange(connection, &mut buffer, &answer) || close {
                connections[slot] = None;
            }
        }
    }
}

fn accept(
    listener: &TcpListener,
    epoll: &OwnedFd,
    connections: &mut Vec<Option<OwnedFd>>,
) -> Result<(), Errno> {
    while let Ok(socket) = accept_with(listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
        sockopt::set_tcp_nodelay(&socket, true)?;
        let slot = socket.as_raw_fd() as usize;
        if connections.len() <= slot {
            connections.resize_with(slot + 1, || None);
        }
        epoll::add(epoll, &socket, EventData::new_u64(slot as u64), EventFlags::IN)?;
        connections[slot] = Some(socket);
    }
    Ok(())
}

/// Reads once and answers if a request has ended. Returns false when the connection has ended.
fn exchange(connection: &OwnedFd, buffer: &mut [u8], answer: &[u8]) -> bool {
    match recv(connection, &mut *buffer, RecvFlags::empty()) {
        Err(Errno::AGAIN) => true,
        Ok((length, _)) if length > 0 => {
            !buffer[..length].ends_with(b"\r\n\r\n") || send(connection, answer, SendFlags::NOSIGNAL).is_ok()
        }
        _ => false,
    }
}
