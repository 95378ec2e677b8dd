//! Writes results: a [`Report`] as `report.json`, a page, Markdown, a table for the terminal, or plots; a single load in the
//! forms of `wrk` and `ab`. It promises: no I/O; the same report gives the same bytes; colour never carries a meaning alone.

pub mod ab;
pub mod annotations;
mod brief;
pub mod calibration;
pub mod comment;
mod comparison;
mod document;
pub mod history;
pub mod html;
mod json;
pub mod junit;
mod loads;
pub mod markdown;
pub mod pair;
pub mod plot;
pub mod post;
mod post_words;
pub mod progress;
mod requirement;
pub mod slices;
mod sparkline;
pub mod terminal;
mod units;
pub mod web;
mod words;
pub mod wrk;

pub use json::json;

use model::measure::Measure;
use record::outcome::ArmResult;

/// The text, filled up with blanks to `columns` columns of a terminal; an ideograph takes two columns.
pub fn padded(text: &str, columns: usize) -> String {
    units::left(text, columns)
}

/// The value of a measure for one arm, with its unit: `13.4 µs`. If the arm has several levels, it is the value at the
/// first level.
pub fn measured_value(arm: &ArmResult, measure: Measure) -> Option<String> {
    let estimate = comparison::estimate(arm, measure, None)?;
    Some(units::value(measure, estimate.value))
}
