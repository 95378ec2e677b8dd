//! The nouns of prony as types. Promises: no I/O, no clock, no randomness; a value of these types is valid by
//! construction, and an experiment file that cannot be one is refused with line, column and a hint.

pub mod ability;
pub mod arm;
pub mod calibration;
pub mod cause;
mod change;
pub mod counted;
pub mod deployment;
pub mod diagnostic;
pub mod experiment;
pub mod foreign;
pub mod found;
pub mod history;
pub mod inspection;
pub mod jar;
pub mod limits;
pub mod link;
pub mod machine;
pub mod measure;
pub mod mix;
mod node;
pub mod origin;
pub mod outcome;
pub mod passed;
pub mod pattern;
pub mod plan;
pub mod question;
pub mod record;
pub mod require;
pub mod secret;
pub mod series;
pub mod service;
pub mod surroundings;
pub mod takes;
pub mod telemetry;
pub mod units;
pub mod values;
