//! What happens while an experiment runs, for whoever shows or stores it. Observers never measure.

use model::outcome::Comparison;
use model::record::{RoundRecord, SliceRecord};
use model::units::Nanos;

/// Something happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// Before the first start: fetching, building.
    Preparing {
        /// What is being done, for people.
        what: &'a str,
    },
    /// Everything is there; the first round begins.
    Planned {
        /// How long it will take at most.
        at_most: Nanos,
    },
    /// A round begins.
    Round {
        /// Its number, from 1.
        round: u32,
        /// Valid rounds wanted at most.
        cap: u32,
    },
    /// Something within a round.
    Step {
        /// What is being done, for people.
        what: String,
        /// How far the round is, 0 to 1.
        share: f64,
        /// Time left at most.
        left: Nanos,
    },
    /// A slice was measured.
    Slice(&'a SliceRecord),
    /// A round ended; void ones carry their reason.
    RoundEnded {
        /// The round.
        record: &'a RoundRecord,
        /// The verdicts as they stand.
        verdicts: &'a [Comparison],
    },
}

/// Who shows or stores what happens.
pub trait Observer {
    /// Something happened.
    fn event(&mut self, event: Event<'_>);
}
