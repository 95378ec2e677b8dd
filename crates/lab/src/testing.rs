//! Rounds made up for tests: what they hold is known exactly.

use crate::order;
use crate::slice::encoded;
use load::new_histogram;
use model::experiment::{Design, Experiment};
use model::outcome::{Counts, Limit};
use model::record::{LevelRecord, RoundRecord, RunRecord, SliceRecord, TrialRecord};

/// What one arm does in a made-up round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed {
    /// Right answers in a slice.
    pub(crate) ok: u64,
    /// CPU of a slice, nanoseconds.
    pub(crate) cpu_ns: u64,
    /// Every response time, nanoseconds.
    pub(crate) response_ns: u64,
    /// Start-up, nanoseconds.
    pub(crate) startup_ns: u64,
    /// Peak memory, bytes.
    pub(crate) memory: u64,
}

pub(crate) const PLAIN: Speed = Speed {
    ok: 10_000,
    cpu_ns: 400_000_000,
    response_ns: 1_000_000,
    startup_ns: 1_000_000_000,
    memory: 200_000_000,
};

impl Speed {
    /// Better by `factor` in every measure.
    pub(crate) fn better(self, factor: f64) -> Self {
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
pub(crate) const RATE: f64 = 12_000.0;

/// A round in which arm `i` does `speeds[i]`, in the closed loop and at a fixed rate; the baseline is arm 0.
pub(crate) fn round(number: u32, speeds: &[Speed]) -> RoundRecord {
    let there = order::row(speeds.len(), 0);
    let each: Vec<usize> = (0..speeds.len()).collect();
    let back = there.iter().rev().copied().collect();
    let mut slices = Vec::new();
    for (quad, (row, rate)) in [(there, None), (back, None), (each, Some(RATE))]
        .into_iter()
        .enumerate()
    {
        for (position, &arm) in row.iter().chain(row.iter().rev()).enumerate() {
            slices.push(SliceRecord {
                round: number,
                quad: quad as u32,
                position: position as u32,
                arm,
                rate,
                ..slice(speeds[arm])
            });
        }
    }
    let trial = |(arm, speed): (usize, &Speed)| TrialRecord {
        round: number,
        arm,
        startup_ns: speed.startup_ns,
        peak_memory: speed.memory,
        warmup_s: 4.0,
        steady: true,
        ..TrialRecord::default()
    };
    let trials = speeds.iter().enumerate().map(trial).collect();
    RoundRecord {
        round: number,
        pairs: 4,
        latency_pairs: Design::default().latency_pairs,
        idle: 0.9,
        trials,
        slices,
        elapsed: 20.0,
        ..RoundRecord::default()
    }
}

/// A round at several levels, with `speeds` by level and arm; response times are those of the first.
pub(crate) fn levels(number: u32, speeds: &[[Speed; 2]]) -> RoundRecord {
    let mut all = round(number, &speeds[0]);
    for (level, speeds) in speeds.iter().enumerate() {
        all.levels.push(LevelRecord {
            level,
            pairs: 4,
            ..LevelRecord::default()
        });
        if level > 0 {
            let more = round(number, speeds).slices.into_iter();
            let closed = more.filter(|slice| slice.rate.is_none());
            all.slices
                .extend(closed.map(|slice| SliceRecord { level, ..slice }));
        }
    }
    all
}

/// [`experiment`] at 4 and at 8 connections.
pub(crate) fn two_levels() -> Experiment {
    let mut experiment = experiment();
    experiment.load.connections = vec![4, 8];
    experiment
}

fn slice(speed: Speed) -> SliceRecord {
    let mut histogram = new_histogram();
    histogram.saturating_record_n(speed.response_ns, speed.ok);
    SliceRecord {
        elapsed_ns: 500_000_000,
        counts: Counts {
            requests: speed.ok,
            ok: speed.ok,
            connects: 1,
            ..Counts::default()
        },
        cpu_ns_arm: speed.cpu_ns,
        cpu_ns_other_arms: 100_000,
        cpu_ns_generator: 100_000_000,
        in_flight: 2.0,
        service_sum: 2.0,
        lag_p99_ns: 10_000,
        response: encoded(&histogram),
        service: encoded(&histogram),
        ..SliceRecord::default()
    }
}

/// An experiment of two arms, `nine` being the baseline.
pub(crate) fn experiment() -> Experiment {
    let known = crate::Bench::known();
    let text = "arms = [{ name = \"nine\", server = \"tomcat:9.0.95\" }, { name = \"ten\", server = \"tomcat:10.1.29\" }]\n\
                [design]\nstarts = 12\n[load]\nconnections = 4\n";
    Experiment::parse(text, "made-up", &known).expect("a valid file")
}

/// A run of it on a machine with two CPUs.
pub(crate) fn record(experiment: Experiment) -> RunRecord {
    RunRecord {
        run: "r".to_owned(),
        experiment,
        seed: 1,
        fingerprint: [("cpus".to_owned(), "2".to_owned())].into(),
        repeat: String::new(),
        calibration: None,
        elapsed: 60.0,
        interrupted: false,
        proofs: Vec::new(),
    }
}

/// Gives the arms so many threads each, and more connections than there are users.
pub(crate) fn pools(round: &mut RoundRecord, threads: [u64; 2]) {
    for (trial, threads) in round.trials.iter_mut().zip(threads) {
        let effective = trial.effective.get_or_insert_default();
        (effective.max_threads, effective.max_connections) = (Some(threads), Some(Limit::At(8192)));
    }
}
