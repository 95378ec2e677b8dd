//! Arms in real containers: they get their limits, are told when they exceed them, and nothing of them is left behind.
//!
//! Real servers: the settings of one in a container are read.

use crate::fixture::with_arms;
use crate::home::{Ended, Home, counts, wait_for};

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// The end of every experiment here: one short start.
const SHORT: &str = r#"
[load]
connections = 2
[design]
starts = 5
budget = "1s"
pairs = 2
slice = "200ms"
settle = "50ms"
warmup = "200ms"
warmup_cap = "200ms"
latency_pairs = 0
"#;

/// The fixture server within limits, in a container and without one.
const COMMANDS: &str = r#"
path = "/hello"
explain = "off"
arms = [
  { name = "contained", server = "command", container = true, command = ["./fixture", "{host}", "{port}"], ready = { path = "/health", body = "ok" }, memory = "64M", cpus = 0.5 },
  { name = "bare", FIXTURE },
]
"#;

/// A Tomcat in a container and one without.
const TOMCATS: &str = r#"
explain = "off"
arms = [
  { name = "contained", server = "tomcat:10.1.29", container = true, memory = "512M", jvm_options = "-XX:TieredStopAtLevel=1" },
  { name = "bare", server = "tomcat:10.1.29", jvm_options = "-XX:TieredStopAtLevel=1" },
]
"#;

/// Runs podman to its end, and returns what it printed.
fn podman(arguments: &[&str]) -> String {
    let output = Command::new("podman").args(arguments).output().expect("podman");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Whether no engine works here, as the stderr of a run tells.
pub(crate) fn no_engine(ended: &Ended) -> bool {
    let no_engine = ended.stderr.contains("no container engine works here");
    if no_engine {
        assert_eq!(ended.code, Some(3));
        eprintln!("skipped: {}", ended.stderr);
    }
    no_engine
}

/// Returns the containers of starts in this home.
pub(crate) fn containers(home: &Home) -> Vec<String> {
    let work = home.cache().join("work");
    let all = podman(&["ps", "--all", "--format={{.ID}}", "--filter=label=prony.work"]);
    // One that is removed in the meantime has no label any more.
    let label = |id: &str| {
        let mut inspect = Command::new("podman");
        inspect.args(["inspect", "--format={{index .Config.Labels \"prony.work\"}}", id]);
        String::from_utf8_lossy(&inspect.output().expect("podman").stdout).into_owned()
    };
    all.lines().filter(|id| label(id).starts_with(work.to_str().expect("UTF-8"))).map(str::to_owned).collect()
}

fn fact<'a>(report: &'a Value, name: &str) -> &'a str {
    report["fingerprint"][name].as_str().unwrap_or_default()
}

#[test]
fn a_command_in_a_container_has_its_limits_and_clean_removes_what_a_power_cut_leaves() {
    let home = Home::with_fixture();
    let ended = home.run(&["run", &home.file("c.toml", &with_arms(&format!("{COMMANDS}{SHORT}"))), "--json"]);
    if no_engine(&ended) {
        return;
    }
    let report = ended.report();
    let (contained, bare) = (&report["arms"][0], &report["arms"][1]);
    let effective = &contained["effective"];
    assert_eq!((&effective["memory_limit"], &effective["cpu_limit"]), (&(64 << 20).into(), &0.5.into()));
    let by = effective["limited_by"].as_str().unwrap_or_default();
    assert!(by.starts_with("cgroup v") && by.contains("made by "), "{by}");
    assert!(bare["effective"]["limited_by"].is_null());
    assert!(fact(&report, "arm/contained/container").ends_with("with the files of this machine"));
    if counts(&report) {
        let facts = &contained["facts"];
        assert!(facts["cgroup.cpu_seconds"].as_f64() > Some(0.0), "{facts}");
        assert!(facts["cgroup.memory_peak"].as_f64() > Some(1e6), "{facts}");
        assert!(facts["cgroup.nr_periods"].as_f64() > Some(0.0), "{facts}");
        assert!(contained["levels"][0]["measures"]["cpu_per_request"]["value"].as_f64() > Some(0.0));
    }
    assert_eq!((containers(&home), home.work_folders().len()), (Vec::new(), 0));
    assert_clean_removes_containers_whose_start_is_over(&home);
}

#[test]
fn a_container_that_exceeds_its_memory_limit_is_reported() {
    let home = Home::with_fixture();
    let grow = COMMANDS
        .replace(r#""{port}"], ready"#, r#""{port}", "--grow", "4"], ready"#)
        .replace(", cpus = 0.5", "");
    let grow = with_arms(&format!("{grow}{SHORT}"));
    let ended = home.run(&["run", &home.file("grow.toml", &grow)]);
    if no_engine(&ended) {
        return;
    }
    let message = "fixture was killed by the kernel: it needed more than its limit of 64.0 MiB of memory";
    assert!(ended.code == Some(3) && ended.stderr.contains(message), "{}", ended.stderr);
    assert_eq!((containers(&home), home.work_folders().len()), (Vec::new(), 0));
}

#[test]
fn a_tomcat_in_a_container_is_asked_for_its_settings() {
    let home = Home::with_downloads();
    let ended = home.run(&["run", &home.file("t.toml", &format!("{TOMCATS}{SHORT}")), "--json"]);
    if no_engine(&ended) {
        return;
    }
    let report = ended.report();
    let [contained, bare] = [0, 1].map(|arm| &report["arms"][arm]["effective"]);
    // Its MBeans are asked by a program that attaches to its JVM.
    for setting in ["max_threads", "max_connections", "accept_count", "heap", "gc", "jdk"] {
        assert!(!bare[setting].is_null(), "{setting}: {bare}");
        assert_eq!(contained[setting], bare[setting], "{setting}");
    }
    assert_eq!(contained["memory_limit"], 512 << 20);
    assert_eq!((containers(&home), home.work_folders().len()), (Vec::new(), 0));
}

#[test]
fn nothing_is_left_of_a_container_when_prony_is_killed() {
    let home = Home::with_fixture();
    let long = with_arms(&format!("{COMMANDS}{SHORT}")).replace("budget = \"1s\"", "budget = \"60s\"");
    let mut prony = home
        .prony(&["run", &home.file("long.toml", &long)])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("prony runs");
    let began = std::time::Instant::now();
    while containers(&home).is_empty() {
        if prony.try_wait().expect("a status").is_some() {
            let ended = Ended::from(prony.wait_with_output().expect("it ended"));
            assert!(no_engine(&ended), "{}", ended.stderr);
            return;
        }
        assert!(began.elapsed().as_secs() < 60, "no container was made");
    }
    prony.kill().and_then(|()| prony.wait()).expect("it is killed");
    wait_for("the removal of the container", 30, || containers(&home).is_empty());
}

/// Makes a container of a start that is over in a home in which there was a run, and removes it.
fn assert_clean_removes_containers_whose_start_is_over(home: &Home) {
    // As after a power cut: a container without its work folder.
    let label = format!("--label=prony.work={}", home.cache().join("work/gone").display());
    let id = podman(&["create", "--network=host", &label, "localhost/prony-empty:1", "/bin/true"]);
    assert!(containers(home).iter().any(|left| id.starts_with(left)));
    let cleaned = home.run(&["clean"]);
    assert!(cleaned.stdout.contains("containers"), "{}", cleaned.stdout);
    assert_eq!(containers(home), Vec::<String>::new());
}

/// A compose file with the fixture server. It listens on a port of the bridge, and is healthy when a shell in the container sees that it
/// listens there (8098 is 1FA2).
const COMPOSE: &str = r#"
services:
  composed:
    image: NAME
    command: ["0.0.0.0", "${INSIDE:-8098}"]
    ports: ["18098:8098"]
    restart: always
    healthcheck:
      test: ["CMD-SHELL", "while read -r line; do case \"$$line\" in *:1FA2*) exit 0;; esac; done < /proc/net/tcp; exit 1"]
      interval: 1s
"#;

/// Makes an image of the fixture server, a shell, and the libraries that they are linked with.
const IMAGE: &str = r#"
tar --create --file="$1/image.tar" --absolute-names --dereference --transform='s,^/,,' /bin/sh $(ldd "$1/fixture" /bin/sh | grep -o '\s/[^ :]*' | sort -u)
tar --append --file="$1/image.tar" --directory="$1" --transform='s,^,app/,' fixture
"#;

#[test]
fn an_image_of_the_user_is_run_with_its_environment_and_its_volumes() {
    let home = Home::with_fixture();
    home.file("volume.txt", "");
    let made = Command::new("sh").args(["-euc", IMAGE, "sh"]).arg(home.path()).output().expect("a shell");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let name = format!("localhost/prony-test-{}:1", std::process::id());
    let archive = home.path().join("image.tar");
    let start = r#"--change=ENTRYPOINT ["/app/fixture"]"#;
    podman(&["import", start, archive.to_str().expect("UTF-8"), &name]);
    home.file("compose.yml", &COMPOSE.replace("NAME", &name));
    let file = format!(
        r#"
path = "/hello"
explain = "off"
arms = [
  {{ name = "image", server = "image", image = "{name}", command = ["{{host}}", "{{port}}"], memory = "128M", environment = {{ SHOWN = "yes" }}, volumes = ["./volume.txt:/volume.txt:ro"], ready = {{ path = "/health", body = "ok" }} }},
  {{ name = "bare", FIXTURE }},
]
[service.side]
image = "{name}"
port = 8099
command = ["0.0.0.0", "8099"]
ready = "http /health"
[service.composed]
compose = "compose.yml"
{SHORT}"#
    );
    let ended = home.run(&["run", &home.file("image.toml", &with_arms(&file)), "--json"]);
    let digest = podman(&["image", "inspect", "--format={{.Digest}}", &name]);
    podman(&["rmi", &name]);
    if no_engine(&ended) {
        return;
    }
    let report = ended.report();
    let effective = &report["arms"][0]["effective"];
    assert_eq!(effective["server"], format!("{name}, {digest}"));
    assert_eq!(effective["memory_limit"], 128 << 20);
    assert!(fact(&report, "arm/image/application").contains(&digest));
    assert!(fact(&report, "arm/image/container").ends_with("with the files of its image"));
    assert_eq!(fact(&report, "arm/image/environment/SHOWN"), "yes");
    for service in ["side", "composed"] {
        assert!(fact(&report, &format!("arm/image/service/{service}")).contains(&digest));
    }
    assert_eq!((containers(&home), home.work_folders().len()), (Vec::new(), 0));
}

#[test]
fn an_image_that_nobody_has_is_reported_with_what_to_try() {
    let home = Home::with_fixture();
    let file = format!(
        "arms = [{{ server = \"image\", image = \"localhost/prony-nobody:1\", port = 18080 }}, {{ FIXTURE }}]\n{SHORT}"
    );
    let file = with_arms(&file);
    let ended = home.run(&["run", &home.file("absent.toml", &file)]);
    if no_engine(&ended) {
        return;
    }
    assert!(
        ended.stderr.contains("has no image localhost/prony-nobody:1")
            && ended.stderr.contains("hint: see what"),
        "{}",
        ended.stderr
    );
    let file = file.replace(", port = 18080", "");
    let refused = home.run(&["run", &home.file("portless.toml", &file)]);
    assert!(refused.code == Some(2) && refused.stderr.contains("`port`"), "{}", refused.stderr);
}

/// Returns a command that runs an experiment and finds this script as its podman, and other programs in these folders.
fn with_podman(home: &Home, file: &str, script: &str, others: &str) -> Command {
    let podman = home.executable("podman", script);
    let mut command = home.prony(&["run", file, "--json"]);
    let folder = Path::new(&podman).parent().expect("a folder").display();
    command.env("PATH", format!("{folder}:{others}"));
    command
}

#[test]
fn podman_is_tried_with_runc_where_its_default_runtime_refuses() {
    let home = Home::with_fixture();
    let file = home.file("c.toml", &with_arms(&format!("{COMMANDS}{SHORT}")));
    // As crun refuses a system with both versions of control groups.
    let script = "#!/bin/sh\nPATH=/usr/sbin:/usr/bin:/sbin:/bin\n\
        case \"$1\" in run) echo 'Error: OCI runtime error: refused' >&2; exit 126;; esac\nexec podman \"$@\"\n";
    let ended = Ended::from(with_podman(&home, &file, script, "/usr/bin:/bin").output().expect("prony runs"));
    if no_engine(&ended) {
        return;
    }
    let shown = ended.report();
    assert!(
        fact(&shown, "arm/contained/container").contains(", runtime runc, "),
        "{}",
        fact(&shown, "arm/contained/container")
    );
    assert_eq!((containers(&home), home.work_folders().len()), (Vec::new(), 0));
}

#[test]
fn an_engine_that_does_not_work_is_an_error_with_what_it_said() {
    let home = Home::with_fixture();
    let file = home.file("c.toml", &with_arms(&format!("{COMMANDS}{SHORT}")));
    let script = "#!/bin/sh\necho 'Error: cannot set up namespace' >&2\nexit 125\n";
    let ended = Ended::from(with_podman(&home, &file, script, "").output().expect("prony runs"));
    let message = "arm `contained`: no container engine works here: podman: Error: cannot set up namespace; podman --runtime \
                   runc: Error: cannot set up namespace";
    assert!(
        ended.code == Some(3)
            && ended.stderr.contains(message)
            && ended.stderr.contains("hint: install podman"),
        "{}",
        ended.stderr
    );
}
