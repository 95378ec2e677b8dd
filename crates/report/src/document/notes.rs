//! The notes: what a reader has to know before trusting the figures.

use super::standing::standing;
use super::{Content, ContentBlock, SectionInput};
use say::{Say, text};

pub(super) const ID: &str = "notes";

/// The heading of the section.
#[derive(Say)]
#[say(en = "Notes", zh = "说明")]
struct NotesHeading;

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    let with_standing = source.form.standing_in_notes;
    let standing = match with_standing {
        true => standing(report, language),
        false => Vec::new(),
    };
    let notes = report.notes.iter().map(|note| say::text(note, language));
    let points: Vec<String> = standing.into_iter().chain(notes).collect();
    (with_standing || !points.is_empty())
        .then(|| Content { heading: text(&NotesHeading, language), blocks: vec![ContentBlock::list(points)] })
}
