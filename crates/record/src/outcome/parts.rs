//! [`RequestPart`]: a part of a request, from the connect to the last byte of its answer, and [`PartTime`]: the time that it took.

use model::units::Seconds;
use say::Say;
use serde::{Deserialize, Serialize};

/// A part of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Say, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestPart {
    /// From the begin of a connect to its success. Most requests need none, because their connection is kept.
    #[say(en = "connect", zh = "建立连接")]
    Connect,
    /// From the begin of a TLS handshake to its end.
    #[say(en = "TLS handshake", zh = "TLS 握手")]
    Tls,
    /// From when the request was sent until the first byte of its answer arrived.
    #[say(en = "waiting for the first byte", zh = "等待首字节")]
    FirstByte,
    /// From the first byte of the answer to its last one.
    #[say(en = "receiving", zh = "接收")]
    Receiving,
}

impl RequestPart {
    /// All parts, in the order of time.
    pub const ALL: [Self; 4] = [Self::Connect, Self::Tls, Self::FirstByte, Self::Receiving];
}

/// The time that a part took in all the requests that had it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartTime {
    /// How often it was.
    pub count: u64,
    /// The sum of its times.
    pub total: Seconds,
}

impl PartTime {
    /// The mean of its times; `None` where it never was.
    pub fn mean(&self) -> Option<Seconds> {
        (self.count > 0).then(|| Seconds(self.total.0 / self.count as f64))
    }

    pub(super) fn add(&mut self, other: Self) {
        self.count += other.count;
        self.total = Seconds(self.total.0 + other.total.0);
    }
}
