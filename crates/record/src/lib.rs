//! What is stored and told: records of rounds, readings, and the values of reports with their words (reasons, notes, findings, verdicts).
//! Promises: plain data, no I/O; a stored value is read back as it was written.

pub mod answer;
pub mod calibration;
pub mod configuration;
pub mod counted;
pub mod cpu_profile;
pub mod decision;
mod estimate;
pub mod events;
pub mod finding;
pub mod histogram;
pub mod history;
pub mod host_facts;
pub mod inspection;
pub mod level_figure;
pub mod native;
pub mod note;
pub mod outcome;
pub mod pair;
pub mod rate_curve;
pub mod remark;
pub mod request_time;
pub mod round_times;
pub mod rounds;
pub mod search;
pub mod series;
pub mod step;
pub mod table_figure;
pub mod telemetry;
pub mod verdict;
#[cfg(test)]
mod words;
