//! Replicates that are no starts: each round is a *session*, fresh connections to what runs there anyway.
//!
//! A start draws what differs from one process to the next; a session draws only what differs from one connection, backend or moment to
//! the next, and a moment resembles the one before. So the differences of neighbouring sessions may be alike, and count for fewer. Their
//! number is reduced by their autocorrelation of lag 1, as for a process of first order: `n (1 - r) / (1 + r)` (Bayley, Hammersley,
//! *Journal of the Royal Statistical Society* supplement 8, 1946).

/// Fewest sessions after which arms are called the same: fewer may all have met the same state of what is between.
pub const FEWEST: usize = 8;
/// The largest autocorrelation that is reckoned with.
const MOST: f64 = 0.95;

/// What a run repeats, and takes one `D` of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replicate {
    /// Processes of their own.
    #[default]
    Start,
    /// Fresh connections to the same processes.
    Session,
}

impl Replicate {
    /// How many times wider than those of independent replicates the intervals of these differences are.
    pub(crate) fn widening(self, d: &[f64]) -> f64 {
        match self {
            Self::Start => 1.0,
            Self::Session => {
                let r = correlation(d);
                ((1.0 + r) / (1.0 - r)).sqrt()
            }
        }
    }

    /// The fewest of them that show that two arms are the same, or that a gate passes.
    pub const fn fewest_for_same(self) -> usize {
        match self {
            Self::Start => 0,
            Self::Session => FEWEST,
        }
    }
}

/// The autocorrelation of the differences of neighbouring sessions, as far as it is beyond its standard error; 0 where they
/// are independent.
pub fn correlation(d: &[f64]) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequential::{Call, GateCall, Look, Plan, Test};
    use crate::spending::LookKind;

    /// The last looks at these differences, as of starts and as of sessions.
    fn looks(plan: &Plan, d: &[f64]) -> [Look; 2] {
        [Replicate::Start, Replicate::Session].map(|replicate| {
            let test = Test { replicate, ..Test::of(d, 0.05) };
            plan.look(&test, 0.05, LookKind::Last).expect("a look")
        })
    }

    #[test]
    fn sessions_that_differ_independently_keep_their_verdict() {
        let d: Vec<f64> = (0..12).map(|i| 0.03 + if i % 2 == 0 { 0.004 } else { -0.004 }).collect();
        let [starts, sessions] = looks(&Plan::new(Some(12)), &d);
        assert_eq!((starts.call, sessions), (Call::Better, starts));
    }

    #[test]
    fn sessions_like_their_neighbours_count_for_fewer() {
        // Half of the run went one way, and half the other: one change, and not twelve observations of it.
        let d: Vec<f64> = (0..12).map(|i| if i < 6 { 0.001 } else { 0.03 }).collect();
        assert!(correlation(&d) > 0.4, "{}", correlation(&d));
        let [starts, sessions] = looks(&Plan::new(Some(12)), &d);
        assert_eq!((starts.call, sessions.call), (Call::Better, Call::Same), "it is within the margin");
        let width = |look: Look| look.rci.expect("an interval").width();
        assert!(width(sessions) > 1.5 * width(starts));
    }

    #[test]
    fn few_sessions_are_never_the_same_and_pass_no_gate() {
        let d = |n: usize| (0..n).map(|i| if i % 2 == 0 { 0.001 } else { -0.001 }).collect::<Vec<f64>>();
        let calls = |n: usize| looks(&Plan::new(Some(n)), &d(n)).map(|look| look.call);
        assert_eq!(calls(FEWEST - 1), [Call::Same, Call::Inconclusive]);
        assert_eq!(calls(FEWEST), [Call::Same; 2]);
        let gates = |n: usize| looks(&Plan::new(Some(n)).with_gate(), &d(n)).map(|look| look.gate);
        assert_eq!(gates(FEWEST - 1), [Some(GateCall::Pass), Some(GateCall::Inconclusive)]);
        assert_eq!(gates(FEWEST), [Some(GateCall::Pass); 2]);
    }
}
