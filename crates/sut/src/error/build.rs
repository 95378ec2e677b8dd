//! [`BuildError`]: why the user's own WAR or jar could not be built.

use std::path::PathBuf;

/// Why the user's own WAR or jar could not be built. `revision` is what the arm asks for; without one, the user's folder was to be
/// built as it is.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// git is not installed.
    #[error("git is not installed")]
    NoGit,
    /// The folder is in no repository.
    #[error("{} is in no git repository", .folder.display())]
    NoRepository { folder: PathBuf },
    /// The folder is a repository without a working tree.
    #[error("{} is a bare repository, which has no files to build", .folder.display())]
    Bare { folder: PathBuf },
    /// Several things in the repository have the name of the revision.
    #[error("`{revision}` is ambiguous: {}", .meanings.join(", "))]
    Ambiguous {
        /// What was asked for.
        revision: String,
        /// What it may stand for, each by a name that is not ambiguous.
        meanings: Vec<String>,
    },
    /// git refuses a command.
    #[error("git cannot {task}{}", super::first_line(.lines))]
    Git {
        /// What it was to do.
        task: GitTask,
        lines: Vec<String>,
    },
    /// The repository has no such revision.
    #[error("the repository {} has no revision `{revision}`", .repository.display())]
    UnknownRevision {
        repository: PathBuf,
        /// What was asked for.
        revision: String,
        /// The revision that was probably meant.
        nearest: Option<String>,
        /// Whether the repository lacks a part of its history.
        shallow: bool,
    },
    /// The user's folder has changes that are in no commit, and its commit was to be built.
    #[error("`{revision}` lacks the changes that are not committed: {}{}", .files.join(", "), and_more(*.more))]
    Uncommitted {
        /// What was asked for.
        revision: String,
        /// The first changed files.
        files: Vec<String>,
        /// The number of further changed files.
        more: usize,
    },
    /// The submodules of a revision cannot be fetched.
    #[error("the submodules of `{revision}` cannot be checked out{}", super::first_line(.lines))]
    Submodules {
        /// What was asked for.
        revision: String,
        /// What git wrote.
        lines: Vec<String>,
    },
    /// There is no command, and nothing from which it could be guessed.
    #[error("nothing tells how to build {}: there is neither a pom.xml nor a build.gradle", shown(.revision, "the folder"))]
    NoBuildTool {
        /// What was asked for.
        revision: Option<String>,
    },
    /// The file is not in the repository, so it is the same for all revisions.
    #[error("{} is not in the repository, so it cannot be built from a revision", .file.display())]
    Outside { file: PathBuf },
    /// The command of the build failed.
    #[error("the build{} failed: `{command}` ended with {status}", of(.revision))]
    Failed {
        /// What was asked for.
        revision: Option<String>,
        command: String,
        status: String,
        /// The end of its output.
        lines: Vec<String>,
    },
    /// The build did not make the file.
    #[error("the build{} made no {}", of(.revision), .file.display())]
    NoFile {
        /// What was asked for.
        revision: Option<String>,
        file: PathBuf,
        /// The WARs and jars that are in its place.
        present: Vec<String>,
    },
    /// A pattern stands for several files of the build.
    #[error("the build{} made several files that are called {}: {}", of(.revision), .pattern.display(), .found.join(", "))]
    SeveralFiles {
        /// What was asked for.
        revision: Option<String>,
        pattern: PathBuf,
        /// The files.
        found: Vec<String>,
    },
}

/// What git was to do; completes "git cannot …".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GitTask {
    /// To find the repository around a folder.
    #[error("open the repository")]
    Open,
    /// To tell the id of a revision, or which files are changed.
    #[error("read the repository")]
    Read,
    /// To check a revision out into a folder.
    #[error("check the revision out")]
    CheckOut,
}

impl BuildError {
    /// Whether the user asked for something that does not exist.
    pub const fn is_usage(&self) -> bool {
        !matches!(
            self,
            Self::NoGit | Self::Git { .. } | Self::Submodules { .. } | Self::Failed { .. }
        )
    }

    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NoGit => "install it (Debian: apt-get install git)".to_owned(),
            Self::NoRepository { .. } => {
                "`git` builds a revision of the repository around the file, or around the folder in which prony is started".to_owned()
            }
            Self::Bare { folder } => format!("start prony in a clone: git clone {} shop", folder.display()),
            Self::Ambiguous { .. } => "write the one that is meant".to_owned(),
            Self::Git { .. } => "run the same with git to see all of its output".to_owned(),
            Self::UnknownRevision { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::UnknownRevision { shallow: true, .. } => {
                "this clone has only a part of the history: `git fetch --unshallow`; for actions/checkout, fetch-depth: 0".to_owned()
            }
            Self::UnknownRevision { .. } => "`git branch -a` and `git tag` list what there is, `git fetch` gets what is new".to_owned(),
            Self::Uncommitted { .. } => {
                "commit or stash them, or name the commit by its id; an arm with `build` and without `git` is built from the folder as it is".to_owned()
            }
            Self::Submodules { .. } => {
                "`git submodule update --init --recursive` in a fresh clone shows the same; or build each revision by hand, and name the files".to_owned()
            }
            Self::NoBuildTool { .. } => "name the command: build = \"…\"".to_owned(),
            Self::Outside { .. } => "write the path relative to the file, or to the folder in which prony is started".to_owned(),
            Self::Failed { revision: Some(revision), .. } => {
                format!("to run it by hand: git worktree add /tmp/x {revision}, and run the command there")
            }
            Self::Failed { .. } => "run the command by hand to see all of its output".to_owned(),
            Self::NoFile { present, .. } if present.is_empty() => "name the file that the command makes".to_owned(),
            Self::NoFile { present, .. } => format!("there is {}; a name may have a *: target/*.war", present.join(", ")),
            Self::SeveralFiles { .. } => "name one of them, or write a pattern that only one has".to_owned(),
        }
    }

    /// What the tool wrote, beyond the line that the message has.
    pub(super) fn log(&self) -> &[String] {
        match self {
            Self::Failed { lines, .. } => lines,
            Self::Git { lines, .. } | Self::Submodules { lines, .. } => lines.get(1..).unwrap_or_default(),
            _ => &[],
        }
    }
}

fn of(revision: &Option<String>) -> String {
    revision
        .as_ref()
        .map_or_else(String::new, |revision| format!(" of `{revision}`"))
}

fn shown(revision: &Option<String>, otherwise: &str) -> String {
    revision
        .as_ref()
        .map_or_else(|| otherwise.to_owned(), |revision| format!("`{revision}`"))
}

fn and_more(more: usize) -> String {
    match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}
