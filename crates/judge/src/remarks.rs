//! What stands beside a verdict: what it leaves open and what it would take, how far the starts agree.

use model::experiment::Design;
use model::remark::{Goal, Remark};
use stats::boundary::first_look;
use stats::planning::{self, forecast};
use stats::sequential::{Call, GateCall, Look};
use stats::sign_flip;
use stats::summary::{sign_disagreement, t_test};

/// Share of starts that may disagree in sign before it is said.
const DISAGREE: f64 = 0.3;
/// How far the sign-flip test may be from the t test before it is said.
const UNLIKE: f64 = 10.0;
/// Seconds of a day: what would take longer is not promised.
const DAY: f64 = 86_400.0;
/// Seed of the sign-flip test: fixed, so that a report judged again says the same.
const FLIPS: u64 = 1;

/// What a remark is about.
pub(crate) struct Facts<'a> {
    pub(crate) design: &'a Design,
    /// The rounds behind the look.
    pub(crate) d: &'a [f64],
    /// All rounds that count for it.
    pub(crate) rounds: usize,
    /// All that count for anything.
    pub(crate) counted: usize,
    pub(crate) margin: f64,
    /// Tests that share alpha with it, itself included.
    pub(crate) tests: usize,
    pub(crate) look: Look,
    /// What a round takes, seconds.
    pub(crate) round_seconds: f64,
}

impl Facts<'_> {
    /// Whether there are starts enough to be looked at.
    fn looked_at(&self) -> bool {
        self.look.k >= self.first_look()
    }

    fn first_look(&self) -> usize {
        first_look(self.design.starts.map(|cap| cap as usize))
    }
}

/// All that the verdict itself does not say; empty when it says everything.
pub(crate) fn of(facts: &Facts<'_>) -> Vec<Remark> {
    let remarks = [
        beside_answer(facts),
        decided_early(facts),
        starts_missing(facts),
        starts_disagree(facts),
        few_starts_dominate(facts),
    ];
    remarks.into_iter().flatten().collect()
}

/// What belongs to the verdict: a loss or difference within the margin, or what it would take to decide.
fn beside_answer(facts: &Facts<'_>) -> Option<Remark> {
    let margin = facts.margin;
    let look = &facts.look;
    let lost = look.rci.is_some_and(|rci| rci.high < 0.0);
    match (look.gate, look.call) {
        (Some(GateCall::Pass), _) if lost => Some(Remark::LossWithinMargin { margin }),
        (Some(GateCall::Pass | GateCall::Fail), _) => None,
        (Some(_), _) => needed(facts, true),
        (None, Call::Same { real: true }) => Some(Remark::DifferenceWithinMargin { margin }),
        (None, Call::GoOn | Call::Inconclusive) => needed(facts, false),
        _ => None,
    }
}

/// How much longer it would take to decide.
fn needed(facts: &Facts<'_>, gate: bool) -> Option<Remark> {
    let look = &facts.look;
    if !facts.looked_at() {
        return Some(Remark::TooFewStarts {
            needed: facts.first_look(),
            starts: look.k,
        });
    }
    let effect = 1.5 * facts.margin;
    let goal = planning::Goal {
        effect: effect.ln_1p(),
        margin: facts.margin,
        alpha: facts.design.alpha / facts.tests as f64,
        power: 0.95,
    };
    // The cap matters to what it resolves only, and that is not said here.
    let forecast = forecast(look.sd?, look.k, look.k, goal);
    let (left, goal) = match gate {
        true => (forecast.rounds_to_same.saturating_sub(look.k), Goal::SettleGate),
        false => (forecast.rounds_left, Goal::Detect { effect }),
    };
    let at_cap = facts
        .design
        .starts
        .is_some_and(|cap| facts.counted >= cap as usize);
    // At the cap all of alpha is spent: no further start would count.
    let new_run = at_cap && left > 0;
    let starts = if new_run { look.k + left } else { left };
    let seconds = starts as f64 * facts.round_seconds;
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

/// A comparison that was decided while others were open keeps the look that decided it.
fn decided_early(facts: &Facts<'_>) -> Option<Remark> {
    let (starts, all) = (facts.look.k, facts.rounds);
    (starts < all).then_some(Remark::DecidedEarly { starts, all })
}

/// Starts that count for other measures and not for this one.
fn starts_missing(facts: &Facts<'_>) -> Option<Remark> {
    let (counted, all) = (facts.rounds, facts.counted);
    (counted < all).then_some(Remark::StartsMissing { counted, all })
}

/// Starts that point the other way than the mean; where the arms are the same that is to be expected.
fn starts_disagree(facts: &Facts<'_>) -> Option<Remark> {
    let share = sign_disagreement(facts.d)?;
    let same = matches!(facts.look.call, Call::Same { .. });
    if same || share <= DISAGREE || !facts.looked_at() {
        return None;
    }
    let all = facts.d.len();
    let opposite = (share * all as f64).round() as usize;
    Some(Remark::StartsDisagree { opposite, all })
}

/// The sign-flip test beside the t test, where the two disagree: then a few wild starts decide the mean.
fn few_starts_dominate(facts: &Facts<'_>) -> Option<Remark> {
    if !facts.looked_at() {
        return None;
    }
    let t = t_test(facts.d)?.p;
    let sign_flip = sign_flip::p_value(facts.d, FLIPS);
    // With k starts no p can be smaller than this: few starts are no disagreement.
    let least = 2.0 * 0.5f64.powi(facts.d.len() as i32);
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
        of(&Facts {
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
    fn what_is_left_grows_with_the_tests_and_beyond_the_cap_takes_a_run_of_its_own() {
        let d = [0.05, -0.04, 0.05, -0.04, 0.05, -0.04, 0.05, -0.04];
        let rule = Rule::new(Some(8), 0.01, 1, 0.02);
        let seconds = |tests| match remarks_of_tests(&d, &rule, 8, tests)[0] {
            Remark::NewRun { seconds, .. } => seconds,
            ref other => panic!("{other:?}"),
        };
        assert!(seconds(30) > seconds(1), "{} {}", seconds(30), seconds(1));
    }

    #[test]
    fn a_wild_start_that_dominates_the_mean_is_told() {
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
    fn a_gate_tells_a_loss_that_it_allows_and_what_it_still_needs() {
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
