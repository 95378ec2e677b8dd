//! Real distributions, real JVMs, and the ways in which getting them fails.

mod around;
mod common;
mod fetching;
mod kinds;
mod orphans;
mod servers;
mod starting;
