//! Measures the link to another host, by a connection that takes the way of the load, and not the way of ssh.

use super::Link;
use super::wire::{Reply, Request};
use crate::error::{Error, HostTrouble};
use model::units::Nanos;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

/// The number of bytes that are sent and come back, one after the other; the quickest is the round trip.
const ROUND_TRIPS: usize = 20;
/// The time for which the host sends as much as it can.
const STREAM: Duration = Duration::from_millis(300);
/// The time from its first byte on in which nothing is counted, because TCP starts slowly.
const WARM_UP: Duration = Duration::from_millis(100);
/// The time that a connection, and each byte, may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The length of a piece of the stream in bytes.
const CHUNK: usize = 1 << 16;

/// What a link is like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Speed {
    /// Where the host was reached.
    pub(super) address: IpAddr,
    /// The shortest round trip of a byte.
    pub(super) round_trip: Nanos,
    /// What the host can send, in bits per second.
    pub(super) rate: f64,
}

/// Measures the link: its round trip, and how much the host can send.
pub(super) fn measure(link: &Link) -> Result<Speed, Error> {
    let reply = link.ask(&Request::Listen, &AtomicBool::new(false))?;
    let Reply::Listening(address) = reply else {
        return Err(link.error(HostTrouble::Strange));
    };
    measured(address).map_err(|error| {
        link.error(HostTrouble::Unreachable { address: address.ip(), why: error.to_string() })
    })
}

fn measured(address: SocketAddr) -> io::Result<Speed> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut byte = [0];
    let mut round_trip = Nanos(u64::MAX);
    for _ in 0..ROUND_TRIPS {
        let sent = Instant::now();
        stream.write_all(&byte)?;
        stream.read_exact(&mut byte)?;
        round_trip = round_trip.min(sent.elapsed().into());
    }
    let mut chunk = vec![0; CHUNK];
    let begun = Instant::now();
    let (mut counted, mut since, mut last) = (0, None, begun);
    loop {
        let length = stream.read(&mut chunk)?;
        if length == 0 {
            break;
        }
        last = Instant::now();
        match since {
            Some(_) => counted += length,
            None if last - begun > WARM_UP => since = Some(last),
            None => {}
        }
    }
    let seconds = since.map_or(0.0, |since| (last - since).as_secs_f64());
    Ok(Speed { address: address.ip(), round_trip, rate: counted as f64 * 8.0 / seconds.max(1e-9) })
}

/// Listens for one connection, on which a thread echoes bytes and then sends as much as it can.
pub(super) fn listen(at: IpAddr) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((at, 0))?;
    let address = listener.local_addr()?;
    listener.set_nonblocking(true)?;
    thread::spawn(move || {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Ok((stream, _)) = listener.accept() {
                let _ = serve(stream);
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
    });
    Ok(address)
}

fn serve(mut stream: TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut byte = [0];
    for _ in 0..ROUND_TRIPS {
        stream.read_exact(&mut byte)?;
        stream.write_all(&byte)?;
    }
    let begun = Instant::now();
    while begun.elapsed() < STREAM {
        stream.write_all(&[0; CHUNK])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn a_link_has_a_round_trip_and_a_rate() {
        let address = listen(Ipv4Addr::LOCALHOST.into()).expect("it listens");
        let speed = measured(address).expect("measured");
        assert!(speed.round_trip > Nanos(0) && speed.round_trip < PATIENCE.into(), "{speed:?}");
        assert!(speed.rate > 1e6, "the loopback is quicker: {speed:?}");
    }
}
