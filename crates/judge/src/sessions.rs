//! Arms whose processes cannot be seen: nothing restarts them, and each round is a *session*, fresh connections to what runs there.
//!
//! A start draws what differs from one process to the next; a session draws only what differs from one connection, backend or moment to
//! the next, and a moment resembles the one before. So the differences of neighbouring sessions may be alike, and count for fewer. Their
//! number is reduced by their autocorrelation of lag 1, as for a process of first order: `n (1 - r) / (1 + r)` (Bayley, Hammersley,
//! *Journal of the Royal Statistical Society* supplement 8, 1946).

use record::remark::Remark;
use stats::ConfidenceInterval;
use stats::sequential::{Call, GateCall, Look};

/// Fewest sessions after which arms are called the same: fewer may all have met the same state of what is between.
pub(crate) const FEWEST: usize = 8;
/// The largest autocorrelation that is reckoned with.
const MOST: f64 = 0.95;

/// The autocorrelation of the differences of neighbouring sessions, as far as it is beyond its standard error; 0 where they
/// are independent.
pub(crate) fn correlation(d: &[f64]) -> f64 {
    let n = d.len() as f64;
    let mean = d.iter().sum::<f64>() / n;
    let off: Vec<f64> = d.iter().map(|d| d - mean).collect();
    let around: f64 = off.iter().map(|off| off * off).sum();
    let neighbours: f64 = off.windows(2).map(|pair| pair[0] * pair[1]).sum();
    match around > 0.0 {
        true => (neighbours / around - n.sqrt().recip()).clamp(0.0, MOST),
        false => 0.0,
    }
}

/// A look at sessions: its intervals are as wide as their number says that is left of them, and `same` takes [`FEWEST`] of them. `margin`
/// is the relative difference that counts as the same, or that a gate allows.
pub(crate) fn guarded(look: Look, d: &[f64], margin: f64) -> Look {
    let r = correlation(d);
    let factor = ((1.0 + r) / (1.0 - r)).sqrt();
    let wider = |interval: ConfidenceInterval| {
        let middle = 0.5 * (interval.low + interval.high);
        ConfidenceInterval::around(middle, 0.5 * interval.width() * factor)
    };
    let (rci, req) = (look.rci.map(wider), look.req.map(wider));
    let delta = margin.ln_1p();
    let call = match look.call {
        Call::Better | Call::Worse if !rci.is_some_and(ConfidenceInterval::excludes_zero) => Call::GoOn,
        Call::Same if look.k < FEWEST || !req.is_some_and(|req| req.is_within(delta)) => Call::GoOn,
        call => call,
    };
    let gate = look.gate.map(|gate| match gate {
        GateCall::Pass if look.k < FEWEST || !req.is_some_and(|req| req.low > -delta) => GateCall::GoOn,
        GateCall::Fail if !rci.is_some_and(|rci| rci.high < -delta) => GateCall::GoOn,
        gate => gate,
    });
    Look { rci, req, call, gate, ..look }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use stats::sequential::{Plan, Test};
    use stats::spending::LookKind;

    /// The last look at these differences, as it is and guarded.
    fn looks(d: &[f64], margin: f64) -> [Look; 2] {
        let plan = Plan::new(Some(d.len()));
        let look = plan.look(&Test::of(d, margin.ln_1p()), 0.05, LookKind::Last).expect("a look");
        [look, guarded(look, d, margin)]
    }

    #[test]
    fn sessions_that_differ_independently_keep_their_verdict() {
        let d: Vec<f64> = (0..12).map(|i| 0.03 + if i % 2 == 0 { 0.004 } else { -0.004 }).collect();
        let [look, guarded] = looks(&d, 0.05);
        assert_eq!((look.call, guarded), (Call::Better, look));
    }

    #[test]
    fn sessions_like_their_neighbours_count_for_fewer() {
        // Half of the run went one way, and half the other: one change, and not twelve observations of it.
        let d: Vec<f64> = (0..12).map(|i| if i < 6 { 0.001 } else { 0.03 }).collect();
        assert!(correlation(&d) > 0.4, "{}", correlation(&d));
        let [look, guarded] = looks(&d, 0.05);
        assert_eq!((look.call, guarded.call), (Call::Better, Call::GoOn));
        let width = |look: Look| look.rci.expect("an interval").width();
        assert!(width(guarded) > 1.5 * width(look));
    }

    #[test]
    fn few_sessions_are_never_the_same() {
        let d = |n: usize| (0..n).map(|i| if i % 2 == 0 { 0.001 } else { -0.001 }).collect::<Vec<f64>>();
        assert_eq!(looks(&d(FEWEST - 1), 0.05).map(|look| look.call), [Call::Same, Call::GoOn]);
        assert_eq!(looks(&d(FEWEST), 0.05).map(|look| look.call), [Call::Same; 2]);
    }
}
