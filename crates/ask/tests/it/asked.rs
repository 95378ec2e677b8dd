//! What was asked, as facts of the report.

use crate::known;
use ask::experiment::Experiment;
use std::collections::BTreeMap;

fn asked(text: &str) -> BTreeMap<String, String> {
    let experiment = Experiment::parse(text, "f", &known());
    experiment.expect("a valid file").asked()
}

#[test]
fn the_load_is_told_whole_and_of_an_arm_what_the_file_says() {
    let asked = asked("arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]");
    assert_eq!(asked["request"], "GET /json");
    assert_eq!((asked["load/connections"].as_str(), asked["load/keepalive"].as_str()), ("32", "true"));
    assert_eq!(asked["arm/tomcat:9.0.95/heap"], "256 MiB");
    for unsaid in ["load/think", "link/rate", "arm/tomcat:9.0.95/threads"] {
        assert!(!asked.contains_key(unsaid), "{unsaid}");
    }
}

#[test]
fn two_files_that_ask_unlike_things_are_told_apart() {
    let one = asked("arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]");
    let other = asked(
        "arms = [\"tomcat:9.0.95,threads=50\", { name = \"tomcat:10.1.29\", server = \"tomcat:10.1.29\", attributes = { tcpNoDelay = true } }]\n\
         [load]\nconnections = [8, 64]\nkeepalive = false\nthink = \"200ms\"\n[design]\nwarmup = \"2s\"",
    );
    let unlike: Vec<String> = other
        .iter()
        .filter(|(name, value)| one.get(*name) != Some(value))
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    insta::assert_snapshot!(unlike.join("\n"));
}
