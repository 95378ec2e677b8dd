//! What is in `deploy/`: the Kubernetes manifest against the schema of its API, the systemd unit by systemd itself, and the
//! arguments of both by the program.

use crate::home::{Ended, Home};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Prints the first document of a YAML file as JSON, and then one line for each way in which it breaks the schema. The libraries
/// are Debian's, so it is Debian's Python.
const CHECK: &str = "
import json, sys, yaml
from jsonschema import Draft202012Validator
document = yaml.safe_load(open(sys.argv[1]))
print(json.dumps(document))
for error in Draft202012Validator(json.load(open(sys.argv[2]))).iter_errors(document):
    print(error.json_path, error.message)
";

fn deployed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(name)
}

/// Returns a manifest, and in which ways it breaks the schema of a Job.
fn checked(manifest: &str) -> (Value, Vec<String>) {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/waiting/fleet_deploy/job-1.34.json");
    let output = Command::new("/usr/bin/python3")
        .args(["-c", CHECK, manifest])
        .arg(schema)
        .output()
        .expect("python3 runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let mut lines = said.lines();
    let document = serde_json::from_str(lines.next().expect("a document")).expect("JSON");
    (document, lines.map(str::to_owned).collect())
}

#[test]
fn the_manifest_is_a_job_of_kubernetes() {
    let path = deployed("prony-agents.yaml");
    let (job, wrong) = checked(path.to_str().expect("UTF-8"));
    assert_eq!(wrong, [""; 0]);
    // What the schema allows and a fleet needs: each agent once, on a node of its own, and no two with one name.
    let spec = &job["spec"];
    assert_eq!(spec["completionMode"], "Indexed");
    assert_eq!(spec["completions"], spec["parallelism"]);
    assert_eq!(spec["template"]["spec"]["restartPolicy"], "Never");
    let container = &spec["template"]["spec"]["containers"][0];
    let arguments = container["args"].as_array().expect("arguments").iter();
    let arguments: Vec<String> =
        arguments.map(|argument| argument.as_str().expect("text").replace("$(INDEX)", "0")).collect();
    assert!(arguments.iter().any(|argument| argument == "--id=k8s-0"));
    assert_accepted(&arguments);
}

#[test]
fn mistakes_in_a_manifest_are_found() {
    let home = Home::empty();
    let text = std::fs::read_to_string(deployed("prony-agents.yaml")).expect("the manifest");
    for (right, wrong, path) in [
        ("completions: 3", "completions: three", "$.spec.completions"),
        ("backoffLimit: 0", "backofLimit: 0", "$.spec"),
        ("hostNetwork: true", "hostNetwork: [true]", "$.spec.template.spec.hostNetwork"),
        ("kind: Job", "kind: Jobs", "$.kind"),
    ] {
        assert!(text.contains(right));
        let file = home.file("wrong.yaml", &text.replace(right, wrong));
        let (_, found) = checked(&file);
        assert!(found.iter().any(|line| line.starts_with(path)), "{wrong}: {found:?}");
    }
}

#[test]
fn the_unit_is_one_of_systemd() {
    let unit = std::fs::read_to_string(deployed("prony-agent.service")).expect("the unit");
    let (_, line) = unit.split_once("ExecStart=").expect("a command");
    let mut words = line.lines().next().expect("a line").split(' ');
    assert_eq!(words.next(), Some("/usr/bin/prony"));
    let arguments = words.map(|word| match word {
        "$PRONY_ALLOW" => "--allow=10.0.0.5:8080".to_owned(),
        _ => word
            .replace("${PRONY_NATS}", "nats://10.0.0.1:4222")
            .replace("${CREDENTIALS_DIRECTORY}", "/etc/prony")
            .replace("%H", "m1"),
    });
    assert_accepted(&arguments.collect::<Vec<String>>());
    // systemd looks for the program, too.
    let home = Home::empty();
    let file = home.file("prony-agent.service", &unit.replace("/usr/bin/prony", env!("CARGO_BIN_EXE_prony")));
    let verify = |file: &str| Command::new("systemd-analyze").args(["verify", file]).output();
    let Ok(output) = verify(&file) else {
        println!("systemd-analyze is not installed, so only the arguments were checked");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    let wrong = home.file("wrong.service", &unit.replace("LimitNOFILE=", "LimitNOFILES="));
    let output = verify(&wrong).expect("it runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("LimitNOFILES"));
}

/// Checks that an agent takes these arguments: what it misses is only the file of credentials.
fn assert_accepted(arguments: &[String]) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ended: Ended = Home::empty().run(&arguments);
    assert!(
        ended.code == Some(2) && ended.stderr.contains("/etc/prony/agent.toml"),
        "{arguments:?}: {}",
        ended.stderr
    );
}
