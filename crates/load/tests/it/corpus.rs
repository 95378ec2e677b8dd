//! Replays the stored inputs of the fuzz targets.

#[path = "../../../../fuzz/checks.rs"]
mod checks;

use std::path::Path;

fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let inputs: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(!inputs.is_empty());
    for input in inputs {
        println!("{}", input.display()); // shown when the check fails
        check(&std::fs::read(&input).unwrap());
    }
}

#[test]
fn http1_responses() {
    replay("http1", checks::http1);
}

#[test]
fn pipelined_responses() {
    replay("pipelined", checks::pipelined);
}

#[test]
fn urls() {
    replay("url", checks::url);
}
