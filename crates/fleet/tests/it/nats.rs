//! A real `nats-server` on a free port of the loopback, which ends with its value.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running server.
pub(crate) struct NatsServer {
    child: Child,
    port: u16,
    config: String,
}

/// A port on which nobody listens.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}

fn spawn(port: u16, config: &str) -> Child {
    let mut command = Command::new("nats-server");
    command.args(["-a", "127.0.0.1", "-p", &port.to_string()]);
    if !config.is_empty() {
        command.args(["-c", config]);
    }
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let child = child.expect("nats-server is installed");
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

impl NatsServer {
    /// A server that lets everybody in.
    pub(crate) fn start() -> Self {
        let port = free_port();
        Self {
            child: spawn(port, ""),
            port,
            config: String::new(),
        }
    }

    /// A server with a configuration, which is written into this folder.
    pub(crate) fn with_config(folder: &Path, config: &str) -> Self {
        let path = folder.join("nats.conf");
        std::fs::write(&path, config).expect("a configuration");
        let (port, config) = (free_port(), path.display().to_string());
        Self {
            child: spawn(port, &config),
            port,
            config,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Ends it as kill -9 does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Starts it again on the same port.
    pub(crate) fn restart(&mut self) {
        self.child = spawn(self.port, &self.config);
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
