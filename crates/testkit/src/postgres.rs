//! [`Postgres`]: a real PostgreSQL server with an empty cluster of its own.

use rustix::process::geteuid;
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The files of the certificate and its key.
const CERTIFICATE: &str = "server.crt";
const KEY: &str = "server.key";
/// How long a server may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A PostgreSQL server of the system's package, on a free port of 127.0.0.1. It offers TLS, with a certificate that it signed itself. Every
/// role is let in without a password; `owner` owns everything. It ends when this is dropped.
#[derive(Debug)]
pub struct Postgres {
    server: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl Postgres {
    /// Makes the cluster and starts the server.
    ///
    /// # Errors
    ///
    /// The error of the system, also when the package is not installed; [`io::ErrorKind::TimedOut`] when the server does not start.
    pub fn start() -> io::Result<Self> {
        Self::start_with("on")
    }

    /// Like `start`, but the server does not offer TLS.
    ///
    /// # Errors
    ///
    /// Those of `start`.
    pub fn start_without_tls() -> io::Result<Self> {
        Self::start_with("off")
    }

    fn start_with(ssl: &str) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777))?;
        let data = folder.path().join("data");
        let mut init = command("initdb")?;
        init.args(["-U", "owner", "--auth=trust", "-E", "UTF8", "-D"]);
        if !init.arg(&data).status()?.success() {
            return Err(io::Error::other("initdb failed"));
        }
        write_certificate(&folder.path().join(CERTIFICATE), &folder.path().join(KEY))?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut serve = command("postgres")?;
        serve.arg("-D").arg(&data).arg("-k").arg(folder.path());
        serve.args(["-h", "127.0.0.1", "-c", "fsync=off", "-p", &port.to_string()]);
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (certificate, key) = (path(CERTIFICATE), path(KEY));
        for setting in [
            format!("ssl={ssl}"),
            format!("ssl_cert_file={certificate}"),
            format!("ssl_key_file={key}"),
        ] {
            serve.args(["-c", &setting]);
        }
        let server = Self {
            server: serve.spawn()?,
            port,
            folder,
        };
        server.wait()?;
        Ok(server)
    }

    /// The certificate of the server, for 127.0.0.1 and for nothing else.
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join(CERTIFICATE)
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

/// Writes a certificate and its key, which the server insists on being its own.
fn write_certificate(certificate: &Path, key: &Path) -> io::Result<()> {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).map_err(io::Error::other)?;
    std::fs::write(certificate, made.cert.pem())?;
    std::fs::write(key, made.signing_key.serialize_pem())?;
    std::fs::set_permissions(key, PermissionsExt::from_mode(0o600))?;
    if geteuid().is_root() {
        let owner = Command::new("chown").arg("postgres").arg(key).status()?;
        return if owner.success() {
            Ok(())
        } else {
            Err(io::Error::other("chown failed"))
        };
    }
    Ok(())
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
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL"]);
    if geteuid().is_root() {
        command.args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]);
    }
    command.arg(program).current_dir("/").stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}
