//! The sequential decision of a comparison: after each round, whether the evidence suffices to stop, and with
//! which answer.
//!
//! A group-sequential t test over rounds, never over slices. Each look gives two intervals around the mean of
//! `D`: one tests "no difference" at `alpha`, the other tests "at least the margin apart" at 0.05 per side (two
//! one-sided tests, TOST: Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 1987). Both are repeated
//! confidence intervals (Jennison, Turnbull, JRSS B 1989): they hold at all looks together, so a decision to stop
//! that is based on them does not bias the error rates.
//!
//! Whether a comparison is `invalid`, because something else than the servers was measured, is not decided here.

use crate::anytime;
use crate::boundary::{Boundary, LARGEST_CAP, LevelSource, first_look};
use crate::distribution::t_isf;
use crate::interval::ConfidenceInterval;
use crate::robust::{mean, sd};

/// The total error rate of the equivalence test, 0.05 per side.
pub const EQUIVALENCE_ALPHA: f64 = 0.10;

/// The fewest rounds after which two arms may be called the same. Simulated with a quarter of the starts 8 % worse
/// (the mean then lies at the margin): the equivalence test alone calls 21 to 24 % of such runs the same after 6 to 8
/// rounds, because that few rounds often do not hold one of the bad starts.
pub const FEWEST_ROUNDS_FOR_SAME: usize = 8;

/// Two arms are not called the same while a single round differs by more than so many margins.
pub const MARGINS_OF_ONE_ROUND: f64 = 3.0;

/// The conclusion of a look about the arm under test, compared with the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// The arm is better: the whole interval lies above 0.
    Better,
    /// The arm is worse: the whole interval lies below 0.
    Worse,
    /// The two arms are the same within the margin.
    Same {
        /// True when a difference was proven that is smaller than the margin.
        real: bool,
    },
    /// The evidence does not suffice yet; another round is needed.
    GoOn,
    /// The evidence does not suffice, and no further round will come.
    Inconclusive,
}

/// The conclusion of a look about a gate, which allows the arm a certain loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateCall {
    /// The loss is proven to be smaller than allowed.
    Pass,
    /// The loss is proven to be larger than allowed.
    Fail,
    /// The evidence does not suffice yet; another round is needed.
    GoOn,
    /// The evidence does not suffice, and no further round will come.
    Inconclusive,
}

/// The state of a comparison after `k` rounds. All values are log-ratios, positive = the arm is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Number of rounds.
    pub k: usize,
    /// Mean of the rounds' `D`.
    pub mean: f64,
    /// Standard deviation of the rounds; `None` below two rounds.
    pub sd: Option<f64>,
    /// Standard error of the mean; `None` below two rounds.
    pub se: Option<f64>,
    /// The two-sided level `a_k` at which this look tests "no difference"; `None` when there is no interval or it
    /// is anytime-valid.
    pub level: Option<f64>,
    /// The repeated confidence interval of the difference, which is the one to print. `None` before the first look,
    /// after the cap, or while an anytime-valid interval is still infinite.
    pub rci: Option<ConfidenceInterval>,
    /// The interval of the equivalence test: it has to lie within the margin for [`Call::Same`]. `None` under the
    /// same conditions as `rci`, judged by its own error rate.
    pub req: Option<ConfidenceInterval>,
    /// The conclusion about which arm is better.
    pub call: Call,
    /// The conclusion about the gate; `None` when the rule has none.
    pub gate: Option<GateCall>,
}

impl Look {
    /// This look as the last one, when no further round will come: "go on" becomes "inconclusive".
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

    /// True when the question of the rule (the gate if it has one, otherwise which arm is better) needs no further
    /// round.
    pub fn is_settled(&self) -> bool {
        match self.gate {
            Some(gate) => gate != GateCall::GoOn,
            None => self.call != Call::GoOn,
        }
    }

    /// True when the null hypothesis of the rule is rejected: "no difference", or for a gate "not worse than
    /// allowed". A test that has rejected no longer needs its part of alpha.
    pub fn rejects(&self) -> bool {
        match self.gate {
            Some(gate) => gate == GateCall::Fail,
            None => self.is_real(),
        }
    }

    /// True when "no difference" is rejected, whatever the call.
    pub fn is_real(&self) -> bool {
        self.rci.is_some_and(ConfidenceInterval::excludes_zero)
    }
}

/// The decision rule of one comparison. It is fixed and stored before the first round, because a rule that is
/// chosen after looking at data has no known error rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The largest number of rounds; `None` without a limit.
    cap: Option<usize>,
    /// Critical values of the test of "no difference".
    difference: CriticalValues,
    /// Critical values of the equivalence test.
    equivalence: CriticalValues,
    /// The margin on the log scale.
    delta: f64,
    /// True when the rule also decides a gate.
    gate: bool,
}

impl Rule {
    /// A rule for at most `cap` rounds, or for any number of rounds (`None`).
    ///
    /// `alpha` is the two-sided error rate over all looks (0.01, or 0.05 or 0.10 on request). `share` is the number
    /// of tests that divide it among them: 1 for a single test, more for secondary measures and many arms
    /// ([`crate::multiplicity`]). `margin` is the relative difference that still counts as the same (0.02 = 2 %).
    /// The equivalence test keeps its 0.05 per side whatever the share. A cap above [`LARGEST_CAP`] uses
    /// anytime-valid intervals, as a rule without a cap does.
    pub fn new(cap: Option<usize>, alpha: f64, share: usize, margin: f64) -> Self {
        Self {
            cap,
            difference: CriticalValues::new(cap, alpha, share),
            equivalence: CriticalValues::new(cap, EQUIVALENCE_ALPHA, 1),
            delta: margin.ln_1p(),
            gate: false,
        }
    }

    /// The rule of a gate, "not worse than `loss`" (0.03 = 3 %). `loss` is also the margin within which two arms are
    /// the same; the other arguments are those of [`Rule::new`].
    ///
    /// The gate fails only when a loss larger than `loss` is proven, so that an allowed loss does not fail a build
    /// (method, 2.6.4, second rule). If it failed at "proven slower" instead, two thirds of the builds that lose 2 %
    /// would fail where 3 % are allowed. The gate passes at a one-sided error rate of 0.05 over all looks.
    pub fn gate(cap: Option<usize>, alpha: f64, share: usize, loss: f64) -> Self {
        Self {
            gate: true,
            ..Self::new(cap, alpha, share, loss)
        }
    }

    /// The number of rounds at the first look.
    pub fn first_look(&self) -> usize {
        first_look(self.cap)
    }

    /// The margin on the log scale, `ln(1 + margin)`.
    pub fn delta(&self) -> f64 {
        self.delta
    }

    /// How the levels of the test of "no difference" were obtained; `None` when the interval is anytime-valid.
    pub fn source(&self) -> Option<LevelSource> {
        match &self.difference {
            CriticalValues::Capped { boundary, .. } => Some(boundary.source()),
            CriticalValues::Anytime { .. } => None,
        }
    }

    /// The look after the rounds `d`, one `D` per round in any order; `None` without rounds.
    ///
    /// With more rounds than the cap there is no interval, and the look is inconclusive.
    pub fn look(&self, d: &[f64]) -> Option<Look> {
        self.look_within(d, self.delta)
    }

    /// Like [`Rule::look`], for a test with a margin of its own; `delta` is that margin on the log scale.
    pub(crate) fn look_within(&self, d: &[f64], delta: f64) -> Option<Look> {
        self.look_with(d, delta, CriticalValues::multiplier)
    }

    /// Like [`Rule::look_within`], for the look with which the run ends for want of time. It spends all of alpha that earlier looks
    /// have left ([`Boundary::last_level`]).
    pub(crate) fn last_look_within(&self, d: &[f64], delta: f64) -> Option<Look> {
        self.look_with(d, delta, CriticalValues::last_multiplier)
            .map(Look::at_end)
    }

    fn look_with(
        &self,
        d: &[f64],
        delta: f64,
        multiplier: fn(&CriticalValues, usize) -> Option<f64>,
    ) -> Option<Look> {
        let k = d.len();
        let mean = mean(d)?;
        let sd = sd(d);
        let se = sd.map(|sd| sd / (k as f64).sqrt());
        let interval =
            |values: &CriticalValues| Some(ConfidenceInterval::around(mean, multiplier(values, k)? * se?));
        let (rci, req) = (interval(&self.difference), interval(&self.equivalence));
        let call = match req.is_some_and(|req| req.is_within(delta)) {
            true if why_not_same(d, delta).is_none() => Call::Same {
                real: rci.is_some_and(ConfidenceInterval::excludes_zero),
            },
            // A difference that is smaller than the margin is not worth a call of its own.
            true => self.undecided(k),
            false => self.difference(k, rci),
        };
        Some(Look {
            k,
            mean,
            sd,
            se,
            level: self.difference.level(k),
            rci,
            req,
            call,
            gate: self.gate.then(|| self.gate_call(k, delta, rci, req)),
        })
    }

    /// Replays a finished or running comparison: the first look that settled it, with the rounds in the order of
    /// `d`, or the last look if none did. `None` without rounds.
    pub fn replay(&self, d: &[f64]) -> Option<Look> {
        let first = self.first_look().min(d.len());
        let mut looks = (first..=d.len()).map(|k| self.look(&d[..k]));
        let last = self.look(d);
        looks
            .find(|look| look.is_some_and(|look| look.is_settled()))
            .unwrap_or(last)
    }

    /// The conclusion after `k` rounds about which arm is better.
    fn difference(&self, k: usize, rci: Option<ConfidenceInterval>) -> Call {
        match rci {
            Some(rci) if rci.low > 0.0 => Call::Better,
            Some(rci) if rci.high < 0.0 => Call::Worse,
            _ => self.undecided(k),
        }
    }

    /// The conclusion after `k` rounds that decide nothing.
    fn undecided(&self, k: usize) -> Call {
        match self.is_last(k) {
            true => Call::Inconclusive,
            false => Call::GoOn,
        }
    }

    /// The conclusion after `k` rounds about the gate.
    fn gate_call(
        &self,
        k: usize,
        delta: f64,
        rci: Option<ConfidenceInterval>,
        req: Option<ConfidenceInterval>,
    ) -> GateCall {
        if req.is_some_and(|req| req.low > -delta) {
            GateCall::Pass
        } else if rci.is_some_and(|rci| rci.high < -delta) {
            GateCall::Fail
        } else if self.is_last(k) {
            GateCall::Inconclusive
        } else {
            GateCall::GoOn
        }
    }

    /// True when the rule allows no round after round `k`.
    fn is_last(&self, k: usize) -> bool {
        self.cap.is_some_and(|cap| k >= cap)
    }
}

/// Why two arms are not called the same although the interval of the equivalence test lies within the margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotSame {
    /// There are fewer than [`FEWEST_ROUNDS_FOR_SAME`] rounds.
    TooFewRounds,
    /// The round with this index differs by more than [`MARGINS_OF_ONE_ROUND`], and no other differs more.
    RoundFarOff(usize),
}

/// Why the rounds `d` may not be called the same within the margin `delta` (on the log scale), whatever their interval;
/// `None` where they may. The mean of rounds that are mostly alike and sometimes far apart says little about the next
/// start. A round that is far off is told before their number, because more rounds do not change it.
pub fn why_not_same(d: &[f64], delta: f64) -> Option<NotSame> {
    let furthest = (0..d.len()).max_by(|a, b| d[*a].abs().total_cmp(&d[*b].abs()))?;
    if d[furthest].abs() > MARGINS_OF_ONE_ROUND * delta {
        return Some(NotSame::RoundFarOff(furthest));
    }
    (d.len() < FEWEST_ROUNDS_FOR_SAME).then_some(NotSame::TooFewRounds)
}

/// The half-width of an interval in units of the standard error, by number of rounds.
#[derive(Clone, Debug, PartialEq)]
enum CriticalValues {
    /// The t quantiles at the levels of a boundary. They are computed once, because the simulations in the tests
    /// look millions of times.
    Capped {
        boundary: Boundary,
        /// The number of rounds at the first look.
        first: usize,
        /// One quantile per look, from the first look on.
        multipliers: Vec<f64>,
        /// The same for each look if it is the last one.
        last_multipliers: Vec<f64>,
    },
    /// The anytime-valid interval at this alpha.
    Anytime { alpha: f64 },
}

impl CriticalValues {
    /// See [`Rule::new`] for the arguments.
    fn new(cap: Option<usize>, alpha: f64, share: usize) -> Self {
        let Some(cap) = cap.filter(|&cap| cap <= LARGEST_CAP) else {
            return Self::Anytime {
                alpha: alpha / share.max(1) as f64,
            };
        };
        let boundary = Boundary::new(cap, alpha, share);
        let first = first_look(Some(cap));
        let quantiles = |level: fn(&Boundary, usize) -> Option<f64>| {
            let t = |k: usize| Some(t_isf(level(&boundary, k)? / 2.0, (k - 1) as f64));
            (first..=cap).map_while(t).collect()
        };
        let multipliers = quantiles(Boundary::level);
        let last_multipliers = quantiles(Boundary::last_level);
        Self::Capped {
            boundary,
            first,
            multipliers,
            last_multipliers,
        }
    }

    /// The critical value after `k` rounds if no further look comes; `None` when there is no finite interval.
    fn last_multiplier(&self, k: usize) -> Option<f64> {
        match self {
            Self::Capped {
                first,
                last_multipliers,
                ..
            } => last_multipliers.get(k.checked_sub(*first)?).copied(),
            Self::Anytime { .. } => self.multiplier(k),
        }
    }

    /// The critical value after `k` rounds; `None` when there is no finite interval.
    fn multiplier(&self, k: usize) -> Option<f64> {
        match self {
            Self::Capped {
                first, multipliers, ..
            } => multipliers.get(k.checked_sub(*first)?).copied(),
            Self::Anytime { .. } if k < first_look(None) => None,
            Self::Anytime { alpha } => anytime::multiplier(k, *alpha, anytime::PHI),
        }
    }

    /// The two-sided level of the look after `k` rounds; `None` when there is no look or it is anytime-valid.
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

    /// The conclusion of a rule with the default parameters.
    fn call(d: &[f64]) -> Call {
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
    fn three_rounds_decide_when_at_most_four_are_planned() {
        let look = |cap: usize, d: &[f64]| Rule::new(Some(cap), 0.01, 3, 0.02).look(d).unwrap();
        let clear = [0.9163, 0.9155, 0.9171];
        assert_eq!(look(4, &clear).call, Call::Better);
        assert_eq!(look(4, &clear[..2]).call, Call::GoOn);
        assert_eq!(look(5, &clear).call, Call::GoOn);
        // Eight are needed to call two arms the same.
        assert_eq!(
            look(4, &[-0.008, -0.007, -0.008, -0.008]).call,
            Call::Inconclusive
        );
        // With three rounds even a difference of five times its standard deviation is not significant.
        assert_eq!(look(3, &[0.10, 0.12, 0.08]).call, Call::Inconclusive);
    }

    #[test]
    fn equal_rounds_are_decided_by_their_value_alone() {
        assert_eq!(call(&[0.0; 7]), Call::GoOn);
        assert_eq!(call(&[0.0; 8]), Call::Same { real: false });
        assert_eq!(call(&[0.01; 7]), Call::GoOn);
        assert_eq!(call(&[0.01; 8]), Call::Same { real: true });
        assert_eq!(call(&[0.1; 5]), Call::Better);
        assert_eq!(call(&[-0.1; 5]), Call::Worse);
        // A value exactly at the margin is not within it.
        assert_eq!(call(&[0.02_f64.ln_1p(); 5]), Call::Better);
    }

    #[test]
    fn one_round_far_outside_the_margin_keeps_two_arms_from_being_the_same() {
        let mut d = vec![0.0; 17];
        d.extend([0.05, -0.05]);
        assert_eq!(call(&d), Call::Same { real: false });
        d[17] = 0.08;
        assert_eq!(call(&d), Call::GoOn);
        d.push(0.0);
        assert_eq!(call(&d), Call::Inconclusive, "the cap of 20 rounds is reached");
        let delta = 0.02_f64.ln_1p();
        assert_eq!(why_not_same(&d, delta), Some(NotSame::RoundFarOff(17)));
        assert_eq!(why_not_same(&d[..7], delta), Some(NotSame::TooFewRounds));
        assert_eq!(why_not_same(&d[..8], delta), None);
    }

    #[test]
    fn rounds_with_a_large_spread_go_on_until_the_cap() {
        let wide = |k: usize| {
            (0..k)
                .map(|i| if i % 2 == 0 { 0.2 } else { -0.2 })
                .collect::<Vec<_>>()
        };
        assert_eq!(call(&wide(19)), Call::GoOn);
        assert_eq!(call(&wide(20)), Call::Inconclusive);
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
    fn a_replay_ends_with_the_look_that_settled_the_run() {
        let d = [0.05, 0.051, 0.049, 0.05, 0.052, -9.0, 9.0];
        let rule = Rule::new(Some(20), 0.01, 1, 0.02);
        let stopped = rule.replay(&d).unwrap();
        assert_eq!((stopped.k, stopped.call), (5, Call::Better));
        assert_eq!(rule.replay(&d[..3]), rule.look(&d[..3]));
        assert_eq!(rule.replay(&[]), None);
    }

    #[test]
    fn a_gate_fails_only_for_a_loss_larger_than_allowed() {
        let gate = Rule::gate(Some(20), 0.01, 1, 0.03);
        let gate_call = |d: &[f64]| gate.look(d).unwrap().gate.unwrap();
        let near = |centre: f64| {
            (0..8)
                .map(|i| centre + 0.001 * f64::from(i % 2))
                .collect::<Vec<_>>()
        };
        let look = gate.look(&near(-0.02)).unwrap();
        assert!(look.gate == Some(GateCall::Pass) && look.rci.unwrap().high < 0.0);
        assert!(look.is_settled() && !look.rejects());
        assert_eq!(gate_call(&near(-0.05)), GateCall::Fail);
        assert_eq!(gate_call(&near(0.05)), GateCall::Pass);
        assert_eq!(gate_call(&near(-0.03)), GateCall::GoOn);
        let early = gate.look(&near(-0.05)[..4]).unwrap();
        assert_eq!((early.gate, early.is_settled()), (Some(GateCall::GoOn), false));
        assert_eq!(early.at_end().gate, Some(GateCall::Inconclusive));
        assert_eq!(gate.look(&[]), None);
    }
}
