//! Tests with real distributions and real JVMs, and of the ways in which obtaining and starting them fails.

mod builds;
mod common;
mod configuration;
mod connectors;
mod fetching;
mod guide;
mod helpers;
mod http2;
mod jars;
mod jdks;
mod kinds;
mod measured;
mod network;
mod orphans;
mod routed;
mod servers;
mod starting;
mod surroundings;
mod wars;
