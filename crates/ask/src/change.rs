//! [`Change`]: another value for a key of an arm.

use serde::{Deserialize, Serialize};

/// A key of an arm and another value for it: `threads` and `500`, or `properties.server.jetty.threads.max` and `500`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The key; with a name of the arm's `attributes` or `properties` after the first point.
    pub key: String,
    pub value: String,
}
