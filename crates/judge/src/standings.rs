//! How everything stood after each round of a run.

use crate::numbers::Numbers;
use crate::round_time;
use crate::verdicts;
use model::experiment::Experiment;
use model::outcome::Comparison;
use model::record::RoundRecord;
use std::slice;

/// How everything stood after each of these rounds: what an observer was told then.
pub fn standings(experiment: &Experiment, rounds: &[RoundRecord]) -> impl Iterator<Item = Vec<Comparison>> {
    let mut numbers = Vec::new();
    rounds.iter().zip(1..).map(move |(round, count)| {
        numbers.extend(Numbers::of_all(experiment, slice::from_ref(round)));
        let seconds = round_time::round_seconds(experiment, &rounds[..count]);
        verdicts::judge(experiment, &numbers, seconds).comparisons
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report;
    use crate::testing::{PLAIN, experiment, record, round};

    #[test]
    fn what_stood_after_each_round_is_found_again() {
        let rounds: Vec<RoundRecord> = (1..=6)
            .map(|number| {
                let mut round = round(number, &[PLAIN, PLAIN.better(1.0 + 0.01 * f64::from(number))]);
                round.void = (number == 3).then(crate::testing::stolen);
                round
            })
            .collect();
        let run = record(experiment());
        let stood: Vec<Vec<Comparison>> = standings(&run.experiment, &rounds).collect();
        assert_eq!(stood.len(), 6);
        assert_eq!(stood[1], stood[2], "a void round adds nothing");
        assert_ne!(stood[4], stood[5]);
        for (count, stood) in (1..).zip(stood) {
            assert_eq!(stood, report::report(&run, &rounds[..count]).comparisons);
        }
    }
}
