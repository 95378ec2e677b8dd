//! Notes as sentences: what a reader has to know before trusting a report.

mod chinese;
mod english;

use super::{Lang, spaced};
use model::note::Note;

/// A note as a sentence.
pub fn note(note: &Note, lang: Lang) -> String {
    match (note, lang) {
        (Note::Run(note), Lang::En) => english::run(note),
        (Note::Run(note), Lang::Zh) => spaced(&chinese::run(note)),
        (Note::Arm(note), Lang::En) => english::arm(note),
        (Note::Arm(note), Lang::Zh) => spaced(&chinese::arm(note)),
        (Note::Load(note), Lang::En) => english::load(note),
        (Note::Load(note), Lang::Zh) => spaced(&chinese::load(note)),
    }
}
