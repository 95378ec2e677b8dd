//! The program `prony`: it parses the command line, runs the sub-command, and sets the exit code. Each sub-command is one file in
//! [`cmd`].

mod against;
mod args;
mod available;
mod builds;
mod call;
mod cmd;
mod decisions;
mod execution;
mod experiment;
mod failure;
mod home;
mod jmx;
mod kept_rate;
mod language;
mod learnt_priors;
mod load_machines;
mod lock_file;
mod notifier;
mod outgoing;
mod output;
mod progress;
mod proof;
mod record;
mod repeat;
mod run_context;
mod run_id;
mod run_source;
mod say;
mod signals;
mod sinks;
mod stored_run;
mod team;
mod user_config;
mod web;

use call::Call;
use cmd::{Cli, SubCommand};
use failure::Failure;
use model::patience::Patience;
use say::Complaint;
use std::process::ExitCode;

/// The variable with the scale of [`Patience`]. It is for tests of the whole program, and nowhere in the help.
const PATIENCE: &str = "PRONY_PATIENCE";

fn main() -> ExitCode {
    let (cli, typed) = Cli::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    let lang = language::of_command(&typed);
    let colour = output::Colour::decide(cli.color);
    let run = |patience| cli.command.run(&Call { colour, quiet: cli.quiet, patience, typed });
    match patience().and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(lang),
    }
}

/// The patience that the environment asks for; the usual one where it asks for none.
fn patience() -> Result<Patience, Failure> {
    let Some(scale) = std::env::var_os(PATIENCE) else {
        return Ok(Patience::default());
    };
    let text = scale.to_string_lossy();
    text.parse().map_err(|wrong| {
        Failure::usage(Complaint::NoPatience { variable: PATIENCE, text: text.into_owned(), wrong })
    })
}
