//! Tests of combinations and of older versions. `./test` runs a part of them, another one with every commit, and `./test --all` runs all.

mod configuration;
mod connectors;
mod kinds;
mod releases;
mod routed;
