//! [`Placed`]: a NATS server and agents that are started for one run, and end with it.
//!
//! An agent is a command that runs `prony __agent` somewhere: on this machine, in a container, or on another machine by ssh. It gets its order,
//! and with it its password, on its standard input. Bytes that follow are signs of life; when they end, so does the agent.
//!
//! The server speaks TLS with a certificate that is made for the run, and has one user for the coordinator and one for each agent, who
//! may use its own subjects and nothing else. Passwords are random, and in a file that only its owner can read.

use crate::creds::Creds;
use crate::error::Error;
use crate::order::AgentOrder;
use model::patience::Patience;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write as _};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The program of the server.
const NATS: &str = "nats-server";
/// How long the server may take to start.
const STARTS: Duration = Duration::from_secs(10);
/// Between two looks whether it has started.
const LOOK: Duration = Duration::from_millis(20);
/// The user of the coordinator.
const COORDINATOR: &str = "coordinator";
/// The files in the folder of the run.
const CERTIFICATE: &str = "server.pem";
const KEY: &str = "server.key";
const CONFIG: &str = "nats.conf";

/// How long agents may take to end.
const END: Duration = Duration::from_secs(5);

/// What is started for a run. The thread that starts it has to live as long, where the commands end with their thread.
#[derive(Debug)]
pub struct Places<'a> {
    /// A folder that exists, is for this run alone, and is removed by the caller afterwards.
    pub folder: &'a Path,
    /// The command of `nats-server`, without arguments.
    pub server: Command,
    /// The address of this machine at which agents reach the server.
    pub at: IpAddr,
    /// What agents may load besides their own loopback, as [`Allowed::add`](crate::Allowed::add) takes it.
    pub allow: Vec<String>,
    pub agents: Vec<AgentPlace>,
    /// How long they and this process wait for each other.
    pub patience: Patience,
}

/// Where an agent is started.
#[derive(Debug)]
pub struct AgentPlace {
    pub id: String,
    /// A command that runs `prony __agent FOLDER` there.
    pub command: Command,
}

/// A NATS server and agents. They end with this value.
#[derive(Debug)]
pub struct Placed {
    /// The address of the server.
    pub server: String,
    /// Who the coordinator is for the server.
    pub creds: Creds,
    nats: Option<Child>,
    agents: Vec<Child>,
    /// The standard inputs of the agents, which a thread keeps open as long as the sender exists.
    alive: Option<(Sender<()>, JoinHandle<()>)>,
}

/// A user of the server.
struct User {
    name: String,
    password: String,
}

impl User {
    fn new(name: String) -> Result<Self, Error> {
        Ok(Self { name, password: random_text()? })
    }

    /// Its line in the configuration of the server. An agent may say hello, send its deltas, take its commands and answer them.
    fn rights(&self, is_agent: bool) -> String {
        let Self { name, password } = self;
        if !is_agent {
            return format!("  {{ user: {name}, password: \"{password}\" }}\n");
        }
        format!(
            "  {{ user: {name}, password: \"{password}\", permissions: {{ publish: {{ allow: [\"prony.hello\", \"prony.d.{name}\"] }}, \
             subscribe: {{ allow: [\"prony.cmd.{name}\", \"_INBOX_{name}.>\"] }}, allow_responses: true }} }}\n"
        )
    }
}

impl Placed {
    /// Starts a server and agents.
    ///
    /// # Errors
    ///
    /// [`Error::NoNatsServer`], [`Error::NotStarted`], or [`Error::File`] when the folder cannot be written.
    pub fn start(places: Places<'_>) -> Result<Self, Error> {
        let folder = places.folder;
        let certificate = folder.join(CERTIFICATE);
        let names = ["localhost".to_owned(), places.at.to_string()];
        let made =
            rcgen::generate_simple_self_signed(names).map_err(|error| failed("the certificate", &error))?;
        write_secret(&certificate, &made.cert.pem())?;
        write_secret(&folder.join(KEY), &made.signing_key.serialize_pem())?;
        let coordinator = User::new(COORDINATOR.to_owned())?;
        let users = places.agents.iter().map(|place| User::new(place.id.clone()));
        let users = users.collect::<Result<Vec<User>, Error>>()?;
        write_secret(&folder.join(CONFIG), &config(folder, &coordinator, &users))?;
        let mut placed = Self {
            server: String::new(),
            creds: Creds {
                user: coordinator.name,
                password: coordinator.password,
                ca: Some(certificate),
                ..Creds::default()
            },
            nats: None,
            agents: Vec::new(),
            alive: None,
        };
        let port = placed.start_server(places.server, places.at, folder)?;
        placed.server = format!("tls://{}", SocketAddr::from((places.at, port)));
        let mut inputs = Vec::new();
        for (place, user) in places.agents.into_iter().zip(users) {
            let order = AgentOrder {
                id: user.name,
                password: user.password,
                server: placed.server.clone(),
                ca: made.cert.pem(),
                allow: places.allow.clone(),
                patience: places.patience,
            };
            inputs.extend(placed.start_agent(place.command, &order)?);
        }
        let (sender, ended) = mpsc::channel();
        let beat = places.patience.beat();
        let thread = thread::spawn(move || keep_alive(inputs, beat, &ended));
        placed.alive = Some((sender, thread));
        Ok(placed)
    }

    /// Starts the server on a port that the system chooses, and returns it.
    fn start_server(&mut self, mut command: Command, at: IpAddr, folder: &Path) -> Result<u16, Error> {
        if !is_installed(NATS) {
            return Err(Error::NoNatsServer);
        }
        command.args(["-a", &at.to_string(), "-p", "-1", "--ports_file_dir"]);
        command.arg(folder).arg("-c").arg(folder.join(CONFIG));
        let log = folder.join("nats.log");
        let output = fs::File::create(&log).map_err(unusable(&log))?;
        command.stdout(Stdio::null()).stderr(output);
        let child = command.spawn().map_err(|error| failed(NATS, &error))?;
        let ports = folder.join(format!("{NATS}_{}.ports", child.id()));
        let child = self.nats.insert(child);
        let began = Instant::now();
        while began.elapsed() < STARTS {
            if let Some(port) = port_in(&fs::read_to_string(&ports).unwrap_or_default()) {
                return Ok(port);
            }
            if matches!(child.try_wait(), Ok(Some(_))) {
                break;
            }
            thread::sleep(LOOK);
        }
        let said = fs::read_to_string(&log).unwrap_or_default();
        let last = said.lines().last().unwrap_or("it does not listen in time");
        Err(failed(NATS, &last))
    }

    /// Starts an agent, and tells it its order. Returns what keeps it alive.
    fn start_agent(&mut self, mut command: Command, order: &AgentOrder) -> Result<Option<ChildStdin>, Error> {
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.spawn().map_err(|error| failed("prony agent", &error))?;
        let mut input = child.stdin.take();
        self.agents.push(child);
        if let Some(input) = &mut input {
            // If it has ended already, it said why on its stderr, and is missed when agents are gathered.
            order.write(input).ok();
        }
        Ok(input)
    }
}

/// Shows agents that we live, until the other end of the channel is gone. Then their inputs end.
fn keep_alive(mut inputs: Vec<ChildStdin>, beat: Duration, ended: &mpsc::Receiver<()>) {
    while ended.recv_timeout(beat) == Err(RecvTimeoutError::Timeout) {
        for input in &mut inputs {
            input.write_all(b"\n").ok();
        }
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        // The agents before the server, so that they need not notice that it is gone.
        if let Some((sender, thread)) = self.alive.take() {
            drop(sender);
            thread.join().ok();
        }
        let began = Instant::now();
        for child in &mut self.agents {
            while matches!(child.try_wait(), Ok(None)) && began.elapsed() < END {
                thread::sleep(LOOK);
            }
        }
        for child in self.agents.iter_mut().chain(&mut self.nats) {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// The configuration of the server.
fn config(folder: &Path, coordinator: &User, agents: &[User]) -> String {
    let quoted = |file: &str| format!("{:?}", folder.join(file).display().to_string());
    let mut config = format!(
        "ping_interval: \"2s\", ping_max: 2, write_deadline: \"5s\", max_payload: 1MB\n\
         tls {{ cert_file: {}, key_file: {} }}\nauthorization {{ users: [\n",
        quoted(CERTIFICATE),
        quoted(KEY)
    );
    config.push_str(&coordinator.rights(false));
    for agent in agents {
        let _ = write!(config, "{}", agent.rights(true));
    }
    config.push_str("] }\n");
    config
}

/// The port in what the server writes: `{"nats":["nats://127.0.0.1:36227"]}`; `None` while that is not complete.
fn port_in(text: &str) -> Option<u16> {
    let (_, last) = text.trim_end().strip_suffix("]}")?.rsplit_once(':')?;
    last.trim_end_matches('"').parse().ok()
}

/// Whether a program is on the search path.
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Writes a file that only its owner can read.
fn write_secret(path: &Path, text: &str) -> Result<(), Error> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(unusable(path))
}

/// A password, which nobody has to remember: 128 random bits of the system.
fn random_text() -> Result<String, Error> {
    let mut bytes = [0; 16];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn unusable(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path: PathBuf = path.to_owned();
    move |source| Error::File { path, source }
}

fn failed(program: &str, said: &dyn std::fmt::Display) -> Error {
    Error::NotStarted { program: program.to_owned(), said: said.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_read_when_it_is_complete() {
        let text = "{\"nats\":[\"tls://127.0.0.1:36227\"]}";
        assert_eq!(port_in(text), Some(36_227));
        assert_eq!(port_in(&text[..text.len() - 3]), None);
        assert_eq!(port_in(""), None);
    }

    #[test]
    fn secrets_are_readable_for_their_owner_only_and_never_the_same() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        write_secret(&path, "a").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(write_secret(&path, "b").is_err(), "it is not overwritten");
        assert_ne!(random_text().unwrap(), random_text().unwrap());
    }
}
