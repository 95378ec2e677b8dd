//! Replays the kept inputs of the fuzz target.

#[path = "../../../../fuzz/fleet_checks.rs"]
mod checks;
#[path = "../../../../fuzz/corpus.rs"]
mod inputs;

#[test]
fn messages_of_a_fleet() {
    inputs::replay("fleet", checks::fleet);
}
