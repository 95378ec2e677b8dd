//! A server of HTTP/2 over clear text that answers after a fixed delay. After some seconds it stops and prints how long its answers really
//! took: `cargo run --release -p load --example keeper_http2 -- 127.0.0.1:18080 DELAY-MS SECONDS`.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};
use testkit::told_delays;

/// A wait may end this much too late. So waits are shorter by this time, and the rest of a delay is spent polling.
const WAIT_INACCURACY: Duration = Duration::from_micros(100);
const PREFACE: usize = 24;
const HEADER: usize = 9;

/// A connection, and the requests that are not answered yet: their streams, and when they had been read.
struct Connection {
    socket: TcpStream,
    received: Vec<u8>,
    /// Bytes of the preface that have not come yet.
    preface: usize,
    open: VecDeque<(u32, Instant)>,
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    bytes.extend_from_slice(&[kind, flags]);
    bytes.extend_from_slice(&stream.to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

impl Connection {
    fn accepted(mut socket: TcpStream) -> std::io::Result<Self> {
        socket.set_nodelay(true)?;
        socket.write_all(&frame(4, 0, 0, &[]))?;
        socket.set_nonblocking(true)?;
        Ok(Self { socket, received: Vec::new(), preface: PREFACE, open: VecDeque::new() })
    }

    /// Reads what has come. Returns false when the client has closed the connection.
    fn read(&mut self) -> bool {
        let mut buffer = [0; 16 * 1024];
        loop {
            match self.socket.read(&mut buffer) {
                Ok(0) => return false,
                Ok(length) => self.received.extend_from_slice(&buffer[..length]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => return false,
            }
        }
        let now = Instant::now();
        let preface = self.preface.min(self.received.len());
        self.received.drain(..preface);
        self.preface -= preface;
        while let Some(length) = self.whole_frame() {
            let taken: Vec<u8> = self.received.drain(..HEADER + length).collect();
            let stream = u32::from_be_bytes([taken[5], taken[6], taken[7], taken[8]]);
            match (taken[3], taken[4]) {
                // The headers of a request that has no body.
                (1, flags) if flags & 1 == 1 => self.open.push_back((stream, now)),
                (4, 0) => self.write(&frame(4, 1, 0, &[])),
                (6, 0) => self.write(&frame(6, 1, 0, &taken[HEADER..])),
                _ => {}
            }
        }
        true
    }

    /// The length of the first frame, if all of it is there.
    fn whole_frame(&self) -> Option<usize> {
        let header = self.received.get(..HEADER)?;
        let length = u32::from_be_bytes([0, header[0], header[1], header[2]]) as usize;
        (self.received.len() >= HEADER + length).then_some(length)
    }

    /// Writes; what a client does not take at once is lost, which no client of such short answers does.
    fn write(&mut self, bytes: &[u8]) {
        self.socket.write_all(bytes).ok();
    }

    /// Answers the requests whose time has come, and adds their real delays.
    fn answer(&mut self, delay: Duration, delays: &mut Vec<Duration>) {
        while let Some(&(stream, requested)) = self.open.front() {
            let took = requested.elapsed();
            if took < delay {
                return;
            }
            self.open.pop_front();
            delays.push(took);
            // `:status: 200` by its number in the static table.
            self.write(&[frame(1, 4, stream, b"\x88"), frame(0, 1, stream, &[b'x'; 64])].concat());
        }
    }
}

/// Waits until something comes, or until shortly before the next answer is due.
fn wait(listener: &TcpListener, connections: &[Connection], delay: Duration) -> std::io::Result<()> {
    let earliest =
        connections.iter().filter_map(|connection| connection.open.front()).map(|(_, at)| *at).min();
    let left = earliest.map_or(Duration::from_millis(10), |at| delay.saturating_sub(at.elapsed()));
    let left = left.saturating_sub(WAIT_INACCURACY);
    let timeout = Timespec { tv_sec: 0, tv_nsec: left.as_nanos() as i64 };
    let mut events: Vec<PollFd<'_>> =
        connections.iter().map(|one| PollFd::new(&one.socket, PollFlags::IN)).collect();
    events.push(PollFd::new(listener, PollFlags::IN));
    poll(&mut events, Some(&timeout))?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, delay, seconds] = arguments.as_slice() else {
        return Err("usage: keeper_http2 ADDRESS DELAY-MS SECONDS".into());
    };
    let delay = Duration::from_secs_f64(delay.parse::<f64>()? / 1e3);
    let end = Instant::now() + Duration::from_secs_f64(seconds.parse()?);
    // Without this a wait ends up to 50 us too late.
    rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1)).ok();
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let (mut connections, mut delays) = (Vec::new(), Vec::new());
    while Instant::now() < end {
        wait(&listener, &connections, delay)?;
        if let Ok((socket, _)) = listener.accept() {
            connections.push(Connection::accepted(socket)?);
        }
        connections.retain_mut(|connection| {
            connection.answer(delay, &mut delays);
            connection.read()
        });
    }
    println!("{}", told_delays(delays));
    Ok(())
}
