//! The standing as it was after each round of a run.

use crate::numbers::Numbers;
use crate::round_time;
use crate::verdicts::{self, Standing};
use ask::experiment::Experiment;
use record::rounds::RoundRecord;
use stats::spending::LookKind;
use std::slice;

/// For each of these rounds, the standing after it: what the live page showed at that time.
pub fn standings(experiment: &Experiment, rounds: &[RoundRecord]) -> impl Iterator<Item = Standing> {
    let mut numbers = Vec::new();
    rounds.iter().zip(1..).map(move |(round, count)| {
        numbers.extend(Numbers::of_rounds(experiment, slice::from_ref(round)));
        Numbers::settle(experiment, &mut numbers);
        let round_time = round_time::round_time(experiment, &rounds[..count]);
        verdicts::judge(experiment, &numbers, round_time, LookKind::Running)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report;
    use crate::testing::{PLAIN, experiment, record, round};
    use model::units::Seconds;
    use record::outcome::Comparison;
    use record::rounds::RunRecord;

    #[test]
    fn the_verdicts_after_each_round_are_computed_again() {
        let rounds: Vec<RoundRecord> = (1..=6)
            .map(|number| {
                let mut round = round(number, &[PLAIN, PLAIN.better(1.0 + 0.01 * f64::from(number))]);
                round.void = (number == 3).then(crate::testing::stolen);
                round
            })
            .collect();
        let run = RunRecord { interrupted: true, elapsed: Seconds(0.0), ..record(experiment()) };
        let after_each: Vec<Vec<Comparison>> =
            standings(&run.experiment, &rounds).map(|standing| standing.comparisons).collect();
        assert_eq!(after_each.len(), 6);
        assert_eq!(after_each[1], after_each[2], "a void round adds nothing");
        assert_ne!(after_each[4], after_each[5]);
        for (count, comparisons) in (1..).zip(after_each) {
            assert_eq!(comparisons, report::report(&run, &rounds[..count]).comparisons);
        }
    }
}
