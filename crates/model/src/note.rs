//! [`Note`]: what a reader has to know before trusting a report.

use crate::earlier::LearntPrior;
use crate::estimate::Estimate;
use crate::finding::{Cause, Remedy};
use crate::host_facts::HostSeen;
use crate::isolation::NotSeparated;
use crate::measure::Measure;
use crate::reason::{LostShare, Reason};
use crate::scenario::{PlanDifference, Program};
use serde::{Deserialize, Serialize};

/// What a reader has to know about a run before trusting its figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Note {
    /// About its starts.
    Run(RunNote),
    /// About single arms.
    Arm(ArmNote),
    /// About the load.
    Load(LoadNote),
}

/// What a reader has to know about the starts of a run. Times are in seconds, shares and relative changes are fractions
/// (0.03 = 3 %). "Start" is the number of a round, from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "code",
    content = "values",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
pub enum RunNote {
    /// A start, or a part of it, did not count.
    NotCounted {
        start: u32,
        /// Which part of it.
        part: Part,
        reason: Reason,
    },
    /// A percentile of the response times did not count in some starts, because the generator was late by too large a part of it.
    LatePercentile {
        /// The percentile.
        measure: Measure,
        /// Starts in which it did not count.
        starts: usize,
        /// Starts in all.
        all: usize,
        /// Why, in the last of them.
        last: Reason,
    },
    /// Groups of slices were measured again, because the hypervisor took too much of the CPU time.
    SlicesRepeated {
        /// Groups that were measured again.
        repeated: usize,
        /// Groups in all.
        all: usize,
    },
    /// Compilers of a server were busy in groups of slices, which count.
    CompilersBusy {
        /// Groups in which they were.
        compiled: usize,
        /// Groups in all.
        all: usize,
        /// Starts in which this happened.
        starts: usize,
    },
    /// Arms were started at once, because starting them one after the other took too much of a start.
    StartedAtOnce {
        /// Starts in which they were.
        starts: usize,
        /// Starts in all.
        all: usize,
        /// What starting them one after the other took, in seconds.
        in_turn: f64,
        /// Starts for which start-up was timed with each arm alone.
        timed: usize,
        /// Starts that a verdict on start-up needs.
        needed: usize,
        /// What timing those that lack would take, in seconds; 0 where none do.
        lacks: f64,
    },
    /// Earlier runs on such machines have shown another prior of how starts differ than the usual one.
    LearntPriors(Vec<PriorChange>),
    /// Later starts had another number of pairs of slices than the first ones.
    PairsChanged {
        /// Pairs in each of the first starts.
        before: u32,
        /// How many starts these were.
        starts: usize,
        /// Pairs in each of the later starts.
        after: u32,
    },
    /// Later starts gave some of the time of the closed loop to the stage at a fixed rate, or the other way round; numbers are
    /// pairs of slices.
    TimeMoved {
        /// How many starts had the numbers of before.
        starts: usize,
        /// Pairs in the closed loop in each of the first starts.
        closed_before: u32,
        /// Pairs in the closed loop in each of the later starts.
        closed_after: u32,
        /// Pairs at the fixed rate in each of the first starts.
        stage_before: u32,
        /// Pairs at the fixed rate in each of the later starts.
        stage_after: u32,
    },
    /// Starts began although other work used the machine.
    MachineBusy {
        /// Starts that did.
        busy: usize,
        /// Starts in all.
        all: usize,
        /// Least share of the machine that was idle when one of them began.
        idle: f64,
        /// How long the run waited for a quieter machine in all.
        waited: f64,
    },
    /// The generator and the servers shared cores.
    SharedCores(NotSeparated),
    /// A start was continued after the run had been interrupted in it.
    StartContinued {
        start: u32,
        /// How many of its levels were measured before.
        levels: u64,
    },
    /// Warm-ups ended at their cap.
    WarmupUnsteady {
        /// Warm-ups that did.
        unsteady: usize,
        /// Warm-ups in all.
        all: usize,
    },
    /// An arm changed against the baseline while it was measured, so one of the two was still warming up.
    WarmupDrift {
        arm: String,
        baseline: String,
        /// How much better the arm became from the first to the last pair of a start; negative where it became worse.
        gain: f64,
    },
    /// The user ended the run early.
    Interrupted {
        /// Starts that were complete.
        starts: usize,
        /// The run's id.
        run: String,
    },
    /// The budget is shorter than what is finished in any case.
    BudgetTooShort {
        budget: f64,
        /// What one start takes.
        start: f64,
        /// What looking into the servers takes after it; 0 where that is not done.
        inspections: f64,
    },
    /// The planned time is not enough to detect the difference that the run looks for.
    Forecast(Forecast),
    /// The sentence of an earlier prony that stored no values.
    Legacy(String),
}

/// What a reader has to know about single arms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "code",
    content = "values",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
pub enum ArmNote {
    /// Servers ran on another machine.
    Elsewhere {
        arms: Vec<String>,
        /// The machine and the way to it.
        host: HostSeen,
    },
    /// Servers ran on different machines.
    OnSeveralMachines {
        /// The arms on each machine; those that ran beside the generator are first.
        machines: Vec<Vec<String>>,
    },
    /// Servers that prony did not start: their figures do not include the variation between starts.
    NeverRestarted { arms: Vec<String> },
    /// Servers whose certificates nobody could verify.
    CertificateNotVerified { arms: Vec<String> },
    /// An arm was left out, because it cannot run on this machine.
    LeftOut(LeftOut),
    /// `[require.NAME]` names an arm that the run does not have.
    RequirementWithoutArm {
        /// The name.
        arm: String,
    },
    /// The arms send headers of unlike size.
    UnlikeHeaders {
        arm: String,
        /// Mean bytes of an answer without its body.
        bytes: f64,
        baseline: String,
        /// Its bytes.
        baseline_bytes: f64,
    },
    /// The CPU time of arms was to be profiled, and was not.
    NotProfiled {
        arms: Vec<String>,
        /// Why; absent where only the records of the run are known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// A diagnosis suggests nothing that a trial could change.
    NoTrial {
        arm: String,
        /// The cause that was diagnosed.
        cause: Cause,
        /// What it suggests.
        remedy: Remedy,
    },
    /// A diagnosis suggests to enlarge something that prony cannot set, and the file names no setting of the application.
    NothingToTune {
        arm: String,
        /// The cause that was diagnosed.
        cause: Cause,
        /// What it suggests.
        remedy: Remedy,
    },
    /// What the values of a setting of the application brought.
    Tuned {
        arm: String,
        /// The cause that was diagnosed.
        cause: Cause,
        setting: String,
        /// The values that were tried.
        values: Vec<TunedValue>,
    },
    /// A trial of what a diagnosis suggests had no start that counted.
    TrialFailed {
        arm: String,
        /// The cause that was diagnosed.
        cause: Cause,
        /// The run of the trial.
        run: String,
    },
}

/// A value of a setting of the application, and what it brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedValue {
    pub value: String,
    /// Throughput with it as a multiple of that without; absent where it cannot be estimated.
    pub throughput: Option<Estimate>,
}

/// What a reader has to know about the load, and how the servers took it. "Users" is a level of the closed loop; times are in
/// seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "code",
    content = "values",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
pub enum LoadNote {
    /// How a slow service was measured.
    SlowService(SlowService),
    /// Less than half of the machine was used at a level, so all arms were loaded at once and without a break.
    ArmsAtOnce {
        /// Users of the level.
        users: usize,
        /// Median service time of the quickest arm, in seconds.
        service: f64,
        /// Length of a window, in seconds.
        window: f64,
        /// Windows of a start.
        windows: u32,
    },
    /// Throughput and service time of a slow level do not agree with Little's law: there was no steady state yet.
    NoSteadyState {
        /// Users of the level.
        users: usize,
        /// Arms, each with its users by Little's law: throughput times service time.
        arms: Vec<ArmCount>,
    },
    /// Servers closed idle connections between the slices of a slow level.
    ConnectionsReopened {
        /// Users of the level.
        users: usize,
        /// Arms, each with the number of connections that were opened again.
        arms: Vec<ArmCount>,
    },
    /// Generator and servers used up the CPUs that they share, so that throughput is that of both together.
    SharedCpus(SharedCpus),
    /// All arms had the fixed rate at the same time.
    LoadedTogether {
        /// Number of arms.
        arms: usize,
        /// Requests per second of each.
        rate: f64,
        /// Whether only CPU per request was measured so, and response times with the arms in turn.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        for_cpu: bool,
    },
    /// A load at a rate was ended, because the server fell behind.
    FellBehind,
    /// These elements of a JMeter plan were left out, because they cannot run here.
    LeftOut(Vec<String>),
    /// Some requests go to these servers, and not to the one that is loaded.
    OtherServers(Vec<String>),
    /// This is done otherwise than the JMeter plan asks for.
    PlanDiffers(PlanDifference),
    /// Several machines made the load.
    Fleet {
        /// Agents from which everything came.
        agents: u64,
        /// All agents.
        of: u64,
        /// Between the first and the last begin.
        start_spread: Option<f64>,
        /// Messages that were refused.
        refused: u64,
    },
    /// Several machines began each slice of an experiment together.
    SlicesTogether {
        slices: u64,
        /// The median of the time between the first and the last begin.
        median: f64,
        /// Its 99th percentile.
        p99: f64,
    },
    /// One of the machines that made the load.
    Agent(AgentFacts),
    /// The share of an agent was lost, and the load was smaller.
    SmallerLoad(LostShare),
    /// Less than 1 % of the requests took most of the time, so that no usual percentile shows them.
    HiddenTail {
        /// Mean response time.
        mean: f64,
        /// 99th percentile of the response time.
        p99: f64,
    },
}

/// What is known of an agent of a fleet. Times are in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentFacts {
    /// Its id.
    pub agent: String,
    /// Requests of its share that ended.
    pub requests: u64,
    /// Its clock minus the coordinator's.
    pub clock_offset: f64,
    /// The most by which this can be wrong.
    pub clock_bound: f64,
    /// CPU time of its busiest event loop as a share of one core; `None` when it did not send it.
    pub cpu: Option<f64>,
    /// 99th percentile of its generator's lag; `None` when it did not send it.
    pub lag_p99: Option<f64>,
}

impl AgentFacts {
    /// The shortest time to the agent and back, seconds: a clock that was read in such a time can be wrong by half of it.
    pub const fn round_trip(&self) -> f64 {
        2.0 * self.clock_bound
    }
}

/// A part of a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Part {
    /// All of it; the start was repeated.
    Whole,
    /// All of it; it was the last start of the run, and so was not repeated.
    LastStart,
    /// All that was measured at a level of the closed loop.
    Level {
        /// Users of the level.
        users: usize,
    },
    /// CPU per request at a level of the closed loop.
    CpuPerRequest {
        /// Users of the level.
        users: usize,
    },
    /// All that was measured at the fixed rate.
    FixedRate,
    /// Response times at the fixed rate.
    ResponseTimes,
}

/// What of the CPU that a request of an arm costs more or less than one of the baseline is the server's, and what the generator's:
/// in a closed loop in which both together use all CPUs. Times are CPU seconds per request, arm minus baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SharedCpus {
    /// Users of the level.
    pub users: usize,
    /// CPUs that they share.
    pub cpus: usize,
    pub arm: String,
    pub baseline: String,
    /// The difference in the server.
    pub server: f64,
    /// The difference in the generator.
    pub generator: f64,
}

/// A number that belongs to an arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmCount {
    pub arm: String,
    /// The number.
    pub count: u64,
}

/// How a slow service was measured at one level of the closed loop; times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowService {
    /// Users of the level.
    pub users: usize,
    /// Median service time of the quickest arm.
    pub service: f64,
    /// Length of a slice.
    pub slice: f64,
    /// Its counted part.
    pub counted: f64,
    /// Pairs of slices in a start; 1 is a row of slices without its mirror image.
    pub pairs: u32,
    /// Time that the level takes in a start; absent after the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// How many requests, one after the other, fit into the counted part; present only where these are so few that the edges
    /// of the part bias throughput by up to 1 / this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub few_rounds: Option<f64>,
}

/// What the first starts predict for the headline; times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// Starts that it is based on.
    pub starts: usize,
    /// The headline.
    pub measure: Measure,
    /// Time that the whole run would need.
    pub needed: f64,
    /// The relative difference that is to be detected.
    pub effect: f64,
    /// The relative difference that the planned time can detect; absent where that cannot be predicted.
    pub planned_effect: Option<f64>,
    /// Another measure that varies less from start to start.
    pub steadier: Option<Steadier>,
}

/// A measure that varies less from start to start than the headline; both as standard deviations on the log scale.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Steadier {
    pub measure: Measure,
    /// Its own standard deviation.
    pub deviation: f64,
    /// The headline's.
    pub headline_deviation: f64,
}

/// An arm that was left out of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its name.
    pub arm: String,
    /// Why it cannot run.
    pub why: Unavailable,
}

/// Why an arm cannot run on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case")]
pub enum Unavailable {
    /// It runs on a host whose address was not given.
    HostNotGiven {
        /// The name of the host.
        host: String,
    },
    /// The compiler of native images is neither on the PATH nor in GRAALVM_HOME/bin.
    NativeImageMissing,
    /// Another program or file is missing; the sentence of the error.
    Other(String),
    /// The sentence of an earlier prony that stored no values.
    Legacy(String),
}

impl LoadNote {
    /// What a reader has to know of a program: what was left out of a JMeter plan or is done otherwise, and
    /// which other servers get requests.
    pub fn of_program(program: &Program) -> Vec<Self> {
        let left_out = &program.left_out;
        let left_out = (!left_out.is_empty()).then(|| Self::LeftOut(left_out.clone()));
        let differences = program.differences.iter().copied().map(Self::PlanDiffers);
        let servers = program
            .servers
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>();
        let servers = (!servers.is_empty()).then_some(Self::OtherServers(servers));
        left_out.into_iter().chain(servers).chain(differences).collect()
    }
}

/// A prior that was learnt, beside the usual one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriorChange {
    /// What was learnt.
    pub learnt: LearntPrior,
    /// The usual standard deviation of `D` from start to start.
    pub usual_deviation: f64,
    /// How many starts the usual prior counts as.
    pub usual_weight: f64,
}

impl From<RunNote> for Note {
    fn from(note: RunNote) -> Self {
        Self::Run(note)
    }
}

impl From<ArmNote> for Note {
    fn from(note: ArmNote) -> Self {
        Self::Arm(note)
    }
}

impl From<LoadNote> for Note {
    fn from(note: LoadNote) -> Self {
        Self::Load(note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_back_as_it_was_written_whatever_its_group() {
        let notes: [Note; 4] = [
            RunNote::NotCounted {
                start: 3,
                part: Part::Level { users: 8 },
                reason: Reason::NoValue,
            }
            .into(),
            RunNote::Legacy("it was dark".to_owned()).into(),
            ArmNote::RequirementWithoutArm {
                arm: "nine".to_owned(),
            }
            .into(),
            LoadNote::FellBehind.into(),
        ];
        let json = serde_json::to_string(&notes).expect("JSON");
        assert!(
            json.contains(r#"{"code":"legacy","values":"it was dark"}"#)
                && json.contains(r#"{"code":"fell-behind"}"#),
            "{json}"
        );
        assert_eq!(serde_json::from_str::<[Note; 4]>(&json).expect("notes"), notes);
    }
}
