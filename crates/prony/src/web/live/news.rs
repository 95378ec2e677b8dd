//! [`News`]: the events of a run as values that own their data, for the thread of the live page.

use super::fleet_rows::FleetRows;
use ask::experiment::Experiment;
use lab::event::Event;
use load::FleetStatus;
use model::faults::FaultName;
use model::load::Load;
use model::measure::Measure;
use model::units::{Nanos, Seconds, Share};
use record::outcome::{Comparison, Report, Verdict};
use record::rounds::{RoundRecord, SliceRecord};
use report::progress;
use say::Language;
use serde::Serialize;
use traffic::scenario::ProgramStep;

/// An event of a run, as the live page needs it.
pub(super) enum News {
    /// A run begins, or a trial of what it suggests.
    Begin(Box<RunHeader>),
    /// Servers are fetched, built or prepared, before the first start or between two starts.
    Preparing(PageMessage),
    /// Servers are looked into or profiled after all rounds.
    Inspecting { what: PageMessage, left: Option<Nanos> },
    /// The run waits until the machine is less busy with other work; `idle` is the share of its CPU time that is idle now.
    Waiting { round: u32, idle: Share },
    /// Everything is prepared, and the duration is known.
    Planned { at_most: Option<Nanos>, typically: Nanos },
    /// A step of a round begins.
    Step(RoundStep),
    /// A remark for the viewers.
    Remark(PageMessage),
    /// A slice was measured.
    Slice(Box<SliceRecord>),
    /// How the machines do that make the load.
    Fleet(FleetRows),
    /// A round ended.
    Round(EndedRound),
    /// The run has results.
    Results(RunResults),
    /// The run is over, with results or without.
    Ended,
}

/// A sentence in both languages.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct PageMessage {
    en: String,
    zh: String,
}

/// What a run asks, and the names that its slices refer to.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct RunHeader {
    pub(crate) run: String,
    pub(crate) experiment: String,
    #[serde(flatten)]
    pub(crate) question: ask::question::Question,
    /// The names of the arms; slices refer to them by index.
    pub(crate) arms: Vec<String>,
    pub(crate) baseline: usize,
    /// The measures of the headline, as far as they are known before the first round.
    pub(crate) headline: Vec<Measure>,
    /// The number of users of the closed loop at each level.
    pub(crate) levels: Vec<u64>,
    /// The maximum number of starts, if there is one.
    pub(crate) cap: Option<u32>,
    /// The steps of sessions; empty where requests are no sessions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) steps: Vec<ProgramStep>,
}

/// The step that a round is at.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct RoundStep {
    pub(super) round: u32,
    pub(super) cap: Option<u32>,
    pub(super) what: PageMessage,
    /// The part of the run that is done, 0 to 1.
    pub(super) share: f64,
    #[serde(skip)]
    pub(super) left: Option<Nanos>,
}

/// A round that ended.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct EndedRound {
    pub(super) round: u32,
    /// How long it took, in seconds.
    pub(super) elapsed: Seconds,
    /// Why the round does not count; absent if it counts.
    pub(super) void: Option<PageMessage>,
    /// The verdicts after this round.
    pub(super) verdicts: Vec<LiveVerdict>,
    /// The measures of the headline.
    pub(super) headline: Vec<Measure>,
    #[serde(skip)]
    pub(super) left: Option<Nanos>,
}

/// The verdict on an arm in one measure, at one load, as the live page shows it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct LiveVerdict {
    arm: String,
    measure: Measure,
    #[serde(flatten)]
    load: Load,
    /// Arm / baseline with its interval; absent while there are too few starts.
    ratio: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    margin: f64,
    verdict: Verdict,
}

/// The results of a run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RunResults {
    /// The final verdicts; a gate may have made them invalid.
    verdicts: Vec<LiveVerdict>,
    /// Whether the user ended the run early.
    interrupted: bool,
    /// The number of starts that count.
    starts: u32,
}

impl PageMessage {
    /// Says something in both languages.
    fn said(words: impl Fn(Language) -> String) -> Self {
        Self { en: words(Language::En), zh: words(Language::Zh) }
    }

    /// Says what was wrong with answers of one kind.
    pub(super) fn fault(kind: &str) -> Self {
        Self::said(|lang| say::text(&FaultName(kind), lang))
    }

    pub(super) fn en(&self) -> &str {
        &self.en
    }

    /// Says a note.
    fn note(note: &record::note::Note) -> Self {
        Self::said(|lang| say::text(note, lang))
    }

    /// Says how the machines do that make the load.
    pub(super) fn fleet(status: &FleetStatus) -> Self {
        Self::said(|lang| progress::fleet(status.there, status.of, status.start_spread, lang))
    }

    /// Says what the run is doing.
    fn step(step: &record::step::Step) -> Self {
        Self::said(|lang| say::text(step, lang))
    }

    /// Says why something does not count.
    fn reason(reason: &model::reason::Reason) -> Self {
        Self::said(|lang| say::text(reason, lang))
    }
}

impl RunHeader {
    /// Describes a single load, which compares nothing.
    pub(crate) fn of_load(
        run: &str,
        question: ask::question::Question,
        name: &str,
        load: &Load,
        steps: &[ProgramStep],
    ) -> Self {
        Self {
            run: run.to_owned(),
            experiment: "load".to_owned(),
            question,
            arms: vec![name.to_owned()],
            levels: load.users.into_iter().collect(),
            steps: steps.to_vec(),
            ..Self::default()
        }
    }

    /// Describes a run of an experiment.
    pub(crate) fn new(run: &str, experiment: &Experiment) -> Self {
        let levels = &experiment.load.connections;
        Self {
            run: run.to_owned(),
            experiment: experiment.name.clone(),
            question: experiment.question.clone(),
            arms: experiment.arms.iter().map(|arm| arm.name.clone()).collect(),
            baseline: experiment.design.baseline,
            headline: experiment.design.headline_measures(None),
            levels: levels.iter().map(|users| *users as u64).collect(),
            cap: experiment.design.starts,
            steps: experiment.workload.sessions.iter().flat_map(|program| program.steps.clone()).collect(),
        }
    }
}

impl News {
    /// Copies an event of the run; `None` for one that the page does not show.
    pub(super) fn from_event(event: &Event<'_>) -> Option<Self> {
        Some(match event {
            Event::Preparing { step } => Self::Preparing(PageMessage::step(step)),
            Event::Planned { at_most, typically, .. } => {
                Self::Planned { at_most: *at_most, typically: *typically }
            }
            Event::Waiting { round, idle } => Self::Waiting { round: *round, idle: *idle },
            Event::Step { round, cap, step, share, left } => Self::Step(RoundStep {
                round: *round,
                cap: *cap,
                what: PageMessage::step(step),
                share: *share,
                left: *left,
            }),
            Event::InspectionsBegin { takes } => Self::Inspecting {
                what: PageMessage::said(|lang| progress::inspections(*takes, lang)),
                left: Some(*takes),
            },
            Event::StartupsBegin { cycles, takes } => Self::Inspecting {
                what: PageMessage::said(|lang| progress::startups(*cycles, *takes, lang)),
                left: Some(*takes),
            },
            Event::ProfilesBegin { starts, takes } => Self::Inspecting {
                what: PageMessage::said(|lang| progress::profiles(*starts, *takes, lang)),
                left: Some(*takes),
            },
            Event::Inspecting { step, left, .. } => {
                Self::Inspecting { what: PageMessage::step(step), left: *left }
            }
            Event::Inspected(_) | Event::LevelEnded(_) | Event::StartupTimed(_) => return None,
            Event::Fleet(status) => Self::Fleet(FleetRows::new(status)),
            Event::Note(note) => Self::Remark(PageMessage::note(note)),
            Event::Slice(slice) => Self::Slice(Box::new((*slice).clone())),
            Event::RoundEnded { record, verdicts, headline, left } => {
                Self::Round(EndedRound { left: *left, ..ended_round(record, verdicts, headline) })
            }
        })
    }

    /// Returns the rounds of the earlier part of a run that is continued.
    pub(super) fn earlier_rounds(
        experiment: &Experiment,
        rounds: &[RoundRecord],
    ) -> impl Iterator<Item = Self> {
        let standings = judge::standings(experiment, rounds);
        let ended = rounds.iter().zip(standings);
        ended.map(|(record, standing)| {
            Self::Round(ended_round(record, &standing.comparisons, &standing.headline))
        })
    }

    /// Returns the results of a run.
    pub(super) fn results(report: &Report) -> Self {
        Self::Results(RunResults {
            verdicts: report.comparisons.iter().map(live_verdict).collect(),
            interrupted: report.design.interrupted,
            starts: report.design.starts,
        })
    }
}

/// A round that ended, without the time that is left.
fn ended_round(record: &RoundRecord, verdicts: &[Comparison], headline: &[Measure]) -> EndedRound {
    EndedRound {
        round: record.round,
        elapsed: record.elapsed,
        void: record.void.as_ref().map(PageMessage::reason),
        verdicts: verdicts.iter().map(live_verdict).collect(),
        headline: headline.to_vec(),
        left: None,
    }
}

fn live_verdict(comparison: &Comparison) -> LiveVerdict {
    let ratio = comparison.deciding();
    LiveVerdict {
        arm: comparison.arm.clone(),
        measure: comparison.measure,
        load: comparison.level.clone().unwrap_or_default(),
        ratio: ratio.map(|ratio| ratio.value),
        low: ratio.and_then(|ratio| ratio.low),
        high: ratio.and_then(|ratio| ratio.high),
        margin: comparison.margin,
        verdict: comparison.verdict,
    }
}
