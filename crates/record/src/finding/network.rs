//! Findings about TLS. A full link is a [`FullLink`](model::reason::FullLink), as in the reason that voids a start for it.

use model::units::{Count, Share};
use say::Say;
use serde::{Deserialize, Serialize};

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! network_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// The link to the server is full.
        LinkSaturated(FullLink) = "link-saturated", Explains, Outside, 240;
        /// Every request pays for a TLS handshake.
        TlsHandshakePerRequest(Handshakes) = "tls-handshake-per-request", Explains, Outside, 410;
    } };
}

/// Every request, or every other one, pays for a TLS handshake.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{per_request:three} TLS handshakes per request ({resumed} of them resumed): handshakes were measured, not requests",
    zh = "每个请求 {per_request:three} 次 TLS 握手（其中 {resumed} 为会话恢复）：测到的是握手，不是请求"
)]
pub struct Handshakes {
    /// Handshakes per request.
    pub per_request: Count,
    /// Share of them that resumed a session.
    pub resumed: Share,
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Examples;
    use model::reason::{FullLink, LinkWay};
    use model::units::BitRate;

    impl Examples for Handshakes {
        fn examples() -> Vec<Self> {
            vec![Self { per_request: Count(0.98), resumed: Share(0.5) }]
        }
    }

    impl Examples for FullLink {
        fn examples() -> Vec<Self> {
            let full =
                |way| Self { way, used: BitRate(44_600_000), rate: BitRate(45_000_000), limit: Share(0.9) };
            vec![full(LinkWay::Answers), full(LinkWay::Requests)]
        }
    }
}
