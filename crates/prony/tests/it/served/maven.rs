//! The Maven plugin of integrations/maven in real builds: its answers decide whether projects are built.

use crate::home::Home;
use std::fs;
use std::path::{Path, PathBuf};

/// Creates a folder with the plugin and the two projects that use it, as modules of one build.
fn projects(home: &Home) -> PathBuf {
    let folder = home.cache().join("maven");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    copy(&here.join("tests/it/maven"), &folder);
    copy(&here.join("../../integrations/maven"), &folder.join("plugin"));
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            // What a developer has built there is not taken for what the test builds.
            true if entry.file_name() == "target" => (),
            true => copy(&path, &target),
            false => drop(fs::copy(&path, &target).expect("copied")),
        }
    }
}

/// Runs Maven in the folder; returns whether the build succeeds, and its output.
fn maven(home: &Home, folder: &Path, arguments: &[&str]) -> (bool, String) {
    let program = format!("-Dprony.program={}", env!("CARGO_BIN_EXE_prony"));
    let mut words = vec!["--batch-mode", "--fail-at-end", &program];
    words.extend(arguments);
    let mvn = std::env::var("PRONY_MVN").unwrap_or_else(|_| "mvn".to_owned());
    let output = home
        .command(&mvn, &words)
        .current_dir(folder)
        .output()
        .expect("Maven runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success(), text)
}

#[test]
fn the_goal_fails_a_maven_build_by_the_gate() {
    let home = Home::with_downloads();
    let folder = projects(&home);
    let (success, output) = maven(&home, &folder, &["verify"]);
    assert!(!success, "{output}");
    assert!(
        output.contains("shop-jar-1.0-SNAPSHOT.jar is measured as target/prony/app.jar"),
        "{output}"
    );
    // On a busy machine a run may be invalid instead, which fails the build as well.
    let worse = "on project shop-jar: prony: an arm is worse than the baseline by more than is allowed";
    let invalid =
        |project: &str| output.contains(&format!("on project {project}: prony: the run is invalid"));
    assert!(output.contains(worse) || invalid("shop-jar"), "{output}");
    assert!(
        output.contains("prony: every requirement passes or is inconclusive") || invalid("shop-war"),
        "{output}"
    );
    for project in ["shop-jar", "shop-war"] {
        let comment = folder.join(project).join("target/prony-results/comment.md");
        assert!(comment.is_file(), "{project}: {output}");
    }

    // The answer of the last build is not left for that of a build whose run has none.
    fs::write(folder.join("shop-jar/perf/gate.toml"), "arm = []\n").expect("written");
    let one = ["verify", "--projects", "plugin,shop-jar"];
    let (success, output) = maven(&home, &folder, &one);
    assert!(!success, "{output}");
    assert!(output.contains("prony could not run (exit 2)"), "{output}");
    assert!(output.contains("gate.toml:1:1"), "{output}");
    assert!(!folder.join("shop-jar/target/prony-results/comment.md").exists());

    fs::remove_file(folder.join("shop-jar/perf/gate.toml")).expect("removed");
    let (success, output) = maven(&home, &folder, &one);
    assert!(
        !success && output.contains("there is no experiment file"),
        "{output}"
    );
    let mut skipped = one.to_vec();
    skipped.push("-Dprony.skip");
    let (success, output) = maven(&home, &folder, &skipped);
    assert!(success, "{output}");
}
