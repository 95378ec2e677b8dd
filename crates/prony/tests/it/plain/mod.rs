//! Commands that start nothing but `prony` itself: `./test --quick` runs them.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod costs;
pub(crate) mod disturbed;
pub(crate) mod docs;
pub(crate) mod documented;
pub(crate) mod files;
pub(crate) mod foreign;
pub(crate) mod goldens;
pub(crate) mod help;
pub(crate) mod imports;
pub(crate) mod jmx_import;
pub(crate) mod layers;
pub(crate) mod load;
pub(crate) mod modules;
pub(crate) mod posts;
pub(crate) mod stored;
pub(crate) mod versions;
pub(crate) mod walls;
