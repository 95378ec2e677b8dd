//! Limits that the kernel enforces, and side services: tests with real control groups and a real memcached.

use crate::common::{eventually, lives, site, small_server, spec, start};
use ask::limits::Limits;
use ask::service::{Ready, Service};
use model::units::{Bytes, Cpus};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use sut::{Error, ServerSurroundings};

/// Whether control groups can be made here; else the tests are skipped.
fn can_limit() -> bool {
    let root = rustix::process::geteuid().is_root();
    let writable = root && !groups_of(std::process::id()).is_empty();
    if !writable {
        eprintln!("skipped: no control groups that we may divide");
    }
    writable
}

/// The lines of a process's groups for memory and CPU, or the line of version 2.
fn groups_of(pid: u32) -> Vec<String> {
    let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let limits = |line: &&str| ["memory", "cpu", ""].contains(&line.split(':').nth(1).unwrap_or("?"));
    groups.lines().filter(limits).map(str::to_owned).collect()
}

/// The folders of control groups that belong to the prony with this process id.
fn groups_made_by(pid: u32) -> Vec<PathBuf> {
    let name = format!("prony-{pid}-");
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if entry.file_name().to_string_lossy().starts_with(&name) {
                found.push(entry.path());
            }
            open.push(entry.path());
        }
    }
    found
}

/// Limits of a server: MiB of memory, and CPUs.
fn limits(memory: u64, cpus: f64) -> Limits {
    Limits { memory: Some(Bytes(memory << 20)), cpus: Some(Cpus(cpus)) }
}

#[test]
fn a_limited_server_runs_in_its_own_control_groups_which_are_removed() {
    if !can_limit() {
        return;
    }
    // A millisecond in every tenth of a second is less than it gets at once on a busy machine, too.
    let mut spec = small_server(0, Duration::from_millis(10));
    spec.surroundings.limits = limits(700, 0.01);
    let server = start(&spec).expect("started");
    let enforced = server.enforced().expect("limits").clone();
    assert!(enforced.by.starts_with("cgroup v"), "{enforced:?}");
    assert_eq!((enforced.memory, enforced.cpus), (Some(Bytes(700 << 20)), Some(Cpus(0.01))));
    let groups = groups_of(server.pid());
    assert!(groups.iter().any(|line| line.contains("/prony-")), "{groups:?}");
    let facts = server.facts();
    assert!(facts["cgroup.nr_throttled"] > 0.0, "{facts:?}");
    assert!(facts["cgroup.throttled_seconds"] > 0.0, "{facts:?}");
    assert_eq!(facts["cgroup.oom_kills"], 0.0);
    assert!(server.overrun().is_none());
    let own: Vec<PathBuf> = groups_made_by(std::process::id());
    assert!(!own.is_empty());
    server.stop().expect("stopped");
    assert!(own.iter().all(|folder| !folder.exists()), "{own:?}");
}

#[test]
fn the_error_for_a_server_that_exceeds_its_memory_names_the_limit() {
    if !can_limit() {
        return;
    }
    let mut spec = spec("10.1.29");
    spec.surroundings.limits = limits(64, 2.0);
    spec.jvm.heap = Bytes(256 << 20);
    spec.jvm.extra.push("-XX:+AlwaysPreTouch".to_owned());
    let error = start(&spec).expect_err("killed");
    assert_eq!(
        error.to_string(),
        "tomcat:10.1.29 was killed by the kernel: it needed more than its limit of 64.0 MiB of memory"
    );
    assert!(error.hint().is_some_and(|hint| hint.contains("`heap`")));
}

#[test]
fn the_number_of_open_files_is_a_hard_limit_and_the_server_stays_on_its_cpus() {
    let mut spec = spec("10.1.29");
    spec.surroundings.open_files = Some(300);
    let last = probe::topology::usable_cpus().pop().expect("a CPU").number;
    spec.surroundings.cpus = vec![last];
    let server = start(&spec).expect("started");
    let status = fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("status");
    let cpus = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    assert_eq!(cpus.map(str::trim), Some(last.to_string().as_str()));
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.pid())).expect("limits");
    let line = limits.lines().find(|line| line.starts_with("Max open files"));
    let words: Vec<&str> = line.map_or(Vec::new(), |line| line.split_ascii_whitespace().collect());
    assert_eq!(words[3..5], ["300", "300"], "the JVM would raise the lower one to the other: {limits}");
    server.stop().expect("stopped");
}

fn memcached() -> Option<Service> {
    let service = sut::catalog::services().into_iter().find(|service| service.name == "memcached");
    let service = service.expect("built in");
    let wanted = ServerSurroundings { services: vec![service.clone()], ..ServerSurroundings::default() };
    match wanted.check(&site()) {
        Ok(()) => Some(service),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

/// The value of a variable in the environment of a process.
fn variable(pid: u32, name: &str) -> Option<String> {
    let text = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let text = String::from_utf8_lossy(&text).into_owned();
    text.split('\0').find_map(|entry| entry.strip_prefix(name)?.strip_prefix('=').map(str::to_owned))
}

/// The process that listens on an address.
fn listener(address: &str) -> u32 {
    let port: u16 = address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    let table = fs::read_to_string("/proc/net/tcp").expect("a table");
    let wanted = format!(":{port:04X} ");
    let line = table.lines().find(|line| line.contains(&wanted) && line.contains(" 0A "));
    let inode = line.expect("listening").split_ascii_whitespace().nth(9).expect("an inode");
    let socket = format!("socket:[{inode}]");
    let holds = |pid: &u32| {
        let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        let mut links = entries.filter_map(|entry| fs::read_link(entry.path()).ok());
        links.any(|link| link == Path::new(&socket))
    };
    let pids = fs::read_dir("/proc").expect("processes").flatten();
    let mut pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.find(holds).expect("a process")
}

#[test]
fn each_start_has_its_own_memcached_which_ends_with_it() {
    let Some(service) = memcached() else { return };
    let [one, two] = [spec("10.1.29"), small_server(0, Duration::ZERO)].map(|mut spec| {
        spec.surroundings.services = vec![service.clone()];
        spec.surroundings.environment = [("SHADE".to_owned(), "dark green".to_owned())].into();
        start(&spec).expect("started")
    });
    let [first, second] = [&one, &two].map(|server| {
        assert_eq!(variable(server.pid(), "SHADE").as_deref(), Some("dark green"));
        variable(server.pid(), "MEMCACHED_ADDRESS").expect("an address")
    });
    assert_ne!(first, second);
    let mut stream = TcpStream::connect(&first).expect("connected");
    stream.write_all(b"set a 0 0 1\r\nx\r\nget a\r\nget b\r\nquit\r\n").expect("asked");
    let answers: Vec<String> = BufReader::new(stream).lines().map_while(Result::ok).collect();
    assert_eq!(answers, ["STORED", "VALUE a 0 1", "x", "END", "END"]);
    let facts = one.facts();
    let counted = ["cmd_set", "cmd_get", "get_hits"].map(|name| facts[&format!("memcached.{name}")]);
    assert_eq!(counted, [1.0, 2.0, 1.0]);
    assert_eq!(two.facts()["memcached.cmd_get"], 0.0, "a cache of its own");
    let caches = [&first, &second].map(|address| listener(address));
    one.stop().expect("stopped");
    assert!(!lives(caches[0]) && TcpStream::connect(&first).is_err());
    drop(two);
    eventually("the end of the second memcached", || !lives(caches[1]));
}

#[test]
fn a_service_that_cannot_start_is_one_error_with_the_services_log() {
    let mut spec = small_server(0, Duration::ZERO);
    let service = |program: &str, word: &str| Service {
        name: "cache".to_owned(),
        command: [program, word, "{port}"].map(str::to_owned).into(),
        image: None,
        folder: None,
        ready: Ready::Tcp,
        user: None,
        package: Some("my-cache".to_owned()),
        stats: None,
        statements: None,
    };
    spec.surroundings.services = vec![service("no-such-program", "-p")];
    let error = start(&spec).expect_err("missing");
    assert!(matches!(error, Error::NoProgram { .. }), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("apt-get install my-cache")));
    spec.surroundings.services = vec![service("ls", "/nowhere")];
    let error = start(&spec).expect_err("ended");
    assert!(error.to_string().starts_with("the service cache ended before it was ready"), "{error}");
    assert!(error.log().iter().any(|line| line.contains("/nowhere")), "{:?}", error.log());
}

#[test]
fn a_killed_parent_leaves_neither_service_nor_group() {
    if memcached().is_none() || !can_limit() {
        return;
    }
    let mut parent = Command::new(env!("CARGO_BIN_EXE_sut-helper"))
        .arg("surround")
        .arg(site().cache)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the helper starts");
    let mut line = String::new();
    let stdout = parent.stdout.take().expect("piped");
    BufReader::new(stdout).read_line(&mut line).expect("read");
    let server: u32 = line.trim().parse().expect("a process id");
    let cache = listener(&variable(server, "MEMCACHED_ADDRESS").expect("an address"));
    assert!(!groups_made_by(parent.id()).is_empty());

    parent.kill().and_then(|()| parent.wait()).expect("killed");
    eventually("the end of the server", || !lives(server));
    eventually("the end of memcached", || !lives(cache));
    sut::work::clean(&site().cache).expect("cleaned");
    assert_eq!(groups_made_by(parent.id()), Vec::<PathBuf>::new());
}
