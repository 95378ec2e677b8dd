//! `prony load --jmx` beside JMeter 5.6.3: both send the same requests.

use crate::home::{BRIEF_JVM, Home};
use crate::served::jmeter::jmeter;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::{Answered, AnsweringServer, Asked};

/// Headers that name the tool or the connection.
const IGNORED: [&str; 7] =
    ["host", "user-agent", "accept", "accept-encoding", "connection", "content-length", "x-user"];

/// A page that embeds what is found in it in many ways.
const PAGE: &str = r#"<link rel="stylesheet" href="/style.css"><script src="app.js">"<img src=no.png>"</script><!-- <img src="no.png"> -->
    <img src="img/logo.png"><img src='../up.png?a=1&amp;b=2'/><img src="/style.css"><input type="image" src="go.png">"#;

/// A page as people write them by hand.
const MESSY: &str = include_str!("../../../../jmeter/tests/plans/parts/messy.html");

pub(crate) fn plan(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../jmeter/tests/plans/{name}.jmx"))
}

/// Answers by the path, as the plans expect it.
pub(crate) fn answer(asked: &Asked) -> Answered {
    let path = asked.path.split('?').next().unwrap_or_default();
    match path {
        "/cookie" => Answered::ok("ok").header("Set-Cookie", "sid=abc; Path=/"),
        _ if path.starts_with("/digest/") && !asked.header("Authorization").starts_with("Digest ") => {
            let challenge = "Digest realm=\"shop\", nonce=\"n-1\", qop=\"auth\", opaque=\"o\", algorithm=MD5";
            Answered::ok("who?").status(401).header("WWW-Authenticate", challenge)
        }
        "/html" => Answered::ok(
            r#"<a href="/one/1"><a href="/two/2"><a href="/three/3"><input name="csrf" value="v-42">"#,
        ),
        "/links" => Answered::ok(
            r#"<html><body><a href="/item?x=1&amp;id=7">1</a><a href="/item?x=2">2</a><a href="javascript:go()">3</a></body></html>"#,
        ),
        "/frames" => Answered::ok(r#"<html><frameset cols="*"><frame src="/frame"></frameset></html>"#),
        "/messy" => Answered::ok(MESSY),
        "/shop/page" => Answered::ok(PAGE).header("Content-Type", "text/html"),
        "/session" => Answered::ok(r#"<a href="/next;sid=abc%20d">"#),
        "/xml" => Answered::ok(
            r#"<?xml version="1.0"?><shop><item id="1"><name>pen</name><price>2.5</price></item><item id="2"><name>ink</name><price>7</price></item></shop>"#,
        ),
        "/soap" => Answered::ok(
            r#"<soap:Envelope xmlns:soap="urn:soap" xmlns="urn:shop" xmlns:x="urn:x"><soap:Body><order x:id="7" id="8"><price>2.5</price><free xmlns="">yes</free></order></soap:Body></soap:Envelope>"#,
        ),
        "/json" => Answered::ok(r#"{"token": "t-1", "items": [{"id": 1}, {"id": 2}, {"id": 3}]}"#),
        _ => match path.strip_prefix("/status/") {
            Some(status) => Answered::ok("ok").status(status.parse().expect("a status")),
            None => Answered::ok("ok"),
        },
    }
}

/// A header in which the proof of a digest, and the number that the client has chosen for it, have no value.
fn without_chosen(value: &str) -> String {
    if !value.starts_with("Digest ") {
        return value.to_owned();
    }
    let mut parts: Vec<&str> = value["Digest ".len()..].split(", ").collect();
    for part in &mut parts {
        let name = part.split('=').next().unwrap_or_default();
        if matches!(name, "cnonce" | "response") {
            *part = name;
        }
    }
    parts.sort_unstable();
    parts.join(", ")
}

/// The requests of each user in order: method, path, headers that matter, body.
pub(crate) fn by_user(log: &[Asked]) -> BTreeMap<String, Vec<String>> {
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for asked in log {
        let mut headers: Vec<String> = asked
            .headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value))
            .filter(|(name, _)| !IGNORED.contains(&name.as_str()))
            .map(|(name, value)| format!("{name}: {}", without_chosen(value)))
            .collect();
        headers.sort();
        let request = format!("{} {headers:?} {}", asked.line(), asked.body);
        users.entry(asked.header("X-User").to_owned()).or_default().push(request);
    }
    users
}

#[test]
fn the_same_plans_send_the_same_requests_as_in_jmeter() {
    let names = [
        "first",
        "timers-add-up",
        "csv-nearest",
        "counter",
        "regex",
        "json",
        "if",
        "scripts",
        "set-property",
        "phases",
        "cookies-by-group",
        "servers",
        "on-error",
        "embedded",
        "servers-csv",
        "url-in-path",
        "foreach-puts",
        "script-numbers",
        "assertions-fail",
        "xpath",
        "include",
        "meeting",
        "rewriting",
        "html",
        "loop-dropped",
        "malformed",
        "auth-digest",
        "xpath-namespaces",
        "links",
        "misspelt",
    ];
    let jdks = sut::jdk::jdks();
    // The Groovy of JMeter 5.6.3 reads the classes of Java 21 at most.
    let jdk = jdks.iter().find(|jdk| jdk.is_full() && (17..=21).contains(&jdk.major));
    let jdk = jdk.expect("the tests need a JDK 17 to 21");
    let home = jmeter(jdk);
    let servers: Vec<AnsweringServer> =
        names.iter().map(|_| AnsweringServer::start(answer).expect("a server")).collect();
    let mut driver = Command::new(jdk.java());
    driver.args(BRIEF_JVM);
    driver.arg("-cp").arg(home.join("lib/*"));
    driver.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/served/jmx/RunPlans.java"));
    driver.arg(home);
    for (name, server) in names.iter().zip(&servers) {
        driver.arg(plan(name)).arg(server.address().port().to_string());
    }
    let ran = driver.output().expect("a JVM");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    for (name, server) in names.iter().zip(&servers) {
        let theirs = server.log();
        let port = format!("-Jport={}", server.address().port());
        let file = plan(name).display().to_string();
        let ours = Home::empty().run(&["--quiet", "load", "--jmx", &file, &port]);
        let log = server.log();
        assert!(!theirs.is_empty(), "{name}: JMeter sent nothing");
        assert_eq!(by_user(&log[theirs.len()..]), by_user(&theirs), "{name}: {}", ours.stderr);
    }
}

#[test]
fn all_that_cannot_run_is_listed_with_its_line_before_anything_is_sent() {
    let server = AnsweringServer::start(answer).expect("a server");
    let port = format!("-Jport={}", server.address().port());
    let home = Home::empty();
    let text = std::fs::read_to_string(plan("first")).expect("a plan");
    let broken = text
        .replace(
            "ThreadGroup.num_threads\">1<",
            "ThreadGroup.num_threads\">${users}<",
        )
        .replace(
            "      <ThreadGroup ",
            "      <JDBCDataSource testname=\"db\"/>\n      <hashTree/>\n      <FTPSampler testname=\"login\"/>\n      <hashTree/>\n      <ThreadGroup ",
        )
        .replace(">/a<", ">/a?x=${__XPath(a,b)}<");
    assert_eq!(broken.lines().count(), text.lines().count() + 4);
    let file = home.file("broken.jmx", &broken);
    let refused = home.run(&["load", "--jmx", &file, &port]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let line = |part: &str| broken.lines().position(|line| line.contains(part)).expect("a line") + 1;
    for (part, what) in [
        ("<FTPSampler", "FTPSampler \"login\": this kind of element is not supported"),
        ("<JDBCDataSource", "JDBCDataSource \"db\": this kind of element is not supported"),
        ("<ThreadGroup ", "ThreadGroup \"users\": `ThreadGroup.num_threads` is `${users}`"),
        ("testname=\"/a\"", "HTTPSamplerProxy \"/a\": the function `__XPath` is not supported"),
    ] {
        let wanted = format!("{file}:{}: {what}", line(part));
        assert!(refused.stderr.contains(&wanted), "{wanted} is not in\n{}", refused.stderr);
    }
    assert!(refused.stderr.contains("hint: --skip-unsupported"), "{}", refused.stderr);
    assert_eq!(server.log(), []);
    assert_the_rest_runs(&home, &broken, &server);
}

/// Runs a plan whose unsupported elements are left out.
fn assert_the_rest_runs(home: &Home, broken: &str, server: &AnsweringServer) {
    let port = format!("-Jport={}", server.address().port());
    let fewer = broken.replace("${users}", "2");
    let file = home.file("fewer.jmx", &fewer);
    let skipped = home.run(&["load", "--jmx", &file, &port, "--skip-unsupported"]);
    // The load may be invalid on a busy machine.
    let (code, told) = (skipped.code, &skipped.stderr);
    assert!(matches!(code, Some(0 | 7)), "{code:?}: {told}");
    for said in ["JDBCDataSource \"db\" (line", "\n2 users, each of whom plays"] {
        assert!(skipped.stdout.contains(said), "{said}: {}", skipped.stdout);
    }
    assert!(!server.log().is_empty());
}

/// Runs a plan, and returns what the report says of the load.
fn load_of(file: &str, properties: &[&str]) -> serde_json::Value {
    let server = AnsweringServer::start(answer).expect("a server");
    let port = format!("-Jport={}", server.address().port());
    let mut args = vec!["--quiet", "load", "--json", "--jmx", file, &port];
    args.extend(properties);
    let ran = Home::empty().run(&args);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    report["arms"][0]["levels"][0]["load"].clone()
}

#[test]
fn the_report_names_the_load_of_the_plan() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = repository.join("experiments/posts/tomcat-versions.jmx");
    let text = std::fs::read_to_string(&file).expect("a plan");
    let load = load_of(&file.display().to_string(), &["-Jusers=5", "-Jloops=1", "-Jramp=0"]);
    assert_eq!(load["users"], 5, "{load}");

    let begin = text.find("<ThreadGroup ").expect("a thread group");
    let length = text[begin..].find("</ThreadGroup>").expect("its end") + "</ThreadGroup>".len();
    let group = r#"<OpenModelThreadGroup testname="visitors">
        <stringProp name="OpenModelThreadGroup.schedule">rate(20/s) even_arrivals(1 s)</stringProp>
      </OpenModelThreadGroup>"#;
    let open = [&text[..begin], group, &text[begin + length..]].concat();
    let home = Home::empty();
    let load = load_of(&home.file("open.jmx", &open), &["--duration=1s"]);
    assert_eq!(load["rate"], 20.0, "{load}");
    assert_eq!(load["users"], serde_json::Value::Null, "{load}");
    assert_eq!(load["sessions"], true, "{load}");
}

#[test]
fn sessions_of_several_groups_begin_at_their_rates_or_are_refused() {
    let group = |name: &str, schedule: &str, path: &str| {
        format!(
            r#"<OpenModelThreadGroup testname="{name}"><stringProp name="OpenModelThreadGroup.schedule">{schedule}</stringProp></OpenModelThreadGroup>
            <hashTree><HTTPSamplerProxy testname="{path}"><stringProp name="HTTPSampler.domain">127.0.0.1</stringProp>
            <stringProp name="HTTPSampler.port">${{__P(port)}}</stringProp><stringProp name="HTTPSampler.path">{path}</stringProp></HTTPSamplerProxy><hashTree/></hashTree>"#
        )
    };
    let plan = |groups: &[String]| {
        let groups = groups.concat();
        format!(
            "<jmeterTestPlan><hashTree><TestPlan testname=\"open\"/><hashTree>{groups}</hashTree></hashTree></jmeterTestPlan>"
        )
    };
    let many = group("many", "rate(60/s) even_arrivals(1 s)", "/many");
    let home = Home::empty();
    let server = AnsweringServer::start(answer).expect("a server");
    let port = format!("-Jport={}", server.address().port());
    let file =
        home.file("open.jmx", &plan(&[many.clone(), group("few", "rate(20/s) even_arrivals(1 s)", "/few")]));
    let ran = home.run(&["--quiet", "load", "--json", "--duration=1s", "--jmx", &file, &port]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    assert_eq!(report["arms"][0]["levels"][0]["load"]["rate"], 80.0, "{}", ran.stdout);
    let log = server.log();
    let few = log.iter().filter(|asked| asked.path == "/few").count();
    assert!(few > 0 && log.len().abs_diff(4 * few) <= 4, "{few} of {}", log.len());
    let file = home.file("other.jmx", &plan(&[many, group("few", "rate(20/s) even_arrivals(2 s)", "/few")]));
    let refused = home.run(&["load", "--jmx", &file, &port]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert_eq!(
        refused.stderr.matches("sessions that begin at a rate cannot run").count(),
        2,
        "{}",
        refused.stderr
    );
    assert_eq!(server.log().len(), log.len());
}
