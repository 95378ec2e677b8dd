//! What is said of arms whose processes cannot be seen: nothing restarts them, and each round is a session ([`stats::sessions`]).

use record::remark::Remark;
use stats::sequential::{Call, Look};
use stats::sessions::{FEWEST, correlation};

/// What has to be said of the sessions of an open verdict.
pub(crate) fn remark(look: &Look, d: &[f64]) -> Option<Remark> {
    let correlation = correlation(d);
    match look.call {
        Call::Inconclusive if correlation > 0.0 => {
            Some(Remark::SessionsAlike { correlation, sessions: look.k })
        }
        Call::Inconclusive if look.k < FEWEST => {
            Some(Remark::FewSessions { needed: FEWEST, sessions: look.k })
        }
        _ => None,
    }
}
