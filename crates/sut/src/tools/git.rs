//! [`Repository`]: the git repository around a folder of the user's, its revisions, and worktrees of them.
//!
//! Nothing in the user's folders is changed. A worktree is in a work folder of prony, and the entry of it in the
//! repository goes with that folder.

use crate::error::{BuildError, Error, FileAct, GitTask};
use crate::files::worktree;
use crate::tools::site::Job;
use crate::tools::tool;
use ask::build::Revision;
use ask::diagnostic::nearest;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The number of changed files that an error names.
const MOST_FILES: usize = 3;
/// The number of lines of git's output that an error keeps.
const MOST_LINES: usize = 6;
/// Variables by which git is told another repository than the one around a folder. They are set while a hook runs.
const VARIABLES: [&str; 5] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"];
/// The user's hooks are for the user's own checkouts.
const WITHOUT_HOOKS: [&str; 2] = ["-c", "core.hooksPath=/dev/null"];

/// The repository around a folder.
#[derive(Debug)]
pub(crate) struct Repository {
    git: PathBuf,
    /// The root of the user's working tree.
    pub(crate) root: PathBuf,
    /// The folder, relative to the root.
    pub(crate) prefix: PathBuf,
}

impl Repository {
    /// The repository around this folder.
    pub(crate) fn around(folder: &Path) -> Result<Self, Error> {
        let git = tool::find("git".as_ref()).ok_or(BuildError::NoGit)?;
        let output = run(&git, folder, &["rev-parse", "--show-toplevel", "--show-prefix"])?;
        let refusal = String::from_utf8_lossy(&output.stderr);
        let folder = folder.to_owned();
        if refusal.contains("not a git repository") {
            return Err(BuildError::NoRepository { folder }.into());
        }
        if refusal.contains("must be run in a work tree") {
            return Err(BuildError::Bare { folder }.into());
        }
        let text = printed(output, GitTask::Open)?;
        let mut lines = text.lines().map(PathBuf::from);
        Ok(Self { git, root: lines.next().unwrap_or_default(), prefix: lines.next().unwrap_or_default() })
    }

    /// The commit that a revision stands for, and its tree.
    pub(crate) fn resolve(&self, revision: &str) -> Result<Revision, Error> {
        let commit = self.object(&format!("{revision}^{{commit}}"))?;
        let meanings = self.meanings(revision)?;
        if meanings.len() > 1 {
            let revision = revision.to_owned();
            return Err(BuildError::Ambiguous { revision, meanings }.into());
        }
        let Some(commit) = commit else {
            return Err(self.unknown(revision)?.into());
        };
        let tree = self.object(&format!("{commit}^{{tree}}"))?;
        let tree = tree.unwrap_or_default();
        Ok(Revision { commit, tree })
    }

    /// Fails if the user has changed files since this commit, and it is the one that is checked out: its build would lack what
    /// the user sees.
    pub(crate) fn check_committed(&self, asked: &str, revision: &Revision) -> Result<(), Error> {
        if self.object("HEAD")?.as_ref() != Some(&revision.commit) {
            return Ok(());
        }
        let status = ["status", "--porcelain", "--untracked-files=no"];
        let text = printed(run(&self.git, &self.root, &status)?, GitTask::Read)?;
        // Each line is two letters, a space and the name.
        let mut files: Vec<String> =
            text.lines().filter_map(|line| line.get(3..)).map(str::to_owned).collect();
        if files.is_empty() {
            return Ok(());
        }
        let more = files.len().saturating_sub(MOST_FILES);
        files.truncate(MOST_FILES);
        let revision = asked.to_owned();
        Err(BuildError::Uncommitted { revision, files, more }.into())
    }

    /// Checks a revision out into the work folder of a job, with its submodules. Returns the root of its files.
    pub(crate) fn check_out(
        &self,
        asked: &str,
        revision: &Revision,
        job: &Job<'_>,
    ) -> Result<PathBuf, Error> {
        let name = job.work.path().file_name().unwrap_or_default().to_string_lossy();
        // The name of the entry in the repository; it is recorded before git makes it.
        let tree = job.work.path().join(format!("prony-{name}"));
        worktree::record(job.work.path(), &self.common_folder()?, &tree)?;
        let path = tree.to_string_lossy();
        let add = ["worktree", "add", "--quiet", "--detach", &path, &revision.commit];
        self.run_long(&self.root, &add, job, |lines| BuildError::Git { task: GitTask::CheckOut, lines })?;
        if tree.join(".gitmodules").is_file() {
            // With `--init` git would enter the submodules into the configuration of the user's repository.
            let active = ["-c", "submodule.active=."];
            let update = ["submodule", "--quiet", "update", "--recursive"];
            let update = [&active[..], &update].concat();
            self.run_long(&tree, &update, job, |lines| BuildError::Submodules {
                revision: asked.to_owned(),
                lines,
            })?;
        }
        // Without links in its path, so that paths below it can be compared with it.
        tree.canonicalize().map_err(|error| Error::io(FileAct::Read, &tree, error))
    }

    /// Returns the files of the working tree that git does not ignore, with those that it does not know yet, relative to the root.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>, Error> {
        self.listed(&["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    }

    /// Returns the files that git knows and that the user has removed, relative to the root.
    pub(crate) fn removed(&self) -> Result<Vec<PathBuf>, Error> {
        self.listed(&["ls-files", "-z", "--deleted"])
    }

    fn listed(&self, words: &[&str]) -> Result<Vec<PathBuf>, Error> {
        let text = printed(run(&self.git, &self.root, words)?, GitTask::Read)?;
        Ok(text.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect())
    }

    /// What a revision may stand for, if git finds that it is ambiguous: a branch and a tag of one name, or commits whose ids begin alike.
    /// Empty if it is not.
    fn meanings(&self, revision: &str) -> Result<Vec<String>, Error> {
        let output = run(&self.git, &self.root, &["rev-parse", "--verify", revision])?;
        let told = String::from_utf8_lossy(&output.stderr);
        if !told.contains(" is ambiguous") {
            return Ok(Vec::new());
        }
        // hint:   ef5a9f8 commit 2024-05-01 - Load prices once
        let commits = told.lines().filter_map(|line| line.strip_prefix("hint:   "));
        let commits = commits.filter(|line| line.contains(" commit ")).map(str::to_owned);
        let name = revision.split(['~', '^', '@', ':']).next().unwrap_or(revision);
        let folders = ["refs/heads/", "refs/tags/", "refs/remotes/"];
        let patterns = folders.map(|folder| format!("{folder}{name}"));
        let list = ["for-each-ref", "--format=%(refname)", &patterns[0], &patterns[1], &patterns[2]];
        let names = printed(run(&self.git, &self.root, &list)?, GitTask::Read)?;
        let is_whole = |line: &&str| patterns.iter().any(|pattern| pattern == line);
        let names = names.lines().filter(is_whole).map(str::to_owned);
        Ok(names.chain(commits).collect())
    }

    /// The id of an object; `None` if there is none of this name.
    fn object(&self, name: &str) -> Result<Option<String>, Error> {
        let output = run(&self.git, &self.root, &["rev-parse", "--verify", "--quiet", name])?;
        let id = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Ok(output.status.success().then_some(id))
    }

    /// The folder with the entries of all worktrees.
    fn common_folder(&self) -> Result<PathBuf, Error> {
        let output = run(&self.git, &self.root, &["rev-parse", "--git-common-dir"])?;
        Ok(self.root.join(printed(output, GitTask::Read)?.trim()))
    }

    fn unknown(&self, revision: &str) -> Result<BuildError, Error> {
        let list = ["for-each-ref", "--format=%(refname:short)"];
        let names = printed(run(&self.git, &self.root, &list)?, GitTask::Read)?;
        // A fresh clone has only one branch of its own; the other branches are the remote's.
        let of_remote =
            names.lines().find(|name| name.split_once('/').is_some_and(|(_, name)| name == revision));
        let shallow = run(&self.git, &self.root, &["rev-parse", "--is-shallow-repository"])?;
        Ok(BuildError::UnknownRevision {
            repository: self.root.clone(),
            revision: revision.to_owned(),
            nearest: of_remote.or_else(|| nearest(revision, names.lines())).map(str::to_owned),
            shallow: shallow.stdout.starts_with(b"true"),
        })
    }

    /// Runs a command of git that may take long, under guard.
    fn run_long(
        &self,
        folder: &Path,
        words: &[&str],
        job: &Job<'_>,
        error: impl Fn(Vec<String>) -> BuildError,
    ) -> Result<(), Error> {
        let mut command = job.site.guard.command(&self.git);
        command.args(WITHOUT_HOOKS).args(words).current_dir(folder);
        without_repository(&mut command);
        let finished = tool::run(command, job.work, job.stop, None)?;
        if finished.status.success() {
            return Ok(());
        }
        Err(error(relevant(&finished.output)).into())
    }
}

/// Takes the variables out of the environment of a command that would lead git to another repository.
pub(crate) fn without_repository(command: &mut Command) {
    for variable in VARIABLES {
        command.env_remove(variable);
    }
}

fn run(git: &Path, folder: &Path, words: &[&str]) -> Result<Output, Error> {
    let mut command = Command::new(git);
    // Its messages are looked for words, and a look must not lock the user's index.
    command.env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0");
    without_repository(&mut command);
    let output = command.args(words).current_dir(folder).stdin(Stdio::null()).output();
    output.map_err(|error| Error::io(FileAct::Start, git, error))
}

/// What a command of git wrote to stdout; an error if it failed.
fn printed(output: Output, task: GitTask) -> Result<String, Error> {
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let lines = relevant(&String::from_utf8_lossy(&output.stderr));
    Err(BuildError::Git { task, lines }.into())
}

/// The lines that tell what is wrong: those that git marks as errors come first.
fn relevant(output: &str) -> Vec<String> {
    let is_error = |line: &&str| line.starts_with("fatal:") || line.starts_with("error:");
    let (errors, others): (Vec<&str>, Vec<&str>) =
        output.lines().map(str::trim).filter(|line| !line.is_empty()).partition(is_error);
    let lines = errors.into_iter().chain(others).take(MOST_LINES);
    lines.map(str::to_owned).collect()
}
