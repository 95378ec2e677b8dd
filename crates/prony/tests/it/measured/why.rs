//! `prony why` on a real server, and settings of the application that `--prove` tries.

use crate::home::Home;
use crate::measured::causes::causes;
use crate::measured::{neighbour_or_no_start, undisturbed};
use serde_json::Value;

/// The last paragraph on the terminal, in one line.
fn last_paragraph(text: &str) -> String {
    let last = text.trim_end().rsplit("\n\n").next().unwrap_or_default();
    last.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Five threads that hold each request for 20 ms answer 250 a second, however many users there are.
#[test]
#[ignore = "measured: ./test --all"]
fn one_server_is_enough_to_ask_why_it_is_slow() {
    let run = || {
        let home = Home::with_downloads();
        let pay = "/pay?orderId=1&millis=20";
        let server = "tomcat:10.1.29,threads=5,heap=64M";
        let words = ["why", server, "--app", "pay", "--path", pay, "-c", "40"];
        let ended = home.run(&[&words[..], &["--seed", "7", "--json"]].concat());
        let report = ended.report();
        (home, report)
    };
    let measured = undisturbed(run, |(_, report)| neighbour_or_no_start(report));
    let Some((home, report)) = measured else { return };
    assert_eq!(report["comparisons"], Value::Array(Vec::new()));
    let levels = report["arms"][0]["levels"].as_array().expect("levels");
    assert_eq!(levels.last().expect("a level")["load"]["users"], 40);
    let name = report["arms"][0]["name"].as_str().expect("a name");
    assert_eq!(causes(&report, name).first().map(String::as_str), Some("thread-pool-limit"));
    let text = home.run(&["report", "latest"]).stdout;
    let paragraph = last_paragraph(&text);
    assert!(paragraph.starts_with("With 40 connections "), "{text}");
    assert!(paragraph.contains("thread-pool-limit"), "{text}");
    let listed = home.run(&["history"]).stdout;
    assert!(listed.contains("limited by thread-pool-limit"), "{listed}");
    assert_eq!((home.servers(), home.work_folders().len()), (Vec::new(), 0));
}

/// A server that waits for 20 ms before each answer, in a pool as large as the variable POOL says.
const TUNED: &str = r#"
arms = [{ name = "shop", server = "command", command = ["./fixture", "{host}", "{port}", "--delay", "20", "--pool-of", "POOL"], environment = { POOL = "4" } }]
explain = "prove"
[load]
connections = 16
[design]
warmup = "500ms"
warmup_cap = "500ms"
slice = "300ms"
[tune]
"pool.size" = { env = "POOL", values = [2, 8] }
"#;

/// A trial is made only where nothing but the application can be what limits, so it needs the machine to itself.
#[test]
#[ignore = "measured: ./test --all"]
fn a_setting_of_the_application_is_tried_where_prony_knows_none_itself() {
    let run = || {
        let home = Home::with_fixture();
        let file = home.file("tuned.toml", TUNED);
        home.run(&["run", &file, "--json", "--seed", "7"]).report()
    };
    let Some(report) = undisturbed(run, neighbour_or_no_start) else {
        return;
    };
    let coded = report["notes_coded"].as_array().expect("notes");
    let tuned = coded.iter().find(|note| note["code"] == "tuned");
    let tuned = tuned.unwrap_or_else(|| panic!("nothing was tried: {report:#}"));
    let values = tuned["values"]["values"].as_array().expect("values");
    let of = |value: &str| {
        let found = values.iter().find(|one| one["value"] == value).expect("tried");
        found["throughput"]["value"].as_f64().expect("an effect")
    };
    // Twice as many places answer twice as many requests, unless the CPU is full, and half as many answer half.
    assert!((1.4..2.3).contains(&of("8")) && (0.35..0.7).contains(&of("2")), "{values:?}");
    // It is the advice at the load at which the values were tried.
    let mut advised = report["arms"][0]["diagnoses"].as_array().expect("diagnoses").iter();
    assert!(advised.any(|one| one["change"][0]["value"] == "8"), "{}", report["arms"][0]);
}
