//! What the reader has to know before trusting the rest.

use crate::numbers::Numbers;
use crate::quiet;
use crate::settling;
use crate::windows;
use model::arm::Arm;
use model::experiment::Experiment;
use model::measure::Measure;
use model::record::{LevelRecord, RoundRecord, SliceRecord};

/// All of it.
pub(crate) fn of(experiment: &Experiment, rounds: &[RoundRecord], numbers: &[Numbers]) -> Vec<String> {
    let mut notes: Vec<String> = rounds.iter().flat_map(|round| void(experiment, round)).collect();
    notes.extend(repeated(rounds));
    notes.extend(changed_pairs(rounds));
    notes.extend(busy(rounds));
    notes.extend(unsteady(rounds));
    notes.extend(settling::notes(experiment, rounds));
    notes.extend(not_started(experiment));
    notes.extend(not_verified(experiment));
    for level in 0..experiment.load.connections.len() {
        notes.extend(slow(experiment, rounds, level));
        notes.extend(transient(experiment, rounds, numbers, level));
        notes.extend(reopened(experiment, rounds, level));
    }
    notes
}

/// What of a round did not count.
fn void(experiment: &Experiment, round: &RoundRecord) -> Vec<String> {
    let number = round.round;
    if let Some(reason) = &round.void {
        return vec![format!("start {number} did not count and was repeated: {reason}")];
    }
    let at = |level: &LevelRecord| {
        let users = experiment.load.connections[level.level];
        match (&level.void, &level.cpu_void) {
            (Some(reason), _) => Some(format!(
                "start {number} did not count at {users} connections: {reason}"
            )),
            (None, Some(reason)) if experiment.design.compares_by_level(Measure::CpuPerRequest) => Some(
                format!("CPU per request of start {number} did not count at {users} connections: {reason}"),
            ),
            _ => None,
        }
    };
    let levels = round.levels.iter().filter_map(at);
    let stage = round.stage_void.iter();
    let stage = stage.map(|reason| format!("start {number} did not count at the fixed rate: {reason}"));
    let latency = round.latency_void.iter();
    let latency = latency.map(|reason| format!("response times of start {number} did not count: {reason}"));
    levels.chain(stage).chain(latency).collect()
}

/// Quads that were measured again.
fn repeated(rounds: &[RoundRecord]) -> Option<String> {
    let begins = |slice: &&SliceRecord| slice.position == 0 && !slice.probe;
    let quads = |round: &RoundRecord| round.slices.iter().filter(begins).count();
    let lost = |round: &RoundRecord| {
        let slices = round.slices.iter().filter(begins);
        slices.filter(|slice| round.is_repeated(slice)).count()
    };
    let all: usize = rounds.iter().map(quads).sum();
    let again: usize = rounds.iter().map(lost).sum();
    (again > 0).then(|| {
        format!(
            "{again} of {all} groups of slices were measured again: the hypervisor took more than 10 % of the CPU time meanwhile"
        )
    })
}

/// That later starts had other pairs than the first, of those that counted.
fn changed_pairs(rounds: &[RoundRecord]) -> Option<String> {
    let rounds: Vec<&RoundRecord> = rounds.iter().filter(|round| round.void.is_none()).collect();
    let (first, last) = (*rounds.first()?, *rounds.last()?);
    let pairs: fn(&RoundRecord) -> u32 = match first.pairs == last.pairs {
        true => |round| round.latency_pairs,
        false => |round| round.pairs,
    };
    let (few, many) = (pairs(first), pairs(last));
    if few == many {
        return None;
    }
    let before = rounds.iter().filter(|round| pairs(round) == few).count();
    Some(format!(
        "{few} pairs of slices in each of the first {before} starts, {many} in the later ones: what those showed to tell \
         most in the time"
    ))
}

/// Starts that began while the machine was busy.
fn busy(rounds: &[RoundRecord]) -> Option<String> {
    let busy: Vec<&RoundRecord> = rounds.iter().filter(|round| round.idle < quiet::IDLE).collect();
    let waited: f64 = rounds.iter().map(|round| round.waited).sum();
    let least = busy.iter().map(|round| round.idle).fold(1.0, f64::min);
    (!busy.is_empty()).then(|| {
        format!(
            "{} of {} starts began while other work used the machine: only {:.0} % of it was idle at worst (wanted \
             60 %), after {waited:.0} s of waiting in all",
            busy.len(),
            rounds.len(),
            100.0 * least
        )
    })
}

/// Servers that prony did not start: what varies from start to start is not in their figures.
fn not_started(experiment: &Experiment) -> Option<String> {
    let running = experiment.arms.iter().filter(|arm| arm.origin.is_some());
    let names: Vec<&str> = running.map(|arm| arm.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "{} ran already and was never started afresh: a verdict holds for that process as it is, and the next one may \
             differ from it by what starts differ",
            names.join(" and ")
        )
    })
}

/// Servers whose certificates nobody could judge.
fn not_verified(experiment: &Experiment) -> Option<String> {
    let encrypts = |arm: &&Arm| arm.origin.is_some_and(|origin| origin.tls);
    let names: Vec<&str> = experiment
        .arms
        .iter()
        .filter(encrypts)
        .map(|arm| arm.name.as_str())
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "the certificate of {} was not verified: prony did not make it; that the server holds its key was",
            names.join(" and ")
        )
    })
}

/// Starts whose warm-up ended at its cap.
fn unsteady(rounds: &[RoundRecord]) -> Option<String> {
    let trials = rounds.iter().flat_map(|round| &round.trials);
    let unsteady = trials.clone().filter(|trial| !trial.steady).count();
    let all = trials.count();
    let times = if unsteady == 1 { "time" } else { "times" };
    (unsteady > 0).then(|| {
        format!(
            "warm-up ended at its cap, not yet steady, {unsteady} {times} of {all}: both arms were cut by the same rule, \
             so this costs precision, not fairness; a longer `warmup_cap` may help"
        )
    })
}

/// How a slow service was measured at a level.
fn slow(experiment: &Experiment, rounds: &[RoundRecord], at: usize) -> Option<String> {
    let level = rounds.iter().find_map(|round| round.level(at))?;
    slow_level(experiment, level)
}

/// The same of a level of one round: how long its slices are, and what a window of few rounds of requests is worth.
pub(crate) fn slow_level(experiment: &Experiment, level: &LevelRecord) -> Option<String> {
    let seconds = |nanos: u64| nanos as f64 / 1e9;
    let (p50, counted) = (seconds(level.service_p50_ns), seconds(level.counted_ns));
    if p50 < windows::SLOW {
        return None;
    }
    let users = experiment.load.connections[level.level];
    let pairs = match level.pairs {
        1 => "one row of slices a start".to_owned(),
        pairs => format!("{pairs} pairs a start"),
    };
    let rounds = counted / p50;
    let mut said = format!(
        "at {users} connections a request takes {p50:.2} s: slices of {:.1} s, of which {counted:.1} s count, {pairs}",
        seconds(level.settle_ns) + counted
    );
    if rounds < 0.99 * windows::ROUNDS {
        said.push_str(&format!(
            "; a slice holds only {rounds:.0} rounds of requests, so its throughput may be off by up to {:.0} % at its edges",
            100.0 / rounds
        ));
    }
    Some(said)
}

/// Arms whose users and throughput do not agree with Little's law at a slow level: the requests that end in the counted
/// part are not yet those of a steady state.
fn transient(
    experiment: &Experiment,
    rounds: &[RoundRecord],
    numbers: &[Numbers],
    at: usize,
) -> Option<String> {
    let level = rounds.iter().find_map(|round| round.level(at))?;
    if level.service_p50_ns < (windows::SLOW * 1e9) as u64 || !experiment.load.steady() {
        return None;
    }
    let users = experiment.load.connections[at];
    let of = |arm: usize| {
        let held = |numbers: &Numbers| Some(numbers.levels[at].as_ref()?.in_flight[arm] / users as f64);
        let mut held: Vec<f64> = numbers.iter().filter_map(held).collect();
        held.sort_by(f64::total_cmp);
        let median = *held.get(held.len() / 2)?;
        let name = &experiment.arms[arm].name;
        ((median - 1.0).abs() > LITTLE).then(|| format!("{name} {:.0}", median * users as f64))
    };
    let found: Vec<String> = (0..experiment.arms.len()).filter_map(of).collect();
    (!found.is_empty()).then(|| {
        format!(
            "no steady state at {users} connections: throughput times service time makes {} users; throughput counts, \
             service times would still grow (a longer `settle` shows them)",
            found.join(", ")
        )
    })
}

/// How far a steady state may miss Little's law.
const LITTLE: f64 = 0.05;

/// Connections of a slow level that a server closed while other arms were loaded.
fn reopened(experiment: &Experiment, rounds: &[RoundRecord], at: usize) -> Option<String> {
    let level = rounds.iter().find_map(|round| round.level(at))?;
    if level.service_p50_ns < (windows::SLOW * 1e9) as u64 || !experiment.load.keepalive {
        return None;
    }
    let of = |arm: usize| {
        // In an arm's first slice of a round all connections are new.
        let later = |round| {
            let own = RoundRecord::closed_at(round, at).filter(move |slice| slice.arm == arm);
            own.skip(1).map(|slice| slice.connects_settling).sum::<u64>()
        };
        let opened: u64 = rounds.iter().map(later).sum();
        (opened > 0).then(|| format!("{opened} of {}", experiment.arms[arm].name))
    };
    let found: Vec<String> = (0..experiment.arms.len()).filter_map(of).collect();
    (!found.is_empty()).then(|| {
        format!(
            "at {} connections servers closed idle ones between slices; opened again before the counted parts: {}",
            experiment.load.connections[at],
            found.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, levels, round, two_levels};

    fn said(experiment: &Experiment, rounds: &[RoundRecord]) -> Vec<String> {
        of(experiment, rounds, &Numbers::of_all(experiment, rounds))
    }

    #[test]
    fn what_does_not_count_is_told_with_its_level() {
        let mut rounds = vec![round(1, &[PLAIN, PLAIN]), round(2, &[PLAIN, PLAIN])];
        assert_eq!(said(&experiment(), &rounds), Vec::<String>::new());
        rounds[0].void = Some("noisy-neighbour: …".to_owned());
        assert!(said(&experiment(), &rounds)[0].starts_with("start 1 did not count and was repeated"));
        let mut both = levels(3, &[[PLAIN, PLAIN], [PLAIN, PLAIN]]);
        both.levels[1].void = Some("no steady state: …".to_owned());
        assert!(
            said(&two_levels(), &[both.clone()])[0].starts_with("start 3 did not count at 8 connections: no")
        );
        (both.levels[1].cpu_void, both.levels[1].void) = (both.levels[1].void.take(), None);
        assert_eq!(
            said(&two_levels(), &[both.clone()]),
            Vec::<String>::new(),
            "compared at a rate"
        );
        let mut without = two_levels();
        without.design.latency_pairs = 0;
        let told = said(&without, &[both]);
        assert!(
            told[0].starts_with("CPU per request of start 3 did not count at 8 connections: no"),
            "{told:?}"
        );
    }

    #[test]
    fn quads_that_were_measured_again_are_counted() {
        let mut rounds = vec![round(1, &[PLAIN, PLAIN]), round(2, &[PLAIN, PLAIN])];
        rounds[1].latency_repeated = vec![2];
        assert!(
            said(&experiment(), &rounds)[0].starts_with("1 of 6 groups of slices were measured again: the")
        );
    }

    #[test]
    fn a_slow_level_tells_its_slices_its_bias_and_whether_it_was_steady() {
        let mut slow = levels(1, &[[PLAIN, PLAIN], [PLAIN, PLAIN]]);
        (slow.levels[1].service_p50_ns, slow.levels[1].pairs) = (1_000_000_000, 2);
        (slow.levels[1].settle_ns, slow.levels[1].counted_ns) = (3_000_000_000, 30_000_000_000);
        let told = said(&two_levels(), &[slow.clone()]);
        assert_eq!(
            told[0],
            "at 8 connections a request takes 1.00 s: slices of 33.0 s, of which 30.0 s count, 2 pairs a start"
        );
        // 20 000 a second of 1 ms each are 20 requests in flight, and there are 8 users.
        assert!(told[1].contains("makes nine 20, ten 20 users"), "{}", told[1]);
        slow.levels[1].counted_ns = 4_000_000_000;
        let last = slow.slices.len() - 1;
        slow.slices[last].connects_settling = 8;
        let told = said(&two_levels(), &[slow]);
        assert!(
            told[0].contains("only 4 rounds of requests") && told[0].contains("up to 25 %"),
            "{}",
            told[0]
        );
        assert!(
            told[2].contains("8 of nine") || told[2].contains("8 of ten"),
            "{}",
            told[2]
        );
    }
}
