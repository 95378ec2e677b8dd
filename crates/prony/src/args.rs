//! Arguments that several sub-commands have. Doc comments of fields are the help texts.

mod fleet;
mod machine;
mod network;
mod parse;
mod scenario;
mod sinks;
mod team;

use ask::values;
use clap::{Args, ValueEnum};
pub(crate) use fleet::{FleetComplaint, LoadMachinesArgs, OnLoss};
pub(crate) use machine::{MachineArgs, parse_cpus};
#[cfg(test)]
pub(crate) use machine::{NotAllowed, UnusedHost};
use model::measure::Measure;
use model::units::Nanos;
pub(crate) use network::NetworkArgs;
pub(crate) use parse::parse_address;
use parse::parse_margin;
pub(crate) use scenario::ScenarioArgs;
pub(crate) use sinks::SinkArgs;
use std::net::SocketAddr;
use std::path::PathBuf;
pub(crate) use team::StoreArgs;

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

/// Options that `run` and `compare` share.
#[derive(Debug, Args)]
pub(crate) struct ExecutionArgs {
    /// Rules by which the verdict is reached.
    #[command(flatten)]
    pub(crate) design: DesignArgs,
    /// Which CPUs are used.
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
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
    /// Choose the fixed rate for response times and CPU in the first start, instead of using the rate of the newest stored run
    /// of the same question.
    #[arg(long)]
    pub(crate) new_rate: bool,
    /// Record with the JDK Flight Recorder what threads wait for, once, when everything has been measured.
    #[arg(long)]
    pub(crate) jfr: bool,
}
