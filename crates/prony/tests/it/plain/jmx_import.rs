//! `prony import jmx`: the file that it writes sends what the plan sends.

use crate::home::Home;
use crate::served::jmx::{answer, by_user, plan};
use testkit::AnsweringServer;

/// The plans that a scenario file can express in full. The other plans of crates/jmeter/tests/plans use what a
/// scenario file does not have: scripts, groups one after the other, counters of a user, branches.
const WRITABLE: [&str; 24] = [
    "auth",
    "bodies",
    "boundary",
    "class-by-tag",
    "cookies",
    "csv-names-in-file",
    "csv-per-thread",
    "csv-stop",
    "defaults-merge",
    "disabled",
    "escapes",
    "first",
    "forever-once",
    "headers-merge",
    "modules",
    "no-cookies",
    "paths",
    "properties",
    "redirects",
    "servers",
    "timed-start",
    "timers-add-up",
    "transaction",
    "users",
];

#[test]
fn the_written_scenario_sends_what_the_plan_sends() {
    for name in WRITABLE {
        let server = AnsweringServer::start(answer).expect("a server");
        let url = format!("http://{}", server.address());
        let port = format!("-Jport={}", server.address().port());
        let home = Home::empty();
        let file = plan(name).display().to_string();
        let played = home.run(&["--quiet", "load", "--jmx", &file, &port]);
        let of_plan = server.log();
        assert!(!of_plan.is_empty(), "{name}: {}", played.stderr);
        let path = home.file("unused", "").replace("unused", "written.toml");
        let imported = home.run(&["import", "jmx", &file, &port, "-o", &path]);
        assert_eq!(imported.code, Some(0), "{name}: {}", imported.stderr);
        let text = std::fs::read_to_string(&path).expect("the scenario");
        let users = text.lines().find_map(|line| line.split(" -c ").nth(1)?.split(' ').next());
        let users = users.expect("the number of users in the head of the file");
        let played = home.run(&["--quiet", "load", "--scenario", &path, "-c", users, "-d", "20s", &url]);
        let log = server.log();
        assert_eq!(by_user(&log[of_plan.len()..]), by_user(&of_plan), "{name}: {}\n{text}", played.stderr);
    }
}

#[test]
fn what_a_scenario_file_cannot_say_is_listed_with_its_lines() {
    let home = Home::empty();
    let file = plan("phases").display().to_string();
    let path = home.file("unused", "").replace("unused", "written.toml");
    let refused = home.run(&["import", "jmx", &file, "-Jport=1", "-o", &path]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let text = std::fs::read_to_string(&file).expect("a plan");
    let line = text.lines().position(|line| line.contains("<SetupThreadGroup")).expect("a group") + 1;
    let said = format!("line {line}: a scenario file has no groups that run before or behind the load");
    assert!(refused.stderr.contains(&said), "{}", refused.stderr);
    assert!(!std::path::Path::new(&path).exists());
    let skipped = home.run(&["import", "jmx", &file, "-Jport=1", "-o", &path, "--skip-unsupported"]);
    assert_eq!(skipped.code, Some(0), "{}", skipped.stderr);
    let written = std::fs::read_to_string(&path).expect("the scenario");
    assert!(written.contains(&format!("# Left out: {said}")), "{written}");
    let checked = home.run(&["check", &path]);
    assert_eq!(checked.code, Some(0), "{}", checked.stderr);
}

#[test]
fn what_is_done_otherwise_than_in_the_plan_is_said() {
    let home = Home::empty();
    let text = std::fs::read_to_string(plan("first")).expect("a plan");
    let group = text.find("      <ThreadGroup ").expect("a group");
    let added =
        "<CacheManager testname=\"cache\"/><hashTree/><ResultCollector testname=\"tree\"/><hashTree/>\n";
    let file = home.file("cached.jmx", &format!("{}{added}{}", &text[..group], &text[group..]));
    let server = AnsweringServer::start(answer).expect("a server");
    let port = format!("-Jport={}", server.address().port());
    let loaded = home.run(&["load", "--jmx", &file, &port]);
    let checked = home.run(&["check", &file, &port]);
    assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    for said in ["the plan has an HTTP Cache Manager", "the plan's listeners do not run"] {
        assert!(loaded.stderr.contains(said), "{}", loaded.stderr);
        assert!(checked.stdout.contains(said), "{}", checked.stdout);
    }
    let quiet = home.run(&["--quiet", "load", "--jmx", &file, &port]);
    assert!(!quiet.stderr.contains("Cache Manager"), "{}", quiet.stderr);
}
