//! Results to bytes: a [`Report`] as `report.json`, a page, Markdown, a table for the terminal, plots; a load in the forms of
//! `wrk` and `ab`. Promises: no I/O; the same report gives the same bytes; colour is never the only carrier of a meaning.

pub mod ab;
pub mod annotations;
pub mod calibration;
pub mod comment;
mod found;
pub mod history;
pub mod html;
pub mod junit;
mod load;
pub mod markdown;
pub mod plot;
pub mod progress;
mod reasons;
mod reference;
mod required;
mod rows;
mod settings;
pub mod slices;
pub mod terminal;
mod units;
pub mod web;
mod words;
pub mod wrk;

pub use words::Lang;

use model::measure::Measure;
use model::outcome::{ArmResult, Report};

/// `report.json`: the contract that scripts and tests rely on.
pub fn json(report: &Report) -> String {
    // A `Report` has string keys and finite or absent numbers only, so it always has a JSON form.
    let mut text = serde_json::to_string_pretty(report).unwrap_or_default();
    text.push('\n');
    text
}

/// A sentence of the laboratory's, as reports have them, in another language; as it is where there is no translation.
pub fn sentence(english: &str, lang: Lang) -> String {
    words::of(lang).sentence(english)
}

/// An arm's own value of a measure in words: `13.4 µs`; of several levels the first.
pub fn own_value(arm: &ArmResult, measure: Measure) -> Option<String> {
    let estimate = rows::estimate(arm, measure, None)?;
    Some(units::value(measure, estimate.value))
}
