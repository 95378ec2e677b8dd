//! What can be typed.

use crate::output;
use clap::{Args, Parser, Subcommand, ValueEnum};
use model::measure::Measure;
use model::plan::{Stage, Think};
use model::units::{Nanos, Rate};
use model::values;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// A dynamometer for Java web servers: fetches, configures and starts every variant, loads them in turn under the same
/// noise, and says which is faster, by how much, and how sure.
#[derive(Debug, Parser)]
#[command(name = "prony", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Colour: always, never, or where there is a terminal.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: When,
    /// No progress on stderr.
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run an experiment file and answer its question.
    Run(Run),
    /// Compare servers without a file: prony compare tomcat:9.0.95 tomcat:10.1.29
    Compare(Compare),
    /// Load a URL with prony's own generator.
    Load(Box<Load>),
    /// Take wrk's place, or with -R wrk2's: its flags, its output (`prony wrk --help` lists them).
    #[command(disable_help_flag = true)]
    Wrk(Words),
    /// Take ab's place: its flags, its output (`prony ab --help` lists them).
    #[command(disable_help_flag = true)]
    Ab(Words),
    /// Measure prony itself: whole experiments whose right answer is known.
    Calibrate(Calibrate),
    /// Show a stored run again.
    Report(Report),
    /// List stored runs, newest first, and the drift of an experiment.
    History(History),
    /// Show stored runs in a browser: the list, each one's report, two side by side.
    Serve(Serve),
    /// List the servers, versions, applications and services that can be asked for.
    Catalog(Catalog),
    /// Say what this machine has and lacks.
    Doctor,
    /// Remove what killed runs left behind.
    Clean(Clean),
    /// Started by prony itself: ties a server's life to prony's.
    #[command(name = "__guard", hide = true)]
    Guard {
        /// The expected parent, then the command.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<std::ffi::OsString>,
    },
}

impl Command {
    /// In which language the command complains: the one that it is given, else that of the locale. clap's own messages and the
    /// help are in English: clap has no translations.
    pub(crate) fn lang(&self) -> report::Lang {
        let language = match self {
            Self::Run(run) => Some(&run.how.output.language),
            Self::Compare(compare) => Some(&compare.how.output.language),
            Self::Load(load) => Some(&load.output.language),
            Self::Report(report) => Some(&report.language),
            Self::History(history) => Some(&history.language),
            Self::Serve(serve) => Some(&serve.language),
            Self::Wrk(_)
            | Self::Ab(_)
            | Self::Calibrate(_)
            | Self::Catalog(_)
            | Self::Doctor
            | Self::Clean(_)
            | Self::Guard { .. } => None,
        };
        language.map_or_else(output::of_locale, output::lang)
    }
}

#[derive(Debug, Args)]
pub(crate) struct Catalog {
    /// Print it as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the JSON Schema of an experiment file instead, for editors: the keys of its arms.
    #[arg(long, conflicts_with = "json")]
    pub(crate) schema: bool,
}

/// Where results go.
#[derive(Debug, Args)]
pub(crate) struct Output {
    /// Also write report.html, report.json, report.md, comment.md, junit.xml and the plots as SVG into this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Print report.json on stdout instead of the table.
    #[arg(long)]
    pub(crate) json: bool,
    /// The language of all but report.json.
    #[command(flatten)]
    pub(crate) language: Language,
    /// Also say on stderr what a build server shows beside a change; github: where GITHUB_ACTIONS is set anyway.
    #[arg(long, value_name = "SERVER")]
    pub(crate) annotations: Option<Annotations>,
}

/// A build server with annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Annotations {
    /// GitHub Actions' workflow commands.
    Github,
}

/// The language of a report.
#[derive(Debug, Args)]
pub(crate) struct Language {
    /// Language of progress, report and pages [default: by LC_ALL, LC_MESSAGES or LANG]
    #[arg(long, value_name = "LANG")]
    pub(crate) lang: Option<Lang>,
}

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lang {
    /// English.
    En,
    /// Simplified Chinese.
    Zh,
}

/// `prony run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The experiment file; `-` reads stdin.
    #[arg(required_unless_present = "resume")]
    pub(crate) file: Option<PathBuf>,
    /// Go on with a stored run: its id, the beginning of it, or `latest`. Everything is as it was; --budget is for what
    /// is added.
    #[arg(long, value_name = "RUN",
          conflicts_with_all = ["file", "quick", "arms", "starts", "until_sure", "alpha", "margins", "gate", "against", "seed", "jfr"])]
    pub(crate) resume: Option<String>,
    /// The file's quick profile: its [quick] makes the question smaller.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Only these arms, by name; the baseline is always kept.
    #[arg(long = "arm", value_name = "NAME")]
    pub(crate) arms: Vec<String>,
    /// How it runs.
    #[command(flatten)]
    pub(crate) how: How,
}

/// How an experiment runs, wherever it comes from.
#[derive(Debug, Args)]
pub(crate) struct How {
    /// How the verdict is reached.
    #[command(flatten)]
    pub(crate) design: Design,
    /// The page of the run.
    #[command(flatten)]
    pub(crate) live: Live,
    /// Where results go.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The page of a run while it lasts.
#[derive(Debug, Args)]
pub(crate) struct Live {
    /// Show the run in a browser while it lasts, with a button that ends it; the address is printed on stderr.
    #[arg(long)]
    pub(crate) live: bool,
    /// Serve that page there instead of at a free port of 127.0.0.1; beyond this machine the address has a token.
    #[arg(long, value_name = "IP[:PORT]", requires = "live", value_parser = address)]
    pub(crate) listen: Option<SocketAddr>,
}

/// Flags that overrule the design of a file.
#[derive(Debug, Args)]
pub(crate) struct Design {
    /// No new start begins when it would end later than this, as 10m or 90s.
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(crate) budget: Option<Nanos>,
    /// Most fresh starts of every arm, 3 to 40. Fewer than 5 show only what is far larger than their spread.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=40))]
    pub(crate) starts: Option<u32>,
    /// No cap of starts: go on until sure. --budget still limits the time.
    #[arg(long, conflicts_with = "starts")]
    pub(crate) until_sure: bool,
    /// Error rate of faster and slower over all looks: 1%, 5% or 10%.
    #[arg(long, value_name = "SHARE", value_parser = values::alpha)]
    pub(crate) alpha: Option<f64>,
    /// A smaller difference counts as the same: 3% (headline) or throughput=3%; may be repeated.
    #[arg(long = "margin", value_name = "[MEASURE=]SHARE", value_parser = margin)]
    pub(crate) margins: Vec<(Option<Measure>, f64)>,
    /// Ask only: is the headline worse by more than this? Exit 5 when that is shown.
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    pub(crate) gate: Option<f64>,
    /// The baseline is an arm of this stored run, built and run again: RUN or RUN/ARM.
    #[arg(long, value_name = "RUN")]
    pub(crate) against: Option<String>,
    /// Exit 6 when the headline or anything required stays inconclusive.
    #[arg(long)]
    pub(crate) fail_inconclusive: bool,
    /// After the verdict try what the first diagnosis of each arm suggests to change: three starts more of each, beside it.
    #[arg(long)]
    pub(crate) prove: bool,
    /// Seed of everything random; drawn and recorded when not given.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Record what threads wait for by the JDK Flight Recorder, once, after the first start was measured.
    #[arg(long)]
    pub(crate) jfr: bool,
}

/// `prony compare`.
#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// Two or more arms as SERVER:VERSION[,key=value...]; the first is the baseline.
    #[arg(value_name = "ARM", required = true, num_args = 1..)]
    pub(crate) arms: Vec<String>,
    /// The application that runs in them.
    #[arg(long, default_value = "hello")]
    pub(crate) app: String,
    /// The path to request; by default the application's first.
    #[arg(long)]
    pub(crate) path: Option<String>,
    /// Keep-alive connections, each sending its next request when the last one is answered.
    #[arg(short, long, value_name = "N", default_value_t = model::experiment::CONNECTIONS as u32,
          value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub(crate) connections: u32,
    /// How it runs.
    #[command(flatten)]
    pub(crate) how: How,
}

/// `prony load`.
#[derive(Debug, Args)]
pub(crate) struct Load {
    /// What to load; `localhost:8080` means http.
    pub(crate) url: String,
    /// Connections kept open.
    #[arg(short, long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub(crate) connections: u32,
    /// How long, as 30s or 1m30s; a bare number is seconds [default: 10s, or until --requests are answered]
    #[arg(short, long, value_name = "TIME", value_parser = values::duration)]
    pub(crate) duration: Option<Nanos>,
    /// End after so many requests, as 1000 or 10k.
    #[arg(short = 'n', long, value_name = "N", value_parser = values::count)]
    pub(crate) requests: Option<u64>,
    /// Requests per second in total, sent when due whatever the server does; without it every connection sends its
    /// next request when the last one is answered.
    #[arg(short = 'R', long, value_name = "RATE", value_parser = values::rate)]
    pub(crate) rate: Option<Rate>,
    /// Equal gaps between the requests of --rate or --stages instead of random (Poisson) ones.
    #[arg(long, conflicts_with_all = ["think", "iterations", "pool"])]
    pub(crate) constant: bool,
    /// A rate that changes: parts in sequence, TIME:RATE or TIME:FROM-TO, as 10s:0-1000,1m:1000; it ends with the last.
    #[arg(long, value_name = "LIST", value_parser = values::stages, conflicts_with_all = ["rate", "duration", "warm_up", "ramp_up"])]
    // The whole path: a bare Vec would mean to clap that the flag may be repeated.
    pub(crate) stages: Option<std::vec::Vec<Stage>>,
    /// Start the connections, or raise --rate, evenly over this time, which does not count unless the load ends after so
    /// many requests.
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(crate) ramp_up: Option<Nanos>,
    /// Load for so long, after the ramp and before what counts.
    #[arg(long, value_name = "TIME", value_parser = values::duration, conflicts_with_all = ["requests", "iterations"])]
    pub(crate) warm_up: Option<Nanos>,
    /// Pause of every connection between an answer and its next request: 100ms, 50ms-150ms (uniform),
    /// gaussian:100ms,20ms (mean, deviation) or exponential:100ms (mean).
    #[arg(long, value_name = "PAUSE", value_parser = values::think, conflicts_with_all = ["rate", "stages"])]
    pub(crate) think: Option<Think>,
    /// Each connection ends after so many requests, as the loops of a thread group.
    #[arg(long, value_name = "N", value_parser = values::count, conflicts_with_all = ["rate", "stages"])]
    pub(crate) iterations: Option<u64>,
    /// --connections are users, who share so many connections; who finds none free waits, and the wait counts.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60_000), conflicts_with_all = ["rate", "stages", "no_keepalive"])]
    pub(crate) pool: Option<u32>,
    /// Requests that a connection sends at once before it awaits their answers.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000), conflicts_with_all = ["rate", "stages", "pool", "no_keepalive"])]
    pub(crate) pipeline: u32,
    /// Most connections begun per second, so that a start is no burst.
    #[arg(long, value_name = "RATE", value_parser = values::rate)]
    pub(crate) connect_rate: Option<Rate>,
    /// A new connection for each request.
    #[arg(long)]
    pub(crate) no_keepalive: bool,
    /// https: accept any certificate; on 127.0.0.1 and ::1 any is accepted anyway.
    #[arg(long)]
    pub(crate) insecure: bool,
    /// https: certificate authorities to trust, a PEM file.
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub(crate) cacert: Option<PathBuf>,
    /// https: a full handshake on every connection.
    #[arg(long)]
    pub(crate) no_resume: bool,
    /// Read the clock when an answer is seen instead of taking the kernel's timestamp: cheaper, less true.
    #[arg(long)]
    pub(crate) no_kernel_times: bool,
    /// Event loops, one core each.
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) threads: u32,
    /// A request that takes longer is a fault.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = values::duration)]
    pub(crate) timeout: Nanos,
    /// A connection that takes longer, its TLS handshake included, is a fault [default: as --timeout]
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(crate) connect_timeout: Option<Nanos>,
    /// Connect to this unix socket instead of the URL's host.
    #[arg(long, value_name = "FILE")]
    pub(crate) unix_socket: Option<PathBuf>,
    /// Send the requests that this TOML file lists: a [[request]] with path, method, headers, body, status, expect and
    /// weight each; ${n} is a number that no other round has.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "body"])]
    pub(crate) mix: Option<PathBuf>,
    /// A header to send, as "Name: value"; may be repeated.
    #[arg(short = 'H', long = "header", value_name = "HEADER")]
    pub(crate) headers: Vec<String>,
    /// The request method.
    #[arg(short, long, value_name = "METHOD", default_value = "GET")]
    pub(crate) method: String,
    /// A request body, or @FILE to read it from.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) body: Option<String>,
    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Where results go.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The arguments of another tool.
#[derive(Debug, Args)]
pub(crate) struct Words {
    /// As that tool takes them.
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<std::ffi::OsString>,
}

/// `prony calibrate`.
#[derive(Debug, Args)]
pub(crate) struct Calibrate {
    /// The right answer.
    #[command(subcommand)]
    pub(crate) known: KnownAnswer,
}

/// What prony ought to answer.
#[derive(Debug, Subcommand)]
pub(crate) enum KnownAnswer {
    /// The same server twice: whoever calls one of them faster is wrong.
    Aa(Calibration),
    /// The same server twice, one of them burning a known share of CPU in every request: it has to be called slower.
    Power {
        /// Extra CPU per request, as a share of what the server needs without it.
        #[arg(long, value_name = "SHARE", default_value = "3%", value_parser = values::share)]
        inject: f64,
        /// How it is done.
        #[command(flatten)]
        flags: Calibration,
    },
}

/// How a calibration is done.
#[derive(Debug, Args)]
pub(crate) struct Calibration {
    /// The server as SERVER:VERSION[,key=value...] [default: the newest Tomcat 10.1]
    pub(crate) server: Option<String>,
    /// Runs, each a whole experiment with a seed of its own; 0 only shows the tally of --out.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) runs: u32,
    /// No new start of a run begins when it would end later than this.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = values::duration)]
    pub(crate) budget: Nanos,
    /// Most fresh starts of both in a run, 3 to 40.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(3..=40))]
    pub(crate) starts: u32,
    /// Promised error rate of a run: 1%, 5% or 10%.
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = values::alpha)]
    pub(crate) alpha: f64,
    /// Seed of the first run, the next ones counting on; drawn and recorded when not given.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Append a line of JSON for every run to this file, and count the runs in it.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// `prony report`.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The run: its id, the beginning of it, or `latest`.
    #[arg(default_value = "latest")]
    pub(crate) run: String,
    /// The form.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// Compute it again from the stored slices, as is done anyway for a run that was not finished.
    #[arg(long)]
    pub(crate) recompute: bool,
    /// jtl: keep one request in so many; there is a line for each.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) every: u64,
    /// The language of all but report.json.
    #[command(flatten)]
    pub(crate) language: Language,
}

/// A form of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The table of the terminal.
    Text,
    /// One page that needs nothing else.
    Html,
    /// Markdown.
    Md,
    /// Markdown in short: a comment on a pull request.
    Comment,
    /// report.json.
    Json,
    /// The picture of the verdict.
    Svg,
    /// JUnit XML: a test case for everything that was asked.
    Junit,
    /// A line per slice.
    Csv,
    /// A slice per line, as it is stored, histograms included.
    Jsonl,
    /// A line per request for JMeter's dashboard generator, rebuilt from the histograms.
    Jtl,
    /// Histogram log for the HdrHistogram tools, a line per slice.
    Hlog,
    /// The experiment file that the run came from.
    Toml,
}

/// `prony history`.
#[derive(Debug, Args)]
pub(crate) struct History {
    /// Only the runs of this experiment, and how its measures drift from run to run.
    pub(crate) experiment: Option<String>,
    /// List at most so many runs; the drift is that of all.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: u32,
    /// Print it as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Language,
}

/// `prony serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Serve there instead of at a free port of 127.0.0.1; beyond this machine the address has a token.
    #[arg(long, value_name = "IP[:PORT]", value_parser = address)]
    pub(crate) listen: Option<SocketAddr>,
    /// The language in which pages open.
    #[command(flatten)]
    pub(crate) language: Language,
}

/// `prony clean`.
#[derive(Debug, Args)]
pub(crate) struct Clean {
    /// Also remove the downloaded servers and built applications.
    #[arg(long)]
    pub(crate) cache: bool,
}

/// `0.0.0.0:8080`, or an address at any free port of which to listen.
fn address(text: &str) -> Result<SocketAddr, String> {
    let at_any_port = |ip: IpAddr| SocketAddr::new(ip, 0);
    text.parse()
        .or_else(|_| text.parse().map(at_any_port))
        .map_err(|_| "expected an IP address with or without a port, as 0.0.0.0:8080".to_owned())
}

/// `3%`, or `throughput=3%`.
fn margin(text: &str) -> Result<(Option<Measure>, f64), String> {
    let Some((id, margin)) = text.split_once('=') else {
        return Ok((None, values::share(text).map_err(|bad| bad.to_string())?));
    };
    let measure = Measure::from_id(id).ok_or_else(|| {
        let ids = Measure::USUAL.map(Measure::id).join(", ");
        format!("unknown measure `{id}`; measures: {ids}")
    })?;
    let margin = values::share(margin).map_err(|bad| bad.to_string())?;
    Ok((Some(measure), margin))
}
