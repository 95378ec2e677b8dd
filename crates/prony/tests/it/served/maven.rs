//! The Maven plugin of integrations/maven in real builds: its answers decide whether projects are built.

use crate::home::Home;
use std::fs;
use std::path::{Path, PathBuf};

/// Creates a folder with the plugin and the two projects that use it, as modules of one build.
fn projects(home: &Home) -> PathBuf {
    let folder = home.cache().join("maven");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    copy(&here.join("tests/it/served/maven"), &folder);
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

/// A project without an archive, which runs the goal.
const PROJECT: &str = r#"<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>shop</groupId>
  <artifactId>NAME</artifactId>
  <version>1.0-SNAPSHOT</version>
  <packaging>pom</packaging>
  <properties>
    PROPERTIES
  </properties>
  <build>
    <plugins>
      <plugin>
        <groupId>prony</groupId>
        <artifactId>prony-maven-plugin</artifactId>
        <version>0.1.0</version>
        <executions>
          <execution>
            <goals>
              <goal>run</goal>
            </goals>
          </execution>
        </executions>
      </plugin>
    </plugins>
  </build>
</project>
"#;

/// What the build of a project says when the program ends with a code.
const ANSWERS: [(i32, &str); 6] = [
    (4, "prony: an arm missed a bound"),
    (5, "prony: an arm is worse than the baseline by more than is allowed"),
    (6, "prony: the run could not decide (exit 6)"),
    (7, "prony: the run is invalid (exit 7)"),
    (70, "prony could not run (exit 70)"),
    (130, "prony: the run was interrupted"),
];

/// Adds a project with these properties to the build, and returns its folder.
fn add(folder: &Path, name: &str, properties: &str) -> PathBuf {
    let project = folder.join(name);
    fs::create_dir(&project).expect("made");
    let pom = PROJECT.replace("NAME", name).replace("PROPERTIES", properties);
    fs::write(project.join("pom.xml"), pom).expect("written");
    let all = folder.join("pom.xml");
    let text = fs::read_to_string(&all).expect("a file");
    let end = "  </modules>";
    let text = text.replace(end, &format!("    <module>{name}</module>\n{end}"));
    fs::write(all, text).expect("written");
    project
}

/// Runs Maven in the folder; returns its output. The plugin finds `prony` on the PATH.
fn maven(home: &Home, folder: &Path) -> String {
    let mvn = std::env::var("PRONY_MVN").unwrap_or_else(|_| "mvn".to_owned());
    let programs = Path::new(env!("CARGO_BIN_EXE_prony")).parent().expect("a folder");
    let path = std::env::var("PATH").expect("a path");
    let output = home
        .command(&mvn, &["--batch-mode", "--fail-at-end", "verify"])
        .env("PATH", format!("{}:{path}", programs.display()))
        .current_dir(folder)
        .output()
        .expect("Maven runs");
    assert!(!output.status.success(), "some projects fail");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// One build. Most of its projects fail, each for another reason.
#[test]
fn the_goal_fails_a_maven_build_by_the_answer_of_prony() {
    let home = Home::empty();
    let folder = projects(&home);
    for (code, _) in ANSWERS {
        let program = home.executable(&format!("exit-{code}"), &format!("#!/bin/sh\nexit {code}\n"));
        let properties = format!(
            "<prony.program>{program}</prony.program><prony.file>${{project.basedir}}/pom.xml</prony.file>"
        );
        add(&folder, &format!("answer-{code}"), &properties);
    }
    // The answer of the last build is removed, so that it is not taken for the answer of a build whose run has none.
    let broken = add(&folder, "broken", "");
    fs::create_dir_all(broken.join("perf")).expect("made");
    fs::write(broken.join("perf/gate.toml"), "arm = []\n").expect("written");
    let results = broken.join("target/prony-results");
    fs::create_dir_all(&results).expect("made");
    fs::write(results.join("comment.md"), "old").expect("written");
    add(&folder, "without-file", "");
    add(&folder, "skipped", "<prony.skip>true</prony.skip>");

    let output = maven(&home, &folder);
    let says = |text: &str| assert!(output.contains(text), "`{text}` is missing in:\n{output}");
    for (code, words) in ANSWERS {
        says(&format!("on project answer-{code}: {words}"));
    }
    says("on project broken: prony could not run (exit 2)");
    says("gate.toml:1:1");
    assert!(!results.join("comment.md").exists());
    says("on project without-file: there is no experiment file");
    says("prony does not run, because prony.skip is set");
    says("shop-war-1.0-SNAPSHOT.war is measured as target/prony/app.war");
    says(&format!(
        "called with run {0}/perf/bounds.toml --out {0}/target/prony-results --fail-inconclusive --budget 20m --seed 7",
        folder.join("shop-war").display()
    ));
    says("prony: every requirement passes\n");
    for passed in ["skipped", "shop-war"] {
        assert!(!output.contains(&format!("on project {passed}:")), "{output}");
    }

    // A real run of what was built. On a busy machine it may be invalid, which fails the build.
    says("shop-jar-1.0-SNAPSHOT.jar is measured as target/prony/app.jar");
    let invalid = "on project shop-jar: prony: the run is invalid";
    let passed = "prony: every requirement passes or is inconclusive";
    assert!(output.contains(passed) || output.contains(invalid), "{output}");
    let comment = folder.join("shop-jar/target/prony-results/comment.md");
    assert!(comment.is_file(), "{output}");
}
