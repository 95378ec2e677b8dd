//! [`Exchange`]: a request and its answer, as an archive or a recording has them.

use crate::address::Address;
use crate::multipart::SentPart;
use crate::remark::Place;

/// A request with its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// Where it is in the source.
    pub place: Place,
    /// The method, in capitals.
    pub method: String,
    /// Where it was sent.
    pub url: Address,
    /// Its headers, as they were sent.
    pub headers: Vec<(String, String)>,
    pub body: SentBody,
    /// The answer; `None` where there was none.
    pub answer: Option<Answer>,
    /// When it began, in seconds since any instant that all have in common.
    pub begun: f64,
    /// When its answer was complete.
    pub ended: f64,
}

/// The body of a request as it was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SentBody {
    /// None.
    #[default]
    Nothing,
    Text(String),
    /// Fields of a form whose text the source does not have.
    Fields(Vec<(String, String)>),
    /// Parts of a multipart form.
    Parts(Vec<SentPart>),
    /// The content of a file, relative to the scenario.
    File {
        path: String,
        /// Whether line breaks are left out.
        joins_lines: bool,
    },
    /// Bytes that are no text.
    Binary,
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// Its body, where it is a text.
    pub body: Option<String>,
}

/// Returns the value of a header.
pub(crate) fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let named = |(other, _): &&(String, String)| other.eq_ignore_ascii_case(name);
    headers.iter().find(named).map(|(_, value)| value.as_str())
}

impl Answer {
    /// Returns its media type without parameters, in small letters.
    pub(crate) fn media_type(&self) -> String {
        let value = header(&self.headers, "Content-Type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Returns where it redirects to; `None` for an answer that does not.
    pub(crate) fn location(&self) -> Option<&str> {
        let redirects = matches!(self.status, 301 | 302 | 303 | 307 | 308);
        header(&self.headers, "Location").filter(|_| redirects)
    }
}
