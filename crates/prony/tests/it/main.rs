//! Whole commands, as a user types them.

mod around;
mod files;
mod foreign;
mod help;
mod hlog;
mod home;
mod jmeter;
mod load;
mod posts;
mod real;
mod stored;
mod telemetry;
mod walls;
