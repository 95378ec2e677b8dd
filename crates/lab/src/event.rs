//! What happens while an experiment runs, for whoever shows or stores it. Observers never measure.

use model::note::Note;
use model::outcome::Comparison;
use model::record::{RoundRecord, SliceRecord};
use model::step::Step;
use model::units::Nanos;

/// Something happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// Before the first start: fetching, building.
    Preparing {
        /// What is being done.
        step: &'a Step,
    },
    /// Everything is there; the first round begins.
    Planned {
        /// How long it will take at most, where anything limits it.
        at_most: Option<Nanos>,
        /// How long where starts spread as on a quiet machine.
        typically: Nanos,
    },
    /// Other work uses the machine: a round waits for it, for a while.
    Waiting {
        /// The round's number.
        round: u32,
        /// Share of the machine that is idle, 0 to 1.
        idle: f64,
    },
    /// Something within a round.
    Step {
        /// Its number, from 1.
        round: u32,
        /// Rounds at most, where there is a cap.
        cap: Option<u32>,
        /// What is being done.
        step: Step,
        /// How far the whole run is, 0 to 1.
        share: f64,
        /// Time left at most, where anything limits it.
        left: Option<Nanos>,
    },
    /// Something that is known before the run has ended: a forecast, how a slow service is measured.
    Note(&'a Note),
    /// A slice was measured.
    Slice(&'a SliceRecord),
    /// A round ended; a void one carries its reason.
    RoundEnded {
        /// The round.
        record: &'a RoundRecord,
        /// The verdicts as they stand.
        verdicts: &'a [Comparison],
        /// Time left at most, where anything limits it.
        left: Option<Nanos>,
    },
}

/// Who shows or stores what happens.
pub trait Observer {
    /// Something happened.
    fn event(&mut self, event: Event<'_>);
}
