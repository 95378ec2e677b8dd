//! Sends points to a sink by HTTP or UDP.

use super::format::{Format, Request, Rest};
use super::point::Point;
use super::target::{Place, SinkTarget};
use crate::outgoing::{self, HttpClient, OutgoingRequest, Trouble};
use import::Address;
use std::io;
use std::net::UdpSocket;

/// Sends to one sink.
pub(super) struct Sending {
    target: SinkTarget,
    client: HttpClient,
    /// Whether the sink was told how to store points.
    is_prepared: bool,
}

impl Sending {
    /// Prepares to send.
    pub(super) fn new(target: SinkTarget) -> io::Result<Self> {
        Ok(Self {
            target,
            client: HttpClient::new()?,
            is_prepared: false,
        })
    }

    /// Sends points; returns how many were refused one by one, with the reason for the first.
    pub(super) fn send(&mut self, points: &[Point]) -> Result<Option<Rest>, Trouble> {
        match &self.target.place {
            Place::Udp(place) => send_packets(place, &self.target.format.packets(points)).map(|()| None),
            Place::Http(address) => {
                let address = address.clone();
                self.send_by_http(&address, points)
            }
        }
    }

    fn send_by_http(&mut self, address: &Address, points: &[Point]) -> Result<Option<Rest>, Trouble> {
        let format: Format = self.target.format;
        if let Some(request) = format.preparation().filter(|_| !self.is_prepared) {
            self.post(address, request)?;
        }
        self.is_prepared = true;
        let answer = self.post(address, format.request(points))?;
        Ok(format.refused_items(&answer))
    }

    /// Sends a request and returns the body of a good answer.
    fn post(&self, address: &Address, request: Request) -> Result<Vec<u8>, Trouble> {
        let path = request.path.map_or_else(
            || address.path.clone(),
            |path| format!("{}{path}", address.path.trim_end_matches('/')),
        );
        let (status, body) = self.client.send(
            address,
            OutgoingRequest {
                method: request.method,
                path: &path,
                headers: request.headers,
                authorization: self.target.authorization.as_deref(),
                body: request.body,
            },
        )?;
        match status {
            200..=299 => Ok(body),
            _ => Err(Trouble::Refused {
                status,
                words: self.words(&body),
            }),
        }
    }

    /// The begin of what a server says, without what is secret.
    fn words(&self, body: &[u8]) -> String {
        let secret = self.target.authorization.as_deref();
        let secrets = secret
            .into_iter()
            .flat_map(|secret| secret.split(' ').chain([secret]));
        outgoing::words(body, secrets)
    }
}

fn send_packets(place: &str, packets: &[String]) -> Result<(), Trouble> {
    let unreachable = |source: io::Error| Trouble::Unreachable(source.to_string());
    let socket = UdpSocket::bind(("::", 0)).or_else(|_| UdpSocket::bind(("0.0.0.0", 0)));
    let socket = socket.map_err(unreachable)?;
    for packet in packets {
        socket.send_to(packet.as_bytes(), place).map_err(unreachable)?;
    }
    Ok(())
}
