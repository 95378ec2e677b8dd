//! End-to-end tests: they run whole commands as a user types them.

mod answers;
mod around;
mod browser;
mod causes;
mod ci;
mod faults;
mod files;
mod find;
mod foreign;
mod goldens;
mod help;
mod hlog;
mod home;
mod jmeter;
mod layers;
mod live;
mod load;
mod posts;
mod real;
mod serve;
mod stored;
mod telemetry;
mod together;
mod users_apps;
mod walls;
mod web;
