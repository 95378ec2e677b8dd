//! Sentences for the values of `model`: one module for each family of values, with one exhaustive `match` for each language. A
//! value without a sentence in one of the languages is a compile error, and no other code depends on the wording.

mod failure;
pub mod finding;
pub(crate) mod fleet;
pub mod found;
mod frame;
#[cfg(test)]
mod goldens;
pub mod note;
mod plan_difference;
pub mod quantity;
mod rate_origin;
pub mod remark;
pub mod remedy;
mod setting;
mod sizing;
pub mod step;
#[cfg(test)]
pub(crate) mod testing;
mod text;

pub use crate::words::Lang;
pub use failure::step_failure;
pub use finding::{diagnosis, finding};
pub use found::{capacity_end, no_curve};
pub use frame::frame;
pub use note::note;
pub(crate) use plan_difference::plan_difference;
pub use quantity::quantity;
pub use rate_origin::rate_origin;
pub(crate) use remark::effort;
pub use remark::{remark, remarks};
pub use remedy::remedy;
pub use step::step;

pub use ::say::text;
pub(crate) use ::say::{numbers, spaced};

use model::faults::FaultCounts;
use std::collections::BTreeMap;

/// The faults of requests with their numbers, by kind; `None` when nothing went wrong.
pub fn faults(faults: &BTreeMap<String, u64>, lang: Lang) -> Option<String> {
    (!faults.is_empty()).then(|| text(&FaultCounts(faults), lang))
}
