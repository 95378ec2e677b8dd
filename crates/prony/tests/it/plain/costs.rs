//! What makes tests slow is refused where it is not needed: servers of the catalog, looks into servers, and sleeps.

use std::path::{Path, PathBuf};

/// The first words of a line at the head of a file whose tests start servers of the catalog; the reason follows.
const REAL: &str = "//! Real servers: ";
/// The first words of a line at the head of a file with experiments that look into servers; the reason follows.
const LOOKS: &str = "//! Looks: ";
/// The first words of a comment above a sleep of a second or more.
const SLEEPS: &str = "// Sleeps: ";

/// Returns all files with Rust code below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found
}

/// Whether a text names a server of the catalog with its version, as an arm does.
fn names_a_server(text: &str) -> bool {
    let servers = lab::Bench::known().servers;
    servers.iter().any(|(name, _)| text.contains(&format!("\"{name}:")))
}

/// Returns the experiments in a file: raw texts with arms that have a server.
fn experiments(text: &str) -> impl Iterator<Item = &str> {
    let texts = text.split("r#\"").skip(1).filter_map(|rest| rest.split("\"#").next());
    texts
        .filter(|text| text.contains("server = ") && (text.contains("arms = [") || text.contains("[[arms]]")))
}

/// What is wrong with a file of tests of whole runs.
fn wrong_with(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if names_a_server(text) && !text.contains(REAL) {
        wrong.push(format!(
            "names a server of the catalog: start a fixture server, or say at its head `{REAL}` why not"
        ));
    }
    let looks = experiments(text).find(|experiment| !experiment.contains("explain ="));
    if let Some(experiment) = looks.filter(|_| !text.contains(LOOKS)) {
        wrong.push(format!(
            "looks into servers: write `explain = \"off\"`, or say at its head `{LOOKS}` why not:{experiment}"
        ));
    }
    wrong
}

/// The lines of a file with a sleep of a second or more that says no reason.
fn long_sleeps(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let millis = |line: &str| {
        let (_, rest) = line.split_once("from_millis(")?;
        rest.split(')').next()?.replace('_', "").parse::<u64>().ok()
    };
    let is_long = |line: &str| {
        line.contains("sleep(")
            && (line.contains("from_secs") || millis(line).is_some_and(|millis| millis >= 1000))
    };
    let explained = |at: usize| at > 0 && lines[at - 1].trim_start().starts_with(SLEEPS);
    (0..lines.len()).filter(|at| is_long(lines[*at]) && !explained(*at)).map(|at| at + 1).collect()
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn tests_start_only_the_servers_that_they_need() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let mut wrong = Vec::new();
    for lane in ["served", "waiting"] {
        for file in sources(&here.join(lane)) {
            let text = std::fs::read_to_string(&file).expect("a file");
            wrong.extend(wrong_with(&text).iter().map(|why| format!("{} {why}", file.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tests_sleep_only_for_a_reason() {
    let mut wrong = Vec::new();
    for krate in std::fs::read_dir(crates()).expect("crates") {
        let tests = krate.expect("a crate").path().join("tests");
        for file in tests.is_dir().then(|| sources(&tests)).into_iter().flatten() {
            let text = std::fs::read_to_string(&file).expect("a file");
            let lines = long_sleeps(&text);
            wrong.extend(lines.iter().map(|line| format!("{}:{line}", file.display())));
        }
    }
    assert!(
        wrong.is_empty(),
        "wait for what you wait for, or write `{SLEEPS}` and why above:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn what_costs_is_found() {
    let arm = "const FILE: &str = r#\"arms = [{ server = \"jetty:12\" }]\"#;";
    assert_eq!(wrong_with(arm).len(), 2);
    let excused = format!("{REAL}the connector is read.\n{LOOKS}its cause is read.\n{arm}");
    assert_eq!(wrong_with(&excused), [""; 0]);
    assert_eq!(wrong_with(&arm.replace("jetty:12", "command")).len(), 1);
    let pause = |words: &str, time: &str| format!("{words}\nthread::{}(Duration::{time});", "sleep");
    assert_eq!(long_sleeps(&pause("", "from_secs(2)")), [2]);
    assert_eq!(long_sleeps(&pause("", "from_millis(1_500)")), [2]);
    assert_eq!(long_sleeps(&pause("", "from_millis(50)")), [0; 0]);
    assert_eq!(long_sleeps(&pause("// Sleeps: it is cut for so long.", "from_secs(2)")), [0; 0]);
}
