//! Real distributions, real JVMs, and the ways in which getting them fails.

mod common;
mod fetching;
mod orphans;
mod servers;
mod starting;
