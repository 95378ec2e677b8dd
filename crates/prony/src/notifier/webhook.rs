//! [`Webhook`]: posts news to a URL, as chat programs and others take them.

use super::{News, NewsPlace, NewsText, NotifierComplaint};
use crate::outgoing::{self, HttpClient, OutgoingRequest, Trouble};
use import::Address;
use say::Language;
use std::time::Duration;

/// The pauses before the second and the third attempt: news come once, and a network may be away for a moment.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// A URL that takes messages. Its path is often a secret, and is never shown.
pub(super) struct Webhook {
    address: Address,
}

impl Webhook {
    /// Reads a URL.
    ///
    /// # Errors
    ///
    /// [`NotifierComplaint::NoWebhook`], which does not quote it.
    pub(super) fn parse(url: &str) -> Result<Self, NotifierComplaint> {
        let is_http = url.starts_with("http://") || url.starts_with("https://");
        let address = Address::parse(url).ok().filter(|address| is_http && address.user.is_none());
        Ok(Self { address: address.ok_or(NotifierComplaint::NoWebhook)? })
    }

    pub(super) fn place(&self) -> NewsPlace {
        NewsPlace::new(self.address.origin())
    }

    /// Posts news, three times at most.
    pub(super) fn post(&self, news: &News<'_>, lang: Language) -> Result<(), Trouble> {
        let body = serde_json::json!({
            "text": say::text(&NewsText(news), lang),
            "experiment": news.experiment,
            "run": news.run,
            "gate": news.gate,
        });
        let body = body.to_string().into_bytes();
        let mut pauses = PAUSES.into_iter();
        loop {
            let Err(trouble) = self.attempt(body.clone()) else {
                return Ok(());
            };
            match pauses.next().filter(|_| trouble.may_pass()) {
                Some(pause) => std::thread::sleep(pause),
                None => return Err(trouble),
            }
        }
    }

    fn attempt(&self, body: Vec<u8>) -> Result<(), Trouble> {
        let client = HttpClient::new().map_err(|source| Trouble::Unreachable(source.to_string()))?;
        let path = self.address.path.as_str();
        let (status, answer) = client.send(
            &self.address,
            OutgoingRequest {
                method: "POST",
                path,
                headers: &[("Content-Type", "application/json")],
                authorization: None,
                body,
            },
        )?;
        match status {
            200..=299 => Ok(()),
            _ => Err(Trouble::Refused { status, words: outgoing::words(&answer, std::iter::once(path)) }),
        }
    }
}
