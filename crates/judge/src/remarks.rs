//! The remarks on a verdict: what it leaves open, how much time it would take to decide, and how far the starts agree.

use crate::d_series::ratio_from_log;
use crate::planning::{EFFECT, POWER, rounds_needed_for_same};
use model::experiment::Design;
use model::measure::Measure;
use model::remark::{Goal, Remark};
use stats::boundary::first_look;
use stats::planning::{rounds_to_call, sequential_cap};
use stats::sequential::{
    Call, FEWEST_ROUNDS_FOR_SAME, GateCall, Look, MARGINS_OF_ONE_ROUND, NotSame, why_not_same,
};
use stats::sign_flip;
use stats::summary::{sign_disagreement, t_test};

/// Share of the starts that may differ in sign from the mean before a remark says so.
const DISAGREE: f64 = 0.3;
/// Factor by which the p-values of the sign-flip test and the t test may differ before a remark says so.
const UNLIKE: f64 = 10.0;
/// Share of the margin by which the difference of the typical rows may be off the mean of `D` before a remark says so.
const RARE: f64 = 0.5;
/// Seconds of a day. A run that would take longer is not suggested.
const DAY: f64 = 86_400.0;
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
    /// How many tests share alpha, this one included.
    pub(crate) tests: usize,
    pub(crate) look: Look,
    /// The number of rounds at the look that settled the comparison, or at the last one.
    pub(crate) settled_at: usize,
    /// How long a round takes, in seconds.
    pub(crate) round_seconds: f64,
}

impl JudgedSeries<'_> {
    /// Whether there are enough starts for the first look.
    fn looked_at(&self) -> bool {
        self.look.k >= self.first_look()
    }

    fn first_look(&self) -> usize {
        first_look(self.cap())
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
        self.look.req.is_some_and(|req| req.is_within(self.delta()))
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
        few_starts_dominate(series),
    ];
    remarks.into_iter().flatten().collect()
}

/// The remark on the answer: a loss or difference within the margin, or why there is no answer yet.
fn answer_remark(series: &JudgedSeries<'_>) -> Option<Remark> {
    let margin = series.margin;
    let look = &series.look;
    let lost = look.rci.is_some_and(|rci| rci.high < 0.0);
    match (look.gate, look.call) {
        (Some(GateCall::Pass), _) if lost => Some(Remark::LossWithinMargin { margin }),
        (Some(GateCall::Pass | GateCall::Fail), _) => None,
        (None, Call::Same { real: true }) => Some(Remark::DifferenceWithinMargin { margin }),
        (None, Call::Same { .. } | Call::Better | Call::Worse) => None,
        _ if !series.looked_at() => Some(Remark::TooFewStarts {
            needed: series.first_look(),
            starts: look.k,
        }),
        (Some(_), _) => None,
        (None, _) => Some(match why_within_but_not_same(series)? {
            NotSame::TooFewRounds => Remark::TooFewForSame {
                margin,
                needed: FEWEST_ROUNDS_FOR_SAME,
                starts: look.k,
            },
            NotSame::RoundFarOff(index) => Remark::StartFarOff {
                start: index + 1,
                difference: series.difference(series.d[index]),
                margin,
                margins: MARGINS_OF_ONE_ROUND,
            },
        }),
    }
}

/// Why the arms are not called the same, where the interval of the equivalence test lies within the margin.
fn why_within_but_not_same(series: &JudgedSeries<'_>) -> Option<NotSame> {
    let why = why_not_same(series.d, series.delta());
    why.filter(|_| series.is_within_margin())
}

/// How much longer it would take to decide. The number of starts is the one that an effect of 1.5 margins needs, or the effect
/// that was seen where it is larger; a new run is needed where they are more than this one may have.
fn time_needed(series: &JudgedSeries<'_>) -> Option<Remark> {
    let look = &series.look;
    let open = match look.gate {
        Some(gate) => matches!(gate, GateCall::GoOn | GateCall::Inconclusive),
        None => matches!(look.call, Call::GoOn | Call::Inconclusive),
    };
    if !open || !series.looked_at() {
        return None;
    }
    let (needed, goal) = starts_needed(series, look.sd?)?;
    // An open comparison takes at least one more start, whatever was expected of those that there were.
    let left = needed.saturating_sub(look.k).max(1);
    // Alpha is spent over the starts up to the cap, so further starts of this run would not count.
    let past_cap = series
        .cap()
        .is_some_and(|cap| series.counted.saturating_add(left) > cap);
    let starts = if past_cap {
        look.k.saturating_add(left)
    } else {
        left
    };
    let seconds = starts as f64 * series.round_seconds;
    Some(match past_cap {
        _ if seconds >= DAY => Remark::TooNoisy { goal },
        true => Remark::NewRun {
            starts,
            seconds,
            goal,
        },
        false => Remark::MoreTime { seconds, goal },
    })
}

/// How many starts in all an open comparison needs, and what they would show; `sd` is the standard deviation of `D`. `None`
/// where more starts cannot show that the arms are the same.
fn starts_needed(series: &JudgedSeries<'_>, sd: f64) -> Option<(usize, Goal)> {
    let (margin, look) = (series.margin, &series.look);
    let to_same = rounds_needed_for_same(series.design, margin, sd);
    if look.gate.is_some() {
        return Some((to_same, Goal::SettleGate));
    }
    match why_within_but_not_same(series) {
        Some(NotSame::TooFewRounds) => return Some((FEWEST_ROUNDS_FOR_SAME, Goal::ShowSame)),
        Some(NotSame::RoundFarOff(_)) => return None,
        None => {}
    }
    let to_call = |effect| {
        let alpha = series.design.alpha / series.tests as f64;
        sequential_cap(rounds_to_call(sd, effect, alpha, POWER))
    };
    let (planned, seen) = (EFFECT * margin, look.mean.abs());
    if seen > planned.ln_1p() {
        let effect = series.difference(look.mean);
        return Some((to_call(seen), Goal::Confirm { effect }));
    }
    let needed = to_call(planned.ln_1p()).max(to_same);
    Some((needed, Goal::Detect { effect: planned }))
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
    use stats::sequential::Rule;

    fn remarks(d: &[f64], rule: &Rule, rounds: usize) -> Vec<Remark> {
        remarks_of_tests(d, rule, rounds, 1)
    }

    fn remarks_of_tests(d: &[f64], rule: &Rule, rounds: usize, tests: usize) -> Vec<Remark> {
        let gated = rule.look(d).is_some_and(|look| look.gate.is_some());
        let design = Design {
            starts: Some(8),
            gate: gated.then_some(0.02),
            ..Design::default()
        };
        remarks_by_design(d, rule, rounds, tests, &design)
    }

    fn remarks_by_design(
        d: &[f64],
        rule: &Rule,
        rounds: usize,
        tests: usize,
        design: &Design,
    ) -> Vec<Remark> {
        remarks_on(&JudgedSeries {
            design,
            measure: Measure::Throughput,
            d,
            typical: None,
            rounds,
            counted: rounds,
            margin: 0.02,
            tests,
            look: rule.look(d).expect("rounds").at_end(),
            settled_at: d.len(),
            round_seconds: 20.0,
        })
    }

    #[test]
    fn a_difference_that_rare_slices_make_says_what_it_would_be_without_them() {
        let d = [-0.06, -0.061, -0.059, -0.06, -0.06];
        let rule = Rule::new(Some(20), 0.01, 1, 0.02);
        let remarks = |typical: Option<f64>| {
            remarks_on(&JudgedSeries {
                design: &Design::default(),
                measure: Measure::Throughput,
                d: &d,
                typical,
                rounds: 5,
                counted: 5,
                margin: 0.02,
                tests: 1,
                look: rule.look(&d).expect("rounds").at_end(),
                settled_at: d.len(),
                round_seconds: 20.0,
            })
        };
        let weigh = remarks(Some(-0.02));
        assert!(
            matches!(weigh[..], [Remark::RareSlicesWeigh { change }] if (change + 0.0198).abs() < 1e-4),
            "{weigh:?}"
        );
        assert_eq!(remarks(Some(-0.055)), [], "half a margin is 1 %");
        assert_eq!(remarks(None), []);
    }

    fn plain(d: &[f64]) -> Vec<Remark> {
        remarks(d, &Rule::new(Some(20), 0.01, 1, 0.02), d.len())
    }

    #[test]
    fn a_clear_answer_needs_no_remark() {
        assert_eq!(plain(&[0.1, 0.11, 0.09, 0.1, 0.1]), []);
        assert_eq!(plain(&[0.0, 0.001, -0.001, 0.0, 0.0, 0.001, -0.001, 0.0]), []);
    }

    #[test]
    fn starts_within_the_margin_that_are_too_few_for_same_say_so_and_what_is_missing() {
        let remarks = |cap: u32| {
            let design = Design {
                starts: Some(cap),
                ..Design::default()
            };
            let rule = Rule::new(Some(cap as usize), 0.01, 1, 0.02);
            remarks_by_design(&[0.0, 0.001, -0.001, 0.0, 0.0], &rule, 5, 1, &design)
        };
        let few = Remark::TooFewForSame {
            margin: 0.02,
            needed: 8,
            starts: 5,
        };
        let goal = Goal::ShowSame;
        let more = Remark::MoreTime { seconds: 60.0, goal };
        assert_eq!(remarks(12), [few.clone(), more]);
        let again = Remark::NewRun {
            starts: 8,
            seconds: 160.0,
            goal,
        };
        assert_eq!(remarks(5), [few, again]);
    }

    #[test]
    fn a_start_far_outside_the_margin_is_named() {
        let mut d = vec![0.0; 18];
        d.insert(6, -0.08);
        let rule = Rule::new(Some(20), 0.01, 1, 0.02);
        let remarks = remarks(&d, &rule, 19);
        let [
            Remark::StartFarOff {
                start: 7,
                difference,
                margin: 0.02,
                margins: 3.0,
            },
            ..,
        ] = remarks[..]
        else {
            panic!("{remarks:?}");
        };
        assert!((difference - 0.0769).abs() < 1e-4, "{difference}");
        let says_time = |remark: &Remark| matches!(remark, Remark::MoreTime { .. } | Remark::NewRun { .. });
        assert!(!remarks.iter().any(says_time), "more starts do not help");
    }

    #[test]
    fn a_clear_effect_at_the_last_start_but_one_takes_one_start_more() {
        // Throughput of a stored run with seven tests and a cap of six starts, of which five were made.
        let d = [-0.09, -0.198, -0.14, -0.17, -0.11];
        let remarks = |cap: u32| {
            let design = Design {
                starts: Some(cap),
                ..Design::default()
            };
            let rule = Rule::new(Some(cap as usize), 0.01, 7, 0.02);
            remarks_by_design(&d, &rule, 5, 7, &design)
        };
        let six = remarks(6);
        assert!(
            matches!(six[0], Remark::MoreTime { seconds: 20.0, goal: Goal::Confirm { effect } }
                if (effect - 0.132).abs() < 0.001),
            "{six:?}"
        );
        let five = remarks(5);
        assert!(
            matches!(
                five[0],
                Remark::NewRun {
                    starts: 6,
                    seconds: 120.0,
                    ..
                }
            ),
            "{five:?}"
        );
    }

    #[test]
    fn starts_that_disagree_are_counted() {
        let remarks = plain(&[0.05, -0.04, 0.05, -0.04, 0.05]);
        let disagree = Remark::StartsDisagree { opposite: 2, all: 5 };
        assert!(remarks.contains(&disagree), "{remarks:?}");
        assert!(
            matches!(remarks[0], Remark::NewRun { goal: Goal::Detect { effect }, .. } if (effect - 0.03).abs() < 1e-9),
            "{remarks:?}"
        );
    }

    #[test]
    fn more_tests_need_more_time_and_beyond_the_cap_a_new_run() {
        let d = [0.05, -0.04, 0.05, -0.04, 0.05, -0.04, 0.05, -0.04];
        let rule = Rule::new(Some(8), 0.01, 1, 0.02);
        let seconds = |tests| match remarks_of_tests(&d, &rule, 8, tests)[0] {
            Remark::NewRun { seconds, .. } => seconds,
            ref other => panic!("{other:?}"),
        };
        assert!(seconds(30) > seconds(1), "{} {}", seconds(30), seconds(1));
    }

    #[test]
    fn an_extreme_start_that_dominates_the_mean_is_remarked() {
        let dominate = |remarks: &[Remark]| {
            remarks
                .iter()
                .any(|remark| matches!(remark, Remark::FewStartsDominate { .. }))
        };
        let mut d = vec![0.02; 9];
        d.extend([0.021, 0.019, -0.3]);
        assert!(!plain(&d).is_empty() && !dominate(&plain(&d)), "{:?}", plain(&d));
        // Eleven starts agree to the last digit, the twelfth is far out on the same side: t sees noise, signs do not.
        let mut d = vec![0.02; 11];
        d.push(0.9);
        assert!(dominate(&plain(&d)), "{:?}", plain(&d));
    }

    #[test]
    fn a_gate_remarks_a_loss_that_it_allows_and_the_time_that_it_still_needs() {
        let gate = Rule::gate(Some(20), 0.01, 1, 0.02);
        let lost = remarks(&[-0.010, -0.011, -0.009, -0.010, -0.010], &gate, 5);
        assert_eq!(lost, [Remark::LossWithinMargin { margin: 0.02 }]);
        let open = remarks(&[-0.03, 0.02, -0.02, 0.03, -0.01, 0.02], &gate, 6);
        assert!(
            matches!(
                open[0],
                Remark::NewRun {
                    goal: Goal::SettleGate,
                    ..
                }
            ),
            "{open:?}"
        );
    }

    #[test]
    fn an_arm_that_was_decided_early_says_so() {
        let rule = Rule::new(Some(20), 0.01, 1, 0.02);
        let remarks = remarks(&[0.1, 0.11, 0.09, 0.1, 0.1], &rule, 9);
        assert_eq!(remarks, [Remark::DecidedEarly { starts: 5, all: 9 }]);
    }
}
