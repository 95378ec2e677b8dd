//! The stage at a fixed rate of a whole run: its rate, and whether the generator and the servers held it.

use crate::validity::VOID_ROUNDS;
use model::units::Rate;
use record::rounds::{RoundRecord, counted};

/// The stage at a fixed rate of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedRate {
    pub rate: Rate,
    /// Index of the level of the closed loop that the rate was chosen from.
    pub level: usize,
    /// Whether most starts held the rate on time. A later run of the same question should then use it again.
    pub held: bool,
}

/// The stage of a run with these rounds; `None` where no start that counts came to it.
pub fn of_run(rounds: &[RoundRecord]) -> Option<FixedRate> {
    let slice = counted(rounds).find_map(|round| round.open().next())?;
    let came = counted(rounds).filter(|round| round.open().next().is_some());
    let void = |round: &&RoundRecord| round.stage_void.is_some() || round.latency_void.is_some();
    let (all, late) = came.fold((0, 0), |(all, late), round| (all + 1, late + usize::from(void(&round))));
    Some(FixedRate {
        rate: slice.rate?,
        level: slice.level,
        held: late as f64 <= VOID_ROUNDS * f64::from(all),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, RATE, round, unsteady};

    #[test]
    fn a_rate_is_held_where_at_most_a_quarter_of_the_starts_was_late() {
        let run = |late: u32| -> Vec<RoundRecord> {
            let mut rounds: Vec<RoundRecord> = (1..=5).map(|n| round(n, &[PLAIN, PLAIN])).collect();
            for late in &mut rounds[..late as usize] {
                late.latency_void = Some(unsteady());
            }
            rounds
        };
        let held = |rounds: &[RoundRecord]| of_run(rounds).map(|stage| (stage.rate, stage.held));
        assert_eq!(held(&run(1)), Some((Rate(RATE), true)));
        assert_eq!(held(&run(2)), Some((Rate(RATE), false)));
        let mut void = run(0);
        void.iter_mut().for_each(|round| round.void = Some(unsteady()));
        assert_eq!(held(&void), None);
    }
}
