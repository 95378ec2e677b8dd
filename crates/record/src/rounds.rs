//! [`RunRecord`] with its rounds, trials and slices: what is stored of a run. Every report is computed from these alone, and
//! can be computed from them again.

mod slice;

use crate::finding::Cause;
use crate::inspection::ArmInspection;
use crate::note::LeftOut;
use crate::outcome::{Calibration, Effective};
use crate::round_times::RoundTimes;
use crate::telemetry::{Mark, Reading};
use ask::change::Change;
use ask::experiment::Experiment;
use model::load::Load;
use model::measure::Measure;
use model::reason::Reason;
use model::units::{Bytes, Rate, Seconds, Share};
use serde::{Deserialize, Serialize};
pub use slice::SliceRecord;
use std::collections::BTreeMap;
use traffic::load_note::LoadNote;

/// A run without its rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    pub run: String,
    /// The experiment, changed by the flags of the command line.
    pub experiment: Experiment,
    /// Seed of everything random.
    pub seed: u64,
    /// The facts about the machine and the arms that matter to its figures.
    pub fingerprint: BTreeMap<String, String>,
    /// The command that repeats it.
    pub repeat: String,
    /// The calibration of prony on machines of this class when the run ended.
    pub calibration: Option<Calibration>,
    /// How long it took; 0 until it has ended.
    pub elapsed: Seconds,
    /// Whether it ended before its time; true until it has ended by itself.
    pub interrupted: bool,
    /// How many rounds it had each time when it was continued after it had ended: they have had their answer, and the later rounds are
    /// a plan of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub continued_at: Vec<usize>,
    /// Arms that were left out, because they cannot run on this machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// How the machines did that made its load; empty where this machine did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_machines: Vec<LoadNote>,
    /// The results of trials of the changes that its diagnoses suggest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proofs: Vec<Proof>,
    /// What its servers did under load, seen from inside in a start of its own after all rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inspections: Vec<ArmInspection>,
    /// CPU profiles of its servers at each level, of several starts after all rounds; they have nothing else of an inspection.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_profiles: Vec<ArmInspection>,
}

impl RunRecord {
    /// The rounds of each of its plans that has any. A run has one last look, which spends what is left of alpha. If it goes on after that, no
    /// rule could judge the rounds before it a second time at the same error rate (Müller, Schäfer, *Adaptive group sequential designs for
    /// clinical trials*, Biometrics 2001: the conditional error rate of a finished plan is 0).
    pub fn plans<'a>(&self, rounds: &'a [RoundRecord]) -> Vec<&'a [RoundRecord]> {
        let begins = std::iter::once(0).chain(self.continued_at.iter().copied());
        let ends = self.continued_at.iter().copied().chain([rounds.len()]);
        let plans = begins.zip(ends).filter_map(|(begin, end)| rounds.get(begin..end.min(rounds.len())));
        plans.filter(|plan| !plan.is_empty()).collect()
    }

    /// The rounds that its verdicts are about: the rounds of its newest plan. A plan that has no round yet leaves the verdicts to the plan
    /// before.
    pub fn rounds_of_plan<'a>(&self, rounds: &'a [RoundRecord]) -> &'a [RoundRecord] {
        self.plans(rounds).pop().unwrap_or(rounds)
    }

    /// The record as others may have it, see [`Experiment::without_secrets`].
    #[must_use]
    pub fn without_secrets(self) -> Self {
        Self { experiment: self.experiment.without_secrets(), ..self }
    }
}

/// The result of a trial of a change that a diagnosis suggests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// The arm, by its name.
    pub arm: String,
    pub level: Load,
    /// The cause that the diagnosis named.
    pub cause: Cause,
    pub change: Vec<Change>,
    /// The run that tried it.
    pub run: String,
    /// Throughput with the change as a multiple of the throughput without it, in each start.
    pub per_start: Vec<f64>,
}

impl Proof {
    /// Whether both are trials of the same change of the same arm at the same load.
    pub fn is_same_trial(&self, other: &Self) -> bool {
        let trial = |proof: &Self| (proof.arm.clone(), proof.level.clone(), proof.change.clone());
        trial(self) == trial(other)
    }
}

/// One fresh start of one arm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// Round, from 1.
    pub round: u32,
    /// Index of the arm.
    pub arm: usize,
    /// Exec to first right body, with the other arms starting beside it if the round says so; 0 for a server that ran already.
    pub startup_ns: u64,
    /// The same of the starts before it, or after the last round, that were made for their time alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub startup_cycles_ns: Vec<u64>,
    /// Peak resident memory at the end of the round, 0 for a server that ran already.
    pub peak_memory: Bytes,
    /// Length of its warm-up.
    pub warmup_s: Seconds,
    /// Whether it was warm when its warm-up ended.
    pub steady: bool,
    /// What told whether it was warm.
    pub steady_by: SteadyBy,
    /// Share of its CPU time that its compilers took in the last second of the warm-up; `None` where it has no known
    /// compilers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiling: Option<Share>,
    /// Settings read off the running server; in the first round only.
    pub effective: Option<Effective>,
    /// Bytes of a request as it is sent, where all requests are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_bytes: Option<u64>,
    /// Other counts from its start to its end: of its control group, of its services.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, f64>,
}

/// What told whether an arm was warm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SteadyBy {
    /// The CPU time of its compilers.
    Compilers,
    /// The level of its CPU time per request: it has no compilers that are known.
    Cost,
    /// Time alone: it answers so slowly that no number of requests can be asked for.
    #[default]
    Time,
}

/// One level of the closed loop in one round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelRecord {
    /// Its index among the experiment's.
    pub level: usize,
    /// Why it does not count, if it does not; the other levels still do.
    pub void: Option<Reason>,
    /// The arms whose slices do not count, because they gave no right answer; the other arms' slices still do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub void_arms: Vec<VoidArm>,
    /// Why its CPU per request does not count, if it does not; its throughput still does.
    pub cpu_void: Option<Reason>,
    /// Its quads that were measured again, because the hypervisor took too much of the CPU time: they count nowhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated: Vec<u32>,
    /// Its quads in which the compilers of an arm took more than a tenth of its CPU time: they count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compiled: Vec<u32>,
    /// Pairs of slices of each arm with the baseline; 1 is a row without its mirror image.
    pub pairs: u32,
    /// Median service time of the quickest arm in the first round, from which the length of slices follows in all rounds.
    pub service_p50_ns: u64,
    /// Time that nearly all service times of the quickest arm exceed; counted parts of a slow level are whole multiples of it.
    pub period_ns: u64,
    /// Time in which the slowest arm answered as many requests as there are users; 0 where that does not matter.
    pub round_ns: u64,
    /// Length of the load before each counted window.
    pub settle_ns: u64,
    /// Planned length of a counted window.
    pub counted_ns: u64,
    /// Whether all arms were loaded at once and without a break, because less than half of the machine was used.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_once: bool,
    /// When its users began to connect, on the wall clock, nanoseconds since the epoch.
    pub started_ns: u64,
}

/// An arm whose slices at a level do not count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VoidArm {
    /// The index of the arm.
    pub arm: usize,
    /// Why they do not count.
    pub reason: Reason,
}

/// A percentile of the response times of a round that does not count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatePercentile {
    /// The percentile, as a measure.
    pub measure: Measure,
    /// Why it does not count.
    pub reason: Reason,
}

/// One round: a fresh start of every arm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundRecord {
    /// Its number, from 1; a void round is repeated under the next number.
    pub round: u32,
    /// Why it does not count, if it does not.
    pub void: Option<Reason>,
    /// Why nothing of its stage at a fixed rate counts, if it does not; the closed loop still does.
    pub stage_void: Option<Reason>,
    /// Why its response times do not count, if they alone do not.
    pub latency_void: Option<Reason>,
    /// Percentiles of its response times that do not count, because the generator was late by too large a part of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late_percentiles: Vec<LatePercentile>,
    /// Pairs of slices of each arm with the baseline in the closed loop, where the service is quick.
    pub pairs: u32,
    /// Pairs of slices of each arm with the baseline at the fixed rate.
    pub latency_pairs: u32,
    /// Quads of its stage at a fixed rate that were measured again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub latency_repeated: Vec<u32>,
    /// Quads of its stage at a fixed rate in which the compilers of an arm took more than a tenth of its CPU time: they count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub latency_compiled: Vec<u32>,
    /// The levels in the order they were visited.
    pub levels: Vec<LevelRecord>,
    /// Whether its arms were started at once, and not one after the other, so that none of its start-up times is the
    /// time of an arm that starts alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub started_at_once: bool,
    /// The start of each arm.
    pub trials: Vec<TrialRecord>,
    /// The slices in the order in which they were run.
    pub slices: Vec<SliceRecord>,
    /// Share of the machine that was idle before it began.
    pub idle: Share,
    /// How long it waited for a quieter machine.
    pub waited: Seconds,
    /// How long it took, without the wait.
    pub elapsed: Seconds,
    /// Where these seconds went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<RoundTimes>,
    /// Readings of host and servers while they were loaded, in order, warm-up included; empty where telemetry is off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub telemetry: Vec<Reading>,
    /// Whether it has not ended: it has the levels that are complete, and a run that is continued measures the others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// How many of its levels, from the first visited one on, were measured before the run was interrupted. The servers
    /// of these levels were started earlier than the servers of the other levels.
    #[serde(default, skip_serializing_if = "slice::is_zero")]
    pub levels_before: u64,
}

/// The rounds that count.
pub fn counted(rounds: &[RoundRecord]) -> impl Iterator<Item = &RoundRecord> {
    rounds.iter().filter(|round| round.void.is_none())
}

impl RoundRecord {
    /// Returns the readings of a slice's counted window, from the one at its begin to the one at its end; fewer than two
    /// where telemetry was off.
    pub fn readings(&self, slice: &SliceRecord) -> &[Reading] {
        let behind = self.readings_from(slice.started_ns);
        let end = slice.started_ns + slice.settle_ns + slice.elapsed_ns;
        // The thread that reads learns of an edge a little after it; the mark tells which edge a reading belongs to.
        let Some(first) = behind.iter().position(|reading| reading.mark == Mark::Begins) else {
            return &[];
        };
        let behind = &behind[first..];
        let last = behind.iter().position(|reading| reading.mark == Mark::Ends);
        match last {
            Some(last) if behind[0].at_ns <= end => &behind[..=last],
            _ => &[],
        }
    }

    /// Returns the readings from the begin of a slice's load to the begin of its counted window; fewer than two where telemetry was off.
    pub fn readings_before(&self, slice: &SliceRecord) -> &[Reading] {
        let behind = self.readings_from(slice.started_ns);
        let begins = behind.iter().position(|reading| reading.mark == Mark::Begins);
        match (behind.first(), begins) {
            (Some(first), Some(begins)) if first.mark == Mark::Loads => &behind[..=begins],
            _ => &[],
        }
    }

    /// Returns the readings from this time on, in nanoseconds of the wall clock.
    fn readings_from(&self, at_ns: u64) -> &[Reading] {
        let first = self.telemetry.partition_point(|reading| reading.at_ns < at_ns);
        &self.telemetry[first..]
    }

    /// Returns how many quads count in which the compilers of an arm took more than a tenth of its CPU time.
    pub fn compiled_quads(&self) -> usize {
        let closed = self.levels.iter().map(|level| level.compiled.len());
        closed.sum::<usize>() + self.latency_compiled.len()
    }

    /// Returns the record of a level.
    pub fn level(&self, level: usize) -> Option<&LevelRecord> {
        self.levels.iter().find(|record| record.level == level)
    }

    /// Returns why a level does not count, if it does not.
    pub fn void_at(&self, level: usize) -> Option<&Reason> {
        self.void.as_ref().or_else(|| self.level(level)?.void.as_ref())
    }

    /// Returns why the slices of an arm at a level do not count, if they do not.
    pub fn void_of_arm(&self, level: usize, arm: usize) -> Option<&Reason> {
        let of_arm = || self.level(level)?.void_arms.iter().find(|void| void.arm == arm);
        self.void_at(level).or_else(|| of_arm().map(|void| &void.reason))
    }

    /// Returns why a percentile of its response times does not count, if it does not although the stage does; `None` for other
    /// measures.
    pub fn times_void(&self, measure: Measure) -> Option<&Reason> {
        let late = self.late_percentiles.iter().find(|late| late.measure == measure);
        let response = measure.at_a_rate().then_some(self.latency_void.as_ref()).flatten();
        response.or(late.map(|late| &late.reason))
    }

    /// Returns the slices of the closed loop at a level.
    pub fn closed_at(&self, level: usize) -> impl Iterator<Item = &SliceRecord> {
        self.closed().filter(move |slice| slice.level == level)
    }

    /// Whether a slice belongs to a quad that was measured again.
    pub fn is_repeated(&self, slice: &SliceRecord) -> bool {
        let repeated = match slice.rate {
            Some(_) => Some(&self.latency_repeated),
            None => self.level(slice.level).map(|level| &level.repeated),
        };
        !slice.probe && !slice.curve && repeated.is_some_and(|quads| quads.contains(&slice.quad))
    }

    /// Returns the slices of the closed loop that were not measured again.
    pub fn closed(&self) -> impl Iterator<Item = &SliceRecord> {
        self.slices.iter().filter(|slice| slice.rate.is_none() && !self.is_repeated(slice))
    }

    /// Returns the slices at a fixed rate that measure response times, if that stage counts.
    pub fn staged(&self) -> impl Iterator<Item = &SliceRecord> {
        self.open().filter(|_| self.stage_void.is_none())
    }

    /// Returns the slices of the stage at the fixed rate that measure response times, without slices that were measured
    /// again. In a mixed stage these are the slices with the whole rate, in any other stage all slices.
    pub fn open(&self) -> impl Iterator<Item = &SliceRecord> {
        let [_, whole] = self.rates();
        self.at_rate().filter(move |slice| slice.rate == whole)
    }

    /// Returns the slices at a fixed rate that measure CPU per request, if that stage counts.
    pub fn staged_for_cpu(&self) -> impl Iterator<Item = &SliceRecord> {
        self.open_for_cpu().filter(|_| self.stage_void.is_none())
    }

    /// Returns the slices of the stage at the fixed rate that measure CPU per request, without slices that were
    /// measured again. In a mixed stage these are the slices in which each arm has a part of the rate, in any other
    /// stage all slices.
    pub fn open_for_cpu(&self) -> impl Iterator<Item = &SliceRecord> {
        let [part, _] = self.rates();
        self.at_rate().filter(move |slice| slice.rate == part)
    }

    /// Whether its stage at the fixed rate loaded all arms at once with parts of the rate, and then each with the whole rate.
    pub fn is_mixed(&self) -> bool {
        let [part, whole] = self.rates();
        part != whole
    }

    /// The lowest and the highest rate of the stage; `None` where there was none.
    fn rates(&self) -> [Option<Rate>; 2] {
        let rates = || self.at_rate().filter_map(|slice| slice.rate);
        [rates().reduce(Rate::min), rates().reduce(Rate::max)]
    }

    /// Returns all slices of the stage at the fixed rate that were not measured again.
    fn at_rate(&self) -> impl Iterator<Item = &SliceRecord> {
        let of_stage = |slice: &&SliceRecord| slice.rate.is_some() && !slice.probe && !slice.curve;
        self.slices.iter().filter(move |slice| of_stage(slice) && !self.is_repeated(slice))
    }

    /// Returns the slices of the curve over rates.
    pub fn curve(&self) -> impl Iterator<Item = &SliceRecord> {
        self.slices.iter().filter(|slice| slice.curve)
    }

    /// Returns the probes of the search for the highest rate, each at a rate of its own.
    pub fn probes(&self) -> impl Iterator<Item = &SliceRecord> {
        self.slices.iter().filter(|slice| slice.probe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quad_that_was_measured_again_counts_nowhere() {
        let slice =
            |quad, level, rate, probe| SliceRecord { quad, level, rate, probe, ..SliceRecord::default() };
        let level = |level, repeated| LevelRecord { level, repeated, ..LevelRecord::default() };
        let at = Some(Rate(1000.0));
        let slices = [0, 1, 2].map(|quad| [slice(quad, 0, None, false), slice(quad, 0, at, false)]);
        let mut slices = slices.concat();
        slices.extend([slice(1, 1, None, false), slice(2, 0, at, true)]);
        let round = RoundRecord {
            levels: vec![level(0, vec![1]), level(1, Vec::new())],
            latency_repeated: vec![0, 2],
            slices,
            ..RoundRecord::default()
        };
        let closed = round.closed().map(|slice| (slice.level, slice.quad));
        assert_eq!(closed.collect::<Vec<_>>(), [(0, 0), (0, 2), (1, 1)]);
        assert_eq!(round.open().map(|slice| slice.quad).collect::<Vec<_>>(), [1]);
        assert_eq!(round.probes().count(), 1);
    }

    #[test]
    fn an_arm_that_does_not_count_leaves_the_others_theirs() {
        let void_arms = vec![VoidArm { arm: 1, reason: Reason::NoValue }];
        let level = LevelRecord { level: 2, void_arms, ..LevelRecord::default() };
        let mut round = RoundRecord { levels: vec![level], ..RoundRecord::default() };
        assert_eq!([0, 1].map(|arm| round.void_of_arm(2, arm)), [None, Some(&Reason::NoValue)]);
        assert_eq!((round.void_at(2), round.void_of_arm(0, 1)), (None, None));
        round.void = Some(Reason::CutShort);
        assert_eq!([0, 1].map(|arm| round.void_of_arm(2, arm)), [Some(&Reason::CutShort); 2]);
    }

    #[test]
    fn a_slice_has_the_readings_of_its_own_window() {
        let reading = |at_ns, mark| Reading { at_ns, mark, ..Reading::default() };
        let round = RoundRecord {
            telemetry: vec![
                reading(10, Mark::Loads),
                reading(21, Mark::Begins),
                reading(52, Mark::Ends),
                reading(60, Mark::Loads),
                reading(70, Mark::Begins),
                reading(80, Mark::Within),
                reading(103, Mark::Ends),
            ],
            ..RoundRecord::default()
        };
        let times = |started_ns| -> Vec<u64> {
            let slice = SliceRecord { started_ns, settle_ns: 10, elapsed_ns: 31, ..SliceRecord::default() };
            round.readings(&slice).iter().map(|reading| reading.at_ns).collect()
        };
        assert_eq!(times(10), [21, 52]);
        assert_eq!(times(59), [70, 80, 103]);
        assert_eq!(times(104), [0; 0], "after all of them");
        assert_eq!(times(22), [0; 0], "one that was not watched does not get those of a later one");
    }
}
