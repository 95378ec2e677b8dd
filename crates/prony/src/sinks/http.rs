//! Sends points to a sink by HTTP or UDP.

use super::format::{Format, Request, Rest};
use super::point::Point;
use super::target::{Place, SinkTarget};
use super::trouble::Trouble;
use crate::record::Upstream;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use import::Address;
use std::io;
use std::net::UdpSocket;
use std::time::Duration;

/// The longest time that a sink may take for its answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// The largest answer that is read.
const LARGEST_ANSWER: usize = 1 << 20;
/// The longest part of what a server says that is told.
const LONGEST_WORDS: usize = 200;

/// Sends to one sink.
pub(super) struct Sending {
    target: SinkTarget,
    runtime: tokio::runtime::Runtime,
    /// Whether the sink was told how to store points.
    is_prepared: bool,
}

impl Sending {
    /// Prepares to send.
    pub(super) fn new(target: SinkTarget) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        Ok(Self {
            target,
            runtime,
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
        let exchange = exchange(address, request, self.target.authorization.as_deref());
        let bounded = async { tokio::time::timeout(ANSWER_TIMEOUT, exchange).await };
        let (status, body) = self
            .runtime
            .block_on(bounded)
            .map_err(|_| Trouble::Slow)?
            .map_err(|source| Trouble::Unreachable(source.to_string()))?;
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
        let text = String::from_utf8_lossy(body);
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let secret = self.target.authorization.as_deref();
        let secrets = secret
            .into_iter()
            .flat_map(|secret| secret.split(' ').chain([secret]));
        let mut line = line;
        for secret in secrets.filter(|secret| secret.len() > 6) {
            line = line.replace(secret, "…");
        }
        line.chars().take(LONGEST_WORDS).collect()
    }
}

async fn exchange(
    address: &Address,
    request: Request,
    authorization: Option<&str>,
) -> io::Result<(u16, Vec<u8>)> {
    let path = request.path.map_or_else(
        || address.path.clone(),
        |path| format!("{}{path}", address.path.trim_end_matches('/')),
    );
    let mut builder = hyper::Request::builder()
        .method(request.method)
        .uri(path)
        .header("Host", &address.host)
        .header("User-Agent", concat!("prony/", env!("CARGO_PKG_VERSION")));
    for (name, value) in request.headers {
        builder = builder.header(*name, *value);
    }
    if let Some(value) = authorization {
        builder = builder.header("Authorization", value);
    }
    let request = builder.body(Full::new(Bytes::from(request.body)));
    let request = request.map_err(io::Error::other)?;
    let upstream = Upstream { accepts_any: false };
    let answer = upstream.send(address, request).await?;
    let status = answer.status().as_u16();
    let body = Limited::new(answer.into_body(), LARGEST_ANSWER).collect().await;
    let body = body.map_err(io::Error::other)?.to_bytes().to_vec();
    Ok((status, body))
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
