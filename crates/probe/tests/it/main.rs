//! Readings of real JVMs.

mod jvm;
