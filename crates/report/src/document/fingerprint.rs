//! Everything about the machine that mattered.

use super::asked::fact_table;
use super::{Content, Source};

pub(super) const ID: &str = "fingerprint";

pub(super) fn section(source: &Source<'_>) -> Option<Content> {
    let fingerprint = &source.report.fingerprint;
    let words = source.words;
    (!fingerprint.is_empty()).then(|| Content {
        heading: words.fingerprint,
        blocks: vec![fact_table(fingerprint, words)],
    })
}
