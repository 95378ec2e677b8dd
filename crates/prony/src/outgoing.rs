//! Requests that prony sends to other programs: to sinks and webhooks.

use crate::record::Upstream;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use import::Address;
use say::Say;
use std::io;
use std::time::Duration;

/// The longest time that an answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// The largest answer that is read.
const LARGEST_ANSWER: usize = 1 << 20;
/// The longest part of what a server says that is told.
const LONGEST_WORDS: usize = 200;
/// The shortest secret that is looked for in what a server says: shorter ones are parts of words.
const SHORTEST_SECRET: usize = 7;

/// Why something could not be sent. Its words are the end of a sentence, with the comma before it.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub(crate) enum Trouble {
    /// The other program cannot be reached; what the system says.
    #[say(en = ", it cannot be reached: {0}", zh = "，无法连接：{0}")]
    Unreachable(String),
    /// It does not answer in time.
    #[say(en = ", it does not answer in time", zh = "，未及时应答")]
    Slow,
    /// Nobody has read what was shown.
    #[say(en = ", nobody has read them", zh = "，无人读取")]
    Unread,
    /// A file cannot be written; what the system says.
    #[say(en = ", it cannot be written: {0}", zh = "，无法写入：{0}")]
    Unwritable(String),
    /// It refuses what it gets.
    #[say(en = ", it answers {status}: {words}", zh = "，应答 {status}：{words}")]
    Refused {
        /// The status of its answer.
        status: u16,
        /// The begin of what it says.
        words: String,
    },
}

impl Trouble {
    /// Whether the same request may be accepted later.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Slow => true,
            Self::Unread | Self::Unwritable(_) => false,
            Self::Refused { status, .. } => *status >= 500 || matches!(status, 408 | 429),
        }
    }
}

/// A request.
pub(crate) struct OutgoingRequest<'a> {
    pub(crate) method: &'a str,
    /// Path and query.
    pub(crate) path: &'a str,
    /// Names and values.
    pub(crate) headers: &'a [(&'a str, &'a str)],
    /// The value of the header `Authorization`.
    pub(crate) authorization: Option<&'a str>,
    pub(crate) body: Vec<u8>,
}

/// Sends requests one after the other, each on a connection of its own.
pub(crate) struct HttpClient {
    runtime: tokio::runtime::Runtime,
}

impl HttpClient {
    /// Prepares to send.
    pub(crate) fn new() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self { runtime })
    }

    /// Sends a request and returns status and body of the answer, at most one megabyte.
    ///
    /// # Errors
    ///
    /// [`Trouble::Unreachable`] and [`Trouble::Slow`]: every answer in time is good here.
    pub(crate) fn send(
        &self,
        address: &Address,
        request: OutgoingRequest<'_>,
    ) -> Result<(u16, Vec<u8>), Trouble> {
        let exchange = exchange(address, request);
        let bounded = async { tokio::time::timeout(ANSWER_TIMEOUT, exchange).await };
        let answer = self.runtime.block_on(bounded).map_err(|_| Trouble::Slow)?;
        answer.map_err(|source| Trouble::Unreachable(source.to_string()))
    }
}

async fn exchange(address: &Address, request: OutgoingRequest<'_>) -> io::Result<(u16, Vec<u8>)> {
    let mut builder = hyper::Request::builder()
        .method(request.method)
        .uri(request.path)
        .header("Host", &address.host)
        .header("User-Agent", concat!("prony/", env!("CARGO_PKG_VERSION")));
    for (name, value) in request.headers {
        builder = builder.header(*name, *value);
    }
    if let Some(value) = request.authorization {
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

/// The begin of what a server says, on one line and without these secrets.
pub(crate) fn words<'a>(body: &[u8], secrets: impl Iterator<Item = &'a str>) -> String {
    let text = String::from_utf8_lossy(body);
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for secret in secrets.filter(|secret| secret.len() >= SHORTEST_SECRET) {
        line = line.replace(secret, "…");
    }
    line.chars().take(LONGEST_WORDS).collect()
}
