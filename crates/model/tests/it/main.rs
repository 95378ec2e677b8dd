//! Experiment files as users write them, right and wrong.

mod alone;
mod asked;
mod design;
mod files;
mod find;
mod require;
