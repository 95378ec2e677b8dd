//! The nouns that all crates share: quantities with units, measures, reasons, machines and their CPUs, versions. Promises: no I/O, no
//! clock, no randomness; a value of these types is valid by construction.

pub mod by_id;
pub mod cpus;
pub mod faults;
pub mod foreign;
pub mod isolation;
pub mod jdk;
pub mod load;
pub mod machine;
pub mod measure;
pub mod patience;
pub mod reason;
pub mod secret;
pub mod times;
pub mod units;
pub mod url;
pub mod version;
