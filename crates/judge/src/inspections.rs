//! Plans the inspections of a run: in a start of its own after all rounds, every server is loaded once more and looked into while
//! nothing is measured. Here is at which levels, for how long, and how many seconds all of it takes.

use crate::find::mode;
use crate::pauses::Stood;
use crate::round_time;
use ask::experiment::Experiment;
use model::units::{Nanos, Seconds};
use record::rounds::{RoundRecord, SliceRecord};

/// The least time for which a server is watched under load: enough for ten thread dumps and more.
const SHORTEST: Nanos = Nanos::from_secs(4);
/// The longest time for which a server is watched, at all levels together.
const LONGEST: Nanos = Nanos::from_secs(30);
/// How many requests of mean length fit into that time, up to the greatest.
const REQUESTS: u64 = 3;
/// How many times as long as from one stop of an arm to the next it is watched.
const STOPS: f64 = 6.5;
/// The longest time that is allowed for a request to be answered before the watch begins.
const LONGEST_REQUEST: Nanos = Nanos::from_secs(10);
/// The time from which on a wrong answer of an arm without right ones is late.
const LATE: Nanos = Nanos::from_secs(1);
/// The users that begin per second: all at once they would fill the accept queue, which does not happen in measured slices.
const USERS_PER_SECOND: u64 = 1000;
/// The longest time in which users begin.
const LONGEST_RAMP: Nanos = Nanos::from_secs(5);
/// The time for making connections.
const CONNECTING: Nanos = Nanos::from_millis(100);
/// Guess of the seconds for attaching to a server.
const ATTACHING: Seconds = Seconds(2.5);
/// Guess of the seconds for watching it without load, and for reading what was recorded.
const READING: Seconds = Seconds(2.5);

/// How a server is loaded while it is looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// The level, its index among the experiment's.
    pub level: usize,
    /// The time within which its users begin.
    pub ramp: Nanos,
    /// The time before the watch begins. All users have requests in flight by then, so that nothing that is seen belongs to the ramp.
    pub settle: Nanos,
    /// The time for which the server is watched.
    pub counted: Nanos,
    /// Whether the arm gave no right answer in any start: its requests are not given up while it is watched, because a late answer may
    /// tell why.
    pub is_silent: bool,
}

/// How an arm is loaded while it is looked into, from the level with the fewest users up.
pub fn looks(experiment: &Experiment, rounds: &[RoundRecord], arm: usize) -> Vec<Look> {
    let mode = mode(experiment);
    let reached = mode.reported_levels(experiment, rounds);
    let levels = mode.first_inspected_level(reached)..reached;
    let longest = Nanos(LONGEST.0 / levels.len().max(1) as u64).max(SHORTEST);
    let within = |look: Look| Look { counted: look.counted.min(longest), ..look };
    levels.map(|level| within(look(experiment, rounds, arm, level))).collect()
}

fn look(experiment: &Experiment, rounds: &[RoundRecord], arm: usize, level: usize) -> Look {
    let request = request_time(rounds, arm, level);
    let users = experiment.load.connections[level] as u64;
    let ramp = Nanos(users.saturating_mul(1_000_000_000 / USERS_PER_SECOND)).min(LONGEST_RAMP);
    Look {
        level,
        ramp,
        settle: ramp + request.min(LONGEST_REQUEST) + CONNECTING,
        counted: Nanos(request.0.saturating_mul(REQUESTS))
            .max(stops_time(rounds, arm, level))
            .clamp(SHORTEST, LONGEST),
        is_silent: request >= LATE && is_silent(rounds, arm, level),
    }
}

/// The time in which an arm that stands still now and then does so often enough to show whether the distances are even; 0 for any other arm.
fn stops_time(rounds: &[RoundRecord], arm: usize, level: usize) -> Nanos {
    let slices = rounds.iter().flat_map(|round| round.closed_at(level));
    let of_arm: Vec<&SliceRecord> = slices.filter(|slice| slice.arm == arm).collect();
    let stood = Stood::of_slices(of_arm.iter().copied());
    stood.every().map_or(Nanos(0), |every| Nanos::from(STOPS * every))
}

/// Whether an arm was loaded at a level and gave no right answer.
fn is_silent(rounds: &[RoundRecord], arm: usize, level: usize) -> bool {
    let slices = rounds.iter().flat_map(|round| round.closed_at(level));
    let mut of_arm = slices.filter(|slice| slice.arm == arm).peekable();
    of_arm.peek().is_some() && of_arm.all(|slice| slice.counts.ok == 0)
}

/// How long a request of an arm took at a level, in the mean of all slices of the closed loop (by Little's law): until a right answer, or
/// where there was none, until it failed or was given up; 0 before there are any.
fn request_time(rounds: &[RoundRecord], arm: usize, level: usize) -> Nanos {
    let slices = rounds.iter().flat_map(|round| round.closed_at(level));
    let mut in_flight = Seconds::ZERO;
    let (mut ok, mut requests) = (0, 0);
    for slice in slices.filter(|slice| slice.arm == arm) {
        in_flight += slice.in_flight;
        ok += slice.counts.ok;
        requests += slice.counts.requests;
    }
    match if ok > 0 { ok } else { requests } {
        0 if in_flight > Seconds::ZERO => LONGEST_REQUEST,
        0 => Nanos(0),
        ended => Nanos::from_secs_f64(in_flight.0 / ended as f64),
    }
}

/// How long all inspections of a run take together: one more start of all arms, and a look at each that is inspected. 0 where
/// none is.
pub fn time(experiment: &Experiment, rounds: &[RoundRecord]) -> Seconds {
    let of_arm = |arm: usize| {
        let looks = looks(experiment, rounds, arm);
        let under_load = looks.iter().map(|look| Seconds::from(look.settle + look.counted) + READING);
        ATTACHING + under_load.sum::<Seconds>()
    };
    let arms: Vec<Seconds> = experiment.inspected_arms().map(of_arm).collect();
    match arms.as_slice() {
        [] => Seconds::ZERO,
        arms => arms.iter().copied().sum::<Seconds>() + round_time::warm_start_time(experiment, rounds),
    }
}

/// How long one start takes in which the CPU time of all arms is profiled.
pub fn profile_time(experiment: &Experiment, rounds: &[RoundRecord]) -> Seconds {
    let of_arm = |arm: usize| {
        let looks = looks(experiment, rounds, arm);
        let under_load = looks.iter().map(|look| Seconds::from(look.settle + look.counted));
        ATTACHING + under_load.sum::<Seconds>()
    };
    let arms = (0..experiment.arms.len()).map(of_arm).sum::<Seconds>();
    arms + round_time::warm_start_time(experiment, rounds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, levels, round, two_levels};
    use ask::arm::Telemetry;
    use ask::experiment::{Explain, Find, Steps};

    #[test]
    fn every_level_has_a_look_that_begins_when_all_users_wait() {
        let mut experiment = two_levels();
        experiment.load.connections = vec![4, 500];
        let all = looks(&experiment, &[], 0);
        assert_eq!(all.iter().map(|look| look.level).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(all[1].ramp, Nanos::from_millis(500));
        assert_eq!(all[1].settle, Nanos::from_millis(600));
        assert_eq!(all[1].counted, SHORTEST);
    }

    #[test]
    fn a_slow_arm_is_watched_for_three_of_its_own_requests() {
        let mut slow = round(1, &[PLAIN, PLAIN]);
        for slice in slow.slices.iter_mut().filter(|slice| slice.arm == 1) {
            (slice.counts.ok, slice.in_flight) = (2, Seconds(4.0));
        }
        let at = |arm| looks(&experiment(), std::slice::from_ref(&slow), arm)[0];
        assert_eq!(at(0).counted, SHORTEST);
        assert_eq!(at(1).counted, Nanos::from_secs(6));
        assert!(!at(0).is_silent && !at(1).is_silent);
        assert_eq!(at(1).settle, at(1).ramp + Nanos::from_secs(2) + CONNECTING);
        for slice in &mut slow.slices {
            slice.counts.ok = 0;
        }
        let failing = looks(&experiment(), std::slice::from_ref(&slow), 1)[0];
        assert_eq!((failing.counted, failing.is_silent), (SHORTEST, false), "it fails at once");
        for slice in &mut slow.slices {
            slice.counts.requests = 0;
        }
        let silent = looks(&experiment(), std::slice::from_ref(&slow), 1)[0];
        assert_eq!((silent.counted, silent.is_silent), (LONGEST, true), "nothing is answered");
        let mut table = experiment();
        table.load.connections = vec![4, 8, 16, 32, 64];
        let watched = looks(&table, &[slow], 1).iter().map(|look| look.counted.0).sum::<u64>();
        assert!(watched <= LONGEST.0, "{watched}");
    }

    #[test]
    fn an_arm_that_stands_still_is_watched_for_several_stops() {
        let mut stops = round(1, &[PLAIN, PLAIN]);
        for slice in stops.slices.iter_mut().filter(|slice| slice.arm == 1 && slice.rate.is_none()) {
            slice.longest_ns[3..6].copy_from_slice(&[0, 0, 250_000_000]);
            slice.elapsed_ns = 2_000_000_000;
        }
        let counted = |arm| looks(&experiment(), std::slice::from_ref(&stops), arm)[0].counted;
        assert_eq!([0, 1].map(counted), [SHORTEST, Nanos::from_secs(13)], "a stop every two seconds");
    }

    #[test]
    fn a_search_for_a_capacity_looks_at_its_last_level_only() {
        let mut experiment = two_levels();
        experiment.design.find = Some(Find::Capacity(Steps::Given));
        let climbed = [levels(1, &[[PLAIN; 2]; 2])];
        let seen: Vec<usize> = looks(&experiment, &climbed, 0).iter().map(|look| look.level).collect();
        assert_eq!(seen, [1]);
    }

    #[test]
    fn the_plan_reserves_no_time_where_nothing_is_looked_into() {
        let both = experiment();
        let mut one = both.clone();
        one.arms[0].telemetry = Telemetry::Off;
        let mut none = one.clone();
        none.arms[1].telemetry = Telemetry::Off;
        let off = Experiment { explain: Explain::Off, ..both.clone() };
        let [both, one, none, off] = [both, one, none, off].map(|experiment| time(&experiment, &[]));
        assert!(both > one && one > Seconds(10.0), "{both} {one}");
        assert_eq!((none, off), (Seconds::ZERO, Seconds::ZERO));
    }
}
