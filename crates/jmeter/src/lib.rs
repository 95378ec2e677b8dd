//! Reads JMeter plans and compiles them to [`Program`](traffic::scenario::Program)s.
//!
//! ```text
//! plan.jmx ── tree ──► Element (classes, properties, lines)
//!               compile: for each sampler, what is in its scope ──► Program, Obstacles
//!                 compound: ${variables} and ${__functions()} ──► Template
//!                 script:   conditions and small scripts ──► Snippet
//! ```
//! What a plan says and cannot be done here is an [`Obstacle`]; all of them are found at once. The crate
//! reads no files: its caller passes what the plan names.

#[cfg(test)]
mod answers;
mod compile;
pub mod compound;
mod error;
mod obstacle;
mod regex;
pub mod script;
pub mod tree;

pub use compile::{CompiledPlan, Settings, compile};
pub use error::Error;
pub use obstacle::{Obstacle, ObstacleKind, Unsupported};
