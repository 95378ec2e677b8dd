//! Reads JMeter plans and compiles them to scenarios.

pub mod compound;
mod error;
pub mod script;
pub mod tree;

pub use error::Error;
