//! What is in `deploy/`: the manifests of Kubernetes against the schema of its API, the systemd unit by systemd itself, and the
//! arguments of both by the program.

use crate::home::{Ended, Home};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Prints the documents of a YAML file as a list in JSON, and then one line for each way in which one breaks the schema. The libraries
/// are Debian's, so it is Debian's Python.
const CHECK: &str = "
import json, sys, yaml
from jsonschema import Draft202012Validator
documents = list(yaml.safe_load_all(open(sys.argv[1])))
print(json.dumps(documents))
for error in (error for document in documents for error in Draft202012Validator(json.load(open(sys.argv[2]))).iter_errors(document)):
    print(error.json_path, error.message)
";

fn deployed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(name)
}

/// Returns the objects of a manifest, and in which ways they break the schema.
fn checked(manifest: &str) -> (Vec<Value>, Vec<String>) {
    let schema =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/waiting/fleet_deploy/objects-1.34.json");
    let output = Command::new("/usr/bin/python3")
        .args(["-c", CHECK, manifest])
        .arg(schema)
        .output()
        .expect("python3 runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let mut lines = said.lines();
    let documents = serde_json::from_str(lines.next().expect("documents")).expect("JSON");
    (documents, lines.map(str::to_owned).collect())
}

/// The arguments of the first container of a Job, or of the first one that runs before it.
fn arguments(job: &Value) -> Vec<String> {
    let pod = &job["spec"]["template"]["spec"];
    let first = pod["initContainers"].get(0).unwrap_or(&pod["containers"][0]);
    let arguments = first["args"].as_array().expect("arguments").iter();
    arguments.map(|argument| argument.as_str().expect("text").replace("$(INDEX)", "0")).collect()
}

#[test]
fn the_agents_are_a_job_of_kubernetes() {
    let path = deployed("kubernetes/agents.yaml");
    let (jobs, wrong) = checked(path.to_str().expect("UTF-8"));
    assert_eq!(wrong, [""; 0]);
    // What the schema allows and a fleet needs: each agent once, on a node of its own, and no two with one name.
    let spec = &jobs[0]["spec"];
    assert_eq!(spec["completionMode"], "Indexed");
    assert_eq!(spec["completions"], spec["parallelism"]);
    assert_eq!(spec["template"]["spec"]["restartPolicy"], "Never");
    let arguments = arguments(&jobs[0]);
    assert!(arguments.iter().any(|argument| argument == "--id=k8s-0"));
    // The name of a Service cannot be looked up here.
    let here: Vec<String> =
        arguments.iter().map(|argument| argument.replace("=shop:8080", "=10.0.0.5:8080")).collect();
    assert_accepted(&here);
}

#[test]
fn coordinator_gate_and_what_they_need_are_objects_of_kubernetes() {
    let kinds = |name: &str| {
        let (objects, wrong) = checked(deployed(name).to_str().expect("UTF-8"));
        assert_eq!(wrong, [""; 0], "{name}");
        objects.iter().map(|object| object["kind"].as_str().expect("a kind").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds("kubernetes/nats.yaml"), ["Deployment", "Service"]);
    assert_eq!(kinds("kubernetes/target.yaml"), ["Deployment", "Service"]);
    for name in ["kubernetes/coordinator.yaml", "kubernetes/gate.yaml"] {
        let (jobs, _) = checked(deployed(name).to_str().expect("UTF-8"));
        assert_eq!(kinds(name), ["Job"]);
        // A pod that has failed is not a reason to load the target again.
        assert_eq!(jobs[0]["spec"]["backoffLimit"], 0);
        // All arguments are read before the load is found to last no time.
        let arguments = arguments(&jobs[0]);
        let brief = |argument: &String| argument.replace("--duration=2m", "--duration=0");
        let brief: Vec<String> =
            arguments.iter().filter(|argument| !argument.starts_with("--out=")).map(brief).collect();
        let ended = Home::empty().run(&brief.iter().map(String::as_str).collect::<Vec<_>>());
        let is_read = ended.code == Some(2) && ended.stderr.contains("a load of no time measures nothing");
        assert!(is_read, "{name}: {}", ended.stderr);
    }
}

#[test]
fn mistakes_in_a_manifest_are_found() {
    let home = Home::empty();
    let text = std::fs::read_to_string(deployed("kubernetes/agents.yaml")).expect("the manifest");
    for (right, wrong, path) in [
        ("completions: 3", "completions: three", "$.spec.completions"),
        ("backoffLimit: 0", "backofLimit: 0", "$.spec"),
        ("hostNetwork: true", "hostNetwork: [true]", "$.spec.template.spec.hostNetwork"),
        ("kind: Job", "kind: Jobs", "$.kind"),
        ("apiVersion: batch/v1", "apiVersion: batch/v2", "$.apiVersion"),
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
