//! Real distributions, real JVMs, and the ways in which getting them fails.

mod around;
mod common;
mod connectors;
mod fetching;
mod jars;
mod jdks;
mod kinds;
mod network;
mod orphans;
mod servers;
mod starting;
mod wars;
