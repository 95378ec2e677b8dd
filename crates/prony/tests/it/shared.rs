//! Runs that many tests read: the first test that asks for one makes it.

use crate::fixture::with_arms;
use crate::home::{Ended, Home};
use serde_json::Value;
use std::fs;
use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;
use store::Store;
use testkit::{Answered, AnsweringServer, Asked, Database};

/// The files of a folder, by name. They are kept in memory, so that nothing is left on the disk when the tests end.
pub(crate) type Files = Vec<(String, Vec<u8>)>;

/// A run that has ended.
pub(crate) struct Stored {
    pub(crate) ended: Ended,
    /// The id of the run.
    pub(crate) run: String,
    /// What `--out` wrote.
    pub(crate) results: Files,
    /// The servers and the number of work folders that were left behind.
    pub(crate) left: (Vec<u32>, usize),
    data: Files,
}

impl Stored {
    /// Keeps the only run of a home, which was made with `--out` in the folder `out`. The error is what a run said that failed.
    fn only_run(home: &Home, ended: Ended, out: &Path) -> Result<Self, String> {
        if !matches!(ended.code, Some(0 | 7)) {
            return Err(format!("{:?}\n{}", ended.code, ended.stderr));
        }
        Ok(Self {
            ended,
            run: newest_run(home),
            results: files(out),
            left: (home.servers(), home.work_folders().len()),
            data: files(&home.data()),
        })
    }

    /// The text of a file that `--out` wrote.
    pub(crate) fn result(&self, name: &str) -> &str {
        let found = self.results.iter().find(|(known, _)| known == name);
        let (_, bytes) = found.unwrap_or_else(|| panic!("{name} was not written"));
        std::str::from_utf8(bytes).expect("UTF-8")
    }

    /// Copies the stored run into a home that has none.
    pub(crate) fn copy_into(&self, home: &Home) {
        write_data(home, &self.data);
    }

    /// Creates a home with a copy of the stored run.
    #[track_caller]
    pub(crate) fn home(&self) -> Home {
        home_of(&self.data)
    }
}

/// Creates a home with these files of stored runs.
#[track_caller]
fn home_of(data: &Files) -> Home {
    let home = Home::empty();
    write_data(&home, data);
    home
}

fn write_data(home: &Home, data: &Files) {
    fs::create_dir_all(home.data()).expect("a folder");
    for (name, bytes) in data {
        fs::write(home.data().join(name), bytes).expect("a file");
    }
}

/// Reads the files of a folder, without the files of the folders in it.
pub(crate) fn files(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let paths = entries.map(|entry| entry.path()).filter(|path| path.is_file());
    paths
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            (name.into_owned(), fs::read(&path).expect("a file"))
        })
        .collect()
}

/// The id of the newest run of a home.
pub(crate) fn newest_run(home: &Home) -> String {
    let store = Store::open(&home.data()).expect("the history");
    store.find("latest").expect("found").expect("a run").run
}

/// Three short starts of two Tomcats, which are loaded together at a rate that is low enough for a busy machine. A tenth of the
/// budget may pass while the run waits for a quieter machine.
pub(crate) const TOMCATS: &str = r#"
question = "Does a run work?"
arms = [
  { name = "nine", server = "tomcat:9.0.95", threads = 50, accept_count = 77 },
  { name = "ten", server = "tomcat:10.1.29", connector = "nio2", http = "2", max_connections = 500 },
]
[load]
connections = 4
[design]
starts = 3
budget = "1m"
pairs = 2
slice = "200ms"
settle = "50ms"
warmup = "500ms"
warmup_cap = "500ms"
latency_slice = "200ms"
latency_pairs = 4
latency_rate = 300
pace = "together"
"#;

/// A run of [`TOMCATS`] with `--jfr`, a look into both, seed 7, and `report.json` on stdout.
pub(crate) fn tomcats() -> &'static Stored {
    static RUN: OnceLock<Result<Stored, String>> = OnceLock::new();
    let run = RUN.get_or_init(|| {
        let home = Home::with_downloads();
        let file = home.file("tomcats.toml", TOMCATS);
        let out = home.cache().join("out");
        let out_text = out.display().to_string();
        let ended = home.run(&["run", &file, "--json", "--jfr", "--seed", "7", "--out", &out_text]);
        Stored::only_run(&home, ended, &out)
    });
    run.as_ref().unwrap_or_else(|said| panic!("the run for many tests failed: {said}"))
}

/// Every secret of the tests begins so.
pub(crate) const MARK: &str = "marked-secret";
/// The secrets that are no part of the experiment: of a sink, of the team's store, and of the environment of prony.
pub(crate) const SECRETS: [&str; 3] = ["marked-secret-sink", "marked-secret-store", "marked-secret-outside"];
/// Three short starts of a server that gets secrets in every way in which a server can, and a look at it.
const OUTPUTS: &str = r#"
name = "short"
[[arms]]
name = "shop"
server = "command"
command = ["./fixture", "{host}", "{port}", "--", "--db-password", "marked-secret-word", "--token=marked-secret-option",
           "--db=postgres://nina:marked-secret-user@db.example/shop", "-Dshop.password=marked-secret-property"]
environment = { DB_PASSWORD = "marked-secret-environment" }
[load]
connections = [2]
[design]
starts = 3
budget = "15s"
warmup = "200ms"
warmup_cap = "200ms"
slice = "200ms"
pairs = 4
latency_pairs = 0
"#;

/// A run whose figures went to servers of ours, and whose rows went to a team's store.
pub(crate) struct Outputs {
    pub(crate) stored: Stored,
    /// What another machine got of the run from the team's store.
    pulled: Files,
    /// OTLP: a server of figures and traces, and one that knows no traces.
    pub(crate) traces: Receiver,
    pub(crate) no_traces: Receiver,
    /// OpenSearch with a password: a server that accepts everything, and one that refuses it and repeats the password.
    pub(crate) keeping: Receiver,
    pub(crate) refusing: Receiver,
    pub(crate) influx: Receiver,
    pub(crate) jtl: String,
    /// A packet that went to StatsD.
    pub(crate) gauges: String,
}

/// A server that got figures: where it was, and what it was asked.
pub(crate) struct Receiver {
    pub(crate) address: String,
    pub(crate) log: Vec<Asked>,
}

impl Receiver {
    fn of(server: &AnsweringServer) -> Self {
        Self { address: server.address().to_string(), log: server.log() }
    }
}

impl Outputs {
    /// Creates a home with what the team's store has of the run.
    #[track_caller]
    pub(crate) fn home_of_the_team(&self) -> Home {
        home_of(&self.pulled)
    }

    /// The line in which the run tells what became of a sink.
    pub(crate) fn told(&self, sink: &str) -> &str {
        told(&self.stored.ended, sink)
    }
}

/// The line in which a run tells what became of a sink.
pub(crate) fn told<'a>(ended: &'a Ended, sink: &str) -> &'a str {
    let begin = format!("sink {sink}");
    let line = ended.stderr.lines().find(|line| line.starts_with(&begin));
    line.unwrap_or_else(|| panic!("no line about {sink}: {}", ended.stderr))
}

/// A run with sinks of every format that our own servers can read, the results in a folder, and a team's store.
pub(crate) fn outputs() -> &'static Outputs {
    static RUN: OnceLock<Result<Outputs, String>> = OnceLock::new();
    let run = RUN.get_or_init(|| {
        let answers =
            |body: &'static str| AnsweringServer::start(move |_| Answered::ok(body)).expect("a server");
        let (traces, influx, keeping) = (answers("{}"), answers(""), answers("{}"));
        let no_traces = AnsweringServer::start(|asked| match asked.path.ends_with("/v1/metrics") {
            true => Answered::ok("{}"),
            false => Answered::ok("not here").status(404),
        });
        let no_traces = no_traces.expect("a server");
        let refuse = |_: &Asked| Answered::ok(format!("not with {}", SECRETS[0])).status(403);
        let refusing = AnsweringServer::start(refuse).expect("a server");
        let gauges = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let team = Database::create().expect("a database");
        let home = Home::with_fixture();
        let (out, jtl) = (home.path().join("out"), home.path().join("run.jtl"));
        configure(&home, &team.url("owner"), &[&refusing, &keeping]);
        let sinks = [
            format!("otlp=http://{}/otlp/v1/metrics", traces.address()),
            format!("otlp=http://{}/otlp/v1/metrics", no_traces.address()),
            format!("influx=http://{}/write?db=perf", influx.address()),
            format!("statsd={}", gauges.local_addr().expect("an address")),
            format!("jtl={}", jtl.display()),
        ];
        let ended = run_with_outputs(&home, &out, &sinks);
        let stored = Stored::only_run(&home, ended, &out)?;
        Ok(Outputs {
            pulled: pulled(&stored.run, &team.url("owner")),
            stored,
            traces: Receiver::of(&traces),
            no_traces: Receiver::of(&no_traces),
            keeping: Receiver::of(&keeping),
            refusing: Receiver::of(&refusing),
            influx: Receiver::of(&influx),
            jtl: fs::read_to_string(jtl).expect("a file"),
            gauges: packet(&gauges),
        })
    });
    run.as_ref().unwrap_or_else(|said| panic!("the run for many tests failed: {said}"))
}

/// Gives a home a team's store, and sinks with a password.
fn configure(home: &Home, store: &str, sinks: &[&AnsweringServer]) {
    private(home, "token", &format!("Bearer {}\n", SECRETS[0]));
    let sink = |server: &&AnsweringServer| {
        format!("[[sink]]\nto = \"opensearch=http://{}\"\nauthorization_file = \"token\"\n", server.address())
    };
    let sinks: String = sinks.iter().map(sink).collect();
    home.file("config.toml", &format!("store = \"{store}\"\n{sinks}"));
}

/// Writes a file that others cannot read; returns its path.
fn private(home: &Home, name: &str, text: &str) -> String {
    let path = home.file(name, text);
    fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).expect("permissions");
    path
}

fn run_with_outputs(home: &Home, out: &Path, sinks: &[String]) -> Ended {
    let file = home.file("short.toml", &with_arms(OUTPUTS));
    let out = out.display().to_string();
    let mut arguments = vec!["run", &file, "--seed", "7", "--out", &out];
    arguments.extend(sinks.iter().flat_map(|sink| ["--sink", sink.as_str()]));
    let passwords = private(home, "pgpass", &format!("*:*:*:*:{}\n", SECRETS[1]));
    let mut command = home.prony(&arguments);
    command.env("PGPASSFILE", passwords).env("SHOP_TOKEN", SECRETS[2]);
    Ended::from(command.output().expect("prony runs"))
}

/// What a machine gets that asks the team's store for a run.
fn pulled(run: &str, store: &str) -> Files {
    let elsewhere = Home::empty();
    let pulled = elsewhere.run(&["pull", run, "--store", store]);
    assert_eq!(pulled.code, Some(0), "{}", pulled.stderr);
    files(&elsewhere.data())
}

/// The first packet that a socket has got.
fn packet(socket: &UdpSocket) -> String {
    let mut packet = [0; 2000];
    socket.set_read_timeout(Some(Duration::from_secs(5))).expect("a limit");
    let read = socket.recv(&mut packet).expect("a packet");
    String::from_utf8_lossy(&packet[..read]).into_owned()
}

/// The `report.json` that a run has printed.
pub(crate) fn report_of(stored: &Stored) -> Value {
    serde_json::from_str(&stored.ended.stdout).expect("report.json")
}
