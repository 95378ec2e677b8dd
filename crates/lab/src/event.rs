//! [`Event`]: what happens while an experiment runs, for the observers that show or store it. Observers never measure.

use load::FleetStatus;
use model::measure::Measure;
use model::units::{Nanos, Share};
use record::inspection::ArmInspection;
use record::note::Note;
use record::outcome::Comparison;
use record::rounds::{RoundRecord, SliceRecord};
use record::step::Step;

/// Something that happened in a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// A step before the first start: fetching or building.
    Preparing {
        /// What is being done.
        step: &'a Step,
    },
    /// Everything is prepared; the first round begins.
    Planned {
        /// The longest time that the run can take; `None` where nothing limits it.
        at_most: Option<Nanos>,
        /// The time that it takes if starts spread as on a quiet machine.
        typically: Nanos,
        /// The largest number of rounds, where there is a cap.
        cap: Option<u32>,
    },
    /// Other programs use the machine, and the round waits for them for a while.
    Waiting {
        /// The number of the round.
        round: u32,
        /// The share of the machine that is idle.
        idle: Share,
    },
    /// A step within a round.
    Step {
        /// The number of the round, from 1.
        round: u32,
        /// The largest number of rounds, where there is a cap.
        cap: Option<u32>,
        /// What is being done.
        step: Step,
        /// The progress of the whole run, 0 to 1.
        share: f64,
        /// The longest time that is left; `None` where nothing limits it.
        left: Option<Nanos>,
    },
    /// A note before the run has ended: a forecast, or how a slow service is measured.
    Note(&'a Note),
    /// A slice was measured.
    Slice(&'a SliceRecord),
    /// A level of a round is complete, and others follow: what the round has so far.
    LevelEnded(&'a RoundRecord),
    /// How the machines do that make the load, after each slice where others make it.
    Fleet(FleetStatus),
    /// Everything is measured under load. Now every server is started alone some times more, for its start-up time.
    StartupsBegin {
        cycles: usize,
        /// How long that takes.
        takes: Nanos,
    },
    /// Start-up was timed with each arm alone for a round that had ended; this is what the round has now.
    StartupTimed(&'a RoundRecord),
    /// Everything is measured. Now every server is started once more and looked into.
    InspectionsBegin {
        /// How long that takes.
        takes: Nanos,
    },
    /// Everything is measured. Now every server is started some times more and its CPU time is profiled.
    ProfilesBegin {
        starts: u32,
        /// How long that takes.
        takes: Nanos,
    },
    /// A step of a start after all rounds.
    Inspecting {
        /// What is being done.
        step: Step,
        /// The progress of the whole run, 0 to 1.
        share: f64,
        /// The time that is left; `None` where it is not known.
        left: Option<Nanos>,
    },
    /// A server was looked into.
    Inspected(&'a ArmInspection),
    /// A round ended; the record of a void round has its reason.
    RoundEnded {
        record: &'a RoundRecord,
        /// The verdicts so far.
        verdicts: &'a [Comparison],
        /// The measures of the headline.
        headline: &'a [Measure],
        /// The longest time that is left; `None` where nothing limits it.
        left: Option<Nanos>,
    },
}

/// Receives the events of a run, to show or store them.
pub trait Observer {
    /// Receives an event.
    fn event(&mut self, event: Event<'_>);
}

/// Passes on the events of the start in which servers are looked into; that start is not measured, so it has
/// no number.
pub(crate) struct AfterRounds<'a>(pub(crate) &'a mut dyn Observer);

impl Observer for AfterRounds<'_> {
    fn event(&mut self, event: Event<'_>) {
        self.0.event(match event {
            Event::Step { step, share, left, .. } => Event::Inspecting { step, share, left },
            other => other,
        });
    }
}
