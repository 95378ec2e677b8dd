//! The store of a team in the configuration: runs are pushed to a real PostgreSQL when they end, or later.

use crate::fixture::with_arms;
use crate::home::{Ended, Home};
use crate::plain::stored::{record, stored};
use crate::web::Serving;
use testkit::{Database, Postgres};

/// A password that must appear nowhere.
const SECRET: &str = "marked-secret";

/// A server, and an experiment that looks at it alone.
const SHOP: &str = r#"
explain = "off"
arms = [{ name = "shop", FIXTURE }]
"#;
/// The load and the design of an experiment that takes a few seconds.
pub(crate) const SHORT: &str = r#"
[load]
connections = [2]
[design]
starts = 3
budget = "10s"
warmup = "200ms"
warmup_cap = "200ms"
slice = "200ms"
pairs = 4
latency_pairs = 0
"#;

/// Writes the experiment into a home with the fixture server; returns its path.
pub(crate) fn short_experiment(home: &Home) -> String {
    home.file("short.toml", &with_arms(&format!("{SHOP}{SHORT}")))
}

/// Runs a single start with this store in the environment.
fn run(home: &Home, store: &str) -> Ended {
    let file = short_experiment(home);
    let mut command = home.prony(&["run", &file, "--seed", "7", "--budget", "1s"]);
    let ended = command.env("PRONY_STORE", store).output().expect("prony runs");
    let ended = Ended::from(ended);
    assert!(matches!(ended.code, Some(0 | 7)), "{:?} {}", ended.code, ended.stderr);
    ended
}

#[test]
fn a_run_is_pushed_when_it_ends_and_later_when_the_store_was_down() {
    let server = Database::create().expect("a database");
    let home = Home::with_fixture();
    let down = run(&home, "postgres://nina@127.0.0.1:1/perf").stderr;
    let told = down.lines().filter(|line| line.starts_with("not pushed: ")).count();
    assert_eq!(told, 1, "{down}");
    assert!(down.contains("the next `prony push` sends it"), "{down}");
    let url = server.url("owner");
    let pushed = run(&home, &url).stderr;
    assert!(pushed.contains(&format!("pushed to {url}")), "{pushed}");
    home.file("config.toml", &format!("store = \"{url}\"\n"));
    let kept = home.run(&["prune", "--keep", "1", "--yes"]).stdout;
    assert!(kept.starts_with("removed 0 of 2 runs\nkept 1 that the team's store does not have"), "{kept}");
    let later = home.run(&["push"]).stderr;
    assert_eq!(later.lines().count(), 1, "the first run alone was missing: {later}");
    let listed = home.run(&["history", "--store", &url, "--json"]).stdout;
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed["runs"].as_array().map(Vec::len), Some(2), "{listed}");
    assert!(home.run(&["push"]).stderr.contains("nothing to push"));
    assert_old_runs_can_be_removed(&home, &url);
}

/// Two runs are here and in the team's store.
fn assert_old_runs_can_be_removed(home: &Home, url: &str) {
    let dump = |arguments: &[&str]| home.run(&[&["dump"], arguments].concat()).stdout;
    let here = dump(&[]);
    let runs: Vec<serde_json::Value> =
        here.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let is_whole = |run: &serde_json::Value| {
        let slices = run["slices"].as_array().map_or(0, Vec::len);
        slices > 3 && run["report"]["run"] == run["run"] && run["record"]["run"] == run["run"]
    };
    assert!(runs.len() == 2 && runs.iter().all(is_whole), "{here}");
    assert_eq!(dump(&["--store", url]), here);
    let listed = home.run(&["prune", "--keep", "1"]).stdout;
    let oldest = runs[0]["run"].as_str().expect("an id");
    assert_eq!(listed, format!("{oldest}  short\n1 of 2 runs would be removed; --yes removes them\n"));
    assert_eq!(dump(&[]), here, "they are only listed");
    let removed = home.run(&["prune", "--keep", "1", "--yes"]).stdout;
    assert!(removed.ends_with("removed 1 of 2 runs\n"), "{removed}");
    assert_eq!(dump(&[]).lines().collect::<Vec<_>>(), [here.lines().nth(1).expect("a run")]);
    assert_eq!(dump(&["--store", url]), here, "the team keeps its runs");
}

#[test]
fn the_runs_of_the_team_are_served_as_those_of_a_machine_are() {
    let mut server = Postgres::start().expect("a server");
    let url = server.url("owner");
    let (home, elsewhere) = (Home::empty(), Home::empty());
    let nothing_there = elsewhere.run(&["serve", "--store", &url]);
    assert_eq!(nothing_there.code, Some(1), "{}", nothing_there.stderr);
    assert!(nothing_there.stderr.contains("no runs were ever pushed"), "{}", nothing_there.stderr);
    let runs = ["2026-11-20T01:00:00Z-0001", "2026-11-21T02:00:00Z-0002"];
    for (run, kernel) in runs.into_iter().zip(["6.1", "6.18"]) {
        let mut ended = record(&[("kernel", kernel)]);
        run.clone_into(&mut ended.run);
        let (store, report) = stored(&home, &ended);
        store.finish(&ended, &report).expect("finish");
    }
    assert_eq!(home.run(&["push", "--store", &url]).code, Some(0));
    let here = Serving::start(home.prony(&["serve"]));
    let there = Serving::start(elsewhere.prony(&["serve", "--store", &url]));
    let paths = [
        "/api/runs".to_owned(),
        format!("/run/{}", runs[0]),
        format!("/run/{}/report.md", runs[0]),
        format!("/run/{}/report.json", runs[1]),
        format!("/api/pair/{}/{}", runs[0], runs[1]),
        "/run/nobody".to_owned(),
        format!("/api/pair/{}/nobody", runs[0]),
    ];
    for path in &paths {
        let [one, other] = [&here, &there].map(|pages| pages.get(path));
        assert_eq!((one.status, &one.body), (other.status, &other.body), "{path}");
    }
    assert_eq!(there.get(&paths[0]).status, 200);
    server.stop();
    let lost = there.get(&paths[0]);
    assert_eq!(lost.status, 502, "{}", lost.body);
    assert!(lost.body.contains("cannot connect to postgres://owner@"), "{}", lost.body);
}

#[test]
fn a_configuration_with_a_mistake_is_refused_before_anything_runs() {
    let home = Home::empty();
    let refused = |text: &str, words: &str| {
        home.file("config.toml", text);
        let ended = home.run(&["push"]);
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(ended.stderr.contains(words) && ended.stderr.contains("hint: "), "{}", ended.stderr);
        assert!(!ended.stderr.contains(SECRET), "{}", ended.stderr);
    };
    refused("", "no store of a team is known");
    refused("\nshop = 3\n", "config.toml line 2: unknown field `shop`");
    refused(&format!("store = {SECRET}\n"), "config.toml line 1: ");
    refused(&format!("store = \"postgres://nina:{SECRET}@db/perf\"\n"), "has a password in it");
}
