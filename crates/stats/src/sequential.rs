//! The decision: after each round, is it sure enough to stop, and with which answer?
//!
//! A group-sequential t test over rounds, never over slices. Each look gives two intervals around the mean of
//! `D`: one against the null "no difference" at `alpha`, one against "at least the margin apart" at 0.05 a
//! side (TOST, Schuirmann 1987). Both are repeated confidence intervals (Jennison, Turnbull, JRSS B 1989):
//! valid at all looks together, so stopping by them is fair.
//!
//! `invalid` is not decided here: that a level measured something else than the server is the lab's to know.

use crate::anytime;
use crate::boundary::{Boundary, LARGEST_CAP, Source, first_look};
use crate::distribution::t_isf;
use crate::interval::Interval;
use crate::robust::{mean, sd};

/// The total error rate of the equivalence interval: 0.05 on either side.
pub const EQUIVALENCE_ALPHA: f64 = 0.10;

/// What a look concludes. Better and worse are the arm's, against the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// The arm is better: the whole interval lies above 0.
    Better,
    /// The arm is worse: the whole interval lies below 0.
    Worse,
    /// The two are the same within the margin; `real` when a difference, smaller than the margin, was proven.
    Same {
        /// The difference is not 0.
        real: bool,
    },
    /// Not sure yet: another round.
    GoOn,
    /// Not sure, and no round is left.
    Inconclusive,
}

/// What a gate concludes about a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateCall {
    /// Not worse than allowed.
    Pass,
    /// Proven to be worse than allowed.
    Fail,
    /// Not sure yet: another round.
    GoOn,
    /// Not sure, and no round is left.
    Inconclusive,
}

/// The state after `k` rounds. All values are log-ratios, positive = the arm is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Rounds so far.
    pub k: usize,
    /// Mean of the rounds.
    pub mean: f64,
    /// Standard deviation of the rounds; `None` below two.
    pub sd: Option<f64>,
    /// Standard error of the mean; `None` below two.
    pub se: Option<f64>,
    /// The two-sided level `a_k` this look spends against "no difference"; `None` when there is no interval
    /// or it is anytime-valid.
    pub level: Option<f64>,
    /// The interval of the difference; this is the one to print. `None` before it exists: before the first look,
    /// past the cap, or while an anytime-valid interval is still infinite.
    pub rci: Option<Interval>,
    /// The interval that has to lie within the margin for [`Call::Same`]; `None` as for `rci`.
    pub req: Option<Interval>,
    /// What to do about the question which is better.
    pub call: Call,
    /// What to do about a gate; `None` when the rule has none.
    pub gate: Option<GateCall>,
}

impl Look {
    /// The same look when no further round will come (time is up): going on turns into inconclusive.
    ///
    /// Stopping early for time is valid: less of alpha was spent.
    #[must_use]
    pub fn at_end(mut self) -> Self {
        if self.call == Call::GoOn {
            self.call = Call::Inconclusive;
        }
        if self.gate == Some(GateCall::GoOn) {
            self.gate = Some(GateCall::Inconclusive);
        }
        self
    }

    /// True when the rule's own question needs no further round.
    pub fn is_settled(&self) -> bool {
        match self.gate {
            Some(gate) => gate != GateCall::GoOn,
            None => self.call != Call::GoOn,
        }
    }

    /// True when the null of the rule's own question is rejected: "no difference", or for a gate "not worse than
    /// allowed". A test that rejects needs its part of alpha no longer.
    pub fn rejects(&self) -> bool {
        match self.gate {
            Some(gate) => gate == GateCall::Fail,
            None => self.is_real(),
        }
    }

    /// True when "no difference" is rejected, whatever the call.
    pub fn is_real(&self) -> bool {
        self.rci.is_some_and(Interval::excludes_zero)
    }
}

/// The rule of one comparison: fixed, and stored, before its first round.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    cap: Option<usize>,
    difference: Limits,
    equivalence: Limits,
    delta: f64,
    gate: bool,
}

impl Rule {
    /// A rule for at most `cap` rounds, or without a cap (`None`: go on until sure).
    ///
    /// `alpha` is two-sided over all looks (0.01, or 0.05 or 0.10 on request); `share` is how many tests
    /// divide it among them (1 for a test of its own; secondary measures and many arms:
    /// [`crate::multiplicity`]). `margin` is the relative difference that still counts as the same: 0.02 = 2
    /// %. Equivalence keeps its own 0.05 a side whatever the share. Caps above 40 are served by the
    /// anytime-valid interval, as no cap is.
    pub fn new(cap: Option<usize>, alpha: f64, share: usize, margin: f64) -> Self {
        Self {
            cap,
            difference: Limits::new(cap, alpha, share),
            equivalence: Limits::new(cap, EQUIVALENCE_ALPHA, 1),
            delta: margin.ln_1p(),
            gate: false,
        }
    }

    /// The rule of a gate, "not worse than Y %": a loss of `loss` (0.03 = 3 %) is allowed, and within it two arms
    /// are the same; the other arguments as for [`Rule::new`].
    ///
    /// Fails only when a loss larger than Y is proven: a loss that Y allows never fails a build (method, 2.6.4,
    /// second rule). Failing at "proven slower" instead would fail two thirds of the builds that lose 2 % where 3
    /// % are allowed. Passes at 0.05, one-sided, over all looks.
    pub fn gate(cap: Option<usize>, alpha: f64, share: usize, loss: f64) -> Self {
        Self {
            gate: true,
            ..Self::new(cap, alpha, share, loss)
        }
    }

    /// The first round that is looked at.
    pub fn first_look(&self) -> usize {
        first_look(self.cap)
    }

    /// The margin on the log scale, `ln(1 + margin)`.
    pub fn delta(&self) -> f64 {
        self.delta
    }

    /// Where the levels against "no difference" come from; `None` when they are anytime-valid.
    pub fn source(&self) -> Option<Source> {
        match &self.difference {
            Limits::Capped { boundary, .. } => Some(boundary.source()),
            Limits::Anytime { .. } => None,
        }
    }

    /// The look after the rounds `d`, one `D` per round; their order does not matter. `None` without rounds.
    ///
    /// Past the cap there is no interval left to look with: inconclusive.
    pub fn look(&self, d: &[f64]) -> Option<Look> {
        let k = d.len();
        let mean = mean(d)?;
        let sd = sd(d);
        let se = sd.map(|sd| sd / (k as f64).sqrt());
        let around = |limits: &Limits| Some(Interval::around(mean, limits.multiplier(k)? * se?));
        let (rci, req) = (around(&self.difference), around(&self.equivalence));
        let call = self.call(k, rci, req);
        Some(Look {
            k,
            mean,
            sd,
            se,
            level: self.difference.level(k),
            rci,
            req,
            call,
            gate: self.gate.then(|| self.gate_call(k, rci, req)),
        })
    }

    /// Replays a finished or running comparison: the first look, in the order of the rounds, that stopped it,
    /// or the last one if none did.
    pub fn replay(&self, d: &[f64]) -> Option<Look> {
        let first = self.first_look().min(d.len());
        let mut looks = (first..=d.len()).map(|k| self.look(&d[..k]));
        let last = self.look(d);
        looks
            .find(|look| look.is_some_and(|look| look.is_settled()))
            .unwrap_or(last)
    }

    fn call(&self, k: usize, rci: Option<Interval>, req: Option<Interval>) -> Call {
        let real = rci.is_some_and(Interval::excludes_zero);
        if req.is_some_and(|req| req.is_within(self.delta)) {
            return Call::Same { real };
        }
        match rci {
            Some(rci) if rci.low > 0.0 => Call::Better,
            Some(rci) if rci.high < 0.0 => Call::Worse,
            _ => self.without_answer(k),
        }
    }

    fn without_answer(&self, k: usize) -> Call {
        if self.is_last(k) {
            Call::Inconclusive
        } else {
            Call::GoOn
        }
    }

    fn gate_call(&self, k: usize, rci: Option<Interval>, req: Option<Interval>) -> GateCall {
        if req.is_some_and(|req| req.low > -self.delta) {
            GateCall::Pass
        } else if rci.is_some_and(|rci| rci.high < -self.delta) {
            GateCall::Fail
        } else if self.is_last(k) {
            GateCall::Inconclusive
        } else {
            GateCall::GoOn
        }
    }

    fn is_last(&self, k: usize) -> bool {
        self.cap.is_some_and(|cap| k >= cap)
    }
}

/// How many standard errors wide an interval is, by number of rounds.
#[derive(Clone, Debug, PartialEq)]
enum Limits {
    /// The boundary and its t quantiles, computed once: a look then costs no special function.
    Capped {
        boundary: Boundary,
        first: usize,
        multipliers: Vec<f64>,
    },
    /// The anytime-valid interval at this alpha.
    Anytime { alpha: f64 },
}

impl Limits {
    fn new(cap: Option<usize>, alpha: f64, share: usize) -> Self {
        let Some(cap) = cap.filter(|&cap| cap <= LARGEST_CAP) else {
            return Self::Anytime {
                alpha: alpha / share.max(1) as f64,
            };
        };
        let boundary = Boundary::new(cap, alpha, share);
        let t = |k: usize| Some(t_isf(boundary.level(k)? / 2.0, (k - 1) as f64));
        let first = first_look(Some(cap));
        let multipliers = (first..=cap).map_while(t).collect();
        Self::Capped {
            boundary,
            first,
            multipliers,
        }
    }

    fn multiplier(&self, k: usize) -> Option<f64> {
        match self {
            Self::Capped {
                first, multipliers, ..
            } => multipliers.get(k.checked_sub(*first)?).copied(),
            Self::Anytime { .. } if k < first_look(None) => None,
            Self::Anytime { alpha } => anytime::multiplier(k, *alpha, anytime::PHI),
        }
    }

    fn level(&self, k: usize) -> Option<f64> {
        match self {
            Self::Capped { boundary, .. } => boundary.level(k),
            Self::Anytime { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::FIRST_LOOK;

    fn calls(d: &[f64]) -> Call {
        Rule::new(Some(20), 0.01, 1, 0.02).look(d).unwrap().call
    }

    #[test]
    fn no_interval_below_five_rounds() {
        let rule = Rule::new(Some(20), 0.01, 1, 0.02);
        assert_eq!(rule.look(&[]), None);
        for k in 1..FIRST_LOOK {
            let look = rule.look(&vec![0.0; k]).unwrap();
            assert_eq!((look.rci, look.req, look.call), (None, None, Call::GoOn));
            assert_eq!(look.se.is_some(), k > 1);
        }
        assert_eq!(rule.look(&[0.0; 4]).unwrap().at_end().call, Call::Inconclusive);
    }

    #[test]
    fn three_rounds_decide_where_no_more_than_four_are_planned() {
        let look = |cap: usize, d: &[f64]| Rule::new(Some(cap), 0.01, 3, 0.02).look(d).unwrap();
        let plain = [0.9163, 0.9155, 0.9171];
        assert_eq!(look(4, &plain).call, Call::Better);
        assert_eq!(look(4, &plain[..2]).call, Call::GoOn);
        assert_eq!(look(5, &plain).call, Call::GoOn);
        assert_eq!(
            look(4, &[-0.008, -0.007, -0.008]).call,
            Call::Same { real: false }
        );
        // A difference no larger than ten times its spread is left open.
        assert_eq!(look(3, &[0.10, 0.12, 0.08]).call, Call::Inconclusive);
    }

    #[test]
    fn rounds_that_agree_exactly_decide_exactly() {
        assert_eq!(calls(&[0.0; 5]), Call::Same { real: false });
        assert_eq!(calls(&[0.01; 5]), Call::Same { real: true });
        assert_eq!(calls(&[0.1; 5]), Call::Better);
        assert_eq!(calls(&[-0.1; 5]), Call::Worse);
        // Exactly at the margin is not within it.
        assert_eq!(calls(&[0.02_f64.ln_1p(); 5]), Call::Better);
    }

    #[test]
    fn wide_rounds_go_on_until_the_cap() {
        let wide = |k: usize| {
            (0..k)
                .map(|i| if i % 2 == 0 { 0.2 } else { -0.2 })
                .collect::<Vec<_>>()
        };
        assert_eq!(calls(&wide(19)), Call::GoOn);
        assert_eq!(calls(&wide(20)), Call::Inconclusive);
        let past = Rule::new(Some(20), 0.01, 1, 0.02).look(&wide(21)).unwrap();
        assert_eq!((past.rci, past.call), (None, Call::Inconclusive));
        assert_eq!(
            Rule::new(None, 0.01, 1, 0.02).look(&wide(200)).unwrap().call,
            Call::GoOn
        );
    }

    #[test]
    fn without_a_cap_the_interval_is_anytime_valid() {
        let d = [0.051, 0.049, 0.050, 0.052, 0.048, 0.050, 0.051, 0.049];
        let rule = Rule::new(None, 0.01, 1, 0.02);
        assert_eq!(rule.look(&d[..5]).unwrap().rci, None);
        let look = rule.look(&d).unwrap();
        let expected = anytime::half_width(8, look.sd.unwrap(), 0.01, anytime::PHI).unwrap();
        assert!((look.rci.unwrap().width() - 2.0 * expected).abs() < 1e-15);
        assert_eq!((look.call, look.level, rule.source()), (Call::Better, None, None));
        assert_eq!(Rule::new(Some(50), 0.01, 1, 0.02).look(&d).unwrap().rci, look.rci);
    }

    #[test]
    fn replay_stops_where_the_run_did() {
        let d = [0.05, 0.051, 0.049, 0.05, 0.052, -9.0, 9.0];
        let rule = Rule::new(Some(20), 0.01, 1, 0.02);
        let stopped = rule.replay(&d).unwrap();
        assert_eq!((stopped.k, stopped.call), (5, Call::Better));
        assert_eq!(rule.replay(&d[..3]), rule.look(&d[..3]));
        assert_eq!(rule.replay(&[]), None);
    }

    #[test]
    fn a_loss_that_the_gate_allows_never_fails() {
        let gate = Rule::gate(Some(20), 0.01, 1, 0.03);
        let called = |d: &[f64]| gate.look(d).unwrap().gate.unwrap();
        let near = |centre: f64| {
            (0..8)
                .map(|i| centre + 0.001 * f64::from(i % 2))
                .collect::<Vec<_>>()
        };
        let look = gate.look(&near(-0.02)).unwrap();
        assert!(look.gate == Some(GateCall::Pass) && look.rci.unwrap().high < 0.0);
        assert!(look.is_settled() && !look.rejects());
        assert_eq!(called(&near(-0.05)), GateCall::Fail);
        assert_eq!(called(&near(0.05)), GateCall::Pass);
        assert_eq!(called(&near(-0.03)), GateCall::GoOn);
        let early = gate.look(&near(-0.05)[..4]).unwrap();
        assert_eq!((early.gate, early.is_settled()), (Some(GateCall::GoOn), false));
        assert_eq!(early.at_end().gate, Some(GateCall::Inconclusive));
        assert_eq!(gate.look(&[]), None);
    }
}
