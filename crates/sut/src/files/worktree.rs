//! Entries of worktrees in the user's repositories. git keeps such an entry beside its objects; it is removed together with the
//! work folder that has the worktree, also after prony was killed.

use crate::error::{Error, FileAct};
use std::fs;
use std::path::{Path, PathBuf};

/// The file of a work folder that lists the entries.
const LIST: &str = "worktrees";

/// Records that `tree`, in the work folder `work`, is about to become a worktree of the repository with this git folder.
pub(crate) fn record(work: &Path, git_folder: &Path, tree: &Path) -> Result<(), Error> {
    let entry = git_folder.join("worktrees").join(tree.file_name().unwrap_or_default());
    let list = work.join(LIST);
    fs::write(&list, format!("{}\n", entry.display())).map_err(|error| Error::io(FileAct::Write, &list, error))
}

/// Removes the entries that a work folder lists, unless git has given one to another worktree.
pub(crate) fn remove(work: &Path) {
    let list = fs::read_to_string(work.join(LIST)).unwrap_or_default();
    for entry in list.lines().map(PathBuf::from) {
        let points_at = fs::read_to_string(entry.join("gitdir")).unwrap_or_default();
        let name = work.file_name().unwrap_or_default().to_string_lossy();
        if points_at.contains(&format!("/{name}/")) {
            // What is left of it, git prunes by itself some day.
            let _ = fs::remove_dir_all(&entry);
            // git removes this folder with the last entry, too; with others in it, it stays.
            let _ = entry.parent().map(fs::remove_dir);
        }
    }
}
