//! The server's part of a difference in throughput, where it shares its CPUs with the generator. In a closed
//! loop that uses all CPUs, throughput times the CPU time of a request, server and generator together, is the
//! number of CPUs: an arm that costs the generator more is slower by that, too.

use ask::experiment::Experiment;
use model::measure::Measure;
use model::units::Seconds;
use record::rounds::{RoundRecord, SliceRecord};
use traffic::load_note::{LoadNote, SharedCpus};

/// Smallest share of the CPUs that server and generator use together when the CPUs are what limits throughput.
const FULL: f64 = 0.90;

/// CPU time of an arm per right answer in the closed loop.
#[derive(Clone, Copy, Debug)]
struct PerRequest {
    server: Seconds,
    generator: Seconds,
    /// CPUs that both use together.
    used: f64,
}

impl PerRequest {
    /// Those of an arm at a level, over all starts that count; `None` without an answer.
    fn of(rounds: &[RoundRecord], level: usize, arm: usize) -> Option<Self> {
        let counted = rounds.iter().filter(|round| round.void_of_arm(level, arm).is_none());
        let slices = counted.flat_map(|round| round.closed_at(level));
        let slices: Vec<&SliceRecord> = slices.filter(|slice| slice.arm == arm).collect();
        let sum =
            |value: fn(&SliceRecord) -> u64| slices.iter().map(|slice| value(slice) as f64).sum::<f64>();
        let ok = Some(sum(|slice| slice.counts.ok)).filter(|ok| *ok > 0.0)?;
        let (server, generator) = (sum(|slice| slice.cpu_ns_arm), sum(|slice| slice.cpu_ns_generator));
        Some(Self {
            server: Seconds(server / 1e9 / ok),
            generator: Seconds(generator / 1e9 / ok),
            used: (server + generator) / sum(|slice| slice.elapsed_ns),
        })
    }

    fn total(self) -> Seconds {
        self.server + self.generator
    }
}

/// A note for each arm and level at which generator and servers used up the CPUs that they share, and a request of the arm costs
/// more or less than one of the baseline by more than the margin of throughput.
pub(crate) fn notes(experiment: &Experiment, rounds: &[RoundRecord], cpus: usize) -> Vec<LoadNote> {
    let baseline = experiment.design.baseline;
    let margin = experiment.design.margin(Measure::Throughput);
    let note = |level: usize, arm: usize| {
        let ours = PerRequest::of(rounds, level, arm)?;
        let theirs = PerRequest::of(rounds, level, baseline)?;
        let full = ours.used.min(theirs.used) >= FULL * cpus as f64;
        let differ = (ours.total() / theirs.total() - 1.0).abs() > margin;
        let name = |arm: usize| experiment.arms[arm].name.clone();
        (full && differ).then(|| {
            LoadNote::SharedCpus(SharedCpus {
                users: experiment.load.connections[level],
                cpus,
                arm: name(arm),
                baseline: name(baseline),
                server: ours.server - theirs.server,
                generator: ours.generator - theirs.generator,
            })
        })
    };
    let arms = (0..experiment.arms.len()).filter(|arm| *arm != baseline);
    let levels = 0..experiment.load.connections.len();
    levels
        .flat_map(|level| arms.clone().filter_map(move |arm| note(level, arm)).collect::<Vec<_>>())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, round};

    /// The notes on a run whose arms cost server and generator so many microseconds per request, with all of two CPUs in use.
    fn noted(costs: [[f64; 2]; 2], used: f64) -> Vec<LoadNote> {
        let mut round = round(1, &[PLAIN, PLAIN]);
        for slice in &mut round.slices {
            let [server, generator] = costs[slice.arm];
            let cpu = used * slice.elapsed_ns as f64;
            slice.counts.ok = (cpu / 1e3 / (server + generator)) as u64;
            slice.cpu_ns_arm = (cpu * server / (server + generator)) as u64;
            slice.cpu_ns_generator = (cpu * generator / (server + generator)) as u64;
        }
        notes(&experiment(), &[round], 2)
    }

    #[test]
    fn a_difference_is_divided_between_server_and_generator() {
        let notes = noted([[20.0, 13.7], [27.6, 17.1]], 1.94);
        let [LoadNote::SharedCpus(shared)] = notes.as_slice() else {
            panic!("{notes:?}");
        };
        assert!((shared.server.0 - 7.6e-6).abs() < 1e-8, "{shared:?}");
        assert!((shared.generator.0 - 3.4e-6).abs() < 1e-8, "{shared:?}");
        assert_eq!((shared.cpus, shared.arm.as_str(), shared.baseline.as_str()), (2, "ten", "nine"));
    }

    #[test]
    fn nothing_is_said_of_equal_arms_and_of_cpus_with_room() {
        assert_eq!(noted([[20.0, 13.7], [20.2, 13.7]], 1.94), []);
        assert_eq!(noted([[20.0, 13.7], [27.6, 17.1]], 1.7), []);
    }
}
