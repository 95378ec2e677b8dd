//! `prony load --scenario` as a user sees it.
//!
//! Real servers: its application has a database and TLS.

use crate::fixture::with_arms;
use crate::home::{Ended, Home};
use crate::shared::newest_run;
use record::rounds::SliceRecord;
use serde_json::Value;
use std::path::PathBuf;
use store::Store;
use testkit::{Answered, AnsweringServer};

/// Plays a scenario that is written into a file of its own.
fn play(text: &str, flags: &[&str], server: &AnsweringServer) -> (PathBuf, Ended) {
    let folder = tempfile::tempdir().expect("a folder").keep();
    let file = folder.join("shop.toml");
    std::fs::write(&file, text).expect("a file");
    std::fs::write(folder.join("users.csv"), "user\nann\nbob\n").expect("a file");
    let address = format!("http://{}/app", server.address());
    let path = file.display().to_string();
    let arguments = [&["load", &address, "--scenario", &path], flags].concat();
    let ended = Home::empty().run(&arguments);
    (folder, ended)
}

fn server() -> AnsweringServer {
    AnsweringServer::start(|asked| match asked.path.as_str() {
        "/app/login" => Answered::ok("{\"token\":\"t1\"}"),
        "/app/broken" => Answered::ok("{\"error\":\"full\",\"password\":\"hush\"}").status(503),
        _ => Answered::ok(format!("hello {}", asked.header("authorization"))),
    })
    .expect("a server")
}

const SHOP: &str = r#"
[[data]]
file = "users.csv"
rows = "unique"
[[scenario]]
name = "shop"
[[scenario.step]]
name = "log in"
post = "/login"
form = { user = "${user}" }
extract = { token = { json = "$.token" } }
[[scenario.step]]
group = "order"
[[scenario.step.step]]
get = "/items"
bearer = "${token}"
check = { contains = "hello Bearer t1" }
[[scenario.step]]
get = "/broken"
"#;

#[test]
fn steps_are_reported_with_counts_times_and_the_first_failure() {
    let server = server();
    let (folder, ended) = play(SHOP, &["-c", "2", "--iterations", "3"], &server);
    assert!(matches!(ended.code, Some(0 | 7)), "{}", ended.stderr);
    let line = |name: &str| {
        let found = ended.stdout.lines().find(|line| line.trim_start().starts_with(name));
        let words = found.unwrap_or_else(|| panic!("{name}: {}", ended.stdout)).split_whitespace();
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(line("log in")[2..4], ["6", "0"]);
    assert_eq!(line("order")[1..3], ["6", "0"]);
    assert_eq!(line("GET /broken")[2..5], ["6", "6", "-"]);
    let said = "First failure of GET /broken: the status was 503\n    GET /app/broken HTTP/1.1\n";
    assert!(ended.stdout.contains(said), "{}", ended.stdout);
    assert!(ended.stdout.contains("\"error\":\"full\""), "{}", ended.stdout);
    assert!(!ended.stdout.contains("hush"), "{}", ended.stdout);
    let (again, ended) = play(SHOP, &["-c", "2", "--iterations", "1", "--json"], &server);
    let report: Value = serde_json::from_str(&ended.stdout).expect("report.json");
    let steps = &report["arms"][0]["levels"][0]["steps"];
    assert_eq!((&steps[1]["name"], &steps[1]["transaction"]), (&"order".into(), &true.into()));
    assert_eq!((&steps[1]["ended"], &steps[1]["ok"]), (&2.into(), &2.into()));
    assert!(steps[1]["times"]["p50"].as_f64().expect("a time") > 0.0);
    assert_eq!(steps[3]["first_failure"]["says"], "the status was 503");
    [folder, again].iter().for_each(|folder| std::fs::remove_dir_all(folder).expect("it was made"));
}

#[test]
fn all_mistakes_are_shown_before_anything_is_sent() {
    let server = server();
    let text = "[[data]]\nfile = 'customers.csv'\n[[scenario]]\n[[scenario.step]]\ngett = '/'\n[[scenario.step]]\nget = '/${usr}'\n";
    let (folder, ended) = play(text, &["-d", "1"], &server);
    assert_eq!(ended.code, Some(2));
    for said in [
        "cannot read `customers.csv`: No such file or directory",
        "shop.toml:2:8",
        "did you mean `get`?",
        "shop.toml:7:9",
        "nothing sets the variable `usr` before it is used here",
    ] {
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
    }
    assert!(server.log().is_empty());
    std::fs::remove_dir_all(folder).expect("it was made");
}

/// One start of two real Tomcats, one of them over TLS, whose users keep the identifier of what they have created.
const COMPARED: &str = r#"
question = "Does a scenario run?"
app = "crud"
arms = [
  { name = "plain", server = "tomcat:9.0.117", heap = "64M", jvm_options = "-XX:TieredStopAtLevel=1" },
  { name = "tls", server = "tomcat:9.0.117", tls = "jsse", heap = "64M", jvm_options = "-XX:TieredStopAtLevel=1" },
]
explain = "off"
[service.memcached]
[load]
connections = 4
[[scenario]]
[[scenario.step]]
name = "create"
put = "/crud/${session()}"
body = '{"name":"entity ${session()}"}'
check = { status = 201 }
[[scenario.step]]
group = "use"
[[scenario.step.step]]
name = "read"
get = "/crud/${session()}"
check = { contains = "entity ${session()}" }
extract = { name = { json = "$.name" } }
[[scenario.step.step]]
name = "change"
post = "/crud/${session()}"
body = '{"name":"changed ${name}"}'
think = "1ms"
[[scenario.step]]
name = "delete"
delete = "/crud/${session()}"
check = { status = 204 }
[design]
baseline = "plain"
starts = 3
budget = "1s"
pairs = 2
slice = "200ms"
settle = "50ms"
warmup = "500ms"
warmup_cap = "500ms"
latency_slice = "200ms"
latency_pairs = 2
"#;

#[test]
fn real_servers_are_compared_by_the_steps_of_a_scenario() {
    let home = Home::with_downloads();
    let file = home.file("sessions.toml", COMPARED);
    let ended = home.run(&["run", &file, "--json", "--seed", "7"]);
    let report = ended.report();
    for arm in report["arms"].as_array().expect("arms") {
        let steps = arm["levels"][0]["steps"].as_array().expect("steps");
        let names: Vec<_> = steps.iter().map(|step| step["name"].as_str().expect("a name")).collect();
        assert_eq!(names, ["create", "use", "read", "change", "delete"]);
    }
    assert_every_step_was_right(&home);
    let shown = home.run(&["report", "latest", "--format", "md"]);
    assert!(shown.stdout.contains("## Steps of the sessions"), "{}", shown.stdout);
    let again = home.run(&["report", "--recompute", "--format", "json"]);
    assert_eq!(again.stdout, ended.stdout, "{}", again.stderr);
}

/// Asserts for the newest run of two arms that each step ended in both, and always rightly, whether or not the start counts.
fn assert_every_step_was_right(home: &Home) {
    let store = Store::open(&home.data()).expect("the history");
    let slices = store.slices(&newest_run(home)).expect("its slices");
    for arm in [0, 1] {
        let of_arm: Vec<&SliceRecord> = slices.iter().filter(|slice| slice.arm == arm).collect();
        for step in 0..5 {
            let steps = of_arm.iter().map(|slice| &slice.steps[step]);
            let [ended, ok] = steps.fold([0, 0], |[ended, ok], step| [ended + step.ended, ok + step.ok]);
            assert!(ended > 0 && ok == ended, "step {step} of arm {arm}: {ok} of {ended}");
        }
    }
}

/// Three starts, with requirements on their steps. The servers are so slow that their starts count on a busy machine,
/// too.
const REQUIRED: &str = r#"
explain = "off"
arms = [
  { name = "plain", server = "command", command = ["./fixture", "{host}", "{port}", "--delay", "2"] },
  { name = "other", server = "command", command = ["./fixture", "{host}", "{port}", "--delay", "3"] },
]
[load]
connections = 4
[[scenario]]
[[scenario.step]]
name = "create"
put = "/status/201"
body = '{"name":"entity ${session()}"}'
check = { status = 201 }
[[scenario.step]]
group = "use"
[[scenario.step.step]]
name = "read"
get = "/json"
check = { contains = "Hello" }
extract = { message = { json = "$.message" } }
[[scenario.step.step]]
name = "change"
post = "/hello"
body = '{"name":"changed ${message}"}'
think = "1ms"
[design]
starts = 3
budget = "20s"
pairs = 2
slice = "200ms"
settle = "50ms"
warmup = "200ms"
warmup_cap = "200ms"
latency_slice = "200ms"
latency_pairs = 2
latency_rate = 50
pace = "in turn"
curve = false
[require.step.read]
throughput = "> 100000000/s"
[require.step.use]
errors = "< 50%"
"#;

#[test]
fn what_is_required_of_steps_is_judged() {
    let home = Home::with_fixture();
    let file = home.file("required.toml", &with_arms(REQUIRED));
    let ended = home.run(&["run", &file, "--json", "--seed", "7"]);
    // 4: a bound is missed; 7: no start counts, because the machine is too busy.
    assert!(matches!(ended.code, Some(0 | 4 | 7)), "{}", ended.stderr);
    let report: Value = serde_json::from_str(&ended.stdout).expect("report.json");
    let required = report["required"].as_array().expect("requirements");
    let verdicts = |step: &str, measure: &str| {
        let ones = required.iter().filter(|one| one["step"] == step && one["measure"] == measure);
        let verdicts = ones.map(|one| one["verdict"].as_str().expect("a verdict"));
        verdicts.collect::<Vec<&str>>()
    };
    // Errors are judged at each load: in the closed loop, and at the fixed rate.
    let (throughput, errors) = (verdicts("read", "throughput"), verdicts("use", "errors"));
    assert!(!throughput.is_empty() && !errors.is_empty(), "{required:?}");
    if ended.code == Some(7) {
        return;
    }
    assert!(errors.iter().all(|verdict| *verdict == "pass"), "{errors:?}");
    // On a busy machine, fewer than the three starts that a verdict takes may count.
    match throughput.as_slice() {
        ["fail", ..] => assert_eq!(ended.code, Some(4)),
        ["inconclusive", ..] => assert_eq!(ended.code, Some(0)),
        other => panic!("{other:?}"),
    }
}
