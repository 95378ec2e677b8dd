//! The name of the run, and what made the report.

use super::{Block, Content, Source, Text, TextMark};
use crate::words::fill;

pub(super) const ID: &str = "run";

pub(super) fn section(source: &Source<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    if !source.form.signed {
        let run = Text::from(format!("{} ", words.run)).then(&report.run, TextMark::Code);
        return Content::of("", [Block::paragraph(run)]);
    }
    let seed = fill(words.page_seed, &[("seed", &report.seed)]);
    let version = report.fingerprint.get("prony").map_or("", String::as_str);
    Content::of(
        "",
        [
            Block::paragraph(format!("{} {} · {seed}", words.run, report.run)),
            Block::paragraph(fill(words.page_made_by, &[("version", &version)])),
        ],
    )
}
