//! The experiments that come with prony: all of them can be read, and what the posts left open is answered.

use crate::causes::{causes, taken};
use crate::home::Home;
use crate::real::alone;
use model::experiment::{Experiment, Profile};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn experiments() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments")
}

/// The files of a folder, with their profiles.
fn files(folder: &Path, profiles: &[Profile]) -> Vec<Experiment> {
    let known = lab::Bench::known();
    let mut read = Vec::new();
    for entry in fs::read_dir(folder).expect("experiments") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|end| end != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a file");
        for profile in profiles {
            let experiment = Experiment::parse_as(&text, "x", &known, *profile);
            read.push(experiment.unwrap_or_else(|problem| panic!("{}: {problem:?}", path.display())));
        }
    }
    read
}

#[test]
fn every_experiment_can_be_read_and_every_post_has_a_quick_profile_and_its_figures() {
    assert!(!files(&experiments(), &[Profile::Full]).is_empty());
    let both = [Profile::Full, Profile::Quick];
    assert!(!files(&experiments().join("calibration"), &both).is_empty());
    let posts = files(&experiments().join("posts"), &[Profile::Full, Profile::Quick]);
    assert_eq!(
        posts.len(),
        18,
        "five posts, four of which left a second question open, in two profiles"
    );
    for post in posts {
        let reference = post.reference.as_ref();
        assert!(
            reference.is_some_and(|reference| !reference.rows.is_empty()),
            "{}",
            post.name
        );
        let budget = post.design.budget.expect("a budget").as_secs_f64();
        assert!(
            post.profile == Profile::Full || budget <= 360.0,
            "{}: {budget} s",
            post.name
        );
    }
}

/// One start of each arm: its service times of a second leave no doubt.
#[test]
fn virtual_threads_pass_the_ceiling_of_200_and_jettys_only_where_its_limit_is_lifted() {
    let _alone = alone();
    let home = Home::with_downloads();
    let file = experiments().join("posts/virtual-threads.toml");
    let file = file.to_str().expect("UTF-8");
    let ended = home.run(&["run", file, "--quick", "--budget", "1s", "--json"]);
    assert!(
        matches!(ended.code, Some(0 | 7)),
        "{:?}\n{}",
        ended.code,
        ended.stderr
    );
    let report: Value = serde_json::from_str(&ended.stdout).expect("report.json");
    let arm = |name: &str| {
        let arms = report["arms"].as_array().expect("arms");
        arms.iter()
            .find(|arm| arm["name"] == name)
            .expect("an arm of this name")
            .clone()
    };
    let throughput = |name: &str| {
        let value = &arm(name)["levels"][0]["measures"]["throughput"]["value"];
        value
            .as_f64()
            .unwrap_or_else(|| panic!("{name}: {value}\n{}", ended.stderr))
    };
    // On a machine that has other work to do it may be that the start does not count.
    if report["design"]["starts"] == 1 {
        for limited in ["tomcat", "jetty-virtual"] {
            assert!(
                (120.0..240.0).contains(&throughput(limited)),
                "{limited}: {}",
                throughput(limited)
            );
        }
        for free in ["tomcat-virtual", "jetty-virtual-lifted"] {
            assert!(throughput(free) > 300.0, "{free}: {}", throughput(free));
        }
    }
    // What limits is named even where the start does not count.
    if !taken(&report) {
        let named = ["tomcat", "jetty-virtual"].map(|name| causes(&report, name)[0].clone());
        assert_eq!(named, ["thread-pool-limit", "concurrency-limit-default"]);
        let free = ["tomcat-virtual", "jetty-virtual-lifted"].map(|name| causes(&report, name));
        // 500 users at once are more than the accept queue of Tomcat holds: that it may say, of what was not counted.
        let mut free = free.into_iter().flatten();
        assert_eq!(free.find(|cause| cause != "accept-queue-overflow"), None);
    }
    assert_eq!(arm("tomcat")["effective"]["max_threads"], 200);
    assert_eq!(arm("jetty-virtual")["effective"]["virtual_threads"], 200);
    assert_eq!(
        arm("jetty-virtual-lifted")["effective"]["virtual_threads"],
        10_000
    );
    assert_eq!((home.servers(), home.work_folders().len()), (Vec::new(), 0));
}
