//! Compares the dependencies among the crates with the picture in ARCHITECTURE.md.

use serde_json::Value;
use std::process::Command;

/// Every allowed dependency. Dependencies for tests, such as `testkit`, are not checked.
const ALLOWED: &[(&str, &[&str])] = &[
    ("stats", &[]),
    ("model", &["stats"]),
    ("load", &["model"]),
    ("jmeter", &["model"]),
    ("fleet", &["load", "model"]),
    ("sut", &["model"]),
    ("probe", &["model"]),
    ("judge", &["model", "stats"]),
    ("lab", &["load", "sut", "probe", "judge", "model", "stats"]),
    ("store", &["model"]),
    ("report", &["model"]),
    ("import", &["model"]),
    ("testkit", &[]),
    (
        "prony",
        &[
            "lab", "judge", "fleet", "jmeter", "load", "sut", "probe", "store", "report", "import", "model",
        ],
    ),
];

/// Packages that would break a promise of a crate: I/O runtimes and databases where none may be.
const REFUSED: &[(&str, &[&str])] = &[
    ("jmeter", &["tokio", "rusqlite", "rustix", "nix"]),
    ("load", &["tokio", "rusqlite", "ureq", "serde_json"]),
    ("stats", &["serde", "tokio", "model"]),
    (
        "judge",
        &["tokio", "rusqlite", "ureq", "rustix", "nix", "serde_json"],
    ),
    ("report", &["tokio", "rusqlite", "ureq", "rustix"]),
    ("import", &["tokio", "rusqlite", "ureq", "rustix"]),
    ("model", &["tokio", "rusqlite", "ureq", "rustix", "nix"]),
];

fn packages() -> Vec<Value> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let arguments = ["metadata", "--format-version", "1", "--no-deps", "--offline"];
    let output = Command::new(cargo)
        .args(arguments)
        .output()
        .expect("cargo metadata");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("its JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

#[test]
fn crates_depend_only_on_the_crates_that_they_may() {
    let packages = packages();
    for package in &packages {
        let name = package["name"].as_str().expect("a name");
        let (_, allowed) = ALLOWED
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap_or_else(|| {
                panic!("crate `{name}` is not drawn: add it to ARCHITECTURE.md and here");
            });
        let refused = REFUSED
            .iter()
            .find(|(known, _)| *known == name)
            .map_or(&[] as &[&str], |(_, names)| names);
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let other = dependency["name"].as_str().expect("a name");
            if dependency["kind"] == "dev" {
                continue;
            }
            let ours = packages.iter().any(|package| package["name"] == *other);
            assert!(
                !ours || allowed.contains(&other),
                "`{name}` must not depend on `{other}`"
            );
            assert!(!refused.contains(&other), "`{name}` must not use `{other}`");
        }
    }
    assert_eq!(
        packages.len(),
        ALLOWED.len(),
        "the list has a crate that does not exist"
    );
}
