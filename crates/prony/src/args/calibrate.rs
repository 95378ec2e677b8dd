//! Arguments of `prony calibrate`.

use clap::{Args, Subcommand, ValueEnum};
use model::units::Nanos;
use model::values;
use std::path::PathBuf;

/// `prony calibrate`.
#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    /// The kind of experiment, whose right answer is known.
    #[command(subcommand)]
    pub(crate) known: KnownAnswer,
}

/// An experiment whose right answer is known.
#[derive(Debug, Subcommand)]
pub(crate) enum KnownAnswer {
    /// Compare a server with itself: every verdict that calls one better or worse is wrong.
    Aa(CalibrationArgs),
    /// Compare a server with itself while one of the two is slowed by a dose that the application counts: it has to be called worse.
    Power {
        /// What makes it slower.
        #[arg(long, value_name = "KIND", default_value = "cpu")]
        dose: DoseArg,
        /// How much slower: extra CPU per request, as a share of the CPU that the server needs without it (for bimodal on average
        /// over the starts), or for stall the share of time.
        #[arg(long, value_name = "SHARE", default_value = "3%", value_parser = values::share)]
        inject: f64,
        /// Options that both kinds take.
        #[command(flatten)]
        flags: CalibrationArgs,
    },
}

/// `--dose`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DoseArg {
    /// Every request burns CPU.
    Cpu,
    /// All requests wait during a stall, about every five seconds.
    Stall,
    /// Every request allocates garbage that the collector has to copy.
    Gc,
    /// A random quarter of the starts burns four times the CPU, the others none.
    Bimodal,
}

/// Options of a calibration.
#[derive(Debug, Args)]
pub(crate) struct CalibrationArgs {
    /// The server as SERVER:VERSION[,key=value...] [default: the newest Tomcat 10.1]
    pub(crate) server: Option<String>,
    /// Number of runs, each a whole experiment with its own seed; 0 only shows the tally of the file of --out.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) runs: u32,
    /// Time limit of each run: no start begins that would end later.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = values::duration)]
    pub(crate) budget: Nanos,
    /// Maximum number of fresh starts of both servers in a run, 3 to 40 [default: as many as the time has room for, as in `prony run`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=40))]
    pub(crate) starts: Option<u32>,
    /// Error rate that a run promises: 1%, 5% or 10%.
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = values::alpha)]
    pub(crate) alpha: f64,
    /// Seed of the first run; each later run adds one [default: drawn, and recorded with the run]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Append a line of JSON for every run to this file; the tally counts all runs in it.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}
