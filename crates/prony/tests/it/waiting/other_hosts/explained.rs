//! What prony knows of a server there: as much as of one here.
//!
//! Real servers: what is known of one there is compared.

use super::{FILE, Rig};
use crate::home::counts;
use serde_json::Value;

/// A small Tomcat, which takes little CPU to start.
const TOMCAT: &str = r#"server = "tomcat:10.1.29", heap = "64M", jvm_options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]"#;

/// Returns the keys of an object whose values are known.
fn known(value: &Value) -> Vec<&str> {
    let pairs = value.as_object().into_iter().flatten();
    pairs.filter(|(_, value)| !value.is_null()).map(|(key, _)| key.as_str()).collect()
}

#[test]
fn a_tomcat_there_is_known_as_one_here_and_leaves_nothing() {
    let Some(rig) = Rig::new() else { return };
    let text = FILE.replace("explain = \"off\"", "");
    let report = rig.run(&text.replace("FIXTURE", TOMCAT)).report();
    let [here, there] = [0, 1].map(|arm| &report["arms"][arm]);
    assert!(known(&here["effective"]).contains(&"max_threads"), "{here}");
    assert_eq!(here["effective"], there["effective"]);
    // A program that was compiled there has read its settings.
    let compiled = rig.host.inside("ls /root/.cache/prony/host/java-programs");
    let compiled = compiled.expect("a folder");
    assert!(compiled.trim().ends_with(".jar") && compiled.lines().count() == 1, "{compiled}");
    if counts(&report) {
        assert_eq!(known(&here["facts"]), known(&there["facts"]));
        for arm in [here, there] {
            let counts = &arm["levels"][0]["counts"];
            assert!(counts["ok"].as_u64() > Some(0) && counts["ok"] == counts["requests"], "{counts}");
            assert!(arm["startup"]["value"].as_f64() > Some(0.0), "{arm}");
            let cpu = &arm["levels"][0]["measures"]["cpu_per_request"]["value"];
            assert!(cpu.as_f64() > Some(0.0), "{arm}");
        }
    }
    rig.assert_nothing_left();
}
