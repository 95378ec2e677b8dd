//! Made-up rounds for tests, whose contents are known exactly.

use crate::find::max_rate::{nearest_place, places_around, rate};
use crate::round_time::slice_row;
use ask::available::Available;
use ask::experiment::{Design, Experiment, Find, Objective};
use model::reason::{GeneratorLimit, Reason};
use model::units::{Bytes, Rate, Seconds, Share};
use record::histogram::{SparseHistogram, new_histogram};
use record::outcome::{Counts, Limit};
use record::rounds::{LevelRecord, RoundRecord, RunRecord, SliceRecord, TrialRecord};

/// The speed of one arm in a made-up round.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// Right answers in a slice.
    pub ok: u64,
    /// CPU time of the server in a slice, in nanoseconds.
    pub cpu_ns: u64,
    /// The response time of every request, in nanoseconds.
    pub response_ns: u64,
    /// Start-up time, in nanoseconds.
    pub startup_ns: u64,
    /// Peak memory, in bytes.
    pub memory: u64,
}

/// The usual speed of an arm.
pub const PLAIN: Speed = Speed {
    ok: 10_000,
    cpu_ns: 400_000_000,
    response_ns: 1_000_000,
    startup_ns: 1_000_000_000,
    memory: 200_000_000,
};

impl Speed {
    /// Better by `factor` in every measure.
    pub fn better(self, factor: f64) -> Self {
        let less = |value: u64| (value as f64 / factor).round() as u64;
        Self {
            ok: (self.ok as f64 * factor).round() as u64,
            cpu_ns: self.cpu_ns,
            response_ns: less(self.response_ns),
            startup_ns: less(self.startup_ns),
            memory: less(self.memory),
        }
    }
}

/// Requests per second of the made-up stage at a fixed rate.
pub const RATE: f64 = 12_000.0;

/// A round in which arm `i` has the speed `speeds[i]`, in the closed loop and at a fixed rate; the baseline is arm 0.
pub fn round(number: u32, speeds: &[Speed]) -> RoundRecord {
    let there = slice_row(speeds.len(), 0);
    let each: Vec<usize> = (0..speeds.len()).collect();
    let back = there.iter().rev().copied().collect();
    let mut slices = Vec::new();
    for (quad, (row, rate)) in [(there, None), (back, None), (each, Some(RATE))].into_iter().enumerate() {
        for (position, &arm) in row.iter().chain(row.iter().rev()).enumerate() {
            slices.push(SliceRecord {
                round: number,
                quad: quad as u32,
                position: position as u32,
                arm,
                rate: rate.map(Rate),
                ..slice(speeds[arm])
            });
        }
    }
    let trial = |(arm, speed): (usize, &Speed)| TrialRecord {
        round: number,
        arm,
        startup_ns: speed.startup_ns,
        peak_memory: Bytes(speed.memory),
        warmup_s: Seconds(4.0),
        steady: true,
        ..TrialRecord::default()
    };
    let trials = speeds.iter().enumerate().map(trial).collect();
    RoundRecord {
        round: number,
        pairs: 4,
        latency_pairs: Design::default().latency_pairs,
        idle: Share(0.9),
        trials,
        slices,
        elapsed: Seconds(20.0),
        ..RoundRecord::default()
    }
}

/// A round at several levels, with `speeds` by level and arm; response times are the first level's.
pub fn levels(number: u32, speeds: &[[Speed; 2]]) -> RoundRecord {
    let mut all = round(number, &speeds[0]);
    for (level, speeds) in speeds.iter().enumerate() {
        all.levels.push(LevelRecord { level, pairs: 4, ..LevelRecord::default() });
        if level > 0 {
            let more = round(number, speeds).slices.into_iter();
            let closed = more.filter(|slice| slice.rate.is_none());
            all.slices.extend(closed.map(|slice| SliceRecord { level, ..slice }));
        }
    }
    all
}

/// [`experiment`] at 4 and at 8 connections.
pub fn two_levels() -> Experiment {
    let mut experiment = experiment();
    experiment.load.connections = vec![4, 8];
    experiment
}

fn slice(speed: Speed) -> SliceRecord {
    let mut histogram = new_histogram();
    histogram.saturating_record_n(speed.response_ns, speed.ok);
    SliceRecord {
        elapsed_ns: 500_000_000,
        counts: Counts { requests: speed.ok, ok: speed.ok, connects: 1, ..Counts::default() },
        cpu_ns_arm: speed.cpu_ns,
        cpu_ns_other_arms: 100_000,
        cpu_ns_generator: 100_000_000,
        in_flight: Seconds(2.0),
        service_sum: Seconds(2.0),
        lag_p99_ns: 10_000,
        // More than a slice has, so that percentiles can be estimated from few starts that are unlike.
        longest_ns: vec![speed.response_ns; 25],
        response: Some(SparseHistogram::from(&histogram)),
        service: Some(SparseHistogram::from(&histogram)),
        ..SliceRecord::default()
    }
}

/// An experiment of two arms, `nine` (the baseline) and `ten`, which take turns at the fixed rate.
pub fn experiment() -> Experiment {
    let text = "arms = [{ name = \"nine\", server = \"tomcat:9.0.95\" }, { name = \"ten\", server = \"tomcat:10.1.29\" }]\n\
                [design]\nstarts = 12\npace = \"in turn\"\n[load]\nconnections = 4\n";
    Experiment::parse(text, "made-up", &known()).expect("a valid file")
}

/// [`experiment`] with the arm `nine` alone.
pub fn alone() -> Experiment {
    let mut experiment = experiment();
    experiment.keep(&[]);
    experiment
}

/// A run of an experiment on a machine with two CPUs.
pub fn record(experiment: Experiment) -> RunRecord {
    RunRecord {
        run: "r".to_owned(),
        experiment,
        seed: 1,
        fingerprint: [("cpus".to_owned(), "2".to_owned())].into(),
        repeat: String::new(),
        calibration: None,
        elapsed: Seconds(60.0),
        interrupted: false,
        continued_at: Vec::new(),
        left_out: Vec::new(),
        proofs: Vec::new(),
        inspections: Vec::new(),
        load_machines: Vec::new(),
        cpu_profiles: Vec::new(),
    }
}

/// Gives each arm this number of threads, and a limit of connections above the number of users.
pub fn pools(round: &mut RoundRecord, threads: [u64; 2]) {
    for (trial, threads) in round.trials.iter_mut().zip(threads) {
        let effective = trial.effective.get_or_insert_default();
        (effective.max_threads, effective.max_connections) = (Some(threads), Some(Limit::At(8192)));
    }
}

/// What experiments in tests may name: two releases of a server, and an application.
pub fn known() -> Available {
    let versions = ["9.0.95", "10.1.29"].map(str::to_owned);
    Available {
        servers: vec![("tomcat".to_owned(), versions.to_vec())],
        apps: vec![("hello".to_owned(), vec!["/json".to_owned(), "/hello".to_owned()])],
        ..Available::default()
    }
}

/// The numbers of users at the steps of [`climbing`].
pub const CLIMB: [usize; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/// An experiment that looks for a capacity.
pub fn climbing() -> Experiment {
    let text =
        "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n[load]\nfind = \"capacity\"\nconnections = 64\n";
    Experiment::parse(text, "made-up", &known()).expect("a valid file")
}

/// A start that climbed `visited` levels, in which the throughput of arm `i` is limited by `threads[i]` threads.
pub fn climb(number: u32, threads: [usize; 2], visited: usize) -> RoundRecord {
    let speed = |users: usize| threads.map(|threads| Speed { ok: 500 * users.min(threads) as u64, ..PLAIN });
    let speeds: Vec<[Speed; 2]> = CLIMB[..visited].iter().map(|users| speed(*users)).collect();
    let mut start = levels(number, &speeds);
    start.slices.retain(|slice| slice.rate.is_none());
    start
}

/// An experiment that looks for the highest rate that keeps an objective.
pub fn searching_rate() -> Experiment {
    let text = "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n[load]\nfind = \"max-rate\"\n\
                objective = \"response_p99 < 20ms\"\n";
    Experiment::parse(text, "made-up", &known()).expect("a valid file")
}

/// The objective of [`searching_rate`].
pub fn objective() -> Objective {
    match searching_rate().design.find {
        Some(Find::MaxRate(objective)) => objective,
        other => panic!("{other:?} has no objective"),
    }
}

/// A probe of a server that keeps the limit up to the rate `truth`; beyond it, the share of slow answers doubles every two per
/// cent.
pub fn probe(arm: usize, rate: f64, truth: f64) -> SliceRecord {
    let share = (0.01 * (rate / truth).powf(35.0)).min(1.0);
    let requests = rate.round() as u64;
    let slow = (share * requests as f64).round() as u64;
    let mut times = new_histogram();
    times.saturating_record_n(2_000_000, requests - slow);
    times.saturating_record_n(40_000_000, slow);
    SliceRecord {
        round: 1,
        arm,
        rate: Some(Rate(rate)),
        probe: true,
        elapsed_ns: 1_000_000_000,
        counts: Counts { requests, ok: requests, ..Counts::default() },
        response: Some(SparseHistogram::from(&times)),
        service: Some(SparseHistogram::from(&times)),
        ..SliceRecord::default()
    }
}

/// A start whose arms keep the objective up to these rates and were probed around them.
pub fn probed(number: u32, truths: [f64; 2]) -> RoundRecord {
    let mut round = round(number, &[PLAIN, PLAIN]);
    round.slices.retain(|slice| slice.rate.is_none());
    for (arm, truth) in truths.into_iter().enumerate() {
        let places = places_around(nearest_place(Rate(truth)));
        round.slices.extend(places.into_iter().map(|place| probe(arm, rate(place).0, truth)));
    }
    round
}

/// The reason that the hypervisor took too much of the machine.
pub fn stolen() -> Reason {
    Reason::NoisyNeighbour { share: Share(0.12), limit: Share(0.1) }
}

/// The reason that the generator was at its limit.
pub fn saturated() -> Reason {
    Reason::GeneratorSaturated(GeneratorLimit::EventLoopBusy { share: Share(0.93), limit: Share(0.8) })
}

/// The reason that connections were still being opened.
pub fn unsteady() -> Reason {
    Reason::NoSteadyState { share: Share(0.19), limit: Share(0.1) }
}

/// The reason that an arm could not hold the fixed rate.
pub fn overloaded() -> Reason {
    Reason::Overloaded { arm: "ten".to_owned(), rate: Rate(RATE), share: Share(0.2), limit: Share(0.05) }
}
