//! The remarks on a verdict: what it leaves open, how much time it would take to decide, and how far the starts agree.

use model::experiment::Design;
use model::remark::{Goal, Remark};
use stats::boundary::first_look;
use stats::planning::{self, forecast};
use stats::sequential::{Call, GateCall, Look};
use stats::sign_flip;
use stats::summary::{sign_disagreement, t_test};

/// Share of the starts that may differ in sign from the mean before a remark says so.
const DISAGREE: f64 = 0.3;
/// Factor by which the p-values of the sign-flip test and the t test may differ before a remark says so.
const UNLIKE: f64 = 10.0;
/// Seconds of a day. A run that would take longer is not suggested.
const DAY: f64 = 86_400.0;
/// Seed of the sign-flip test: fixed, so that judging a run again gives the same report.
const FLIPS: u64 = 1;

/// A series that was judged, with all that its remarks depend on.
pub(crate) struct JudgedSeries<'a> {
    pub(crate) design: &'a Design,
    /// `D` of the rounds that the look used.
    pub(crate) d: &'a [f64],
    /// How many rounds have a value of this series.
    pub(crate) rounds: usize,
    /// How many rounds count, with or without a value of this series.
    pub(crate) counted: usize,
    /// Differences up to this share count as the same.
    pub(crate) margin: f64,
    /// How many tests share alpha, this one included.
    pub(crate) tests: usize,
    pub(crate) look: Look,
    /// How long a round takes, in seconds.
    pub(crate) round_seconds: f64,
}

impl JudgedSeries<'_> {
    /// Whether there are enough starts for the first look.
    fn looked_at(&self) -> bool {
        self.look.k >= self.first_look()
    }

    fn first_look(&self) -> usize {
        first_look(self.design.starts.map(|cap| cap as usize))
    }
}

/// The remarks on a verdict; empty where there is nothing to add to it.
pub(crate) fn remarks_on(series: &JudgedSeries<'_>) -> Vec<Remark> {
    let remarks = [
        answer_remark(series),
        decided_early(series),
        starts_missing(series),
        starts_disagree(series),
        few_starts_dominate(series),
    ];
    remarks.into_iter().flatten().collect()
}

/// The remark on the answer: a loss or difference within the margin, or how much longer it would take to decide.
fn answer_remark(series: &JudgedSeries<'_>) -> Option<Remark> {
    let margin = series.margin;
    let look = &series.look;
    let lost = look.rci.is_some_and(|rci| rci.high < 0.0);
    match (look.gate, look.call) {
        (Some(GateCall::Pass), _) if lost => Some(Remark::LossWithinMargin { margin }),
        (Some(GateCall::Pass | GateCall::Fail), _) => None,
        (Some(_), _) => time_needed(series, true),
        (None, Call::Same { real: true }) => Some(Remark::DifferenceWithinMargin { margin }),
        (None, Call::GoOn | Call::Inconclusive) => time_needed(series, false),
        _ => None,
    }
}

/// How much longer it would take to decide, for a gate or for a difference.
fn time_needed(series: &JudgedSeries<'_>, gate: bool) -> Option<Remark> {
    let look = &series.look;
    if !series.looked_at() {
        return Some(Remark::TooFewStarts {
            needed: series.first_look(),
            starts: look.k,
        });
    }
    let effect = 1.5 * series.margin;
    let goal = planning::DetectionGoal {
        effect: effect.ln_1p(),
        margin: series.margin,
        alpha: series.design.alpha / series.tests as f64,
        power: 0.95,
    };
    // The cap only changes what difference the run can detect, and this remark does not tell that.
    let forecast = forecast(look.sd?, look.k, look.k, goal);
    let (left, goal) = match gate {
        true => (forecast.rounds_to_same.saturating_sub(look.k), Goal::SettleGate),
        false => (forecast.rounds_left, Goal::Detect { effect }),
    };
    let at_cap = series
        .design
        .starts
        .is_some_and(|cap| series.counted >= cap as usize);
    // At the cap all of alpha is spent, so further starts of this run would not count.
    let new_run = at_cap && left > 0;
    let starts = if new_run { look.k + left } else { left };
    let seconds = starts as f64 * series.round_seconds;
    Some(match new_run {
        _ if seconds >= DAY => Remark::TooNoisy { goal },
        true => Remark::NewRun {
            starts,
            seconds,
            goal,
        },
        false => Remark::MoreTime { seconds, goal },
    })
}

/// The comparison was decided while others were open; it keeps the look that decided it.
fn decided_early(series: &JudgedSeries<'_>) -> Option<Remark> {
    let (starts, all) = (series.look.k, series.rounds);
    (starts < all).then_some(Remark::DecidedEarly { starts, all })
}

/// Some starts count for other measures, but have no value of this one.
fn starts_missing(series: &JudgedSeries<'_>) -> Option<Remark> {
    let (counted, all) = (series.rounds, series.counted);
    (counted < all).then_some(Remark::StartsMissing { counted, all })
}

/// Many starts have another sign than the mean. Where the arms are the same, that is expected and not remarked.
fn starts_disagree(series: &JudgedSeries<'_>) -> Option<Remark> {
    let share = sign_disagreement(series.d)?;
    let same = matches!(series.look.call, Call::Same { .. });
    if same || share <= DISAGREE || !series.looked_at() {
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
        let design = Design {
            starts: Some(8),
            ..Design::default()
        };
        let look = rule.look(d).expect("rounds").at_end();
        remarks_on(&JudgedSeries {
            design: &design,
            d,
            rounds,
            counted: rounds,
            margin: 0.02,
            tests,
            look,
            round_seconds: 20.0,
        })
    }

    fn plain(d: &[f64]) -> Vec<Remark> {
        remarks(d, &Rule::new(Some(20), 0.01, 1, 0.02), d.len())
    }

    #[test]
    fn a_clear_answer_needs_no_remark() {
        assert_eq!(plain(&[0.1, 0.11, 0.09, 0.1, 0.1]), []);
        assert_eq!(plain(&[0.0, 0.001, -0.001, 0.0, 0.0]), []);
    }

    #[test]
    fn starts_that_disagree_are_counted() {
        let remarks = plain(&[0.05, -0.04, 0.05, -0.04, 0.05]);
        let disagree = Remark::StartsDisagree { opposite: 2, all: 5 };
        assert!(remarks.contains(&disagree), "{remarks:?}");
        assert!(
            matches!(remarks[0], Remark::MoreTime { goal: Goal::Detect { effect }, .. } if (effect - 0.03).abs() < 1e-9),
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
                Remark::MoreTime {
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
