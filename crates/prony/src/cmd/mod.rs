//! The sub-commands, one file each: its arguments, what it does, and its words. The list is at the end of this file; everything else
//! follows from it.

pub(crate) mod ab;
pub(crate) mod agent;
pub(crate) mod calibrate;
mod catalog;
mod check;
mod clean;
pub(crate) mod compare;
mod diff;
mod doctor;
#[cfg(test)]
mod documented;
mod dump;
pub(crate) mod foreign;
mod guard;
pub(crate) mod history;
mod host;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod load;
mod nightly;
mod ordered_agent;
mod pages;
mod prune;
mod pull;
mod push;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod serve;
mod why;
pub(crate) mod wrk;

use crate::args::ColorWhen;
use crate::call::Call;
use crate::failure::Failure;
use crate::repeat::TypedCommand;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

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

impl Cli {
    /// Reads a command line, whose first word is the name of the program.
    ///
    /// # Errors
    ///
    /// What clap tells instead: a mistake, help, or the version.
    pub(crate) fn read(
        words: impl IntoIterator<Item = OsString>,
    ) -> Result<(Self, TypedCommand), clap::Error> {
        let mut command = Self::command();
        let matches = command.try_get_matches_from_mut(words)?;
        let cli = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        Ok((cli, TypedCommand::new(command, matches)))
    }
}

/// The arguments of a sub-command, which know what to do.
pub(crate) trait SubCommand {
    /// Does what the sub-command is for.
    ///
    /// # Errors
    ///
    /// Why it failed, with the exit code.
    fn run(&self, call: &Call) -> Result<(), Failure>;
}

/// Makes [`Command`] of the list of sub-commands. The first line of the docs of the arguments is what `--help` says of a sub-command.
macro_rules! sub_commands {
    ($($(#[$attribute:meta])* $name:ident($arguments:ty),)*) => {
        /// A sub-command with its arguments.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $($(#[$attribute])* $name($arguments),)*
        }

        impl SubCommand for Command {
            fn run(&self, call: &Call) -> Result<(), Failure> {
                match self {
                    $(Self::$name(arguments) => arguments.run(call),)*
                }
            }
        }
    };
}

// In the order of `--help`.
sub_commands! {
    Run(run::RunArgs),
    Check(check::CheckArgs),
    Init(init::InitArgs),
    Import(import::ImportArgs),
    Record(record::RecordArgs),
    Compare(compare::CompareArgs),
    Why(why::WhyArgs),
    Load(Box<load::LoadArgs>),
    Agent(agent::AgentArgs),
    Wrk(wrk::WrkWords),
    Ab(ab::AbWords),
    Calibrate(calibrate::CalibrateArgs),
    Report(report::ReportArgs),
    History(history::HistoryArgs),
    Nightly(nightly::NightlyArgs),
    Push(push::PushArgs),
    Pull(pull::PullArgs),
    Prune(prune::PruneArgs),
    Dump(dump::DumpArgs),
    Diff(diff::DiffArgs),
    Serve(serve::ServeArgs),
    Catalog(catalog::CatalogArgs),
    Doctor(doctor::DoctorArgs),
    Clean(clean::CleanArgs),
    #[command(name = "__host")]
    Host(host::HostArgs),
    #[command(name = "__agent")]
    OrderedAgent(ordered_agent::OrderedAgentArgs),
    #[command(name = "__pages")]
    Pages(pages::PagesArgs),
    #[command(name = "__guard")]
    Guard(guard::GuardArgs),
}
