//! The judge: the records of a run go in, its [`Report`](model::outcome::Report) comes out.
//!
//! ```text
//! RunRecord, RoundRecord (a round: its starts, slices, levels)
//!   -> validity     was it the server that was measured? of one round, while the servers still run
//!   -> numbers      of each round that counts: one value per arm and measure, one `D` per comparison
//!   -> verdicts     over all rounds: faster, slower, same or open; is another round needed?
//!   -> findings     what a report says of each arm at each load
//!   -> diagnose     what limited it there
//!   -> find         what was looked for instead of a comparison, where something was
//!   -> requirements, notes
//! Report
//! ```
//!
//! It is asked in three ways. [`report`] judges a whole run, [`series`] gives what is drawn of it, [`standings`] what stood
//! after each of its rounds. While a run goes on, `lab` asks after each level [`validity`], and after each round
//! [`numbers`], [`verdicts`] and [`planning`]. [`prove`] picks the changes that a run
//! should try. [`drift`] and [`calibration`] judge many runs together.
//!
//! It promises: what it says comes from the records alone, whether the run has just ended or was stored long ago, so the same
//! records give the same report to the byte. Random draws have fixed seeds, or the run's. A round that does not count adds
//! nothing to a verdict. No function fails: what the records cannot tell is absent from the report.
//!
//! It refuses to know: clocks, files, threads, servers and the load generator. It may use `model` and `stats` only; what it
//! needs of histograms is in [`histogram`].

#[cfg(test)]
mod acceptance;
pub mod calibration;
mod d_series;
mod diagnose;
mod drift;
pub mod find;
mod findings;
pub mod histogram;
pub mod notes;
pub mod numbers;
pub mod percentiles;
pub mod planning;
#[cfg(test)]
mod properties;
pub mod prove;
mod ranking;
mod remarks;
mod report;
mod requirements;
mod round_numbers;
pub mod round_time;
mod series;
mod settling;
pub mod slow;
mod standings;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod validity;
pub mod verdicts;

pub use drift::drift;
pub use percentiles::glimpse;
pub use planning::planned;
pub use report::report;
pub use series::series;
pub use standings::standings;
