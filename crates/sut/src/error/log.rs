//! What the log of a server says about why it did not start.

/// The line of a server's log in which the JVM refuses an option, if there is one.
pub(super) fn refused_option(log: &[String]) -> Option<&str> {
    let refused = |line: &&String| {
        line.starts_with("Unrecognized") || line.contains("VM option") || line.contains("Invalid ")
    };
    log.iter().find(refused).map(String::as_str)
}

/// Whether a line of a server's log says that a setting is unknown.
pub(super) fn is_unknown_setting(line: &str) -> bool {
    line.contains("failed to set property") || line.contains("matching property")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_jvm_option_is_named() {
        let log = ["Unrecognized VM option 'UseFooGC'".to_owned(), "Error: Could not create".to_owned()];
        assert_eq!(refused_option(&log), Some("Unrecognized VM option 'UseFooGC'"));
    }
}
