//! Versions that no list in prony names: the newest of a line, one that does not exist, and the lock file beside an experiment. Maven
//! is a script here, which holds nothing but the list of versions in a local repository.

use crate::home::{Ended, Home};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The versions of Tomcat that the local repository lists.
const LISTED: [&str; 6] = ["9.0.95", "9.0.98", "9.0.99", "10.1.9", "10.1.58", "11.0.0-M20"];

/// A home whose Maven knows a few versions of Tomcat, and can fetch none of them.
struct Listed {
    home: Home,
    maven: String,
    repository: PathBuf,
}

impl Listed {
    fn new() -> Self {
        let home = Home::empty();
        let refuse = "#!/bin/sh\n\
                      echo call >> \"$0.calls\"\n\
                      case \"$*\" in *LATEST*) exit 0;; esac\n\
                      echo '[ERROR] Could not find artifact org.apache.tomcat:tomcat:tar.gz in central'; exit 1\n";
        let maven = home.file("mvn", refuse);
        fs::set_permissions(&maven, fs::Permissions::from_mode(0o755)).expect("set");
        let repository = Path::new(&maven).with_file_name("repository");
        let folder = repository.join("org/apache/tomcat/tomcat");
        fs::create_dir_all(&folder).expect("made");
        let listed = LISTED.map(|version| format!("<version>{version}</version>")).concat();
        let list = format!("<metadata><versioning><versions>{listed}</versions></versioning></metadata>");
        fs::write(folder.join("maven-metadata-central.xml"), list).expect("written");
        Self { home, maven, repository }
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        let mut prony = self.home.prony(arguments);
        let option = format!("-Dmaven.repo.local={}", self.repository.display());
        prony.env("PRONY_MVN", &self.maven).env("MAVEN_ARGS", option);
        prony.output().expect("prony runs").into()
    }

    /// Whether Maven was called since the last time that this was asked.
    fn was_called(&self) -> bool {
        fs::remove_file(format!("{}.calls", self.maven)).is_ok()
    }

    /// Runs an experiment with these arms, which Maven cannot fetch.
    fn refused(&self, name: &str, arms: &str) -> String {
        let file = self.home.file(name, arms);
        let ended = self.run(&["run", &file, "--starts", "5"]);
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        ended.stderr
    }
}

#[test]
fn a_version_that_does_not_exist_names_the_nearest() {
    let listed = Listed::new();
    let said = listed.refused("f.toml", "arms = [\"tomcat:9.0.97\", \"tomcat:9.0.97,threads=5\"]");
    let nearest = "there is no tomcat:9.0.97; the nearest are tomcat:9.0.95, tomcat:9.0.98, tomcat:9.0.99";
    assert!(said.contains(nearest), "{said}");
    let ended = listed.run(&["compare", "tomcat:8.5", "tomcat:9.0"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("there is no tomcat:8.5; the nearest are tomcat:9.0.95, tomcat:9.0.98"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_line_stands_for_its_newest_release_until_it_is_updated() {
    let listed = Listed::new();
    // 10.1.58 cannot use APR: whether a line can do something shows when its newest version is known, at the latest.
    let arms = "arms = [\"tomcat:9.0.95\",\n\"tomcat:10.1,connector=apr\"]";
    let said = listed.refused("apr.toml", arms);
    assert!(said.contains("has no connector `apr`") && said.contains("apr.toml:2:"), "{said}");
    assert!(!listed.was_called(), "it was refused before anything was fetched");

    let arms = "arms = [\"tomcat:11.0\", \"tomcat:9.0.95\"]";
    let said = listed.refused("f.toml", arms);
    assert!(said.contains("there is no tomcat:11.0;"), "a milestone is no release: {said}");

    let file = listed.home.file("g.toml", "arms = [\"tomcat:10.1\", \"tomcat:9.0.95\"]");
    let lock = Path::new(&file).with_extension("lock");
    fs::write(&lock, "[newest]\n\"tomcat:10.1\" = \"tomcat:10.1.9\"\n").expect("written");
    let ended = listed.run(&["run", &file]);
    assert!(ended.stderr.contains("there is no tomcat:10.1.9"), "{}", ended.stderr);
    let ended = listed.run(&["run", &file, "--update"]);
    assert!(ended.stderr.contains("there is no tomcat:10.1.58"), "{}", ended.stderr);
}

#[test]
fn a_lock_file_that_is_none_is_refused_with_its_name() {
    let listed = Listed::new();
    let file = listed.home.file("f.toml", "arms = [\"tomcat:9.0.98\", \"tomcat:9.0.95\"]");
    fs::write(Path::new(&file).with_extension("lock"), "<<<<<<< main\n").expect("written");
    let ended = listed.run(&["run", &file]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("f.lock is no lock file of prony") && ended.stderr.contains("--update"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_server_is_listed_with_its_versions_and_rules() {
    let listed = Listed::new();
    let text = listed.run(&["catalog", "tomcat"]).stdout;
    assert!(text.contains("  9.0.95 9.0.98 9.0.99\n  10.1.9 10.1.58\n  11.0.0-M20\n"), "{text}");
    assert!(text.contains("changelog of 10.1.0-M5"), "{text}");
    let data: serde_json::Value =
        serde_json::from_str(&listed.run(&["catalog", "tomcat", "--json"]).stdout).expect("JSON");
    assert_eq!(data["versions"].as_array().map(Vec::len), Some(LISTED.len()));
    let ended = listed.run(&["catalog", "tomkat"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("did you mean tomcat?"), "{}", ended.stderr);
}
