//! [`JtlFile`]: a file of JMeter's results that grows while a run lasts.

use crate::failure::Failure;
use crate::files::FileComplaint;
use crate::outgoing::Trouble;
use crate::sinks::kind::{BadAddress, Place, Rest, Sending, SinkKind};
use crate::sinks::point::Source;
use report::slices::jtl;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(super) const KIND: SinkKind = SinkKind {
    name: "jtl",
    example: "FILE",
    takes_verdicts: false,
    takes_traces: false,
    place: |path| match path {
        "" => Err(BadAddress::NoAddress),
        path => Ok(Box::new(FilePlace(path.into()))),
    },
};

/// The most lines of a slice: to write every request of a fast server would take CPU time from it.
const MOST_LINES: u64 = 1000;

struct FilePlace(PathBuf);

impl fmt::Display for FilePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in {}", self.0.display())
    }
}

impl Place for FilePlace {
    fn open(&self, _authorization: Option<&str>) -> Result<Box<dyn Sending>, Failure> {
        Ok(Box::new(JtlFile::open(&self.0)?))
    }
}

/// A file that was opened for appending, as JMeter does with its own.
struct JtlFile {
    file: File,
}

impl JtlFile {
    /// Opens or makes the file; an empty one gets its header.
    fn open(path: &Path) -> Result<Self, Failure> {
        let open = || {
            let mut file = File::options().append(true).create(true).open(path)?;
            if file.metadata()?.len() == 0 {
                file.write_all(jtl::HEADER.as_bytes())?;
            }
            Ok(file)
        };
        let file = open().map_err(|source: io::Error| {
            let path = path.to_owned();
            Failure::usage(FileComplaint::Unwritable { path, source })
        });
        Ok(Self { file: file? })
    }
}

impl Sending for JtlFile {
    /// Appends the requests of slices, all or none.
    fn send(&mut self, batch: &[Source]) -> Result<Option<Rest>, Trouble> {
        let lines: String = batch.iter().filter_map(lines).collect();
        let mut append = || {
            let length = self.file.metadata()?.len();
            let written = self.file.write_all(lines.as_bytes());
            if written.is_err() {
                // Half a line would make the whole file unreadable.
                self.file.set_len(length)?;
            }
            written
        };
        let sent = append().map(|()| None);
        sent.map_err(|source: io::Error| Trouble::Unwritable(source.to_string()))
    }
}

fn lines(source: &Source) -> Option<String> {
    match source {
        Source::Slice(labels, slice) => Some(jtl::lines(labels.slice_names(slice), slice, MOST_LINES)),
        Source::Verdict(..) | Source::Trace(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinks::point::RunLabels;
    use record::outcome::Counts;
    use record::rounds::SliceRecord;
    use std::sync::Arc;

    /// A slice with this number of requests, all of them faults, whose times are not stored.
    fn slice(requests: u64) -> Source {
        let slice = SliceRecord {
            elapsed_ns: 1_000_000_000,
            counts: Counts { requests, faults: [("reset".to_owned(), requests)].into(), ..Counts::default() },
            ..SliceRecord::default()
        };
        Source::slice(&Arc::new(RunLabels::default()), &slice)
    }

    #[test]
    fn a_slice_has_at_most_a_thousand_lines_and_the_label_says_which() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.jtl");
        let mut file = JtlFile::open(&path).expect("a file");
        file.send(&[slice(1000), slice(25_000)]).expect("written");
        let mut again = JtlFile::open(&path).expect("a file");
        again.send(&[slice(10)]).expect("written");
        let text = std::fs::read_to_string(path).expect("a file");
        assert_eq!(text.matches("timeStamp").count(), 1, "one header");
        assert_eq!(text.lines().count(), 1 + 1000 + 250 + 10);
        assert_eq!(text.matches("(1 in 100)").count(), 250);
    }

    #[test]
    fn a_full_disk_is_trouble() {
        let file = File::options().append(true).open("/dev/full").expect("a file");
        let trouble = JtlFile { file }.send(&[slice(10)]).expect_err("it is full");
        assert!(matches!(trouble, Trouble::Unwritable(_)), "{trouble:?}");
        assert!(JtlFile::open(Path::new("/dev/full")).is_err());
    }
}
