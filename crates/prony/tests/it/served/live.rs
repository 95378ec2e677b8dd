//! The live page of a run, read by plain HTTP.
//!
//! Real servers: the pictures of the README show two; none is started otherwise.
//! Looks: the pictures show what was found.

use crate::browser::drive;
use crate::fixture::with_arms;
use crate::home::Home;
use crate::served::real::signal;
use crate::shared::tomcats;
use crate::web::Serving;
use serde_json::Value;

/// An experiment with so many starts, and slices so long, that only the page ends it.
const LONG: &str = r#"
question = "Is Tomcat 9 < 10.1?"
explain = "off"
arms = [
  { name = "tomcat-9", FIXTURE },
  { name = "tomcat-10.1", OTHER_FIXTURE },
]
[load]
connections = 4
[design]
starts = 40
pairs = 2
slice = "500ms"
settle = "50ms"
warmup = "200ms"
warmup_cap = "200ms"
latency_slice = "500ms"
latency_pairs = 2
latency_rate = 500
pace = "in turn"
curve = false
"#;

#[test]
fn a_run_can_be_watched_and_stopped_on_its_page() {
    let home = Home::with_fixture();
    let file = home.file("long.toml", &with_arms(LONG));
    let run = Serving::start(home.prony(&["run", &file, "--live", "--json", "--seed", "7"]));
    assert_pages_are_served(&run);
    assert_strangers_are_refused(&run);
    let mut early = run.events();
    assert_eq!(early.next().expect("an event")["fresh"], true);
    let (slices, rounds) = until_a_round(&mut early);
    let late = run.events().next().expect("an event");
    let count = |what: &str| late[what].as_array().expect("a list").len();
    assert!(count("slices") >= slices && count("rounds") >= rounds, "{late}");
    assert_eq!(late["state"]["question"], "Is Tomcat 9 < 10.1?");
    assert_eq!(late["state"]["arms"], serde_json::json!(["tomcat-9", "tomcat-10.1"]));
    // The browser watches, zooms and reloads, in dark colours, on a phone and in Chinese, and presses the button.
    drive("live.py", &[&run.url]);
    let last = early.last().expect("an event");
    let state = &last["state"];
    assert_eq!((&state["phase"], &state["stopping"]), (&"ended".into(), &true.into()), "{last}");
    assert_eq!(state["results"]["interrupted"], true, "{last}");
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    let report: Value = serde_json::from_str(&ended.stdout).expect("report.json");
    assert_eq!(report["run"], state["run"]);
    let repeat = format!("prony run {file} --seed 7");
    assert_eq!(report["repeat"], repeat, "a page changes nothing of a run");
    let starts = ["starts", "starts_void"].map(|key| report["design"][key].as_u64().expect("a count"));
    assert!(starts.iter().sum::<u64>() >= rounds as u64, "{}", ended.stdout);
    assert_eq!((home.servers(), home.work_folders().len()), (Vec::new(), 0), "something was left behind");
    assert_a_continued_run_shows_its_earlier_starts(&home, starts.iter().sum());
}

#[test]
fn the_report_of_real_servers_is_read_in_a_browser() {
    let home = tomcats().home();
    let pages = Serving::start(home.prony(&["serve"]));
    drive("report.py", &[&pages.url]);
}

fn assert_a_continued_run_shows_its_earlier_starts(home: &Home, starts: u64) {
    let more = Serving::start(home.prony(&["run", "--resume", "latest", "--live"]));
    let shown = more.events().flat_map(|event| event["rounds"].as_array().cloned().unwrap_or_default());
    let shown: Vec<Value> = shown.take(starts as usize).collect();
    let numbers: Vec<Option<u64>> = shown.iter().map(|round| round["round"].as_u64()).collect();
    assert_eq!(numbers, (1..=starts).map(Some).collect::<Vec<_>>());
    // A level may be void in a start that counts.
    let has_verdict = |round: &Value| {
        let mut verdicts = round["verdicts"].as_array().into_iter().flatten();
        verdicts.any(|verdict| verdict["ratio"].is_number())
    };
    assert!(shown.iter().all(|round| has_verdict(round) || !round["void"].is_null()), "{shown:?}");
    signal(&more.child, "INT");
    let ended = more.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
}

#[test]
fn pages_show_what_they_receive() {
    let home = Home::empty();
    let words = home.file("words.json", &report::web::words());
    drive("made_up.py", &[concat!(env!("CARGO_MANIFEST_DIR"), "/../../web"), &words]);
}

/// The experiment of the README's pictures: its arms are so similar that the intervals narrow for a while.
const PICTURED: &str = r#"
name = "tomcats"
question.en = "Is Tomcat 10.1.29 faster than Tomcat 9.0.95 for a small JSON page?"
question.zh = "对一个小的 JSON 页面，Tomcat 10.1.29 比 Tomcat 9.0.95 更快吗？"
arms = [
  { name = "tomcat-9", server = "tomcat:9.0.95" },
  { name = "tomcat-10.1", server = "tomcat:10.1.29" },
]
[load]
connections = 32
[design]
starts = 12
budget = "8m"
pairs = 4
latency_pairs = 10
warmup = "3s"
warmup_cap = "20s"
"#;

#[test]
#[ignore = "takes the README's pictures, as CONTRIBUTING.md says"]
fn pictures_of_a_run_that_ends_by_itself() {
    let home = Home::with_downloads();
    let file = home.file("tomcats.toml", PICTURED);
    let run = Serving::start(home.prony(&["run", &file, "--live", "--seed", "21"]));
    drive("pictures.py", &[&run.url, "5"]);
    let ended = run.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    eprintln!("{}{}", ended.stderr, ended.stdout);
    let pages = Serving::start(home.prony(&["serve"]));
    drive("report.py", &[&pages.url]);
}

fn assert_pages_are_served(run: &Serving) {
    let page = run.get("/");
    assert_eq!(page.status, 200);
    for rule in ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"] {
        assert!(page.head.contains(rule), "{rule}: {}", page.head);
    }
    assert!(page.head.contains("nosniff") && page.head.contains("referrer-policy: no-referrer"));
    for part in page.body.split('"').filter(|part| part.ends_with(".js") || part.ends_with(".css")) {
        assert_eq!(run.get(part).status, 200, "{part}");
    }
}

/// Asserts that requests with foreign host names, forged requests and requests for other files are refused.
fn assert_strangers_are_refused(run: &Serving) {
    let host = run.address.as_str();
    for foreign in ["evil.example", "127.0.0.1.evil.example", "192.0.2.1", ""] {
        assert_eq!(run.ask("GET /", &[("Host", foreign)]).status, 403, "{foreign}");
    }
    assert_eq!(run.ask("GET /events", &[("Host", host), ("Origin", "http://evil.example")]).status, 403);
    for forged in [None, Some("http://evil.example"), Some("null"), Some("http://127.0.0.1:1")] {
        let mut headers = vec![("Host", host)];
        headers.extend(forged.map(|origin| ("Origin", origin)));
        assert_eq!(run.ask("POST /stop", &headers).status, 403, "{forged:?}");
    }
    assert_eq!(run.get("/stop").status, 405);
    for path in
        ["/../Cargo.toml", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/..%2fwords.json", "/live.html"]
    {
        let answer = run.get(path);
        assert_eq!((answer.status, answer.body.as_str()), (404, ""), "{path}");
    }
}

/// Reads events until a slice was shown and a round has ended. Returns how many slices and rounds were sent, and asserts that none was
/// sent twice.
fn until_a_round(events: &mut impl Iterator<Item = Value>) -> (usize, usize) {
    let (mut slices, mut rounds, mut answered) = (0, 0, 0);
    for event in events {
        assert_eq!(event["fresh"], false, "{event}");
        let list = |what: &str| event[what].as_array().expect("a list").clone();
        for slice in list("slices") {
            // On a busy machine nothing may be answered during a slice.
            let [throughput, p99] = ["throughput", "p99"].map(|figure| slice[figure].as_f64() > Some(0.0));
            assert!(p99 || !throughput, "{slice}");
            answered += usize::from(throughput);
            slices += 1;
        }
        for round in list("rounds") {
            rounds += 1;
            assert_eq!(round["round"], rounds);
        }
        if rounds > 0 && slices > 0 {
            assert!(answered > 0, "nothing was answered in {slices} slices");
            return (slices, rounds);
        }
    }
    panic!("the events ended before the first round did");
}

#[test]
fn a_run_whose_page_cannot_be_served_does_not_begin() {
    let home = Home::empty();
    let file = home.file("long.toml", &with_arms(LONG));
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    let ended = home.run(&["run", &file, "--live", "--listen", &address]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains(&address) && ended.stderr.contains("hint:"), "{}", ended.stderr);
    assert!(!home.cache().exists(), "something was downloaded");
    let alone = home.run(&["run", &file, "--listen", &address]);
    assert!(alone.code == Some(2) && alone.stderr.contains("--live"), "{}", alone.stderr);
    let odd = home.run(&["run", &file, "--live", "--listen", "everywhere"]);
    assert!(odd.code == Some(2) && odd.stderr.contains("0.0.0.0:8080"), "{}", odd.stderr);
}
