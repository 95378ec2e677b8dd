//! The judge: it turns the records of a run into its [`Report`](record::outcome::Report).
//!
//! ```text
//! RunRecord, RoundRecord (a round: its starts, slices, levels)
//!   -> validity     was it the server that was measured? asked of each round while its servers still run
//!   -> numbers      of each round that counts: one value per arm and measure, one `D` per comparison
//!   -> verdicts     over all rounds: better, worse, same or open; is another round needed?
//!   -> arm_results  what a report says of each arm at each load
//!   -> profile      where the requests in flight were, from an inspection of the server
//!   -> diagnose     what limited the arm there
//!   -> flame        where the CPU time of a request goes, where it was profiled
//!   -> find         the result of a search (a capacity, a highest rate), where the experiment asks for one
//!   -> requirements, notes
//! Report
//! ```
//!
//! It has three kinds of callers. For a whole run, [`report`] judges it, [`series`] gives what plots draw, and [`standings`]
//! gives the verdicts as they were after each of its rounds. While a run goes on, `lab` calls [`validity`] after each level,
//! and [`numbers`], [`verdicts`], [`planning`] and [`tuning`] after each round; [`inspections`] plans the start after the last one.
//! [`prove`] picks the changes that a run should try. [`profile`] says where the time of a request goes. [`drift`]
//! and [`calibration`] judge many runs together, and [`pair()`] puts two side by side. [`night`] divides the time of a night among experiments.
//!
//! It promises: the report depends on the records alone, whether the run has just ended or was stored long ago, so
//! the same records give the same report to the byte. Random draws have a fixed seed, or the run's. A round that does
//! not count adds nothing to a verdict. No function fails: what the records do not contain is absent from the report.
//!
//! It knows nothing of clocks, files, threads, servers and the load generator. Of our crates it uses `stats` and those that hold plain data only;
//! histograms are decoded in [`histogram`].

#[cfg(test)]
mod acceptance;
mod arm_levels;
mod arm_results;
pub mod calibration;
mod d_series;
mod decided;
mod diagnose;
mod drift;
mod elsewhere;
pub mod events;
mod family;
pub mod find;
pub mod fixed_rate;
mod flame;
mod histogram;
mod history;
pub mod inspections;
mod learnt_priors;
pub mod night;
pub mod notes;
pub mod numbers;
mod pair;
mod pauses;
pub mod percentiles;
pub mod planning;
pub mod profile;
#[cfg(test)]
mod properties;
pub mod prove;
mod ranking;
mod rate_curve;
mod remarks;
mod report;
mod requirements;
mod round_numbers;
pub mod round_time;
mod series;
mod sessions;
mod settling;
mod shared_cpus;
pub mod slow;
mod standings;
mod start_means;
pub mod starting;
mod steadiness;
mod step_comparisons;
mod step_series;
pub mod steps;
mod table_figures;
pub mod telemetry_totals;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod together_tests;
mod totals;
#[cfg(test)]
mod truth;
pub mod tuning;
pub mod validity;
pub mod verdicts;
mod voiding;

pub use flame::dearest;
pub use history::{Sequence, news, sequence};
pub use learnt_priors::learnt_priors;
pub use pair::pair;
pub use percentiles::glimpse;
pub use planning::with_planned_starts;
pub use report::report;
pub use series::series;
pub use standings::standings;
