//! The fingerprint: the properties of the machine that matter to the results.

use super::asked::fact_table;
use super::{Content, SectionInput};
use say::{Say, text};

pub(super) const ID: &str = "fingerprint";

/// The heading of the section.
#[derive(Say)]
#[say(en = "Fingerprint of the machine", zh = "机器指纹")]
struct FingerprintHeading;

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let fingerprint = &source.report.fingerprint;
    let language = source.language;
    (!fingerprint.is_empty()).then(|| Content {
        heading: text(&FingerprintHeading, language),
        blocks: vec![fact_table(fingerprint, language)],
    })
}
