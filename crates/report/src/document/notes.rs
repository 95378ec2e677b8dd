//! The notes: what a reader has to know before trusting the figures.

use super::standing::standing;
use super::{Content, ContentBlock, SectionInput};

pub(super) const ID: &str = "notes";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    let with_standing = source.form.standing_in_notes;
    let standing = match with_standing {
        true => standing(report, words),
        false => Vec::new(),
    };
    let notes = report.notes.iter().map(|note| say::text(note, words.lang));
    let points: Vec<String> = standing.into_iter().chain(notes).collect();
    (with_standing || !points.is_empty())
        .then(|| Content { heading: words.notes, blocks: vec![ContentBlock::list(points)] })
}
