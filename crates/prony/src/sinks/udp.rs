//! Sends packets by UDP.

use crate::outgoing::Trouble;
use std::io;
use std::net::UdpSocket;

/// Sends packets to `HOST:PORT`. Nobody tells whether they arrive.
pub(super) fn send(place: &str, packets: &[String]) -> Result<(), Trouble> {
    let unreachable = |source: io::Error| Trouble::Unreachable(source.to_string());
    let socket = UdpSocket::bind(("::", 0)).or_else(|_| UdpSocket::bind(("0.0.0.0", 0)));
    let socket = socket.map_err(unreachable)?;
    for packet in packets {
        socket.send_to(packet.as_bytes(), place).map_err(unreachable)?;
    }
    Ok(())
}
