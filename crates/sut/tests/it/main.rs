//! Real distributions, real JVMs, and the ways in which getting them fails.
