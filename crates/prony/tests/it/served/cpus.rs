//! CPUs of their own for the generator and the servers, as a file or flags ask for them. These tests need two CPUs.

use crate::fixture::with_arms;
use crate::home::{Ended, Home};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

/// A server that answers with the number of CPUs that its JVM sees.
const SERVER: &str = r#"
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

class Cpus {
    public static void main(String[] args) throws Exception {
        byte[] body = Integer.toString(Runtime.getRuntime().availableProcessors()).getBytes();
        var server = HttpServer.create(new InetSocketAddress(args[0], Integer.parseInt(args[1])), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }
}
"#;

/// The keys of an arm with this server.
const JVM: &str =
    r#"server = "command", command = ["java", "-XX:TieredStopAtLevel=1", "Cpus.java", "{host}", "{port}"]"#;

/// A server is ready only if it sees one CPU.
const FILE: &str = r#"
path = "/cpus"
explain = "off"
arms = [
  { name = "one", FIXTURE, ready = { path = "/cpus", body = "1" } },
  { name = "two", OTHER_FIXTURE, ready = { path = "/cpus", body = "1" } },
]
[load]
connections = 2
[design]
starts = 5
budget = "1s"
pairs = 2
slice = "200ms"
warmup = "200ms"
warmup_cap = "200ms"
latency_pairs = 0
"#;

/// The CPUs that this test may use. With one CPU there is nothing to divide.
fn two_cpus() -> Option<[usize; 2]> {
    let cpus = probe::topology::usable_cpus();
    let numbers: Vec<usize> = cpus.iter().map(|cpu| cpu.number).collect();
    match numbers[..] {
        [first, .., last] => Some([first, last]),
        _ => {
            eprintln!("skipped: one CPU");
            None
        }
    }
}

/// The lists of CPUs that the threads of a process may use at this moment, each with the name of the thread.
fn allowed(pid: u32) -> Vec<(String, String)> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten();
    let paths = tasks.flatten().map(|task| task.path());
    let of = |path: PathBuf| {
        let name = std::fs::read_to_string(path.join("comm")).ok()?;
        let status = std::fs::read_to_string(path.join("status")).ok()?;
        let mut lines = status.lines();
        let list = lines.find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
        Some((name.trim().to_owned(), list.trim().to_owned()))
    };
    paths.filter_map(of).collect()
}

/// Runs prony to its end, and returns also all lists of CPUs that its main thread, which runs the event loop, had meanwhile.
fn watched(home: &Home, arguments: &[&str]) -> (Ended, BTreeSet<String>) {
    let command = &mut home.prony(arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("prony runs");
    let mut seen = BTreeSet::new();
    while child.try_wait().expect("a child").is_none() {
        let threads = allowed(child.id());
        let main = threads.into_iter().filter(|(name, _)| name == "prony");
        seen.extend(main.map(|(_, list)| list));
        std::thread::sleep(Duration::from_millis(5));
    }
    (Ended::from(child.wait_with_output().expect("it ends")), seen)
}

#[test]
fn servers_and_generator_stay_on_the_cpus_of_the_file() {
    let Some([ours, theirs]) = two_cpus() else { return };
    let home = Home::with_fixture();
    home.file("Cpus.java", SERVER);
    let machine = format!("[machine]\ngenerator_cpus = \"{ours}\"\nserver_cpus = \"{theirs}\"\n");
    let arms = with_arms(&FILE.replace("\"one\", FIXTURE", &format!("\"one\", {JVM}")));
    let file = home.file("cpus.toml", &format!("{arms}{machine}"));
    let (ended, seen) = watched(&home, &["run", &file, "--json"]);
    let report = ended.report();
    assert!(seen.contains(&ours.to_string()), "{seen:?}");
    assert!(!seen.contains(&theirs.to_string()), "{seen:?}");
    let split = format!("{theirs}; generator {ours}");
    let facts = &report["fingerprint"];
    assert_eq!(facts["arm/one/pinned_cpus"], split.as_str());
    assert_eq!(facts["arm/two/pinned_cpus"], split.as_str());
    assert_eq!(report["asked"]["machine/generator_cpus"], ours.to_string().as_str());
    let shown = home.run(&["report", "--format", "md"]).stdout;
    let line = format!("(servers {theirs}; generator {ours})");
    assert!(shown.contains(&line), "{shown}");
}

#[test]
fn flags_choose_cpus_over_those_of_the_file() {
    let Some([ours, theirs]) = two_cpus() else { return };
    let home = Home::with_fixture();
    let machine = "[machine]\nserver_cpus = \"4000\"\n";
    let file = home.file("cpus.toml", &with_arms(&format!("{FILE}{machine}")));
    let refused = home.run(&["run", &file]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let said = "the CPU 4000 was asked for, and prony may use ";
    assert!(refused.stderr.contains(said) && refused.stderr.contains("hint: "), "{}", refused.stderr);
    let (ours, theirs) = (ours.to_string(), theirs.to_string());
    let flags = ["--generator-cpus", &ours, "--server-cpus", &theirs];
    let arguments = [&["run", &file, "--json"][..], &flags].concat();
    let report = home.run(&arguments).report();
    let split = format!("{theirs}; generator {ours}");
    assert_eq!(report["fingerprint"]["arm/one/pinned_cpus"], split.as_str());
}

#[test]
fn a_load_stays_on_its_cpus_and_refuses_others() {
    let Some([_, last]) = two_cpus() else { return };
    let server = testkit::ScriptedServer::start(testkit::Script::new(testkit::Reply::ok("hello"))).unwrap();
    let home = Home::empty();
    let url = format!("http://{}/", server.address());
    let last = last.to_string();
    let (ended, seen) = watched(&home, &["load", &url, "-d", "500ms", "--generator-cpus", &last]);
    assert!(matches!(ended.code, Some(0 | 7)), "{}", ended.stderr);
    assert!(seen.contains(&last), "{seen:?}");
    let refused = home.run(&["load", &url, "-t", "2", "--generator-cpus", &last]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let said = "the generator has 2 event loops, and 1 CPU of its own";
    assert!(refused.stderr.contains(said), "{}", refused.stderr);
}

#[test]
fn what_was_not_separated_is_one_note() {
    let cpus = probe::topology::usable_cpus();
    let few = cpus.len() < model::cpus::LEAST;
    let home = Home::with_fixture();
    let any = with_arms(FILE).replace(", body = \"1\"", "");
    let report = home.run(&["run", &home.file("cpus.toml", &any), "--json"]).report();
    let notes = report["notes_coded"].as_array().expect("notes").iter();
    let shared: Vec<_> = notes.filter(|note| note["code"] == "shared-cores").collect();
    assert_eq!(shared.len(), usize::from(few), "{}", report["notes"]);
    if few {
        let values = &shared[0]["values"]["few-cpus"];
        assert_eq!(values["usable"], cpus.len());
    }
}
