//! Two runs side by side ([`RunPair`]), for a terminal, as Markdown, and as JSON.

use crate::document::pair_document;
use crate::{markdown, terminal};
use record::pair::RunPair;
use say::Language;

/// The pair for a terminal, 80 columns wide.
pub fn text(pair: &RunPair, language: Language) -> String {
    terminal::write(&pair_document(pair, language), false)
}

/// The pair as Markdown.
pub fn markdown(pair: &RunPair, language: Language) -> String {
    markdown::write(&pair_document(pair, language))
}

/// The pair as JSON: times in seconds, rates per second, sizes in bytes.
pub fn json(pair: &RunPair) -> String {
    // It has only strings and finite numbers, so it always has a JSON form.
    let mut text = serde_json::to_string_pretty(pair).unwrap_or_default();
    text.push('\n');
    text
}
