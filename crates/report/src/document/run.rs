//! The name of the run, and the program that made the report.

use super::{Content, ContentBlock, SectionInput, Text, TextMark};
use crate::words::fill;

pub(super) const ID: &str = "run";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    if !source.form.signed {
        let run = Text::from(format!("{} ", words.run)).then(&report.run, TextMark::Code);
        return Content::of("", [ContentBlock::paragraph(run)]);
    }
    let seed = fill(words.page_seed, &[("seed", &report.seed)]);
    let version = report.fingerprint.get("prony").map_or("", String::as_str);
    Content::of(
        "",
        [
            ContentBlock::paragraph(format!("{} {} · {seed}", words.run, report.run)),
            ContentBlock::paragraph(fill(words.page_made_by, &[("version", &version)])),
        ],
    )
}
