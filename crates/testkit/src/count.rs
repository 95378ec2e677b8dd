//! Counts what tests start. `./test` compares the counts with the budget in `budget.txt`.

use std::io::Write;

/// The variable of the environment with the file to which counts are appended; without it nothing is counted.
const FILE: &str = "PRONY_COUNTS";

/// What a test has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Started {
    /// A server of the catalog, or a jar: a JVM in most cases.
    Server,
    /// A server that a command starts, such as the fixture server.
    Process,
    /// A look into a server.
    Look,
    /// A build by Maven.
    Maven,
}

impl Started {
    /// The word for it in the budget.
    const fn word(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Process => "process",
            Self::Look => "look",
            Self::Maven => "maven",
        }
    }
}

/// Counts what was started for a test, whose file has this path from the root of the repository.
///
/// # Panics
///
/// When the file of the counts cannot be written.
pub fn count_started(test: &str, started: Started, count: u64) {
    let Some(file) = std::env::var_os(FILE).filter(|_| count > 0) else {
        return;
    };
    let line = format!("{test} {} {count}\n", started.word());
    let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
    // One write a line, so that the lines of several test binaries do not mix.
    opened.and_then(|mut file| file.write_all(line.as_bytes())).expect("counts can be appended");
}
