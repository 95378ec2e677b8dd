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

#[test]
fn an_arm_has_a_path_of_its_own_where_the_file_says_that_answers_differ() {
    let read = |head: &str, arm: &str| {
        let text = format!("{head}\narms = [\"tomcat:9.0.95\", {{ name = \"b\", {arm} }}]");
        Experiment::parse(&text, "file", &known()).map_err(|rejected| rejected.render("file", &text, false))
    };
    let unlike = "unlike_answers = true";
    let own = "server = \"tomcat:9.0.95\", path = \"/hello\"";
    let both = read(unlike, own).expect("possible");
    let paths: Vec<&str> = both.arms.iter().map(|arm| both.workload.path_of(arm)).collect();
    assert_eq!(paths, ["/json", "/hello"]);
    assert_eq!(both.asked()["arm/b/path"], "/hello");
    let refused = |head: &str, arm: &str| read(head, arm).expect_err(arm);
    let silent = refused("", own);
    assert!(
        silent.contains("answers something else") && silent.contains("unlike_answers = true"),
        "{silent}"
    );
    let unknown = refused(unlike, "server = \"tomcat:9.0.95\", path = \"/other\"");
    assert!(unknown.contains("does not answer `/other`"), "{unknown}");
    let mixed = refused(&format!("request = [{{ path = \"/json\" }}]\n{unlike}"), own);
    assert!(mixed.contains("exclude each other"), "{mixed}");
    let jar =
        read(unlike, "server = \"jar\", jar = \"a.jar\", path = \"/whatever\"").expect("only the user knows");
    assert_eq!(jar.workload.path_of(&jar.arms[1]), "/whatever");
}
