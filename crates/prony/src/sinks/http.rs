//! Sinks that are sent to by HTTP: their address ([`place`]), what their formats have to say ([`HttpFormat`]), and how they are sent to.

use super::kind::{BadAddress, Place, Rest, Sending};
use super::point::{Point, Source};
use super::trace::Trace;
use crate::failure::Failure;
use crate::outgoing::{self, HttpClient, OutgoingRequest, Trouble};
use import::Address;
use std::fmt;

/// Answers of servers that take no traces: there is nothing at that path, or nothing that takes them.
const NO_TRACES: [u16; 3] = [404, 405, 501];

/// Parameters of a URL that hold a secret, as InfluxDB and others take them.
const SECRET_PARAMETERS: [&str; 7] = ["p", "password", "token", "access_token", "api_key", "apikey", "key"];

/// How points are written in a format, and what an answer says.
#[derive(Clone, Copy)]
pub(super) struct HttpFormat {
    /// The request that tells a sink how to store points, where it has to know.
    pub(super) preparation: Option<fn() -> Request>,
    /// The request that stores points.
    pub(super) points: fn(&[Point]) -> Request,
    /// The points that a good answer refuses nevertheless.
    pub(super) refused: fn(&[u8]) -> Option<Rest>,
    /// The request that stores a trace, beside the path for points, where the format has one.
    pub(super) trace: Option<fn(&Trace) -> Request>,
}

/// A request to a sink.
pub(super) struct Request {
    pub(super) method: &'static str,
    /// What follows the address of the sink; `None` where the address is complete.
    pub(super) path: Option<&'static str>,
    pub(super) headers: &'static [(&'static str, &'static str)],
    pub(super) body: Vec<u8>,
}

impl HttpFormat {
    /// A format that has points alone, and whose answers are good or bad as a whole.
    pub(super) const fn of_points(points: fn(&[Point]) -> Request) -> Self {
        Self { preparation: None, points, refused: |_| None, trace: None }
    }
}

/// Reads a URL.
///
/// # Errors
///
/// [`BadAddress::NoAddress`], and [`BadAddress::HasSecret`] where it holds a secret.
pub(super) fn place(address: &str, format: HttpFormat) -> Result<Box<dyn Place>, BadAddress> {
    if !address.starts_with("http://") && !address.starts_with("https://") {
        return Err(BadAddress::NoAddress);
    }
    let address = Address::parse(address).map_err(|_| BadAddress::NoAddress)?;
    let query = address.path.split_once('?').map_or("", |(_, query)| query);
    let names = query.split('&').map(|pair| pair.split('=').next().unwrap_or_default());
    let mut secrets = names.filter(|name| SECRET_PARAMETERS.contains(&name.to_ascii_lowercase().as_str()));
    if address.user.is_some() || secrets.next().is_some() {
        return Err(BadAddress::HasSecret);
    }
    Ok(Box::new(HttpPlace { format, address }))
}

struct HttpPlace {
    format: HttpFormat,
    address: Address,
}

/// Without the query, which is of no use to a reader and may hold what should not be shown.
impl fmt::Display for HttpPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}", self.address.origin())
    }
}

impl Place for HttpPlace {
    fn open(&self, authorization: Option<&str>) -> Result<Box<dyn Sending>, Failure> {
        Ok(Box::new(HttpSending {
            format: self.format,
            address: self.address.clone(),
            authorization: authorization.map(str::to_owned),
            client: HttpClient::new()?,
            is_prepared: false,
        }))
    }
}

/// Sends to one sink.
struct HttpSending {
    format: HttpFormat,
    address: Address,
    /// The value of the header `Authorization`.
    authorization: Option<String>,
    client: HttpClient,
    /// Whether the sink was told how to store points.
    is_prepared: bool,
}

impl Sending for HttpSending {
    /// Sends points and then traces.
    fn send(&mut self, batch: &[Source]) -> Result<Option<Rest>, Trouble> {
        if let Some(request) = self.format.preparation.filter(|_| !self.is_prepared) {
            self.post(request())?;
        }
        self.is_prepared = true;
        let points: Vec<Point> = batch.iter().filter_map(Source::point).collect();
        let refused = match &points[..] {
            [] => None,
            points => {
                let answer = self.post((self.format.points)(points))?;
                (self.format.refused)(&answer)
            }
        };
        let lost = batch.iter().filter_map(Source::trace).filter_map(|trace| self.send_trace(trace));
        Ok(lost.fold(refused, |rest, trouble| {
            Some(Rest {
                items: 1 + rest.as_ref().map_or(0, |rest| rest.items),
                trouble: rest.map_or(trouble, |rest| rest.trouble),
            })
        }))
    }
}

impl HttpSending {
    /// Sends a trace beside the points that are sent already; returns why it was refused. Some servers take metrics alone, which is no
    /// trouble.
    fn send_trace(&self, trace: &Trace) -> Option<Trouble> {
        let request = self.format.trace?(trace);
        let path = self.address.path.strip_suffix("/v1/metrics")?;
        let refused = self.post_to(&format!("{path}/v1/traces"), request);
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
