//! The quick profiles of the posts answer the questions that the posts left open; each answer is looked up in report.json. One start of
//! each arm is enough, because these effects are large. The answers for post E are in `posts`. `bench/posts` shows whether arms
//! differ, which needs more starts.

use crate::home::Home;
use crate::measured::causes::{causes, diagnosis};
use crate::measured::posts::without_a_look;
use crate::measured::{neighbour, undisturbed};
use crate::served::faults::one_start;
use serde_json::Value;
use std::path::Path;

/// Runs one start of a post's quick profile and returns its report; `None` if this machine cannot run it.
fn report(post: &str) -> Option<Value> {
    let run = || {
        let home = Home::with_downloads();
        let report = one_start(&home, Path::new(&without_a_look(&home, post)));
        assert_eq!((home.servers(), home.work_folders().len()), (Vec::new(), 0));
        report
    };
    undisturbed(run, |report| report.as_ref().and_then(neighbour))?
}

/// Returns a number in the evidence for a cause of an arm.
fn evidence(report: &Value, arm: &str, cause: &str, code: &str) -> f64 {
    let diagnosis = diagnosis(report, arm, cause);
    let numbers = diagnosis["evidence"].as_array().expect("evidence").iter();
    let named = |number: &&Value| number["code"].as_str().is_some_and(|its| its.starts_with(code));
    let number = numbers.clone().find(named);
    number.and_then(|number| number["value"].as_f64()).unwrap_or_else(|| panic!("{code}: {diagnosis}"))
}

#[test]
#[ignore = "measured: ./test --all"]
fn post_a_errors_at_9000_users_come_from_the_limit_of_connections() {
    let Some(report) = report("tomcat-versions-limit") else {
        return;
    };
    assert_eq!(causes(&report, "tomcat-9")[0], "connection-limit");
    assert_eq!(evidence(&report, "tomcat-9", "connection-limit", "connections-most"), 8192.0);
    let roomy = causes(&report, "roomy");
    assert!(roomy.iter().all(|cause| cause != "connection-limit"), "{roomy:?}");
}

#[test]
#[ignore = "measured: ./test --all"]
fn post_b_over_45_mbit_the_link_is_measured_and_not_the_servers() {
    let Some(report) = report("nio-vs-apr-link") else {
        return;
    };
    for arm in ["nio", "apr"] {
        assert_eq!(causes(&report, arm)[0], "link-saturated", "{arm}");
    }
    let mut verdicts = report["comparisons"].as_array().expect("comparisons").iter();
    let decided = verdicts.find(|one| ["inconclusive", "invalid"].iter().all(|word| one["verdict"] != *word));
    assert_eq!(decided, None);
}

#[test]
#[ignore = "measured: ./test --all"]
fn post_c_connects_of_a_second_are_retries_after_a_full_accept_queue() {
    let Some(report) = report("standalone-vs-embedded-connects") else {
        return;
    };
    let of = |code: &str| evidence(&report, "standalone", "accept-queue-overflow", code);
    assert!(of("syn-retransmits") >= 1.0 && of("listen-overflows") >= 1.0);
}

#[test]
#[ignore = "measured: ./test --all"]
fn post_d_https_is_slow_where_connections_are_not_kept() {
    let Some(report) = report("crud-memcached-closes") else {
        return;
    };
    let closes = causes(&report, "jsse-closes");
    for cause in ["tls-handshake-per-request", "keepalive-not-effective"] {
        assert!(closes.iter().any(|named| named == cause), "{closes:?}");
    }
    let each = evidence(&report, "jsse-closes", "tls-handshake-per-request", "cpu-per-request");
    assert!((1e-5..0.1).contains(&each), "{each}");
    let kept = causes(&report, "jsse");
    assert!(kept.iter().all(|cause| cause != "tls-handshake-per-request"), "{kept:?}");
}
