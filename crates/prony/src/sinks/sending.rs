//! [`Sending`]: brings points to where a sink is.

use super::format::{Rest, statsd};
use super::http::HttpSending;
use super::jtl::JtlFile;
use super::point::{Point, Source};
use super::scrape::ScrapePage;
use super::target::{Place, SinkTarget};
use super::udp;
use crate::failure::Failure;
use crate::outgoing::Trouble;

/// How points are brought there.
pub(super) enum Sending {
    /// By HTTP.
    Http(HttpSending),
    /// By UDP, to `HOST:PORT`.
    Statsd(String),
    /// They are shown, and Prometheus reads them.
    Scrape(ScrapePage),
    /// They are written to a file.
    Jtl(JtlFile),
}

impl Sending {
    /// Prepares to send.
    ///
    /// # Errors
    ///
    /// When the page cannot be served, or the file cannot be written.
    pub(super) fn new(target: &SinkTarget) -> Result<Self, Failure> {
        Ok(match &target.place {
            Place::Http { format, address } => {
                let authorization = target.authorization.clone();
                Self::Http(HttpSending::new(*format, address.clone(), authorization)?)
            }
            Place::Statsd(place) => Self::Statsd(place.clone()),
            Place::Scrape(address) => Self::Scrape(ScrapePage::start(*address)?),
            Place::Jtl(path) => Self::Jtl(JtlFile::open(path)?),
        })
    }

    /// Sends a batch; returns how many were refused one by one, with the reason for the first.
    pub(super) fn send(&mut self, batch: &[Source]) -> Result<Option<Rest>, Trouble> {
        let points = || batch.iter().filter_map(Source::point).collect::<Vec<Point>>();
        match self {
            Self::Http(http) => {
                let traces = batch.iter().filter_map(Source::trace);
                http.send(&points(), &traces.collect::<Vec<_>>())
            }
            Self::Statsd(place) => udp::send(place, &statsd::packets(&points())).map(|()| None),
            Self::Scrape(page) => {
                page.put(points());
                Ok(None)
            }
            Self::Jtl(file) => file.append(batch).map(|()| None),
        }
    }

    /// Waits for those who read what was sent; returns how much of it nobody has read.
    pub(super) fn finish(&self) -> Option<Rest> {
        match self {
            Self::Scrape(page) => page.finish(),
            Self::Http(_) | Self::Statsd(_) | Self::Jtl(_) => None,
        }
    }
}
