//! What limits a server on another host is named as it is here.

use crate::measured::causes::causes;
use crate::measured::{neighbour, undisturbed};
use crate::waiting::other_hosts::Rig;

/// A service that takes 20 ms, for 40 users who do not pause, with too few connections or too few threads.
const LIMITED: &str = r#"
question = "What limits each?"
app = "pay"
path = "/pay?orderId=1&millis=20"
arms = [
  { name = "pool here", server = "tomcat:10.1.29", heap = "64M", threads = 10 },
  { name = "pool there", server = "tomcat:10.1.29", heap = "64M", threads = 10, host = "ssh://box" },
  { name = "few there", server = "tomcat:10.1.29", heap = "64M", max_connections = 10, host = "ssh://box" },
]
[load]
connections = 40
timeout = "1s"
[design]
headline = "throughput"
starts = 5
budget = "1s"
pairs = 1
slice = "500ms"
settle = "200ms"
warmup = "4s"
warmup_cap = "4s"
latency_pairs = 0
"#;

/// It may be that the pool is not what limits the server here; then it need not be named there.
#[test]
#[ignore = "measured: ./test --all"]
fn a_fault_there_is_named_as_it_is_here() {
    let Some(rig) = Rig::new() else { return };
    let Some(report) = undisturbed(|| rig.run(LIMITED).report(), neighbour) else {
        return;
    };
    let few = causes(&report, "few there");
    assert!(few.iter().any(|cause| cause == "connection-limit"), "{few:?}");
    let named = |arm: &str| causes(&report, arm).contains(&"thread-pool-limit".to_owned());
    eprintln!("pool named: {} {}", named("pool here"), named("pool there"));
    assert!(named("pool there") || !named("pool here"), "{report}");
    rig.assert_nothing_left();
}
