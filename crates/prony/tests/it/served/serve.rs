//! `prony serve`, read by plain HTTP.
//!
//! Real servers: none is started, a stored run names one.

use crate::browser::drive;
use crate::home::Home;
use crate::plain::stored::{Kept, record, stored};
use crate::served::real::signal;
use crate::web::Serving;
use serde_json::Value;
use std::net::{TcpListener, TcpStream};
use std::sync::OnceLock;

const FIRST: &str = "2026-11-20T01:00:00Z-0001";
const KILLED: &str = "2026-11-21T02:00:00Z-0002";

/// Creates a home with two runs: one that ended, and one on another kernel that was killed.
fn home() -> Home {
    static KEPT: OnceLock<Kept> = OnceLock::new();
    KEPT.get_or_init(|| Kept::of(&made_up())).home()
}

fn made_up() -> Home {
    let home = Home::empty();
    let mut ended = record(&[("kernel", "6.1"), ("cpus", "2")]);
    FIRST.clone_into(&mut ended.run);
    let (store, report) = stored(&home, &ended);
    store.finish(&ended, &report).expect("finish");
    let mut killed = record(&[("kernel", "6.18"), ("cpus", "2")]);
    KILLED.clone_into(&mut killed.run);
    stored(&home, &killed);
    home
}

/// Asserts that all scripts and styles that the pages name are served.
fn assert_parts_are_served(pages: &Serving) {
    for page in ["/", "/pair?a=x&b=y"] {
        let body = pages.get(page).body;
        for part in body.split('"').filter(|part| part.ends_with(".js") || part.ends_with(".css")) {
            assert_eq!(pages.get(part).status, 200, "{part}");
        }
    }
}

#[test]
fn stored_runs_are_listed_shown_and_compared_side_by_side() {
    let home = home();
    let pages = Serving::start(home.prony(&["serve", "--lang", "zh"]));
    assert!(pages.url.ends_with("/?lang=zh-CN"), "{}", pages.url);
    let json = |path: &str| -> Value {
        let answer = pages.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).expect("JSON")
    };
    assert_parts_are_served(&pages);
    let listed = json("/api/runs");
    assert_eq!(listed["more"], false);
    let runs = &listed["runs"];
    assert_eq!((&runs[0]["run"], &runs[0]["result"]), (&KILLED.into(), &Value::Null));
    assert_eq!((&runs[1]["run"], &runs[1]["result"]["starts"]), (&FIRST.into(), &7.into()));
    assert_eq!(runs[1]["result"]["verdicts"][0]["arm"], "tomcat:10.1.29");
    let shown = home.run(&["report", FIRST, "--format", "md"]).stdout;
    assert_eq!(pages.get(&format!("/run/{FIRST}/report.md")).body, shown);
    let page = pages.get(&format!("/run/{FIRST}?lang=zh"));
    assert!(page.status == 200 && page.body.contains("lang=\"zh"), "{}", page.head);
    assert!(page.head.contains("script-src 'sha256-") && page.head.contains("frame-ancestors 'none'"));
    let killed = json(&format!("/run/{KILLED}/report.json"));
    assert_eq!((&killed["design"]["starts"], &killed["design"]["interrupted"]), (&7.into(), &true.into()));
    let pair = json(&format!("/api/pair/{FIRST}/{KILLED}"));
    assert_eq!(pair["differ"], serde_json::json!([{ "name": "kernel", "sides": ["6.1", "6.18"] }]));
    for row in pair["values"].as_array().expect("rows") {
        assert_eq!(row["sides"][0], row["sides"][1], "{row}");
    }
    for path in [
        "/run/2026".to_owned(),
        "/run/..%2f..%2fetc%2fpasswd".to_owned(),
        "/run/../../etc/passwd".to_owned(),
        format!("/run/{FIRST}/report.sh"),
        format!("/api/pair/{FIRST}/nobody"),
    ] {
        assert_eq!(pages.get(&path).status, 404, "{path}");
    }
    drive("stored.py", &[&pages.url]);
    signal(&pages.child, "INT");
    let ended = pages.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

#[test]
fn a_run_that_lasts_is_listed_without_its_token() {
    let home = home();
    let page = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let place = page.local_addr().expect("its address");
    let notices = home.data().join("live");
    std::fs::create_dir_all(&notices).expect("a folder");
    let pages = Serving::start(home.prony(&["serve"]));
    let live = |url: &str| -> (Value, String) {
        std::fs::write(notices.join(KILLED), url).expect("a notice");
        let body = pages.get("/api/runs").body;
        let listed: Value = serde_json::from_str(&body).expect("JSON");
        (listed["runs"][0]["live"].clone(), body)
    };
    let url = format!("http://{place}/?lang=en");
    assert_eq!(live(&url).0, serde_json::json!({ "url": url }));
    for asked in ["token=0123456789abcdef", "lang=en&token=0123456789abcdef"] {
        let (under_way, body) = live(&format!("http://{place}/?{asked}"));
        assert_eq!(under_way, serde_json::json!({ "url": null }));
        assert!(!body.contains("0123456789abcdef"), "{body}");
    }
}

#[test]
fn other_machines_see_nothing_without_the_token() {
    let home = home();
    let mut serve = home.prony(&["serve", "--listen", "0.0.0.0"]);
    serve.env("LC_ALL", "zh_CN.UTF-8");
    let mut pages = Serving::start(serve);
    let (place, asked) = pages.url.split_once("/?token=").expect("a token");
    let (token, lang) = asked.split_once('&').expect("a language, by the locale");
    assert_eq!(lang, "lang=zh-CN");
    let port = place.rsplit(':').next().expect("a port");
    let (here, token) = (format!("127.0.0.1:{port}"), token.to_owned());
    pages.address.clone_from(&here);
    for path in ["/", "/api/runs", "/style.css", "/?token=", &format!("/?token={}", "0".repeat(token.len()))]
    {
        let answer = pages.get(path);
        assert_eq!(answer.status, 403, "{path}: {}", answer.body);
    }
    let let_in = pages.get(&format!("/?token={token}&lang=zh-CN"));
    assert_eq!(let_in.status, 303, "{}", let_in.head);
    assert!(
        let_in.head.contains("httponly; samesite=strict")
            && let_in.head.contains("location: /?lang=zh-cn\r\n")
    );
    let cookie = let_in.head.split("set-cookie: ").nth(1).and_then(|rest| rest.split(';').next());
    let cookie = cookie.expect("a cookie");
    let inside = |headers: &[(&str, &str)]| pages.ask("GET /api/runs", headers).status;
    assert_eq!(inside(&[("Host", &here), ("Cookie", cookie)]), 200);
    assert_eq!(inside(&[("Host", "evil.example"), ("Cookie", cookie)]), 403);
    signal(&pages.child, "TERM");
    assert_eq!(pages.end().code, Some(0));
}

#[test]
fn idle_connections_of_strangers_do_not_keep_others_out() {
    let home = home().with_patience(0.2);
    let pages = Serving::start(home.prony(&["serve"]));
    let silent: Vec<TcpStream> =
        (0..200).map(|_| TcpStream::connect(&pages.address).expect("a connection")).collect();
    // This request is served when the first idle connection is closed.
    assert_eq!(pages.get("/").status, 200);
    let open = std::fs::read_dir(format!("/proc/{}/fd", pages.child.id())).expect("its files");
    let open = open.count();
    assert!(open < 170, "{open} files are open");
    drop(silent);
    signal(&pages.child, "TERM");
    assert_eq!(pages.end().code, Some(0));
}
