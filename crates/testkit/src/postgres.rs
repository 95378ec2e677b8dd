//! [`Postgres`]: a real PostgreSQL server with an empty cluster of its own.

use std::io;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a server may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A PostgreSQL server of the system's package, on a free port of 127.0.0.1. Every role is let in without a password; `owner` owns
/// everything. It ends when this is dropped.
#[derive(Debug)]
pub struct Postgres {
    server: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Postgres {
    /// Makes the cluster and starts the server.
    ///
    /// # Errors
    ///
    /// That of the system, also when the package is not installed, and [`io::ErrorKind::TimedOut`] when the server does not start.
    pub fn start() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777))?;
        let data = folder.path().join("data");
        let mut init = command("initdb")?;
        init.args(["-U", "owner", "--auth=trust", "-E", "UTF8", "-D"]);
        if !init.arg(&data).status()?.success() {
            return Err(io::Error::other("initdb failed"));
        }
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut serve = command("postgres")?;
        serve.arg("-D").arg(&data).arg("-k").arg(folder.path());
        serve.args(["-h", "127.0.0.1", "-c", "fsync=off", "-p", &port.to_string()]);
        let server = Self {
            server: serve.spawn()?,
            port,
            _folder: folder,
        };
        server.wait()?;
        Ok(server)
    }

    /// The address of its database `postgres` for a role.
    pub fn url(&self, role: &str) -> String {
        format!("postgres://{role}@127.0.0.1:{}/postgres", self.port)
    }

    /// Ends the server as if its machine had lost its power.
    pub fn stop(&mut self) {
        // A child that has ended already is no failure.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }

    fn wait(&self) -> io::Result<()> {
        let begin = Instant::now();
        let mut ask = command("pg_isready")?;
        ask.args(["-h", "127.0.0.1", "-U", "owner", "-p", &self.port.to_string()]);
        while !ask.status()?.success() {
            if begin.elapsed() > START_TIMEOUT {
                return Err(io::ErrorKind::TimedOut.into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The folder of the programs of PostgreSQL, which Debian keeps out of the PATH.
fn programs() -> io::Result<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql")?;
    let folders = versions.flatten().map(|version| version.path().join("bin"));
    folders.max().ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// A command that runs a program of PostgreSQL, which refuses to run as root.
fn command(program: &str) -> io::Result<Command> {
    let program = programs()?.join(program);
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0);
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL"]);
    if is_root {
        command.args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]);
    }
    command.arg(program).current_dir("/").stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}
