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
    fs::write(&list, format!("{}\n", entry.display()))
        .map_err(|error| Error::io(FileAct::Write, &list, error))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_goes_with_its_work_folder_and_those_of_others_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let work = folder.path().join("work/12-0-abc");
        let git = folder.path().join("git");
        fs::create_dir_all(&work).expect("made");
        for (name, tree) in [("prony-12-0-abc", work.join("tree/.git")), ("mine", "/home/mine/.git".into())] {
            let entry = git.join("worktrees").join(name);
            fs::create_dir_all(&entry).expect("made");
            fs::write(entry.join("gitdir"), tree.display().to_string()).expect("written");
        }
        let entries = || fs::read_dir(git.join("worktrees")).expect("a folder").count();
        record(&work, &git, &work.join("mine")).expect("recorded");
        remove(&work);
        assert_eq!(entries(), 2, "git has given the name to another worktree");
        record(&work, &git, &work.join("prony-12-0-abc")).expect("recorded");
        remove(&work);
        assert_eq!(entries(), 1);
    }
}
