//! The lab: runs an experiment. It joins servers ([`sut`]), load ([`load`]) and readings ([`probe`]) into rounds, and asks
//! of each round ([`judge`]) whether it was the server that was measured, and of all of them whether another is needed.
//!
//! It promises: every server it started is stopped when it returns, whatever happened; a void round is reported, never
//! dropped; the order of everything comes from the seed.

mod bench;
mod course;
mod deployment;
mod error;
pub mod event;
mod jdks;
mod latency;
mod meters;
mod order;
mod percentiles;
mod possible;
mod quiet;
mod round;
mod schedule;
mod setup;
mod slice;
mod users_own;
mod warmup;
mod windows;

pub use bench::Bench;
pub use course::{Course, run};
pub use error::{Error, JvmFact};
pub use percentiles::{Times, times};
pub use possible::possible;
pub use slice::counts;
