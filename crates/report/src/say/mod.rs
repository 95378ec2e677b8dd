//! Sentences for findings and remedies, with one exhaustive `match` for each language, and what reports make of the words of other
//! values of `model`, which stand beside their types.

pub mod finding;
mod frame;
pub mod remedy;
mod setting;
mod sizing;
#[cfg(test)]
pub(crate) mod testing;
mod text;
mod untried;

pub use crate::words::Lang;
pub use finding::{diagnosis, finding};
pub use frame::frame;
pub use remedy::remedy;

pub use ::say::text;

use ::say::{Writer, lists};
use model::faults::FaultCounts;
use model::note::Note;
use model::remark::Remark;
use std::collections::BTreeMap;

/// The faults of requests with their numbers, by kind; `None` when nothing went wrong.
pub fn faults(faults: &BTreeMap<String, u64>, lang: Lang) -> Option<String> {
    (!faults.is_empty()).then(|| text(&FaultCounts(faults), lang))
}

/// All remarks on one verdict in one line; `None` where there is nothing to remark.
pub fn remarks(remarks: &[Remark], lang: Lang) -> Option<String> {
    let mut out = Writer::new(lang);
    lists::semicolons(remarks, &mut out);
    Some(out.into_text()).filter(|text| !text.is_empty())
}

/// What it would take to decide an open question, in a few words, by the first of these remarks that says so.
pub(crate) fn effort(remarks: &[Remark], lang: Lang) -> Option<String> {
    let effort = remarks.iter().find_map(Remark::effort);
    effort.map(|effort| text(&effort, lang))
}

/// A note as a sentence.
pub fn note(note: &Note, lang: Lang) -> String {
    match note {
        Note::Run(note) => text(note, lang),
        Note::Arm(note) => text(note, lang),
        Note::Load(note) => text(note, lang),
        Note::Untried(note) => untried::untried(note, lang),
    }
}
