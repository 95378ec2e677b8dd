//! The ways in which hosts are used: several of them, several arms on one, other clocks and other pronies there.

use super::refused::assert_refused;
use super::{COMMAND, FILE, Rig};
use crate::fixture::with_slow_arms;
use crate::home::{Ended, counts, light_prony, wait_for};
use crate::served::around::SERVER;
use crate::served::users_apps::tool;
use serde_json::Value;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;

/// How far the other machine's clock is ahead, in seconds.
const AHEAD: f64 = 3600.0;

/// A Java server that answers every request with `mine`, on the port in its argument.
const JAR: &str = r#"
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

class Mine {
    public static void main(String[] words) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(Integer.parseInt(words[0])), 100);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 4);
            exchange.getResponseBody().write("mine".getBytes());
            exchange.close();
        });
        server.start();
    }
}
"#;

/// The fact about the host of an arm.
pub(super) fn host<'a>(report: &'a Value, arm: &str) -> &'a str {
    report["fingerprint"][format!("arm/{arm}/host")].as_str().unwrap_or_default()
}

#[test]
fn two_arms_may_share_a_host() {
    let Some(rig) = Rig::new() else { return };
    let report = rig.run(&FILE.replace("FIXTURE }", "OTHER_FIXTURE, host = \"ssh://box\" }")).report();
    for arm in ["here", "there"] {
        assert!(host(&report, arm) == "ssh://box", "{}", host(&report, arm));
    }
    rig.assert_nothing_left();
}

#[test]
fn each_arm_may_have_a_host_of_its_own() {
    let Some(mut rig) = Rig::new() else { return };
    let other = rig.hosts.add("other", None).expect("a host");
    let report = rig.run(&FILE.replace("FIXTURE }", "FIXTURE, host = \"ssh://other\" }")).report();
    assert!(host(&report, "here") == "ssh://other");
    assert!(host(&report, "there") == "ssh://box");
    assert_eq!(other.processes(), Vec::<String>::new());
    rig.assert_nothing_left();
}

#[test]
fn another_prony_there_does_not_matter() {
    let Some(rig) = Rig::new() else { return };
    let mut program = std::fs::read(light_prony()).expect("a program");
    program.extend(b"another version");
    let other = rig.home.executable("prony", "");
    std::fs::write(&other, program).expect("a program");
    let file = rig.home.file("other.toml", &with_slow_arms(FILE));
    let mut command = rig.home.command(&other, &["run", &file, "--json"]);
    command.env("PRONY_SSH_CONFIG", rig.hosts.config());
    Ended::from(command.output().expect("it runs")).report();
    rig.run(FILE).report();
    rig.assert_nothing_left();
    eprintln!("{}", rig.host.inside("find /root/.cache -maxdepth 4").expect("files"));
}

#[test]
fn a_command_of_the_user_runs_there() {
    let Some(rig) = Rig::new() else { return };
    rig.home.executable("serve", SERVER);
    let report = rig.run(&FILE.replace("FIXTURE", COMMAND)).report();
    if counts(&report) {
        let there = &report["arms"][1];
        assert!(there["levels"][0]["measures"]["cpu_per_request"]["value"].as_f64() > Some(0.0), "{there}");
    }
    rig.assert_nothing_left();
}

#[test]
fn a_jar_of_the_user_runs_there() {
    let Some(rig) = Rig::new() else { return };
    let source = rig.home.file("Mine.java", JAR);
    let folder = Path::new(&source).parent().expect("a folder");
    tool("javac", &["--release", "17", "Mine.java"], folder);
    tool("jar", &["cfe", "mine.jar", "Mine", "Mine.class"], folder);
    let text =
        FILE.replace("FIXTURE, host", "server = \"jar\", jar = \"mine.jar\", arguments = [\"{port}\"], host");
    let report = rig.run(&text).report();
    if counts(&report) {
        let there = &report["arms"][1];
        assert!(there["levels"][0]["measures"]["cpu_per_request"]["value"].as_f64() > Some(0.0), "{there}");
    }
    rig.assert_nothing_left();
}

#[test]
fn a_server_that_runs_there_already_is_seen_and_left_alone() {
    let Some(rig) = Rig::new() else { return };
    let script = format!(
        "cat >/root/serve <<'END'\n{SERVER}END\nnohup python3 /root/serve 0.0.0.0 8080 </dev/null >/dev/null 2>&1 &\necho $!"
    );
    let pid = rig.host.inside(&script).expect("a process");
    let address = SocketAddr::from((rig.host.address(), 8080));
    wait_for("the server there to listen", 20, || TcpStream::connect(address).is_ok());
    let text = |pid: &str| {
        let runs = format!("server = \"url\", url = \"http://{address}\"");
        FILE.replace("FIXTURE }", &format!("{runs}, host = \"ssh://box\", pid = {pid} }}"))
            .replace("FIXTURE, host", &format!("{runs}, host"))
            .replace("[load]", &format!("[load]\nallow = [\"{}\"]", address.ip()))
    };
    let report = rig.run(&text(pid.trim())).report();
    for (index, arm) in ["here", "there"].into_iter().enumerate() {
        assert_eq!(host(&report, arm), "ssh://box");
        assert!(report["fingerprint"][format!("arm/{arm}/host/round_trip")].is_null(), "not measured");
        let seen = &report["arms"][index]["levels"][0]["measures"]["cpu_per_request"]["value"];
        assert!(!counts(&report) || seen.as_f64() > Some(0.0), "{report}");
    }
    // No process has the largest id that there can be.
    assert_refused(&rig.run(&text("4194304")), &["box", "no process 4194304"]);
    let left = rig.host.processes();
    assert!(left.len() == 1 && left[0].contains("/root/serve"), "{left:?}");
    rig.host.inside(&format!("kill {}", pid.trim())).expect("it runs");
    rig.assert_nothing_left();
}

#[test]
fn the_link_to_a_host_is_measured_and_shown() {
    let Some(rig) = Rig::new() else { return };
    rig.host.limit_link(400).expect("tbf");
    let report = rig.run(FILE).report();
    let notes = report["notes_coded"].as_array().expect("notes").iter();
    let of_host: Vec<_> = notes.filter(|note| note["code"] == "elsewhere").collect();
    let host = &of_host[0]["values"]["host"];
    assert!((1e-6..0.1).contains(&host["round_trip"].as_f64().expect("seconds")), "{host}");
    assert!((100e6..440e6).contains(&host["rate"].as_f64().expect("bits per second")), "{host}");
    let shown = rig.home.run(&["report", "--format", "md"]).stdout;
    for part in ["there ran on ssh://box: ", "the arms ran on 2 machines (here; there)"] {
        assert!(shown.contains(part), "`{part}` is missing in:\n{shown}");
    }
    rig.assert_nothing_left();
}

#[test]
fn a_host_is_given_by_a_flag_or_its_arm_left_out() {
    let Some(rig) = Rig::new() else { return };
    let third = "  { name = \"third\", OTHER_FIXTURE },\n]\n[load]";
    let text = FILE.replace("ssh://box", "arm64").replace("]\n[load]", third);
    let report = rig.run(&text).report();
    assert_eq!(report["arms"].as_array().map(Vec::len), Some(2));
    let notes = report["notes"].to_string();
    let left_out = "arm `there` was left out: the address of its host was not given (`--host arm64=ssh://";
    assert!(notes.contains(left_out), "{notes}");
    let ended = rig.command(&text, &["--host", "arm64=ssh://box"]).output();
    let report = Ended::from(ended.expect("it runs")).report();
    assert_eq!(report["arms"].as_array().map(Vec::len), Some(3));
    assert_eq!(host(&report, "there"), "ssh://box");
    rig.assert_nothing_left();
}

#[test]
fn a_wrong_clock_there_changes_no_figure() {
    let Some(rig) = Rig::with_clock(Some("+1h")) else {
        return;
    };
    let report = rig.run(FILE).report();
    let clock = report["fingerprint"]["arm/there/host/clock"].as_str().expect("a clock");
    let offset = clock.split_once(' ').and_then(|(offset, _)| offset.parse::<f64>().ok());
    assert!(offset.is_some_and(|offset| (offset - AHEAD).abs() < 0.5), "{clock}");
    if counts(&report) {
        let startup = report["arms"][1]["startup"]["value"].as_f64().expect("a time");
        assert!(startup > 0.0 && startup < 600.0, "{startup}");
    }
    rig.assert_nothing_left();
}
