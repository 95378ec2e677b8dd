//! What a verdict leaves open, in a sentence or two: the time still needed, how far the starts agree.

use model::experiment::Design;
use stats::boundary::first_look;
use stats::planning::{Goal, forecast};
use stats::sequential::{Call, GateCall, Look};
use stats::sign_flip;
use stats::summary::{sign_disagreement, t_test};

/// Share of starts that may disagree in sign before it is said.
const DISAGREE: f64 = 0.3;
/// How far the sign-flip test may be from the t test before it is said.
const UNLIKE: f64 = 10.0;
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

/// All there is to remark, `None` when the verdict says everything.
pub(crate) fn of(facts: &Facts<'_>) -> Option<String> {
    let remarks = [
        answer(facts),
        early(facts),
        fewer(facts),
        scatter(facts),
        flips(facts),
    ];
    let said: Vec<String> = remarks.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// What belongs to the verdict itself.
fn answer(facts: &Facts<'_>) -> Option<String> {
    let percent = percent(facts.margin);
    let look = &facts.look;
    let lost = look.rci.is_some_and(|rci| rci.high < 0.0);
    match (look.gate, look.call) {
        (Some(GateCall::Pass), _) if lost => Some(format!("a loss was shown, but within {percent}")),
        (Some(GateCall::Pass | GateCall::Fail), _) => None,
        (Some(_), _) => open(facts, true),
        (None, Call::Same { real: true }) => Some(format!("a real difference, but within {percent}")),
        (None, Call::GoOn | Call::Inconclusive) => open(facts, false),
        _ => None,
    }
}

/// How much longer it would take.
fn open(facts: &Facts<'_>, gate: bool) -> Option<String> {
    let look = &facts.look;
    if !facts.looked_at() {
        return Some(format!(
            "an interval needs {} starts, there were {}",
            facts.first_look(),
            look.k
        ));
    }
    let effect = 1.5 * facts.margin;
    let goal = Goal {
        effect: effect.ln_1p(),
        margin: facts.margin,
        alpha: facts.design.alpha / facts.tests as f64,
        power: 0.95,
    };
    // The cap matters to what it resolves only, and that is not said here.
    let forecast = forecast(look.sd?, look.k, look.k, goal);
    let (left, aim) = match gate {
        true => (
            forecast.rounds_to_same.saturating_sub(look.k),
            "settle the gate if nothing was lost".to_owned(),
        ),
        false => (
            forecast.rounds_left,
            format!("tell {percent} from nothing", percent = self::percent(effect)),
        ),
    };
    let at_cap = facts
        .design
        .starts
        .is_some_and(|cap| facts.counted >= cap as usize);
    Some(match at_cap && left > 0 {
        // All of alpha is spent: no start more would count.
        true => anew((look.k + left) as f64 * facts.round_seconds, look.k + left, &aim),
        false => needs(left as f64 * facts.round_seconds, &aim),
    })
}

/// In a run that is planned longer.
fn anew(seconds: f64, starts: usize, aim: &str) -> String {
    match seconds {
        s if s < 86400.0 => format!(
            "a new run of {starts} starts, about {:.0} min, would {aim}",
            (s / 60.0).max(1.0)
        ),
        _ => format!("this machine is too noisy to {aim}"),
    }
}

fn needs(seconds: f64, aim: &str) -> String {
    match seconds {
        s if s < 60.0 => format!("a little more time would {aim}"),
        s if s < 5400.0 => format!("about {:.0} more min would {aim}", s / 60.0),
        s if s < 86400.0 => format!("about {:.0} more hours would {aim}", s / 3600.0),
        _ => format!("this machine is too noisy to {aim}"),
    }
}

/// A comparison that was decided while others were open keeps the look that decided it.
fn early(facts: &Facts<'_>) -> Option<String> {
    let (k, all) = (facts.look.k, facts.rounds);
    (k < all).then(|| format!("decided after {k} of {all} starts"))
}

/// Starts that count for other measures and not for this one.
fn fewer(facts: &Facts<'_>) -> Option<String> {
    let (own, all) = (facts.rounds, facts.counted);
    (own < all).then(|| format!("{own} of {all} starts counted for it"))
}

/// Starts that point the other way; nothing to wonder at where the arms are the same.
fn scatter(facts: &Facts<'_>) -> Option<String> {
    let share = sign_disagreement(facts.d)?;
    let same = matches!(facts.look.call, Call::Same { .. });
    if same || share <= DISAGREE || !facts.looked_at() {
        return None;
    }
    let (against, k) = ((share * facts.d.len() as f64).round(), facts.d.len());
    Some(format!(
        "small against start-to-start variation: {against} of {k} starts point the other way"
    ))
}

/// The sign-flip test beside the t test, where the two disagree: then a few wild starts rule the mean.
fn flips(facts: &Facts<'_>) -> Option<String> {
    if !facts.looked_at() {
        return None;
    }
    let t = t_test(facts.d)?.p;
    let flips = sign_flip::p_value(facts.d, FLIPS);
    // With k starts no p can be smaller than this: few starts are no disagreement.
    let least = 2.0 * 0.5f64.powi(facts.d.len() as i32);
    let unlike = flips > UNLIKE * t.max(least) || t > UNLIKE * flips;
    unlike.then(|| {
        format!("a few starts rule the mean: p {flips:.2} by sign-flip, {t:.2} by t; see every start")
    })
}

/// `2 %`, `4.5 %`.
fn percent(share: f64) -> String {
    // Rounded first, so that 3 % is not said as 3.0000000000000004 %.
    format!("{} %", (1000.0 * share).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::sequential::Rule;

    fn said(d: &[f64], rule: &Rule, rounds: usize) -> Option<String> {
        of_tests(d, rule, rounds, 1)
    }

    fn of_tests(d: &[f64], rule: &Rule, rounds: usize, tests: usize) -> Option<String> {
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

    fn plain(d: &[f64]) -> Option<String> {
        said(d, &Rule::new(Some(20), 0.01, 1, 0.02), d.len())
    }

    #[test]
    fn a_clear_answer_needs_no_remark() {
        assert_eq!(plain(&[0.1, 0.11, 0.09, 0.1, 0.1]), None);
        assert_eq!(plain(&[0.0, 0.001, -0.001, 0.0, 0.0]), None);
    }

    #[test]
    fn starts_that_disagree_are_counted() {
        let remark = plain(&[0.05, -0.04, 0.05, -0.04, 0.05]).expect("a remark");
        assert!(remark.contains("2 of 5 starts point the other way"), "{remark}");
        assert!(
            remark.contains("more min would tell 3 % from nothing"),
            "{remark}"
        );
    }

    #[test]
    fn what_is_left_grows_with_the_tests_and_beyond_the_cap_takes_a_run_of_its_own() {
        let d = [0.05, -0.04, 0.05, -0.04, 0.05, -0.04, 0.05, -0.04];
        let rule = Rule::new(Some(8), 0.01, 1, 0.02);
        let minutes = |tests| {
            let said = of_tests(&d, &rule, 8, tests).expect("a remark");
            assert!(said.starts_with("a new run of "), "{said}");
            let (before, _) = said
                .split_once(" min, would tell 3 % from nothing")
                .expect("an aim");
            let minutes = before.rsplit(' ').next().expect("a number");
            minutes.parse::<u32>().expect("minutes")
        };
        assert!(minutes(30) > minutes(1), "{} {}", minutes(30), minutes(1));
    }

    #[test]
    fn a_wild_start_that_rules_the_mean_is_said() {
        let mut d = vec![0.02; 9];
        d.extend([0.021, 0.019, -0.3]);
        let remark = plain(&d).expect("a remark");
        assert!(!remark.contains("sign-flip"), "{remark}");
        // Eleven starts agree to the last digit, the twelfth is far out on the same side: t sees noise, signs do not.
        let mut d = vec![0.02; 11];
        d.push(0.9);
        let remark = plain(&d).expect("a remark");
        assert!(remark.contains("by sign-flip"), "{remark}");
    }

    #[test]
    fn a_gate_tells_a_loss_that_it_allows_and_what_it_still_needs() {
        let gate = Rule::gate(Some(20), 0.01, 1, 0.02);
        let lost = said(&[-0.010, -0.011, -0.009, -0.010, -0.010], &gate, 5).expect("a remark");
        assert_eq!(lost, "a loss was shown, but within 2 %");
        let open = said(&[-0.03, 0.02, -0.02, 0.03, -0.01, 0.02], &gate, 6).expect("a remark");
        assert!(open.contains("settle the gate"), "{open}");
    }

    #[test]
    fn an_arm_that_was_decided_early_says_so() {
        let rule = Rule::new(Some(20), 0.01, 1, 0.02);
        let remark = said(&[0.1, 0.11, 0.09, 0.1, 0.1], &rule, 9).expect("a remark");
        assert_eq!(remark, "decided after 5 of 9 starts");
    }
}
