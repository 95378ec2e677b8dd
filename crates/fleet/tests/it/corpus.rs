//! Replays the stored inputs of the fuzz target.

#[path = "../../../../fuzz/fleet_checks.rs"]
mod checks;

use std::path::Path;

#[test]
fn messages_of_a_fleet() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/fleet");
    let entries = std::fs::read_dir(folder).expect("the corpus");
    let inputs: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    assert!(!inputs.is_empty());
    for input in inputs {
        println!("{}", input.display()); // shown when the check fails
        checks::fleet(&std::fs::read(&input).expect("an input"));
    }
}
