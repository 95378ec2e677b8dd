//! What the log of a server says about why it did not start.

/// The line of a server's log in which the JVM refuses an option, if there is one.
pub fn refused_option(log: &[String]) -> Option<&str> {
    let refused = |line: &&String| {
        line.starts_with("Unrecognized") || line.contains("VM option") || line.contains("Invalid ")
    };
    log.iter().find(refused).map(String::as_str)
}

/// Whether a line of a server's log says that a setting is unknown.
pub fn is_unknown_setting(line: &str) -> bool {
    line.contains("failed to set property") || line.contains("matching property")
}

/// What to do about a server that ended, by its log.
pub(super) fn exit_hint(log: &[String]) -> Option<String> {
    Some(match refused_option(log) {
        Some(line) => format!("the JVM refused an option: {line}"),
        None => "the end of its log says why".to_owned(),
    })
}

/// What to do about a server that refused this line of its configuration.
pub(super) fn refused_hint(line: &str) -> &'static str {
    match is_unknown_setting(line) {
        true => "this version of the server has no such setting: take it out, or correct its name",
        false => "the end of its log says why",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_jvm_option_is_named() {
        let log = [
            "Unrecognized VM option 'UseFooGC'".to_owned(),
            "Error: Could not create".to_owned(),
        ];
        assert_eq!(
            exit_hint(&log).as_deref(),
            Some("the JVM refused an option: Unrecognized VM option 'UseFooGC'")
        );
    }
}
