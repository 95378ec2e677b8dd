//! The decision of a comparison: at each look, whether the evidence suffices, and for which answer.
//!
//! A group-sequential t test over starts, never over slices. Each look gives two intervals around the mean of `D`: one tests "no
//! difference" at the part of alpha that the look spends ([`crate::spending`]), the other tests "at least the margin apart" at 0.05 per side
//! (two one-sided tests, TOST: Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 1987). A run asks once, at its end, whether
//! two arms are the same.
//!
//! Whether a comparison is `invalid`, because something else than the servers was measured, is not decided here.

use crate::anytime;
use crate::distribution::{t_isf, t_two_sided};
use crate::interval::ConfidenceInterval;
use crate::moderated::{Moderation, Spread, WithinStarts};
use crate::robust::mean;
use crate::sessions::Replicate;
use crate::spending::{FIRST_LOOK, LookKind, Spending};

/// The total error rate of the equivalence test, 0.05 per side.
pub const EQUIVALENCE_ALPHA: f64 = 0.10;

/// The conclusion of a look about the arm under test, compared with the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// The arm is better: the whole interval lies above 0.
    Better,
    /// The arm is worse: the whole interval lies below 0.
    Worse,
    /// No difference was shown, and the two arms are the same within the margin.
    Same,
    /// The evidence does not suffice yet; another start is needed.
    GoOn,
    /// The evidence does not suffice, and no further start will come.
    Inconclusive,
}

/// The conclusion of a look about a gate, which allows the arm a certain loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateCall {
    /// The loss is proven to be smaller than allowed.
    Pass,
    /// The loss is proven to be larger than allowed.
    Fail,
    /// The evidence does not suffice yet; another start is needed.
    GoOn,
    /// The evidence does not suffice, and no further start will come.
    Inconclusive,
}

/// One of the tests of a run: an arm against the baseline in one measure.
#[derive(Clone, Copy, Debug)]
pub struct Test<'a> {
    /// `D` of every start in which this measure was taken, in the order of the starts.
    pub d: &'a [f64],
    /// How much starts should differ by what their windows show, where the measure has windows.
    pub within: Option<WithinStarts<'a>>,
    /// The relative difference (0.02 = 2 %) that still counts as the same; for a gate the loss that it allows.
    pub margin: f64,
    /// What each `D` is of.
    pub replicate: Replicate,
}

impl<'a> Test<'a> {
    /// A test of starts without windows.
    pub fn of(d: &'a [f64], margin: f64) -> Self {
        Self { d, within: None, margin, replicate: Replicate::Start }
    }

    /// The test as it was after its first `k` starts; `None` if there are fewer.
    pub fn first(self, k: usize) -> Option<Self> {
        let d = self.d.get(..k)?;
        let share = k as f64 / self.d.len().max(1) as f64;
        let within = self.within.and_then(|within| {
            Some(WithinStarts {
                variances: within.variances.get(..k)?,
                windows: share * within.windows,
                ..within
            })
        });
        Some(Self { d, within, ..self })
    }

    /// The two-sided p-value of "no difference" for a single look; 1 below two starts.
    pub(crate) fn p(&self) -> f64 {
        let of_mean = |mean: f64| {
            let spread = Spread::of(self.d, self.within)?;
            let se = self.replicate.widening(self.d) * (spread.variance / self.d.len() as f64).sqrt();
            (mean != 0.0).then(|| t_two_sided(mean / se, spread.freedom))
        };
        mean(self.d).and_then(of_mean).unwrap_or(1.0)
    }
}

/// The state of a comparison after `k` starts. All values are log-ratios, positive = the arm is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Number of starts.
    pub k: usize,
    /// Mean of the starts' `D`.
    pub mean: f64,
    /// Standard deviation of a start, as the intervals use it; `None` below two starts.
    pub sd: Option<f64>,
    /// How that compares with what windows explain; `None` where it is the starts' own.
    pub moderation: Option<Moderation>,
    /// The two-sided level at which this look tests "no difference"; `None` when there is no interval or it is anytime-valid.
    pub level: Option<f64>,
    /// The confidence interval of the difference, which is the one to print. `None` before the first look, or while an anytime-valid
    /// interval is still infinite.
    pub rci: Option<ConfidenceInterval>,
    /// The interval of the equivalence test: it has to lie within the margin for [`Call::Same`]. `None` under the same conditions as
    /// `rci`.
    pub req: Option<ConfidenceInterval>,
    /// Whether a run may end by what this look shows; one between two looks is only shown.
    pub decides: bool,
    /// The conclusion about which arm is better.
    pub call: Call,
    /// The conclusion about the gate; `None` when the plan has none.
    pub gate: Option<GateCall>,
}

impl Look {
    /// This look as the last one, when no further start will come: "go on" becomes "inconclusive".
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

    /// Whether the question of the plan (the gate if it has one, otherwise which arm is better) needs no further start.
    pub fn is_settled(&self) -> bool {
        match self.gate {
            Some(gate) => gate != GateCall::GoOn,
            None => self.call != Call::GoOn,
        }
    }

    /// Whether the null hypothesis of the plan is rejected: "no difference", or for a gate "not worse than allowed". A test that has
    /// rejected no longer needs its part of alpha.
    pub fn rejects(&self) -> bool {
        match self.gate {
            Some(gate) => gate == GateCall::Fail,
            None => self.is_difference(),
        }
    }

    /// Whether the arm is called better or worse.
    pub fn is_difference(&self) -> bool {
        matches!(self.call, Call::Better | Call::Worse)
    }

    /// Whether the equivalence interval lies within this margin.
    pub fn is_within(&self, margin: f64) -> bool {
        self.req.is_some_and(|req| req.is_within(margin.ln_1p()))
    }
}

/// Whether the equivalence interval of a look is within the margin, and of replicates enough.
fn shows_same(look: &Look, test: &Test<'_>) -> bool {
    look.is_within(test.margin) && look.k >= test.replicate.fewest_for_same()
}

/// The looks of a plan.
#[derive(Clone, Debug, PartialEq)]
enum Looks {
    /// Those at a planned number of starts.
    Capped(Spending),
    /// One after every start, by intervals that hold at all of them together.
    Anytime,
}

/// How comparisons are decided. A plan is fixed and stored before the first start, because a rule that is chosen after looking at data has
/// no known error rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    looks: Looks,
    /// Whether the plan also decides a gate, "not worse than the margin".
    gate: bool,
}

impl Plan {
    /// A plan for at most `cap` starts, or for any number of starts (`None`).
    pub fn new(cap: Option<usize>) -> Self {
        Self { looks: cap.map_or(Looks::Anytime, |cap| Looks::Capped(Spending::new(cap))), gate: false }
    }

    /// The plan of a gate, "not worse than the margin of the test".
    ///
    /// The gate fails only when a larger loss is proven, so that an allowed loss does not fail a build (method, 2.6.4, second rule). If it
    /// failed at "proven slower" instead, two thirds of the builds that lose 2 % would fail where 3 % are allowed. The gate passes at a
    /// one-sided error rate of 0.05 over all looks.
    #[must_use]
    pub fn with_gate(self) -> Self {
        Self { gate: true, ..self }
    }

    /// The numbers of starts after which a run with so many may have ended for what it showed.
    pub fn early_looks(&self, starts: usize) -> Vec<usize> {
        match &self.looks {
            Looks::Capped(spending) => spending.early_looks().filter(|k| *k <= starts).collect(),
            Looks::Anytime => (FIRST_LOOK..=starts).collect(),
        }
    }

    /// The look at all starts of a test whose error rate over all looks is `alpha`, two-sided; `None` without starts.
    pub fn look(&self, test: &Test<'_>, alpha: f64, kind: LookKind) -> Option<Look> {
        let k = test.d.len();
        let mean = mean(test.d)?;
        let spread = Spread::of(test.d, test.within);
        let level = self.share(k, kind);
        // A gate may pass at each of its looks; whether two arms are the same is asked once, at all of its error rate.
        let of_equivalence = match self.gate || !self.asks_for_same(k, kind) {
            true => level.unwrap_or(1.0),
            false => 1.0,
        };
        let widening = test.replicate.widening(test.d);
        let interval = |level: f64| {
            let spread = spread?;
            let multiplier = widening * self.multiplier(k, level, spread.freedom)?;
            Some(ConfidenceInterval::around(mean, multiplier * (spread.variance / k as f64).sqrt()))
        };
        let level = level.map(|share| share * alpha);
        let mut look = Look {
            k,
            mean,
            sd: spread.map(|spread| spread.variance.sqrt()),
            moderation: spread.and_then(|spread| spread.moderation),
            level: level.filter(|_| self.looks != Looks::Anytime),
            rci: level.and_then(interval),
            req: level.and_then(|_| interval(of_equivalence * EQUIVALENCE_ALPHA)),
            decides: self.decides(k, kind),
            call: self.undecided(k, kind),
            gate: None,
        };
        if look.decides {
            look.call = self.call(&look, test, kind);
        }
        look.gate = self.gate.then(|| self.gate_call(&look, test, kind));
        Some(look)
    }

    /// The conclusion about which arm is better, of a look that decides.
    fn call(&self, look: &Look, test: &Test<'_>, kind: LookKind) -> Call {
        match look.rci {
            Some(rci) if rci.low > 0.0 => Call::Better,
            Some(rci) if rci.high < 0.0 => Call::Worse,
            // Equivalence is asked once, at the end.
            _ if shows_same(look, test) && self.asks_for_same(look.k, kind) => Call::Same,
            _ => self.undecided(look.k, kind),
        }
    }

    /// The conclusion about the gate.
    fn gate_call(&self, look: &Look, test: &Test<'_>, kind: LookKind) -> GateCall {
        let allowed = -test.margin.ln_1p();
        let suffice = look.decides && look.k >= test.replicate.fewest_for_same();
        if suffice && look.req.is_some_and(|req| req.low > allowed) {
            GateCall::Pass
        } else if look.decides && look.rci.is_some_and(|rci| rci.high < allowed) {
            GateCall::Fail
        } else if self.undecided(look.k, kind) == Call::GoOn {
            GateCall::GoOn
        } else {
            GateCall::Inconclusive
        }
    }

    /// The conclusion of a look that shows nothing.
    fn undecided(&self, k: usize, kind: LookKind) -> Call {
        let at_cap = matches!(&self.looks, Looks::Capped(spending) if k >= spending.cap());
        match kind {
            LookKind::Running if !at_cap => Call::GoOn,
            _ => Call::Inconclusive,
        }
    }

    /// Whether the look is the one that asks whether two arms are the same.
    fn asks_for_same(&self, k: usize, kind: LookKind) -> bool {
        self.looks == Looks::Anytime || self.undecided(k, kind) == Call::Inconclusive
    }

    /// Whether the look may settle a comparison.
    fn decides(&self, k: usize, kind: LookKind) -> bool {
        match &self.looks {
            Looks::Capped(spending) => spending.decides(k, kind),
            Looks::Anytime => k >= FIRST_LOOK,
        }
    }

    /// The share of alpha that the look spends; `None` before the first look.
    fn share(&self, k: usize, kind: LookKind) -> Option<f64> {
        match &self.looks {
            Looks::Capped(spending) => spending.share(k, kind),
            Looks::Anytime => (k >= FIRST_LOOK).then_some(1.0),
        }
    }

    /// The half-width of an interval of this two-sided level in units of the standard error; `None` where it is infinite.
    fn multiplier(&self, k: usize, level: f64, freedom: f64) -> Option<f64> {
        match self.looks {
            Looks::Capped(_) => Some(t_isf(level / 2.0, freedom)),
            Looks::Anytime => anytime::multiplier(k, level, anytime::PHI),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALPHA: f64 = 0.05;

    /// The look at starts without windows under a plan for eleven of them.
    fn look(d: &[f64], kind: LookKind) -> Look {
        Plan::new(Some(11)).look(&Test::of(d, 0.05), ALPHA, kind).expect("starts")
    }

    #[test]
    fn below_four_starts_there_is_no_interval() {
        let plan = Plan::new(Some(20));
        assert_eq!(plan.look(&Test::of(&[], 0.05), ALPHA, LookKind::Last), None);
        for k in 1..FIRST_LOOK {
            let early = look(&vec![0.0; k], LookKind::Last);
            assert_eq!((early.rci, early.req, early.call), (None, None, Call::Inconclusive));
            assert_eq!(early.sd.is_some(), k > 1);
        }
    }

    #[test]
    fn a_clear_difference_ends_a_run_at_a_planned_look_only() {
        let clear = [0.1, 0.101, 0.099, 0.1, 0.1];
        assert_eq!(look(&clear[..4], LookKind::Running).call, Call::Better);
        let between = look(&clear, LookKind::Running);
        assert_eq!((between.call, between.is_settled()), (Call::GoOn, false));
        assert!(between.rci.is_some_and(|rci| rci.low > 0.0), "it is shown");
        assert_eq!(look(&clear, LookKind::Last).call, Call::Better);
        assert_eq!(look(&clear.map(|d| -d), LookKind::Interrupted).call, Call::Worse);
    }

    #[test]
    fn equal_arms_are_the_same_at_the_end_only() {
        let equal = [0.01, -0.01, 0.0, 0.005];
        assert_eq!(look(&equal, LookKind::Running).call, Call::GoOn);
        assert_eq!(look(&equal, LookKind::Last).call, Call::Same);
        assert_eq!(look(&equal, LookKind::Interrupted).call, Call::Same);
        let wide = [0.08, -0.08, 0.08, -0.08];
        assert_eq!(look(&wide, LookKind::Last).call, Call::Inconclusive);
        // A difference that was shown is told, however small: the margin is for what was not.
        assert_eq!(look(&[0.02, 0.0201, 0.0199, 0.02], LookKind::Last).call, Call::Better);
    }

    #[test]
    fn windows_narrow_the_interval_where_starts_agree_with_them() {
        let d = [0.02, -0.02, 0.01, -0.01];
        let within = WithinStarts {
            variances: &[0.0002; 4],
            windows: 80.0,
            prior: crate::moderated::Prior { between: 0.0001, weight: 6.0 },
        };
        let moderated = Test { within: Some(within), ..Test::of(&d, 0.05) };
        let width = |test: &Test<'_>| {
            let look = Plan::new(Some(4)).look(test, ALPHA, LookKind::Last).expect("starts");
            look.rci.expect("an interval").width()
        };
        assert!(width(&moderated) < 0.75 * width(&Test::of(&d, 0.05)));
        assert_eq!(moderated.first(2).expect("two").within.expect("windows").windows, 40.0);
        assert!(moderated.first(5).is_none());
    }

    #[test]
    fn without_a_cap_the_interval_is_anytime_valid() {
        let d = [0.051, 0.049, 0.050, 0.052, 0.048, 0.050, 0.051, 0.049];
        let look = |k: usize| {
            let plan = Plan::new(None);
            plan.look(&Test::of(&d[..k], 0.02), 0.01, LookKind::Running).expect("starts")
        };
        assert_eq!(look(5).rci, None);
        let last = look(8);
        let expected = anytime::half_width(8, last.sd.unwrap(), 0.01, anytime::PHI).unwrap();
        assert!((last.rci.unwrap().width() - 2.0 * expected).abs() < 1e-15);
        assert_eq!((last.call, last.level), (Call::Better, None));
    }

    #[test]
    fn a_gate_fails_only_for_a_loss_larger_than_allowed() {
        let plan = Plan::new(Some(20)).with_gate();
        let gate = |centre: f64, k: usize, kind: LookKind| {
            let d: Vec<f64> = (0..k).map(|i| centre + 0.001 * (i % 2) as f64).collect();
            plan.look(&Test::of(&d, 0.03), 0.01, kind).expect("starts")
        };
        let allowed = gate(-0.02, 10, LookKind::Running);
        assert!(allowed.gate == Some(GateCall::Pass) && allowed.rci.is_some_and(|rci| rci.high < 0.0));
        assert!(allowed.is_settled() && !allowed.rejects());
        assert_eq!(gate(-0.05, 10, LookKind::Running).gate, Some(GateCall::Fail));
        assert_eq!(gate(0.05, 4, LookKind::Running).gate, Some(GateCall::Pass));
        assert_eq!(gate(-0.03, 10, LookKind::Running).gate, Some(GateCall::GoOn));
        assert_eq!(gate(-0.05, 6, LookKind::Running).gate, Some(GateCall::GoOn), "no look");
        assert_eq!(gate(-0.03, 6, LookKind::Last).gate, Some(GateCall::Inconclusive));
    }
}
