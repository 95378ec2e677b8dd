//! Sinks that are sent to by UDP.

use super::kind::{BadAddress, Place, Rest, Sending};
use super::point::{Point, Source};
use crate::failure::Failure;
use crate::outgoing::Trouble;
use std::fmt;
use std::io;
use std::net::UdpSocket;

/// Writes points as packets.
type ToPackets = fn(&[Point]) -> Vec<String>;

/// Reads `HOST:PORT`.
///
/// # Errors
///
/// [`BadAddress::NoAddress`].
pub(super) fn place(address: &str, packets: ToPackets) -> Result<Box<dyn Place>, BadAddress> {
    let (host, port) = address.rsplit_once(':').ok_or(BadAddress::NoAddress)?;
    match port.parse::<u16>() {
        Ok(_) if !host.is_empty() && !host.contains(['/', '@']) => {
            Ok(Box::new(UdpPlace { address: address.to_owned(), packets }))
        }
        _ => Err(BadAddress::NoAddress),
    }
}

#[derive(Clone)]
struct UdpPlace {
    /// `HOST:PORT`.
    address: String,
    packets: ToPackets,
}

impl fmt::Display for UdpPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}", self.address)
    }
}

impl Place for UdpPlace {
    fn open(&self, _authorization: Option<&str>) -> Result<Box<dyn Sending>, Failure> {
        Ok(Box::new(self.clone()))
    }
}

impl Sending for UdpPlace {
    /// Nobody tells whether the packets arrive.
    fn send(&mut self, batch: &[Source]) -> Result<Option<Rest>, Trouble> {
        let unreachable = |source: io::Error| Trouble::Unreachable(source.to_string());
        let socket = UdpSocket::bind(("::", 0)).or_else(|_| UdpSocket::bind(("0.0.0.0", 0)));
        let socket = socket.map_err(unreachable)?;
        let points: Vec<Point> = batch.iter().filter_map(Source::point).collect();
        for packet in (self.packets)(&points) {
            socket.send_to(packet.as_bytes(), self.address.as_str()).map_err(unreachable)?;
        }
        Ok(None)
    }
}
