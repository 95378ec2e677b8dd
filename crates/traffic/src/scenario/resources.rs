//! [`Resources`]: what a scenario uses from outside its text. The reader of a file gives it, so that this crate does no
//! I/O.

use std::path::Path;

/// What a scenario uses from outside its text.
pub struct Resources<'a> {
    /// Reads a file that the scenario names, relative to its own folder.
    ///
    /// # Errors
    ///
    /// Why it cannot be read, in the words of the system.
    pub read: &'a dyn Fn(&Path) -> Result<Vec<u8>, String>,
    /// The value of a variable of the environment.
    pub environment: &'a dyn Fn(&str) -> Option<String>,
}

impl std::fmt::Debug for Resources<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Resources")
    }
}

impl Resources<'static> {
    /// Nothing: no file can be read, and no variable is set.
    pub const NONE: Self =
        Self { read: &|_| Err("no files can be read here".to_owned()), environment: &|_| None };
}
