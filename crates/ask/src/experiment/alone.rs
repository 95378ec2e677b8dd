//! An experiment with one arm. Nothing is compared: it asks what limits the arm, under more and more users.

use super::{Design, Experiment, Find, Steps, find};
use crate::diagnostic::Diagnostic;
use crate::node::{Node, Value};
use crate::require::Bound;
use crate::slip::{Advice, NameSlip};

/// Most numbers of users of the search for what limits an arm; each takes a second or more.
const STEPS: usize = 8;
/// Pairs of slices at each of them. One start shows where throughput stops growing; nothing is compared that needs more.
const PAIRS: u32 = 2;

impl Experiment {
    /// Makes an experiment with one arm look for what limits it under up to so many users: one start climbs to them, however
    /// many the server can hold, because the question is about that number. What the file sets stays as it is.
    pub fn find_limit(&mut self, most: usize) {
        self.load.connections = steps(most);
        let design = std::mem::take(&mut self.design);
        let mut design = match self.load.connections.len() >= find::FEWEST {
            true => design.searching(Find::Capacity(Steps::Given)),
            false => Design { latency_pairs: 0, tune_latency: false, in_sessions: false, ..design },
        };
        if design.tune {
            design.pairs = PAIRS;
        }
        if design.tune_starts {
            (design.starts, design.tune_starts) = (Some(1), false);
        }
        self.design = design;
    }
}

/// The numbers of users up to `most`: halves of it, or for a small number all that a curve needs.
fn steps(most: usize) -> Vec<usize> {
    let halves = std::iter::successors(Some(most), |users| Some(users / 2).filter(|half| *half > 0));
    let mut steps: Vec<usize> = halves.take(STEPS).collect();
    steps.reverse();
    if steps.len() < find::FEWEST {
        steps = find::grid(most);
    }
    if steps.len() < find::FEWEST {
        steps = (1..most).collect();
    }
    if steps.last() != Some(&most) {
        steps.push(most);
    }
    steps
}

/// Adapts an experiment with one arm to its question. A file that lists levels, looks for something itself, requires something
/// or asks for a fixed rate is left as it is.
pub(super) fn adapt(experiment: &mut Experiment, root: &Node) {
    let tables = [root.get("quick"), Some(root)];
    let asks_itself = tables.into_iter().flatten().any(|table| {
        let load = table.get("load");
        let levels = load.and_then(|load| load.get("connections"));
        let design = table.get("design");
        let stage = |key: &&str| design.is_some_and(|design| design.get(key).is_some());
        levels.is_some_and(|levels| matches!(levels.value, Value::List(_)))
            || load.is_some_and(|load| load.get("find").is_some())
            || find::STAGE_KEYS.iter().any(stage)
    });
    let is_alone = experiment.arms.len() == 1;
    if let [most] = experiment.load.connections[..]
        && is_alone
        && !asks_itself
        && root.get("require").is_none()
    {
        experiment.find_limit(most);
    }
}

/// Refuses what compares arms where there is only one.
pub(super) fn refuse_comparisons(experiment: &Experiment, root: &Node, problems: &mut Vec<Diagnostic>) {
    let design = &experiment.design;
    let relative = |bound: Bound| matches!(bound, Bound::NotWorse(_));
    let compares = design.gate.is_some()
        || design.aa
        || experiment.require.iter().any(|requirement| relative(requirement.bound));
    if experiment.arms.len() == 1 && compares {
        let problem = root.entry("arms").refuse(NameSlip::OneArm);
        problems.push(problem.hint(Advice::TwoArms));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_of_users_is_the_one_that_was_asked_for() {
        assert_eq!(steps(200), [1, 3, 6, 12, 25, 50, 100, 200]);
        assert_eq!(steps(1000), [7, 15, 31, 62, 125, 250, 500, 1000]);
        assert_eq!(steps(32), [1, 2, 4, 8, 16, 32]);
        assert_eq!(steps(20), [1, 2, 3, 4, 6, 8, 12, 16, 20]);
        assert_eq!(steps(7), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!((steps(2), steps(1)), (vec![1, 2], vec![1]));
        for most in 1..2000 {
            let steps = steps(most);
            assert_eq!(steps.last(), Some(&most));
            assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{steps:?}");
            assert!(steps.len() >= find::FEWEST || most < 6, "{steps:?}");
        }
    }
}
