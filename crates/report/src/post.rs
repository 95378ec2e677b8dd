//! The page about a comparison that somebody else published, as Markdown and as a page of its own: what its author left open with our
//! answers, the published figures beside ours, and where limits begin. It joins all runs that repeat the comparison.

pub use crate::post_words::{BothLanguages, PostWords};

use crate::{document, html, markdown};
use record::outcome::Report;
use say::Language;

/// The page as Markdown. Its plots are files in the folder `img`, named by experiment and language: `img/virtual-threads.zh.svg`.
pub fn markdown(words: &PostWords, runs: &[Report], language: Language) -> String {
    markdown::write_with_plots(&document::post_document(words, runs, language), "img/")
}

/// The page as one self-contained file.
pub fn html(words: &PostWords, runs: &[Report], language: Language) -> String {
    html::write(&document::post_document(words, runs, language), language)
}
