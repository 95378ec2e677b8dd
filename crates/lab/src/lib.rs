//! The lab: runs an experiment. It joins servers ([`sut`]), load ([`load`]) and readings ([`probe`]) into rounds, asks of
//! each round whether it was the server that was measured, and of all of them what can be said.
//!
//! It promises: every server it started is stopped when it returns, whatever happened; a void round is reported, never
//! dropped; the order of everything comes from the seed.

#[cfg(test)]
mod acceptance;
mod bench;
pub mod calibration;
mod capacity;
mod course;
mod deployment;
mod diagnose;
mod drift;
mod error;
pub mod event;
mod findings;
mod foreign;
mod jdks;
mod judge;
mod latency;
mod max_rate;
mod meters;
mod notes;
mod numbers;
mod order;
mod percentiles;
mod planning;
mod possible;
#[cfg(test)]
mod properties;
pub mod prove;
mod quiet;
mod ranking;
mod remarks;
mod requirements;
mod round;
mod schedule;
mod series;
mod settling;
mod setup;
mod slice;
#[cfg(test)]
mod testing;
mod validity;
mod verdicts;
mod warmup;
mod windows;

pub use bench::Bench;
pub use course::{Course, run, standings};
pub use drift::drift;
pub use error::Error;
pub use judge::report;
pub use percentiles::{Times, glimpse, times};
pub use planning::planned;
pub use possible::{LEFT_OUT, possible};
pub use series::series;
pub use slice::counts;
