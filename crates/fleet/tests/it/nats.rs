//! A real `nats-server` on a free port of the loopback, which ends with its value.

use std::net::Ipv4Addr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// A running server.
pub(crate) struct NatsServer {
    child: Child,
    host: Ipv4Addr,
    port: u16,
    config: String,
}

/// An address of the loopback that no other server of this process has, and no connection as its source: while a server is down, nothing
/// takes its port.
fn host_of_its_own() -> Ipv4Addr {
    static COUNT: AtomicU8 = AtomicU8::new(2);
    let [.., high, low] = std::process::id().to_be_bytes();
    Ipv4Addr::new(127, high, low, COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Starts a server; `None` lets the system choose the port, so that no other process can take it in between. Returns the port, too.
fn spawn(host: Ipv4Addr, port: Option<u16>, config: &str) -> (Child, u16) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new("nats-server");
    let asked = port.map_or_else(|| "-1".to_owned(), |port| port.to_string());
    command.args(["-a", &host.to_string(), "-p", &asked, "--ports_file_dir"]);
    command.arg(folder.path());
    if !config.is_empty() {
        command.args(["-c", config]);
    }
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let child = child.expect("nats-server is installed");
    let file = folder.path().join(format!("nats-server_{}.ports", child.id()));
    let began = Instant::now();
    loop {
        assert!(began.elapsed() < Duration::from_secs(20), "nats-server does not start");
        // {"nats":["nats://127.0.0.1:36227"]}
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let (_, last) = text.rsplit_once(':').unwrap_or_default();
        let digits: String = last.chars().take_while(char::is_ascii_digit).collect();
        match digits.parse() {
            Ok(port) if text.ends_with("]}") => return (child, port),
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

impl NatsServer {
    /// A server that lets everybody in.
    pub(crate) fn start() -> Self {
        let host = host_of_its_own();
        let (child, port) = spawn(host, None, "");
        Self { child, host, port, config: String::new() }
    }

    /// A server with a configuration, which is written into this folder.
    pub(crate) fn with_config(folder: &Path, config: &str) -> Self {
        let path = folder.join("nats.conf");
        std::fs::write(&path, config).expect("a configuration");
        let config = path.display().to_string();
        let host = Ipv4Addr::LOCALHOST;
        let (child, port) = spawn(host, None, &config);
        Self { child, host, port, config }
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://{}:{}", self.host, self.port)
    }

    /// Ends it as kill -9 does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Starts it again on the same port.
    pub(crate) fn restart(&mut self) {
        (self.child, _) = spawn(self.host, Some(self.port), &self.config);
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
