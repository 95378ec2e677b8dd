//! The command line as clap parses it: one struct of arguments per sub-command. Doc comments of fields are the help texts.

mod calibrate;
mod catalog;
mod diff;
mod files;
mod fleet;
mod history;
mod keeping;
mod nightly;
mod report;
mod sessions;
mod sinks;

pub(crate) use calibrate::{CalibrateArgs, CalibrationArgs, DoseArg, KnownAnswer};
pub(crate) use catalog::CatalogArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
pub(crate) use diff::{DiffArgs, DiffFormat};
pub(crate) use files::{CheckArgs, ImportArgs, ImportFormat, InitArgs, RecordArgs, ScenarioArgs};
pub(crate) use fleet::{AgentArgs, FleetArgs, LoadMachinesArgs, OnLoss};
pub(crate) use history::{HistoryArgs, ServeArgs};
pub(crate) use keeping::{DumpArgs, Keep, PruneArgs};
use model::measure::Measure;
use model::plan::{Stage, Think};
use model::units::{Nanos, Rate};
use model::values;
pub(crate) use nightly::NightlyArgs;
use parse::{parse_address, parse_margin};
pub(crate) use report::{Format, ReportArgs};
pub(crate) use sessions::SessionArgs;
pub(crate) use sinks::SinkArgs;
use std::net::SocketAddr;
use std::path::PathBuf;

mod machine;
mod parse;
mod team;

pub(crate) use machine::MachineArgs;
pub(crate) use team::{PullArgs, PushArgs};

/// Where `--help` lists the options that every sub-command has: behind its own.
const LAST: usize = 900;

/// A dynamometer for Java web servers: fetches, configures and starts every variant, loads them in turn under the same
/// noise, and says which one is faster, by how much, and how certain that is.
#[derive(Debug, Parser)]
#[command(name = "prony", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// The sub-command.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colour; `auto` uses it on a terminal, unless NO_COLOR is set.
    #[arg(long, global = true, display_order = LAST, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorWhen,
    /// Show no progress on stderr.
    #[arg(long, global = true, display_order = LAST)]
    pub(crate) quiet: bool,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A sub-command with its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run an experiment file and answer its question.
    Run(RunArgs),
    /// Say everything that is wrong with an experiment file and what it would run, without running anything.
    Check(CheckArgs),
    /// Write an experiment file for your application: answer three questions, or give their answers as options.
    Init(InitArgs),
    /// Turn traffic that you have into a scenario: command lines of curl, a browser's HAR, an OpenAPI document, targets of vegeta.
    Import(ImportArgs),
    /// Record a scenario: a proxy that writes down what a browser or another client does.
    Record(RecordArgs),
    /// Compare servers without a file: prony compare tomcat:9.0.95 tomcat:10.1.29
    Compare(CompareArgs),
    /// Find out what limits one server: prony why tomcat:10.1.29 -c 200, or the URL of one that runs on this machine.
    Why(WhyArgs),
    /// Load a URL with prony's own generator.
    Load(Box<LoadArgs>),
    /// Make this machine a load machine: it waits for `prony load --fleet`, and makes its share of the load.
    Agent(AgentArgs),
    /// Replace wrk in a script (wrk2 with -R): same flags, same output (`prony wrk --help` lists them).
    #[command(disable_help_flag = true)]
    Wrk(ForeignArgs),
    /// Replace ab in a script: same flags, same output (`prony ab --help` lists them).
    #[command(disable_help_flag = true)]
    Ab(ForeignArgs),
    /// Check prony itself with whole experiments whose right answer is known.
    Calibrate(CalibrateArgs),
    /// Show a stored run again.
    Report(ReportArgs),
    /// List the stored runs, newest first, and show how an experiment drifts from run to run.
    History(HistoryArgs),
    /// Run experiment files within the time of a night, and tell of changes for the worse.
    Nightly(NightlyArgs),
    /// Store runs of this machine in the team's store.
    Push(PushArgs),
    /// Store runs of the team on this machine.
    Pull(PullArgs),
    /// Remove old runs from this machine.
    Prune(PruneArgs),
    /// Print everything that is stored of all runs, as JSON Lines.
    Dump(DumpArgs),
    /// Put two stored runs side by side: which facts differ, which figures may be compared, and by how much these differ.
    Diff(DiffArgs),
    /// Show the stored runs in a browser: a list, the report of each run, and two runs side by side.
    Serve(ServeArgs),
    /// List the servers, versions, applications and services that an experiment can use.
    Catalog(CatalogArgs),
    /// Check whether this machine has what prony needs.
    Doctor,
    /// Remove what killed runs left behind.
    Clean(CleanArgs),
    /// Only prony itself calls this: it runs a server on another host.
    #[command(name = "__host", hide = true)]
    Host {
        /// The folder of prony there.
        folder: PathBuf,
    },
    /// Only prony itself calls this: it makes shares of a load as its standard input orders.
    #[command(name = "__agent", hide = true)]
    OrderedAgent {
        /// The folder of prony there.
        folder: PathBuf,
    },
    /// Only scripts/release calls this: it writes the man pages and the shell completions.
    #[command(name = "__pages", hide = true)]
    Pages {
        /// The folder to write into.
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// Only prony itself calls this: it ends the server when prony dies.
    #[command(name = "__guard", hide = true)]
    Guard {
        /// The process id of the parent, then the command of the server.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<std::ffi::OsString>,
    },
}

/// Where results go.
#[derive(Clone, Debug, Args)]
pub(crate) struct OutputArgs {
    /// Also write report.html, report.json, report.md, comment.md, junit.xml and the plots (SVG) into this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Print report.json on stdout instead of the text report.
    #[arg(long)]
    pub(crate) json: bool,
    /// The language of everything except report.json.
    #[command(flatten)]
    pub(crate) language: LanguageArgs,
    /// Also print annotations for a build server on stderr; `github` is the default where GITHUB_ACTIONS is set.
    #[arg(long, value_name = "SERVER")]
    pub(crate) annotations: Option<Annotations>,
}

/// A build server that shows annotations beside a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Annotations {
    /// Workflow commands of GitHub Actions.
    Github,
}

/// `--lang`, which several sub-commands share.
#[derive(Clone, Debug, Args)]
pub(crate) struct LanguageArgs {
    /// Language of progress, report and pages [default: from LC_ALL, LC_MESSAGES or LANG]
    #[arg(long, value_name = "LANG")]
    pub(crate) lang: Option<LangArg>,
}

/// A language that can be chosen by `--lang`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LangArg {
    /// English.
    En,
    /// Simplified Chinese.
    Zh,
}

/// `prony run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The experiment file; `-` reads it from stdin.
    #[arg(required_unless_present = "resume")]
    pub(crate) file: Option<PathBuf>,
    /// Continue a stored run, given by its id, the beginning of its id, or `latest`. Experiment, seed and rules stay the
    /// same; --budget limits the time that is added.
    #[arg(long, value_name = "RUN",
          conflicts_with_all = ["file", "quick", "arms", "starts", "until_sure", "alpha", "margins", "gate", "against", "seed", "new_rate", "jfr"])]
    pub(crate) resume: Option<String>,
    /// Use the [quick] profile of the file, which asks a smaller question.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Ask Maven anew for the newest version of each line that the file names, and write its lock file anew.
    #[arg(long, conflicts_with = "resume")]
    pub(crate) update: bool,
    /// Run only the arm of this name and the baseline; may be repeated.
    #[arg(long = "arm", value_name = "NAME")]
    pub(crate) arms: Vec<String>,
    /// Options that every experiment takes.
    #[command(flatten)]
    pub(crate) execution: ExecutionArgs,
}

/// Options that `run` and `compare` share.
#[derive(Debug, Args)]
pub(crate) struct ExecutionArgs {
    /// Rules by which the verdict is reached.
    #[command(flatten)]
    pub(crate) design: DesignArgs,
    /// Which CPUs are used.
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    /// The live page.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
    /// Where results go.
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Options of the page that shows a run while it lasts.
#[derive(Clone, Debug, Args)]
pub(crate) struct LiveArgs {
    /// Serve a page that shows the run while it lasts, with a button to stop it; its address is printed on stderr.
    #[arg(long)]
    pub(crate) live: bool,
    /// Serve the live page at this address instead of a free port of 127.0.0.1. An address that other machines can reach
    /// requires a token, which is part of the printed address.
    #[arg(long, value_name = "IP[:PORT]", requires = "live", value_parser = parse_address)]
    pub(crate) listen: Option<SocketAddr>,
    /// Others that follow the run.
    #[command(flatten)]
    pub(crate) sinks: SinkArgs,
}

/// Flags that override the `[design]` of an experiment file.
#[derive(Debug, Default, Args)]
pub(crate) struct DesignArgs {
    /// Time limit, such as 10m or 90s: no start begins that would end later.
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(crate) budget: Option<Nanos>,
    /// Maximum number of fresh starts of every arm, 3 to 40. With fewer than 4 there is no verdict.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=40))]
    pub(crate) starts: Option<u32>,
    /// Continue until the verdict is certain, with no maximum number of starts. --budget still limits the time.
    #[arg(long, conflicts_with = "starts")]
    pub(crate) until_sure: bool,
    /// Error rate of all verdicts on the headline together that call an arm better or worse: 1%, 5% or 10%. By default 5%, and 1%
    /// for a gate.
    #[arg(long, value_name = "SHARE", value_parser = values::alpha)]
    pub(crate) alpha: Option<f64>,
    /// Differences smaller than this count as the same: 3% (for the headline) or throughput=3%; may be repeated.
    #[arg(long = "margin", value_name = "[MEASURE=]SHARE", value_parser = parse_margin)]
    pub(crate) margins: Vec<(Option<Measure>, f64)>,
    /// Ask only whether the headline is worse by more than this; exit with 5 when that is shown.
    #[arg(long, value_name = "SHARE", value_parser = values::share, allow_hyphen_values = true)]
    pub(crate) gate: Option<f64>,
    /// Use an arm of a stored run as the baseline, built and run again: RUN or RUN/ARM.
    #[arg(long, value_name = "RUN")]
    pub(crate) against: Option<String>,
    /// Exit with 6 when the headline or a requirement stays inconclusive.
    #[arg(long)]
    pub(crate) fail_inconclusive: bool,
    /// After the verdict, try the change that the first diagnosis of each arm suggests: three more starts of the arm with
    /// and without it.
    #[arg(long)]
    pub(crate) prove: bool,
    /// After the verdict, profile the CPU time of every arm in five more starts, and show in which methods a request of one
    /// arm needs more of it than one of another. With --resume, a stored run gets such a profile and nothing else.
    #[arg(long)]
    pub(crate) profile: bool,
    /// Seed of everything random [default: drawn, and recorded with the run]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Choose the fixed rate for response times and CPU in the first start, instead of using that of the newest stored run
    /// of the same question.
    #[arg(long)]
    pub(crate) new_rate: bool,
    /// Record with the JDK Flight Recorder what threads wait for, once, when everything has been measured.
    #[arg(long)]
    pub(crate) jfr: bool,
}

/// `prony compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Two or more arms as SERVER:VERSION[,key=value...]; the first is the baseline.
    #[arg(value_name = "ARM", required_unless_present = "revisions", num_args = 1..)]
    pub(crate) arms: Vec<String>,
    /// Revisions of the user's repository in the place of servers.
    #[command(flatten)]
    pub(crate) built: BuiltArgs,
    /// The application that all of them run.
    #[arg(long, default_value = "hello")]
    pub(crate) app: String,
    /// The path to request [default: the application's first]
    #[arg(long)]
    pub(crate) path: Option<String>,
    /// Keep-alive connections; each sends its next request when the previous one is answered.
    #[arg(short, long, value_name = "N", default_value_t = model::experiment::CONNECTIONS as u32,
          value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub(crate) connections: u32,
    /// Options that every experiment takes.
    #[command(flatten)]
    pub(crate) execution: ExecutionArgs,
}

/// Revisions of the user's repository, which `prony compare` builds.
#[derive(Debug, Args)]
pub(crate) struct BuiltArgs {
    /// A revision of the git repository around this folder, which is built elsewhere and becomes an arm; may be repeated, and the
    /// first is the baseline. ARM may then name the server [default: the newest Tomcat 10.1, or 9.0 for a javax WAR]
    #[arg(long = "git", value_name = "REV", requires = "file")]
    pub(crate) revisions: Vec<String>,
    /// The WAR that the build of each revision makes, such as target/app.war; a * in its name stands for what differs.
    #[arg(long, value_name = "FILE", group = "file", requires = "revisions")]
    pub(crate) war: Option<String>,
    /// The executable jar that the build of each revision makes.
    #[arg(long, value_name = "FILE", group = "file", requires = "revisions")]
    pub(crate) jar: Option<String>,
    /// The command that builds a revision [default: that of Maven or Gradle]
    #[arg(long, value_name = "COMMAND", requires = "revisions")]
    pub(crate) build: Option<String>,
}

/// `prony why`.
#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// The server: SERVER:VERSION[,key=value...], which prony starts, or the URL of one that runs on this machine.
    #[arg(value_name = "ARM|URL")]
    pub(crate) server: String,
    /// The application that the server runs.
    #[arg(long, default_value = "hello")]
    pub(crate) app: String,
    /// The path to request [default: that of the URL, or the application's first]
    #[arg(long)]
    pub(crate) path: Option<String>,
    /// Keep-alive connections, which are reached in steps; each sends its next request when the previous one is answered.
    #[arg(short, long, value_name = "N", default_value_t = model::experiment::CONNECTIONS as u32,
          value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub(crate) connections: u32,
    /// Then try the change that the first diagnosis suggests: three more starts with and without it.
    #[arg(long)]
    pub(crate) prove: bool,
    /// Seed of everything random [default: drawn, and recorded with the run]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Which CPUs are used.
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    /// The live page.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
    /// Where results go.
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl WhyArgs {
    /// Returns them as the options of an experiment.
    pub(crate) fn execution(&self) -> ExecutionArgs {
        ExecutionArgs {
            design: DesignArgs { prove: self.prove, seed: self.seed, ..DesignArgs::default() },
            machine: self.machine.clone(),
            live: self.live.clone(),
            output: self.output.clone(),
        }
    }
}

/// `prony load`.
#[derive(Debug, Args)]
pub(crate) struct LoadArgs {
    /// The URL to load; `localhost:8080` means http.
    #[arg(
        required = false,
        required_unless_present = "jmx",
        default_value_if("jmx", clap::builder::ArgPredicate::IsPresent, "")
    )]
    pub(crate) url: String,
    /// Number of connections that are kept open.
    #[arg(short, long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub(crate) connections: u32,
    /// How long to load, such as 30s or 1m30s; a bare number is seconds [default: 10s, or until --requests are answered]
    #[arg(short, long, value_name = "TIME", value_parser = values::duration)]
    pub(crate) duration: Option<Nanos>,
    /// Stop after this number of requests, such as 1000 or 10k.
    #[arg(short = 'n', long, value_name = "N", value_parser = values::count)]
    pub(crate) requests: Option<u64>,
    /// Requests per second in total; each is sent when it is due, however slowly the server answers. Without it, every
    /// connection sends its next request when the previous one is answered.
    #[arg(short = 'R', long, value_name = "RATE", value_parser = values::rate)]
    pub(crate) rate: Option<Rate>,
    /// Use equal gaps between the requests of --rate or --stages instead of random (Poisson) ones.
    #[arg(long, conflicts_with_all = ["think", "iterations", "pool"])]
    pub(crate) constant: bool,
    /// A rate that changes in stages, each TIME:RATE or TIME:FROM-TO, such as 10s:0-1000,1m:1000. The load ends with the
    /// last stage.
    #[arg(long, value_name = "LIST", value_parser = values::stages, conflicts_with_all = ["rate", "duration", "warm_up", "ramp_up"])]
    // With the whole path, because clap takes a bare Vec for a flag that may be repeated.
    pub(crate) stages: Option<std::vec::Vec<Stage>>,
    /// Start the connections, or raise --rate, evenly over this time. It is not measured, unless the load ends after a
    /// number of requests.
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(crate) ramp_up: Option<Nanos>,
    /// Load for this time after the ramp-up and before the measurement.
    #[arg(long, value_name = "TIME", value_parser = values::duration, conflicts_with_all = ["requests", "iterations"])]
    pub(crate) warm_up: Option<Nanos>,
    /// Pause of every connection between an answer and its next request: 100ms, 50ms-150ms (uniform),
    /// gaussian:100ms,20ms (mean, standard deviation) or exponential:100ms (mean).
    #[arg(long, value_name = "PAUSE", value_parser = values::think, conflicts_with_all = ["rate", "stages"])]
    pub(crate) think: Option<Think>,
    /// Each connection ends after this number of requests, like the loop count of a JMeter thread group.
    #[arg(long, value_name = "N", value_parser = values::count, conflicts_with_all = ["rate", "stages"])]
    pub(crate) iterations: Option<u64>,
    /// The users of --connections share this number of connections. A user who finds none free waits, and the wait counts.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60_000), conflicts_with_all = ["rate", "stages", "no_keepalive"])]
    pub(crate) pool: Option<u32>,
    /// Number of requests that a connection sends before it waits for their answers.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000), conflicts_with_all = ["rate", "stages", "pool", "no_keepalive"])]
    pub(crate) pipeline: u32,
    /// Maximum number of connections opened per second, so that the load does not begin with a burst.
    #[arg(long, value_name = "RATE", value_parser = values::rate)]
    pub(crate) connect_rate: Option<Rate>,
    /// Open a new connection for each request.
    #[arg(long)]
    pub(crate) no_keepalive: bool,
    /// https: accept any certificate; on 127.0.0.1 and ::1 every certificate is accepted anyway.
    #[arg(long)]
    pub(crate) insecure: bool,
    /// https: a PEM file with the certificate authorities to trust.
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub(crate) cacert: Option<PathBuf>,
    /// https: make a full handshake on every connection instead of resuming a session.
    #[arg(long)]
    pub(crate) no_resume: bool,
    /// Take the time when an answer is read instead of the kernel's receive timestamp: cheaper, but less accurate.
    #[arg(long)]
    pub(crate) no_kernel_times: bool,
    /// Number of event loops; each uses one core.
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) threads: u32,
    /// CPUs on which the event loops stay, one each, such as 2-3 [default: they share all with everything else]
    #[arg(long, value_name = "LIST", value_parser = machine::parse_cpus)]
    pub(crate) generator_cpus: Option<std::vec::Vec<usize>>,
    /// A request that takes longer counts as a fault.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = values::duration)]
    pub(crate) timeout: Nanos,
    /// A connection that takes longer to open, including its TLS handshake, counts as a fault [default: the value of
    /// --timeout]
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(crate) connect_timeout: Option<Nanos>,
    /// Connect to this unix socket instead of the URL's host.
    #[arg(long, value_name = "FILE")]
    pub(crate) unix_socket: Option<PathBuf>,
    // The placeholder of the iteration is not named here, because clap takes it for a line break.
    /// Send the requests that this TOML file lists, each a [[request]] with path, method, headers, body, status, expect and
    /// weight. A placeholder, which docs/guide/experiments.md shows, gives each iteration its own number.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "body"])]
    pub(crate) mix: Option<PathBuf>,
    /// Sessions of steps in the place of one request.
    #[command(flatten)]
    pub(crate) sessions: SessionArgs,
    /// A header to send, as "Name: value"; may be repeated.
    #[arg(short = 'H', long = "header", value_name = "HEADER")]
    pub(crate) headers: Vec<String>,
    /// The request method.
    #[arg(short, long, value_name = "METHOD", default_value = "GET")]
    pub(crate) method: String,
    /// A request body, or @FILE to read it from a file.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) body: Option<String>,
    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Other machines that make the load.
    #[command(flatten)]
    pub(crate) fleet: FleetArgs,
    /// Where results go.
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// `prony wrk` and `prony ab`: the arguments of the tool that is replaced.
#[derive(Debug, Args)]
pub(crate) struct ForeignArgs {
    /// The arguments as that tool takes them.
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<std::ffi::OsString>,
}

/// `prony clean`.
#[derive(Debug, Args)]
pub(crate) struct CleanArgs {
    /// Also remove the downloaded servers and built applications.
    #[arg(long)]
    pub(crate) cache: bool,
}
