//! Compares the dependencies among the crates with the picture in ARCHITECTURE.md, and checks what cargo builds to test them.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every allowed dependency. Dependencies for tests, such as `testkit`, are not checked.
const ALLOWED: &[(&str, &[&str])] = &[
    ("stats", &[]),
    ("say-derive", &[]),
    ("say", &["say-derive"]),
    ("model", &["say"]),
    ("traffic", &["say", "model"]),
    ("ask", &["say", "model", "traffic"]),
    ("record", &["say", "model", "traffic", "ask"]),
    ("load", &["say", "model", "traffic", "record"]),
    ("jmeter", &["say", "model", "traffic"]),
    ("fleet", &["load", "say", "model", "traffic"]),
    ("sut", &["say", "model", "ask", "record"]),
    ("probe", &["say", "model", "record"]),
    ("judge", &["stats", "model", "traffic", "ask", "record"]),
    ("lab", &["load", "sut", "probe", "judge", "say", "stats", "model", "traffic", "ask", "record"]),
    ("store", &["say", "model", "ask", "record"]),
    ("report", &["say", "model", "traffic", "ask", "record"]),
    ("import", &["say", "model", "traffic"]),
    ("testkit", &[]),
    ("nkeys", &[]),
    (
        "prony",
        &[
            "lab", "judge", "fleet", "jmeter", "load", "sut", "probe", "store", "report", "import", "say",
            "model", "traffic", "ask", "record",
        ],
    ),
];

/// Packages that would break a promise of a crate: I/O runtimes and databases where none may be.
const REFUSED: &[(&str, &[&str])] = &[
    ("jmeter", &["tokio", "rusqlite", "rustix", "nix"]),
    ("load", &["tokio", "rusqlite", "ureq", "serde_json"]),
    ("stats", &["serde", "tokio", "model", "traffic", "ask", "record"]),
    ("say", &["tokio", "rusqlite", "rustix", "nix", "serde_json"]),
    ("judge", &["tokio", "rusqlite", "ureq", "rustix", "nix", "serde_json"]),
    ("report", &["tokio", "rusqlite", "ureq", "rustix"]),
    ("import", &["tokio", "rusqlite", "ureq", "rustix"]),
    ("model", &["tokio", "rusqlite", "ureq", "rustix", "nix"]),
    ("traffic", &["tokio", "rusqlite", "ureq", "rustix", "nix"]),
    ("ask", &["tokio", "rusqlite", "ureq", "rustix", "nix"]),
    ("record", &["tokio", "rusqlite", "ureq", "rustix", "nix"]),
];

fn packages() -> Vec<Value> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let arguments = ["metadata", "--format-version", "1", "--no-deps", "--offline"];
    let output = Command::new(cargo).args(arguments).output().expect("cargo metadata");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("its JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

#[test]
fn crates_depend_only_on_the_crates_that_they_may() {
    let packages = packages();
    for package in &packages {
        let name = package["name"].as_str().expect("a name");
        let (_, allowed) = ALLOWED.iter().find(|(known, _)| *known == name).unwrap_or_else(|| {
            panic!("crate `{name}` is not drawn: add it to ARCHITECTURE.md and here");
        });
        let refused =
            REFUSED.iter().find(|(known, _)| *known == name).map_or(&[] as &[&str], |(_, names)| names);
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let other = dependency["name"].as_str().expect("a name");
            if dependency["kind"] == "dev" {
                continue;
            }
            let ours = packages.iter().any(|package| package["name"] == *other);
            assert!(!ours || allowed.contains(&other), "`{name}` must not depend on `{other}`");
            assert!(!refused.contains(&other), "`{name}` must not use `{other}`");
        }
    }
    assert_eq!(packages.len(), ALLOWED.len(), "the list has a crate that does not exist");
}

/// Returns the targets of a package that are of a kind, such as `lib` and `test`.
fn targets<'a>(package: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let targets = package["targets"].as_array().expect("targets").iter();
    targets.filter(move |target| target["kind"][0] == kind)
}

#[test]
fn a_crate_links_its_integration_tests_once() {
    // Tests that need another allocator cannot be in the same program as others.
    let apart = [("load", "alloc")];
    for package in &packages() {
        let name = package["name"].as_str().expect("a name");
        for target in targets(package, "test") {
            let test = target["name"].as_str().expect("a name");
            assert!(
                test == "it" || apart.contains(&(name, test)),
                "crates/{name}/tests/{test}.rs is linked with all that `{name}` needs: make it a module of tests/it/main.rs"
            );
        }
    }
}

/// Returns the sources in a folder and in the folders in it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of sources").flatten();
    let paths = entries.map(|entry| entry.path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .collect()
}

/// Counts the examples in the documentation of a source that rustdoc would compile: blocks of code that are not said to be text.
fn documented_examples(source: &str) -> usize {
    let lines = source.lines().map(str::trim_start);
    let documentation = lines.filter_map(|line| line.strip_prefix("//!").or(line.strip_prefix("///")));
    let fences = documentation.filter_map(|line| line.trim().strip_prefix("```"));
    fences.step_by(2).filter(|language| *language != "text").count()
}

#[test]
fn examples_in_the_documentation_are_tested_where_there_are_any() {
    assert_eq!(documented_examples("/// ```text\n/// a\n/// ```\n"), 0);
    assert_eq!(documented_examples("//! ```\n//! a\n//! ```\n//! ```no_run"), 2);
    for package in &packages() {
        let name = package["name"].as_str().expect("a name");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
        let read = |path: &PathBuf| fs::read_to_string(path).expect("a source");
        let examples: usize = sources(&folder).iter().map(|path| documented_examples(&read(path))).sum();
        for library in targets(package, "lib") {
            let tested = library["doctest"] == true;
            assert_eq!(
                tested,
                examples > 0,
                "`doctest` of `{name}`, whose documentation has {examples} examples"
            );
        }
    }
}
