//! The watcher: a process that removes a container when prony dies.
//!
//! The kernel kills the guarded processes of a dead prony, but a container is none of them: it belongs to the engine. So prony starts
//! itself once more for each container, as `prony __guard --watch NAME ENGINE OPTIONS…`. This process holds the end of a pipe, and the
//! kernel closes the pipe when prony ends, for whatever reason. Then the watcher removes the container and ends. A prony that stops a
//! server ends the watcher in the same way, so that containers are always removed by the same code.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// The first argument of the guard that makes it a watcher.
pub(crate) const WATCH: &str = "--watch";
/// What prony writes when it has not died, so that nobody can be about to make the container.
pub(crate) const DONE: &[u8] = b"done";
/// The number of attempts to remove the container of a dead prony, whose engine may be about to make it.
const ATTEMPTS: u32 = 4;
/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(500);

/// The main function of the watcher. Its arguments are the name of the container, the program of the engine, and its options.
pub(crate) fn main<'a>(mut words: impl Iterator<Item = &'a OsStr>) -> ExitCode {
    let (Some(name), Some(program)) = (words.next(), words.next()) else {
        eprintln!("watcher: started by prony itself, as: NAME ENGINE OPTIONS...");
        return ExitCode::from(2);
    };
    let engine: Vec<&OsStr> = [program].into_iter().chain(words).collect();
    let mut told = Vec::new();
    // An error ends the pipe, too.
    let _ = io::stdin().read_to_end(&mut told);
    remove(&engine, name);
    if told != DONE {
        for _ in 1..ATTEMPTS {
            sleep(PAUSE);
            remove(&engine, name);
        }
    }
    ExitCode::SUCCESS
}

/// Removes a container by its name or id, with its processes and its unnamed volumes. It is no error if there is none.
pub(crate) fn remove(engine: &[&OsStr], container: &OsStr) {
    // Removing alone would first ask the server to end, and wait ten seconds.
    for task in [&["kill", "-s", "KILL"][..], &["rm", "-f", "-v"]] {
        let words = engine[1..].iter().map(OsString::from);
        let _ = Command::new(engine[0])
            .args(words)
            .args(task)
            .arg(container)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
}
