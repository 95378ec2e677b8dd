//! [`HttpSending`]: sends points to a sink by HTTP.

use super::format::{HttpFormat, Request, Rest};
use super::point::Point;
use crate::outgoing::{self, HttpClient, OutgoingRequest, Trouble};
use import::Address;
use std::io;

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
        Ok(Self {
            format,
            address,
            authorization,
            client: HttpClient::new()?,
            is_prepared: false,
        })
    }

    /// Sends points; returns how many were refused one by one, with the reason for the first.
    pub(super) fn send(&mut self, points: &[Point]) -> Result<Option<Rest>, Trouble> {
        if let Some(request) = self.format.preparation().filter(|_| !self.is_prepared) {
            self.post(request)?;
        }
        self.is_prepared = true;
        let answer = self.post(self.format.request(points))?;
        Ok(self.format.refused_items(&answer))
    }

    /// Sends a request and returns the body of a good answer.
    fn post(&self, request: Request) -> Result<Vec<u8>, Trouble> {
        let address = &self.address;
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
                authorization: self.authorization.as_deref(),
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
        let secret = self.authorization.as_deref();
        let secrets = secret
            .into_iter()
            .flat_map(|secret| secret.split(' ').chain([secret]));
        outgoing::words(body, secrets)
    }
}
