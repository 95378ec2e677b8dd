//! [`LockFile`]: what an experiment file stood for when it was first run: the newest version of each line, and the files of each
//! release with their SHA-512. It lies beside the experiment, so that the same file means the same bytes next year.

use crate::failure::Failure;
use ask::available::NewestOfLine;
use say::Say;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use sut::{Files, Pins};

/// The first lines of a lock file.
const HEAD: &str = "# What this experiment runs: the newest version of each line that it names, and the SHA-512 of the files of each\n\
                    # release. prony writes this file; commit it beside the experiment. `prony run FILE --update` writes it anew.\n";

/// The lock file of an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LockFile {
    path: PathBuf,
    content: Content,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    /// The newest releases (`tomcat:10.1.59`) by line (`tomcat:10.1`).
    #[serde(default)]
    newest: BTreeMap<String, String>,
    /// The files of releases.
    #[serde(default)]
    files: BTreeMap<String, Files>,
}

/// What is wrong with a lock file.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum LockComplaint {
    #[say(en = "cannot read the lock file {path}: {error}", zh = "无法读取锁文件 {path}：{error}")]
    Read { path: PathBuf, error: io::Error },
    #[say(
        en = "{path} is no lock file of prony: {problem}",
        zh = "{path} 不是 prony 的锁文件：{problem}",
        hint(
            en = "fetch it again from your repository, or write it anew by --update",
            zh = "请从代码仓库重新取得它，或用 --update 重写"
        )
    )]
    Parse { path: PathBuf, problem: String },
    #[say(en = "cannot write the lock file {path}: {error}", zh = "无法写入锁文件 {path}：{error}")]
    Write { path: PathBuf, error: io::Error },
}

impl LockFile {
    /// Reads the lock file of an experiment file: `mine.lock` beside `mine.toml`. One that does not exist, or that is to be written
    /// anew, locks nothing yet.
    pub(crate) fn beside(experiment: &Path, is_new: bool) -> Result<Self, Failure> {
        let path = experiment.with_extension("lock");
        let content = match fs::read_to_string(&path) {
            _ if is_new => Content::default(),
            Ok(text) => toml::from_str(&text).map_err(|error| {
                let problem = error.message().replace('\n', ", ");
                Failure::usage(LockComplaint::Parse { path: path.clone(), problem })
            })?,
            Err(error) if error.kind() == ErrorKind::NotFound => Content::default(),
            Err(error) => return Err(Failure::usage(LockComplaint::Read { path, error })),
        };
        Ok(Self { path, content })
    }

    /// Returns the newest version of each line that it names.
    pub(crate) fn newest(&self) -> Vec<NewestOfLine> {
        let entry = |(line, release): (&String, &String)| {
            let (server, line) = line.split_once(':')?;
            let (same, version) = release.split_once(':')?;
            (server == same).then(|| NewestOfLine {
                server: server.to_owned(),
                line: line.to_owned(),
                version: version.to_owned(),
            })
        };
        self.content.newest.iter().filter_map(entry).collect()
    }

    /// Returns the files that releases must be made of.
    pub(crate) fn pins(&self) -> Pins {
        Pins(self.content.files.clone())
    }

    /// Locks the newest versions of lines.
    pub(crate) fn lock_newest(&mut self, newest: &[NewestOfLine]) {
        for NewestOfLine { server, line, version } in newest {
            let (line, release) = (format!("{server}:{line}"), format!("{server}:{version}"));
            self.content.newest.insert(line, release);
        }
    }

    /// Writes it with what the arms are made of, if that is not in it already. Entries of arms that did not run stay.
    pub(crate) fn write_with(&self, pins: Pins) -> Result<(), Failure> {
        let mut content = self.content.clone();
        content.files.extend(pins.0);
        let text = content.text();
        if content == Content::default() || fs::read_to_string(&self.path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        fs::write(&self.path, text)
            .map_err(|error| Failure::usage(LockComplaint::Write { path: self.path.clone(), error }))
    }
}

impl Content {
    /// Returns the text of the file. Names of releases and files have nothing that TOML would escape.
    fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        let mut table = |head: &str, entries: &Files| {
            let _ = writeln!(text, "\n[{head}]");
            for (name, value) in entries {
                let _ = writeln!(text, "\"{name}\" = \"{value}\"");
            }
        };
        if !self.newest.is_empty() {
            table("newest", &self.newest);
        }
        for (release, files) in &self.files {
            table(&format!("files.\"{release}\""), files);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use say::Language;

    fn newest() -> NewestOfLine {
        NewestOfLine { server: "tomcat".to_owned(), line: "10.1".to_owned(), version: "10.1.59".to_owned() }
    }

    fn pins(release: &str, sha512: &str) -> Pins {
        let artifact = format!("org.apache.tomcat:{release}:tar.gz");
        let files = Files::from([(artifact, sha512.to_owned())]);
        Pins([(release.to_owned(), files)].into())
    }

    #[test]
    fn what_was_locked_is_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let experiment = folder.path().join("mine.toml");
        let mut lock = LockFile::beside(&experiment, false).expect("none yet");
        assert_eq!((lock.newest(), lock.pins()), (Vec::new(), Pins::default()));
        lock.lock_newest(&[newest()]);
        lock.write_with(pins("tomcat:10.1.59", "ab")).expect("written");
        let text = fs::read_to_string(folder.path().join("mine.lock")).expect("there");
        assert!(text.contains("[newest]\n\"tomcat:10.1\" = \"tomcat:10.1.59\"\n"), "{text}");
        let again = LockFile::beside(&experiment, false).expect("read");
        assert_eq!(again.newest(), [newest()]);
        assert_eq!(again.pins(), pins("tomcat:10.1.59", "ab"));
        // Another arm of the same file is added to it.
        again.write_with(pins("tomcat:9.0.99", "cd")).expect("written");
        let both = LockFile::beside(&experiment, false).expect("read").pins();
        assert_eq!(both.0.len(), 2);
        let anew = LockFile::beside(&experiment, true).expect("not read");
        assert_eq!(anew.pins(), Pins::default());
    }

    #[test]
    fn nothing_to_lock_writes_no_file_and_a_broken_one_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let experiment = folder.path().join("mine.toml");
        let lock = LockFile::beside(&experiment, false).expect("none yet");
        lock.write_with(Pins::default()).expect("nothing to do");
        assert!(!folder.path().join("mine.lock").exists());
        fs::write(folder.path().join("mine.lock"), "[newest\n").expect("written");
        let refused = LockFile::beside(&experiment, false).expect_err("broken");
        let text = refused.text(Language::En);
        assert!(text.contains("mine.lock") && text.contains("--update"), "{text}");
        LockFile::beside(&experiment, true).expect("it is written anew");
    }
}
