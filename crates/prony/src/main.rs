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
mod files;
mod home;
mod jmx;
mod kept_rate;
mod language;
mod learnt_priors;
mod load_machines;
mod lock_file;
mod message;
mod mistakes;
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
mod signals;
mod sinks;
mod stored_run;
mod team;
mod user_config;
mod web;
#[cfg(test)]
mod words;

use call::Call;
use cmd::{Cli, SubCommand};
use failure::Failure;
use model::patience::{BadScale, Patience};
use say::Say;
use std::process::ExitCode;

/// The variable with the scale of [`Patience`]. It is for tests of the whole program, and nowhere in the help.
const PATIENCE: &str = "PRONY_PATIENCE";

/// The environment does not say how patient the program is to be.
#[derive(Debug, Say)]
#[say(
    error,
    en = "{variable} is `{text}`, and {wrong}",
    zh = "{variable} 为 `{text}`，而{wrong}",
    hint(
        en = "unset {variable}: it is there for tests of prony",
        zh = "请取消设置 {variable}：它只用于 prony 自身的测试"
    )
)]
struct NoPatience {
    variable: &'static str,
    text: String,
    /// Why that is no scale.
    wrong: BadScale,
}

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
    text.parse()
        .map_err(|wrong| Failure::usage(NoPatience { variable: PATIENCE, text: text.into_owned(), wrong }))
}
