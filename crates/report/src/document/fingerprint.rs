//! The fingerprint: the properties of the machine that matter to the results.

use super::asked::fact_table;
use super::{Content, SectionInput};

pub(super) const ID: &str = "fingerprint";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let fingerprint = &source.report.fingerprint;
    let words = source.words;
    (!fingerprint.is_empty())
        .then(|| Content { heading: words.fingerprint, blocks: vec![fact_table(fingerprint, words)] })
}
