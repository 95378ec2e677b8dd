//! Findings about TLS. A full link is a [`FullLink`](crate::reason::FullLink), as in the reason that voids a start for it.

use serde::{Deserialize, Serialize};

/// Every request, or every other one, pays for a TLS handshake.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handshakes {
    /// Handshakes per request.
    pub per_request: f64,
    /// Share of them that resumed a session, 0 to 1.
    pub resumed: f64,
}
