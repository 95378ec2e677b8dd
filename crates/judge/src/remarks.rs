//! The remarks on a verdict: what it leaves open, how much time it would take to decide, and how far the starts agree.

use crate::d_series::ratio_from_log;
use crate::planning::{POWER, effect_of_margin};
use ask::experiment::Design;
use model::measure::Measure;
use model::units::{Seconds, Share};
use record::remark::{Goal, Remark};
use stats::planning::{starts_to_call, starts_to_same, whole_starts};
use stats::sequential::{Call, GateCall, Look};
use stats::sign_flip;
use stats::spending::{FIRST_LOOK, LookKind};
use stats::summary::{sign_disagreement, t_test};

/// Share of the starts that may differ in sign from the mean before a remark says so.
const DISAGREE: f64 = 0.3;
/// Factor by which the p-values of the sign-flip test and the t test may differ before a remark says so.
const UNLIKE: f64 = 10.0;
/// Share of the margin by which the difference of the typical rows may be off the mean of `D` before a remark says so.
const RARE: f64 = 0.2;
/// The probability of starts that differ as much, if their windows explain it, below which a remark says so.
const UNEXPLAINED: f64 = 0.05;
/// The probability with which a mode of some starts would have been seen that a remark on equal arms names.
const SEEN: f64 = 0.95;
/// A day. A run that would take longer is not suggested.
const DAY: Seconds = Seconds(86_400.0);
/// Seed of the sign-flip test: fixed, so that judging a run again gives the same report.
const FLIPS: u64 = 1;

/// A series that was judged, with all that its remarks depend on.
pub(crate) struct JudgedSeries<'a> {
    pub(crate) design: &'a Design,
    pub(crate) measure: Measure,
    /// `D` of the rounds that the look used.
    pub(crate) d: &'a [f64],
    /// The mean difference of the typical rows of slices in these rounds; `None` where `D` is not made of rows.
    pub(crate) typical: Option<f64>,
    /// How many rounds have a value of this series.
    pub(crate) rounds: usize,
    /// How many rounds count, with or without a value of this series.
    pub(crate) counted: usize,
    /// Differences up to this share count as the same.
    pub(crate) margin: f64,
    /// The error rate of the test over all looks.
    pub(crate) alpha: f64,
    /// Where the run is.
    pub(crate) kind: LookKind,
    pub(crate) look: Look,
    /// The number of rounds at the look that settled the comparison, or at the last one.
    pub(crate) settled_at: usize,
    /// How long a round takes.
    pub(crate) round_time: Seconds,
}

impl JudgedSeries<'_> {
    /// Whether there are enough starts for the first look.
    fn looked_at(&self) -> bool {
        self.look.k >= FIRST_LOOK
    }

    /// The most starts that the run may have; `None` without a limit.
    fn cap(&self) -> Option<usize> {
        self.design.starts.map(|cap| cap as usize)
    }

    /// The margin on the log scale.
    fn delta(&self) -> f64 {
        self.margin.ln_1p()
    }

    /// Whether the interval of the equivalence test lies within the margin.
    fn is_within_margin(&self) -> bool {
        self.look.is_within(self.margin)
    }

    /// How much the arm's value differs from the baseline's where `D` is `d`: 0.08 = 8 % more or less.
    fn difference(&self, d: f64) -> f64 {
        (ratio_from_log(self.measure, d) - 1.0).abs()
    }
}

/// The remarks on a verdict; empty where there is nothing to add to it.
pub(crate) fn remarks_on(series: &JudgedSeries<'_>) -> Vec<Remark> {
    let remarks = [
        answer_remark(series),
        time_needed(series),
        decided_early(series),
        starts_missing(series),
        rare_slices_weigh(series),
        starts_disagree(series),
        starts_differ_more(series),
        few_starts_dominate(series),
    ];
    remarks.into_iter().flatten().collect()
}

/// The remark on the answer: a loss or difference within the margin, by how much equal arms may differ, or why there is no answer yet.
fn answer_remark(series: &JudgedSeries<'_>) -> Option<Remark> {
    let margin = series.margin;
    let look = &series.look;
    let lost = look.rci.is_some_and(|rci| rci.high < 0.0);
    match (look.gate, look.call) {
        (Some(GateCall::Pass), _) if lost => Some(Remark::LossWithinMargin { margin }),
        (Some(GateCall::Pass | GateCall::Fail), _) => None,
        _ if !series.looked_at() => Some(Remark::TooFewStarts { needed: FIRST_LOOK, starts: look.k }),
        (None, Call::Better | Call::Worse) => {
            let is_small = look.rci.is_some_and(|rci| rci.is_within(series.delta()));
            is_small.then_some(Remark::DifferenceWithinMargin { margin })
        }
        (None, Call::Same) => {
            let req = look.req?;
            let [low, high] = [req.low, req.high].map(|end| series.difference(end));
            Some(Remark::DiffersByLess {
                bound: low.max(high),
                starts: look.k,
                // A mode in this share of all starts is in one of these at least, with the probability `SEEN`.
                mode: Share(1.0 - (1.0 - SEEN).powf(1.0 / look.k as f64)),
            })
        }
        _ => None,
    }
}

/// How much longer it would take to decide, by the starts that the planned effect needs, or the effect that was seen where it is larger.
/// A run that has ended has spent its error rate: what it is continued by is a plan of its own.
fn time_needed(series: &JudgedSeries<'_>) -> Option<Remark> {
    let look = &series.look;
    let open = match look.gate {
        Some(gate) => matches!(gate, GateCall::GoOn | GateCall::Inconclusive),
        None => matches!(look.call, Call::GoOn | Call::Inconclusive),
    };
    if !open || !series.looked_at() {
        return None;
    }
    let (needed, goal) = starts_needed(series, look.sd?);
    // An open comparison takes at least one more start, even if fewer were expected to be enough.
    let left = needed.saturating_sub(look.k).max(1);
    let past_cap = series.cap().is_some_and(|cap| series.counted.saturating_add(left) > cap);
    let ended = series.kind == LookKind::Last || past_cap;
    let starts = if ended { look.k.saturating_add(left) } else { left };
    let seconds = starts as f64 * series.round_time;
    Some(match ended {
        _ if seconds >= DAY => Remark::TooNoisy { goal },
        true => Remark::NewRun { starts, seconds, goal },
        false => Remark::MoreTime { seconds, goal },
    })
}

/// How many starts in all an open comparison needs, and what they would show; `sd` is the standard deviation of `D`.
fn starts_needed(series: &JudgedSeries<'_>, sd: f64) -> (usize, Goal) {
    let (margin, look) = (series.margin, &series.look);
    let to_same = whole_starts(starts_to_same(sd, margin));
    if look.gate.is_some() {
        return (to_same, Goal::SettleGate);
    }
    let to_call = |effect| whole_starts(starts_to_call(sd, effect, series.alpha, POWER));
    let (planned, seen) = (effect_of_margin(margin), look.mean.abs());
    if seen > planned.ln_1p() {
        let effect = series.difference(look.mean);
        return (to_call(seen), Goal::Confirm { effect });
    }
    let needed = to_call(planned.ln_1p()).max(to_same);
    (needed, Goal::Detect { effect: planned })
}

/// The comparison was decided while others were open; later starts do not change its verdict.
fn decided_early(series: &JudgedSeries<'_>) -> Option<Remark> {
    let (starts, all) = (series.settled_at, series.rounds);
    (starts < all).then_some(Remark::DecidedEarly { starts, all })
}

/// Some starts count for other measures, but have no value of this one.
fn starts_missing(series: &JudgedSeries<'_>) -> Option<Remark> {
    let (counted, all) = (series.rounds, series.counted);
    (counted < all).then_some(Remark::StartsMissing { counted, all })
}

/// Rare slices, in which an arm or the machine was much slower than usual, make up much of the difference.
fn rare_slices_weigh(series: &JudgedSeries<'_>) -> Option<Remark> {
    let typical = series.typical?;
    let far = (typical - series.look.mean).abs() > RARE * series.delta();
    let change = ratio_from_log(series.measure, typical) - 1.0;
    (far && series.looked_at()).then_some(Remark::RareSlicesWeigh { change })
}

/// Many starts have another sign than the mean. Where the interval lies within the margin, that is expected and not remarked.
fn starts_disagree(series: &JudgedSeries<'_>) -> Option<Remark> {
    let share = sign_disagreement(series.d)?;
    if series.is_within_margin() || share <= DISAGREE || !series.looked_at() {
        return None;
    }
    let all = series.d.len();
    let opposite = (share * all as f64).round() as usize;
    Some(Remark::StartsDisagree { opposite, all })
}

/// The starts differ more than their windows explain: their mean is judged by themselves alone.
fn starts_differ_more(series: &JudgedSeries<'_>) -> Option<Remark> {
    let moderation = series.look.moderation.filter(|_| series.looked_at())?;
    (moderation.p < UNEXPLAINED).then_some(Remark::StartsDifferMore { ratio: moderation.ratio })
}

/// The sign-flip test and the t test disagree: a few extreme starts decide the mean.
fn few_starts_dominate(series: &JudgedSeries<'_>) -> Option<Remark> {
    if !series.looked_at() {
        return None;
    }
    let t = t_test(series.d)?.p;
    let sign_flip = sign_flip::p_value(series.d, FLIPS);
    // With k starts the sign-flip test has no smaller p-value than this, so few starts alone are no disagreement.
    let least = 2.0 * 0.5f64.powi(series.d.len() as i32);
    let unlike = sign_flip > UNLIKE * t.max(least) || t > UNLIKE * sign_flip;
    unlike.then_some(Remark::FewStartsDominate { sign_flip, t })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::moderated::Moderation;
    use stats::sequential::{Plan, Test};

    /// The remarks on starts with a margin of 2 % after a run that planned `cap` of them and is as `kind` says.
    fn remarks_by(plan: &Plan, cap: u32, d: &[f64], kind: LookKind) -> Vec<Remark> {
        let design = Design { starts: Some(cap), ..Design::default() };
        remarks_on(&series(&design, d, plan.look(&Test::of(d, 0.02), 0.01, kind).expect("starts"), kind))
    }

    fn series<'a>(design: &'a Design, d: &'a [f64], look: Look, kind: LookKind) -> JudgedSeries<'a> {
        JudgedSeries {
            design,
            measure: Measure::Throughput,
            d,
            typical: None,
            rounds: d.len(),
            counted: d.len(),
            margin: 0.02,
            alpha: 0.01,
            kind,
            look: look.at_end(),
            settled_at: d.len(),
            round_time: Seconds(20.0),
        }
    }

    /// The remarks on starts at the end of a run.
    fn ended(d: &[f64]) -> Vec<Remark> {
        remarks_by(&Plan::new(Some(20)), 20, d, LookKind::Last)
    }

    #[test]
    fn a_difference_that_rare_slices_make_says_what_it_would_be_without_them() {
        let d = [-0.06, -0.061, -0.059, -0.06, -0.06];
        let remarks = |typical: Option<f64>| {
            let design = Design::default();
            let look = Plan::new(Some(20)).look(&Test::of(&d, 0.02), 0.01, LookKind::Last);
            remarks_on(&JudgedSeries {
                typical,
                ..series(&design, &d, look.expect("starts"), LookKind::Last)
            })
        };
        let weigh = remarks(Some(-0.02));
        assert!(
            matches!(weigh[..], [Remark::RareSlicesWeigh { change }] if (change + 0.0198).abs() < 1e-4),
            "{weigh:?}"
        );
        assert_eq!(remarks(Some(-0.057)), [], "a fifth of the margin is 0.4 %");
        assert_eq!(remarks(None), []);
    }

    #[test]
    fn a_clear_answer_needs_no_remark_and_a_small_difference_says_so() {
        assert_eq!(ended(&[0.1, 0.11, 0.09, 0.1, 0.1]), []);
        let small = ended(&[0.01, 0.0101, 0.0099, 0.01, 0.01]);
        assert_eq!(small, [Remark::DifferenceWithinMargin { margin: 0.02 }]);
    }

    #[test]
    fn equal_arms_say_by_how_much_they_may_differ_and_which_mode_may_be_unseen() {
        let equal = ended(&[0.001, -0.001, 0.001, -0.001, 0.001, -0.001, 0.0]);
        let [Remark::DiffersByLess { bound, starts: 7, mode }] = equal[..] else {
            panic!("{equal:?}");
        };
        assert!((0.0005..0.0015).contains(&bound), "{bound}");
        // 0.652^7 = 0.05
        assert!((mode.0 - 0.348).abs() < 0.001, "{mode}");
    }

    #[test]
    fn too_few_starts_say_how_many_are_needed() {
        let few = Remark::TooFewStarts { needed: 4, starts: 3 };
        assert_eq!(ended(&[0.1, 0.11, 0.09]), [few]);
    }

    #[test]
    fn while_a_run_goes_on_it_needs_more_time_and_after_its_end_a_plan_of_its_own() {
        let d = [-0.06, 0.05, -0.04, 0.03, 0.045];
        let of =
            |cap: u32, kind: LookKind| remarks_by(&Plan::new(Some(cap as usize)), cap, &d, kind)[0].clone();
        let Remark::NewRun { starts, seconds, .. } = of(2000, LookKind::Last) else {
            panic!("{:?}", of(2000, LookKind::Last));
        };
        assert!(starts > 5 && seconds == Seconds(20.0 * starts as f64));
        for kind in [LookKind::Running, LookKind::Interrupted] {
            let more = of(2000, kind);
            assert!(
                matches!(more, Remark::MoreTime { seconds: more, .. } if more == seconds - Seconds(100.0)),
                "{more:?} {seconds}"
            );
        }
        assert!(matches!(of(8, LookKind::Running), Remark::NewRun { .. }), "beyond the cap");
    }

    #[test]
    fn a_clear_effect_is_to_be_confirmed() {
        // Throughput of a stored run, whose part of alpha was small.
        let open = ended(&[-0.09, -0.298, -0.04, -0.37, -0.11]);
        assert!(
            matches!(open[0], Remark::NewRun { goal: Goal::Confirm { effect }, .. } if (effect - 0.166).abs() < 0.002),
            "{open:?}"
        );
    }

    #[test]
    fn starts_that_disagree_are_counted() {
        let remarks = ended(&[0.05, -0.06, 0.05, -0.06, 0.05]);
        let disagree = Remark::StartsDisagree { opposite: 2, all: 5 };
        assert!(remarks.contains(&disagree), "{remarks:?}");
        assert!(
            matches!(remarks[0], Remark::NewRun { goal: Goal::Detect { effect }, .. } if (effect - 0.012).abs() < 1e-9),
            "{remarks:?}"
        );
    }

    #[test]
    fn starts_that_differ_more_than_their_windows_explain_are_told() {
        let d = [0.1, 0.11, 0.09, 0.1, 0.1];
        let look = Plan::new(Some(20)).look(&Test::of(&d, 0.02), 0.01, LookKind::Last);
        let remarks = |p: f64| {
            let moderation = Some(Moderation { ratio: 4.0, p });
            let look = Look { moderation, ..look.expect("starts") };
            remarks_on(&series(&Design::default(), &d, look, LookKind::Last))
        };
        assert_eq!(remarks(0.01), [Remark::StartsDifferMore { ratio: 4.0 }]);
        assert_eq!(remarks(0.3), []);
    }

    #[test]
    fn an_extreme_start_that_dominates_the_mean_is_remarked() {
        let dominate = |remarks: &[Remark]| {
            remarks.iter().any(|remark| matches!(remark, Remark::FewStartsDominate { .. }))
        };
        let mut d = vec![0.02; 9];
        d.extend([0.021, 0.019, -0.3]);
        assert!(!ended(&d).is_empty() && !dominate(&ended(&d)), "{:?}", ended(&d));
        // Eleven starts agree to the last digit, the twelfth is far out on the same side: t sees noise, signs do not.
        let mut d = vec![0.02; 11];
        d.push(0.9);
        assert!(dominate(&ended(&d)), "{:?}", ended(&d));
    }

    #[test]
    fn a_gate_remarks_a_loss_that_it_allows_and_the_time_that_it_still_needs() {
        let gate = |d: &[f64]| remarks_by(&Plan::new(Some(20)).with_gate(), 20, d, LookKind::Last);
        let lost = gate(&[-0.010, -0.011, -0.009, -0.010, -0.010]);
        assert_eq!(lost, [Remark::LossWithinMargin { margin: 0.02 }]);
        let open = gate(&[-0.06, 0.04, -0.04, 0.05, -0.02, 0.03]);
        assert!(matches!(open[0], Remark::NewRun { goal: Goal::SettleGate, .. }), "{open:?}");
    }

    #[test]
    fn an_arm_that_was_decided_early_says_so() {
        let design = Design::default();
        let d = [0.1, 0.11, 0.09, 0.1];
        let look = Plan::new(Some(20)).look(&Test::of(&d, 0.02), 0.01, LookKind::Running);
        let early = JudgedSeries {
            rounds: 9,
            counted: 9,
            ..series(&design, &d, look.expect("starts"), LookKind::Last)
        };
        assert_eq!(remarks_on(&early), [Remark::DecidedEarly { starts: 4, all: 9 }]);
    }
}
