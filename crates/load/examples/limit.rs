//! Measures the limit that no generator can exceed, with a loop that only sends and receives. It parses and checks
//! nothing, reads the clock only to know when to end, and counts every read as a response.
//! `cargo run --release -p load --example limit -- 127.0.0.1:18080 96 5`.

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, connections, seconds] = arguments.as_slice() else {
        return Err("usage: limit ADDRESS CONNECTIONS SECONDS".into());
    };
    let request =
        format!("GET / HTTP/1.1\r\nHost: {address}\r\nUser-Agent: limit\r\nAccept: */*\r\n\r\n").into_bytes();
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    let mut sockets = Vec::new();
    for slot in 0..connections.parse()? {
        let socket = TcpStream::connect(address)?;
        socket.set_nonblocking(true)?;
        socket.set_nodelay(true)?;
        let flags = EventFlags::IN | EventFlags::RDHUP | EventFlags::ET;
        epoll::add(&epoll, &socket, EventData::new_u64(slot), flags)?;
        sockets.push(socket);
    }
    let ends = Instant::now() + Duration::from_secs_f64(seconds.parse()?);
    let mut events = Vec::with_capacity(256);
    let mut buffer = vec![0; 64 * 1024];
    let before = cpu();
    let mut answers = 0_u64;
    for socket in &sockets {
        send(socket, &request, SendFlags::NOSIGNAL)?;
    }
    while Instant::now() < ends {
        events.clear();
        epoll::wait(&epoll, spare_capacity(&mut events), None)?;
        for event in &events {
            let socket = &sockets[event.data.u64() as usize];
            recv(socket, &mut buffer[..], RecvFlags::empty())?;
            answers += 1;
            send(socket, &request, SendFlags::NOSIGNAL)?;
        }
    }
    let spent = cpu() - before;
    println!("{answers} answers, {:.0} requests per CPU second", answers as f64 / spent);
    Ok(())
}

/// CPU time of this process in seconds.
fn cpu() -> f64 {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::ProcessCPUTime);
    tv_sec as f64 + tv_nsec as f64 / 1e9
}
