//! What the run leaves for the page: events as values that own what they say.

use lab::event::Event;
use model::experiment::Experiment;
use model::outcome::{Comparison, Load, Report, Verdict};
use model::record::{RoundRecord, SliceRecord};
use model::units::Nanos;
use report::{Lang, say};
use serde::Serialize;

/// Something happened.
pub(super) enum News {
    /// A run begins, or a trial of what it suggests.
    Asked(Box<Question>),
    /// Before the first start, or between two of them.
    Preparing(Said),
    /// The machine is busy with other work: this share of it is idle.
    Waiting { round: u32, idle: f64 },
    /// Everything is there.
    Planned {
        at_most: Option<Nanos>,
        typically: Nanos,
    },
    /// Within a round.
    Step(Step),
    /// For people to know.
    Remark(Said),
    /// A slice was measured.
    Slice(Box<SliceRecord>),
    /// A round ended.
    Round(Round),
    /// The run has its results.
    Found(Found),
    /// It is over, with results or without.
    Ended,
}

/// A sentence for readers of either language.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Said {
    en: String,
    zh: String,
}

/// What a run asks.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Question {
    pub(crate) run: String,
    pub(crate) experiment: String,
    #[serde(flatten)]
    pub(crate) question: model::question::Question,
    /// Names, by the index that slices have.
    pub(crate) arms: Vec<String>,
    pub(crate) baseline: usize,
    pub(crate) headline: &'static str,
    /// Users of the closed loop at each level.
    pub(crate) levels: Vec<u64>,
    /// Starts at most, where there is a limit.
    pub(crate) cap: Option<u32>,
}

/// Where a round is.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Step {
    pub(super) round: u32,
    pub(super) cap: Option<u32>,
    pub(super) what: Said,
    /// How far the whole run is, 0 to 1.
    pub(super) share: f64,
    #[serde(skip)]
    pub(super) left: Option<Nanos>,
}

/// A round that ended.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Round {
    pub(super) round: u32,
    /// How long it took, seconds.
    pub(super) elapsed: f64,
    /// Why it does not count, if it does not.
    pub(super) void: Option<Said>,
    /// How everything stands after it.
    pub(super) standing: Vec<Standing>,
    #[serde(skip)]
    pub(super) left: Option<Nanos>,
}

/// How an arm stands against the baseline in one measure, at one load.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Standing {
    arm: String,
    measure: String,
    #[serde(flatten)]
    load: Load,
    /// Arm / baseline with its interval; absent while there are too few starts.
    ratio: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    margin: f64,
    verdict: Verdict,
}

/// What a run found.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Found {
    /// How everything stands in the end: a gate may have made it invalid.
    standing: Vec<Standing>,
    /// Ended before its time.
    interrupted: bool,
    /// Starts that count.
    starts: u32,
}

impl Said {
    /// What a reader has to know.
    fn note(note: &model::note::Note) -> Self {
        Self {
            en: say::note(note, Lang::En),
            zh: say::note(note, Lang::Zh),
        }
    }

    /// What the run is doing.
    fn step(step: &model::step::Step) -> Self {
        Self {
            en: say::step(step, Lang::En),
            zh: say::step(step, Lang::Zh),
        }
    }

    /// Why something does not count.
    fn reason(reason: &model::reason::Reason) -> Self {
        Self {
            en: say::reason(reason, Lang::En),
            zh: say::reason(reason, Lang::Zh),
        }
    }
}

impl Question {
    /// The question of an experiment.
    pub(crate) fn of(run: &str, experiment: &Experiment) -> Self {
        let levels = &experiment.load.connections;
        Self {
            run: run.to_owned(),
            experiment: experiment.name.clone(),
            question: experiment.question.clone(),
            arms: experiment.arms.iter().map(|arm| arm.name.clone()).collect(),
            baseline: experiment.design.baseline,
            headline: experiment.design.headline.id(),
            levels: levels.iter().map(|users| *users as u64).collect(),
            cap: experiment.design.starts,
        }
    }
}

impl News {
    pub(super) fn of(event: &Event<'_>) -> Self {
        match event {
            Event::Preparing { step } => Self::Preparing(Said::step(step)),
            Event::Planned { at_most, typically } => Self::Planned {
                at_most: *at_most,
                typically: *typically,
            },
            Event::Waiting { round, idle } => Self::Waiting {
                round: *round,
                idle: *idle,
            },
            Event::Step {
                round,
                cap,
                step,
                share,
                left,
            } => Self::Step(Step {
                round: *round,
                cap: *cap,
                what: Said::step(step),
                share: *share,
                left: *left,
            }),
            Event::Note(note) => Self::Remark(Said::note(note)),
            Event::Slice(slice) => Self::Slice(Box::new((*slice).clone())),
            Event::RoundEnded {
                record,
                verdicts,
                left,
            } => Self::Round(round(record, verdicts, *left)),
        }
    }

    /// The rounds that a run which goes on has already.
    pub(super) fn earlier(experiment: &Experiment, rounds: &[RoundRecord]) -> impl Iterator<Item = Self> {
        let standings = judge::standings(experiment, rounds);
        let ended = rounds.iter().zip(standings);
        ended.map(|(record, standing)| Self::Round(round(record, &standing, None)))
    }

    pub(super) fn found(report: &Report) -> Self {
        Self::Found(Found {
            standing: report.comparisons.iter().map(standing).collect(),
            interrupted: report.design.interrupted,
            starts: report.design.starts,
        })
    }
}

fn round(record: &RoundRecord, verdicts: &[Comparison], left: Option<Nanos>) -> Round {
    Round {
        round: record.round,
        elapsed: record.elapsed,
        void: record.void.as_ref().map(Said::reason),
        standing: verdicts.iter().map(standing).collect(),
        left,
    }
}

fn standing(comparison: &Comparison) -> Standing {
    let ratio = comparison.ratio;
    Standing {
        arm: comparison.arm.clone(),
        measure: comparison.measure.clone(),
        load: comparison.level.clone().unwrap_or_default(),
        ratio: ratio.map(|ratio| ratio.value),
        low: ratio.and_then(|ratio| ratio.low),
        high: ratio.and_then(|ratio| ratio.high),
        margin: comparison.margin,
        verdict: comparison.verdict,
    }
}
