//! The program `prony`: it parses the command line, runs the sub-command, and sets the exit code. Each sub-command is one file in
//! [`cmd`].

mod against;
mod args;
mod available;
mod builds;
mod cmd;
mod decisions;
#[cfg(test)]
mod documented;
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
mod team_push;
mod user_config;
mod web;

use args::{Cli, Command};
use clap::Parser;
use failure::Failure;
use model::patience::Patience;
use say::Complaint;
use std::process::ExitCode;

/// The variable with the scale of [`Patience`]. It is for tests of the whole program, and nowhere in the help.
const PATIENCE: &str = "PRONY_PATIENCE";

fn main() -> ExitCode {
    let cli = Cli::parse();
    let colour = output::Colour::decide(cli.color);
    let patience = match patience() {
        Ok(patience) => patience,
        Err(failure) => return failure.report(language::of_command(&cli.command)),
    };
    let result = match &cli.command {
        Command::Run(args) => cmd::run::run(args, colour, cli.quiet, patience),
        Command::Check(args) => cmd::check::run(args, colour),
        Command::Init(args) => cmd::init::run(args),
        Command::Import(args) => cmd::import::run(args),
        Command::Record(args) => cmd::record::run(args, cli.quiet),
        Command::Compare(args) => cmd::compare::run(args, colour, cli.quiet, patience),
        Command::Why(args) => cmd::why::run(args, colour, cli.quiet, patience),
        Command::Load(args) => cmd::load::run(args, cli.quiet, patience),
        Command::Agent(args) => cmd::agent::run(args, cli.quiet, patience),
        Command::Wrk(args) => return cmd::wrk::main(&args.arguments),
        Command::Ab(args) => return cmd::ab::main(&args.arguments, cli.quiet),
        Command::Calibrate(args) => cmd::calibrate::run(args, colour.stderr, cli.quiet, patience),
        Command::Report(args) => cmd::report::run(args, colour.stdout),
        Command::History(args) => cmd::history::run(args),
        Command::Nightly(args) => cmd::nightly::run(args, colour, cli.quiet, patience),
        Command::Push(args) => cmd::team::push(args),
        Command::Pull(args) => cmd::team::pull(args),
        Command::Prune(args) => cmd::prune::run(args),
        Command::Dump(args) => cmd::dump::run(args),
        Command::Diff(args) => cmd::diff::run(args),
        Command::Serve(args) => cmd::serve::run(args, patience),
        Command::Catalog(args) => cmd::catalog::run(args),
        Command::Doctor => cmd::doctor::run(),
        Command::Clean(args) => cmd::clean::run(args),
        Command::Host { folder } => {
            return lab::serve_host(folder).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
        }
        Command::OrderedAgent { folder } => cmd::agent::run_as_ordered(folder),
        Command::Pages { folder } => cmd::pages::run(folder),
        Command::Guard { command } => return sut::guard::main(command),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(language::of_command(&cli.command)),
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
