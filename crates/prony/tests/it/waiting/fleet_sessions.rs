//! Sessions of steps that agents play: together they do exactly what one machine does, and their steps are reported as its own.

use crate::fixture::with_slow_arms;
use crate::home::{Ended, Home, counts};
use crate::served::jmx::{answer, by_user, plan};
use crate::waiting::fleet::{Machines, level, machines_in};
use crate::waiting::fleet_run::SHORT;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use testkit::{Answered, AnsweringServer};

/// Ten users have a row each, and take items that nobody else gets. A quarter of them only look.
const SHOP: &str = r#"
[[data]]
file = "users.csv"
rows = "unique"
[[data]]
file = "items.csv"
rows = "shared"
[[scenario]]
name = "buy"
weight = 3
[[scenario.step]]
name = "choose"
get = "/choose/${user}/${item}"
[[scenario.step]]
group = "order"
[[scenario.step.step]]
name = "pay"
get = "/pay/${user}"
[[scenario]]
name = "look"
weight = 1
[[scenario.step]]
name = "list"
get = "/list/${user}/${item}"
[[scenario.step]]
name = "broken"
get = "/broken"
"#;

fn server() -> AnsweringServer {
    AnsweringServer::start(|asked| match asked.path.as_str() {
        "/broken" => Answered::ok("{\"error\":\"full\"}").status(503),
        _ => Answered::ok("ok"),
    })
    .expect("a server")
}

/// The paths that a server was asked for from a request on, without the items, and the items.
fn asked(server: &AnsweringServer, from: usize) -> (Vec<String>, Vec<String>) {
    let (mut paths, mut items) = (Vec::new(), Vec::new());
    for asked in &server.log()[from..] {
        match asked.path.rsplit_once('/') {
            Some((path, item)) if item.starts_with("item") => {
                paths.push(path.to_owned());
                items.push(item.to_owned());
            }
            _ => paths.push(asked.path.clone()),
        }
    }
    paths.sort();
    (paths, items)
}

/// How often each step ended, and how often wrongly.
fn steps(level: &Value) -> BTreeMap<String, (u64, u64)> {
    let steps = level["steps"].as_array().expect("steps").iter();
    let number = |step: &Value, key: &str| step[key].as_u64().expect("a count");
    steps
        .map(|step| {
            let ended = number(step, "ended");
            let name = step["name"].as_str().expect("a name").to_owned();
            (name, (ended, ended - number(step, "ok")))
        })
        .collect()
}

/// Loads with these arguments, alone or with a fleet.
fn load(machines: &Machines, arguments: &[&str], with_fleet: bool) -> Ended {
    let count = machines.agents.len().to_string();
    let fleet = ["--fleet", &machines.url, "--agents", &count];
    let fleet = if with_fleet { &fleet[..] } else { &[] };
    let ended = machines.home.run(&[&["load", "--json"], arguments, fleet].concat());
    assert!(matches!(ended.code, Some(0 | 7)), "{}", ended.stderr);
    ended
}

#[test]
fn sessions_of_three_agents_are_those_of_one_machine() {
    let machines = machines_in(Home::empty(), &["m1", "m2", "m3"]);
    let shop = machines.home.file("shop.toml", SHOP);
    let table = |name: &str, rows: usize| -> String {
        let rows = (1..=rows).map(|row| format!("{name}{row}\n"));
        format!("{name}\n") + &rows.collect::<String>()
    };
    machines.home.file("users.csv", &table("user", 10));
    machines.home.file("items.csv", &table("item", 60));
    let server = server();
    let address = format!("http://{}", server.address());
    let arguments = [&address, "--scenario", &shop, "-c", "10", "--iterations", "3"];
    let alone = level(&load(&machines, &arguments, false).stdout);
    let (paths, items) = asked(&server, 0);
    let together = level(&load(&machines, &arguments, true).stdout);
    let (paths_of_agents, items_of_agents) = asked(&server, paths.len());
    assert_eq!(paths_of_agents, paths);
    for items in [items, items_of_agents] {
        let different: BTreeSet<&String> = items.iter().collect();
        assert_eq!((items.len(), different.len()), (30, 30), "{items:?}");
    }
    assert_eq!(steps(&together), steps(&alone));
    assert_eq!(steps(&together)["broken"], (6, 6));
    let failure = &together["steps"].to_string();
    assert!(failure.contains("/broken") && failure.contains("503"), "{failure}");
}

#[test]
fn users_of_a_jmeter_plan_are_divided_and_not_multiplied() {
    let machines = machines_in(Home::empty(), &["m1", "m2"]);
    for name in ["users", "counter", "csv-per-thread"] {
        let server = AnsweringServer::start(answer).expect("a server");
        let port = format!("-Jport={}", server.address().port());
        let file = plan(name).display().to_string();
        let arguments = ["--jmx", &file, &port];
        load(&machines, &arguments, false);
        let alone = server.log();
        assert!(!alone.is_empty(), "{name}");
        load(&machines, &arguments, true);
        let together = server.log().split_off(alone.len());
        let sorted = |log| by_user(log).into_values().flatten().collect::<BTreeSet<String>>();
        assert_eq!(together.len(), alone.len(), "{name}");
        assert_eq!(sorted(&together), sorted(&alone), "{name}");
    }
    let file = plan("phases").display().to_string();
    let ended =
        machines.home.run(&["load", "--jmx", &file, "-Jport=9", "--fleet", &machines.url, "--agents", "2"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stdout);
    let said = "some users begin when others have ended";
    assert!(ended.stderr.contains(said), "{}", ended.stderr);
}

#[test]
fn an_experiment_with_sessions_reports_the_steps_of_all_agents() {
    let home = Home::with_fixture();
    let scenario = r#"
[[scenario]]
[[scenario.step]]
name = "right"
get = "/json"
[[scenario.step]]
name = "missing"
get = "/status/404"
check = { status = 404 }
"#;
    let text = format!("{SHORT}{scenario}");
    let file = home.file("sessions.toml", &with_slow_arms(&text));
    let ended = home.run(&["run", &file, "--json", "--fleet", "local", "--agents", "3"]);
    let report = ended.report();
    if !counts(&report) {
        return;
    }
    for level in [0, 1].map(|arm| &report["arms"][arm]["levels"][0]) {
        let steps = steps(level);
        for name in ["right", "missing"] {
            let (ended, wrong) = steps[name];
            assert!(ended > 0 && wrong == 0, "{steps:?}");
        }
        let requests = level["counts"]["requests"].as_u64();
        let ended: u64 = steps.values().map(|(ended, _)| ended).sum();
        assert_eq!(Some(ended), requests, "{steps:?}");
    }
}
