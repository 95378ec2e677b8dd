//! [`HttpSending`]: sends points to a sink by HTTP.

use super::format::{HttpFormat, Request, Rest, otlp};
use super::point::Point;
use super::trace::Trace;
use crate::outgoing::{self, HttpClient, OutgoingRequest, Trouble};
use import::Address;
use std::io;

/// Answers of servers that take no traces: there is nothing at that path, or nothing that takes them.
const NO_TRACES: [u16; 3] = [404, 405, 501];

/// Sends to one sink.
pub(super) struct HttpSending {
    format: HttpFormat,
    address: Address,
    /// The value of the header `Authorization`.
    authorization: Option<String>,
    client: HttpClient,
    /// Whether the sink was told how to store points.
    is_prepared: bool,
}

impl HttpSending {
    /// Prepares to send.
    pub(super) fn new(
        format: HttpFormat,
        address: Address,
        authorization: Option<String>,
    ) -> io::Result<Self> {
        Ok(Self { format, address, authorization, client: HttpClient::new()?, is_prepared: false })
    }

    /// Sends points and then traces; returns how many were refused one by one, with the reason for the first.
    pub(super) fn send(&mut self, points: &[Point], traces: &[&Trace]) -> Result<Option<Rest>, Trouble> {
        if let Some(request) = self.format.preparation().filter(|_| !self.is_prepared) {
            self.post(request)?;
        }
        self.is_prepared = true;
        let refused = match points {
            [] => None,
            points => {
                let answer = self.post(self.format.request(points))?;
                self.format.refused_items(&answer)
            }
        };
        let lost = traces.iter().filter_map(|trace| self.send_trace(trace));
        Ok(lost.fold(refused, |rest, trouble| {
            Some(Rest {
                items: 1 + rest.as_ref().map_or(0, |rest| rest.items),
                trouble: rest.map_or(trouble, |rest| rest.trouble),
            })
        }))
    }

    /// Sends a trace beside the points that are sent already; returns why it was refused. Some servers take metrics alone, which is no
    /// trouble.
    fn send_trace(&self, trace: &Trace) -> Option<Trouble> {
        let path = self.address.path.strip_suffix("/v1/metrics")?;
        let refused = self.post_to(&format!("{path}/v1/traces"), otlp::trace_request(trace));
        match refused.err()? {
            Trouble::Refused { status, .. } if NO_TRACES.contains(&status) => None,
            trouble => Some(trouble),
        }
    }

    /// Sends a request and returns the body of a good answer.
    fn post(&self, request: Request) -> Result<Vec<u8>, Trouble> {
        let address = &self.address;
        let path = request.path.map_or_else(
            || address.path.clone(),
            |path| format!("{}{path}", address.path.trim_end_matches('/')),
        );
        self.post_to(&path, request)
    }

    /// Sends a request to this path and returns the body of a good answer.
    fn post_to(&self, path: &str, request: Request) -> Result<Vec<u8>, Trouble> {
        let (status, body) = self.client.send(
            &self.address,
            OutgoingRequest {
                method: request.method,
                path,
                headers: request.headers,
                authorization: self.authorization.as_deref(),
                body: request.body,
            },
        )?;
        match status {
            200..=299 => Ok(body),
            _ => Err(Trouble::Refused { status, words: self.words(&body) }),
        }
    }

    /// The begin of what a server says, without what is secret.
    fn words(&self, body: &[u8]) -> String {
        let secret = self.authorization.as_deref();
        let secrets = secret.into_iter().flat_map(|secret| secret.split(' ').chain([secret]));
        outgoing::words(body, secrets)
    }
}
