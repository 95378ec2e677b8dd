//! `prony import jmx`: the file that it writes sends what the plan sends.

use crate::home::Home;
use crate::jmx::{answer, by_user, plan};
use testkit::AnsweringServer;

/// The plans of which a scenario file can say everything, with the number of their users. Others of crates/jmeter/tests/plans use what a
/// scenario file does not have: scripts, groups one after the other, counters of a user, branches.
const WRITABLE: [&str; 15] = [
    "bodies",
    "boundary",
    "class-by-tag",
    "cookies",
    "csv-names-in-file",
    "defaults-merge",
    "disabled",
    "escapes",
    "first",
    "headers-merge",
    "modules",
    "no-cookies",
    "paths",
    "properties",
    "transaction",
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
        let users = text
            .lines()
            .find_map(|line| line.split(" -c ").nth(1)?.split(' ').next());
        let users = users.expect("the number of users in the head of the file");
        let played = home.run(&[
            "--quiet",
            "load",
            "--scenario",
            &path,
            "-c",
            users,
            "-d",
            "20s",
            &url,
        ]);
        let log = server.log();
        assert_eq!(
            by_user(&log[of_plan.len()..]),
            by_user(&of_plan),
            "{name}: {}\n{text}",
            played.stderr
        );
    }
}
