//! One file per sub-command.

pub mod catalog;
pub mod clean;
pub mod compare;
pub mod doctor;
pub mod history;
pub mod load;
pub mod report;
pub mod run;
