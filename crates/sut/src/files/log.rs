//! Reads a server's log: its last lines for messages, its new lines while the server starts.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The number of log lines that a message shows.
const TAIL: usize = 15;
/// The length in characters after which a log line is cut in a message.
const LONGEST: usize = 300;

/// A problem at the start that a log line reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The server did not get its port.
    PortTaken,
    /// The server failed, or did not accept a setting.
    Failed,
}

/// The last lines of a log; empty when it cannot be read.
pub(crate) fn tail(path: &Path) -> Vec<String> {
    let text = text(path);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(TAIL)..];
    last.iter().map(|line| line.chars().take(LONGEST).collect()).collect()
}

/// The whole log; empty when it cannot be read.
pub(crate) fn text(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// Reads the lines that are appended to a log.
#[derive(Debug)]
pub(crate) struct Watch {
    path: PathBuf,
    offset: u64,
    partial: Vec<u8>,
}

impl Watch {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), offset: 0, partial: Vec::new() }
    }

    /// The lines that were completed since the last call.
    pub(crate) fn lines(&mut self) -> Vec<String> {
        let mut fresh = Vec::new();
        let read = File::open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.offset))?;
            file.read_to_end(&mut fresh)
        });
        self.offset += read.unwrap_or_default() as u64;
        self.partial.append(&mut fresh);
        let Some(end) = self.partial.iter().rposition(|byte| *byte == b'\n') else {
            return Vec::new();
        };
        let rest = self.partial.split_off(end + 1);
        let complete = std::mem::replace(&mut self.partial, rest);
        String::from_utf8_lossy(&complete).lines().map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn only_whole_new_lines_are_read() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        let mut watch = Watch::new(file.path());
        assert!(watch.lines().is_empty());
        file.write_all(b"one\ntw").expect("written");
        assert_eq!(watch.lines(), ["one"]);
        file.write_all(b"o\nthree\n").expect("written");
        assert_eq!(watch.lines(), ["two", "three"]);
        assert!(watch.lines().is_empty());
    }

    #[test]
    fn a_tail_has_the_last_lines() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        (1..=40).for_each(|n| writeln!(file, "line {n}\n").expect("written"));
        let tail = tail(file.path());
        assert_eq!(tail.len(), TAIL);
        assert_eq!(tail.last().map(String::as_str), Some("line 40"));
        assert!(super::tail(Path::new("/nowhere")).is_empty());
    }
}
