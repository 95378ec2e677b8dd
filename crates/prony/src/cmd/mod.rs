//! The sub-commands, one file each, and what `wrk` and `ab` share.

pub(crate) mod ab;
pub(crate) mod agent;
pub(crate) mod calibrate;
pub(crate) mod catalog;
mod catalog_server;
pub(crate) mod check;
pub(crate) mod clean;
pub(crate) mod compare;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod dump;
mod foreign;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod load;
pub(crate) mod nightly;
pub(crate) mod pages;
pub(crate) mod prune;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod run;
mod schema;
pub(crate) mod serve;
pub(crate) mod team;
pub(crate) mod why;
pub(crate) mod wrk;
