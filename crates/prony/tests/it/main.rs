//! End-to-end tests: they run whole commands as a user types them. The folder of a test says with what it may run at the same time.

mod browser;
mod fixture;
mod home;
mod measured;
mod plain;
mod served;
mod shared;
mod tally;
mod waiting;
mod web;
