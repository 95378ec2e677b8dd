//! [`Postgres`]: a real PostgreSQL server with an empty cluster of its own. [`Database`]: a database of one that tests share.

use rustix::process::geteuid;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
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

/// An empty database for one test, on a server that all tests of this process share and that ends with it. Roles belong to the server, so
/// tests that make some give them names of their own.
#[derive(Debug)]
pub struct Database {
    server: &'static SharedPostgres,
    name: String,
}

/// The server of all tests of this process.
#[derive(Debug)]
struct SharedPostgres {
    server: Postgres,
    /// Removes the folder of the server when its standard input ends, which it does with this process, however that ends.
    _remover: Child,
}

impl Database {
    /// Makes the database; the first one starts the server.
    ///
    /// # Errors
    ///
    /// Those of [`Postgres::start`].
    pub fn create() -> io::Result<Self> {
        static SHARED: Mutex<Option<&SharedPostgres>> = Mutex::new(None);
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let server = match *shared {
            Some(server) => server,
            None => *shared.insert(Box::leak(Box::new(SharedPostgres::start()?))),
        };
        drop(shared);
        let name = format!("test{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let mut create = command("createdb")?;
        create.args(["-h", "127.0.0.1", "-U", "owner"]);
        create.args(["-p", &server.server.port.to_string(), &name]);
        match create.status()?.success() {
            true => Ok(Self { server, name }),
            false => Err(io::Error::other("createdb failed")),
        }
    }

    /// The certificate of the server, for 127.0.0.1 and for nothing else.
    pub fn certificate(&self) -> PathBuf {
        self.server.server.certificate()
    }

    /// The address of the database for a role.
    pub fn url(&self, role: &str) -> String {
        self.server.server.url_of(&self.name, role)
    }
}

impl SharedPostgres {
    fn start() -> io::Result<Self> {
        let (sender, started) = mpsc::channel();
        // The kernel ends the server with the thread that started it. A test's thread would end too soon.
        thread::spawn(move || {
            let _ = sender.send(Postgres::start());
            loop {
                thread::park();
            }
        });
        let server = started.recv().map_err(io::Error::other)??;
        let script = "cat; for try in 1 2 3 4 5 6 7 8 9; do rm -rf -- \"$0\" && break; sleep 0.2; done";
        let remover = Command::new("sh")
            .args(["-c", script])
            .arg(server.folder.path())
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self { server, _remover: remover })
    }
}

impl Postgres {
    /// Makes the cluster and starts the server.
    ///
    /// # Errors
    ///
    /// The error of the system, also when the package is not installed; [`io::ErrorKind::TimedOut`] when the server does not start.
    pub fn start() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777))?;
        let data = folder.path().join("data");
        let mut init = command("initdb")?;
        init.args(["-U", "owner", "--auth=trust", "-E", "UTF8", "--no-sync", "-D"]);
        if !init.arg(&data).status()?.success() {
            return Err(io::Error::other("initdb failed"));
        }
        let path = |name: &str| folder.path().join(name);
        let (certificate, key) = (path(CERTIFICATE), path(KEY));
        write_certificate(&certificate, &key)?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let settings = format!(
            "ssl = on\nssl_cert_file = '{}'\nssl_key_file = '{}'\nfsync = off\nport = {port}\nlisten_addresses = '127.0.0.1'\n",
            certificate.display(),
            key.display()
        );
        // In a file and not on the command line, which `ALTER SYSTEM` could not change.
        OpenOptions::new().append(true).open(data.join("postgresql.conf"))?.write_all(settings.as_bytes())?;
        let mut serve = command("postgres")?;
        serve.arg("-D").arg(&data).arg("-k").arg(folder.path());
        let server = Self { server: serve.spawn()?, port, folder };
        server.wait()?;
        Ok(server)
    }

    /// The certificate of the server, for 127.0.0.1 and for nothing else.
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join(CERTIFICATE)
    }

    /// The address of its database `postgres` for a role.
    pub fn url(&self, role: &str) -> String {
        self.url_of("postgres", role)
    }

    fn url_of(&self, database: &str, role: &str) -> String {
        format!("postgres://{role}@127.0.0.1:{}/{database}", self.port)
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
            thread::sleep(Duration::from_millis(20));
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
        return if owner.success() { Ok(()) } else { Err(io::Error::other("chown failed")) };
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
