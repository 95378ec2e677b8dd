//! The lab: runs an experiment. It joins servers ([`sut`]), load ([`load`]) and readings ([`probe`]) into
//! rounds. After each round it asks [`judge`] whether the round is valid (it measured the server) and whether
//! another is needed.
//!
//! Promises: every server that it starts is stopped when it returns, whatever happens; a void round is reported and never
//! dropped; all random choices come from the seed.

mod bench;
mod brief_session;
mod check;
mod clock;
mod compilers;
mod containers;
mod course;
mod deployment;
mod doubts;
mod elsewhere;
mod error;
pub mod event;
mod hosts;
mod isolation;
mod jdks;
mod latency;
mod load_required;
mod looks;
mod merge;
mod meters;
mod metrics;
mod order;
mod peers;
mod percentiles;
mod quiet;
mod reach;
mod round;
mod runnable;
mod schedule;
mod settings;
mod setup;
mod slice;
mod slice_counts;
mod statements;
mod steps;
mod user_server;
mod warmup;
mod watch;
mod way;
mod windows;

pub use bench::Bench;
pub use check::{PlannedTime, obstacles, planned_time};
pub use course::{Course, run};
pub use deployment::configuration_changes;
pub use doubts::{Doubt, doubts};
pub use error::{Error, JvmFact, MetricsFlaw};
pub use load_required::{LoadRequirements, LoadSeconds};
pub use percentiles::{LoadTimes, load_times};
pub use runnable::runnable;
pub use slice_counts::{counts, event_record, send_delay};
pub use steps::step_records;
pub use watch::serve_host;
pub use way::{Route, Way, WayError};
