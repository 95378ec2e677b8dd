//! [`MavenTrouble`]: why Maven failed, and what to do about it.

/// Why Maven failed, as far as its output shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MavenTrouble {
    /// Maven is configured to work offline.
    Offline,
    /// Maven could not reach a repository.
    Network,
    /// The repository in use does not have the artifact.
    NotHeld,
    /// Maven runs on a JRE.
    NoJdk,
    /// The output shows none of these.
    Unknown,
}

impl MavenTrouble {
    /// The trouble that Maven's output shows.
    pub fn in_output(lines: &[String]) -> Self {
        let any = |words: &[&str]| {
            lines
                .iter()
                .any(|line| words.iter().any(|word| line.contains(word)))
        };
        if any(&["offline mode"]) {
            Self::Offline
        } else if any(&UNREACHABLE) {
            Self::Network
        } else if any(&["Could not find artifact", "was not found in"]) {
            Self::NotHeld
        } else if any(&["No compiler is provided", "JAVA_HOME"]) {
            Self::NoJdk
        } else {
            Self::Unknown
        }
    }
}

/// Words that Maven writes when it cannot reach a repository.
const UNREACHABLE: [&str; 7] = [
    "Unknown host",
    "UnknownHost",
    "Network is unreachable",
    "timed out",
    "refused",
    "transfer artifact",
    "reset",
];

pub(super) fn hint(lines: &[String]) -> &'static str {
    match MavenTrouble::in_output(lines) {
        MavenTrouble::Offline => {
            "Maven is set to work offline: take `offline` out of its settings.xml or MAVEN_ARGS for the first run"
        }
        MavenTrouble::Network => {
            "the first run needs the network; proxies and mirrors are those of Maven's settings.xml"
        }
        MavenTrouble::NotHeld => {
            "the Maven repository in use does not hold it: choose another version, or another mirror in settings.xml"
        }
        MavenTrouble::NoJdk => "Maven needs a full JDK: set JAVA_HOME to one",
        MavenTrouble::Unknown => "run the same with plain mvn to see all of its output",
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn mavens_troubles_have_their_own_hints() {
        let hint = |line: &str| super::hint(&[line.to_owned()]);
        assert!(hint("Could not transfer artifact x from/to central: Unknown host repo").contains("network"));
        assert!(hint("Could not find artifact org.x:y:tar.gz:1 in central").contains("does not hold it"));
        assert!(hint("Cannot access central in offline mode").contains("offline"));
    }
}
