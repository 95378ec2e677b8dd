//! The scripts of `bench` that count what runs said, on runs that are made up: nothing is measured.

use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// A calibration run with these verdicts on measures of the headline and on others, as `prony calibrate --out` writes it.
fn run(dose: Option<&str>, headline: &[[&str; 2]], others: &[[&str; 2]]) -> Value {
    let outcomes = |all: &[[&str; 2]]| -> Vec<Value> {
        let outcome =
            |[measure, verdict]: &[&str; 2]| json!({"measure": measure, "verdict": verdict, "ratio": null});
        all.iter().map(outcome).collect()
    };
    json!({
        "injected": dose.map(|dose| json!({"dose": dose, "share": 0.03, "truth": 1.03})),
        "verdict": "inconclusive", "also_called": ["startup"], "starts": 7, "elapsed": 230.0,
        "headline": outcomes(headline), "others": outcomes(others),
    })
}

#[test]
fn wrong_signs_are_counted_in_every_measure() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = [
        run(None, &[["throughput", "same"]], &[["peak_memory", "larger"], ["startup", "same"]]),
        run(None, &[["throughput", "slower"]], &[["startup", "faster"]]),
        run(
            Some("cpu"),
            &[["throughput", "slower"], ["cpu_per_request", "cheaper"]],
            &[["peak_memory", "smaller"]],
        ),
        run(Some("stall"), &[["throughput", "invalid"], ["cpu_per_request", "dearer"]], &[]),
    ];
    let lines: Vec<String> = runs.iter().map(|run| format!("{run}\n")).collect();
    std::fs::write(folder.path().join("quiet.jsonl"), lines.concat()).expect("a file");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/verdict");
    let made = Command::new("python3")
        .arg(script)
        .arg(folder.path())
        .args(["--aa", "0", "--cpu", "0", "--stall", "0", "--where", "quiet"])
        .output()
        .expect("python3 runs");
    let told = String::from_utf8(made.stdout).expect("text");
    assert!(made.status.success(), "{told}{}", String::from_utf8_lossy(&made.stderr));
    // Measure, runs with a figure, called worse, better, wrongly, and called with a sign that is not known.
    for row in [
        "| none | peak_memory | 1 | 1 | 0 | 1 | 0 |",
        "| none | startup | 2 | 0 | 1 | 1 | 0 |",
        "| none | throughput | 2 | 1 | 0 | 1 | 0 |",
        "| 3 % CPU | cpu_per_request | 1 | 0 | 1 | 1 | 0 |",
        "| 3 % CPU | peak_memory | 1 | 0 | 1 | 1 | 0 |",
        "| 3 % CPU | startup | 0 | 0 | 0 | 0 | 1 |",
        "| 3 % CPU | throughput | 1 | 1 | 0 | 0 | 0 |",
        "| 6 % stalls | cpu_per_request | 1 | 1 | 0 | 1 | 0 |",
        "| 6 % stalls | throughput | 0 | 0 | 0 | 0 | 0 |",
    ] {
        assert!(told.contains(&format!("| quiet {row}\n")), "{row}\n{told}");
    }
}
