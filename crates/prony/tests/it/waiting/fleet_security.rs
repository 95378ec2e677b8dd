//! Credentials of a fleet: where they may be, and how programs end that are not let in.

use crate::home::{Ended, Home, wait_for};
use crate::waiting::fleet::{Process, start_nats};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Duration;
use testkit::{Reply, Script, ScriptedServer};

/// The password of every user; the text is found nowhere else.
const PASSWORD: &str = "gr4pefruit-f0r-the-fleet";
/// The server's users. The agent `m1` has the rights of docs/guide/fleet.md.
const USERS: &str = r#"authorization { users: [
  { user: coord, password: "PASSWORD" }
  { user: m1, password: "PASSWORD", permissions: { publish: { allow: ["prony.hello", "prony.d.m1"] },
      subscribe: { allow: ["prony.cmd.m1", "_INBOX_m1.>"] }, allow_responses: true } } ] }
"#;

/// A NATS server with users, and a home with their credentials.
struct Site {
    home: Home,
    url: String,
    _nats: Process,
}

impl Site {
    fn start() -> Self {
        let home = Home::empty();
        let config = home.file("nats.conf", &USERS.replace("PASSWORD", PASSWORD));
        let (nats, url) = start_nats(&["-c", &config]);
        Self { home, url, _nats: nats }
    }

    /// Writes credentials of mode 0600, and returns the path.
    fn creds(&self, user: &str, password: &str) -> String {
        let text = format!("user = \"{user}\"\npassword = \"{password}\"\ninbox = \"_INBOX_{user}\"\n");
        let path = self.home.file(&format!("{user}.toml"), &text);
        set_mode(&path, 0o600);
        path
    }

    /// Runs an agent that is expected to end at once.
    fn agent(&self, id: &str, creds: &str) -> Ended {
        Ended::from(self.home.prony(&self.arguments(id, creds)).output().expect("prony runs"))
    }

    fn arguments<'a>(&'a self, id: &'a str, creds: &'a str) -> [&'a str; 7] {
        ["agent", "--nats", &self.url, "--id", id, "--creds", creds]
    }
}

fn set_mode(path: &str, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
}

#[test]
fn the_password_is_in_no_command_line_and_no_environment() {
    let site = Site::start();
    let (creds, own) = (site.creds("coord", PASSWORD), site.creds("m1", PASSWORD));
    let agent = site.home.prony(&site.arguments("m1", &own)).stderr(Stdio::null()).spawn();
    let agent = Process(agent.expect("an agent"));
    let reply = Reply::ok("hi").after(Duration::from_millis(2));
    let target = ScriptedServer::start(Script::new(reply)).expect("a server");
    let address = target.address().to_string();
    let arguments = ["load", &address, "--fleet", &site.url, "--creds", &creds, "-c", "2", "-d", "1h"];
    let load = site.home.prony(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let load = Process(load.expect("prony runs"));
    wait_for("the load", 60, || target.requests() > 10);
    for process in [&agent, &load] {
        let read = |what: &str| std::fs::read(format!("/proc/{}/{what}", process.0.id())).expect("it runs");
        let arguments = String::from_utf8_lossy(&read("cmdline")).into_owned();
        assert!(arguments.contains("--creds"), "{arguments}");
        let environment = String::from_utf8_lossy(&read("environ")).into_owned();
        assert!(!environment.contains(PASSWORD));
    }
    // No other process may have it either, such as one that prony started.
    for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&command).contains(PASSWORD));
    }
}

#[test]
fn who_is_not_let_in_ends_with_code_2() {
    let site = Site::start();
    let creds = site.creds("m1", "wrong");
    let ended = site.agent("m1", &creds);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("does not accept these credentials"), "{}", ended.stderr);
    assert!(ended.stderr.contains("--creds"), "a hint: {}", ended.stderr);
    // Its own password, and the name of another agent.
    let creds = site.creds("m1", PASSWORD);
    let ended = site.agent("m2", &creds);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("does not permit"), "{}", ended.stderr);
    // An agent's credentials do not suffice for a coordinator.
    let arguments = ["load", "127.0.0.1:9", "--fleet", &site.url, "--creds", &creds, "-c", "2", "-d", "1s"];
    let ended = site.home.run(&arguments);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("does not permit"), "{}", ended.stderr);
}

#[test]
fn an_agent_that_is_aimed_elsewhere_refuses() {
    let (_nats, url) = start_nats(&[]);
    let home = Home::empty();
    let agent = home.prony(&["agent", "--nats", &url, "--id", "m1", "--allow", "192.0.2.1:8080"]);
    let mut agent = { agent }.stderr(Stdio::piped()).spawn().map(Process).expect("an agent");
    let lines = agent.lines();
    let ended = home.run(&["load", "192.0.2.1:80", "--fleet", &url, "-c", "2", "-d", "1s"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("192.0.2.1:80 is not on its --allow list"), "{}", ended.stderr);
    let refused = |line: String| line.contains("refused a share");
    assert!(lines.iter().any(refused), "the agent says so, too");
}

#[test]
fn credentials_that_others_can_read_are_refused() {
    let site = Site::start();
    // With this password, the server is what refuses, once the file was read.
    let creds = site.creds("m1", "wrong");
    for mode in [0o644, 0o640, 0o604, 0o660, 0o620] {
        set_mode(&creds, mode);
        let ended = site.agent("m1", &creds);
        assert_eq!(ended.code, Some(2));
        assert!(
            ended.stderr.contains("others than its owner") && ended.stderr.contains("chmod 600"),
            "{mode:o}: {}",
            ended.stderr
        );
    }
    for mode in [0o600, 0o400] {
        set_mode(&creds, mode);
        let ended = site.agent("m1", &creds);
        assert!(ended.stderr.contains("does not accept"), "{mode:o}: {}", ended.stderr);
    }
    // systemd gives the service's user access by an access control list, which shows as a right of the group.
    set_mode(&creds, 0o440);
    let folder = std::path::Path::new(&creds).parent().expect("a folder");
    let mut command = site.home.prony(&site.arguments("m1", &creds));
    command.env("CREDENTIALS_DIRECTORY", folder);
    let ended = Ended::from(command.output().expect("prony runs"));
    assert!(ended.stderr.contains("does not accept"), "{}", ended.stderr);
}
