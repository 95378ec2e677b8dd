//! A made-up run of a given size for tests, with everything that a report can contain.

use ask::change::Change;
use ask::experiment::Headline;
use ask::kind::Kind;
use ask::reference::{Reference, ReferenceRow};
use model::load::Load;
use model::measure::Measure;
use model::reason::Reason;
use model::times::Clock;
use model::units::{Count, Cpus, Rate, Seconds, Share};
use record::finding::{Ceiling, Finding, PoolFull, Quantity, Remedy, ServerSetting, SettingName, Slots};
use record::level_figure::LevelFigure;
use record::note::{Note, Part, RunNote};
use record::outcome::{
    ArmResult, Comparison, Counts, DesignFacts, Diagnosis, Effective, Estimate, Evidence, Generator, Level,
    PartTime, Report, RequestPart, SCHEMA, Verdict,
};
use record::remark::{Goal, Remark};
use record::request_time::{RequestTime, TimePart, TimePlace};
use record::series::{PercentileCurve, Series, Starts, Timeline, Track, TrackId};
use std::collections::BTreeMap;

/// The size of a made-up run.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) arms: usize,
    pub(crate) levels: usize,
    pub(crate) starts: usize,
    /// Number of points of the time line.
    pub(crate) slices: usize,
}

pub(crate) const SMALL: Size = Size { arms: 2, levels: 2, starts: 5, slices: 400 };

fn estimate(value: f64) -> Estimate {
    Estimate { value, low: Some(value * 0.97), high: Some(value * 1.03) }
}

fn name(arm: usize) -> String {
    ["tomcat-9", "tomcat-10.1", "jetty-12", "undertow-2"][arm % 4].to_owned()
}

fn users(level: usize) -> Load {
    Load { users: Some([10, 50, 100, 200, 500, 1000][level]), ..Load::default() }
}

fn rate() -> Load {
    Load { rate: Some(Rate(8200.0)), ..Load::default() }
}

/// A connect for a few requests, and no TLS.
fn parts() -> BTreeMap<RequestPart, PartTime> {
    let part = |part, count: u64, mean: f64| (part, PartTime { count, total: Seconds(mean * count as f64) });
    [
        part(RequestPart::Connect, 20_000, 3e-4),
        part(RequestPart::FirstByte, 1_000_000, 8e-4),
        part(RequestPart::Receiving, 1_000_000, 1e-5),
    ]
    .into()
}

/// The throughput of an arm at a level: it grows up to the third level, then only times do.
fn throughput(arm: usize, level: usize) -> f64 {
    9_000.0 * (1.0 + 0.05 * arm as f64) * [0.4, 0.85, 1.0, 1.02, 1.01, 0.99][level]
}

fn level(load: Load, arm: usize, index: usize) -> Level {
    let throughput = throughput(arm, index);
    let service = load.users.unwrap_or(10) as f64 / throughput;
    let times = [(LevelFigure::SERVICE_P50, service), (LevelFigure::SERVICE_P99, 3.0 * service)];
    let measures = [
        (Measure::Throughput, throughput),
        (Measure::CpuPerRequest, 1.0 / throughput),
        (Measure::ResponseP50, 9e-4),
        (Measure::ResponseP90, 2e-3),
        (Measure::ResponseP99, 4e-3),
    ];
    let measures = measures.map(|(measure, value)| (measure.into(), value)).into_iter().chain(times);
    Level {
        load,
        valid: true,
        why_invalid: None,
        held_back: None,
        measures: measures.map(|(figure, value)| (figure, estimate(value))).collect(),
        table: BTreeMap::new(),
        not_estimable: BTreeMap::new(),
        worst: None,
        counts: Counts {
            requests: 1_000_002,
            ok: 1_000_000,
            faults: [("reset".to_owned(), 2)].into(),
            connects: 32,
            parts: parts(),
            ..Counts::default()
        },
        generator: Generator { cpu: Share(0.31), lag_p99: Seconds(4.2e-5), ..Generator::default() },
        steps: Vec::new(),
        events: None,
    }
}

/// Where the time of a request goes, most of it to a database with more users.
fn request_time(level: usize) -> RequestTime {
    let database = TimePlace::BackEnd { address: "10.0.0.1:5432".to_owned() };
    let all = [
        (TimePlace::Connecting, 1e-5),
        (TimePlace::QueueInside, 2e-4 * level as f64),
        (TimePlace::Cpu, 3e-4),
        (database, 1e-3 * (level + 1) as f64),
        (TimePlace::Unexplained, 1e-4),
    ];
    RequestTime {
        level: users(level),
        all: Seconds(all.iter().map(|(_, seconds)| seconds).sum()),
        parts: all.map(|(place, seconds)| TimePart { place, seconds: Seconds(seconds) }).into(),
    }
}

fn arm(index: usize, levels: usize) -> ArmResult {
    let closed = (0..levels).map(|at| level(users(at), index, at));
    let diagnosis = Diagnosis {
        finding: Finding::ThreadPoolLimit(PoolFull {
            kept: None,
            slots_are: Slots::Threads,
            ceiling: Ceiling {
                rate: Rate(1950.0),
                slots: Count(200.0),
                each: Seconds(0.103),
                in_flight: Count(500.0),
                waiting: Count(300.0),
                busy: Share(0.12),
            },
            holders: None,
        }),
        level: users(0),
        explains: Some(Share(0.6)),
        evidence: vec![Evidence { what: Quantity::RequestsInFlight, value: 500.0 }],
        remedy: Remedy::RaiseLimit {
            setting: ServerSetting { server: Kind::Tomcat, name: SettingName::Threads },
            to: Some(550),
            sizing: None,
        },
        change: vec![Change { key: "threads".to_owned(), value: "500".to_owned() }],
        proved: Some(estimate(1.8)),
        expected: false,
        by_metrics: false,
    };
    ArmResult {
        name: name(index),
        unseen: false,
        effective: Effective {
            server: Some("Tomcat/9.0.95".to_owned()),
            max_threads: Some(200),
            cpu_limit: Some(Cpus(1.5)),
            ..Effective::default()
        },
        levels: closed.chain([level(rate(), index, 0)]).collect(),
        startup: Some(estimate(1.8 + 0.2 * index as f64)),
        peak_memory: Some(estimate(2.1e8)),
        facts: [("cgroup.nr_throttled".to_owned(), 3.0)].into(),
        request_times: (0..levels).map(request_time).collect(),
        diagnoses: if index == 1 { vec![diagnosis] } else { Vec::new() },
        found: None,
        curve: Vec::new(),
    }
}

fn places(measure: Measure, levels: usize) -> Vec<Option<Load>> {
    match measure {
        _ if measure.by_level() => (0..levels).map(|at| Some(users(at))).collect(),
        _ if measure.at_a_rate() => vec![Some(rate())],
        _ => vec![None],
    }
}

const VERDICTS: [Verdict; 5] =
    [Verdict::Faster, Verdict::Same, Verdict::Slower, Verdict::Inconclusive, Verdict::Invalid];

fn comparisons(size: Size) -> Vec<Comparison> {
    let mut all = Vec::new();
    for arm in 1..size.arms {
        for measure in Measure::USUAL {
            for load in places(measure, size.levels) {
                let ratio = 1.0 + 0.013 * (all.len() % 7) as f64;
                let verdict = VERDICTS[all.len() % VERDICTS.len()];
                let own_test = Estimate { value: ratio, low: Some(ratio - 0.01), high: Some(ratio + 0.01) };
                all.push(Comparison {
                    baseline: name(0),
                    arm: name(arm),
                    level: load,
                    measure,
                    ratio: Some(estimate(ratio)),
                    margin: measure.default_margin(),
                    verdict,
                    gate: None,
                    starts: size.starts as u32,
                    per_start: (0..size.starts).map(|start| ratio + 0.001 * start as f64).collect(),
                    spread: None,
                    equivalence: (verdict == Verdict::Same).then_some(own_test),
                    remarks: vec![Remark::MoreTime {
                        seconds: Seconds(840.0),
                        goal: Goal::Detect { effect: 0.03 },
                    }],
                });
            }
        }
    }
    all
}

/// Figures of a post beside the figures of the run.
fn reference() -> Reference {
    let row = ReferenceRow {
        arm: name(1),
        level: Some(10),
        needs: None,
        values: [("throughput".to_owned(), 947.68)].into(),
    };
    Reference {
        source: Some("a post".to_owned()),
        note: None,
        open: Vec::new(),
        figures: Vec::new(),
        rows: vec![row],
    }
}

pub(crate) fn report(size: Size) -> Report {
    Report {
        schema: SCHEMA,
        run: "2026-11-21T03:40:12Z-7f3a".to_owned(),
        experiment: "made-up".to_owned(),
        question: "Is Tomcat 10.1 faster than 9 for a <small> page & why?".into(),
        seed: 7,
        asked: [("request", "GET /json"), ("load/connections", "32"), ("load/keepalive", "true")]
            .map(|(fact, value)| (fact.to_owned(), value.to_owned()))
            .into(),
        fingerprint: [("cpus".to_owned(), "2".to_owned()), ("prony".to_owned(), "0.1.0".to_owned())].into(),
        design: DesignFacts {
            baseline: name(0),
            headline: Some(Headline::One(Measure::Throughput)),
            headline_measures: Vec::new(),
            alpha: 0.01,
            starts_cap: Some(30),
            gate: None,
            starts: size.starts as u32,
            starts_void: 0,
            pairs: 12,
            stage_pairs: None,
            slice: Seconds(0.5),
            rate: None,
            profile: None,
            seconds_per_start: None,
            elapsed: Seconds(1205.0),
            interrupted: false,
        },
        arms: (0..size.arms).map(|index| arm(index, size.levels)).collect(),
        comparisons: comparisons(size),
        required: Vec::new(),
        answers: Vec::new(),
        ranking: None,
        rankings: Vec::new(),
        reference: Some(reference()),
        calibration: None,
        cpu_differences: Vec::new(),
        step_comparisons: Vec::new(),
        offers_profile: false,
        notes: vec![Note::Run(RunNote::NotCounted {
            start: 2,
            part: Part::Whole,
            reason: Reason::ClockSet { seconds: Seconds(1.0) },
        })],
        repeat: "prony run made-up.toml --seed 7".to_owned(),
    }
}

fn curve(arm: usize, load: Load, clock: Clock) -> PercentileCurve {
    let point = |step: i32| {
        let left = 10f64.powf(-f64::from(step) / 10.0);
        (1.0 - left, estimate(1e-3 * (1.0 + 0.1 * arm as f64) * left.powf(-0.4)))
    };
    PercentileCurve { arm, load, clock, points: (1..=40).map(point).collect() }
}

fn starts(size: Size) -> Vec<Starts> {
    let mut all = Vec::new();
    for measure in Measure::USUAL {
        for load in places(measure, size.levels) {
            let value = |arm: usize, start: usize| {
                let wobble = 1.0 + 0.01 * ((start * 7 + arm * 3) % 5) as f64;
                Some(throughput(arm, 1) * wobble)
            };
            let of = |arm: usize| (0..size.starts).map(|start| value(arm, start)).collect();
            all.push(Starts { measure, load, values: (0..size.arms).map(of).collect() });
        }
    }
    all
}

fn timeline(size: Size) -> Timeline {
    let wobble = |slice: usize, track: usize| (slice * 7919 + track * 104_729) % 1000;
    let track = |(index, id): (usize, TrackId)| Track {
        id,
        values: (0..size.slices).map(|slice| Some(1.234 + wobble(slice, index) as f64 / 1000.0)).collect(),
    };
    let each = size.slices / size.starts;
    Timeline {
        at: (0..size.slices).map(|slice| Seconds((slice as f64 * 62.0).round() / 100.0)).collect(),
        arm: (0..size.slices).map(|slice| slice % size.arms).collect(),
        start: (0..size.slices).map(|slice| (slice / each.max(1)) as u32 + 1).collect(),
        load: (0..size.slices).map(|slice| slice / 40 % size.levels).collect(),
        loads: (0..size.levels).map(users).collect(),
        each: 1,
        tracks: TrackId::ALL.into_iter().enumerate().map(track).collect(),
    }
}

pub(crate) fn series(size: Size) -> Series {
    let mut curves = Vec::new();
    for arm in 0..size.arms {
        curves.extend((0..size.levels).map(|at| curve(arm, users(at), Clock::Service)));
        curves.extend([Clock::Response, Clock::Service].map(|clock| curve(arm, rate(), clock)));
    }
    Series { curves, starts: starts(size), timeline: timeline(size), flames: Vec::new() }
}
