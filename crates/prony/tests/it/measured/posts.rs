//! The question that post E left open is answered.

use crate::home::Home;
use crate::measured::causes::causes;
use crate::measured::{neighbour_or_no_start, undisturbed};
use crate::plain::posts::experiments;
use std::fs;

/// Copies the file of a post so that the servers are not looked into after the last start: what the answers rest on is seen while the
/// load counts. Returns the path of the copy.
pub(crate) fn without_a_look(home: &Home, post: &str) -> String {
    let read = |ending: &str| {
        let path = experiments().join(format!("posts/{post}.{ending}"));
        fs::read_to_string(path).expect("a file of the post")
    };
    home.file(&format!("{post}.lock"), &read("lock"));
    home.file(&format!("{post}.toml"), &format!("explain = \"off\"\n{}", read("toml")))
}

/// One start of each arm is enough, because requests take a second.
#[test]
#[ignore = "measured: ./test --all"]
fn virtual_threads_exceed_200_requests_a_second_and_on_jetty_only_without_its_limit() {
    let run = || {
        let home = Home::with_downloads();
        let file = without_a_look(&home, "virtual-threads");
        let ended = home.run(&["run", &file, "--quick", "--budget", "1s", "--json"]);
        assert_eq!((home.servers(), home.work_folders().len()), (Vec::new(), 0));
        ended.report()
    };
    let Some(report) = undisturbed(run, neighbour_or_no_start) else {
        return;
    };
    let arm = |name: &str| {
        let arms = report["arms"].as_array().expect("arms");
        arms.iter().find(|arm| arm["name"] == name).expect("an arm of this name").clone()
    };
    let throughput = |name: &str| {
        let value = &arm(name)["levels"][0]["measures"]["throughput"]["value"];
        value.as_f64().unwrap_or_else(|| panic!("{name}: {value}"))
    };
    // 200 requests of a second each, and those that were under way when the slice began.
    let [tomcat, jetty] = ["tomcat", "jetty-virtual"].map(throughput);
    assert!(tomcat < 240.0 && jetty < 240.0, "{tomcat} {jetty}");
    for free in ["tomcat-virtual", "jetty-virtual-lifted"] {
        let free = throughput(free);
        assert!(free > 1.2 * tomcat.max(jetty), "{free}: {tomcat} {jetty}");
    }
    let named = ["tomcat", "jetty-virtual"].map(|name| causes(&report, name)[0].clone());
    assert_eq!(named, ["thread-pool-limit", "concurrency-limit-default"]);
    let free = ["tomcat-virtual", "jetty-virtual-lifted"].map(|name| causes(&report, name));
    // 500 users at once are more than the accept queue of Tomcat holds, so this may be diagnosed before the measured part.
    let mut free = free.into_iter().flatten();
    assert_eq!(free.find(|cause| cause != "accept-queue-overflow"), None);
    assert_eq!(arm("tomcat")["effective"]["max_threads"], 200);
    assert_eq!(arm("jetty-virtual")["effective"]["virtual_threads"], 200);
    assert_eq!(arm("jetty-virtual-lifted")["effective"]["virtual_threads"], 10_000);
}
