//! `prony __pages FOLDER`: writes the man pages and the shell completions that packages contain. They come from the same definition
//! as `--help`, so that they cannot differ from it.

use super::{Cli, SubCommand};
use crate::call::Call;
use crate::failure::Failure;
use clap::{Args, Command, CommandFactory};
use clap_complete::{Shell, generate_to};
use std::path::PathBuf;

/// Only scripts/release calls this: it writes the man pages and the shell completions.
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct PagesArgs {
    /// The folder to write into.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

impl SubCommand for PagesArgs {
    /// Writes `man/*.1`, one page for the program and one for every sub-command, and `completions/` for bash, zsh and fish.
    fn run(&self, _: &Call) -> Result<(), Failure> {
        let man = self.folder.join("man");
        std::fs::create_dir_all(&man)?;
        clap_mangen::generate_to(visible(), &man)?;
        let completions = self.folder.join("completions");
        std::fs::create_dir_all(&completions)?;
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            generate_to(shell, &mut visible(), "prony", &completions)?;
        }
        Ok(())
    }
}

/// The command line without the sub-commands that only prony and its scripts call: clap's completions would offer them.
fn visible() -> Command {
    let all = Cli::command();
    let mut command =
        Command::new("prony").version(env!("CARGO_PKG_VERSION")).args(all.get_arguments().cloned());
    if let Some(about) = all.get_about() {
        command = command.about(about.clone());
    }
    command
        .subcommand_required(true)
        .subcommands(all.get_subcommands().filter(|sub| !sub.is_hide_set()).cloned())
}
