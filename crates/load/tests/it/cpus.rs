//! The CPU and the priority of event loops, and how late they send.

use crate::{millis, open, patiently, run, window};
use load::{Edge, Session};
use std::sync::atomic::AtomicBool;
use testkit::{Reply, Script, ScriptedServer};

/// The CPUs that the calling thread may use, and its scheduling policy.
fn state() -> (String, String) {
    let read = |file: &str| std::fs::read_to_string(format!("/proc/thread-self/{file}")).unwrap();
    let status = read("status");
    let cpus = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let stat = read("stat");
    let (_, after_name) = stat.rsplit_once(')').unwrap();
    let policy = after_name.split_whitespace().nth(38).unwrap();
    (cpus.unwrap().trim().to_owned(), policy.to_owned())
}

#[test]
fn a_loop_stays_on_its_cpu_while_it_runs_and_only_a_rate_takes_a_real_time_priority() {
    let server = ScriptedServer::start(Script::new(Reply::ok("hello"))).unwrap();
    let before = state();
    let last = before.0.rsplit([',', '-']).next().unwrap().to_owned();
    let within = |open_loop: bool| {
        let mut plan = match open_loop {
            true => open(&server, 500.0, 4),
            false => crate::closed(&server, 2),
        };
        plan.cpus = vec![last.parse().unwrap()];
        plan.real_time = true;
        let mut seen = Vec::new();
        Session::open(plan)
            .unwrap()
            .run(window(0, 50), &AtomicBool::new(false), &mut |edge| {
                if matches!(edge, Edge::CountedBegins) {
                    seen.push(state());
                }
            })
            .unwrap();
        assert_eq!(state(), before);
        seen.remove(0)
    };
    let usual = &before.1;
    assert_eq!(within(false), (last.clone(), usual.clone()));
    let (cpus, policy) = within(true);
    assert_eq!(cpus, last);
    // SCHED_RR is 2; where it is refused, the policy stays.
    assert!(["2", usual].contains(&policy.as_str()), "{policy}");
}

#[test]
fn response_times_without_the_send_delay_are_shorter_by_it() {
    let server = ScriptedServer::start(Script::new(Reply::ok("hello"))).unwrap();
    patiently(|| {
        let slice = run(open(&server, 2000.0, 32), window(100, 500));
        let undelayed = &slice.self_check.undelayed;
        assert_eq!(undelayed.len(), slice.response.len());
        let delay = slice.self_check.send_delay.mean();
        let difference = slice.response.mean() - undelayed.mean();
        // Requests at the edges are in one of the two only.
        assert!((difference - delay).abs() < 0.1 * delay + 2_000.0, "{difference} {delay}");
        assert!(millis(undelayed, 0.99) <= millis(&slice.response, 0.99));
    });
    let closed = run(crate::closed(&server, 2), window(0, 50));
    assert!(closed.self_check.undelayed.is_empty());
}
