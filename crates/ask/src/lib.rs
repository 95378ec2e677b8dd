//! The question: an experiment file and what can be asked in it, arms and their keys, servers and what their versions can do. Promises:
//! no I/O; a file that cannot be an [`Experiment`](experiment::Experiment) is refused with line, column and a hint.

pub mod ability;
pub mod arm;
pub mod available;
pub mod build;
pub mod catalog;
pub mod change;
pub mod command;
pub mod configuration;
pub mod deployment;
pub mod diagnostic;
pub mod earlier;
pub mod experiment;
pub mod headline;
pub mod hidden;
pub mod host;
pub mod image;
pub mod jar;
pub mod kind;
pub mod limits;
pub mod link;
pub mod load_machines;
pub mod mix_file;
mod node;
pub mod origin;
pub mod pattern;
pub mod question;
pub mod reference;
pub mod require;
pub mod scenario_file;
pub mod service;
pub mod slip;
pub mod subject;
pub mod surroundings;
pub mod tunable;
pub mod values;
pub mod version_rules;
