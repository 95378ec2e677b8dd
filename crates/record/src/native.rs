//! Arms whose application is a native program, compiled by GraalVM's native-image, so that they have no JVM to be asked.

use crate::outcome::Report;

/// The name of the fact of such an arm: what compiled it.
pub const FACT: &str = "native_image";

impl Report {
    /// Returns what compiled the program of an arm; `None` for an arm that runs in a JVM, or whose program prony did not compile.
    pub fn native_image(&self, arm: &str) -> Option<&str> {
        let fact = self.fingerprint.get(&format!("arm/{arm}/{FACT}"));
        fact.map(String::as_str)
    }
}
