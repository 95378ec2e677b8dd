//! Builds of the user's own: from a revision of a repository, and from a folder as it is.

use crate::common::{GO_ON, guard};
use ask::build::{Build, Built};
use record::step::Step;
use say::Language;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use sut::build::{BuildRequest, build};
use sut::{BuildError, Error, Site};

/// A command that makes target/app.jar from the file `app`, and notes each time that it runs.
const MAKE: &str = "mkdir -p target && cp app target/app.jar && echo built >> \"$NOTES\"";

fn hint(error: &BuildError) -> String {
    say::hint(error, Language::En).expect("a hint")
}

/// A repository of a user, and an empty cache.
struct User {
    folder: tempfile::TempDir,
    site: Site,
}

impl User {
    /// A user with a repository whose only commit has this text in the file `app`.
    fn new(app: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let site = Site { guard: guard(), ..Site::new(folder.path().join("cache")) };
        let user = Self { folder, site };
        fs::create_dir(user.repository()).expect("made");
        user.git(&["init", "--quiet", "--initial-branch=main"]);
        user.commit(app);
        user
    }

    fn repository(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    fn git(&self, words: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args([
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.org",
            "-c",
            "protocol.file.allow=always",
        ]);
        let output = command.args(words).current_dir(self.repository()).output().expect("git runs");
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.repository().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, text).expect("written");
        path
    }

    /// Commits another text in the file `app`.
    fn commit(&self, app: &str) {
        self.write("app", app);
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "--message", app]);
    }

    /// How often the command has run.
    fn runs(&self) -> usize {
        fs::read_to_string(self.notes()).map_or(0, |text| text.lines().count())
    }

    fn notes(&self) -> PathBuf {
        self.folder.path().join("notes")
    }

    fn command(&self) -> String {
        MAKE.replace("$NOTES", &self.notes().display().to_string())
    }

    /// Builds `target/app.jar` by the usual command of these tests.
    fn build(&self, git: Option<&str>) -> Result<Built, Error> {
        self.build_by(Some(&self.command()), git, "target/app.jar")
    }

    fn build_by(&self, command: Option<&str>, git: Option<&str>, file: &str) -> Result<Built, Error> {
        let build = Build { command: command.map(str::to_owned), git: git.map(str::to_owned), built: None };
        let folder = self.repository();
        self.request(&build, file, &folder, &GO_ON, &mut |_| {})
    }

    fn request(
        &self,
        how: &Build,
        file: &str,
        folder: &Path,
        stop: &AtomicBool,
        on_step: &mut dyn FnMut(Step),
    ) -> Result<Built, Error> {
        let request = BuildRequest { build: how, file: Path::new(file), folder, is_shared: false };
        build(request, &self.site, stop, on_step)
    }

    /// Builds the folder as it is in a copy of its own.
    fn build_copy(&self, command: &str) -> Result<Built, Error> {
        let how = Build { command: Some(command.to_owned()), ..Build::default() };
        let folder = self.repository();
        let request =
            BuildRequest { build: &how, file: Path::new("target/app.jar"), folder: &folder, is_shared: true };
        build(request, &self.site, &GO_ON, &mut |_| {})
    }

    fn refused(&self, command: Option<&str>, git: Option<&str>, file: &str) -> BuildError {
        match self.build_by(command, git, file) {
            Err(Error::Build(error)) => error,
            other => panic!("{other:?}"),
        }
    }

    /// Checks that nothing was left in the user's repository, nor in the work folders of prony.
    fn assert_untouched(&self) {
        assert_eq!(self.git(&["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
        assert!(!self.repository().join(".git/worktrees").exists());
        assert!(!self.repository().join("target").exists());
        let work = fs::read_dir(self.site.cache.join("work")).expect("a folder").flatten();
        let left: Vec<_> = work.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

fn text(built: &Built) -> String {
    fs::read_to_string(&built.file).expect("read")
}

#[test]
fn revisions_are_built_elsewhere_and_kept_by_their_tree() {
    let user = User::new("one");
    user.commit("two");
    user.git(&["tag", "second"]);
    let [one, two] = ["HEAD~1", "main"].map(|revision| user.build(Some(revision)).expect("built"));
    assert_eq!((text(&one).as_str(), text(&two).as_str()), ("one", "two"));
    assert_eq!(one.file.file_name(), two.file.file_name());
    let commit = two.revision.expect("a revision").commit;
    assert_eq!(commit, user.git(&["rev-parse", "HEAD"]));
    assert_eq!(user.runs(), 2);
    user.assert_untouched();

    // A commit with the same files is the same, whatever it is called.
    user.commit("one");
    let again = user.build(Some("HEAD")).expect("kept");
    assert_eq!((again.file, user.runs()), (one.file, 2));
    user.build(Some("second")).expect("kept");
    assert_eq!(user.runs(), 2);
    let other = format!("{} && true", user.command());
    user.build_by(Some(&other), Some("second"), "target/app.jar").expect("built");
    assert_eq!(user.runs(), 3, "another command may make something else");
}

#[test]
fn a_folder_is_built_as_it_is_and_its_file_is_copied() {
    let user = User::new("one");
    user.write("app", "changed");
    let changed = user.build(None).expect("built");
    user.write("app", "again");
    let again = user.build(None).expect("built");
    assert_eq!((text(&changed).as_str(), text(&again).as_str()), ("changed", "again"));
    assert_eq!((changed.revision, user.runs()), (None, 2));
}

#[test]
fn builds_of_one_folder_find_nothing_of_each_other_and_are_kept_until_a_file_changes() {
    let user = User::new("one");
    user.write("app", "changed");
    user.write("new", "not known to git");
    user.write("gone", "");
    user.git(&["add", "gone"]);
    user.git(&["commit", "--quiet", "--message", "gone", "gone"]);
    fs::remove_file(user.repository().join("gone")).expect("removed");
    let list =
        "ls > listed && ls target >> listed 2> /dev/null; mkdir -p target && cat listed app > target/app.jar";
    let command = |profile: &str| {
        format!("echo run >> '{}'; {list}; echo {profile} >> target/app.jar", user.notes().display())
    };
    let [fast, slow] = ["fast", "slow"].map(|profile| user.build_copy(&command(profile)).expect("built"));
    assert_eq!(text(&fast), "app\nlisted\nnew\nchangedfast\n");
    assert_eq!(text(&slow), "app\nlisted\nnew\nchangedslow\n");
    user.assert_untouched();
    assert_eq!(user.runs(), 2);
    assert_eq!(user.build_copy(&command("slow")).expect("kept").file, slow.file);
    assert_eq!(user.runs(), 2);
    user.write("new", "changed, too");
    user.build_copy(&command("slow")).expect("built");
    assert_eq!(user.runs(), 3);
}

#[test]
fn changes_that_are_not_committed_are_refused_only_where_they_are_missed() {
    let user = User::new("one");
    user.commit("two");
    user.write("app", "three");
    user.write("notes.txt", "git does not know this file");
    for name in ["HEAD", "main"] {
        let refused = user.refused(Some("true"), Some(name), "target/app.jar").to_string();
        assert_eq!(refused, format!("`{name}` lacks the changes that are not committed: app"));
    }
    assert_eq!(text(&user.build(Some("HEAD~1")).expect("another commit")), "one");
    let commit = user.git(&["rev-parse", "--short", "HEAD"]);
    assert_eq!(text(&user.build(Some(&commit)).expect("named by its id")), "two");
}

#[test]
fn what_does_not_exist_is_named_with_what_does() {
    let user = User::new("one");
    user.git(&["branch", "feature/fast"]);
    let nearest = |revision: &str| match user.refused(Some("true"), Some(revision), "target/app.jar") {
        BuildError::UnknownRevision { nearest, shallow, .. } => (nearest, shallow),
        other => panic!("{other}"),
    };
    assert_eq!(nearest("mai"), (Some("main".to_owned()), false));
    assert_eq!(nearest("fast"), (Some("feature/fast".to_owned()), false));
    assert_eq!(nearest("v1.2.3"), (None, false));

    let make = "mkdir -p target && echo 1 | tee target/app-1.jar target/app-2.jar > target/app.txt";
    let missing = user.refused(Some(make), Some("main"), "target/app.jar");
    assert_eq!(missing.to_string(), "the build of `main` made no target/app.jar");
    assert!(hint(&missing).contains("target/app-1.jar, target/app-2.jar"), "{}", hint(&missing));
    let several = user.refused(Some(make), Some("main"), "target/app-*.jar").to_string();
    assert!(several.ends_with("app-1.jar, app-2.jar"), "{several}");
    let built = user.build_by(Some(make), Some("main"), "target/*2.jar").expect("one");
    assert!(built.file.ends_with("app-2.jar"), "{built:?}");

    let outside = user.refused(Some("true"), Some("main"), "../target/app.jar");
    assert!(matches!(outside, BuildError::Outside { .. }), "{outside}");
    let outside = user.refused(Some("true"), Some("main"), "/target/app.jar");
    assert!(matches!(outside, BuildError::Outside { .. }), "{outside}");
    let unknown = user.refused(None, Some("main"), "target/app.jar");
    assert!(matches!(unknown, BuildError::NoBuildTool { .. }), "{unknown}");
    user.assert_untouched();
}

#[test]
fn a_name_of_a_tag_and_of_a_branch_is_ambiguous() {
    let user = User::new("one");
    user.git(&["branch", "v2"]);
    user.commit("two");
    user.git(&["tag", "v2"]);
    for asked in ["v2", "v2~0"] {
        let refused = user.refused(Some("true"), Some(asked), "target/app.jar");
        assert_eq!(refused.to_string(), format!("`{asked}` is ambiguous: refs/heads/v2, refs/tags/v2"));
    }
    assert_eq!(text(&user.build(Some("heads/v2")).expect("the branch")), "one");
    assert_eq!(text(&user.build(Some("refs/tags/v2")).expect("the tag")), "two");
}

#[test]
fn a_folder_without_files_of_a_repository_has_no_revisions() {
    let user = User::new("one");
    let refused = |folder: &Path| {
        let how = Build { git: Some("main".to_owned()), ..Build::default() };
        let refused = user.request(&how, "app.jar", folder, &GO_ON, &mut |_| {});
        refused.expect_err("no files").to_string()
    };
    let outside = refused(user.folder.path());
    assert!(outside.ends_with("is in no git repository"), "{outside}");
    user.git(&["clone", "--quiet", "--bare", ".", "../bare.git"]);
    let bare = refused(&user.folder.path().join("bare.git"));
    assert!(bare.ends_with("is a bare repository, which has no files to build"), "{bare}");
}

#[test]
fn a_file_that_was_built_elsewhere_is_named() {
    let user = User::new("one");
    let make = "mkdir -p build/libs && cp app build/libs/app.jar";
    let missing = user.refused(Some(make), Some("main"), "target/app.jar");
    assert!(hint(&missing).starts_with("there is build/libs/app.jar; "), "{}", hint(&missing));
}

#[test]
fn a_wrapper_that_is_not_executable_is_run_by_a_shell() {
    let user = User::new("one");
    user.write("mvnw", "mkdir -p target && cp app target/app.jar");
    user.write("pom.xml", "");
    user.commit("two");
    let built = user.build_by(None, Some("main"), "target/app.jar").expect("built");
    assert_eq!(
        (text(&built).as_str(), built.command.as_str()),
        ("two", "sh ./mvnw -q -B -DskipTests package")
    );
}

#[test]
fn a_failed_build_shows_its_end_and_keeps_nothing() {
    let user = User::new("one");
    let command = "echo first; seq 20; echo 'App.java:3: error: ; expected' >&2; exit 3";
    let failed = user.build_by(Some(command), Some("main"), "target/app.jar").expect_err("it fails");
    let message = failed.to_string();
    assert!(message.starts_with("the build of `main` failed: `echo first"), "{message}");
    assert!(message.ends_with("ended with exit status: 3"), "{message}");
    assert_eq!(failed.log().last().map(String::as_str), Some("App.java:3: error: ; expected"));
    assert!(failed.log().len() == 12 && failed.hint().is_some(), "{:?}", failed.log());
    user.assert_untouched();
    assert!(!user.site.cache.join("builds").exists());
}

#[test]
fn a_build_ends_when_the_user_ends_it() {
    let user = User::new("one");
    let how = Build { command: Some("sleep 600".to_owned()), git: Some("main".to_owned()), built: None };
    let stop = AtomicBool::new(false);
    let mut began = |step: Step| {
        assert!(matches!(step, Step::BuildingOwn { revision: Some(_), .. }), "{step:?}");
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    };
    let folder = user.repository();
    let ended = user.request(&how, "target/app.jar", &folder, &stop, &mut began);
    assert!(matches!(ended, Err(Error::Interrupted)), "{ended:?}");
    user.assert_untouched();
}

#[test]
fn submodules_are_checked_out_or_the_reason_is_told() {
    let user = User::new("one");
    let library = User::new("library");
    let url = library.repository().display().to_string();
    user.git(&["submodule", "--quiet", "add", &url, "lib"]);
    user.git(&["commit", "--quiet", "--message", "library"]);
    drop(library);
    let refused = user.refused(Some("true"), Some("main"), "lib/app");
    let message = refused.to_string();
    assert!(message.starts_with("the submodules of `main` cannot be checked out: "), "{message}");
    assert!(message.contains("fatal: repository"), "{message}");
    user.assert_untouched();
    assert_eq!(text(&user.build(Some("HEAD~1")).expect("it has none")), "one");
}

#[test]
fn the_tool_of_the_project_builds_it_from_any_folder() {
    let user = User::new("one");
    // A wrapper that fails unless it is asked for what a build needs, and without a process that stays.
    let gradlew = "#!/bin/sh\ncase \"$GRADLE_OPTS\" in *daemon=false*) ;; *) exit 9;; esac\n\
                   test \"$1 $2 $3\" = '-q --console=plain assemble' && mkdir -p build && cp ../app build/app.jar\n";
    let path = user.write("gradlew", gradlew);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("set");
    user.write("shop/build.gradle.kts", "");
    user.write("shop/perf/gate.toml", "");
    user.commit("two");
    let how = Build { git: Some("main".to_owned()), ..Build::default() };
    let folder = user.repository().join("shop/perf");
    let built = user.request(&how, "../build/app.jar", &folder, &GO_ON, &mut |_| {});
    let built = built.expect("built");
    assert_eq!(
        (text(&built).as_str(), built.command.as_str()),
        ("two", "../gradlew -q --console=plain assemble")
    );
}
