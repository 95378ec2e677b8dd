//! How a run is repeated: the command that was typed, in a form that can be typed again and shown to anybody.
//!
//! It is built from what clap parsed: every argument that was typed is in it under its long name, except those that only
//! decide what is shown of a run and where. These are the global flags and those of [`args::Output`] and [`args::Live`]: a
//! new flag is in the command unless it is declared there.

use crate::args::{self, Cli};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, CommandFactory};
use model::secret;
use std::ffi::OsString;

/// The id of the arguments that are request headers.
const HEADERS: &str = "headers";
/// Headers by which a client says who it is.
const SECRET_HEADERS: [&str; 3] = ["authorization", "proxy-authorization", "cookie"];
/// The id of the flag that names a stored run to compare with.
const AGAINST: &str = "against";
/// The command that reads a file, the id of that file, and the name that stands for stdin.
const RUN: &str = "run";
const FILE: &str = "file";
const STDIN: &str = "-";

/// The command that was typed, without flags that change nothing of the run.
pub(crate) fn command_line() -> String {
    Typed::parse(std::env::args_os()).command(None)
}

/// The command that repeats the stored run `run`. It differs from [`command_line`] where that would mean something else
/// later: `latest` would then be this run, so `against` (a stored run and its arm) replaces the value of `--against`; and
/// an experiment that was read from stdin is taken from the history.
pub(crate) fn of_run(run: &str, against: Option<&str>) -> String {
    Typed::parse(std::env::args_os()).command_of_run(run, against)
}

/// A command line as clap understood it.
struct Typed {
    command: Command,
    matches: ArgMatches,
}

impl Typed {
    /// Parses a command line that was parsed before, so that no mistake is left in it.
    fn parse(words: impl IntoIterator<Item = OsString>) -> Self {
        let mut command = Cli::command();
        let matches = command
            .try_get_matches_from_mut(words)
            .unwrap_or_else(|error| error.exit());
        Self { command, matches }
    }

    fn command_of_run(&self, run: &str, against: Option<&str>) -> String {
        let command = self.command(against);
        let file = match self.matches.subcommand() {
            Some((RUN, matches)) => matches.get_raw(FILE).and_then(|mut files| files.next()),
            _ => None,
        };
        match file.is_some_and(|file| file == STDIN) {
            true => format!("prony report {run} --format toml | {command}"),
            false => command,
        }
    }

    fn command(&self, against: Option<&str>) -> String {
        let mut words = vec![self.command.get_name().to_owned()];
        let mut level = (&self.command, &self.matches);
        loop {
            words.extend(words_of(level.0, level.1, against));
            let Some((name, matches)) = level.1.subcommand() else {
                break;
            };
            words.push(name.to_owned());
            let command = level.0.find_subcommand(name).expect("clap matched its name");
            level = (command, matches);
        }
        let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
        words.join(" ")
    }
}

/// The arguments of one (sub-)command that were typed, in the order in which they were.
fn words_of(command: &Command, matches: &ArgMatches, against: Option<&str>) -> Vec<String> {
    let typed = |arg: &&Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let mut words: Vec<(usize, Vec<String>)> = Vec::new();
    for arg in command.get_arguments().filter(|arg| !shows(arg)).filter(typed) {
        let id = arg.get_id().as_str();
        let places = matches.indices_of(id).into_iter().flatten();
        if arg.get_action().takes_values() {
            let values = matches.get_raw(id).into_iter().flatten();
            let values = values.map(|value| shown(id, &value.to_string_lossy(), against));
            words.extend(places.zip(values.map(|value| with_flag(arg, value))));
        } else {
            words.extend(places.map(|place| (place, flag(arg).into_iter().collect())));
        }
    }
    words.sort_by_key(|(place, _)| *place);
    words.into_iter().flat_map(|(_, words)| words).collect()
}

/// Whether an argument only decides what is shown of a run and where.
fn shows(arg: &Arg) -> bool {
    let showing = args::Live::augment_args(args::Output::augment_args(Command::default()));
    arg.is_global_set()
        || showing
            .get_arguments()
            .any(|shows| shows.get_id() == arg.get_id())
}

/// The flag of an argument; `None` for one that is known by its position.
fn flag(arg: &Arg) -> Option<String> {
    let long = arg.get_long().map(|long| format!("--{long}"));
    long.or_else(|| arg.get_short().map(|short| format!("-{short}")))
}

/// A value behind its flag, written so that a value that begins as a flag does is not taken for one.
fn with_flag(arg: &Arg, value: String) -> Vec<String> {
    let like_a_flag = value.starts_with('-') && value != STDIN;
    match flag(arg) {
        Some(flag) if like_a_flag => vec![format!("{flag}={value}")],
        None if like_a_flag => vec!["--".to_owned(), value],
        flag => flag.into_iter().chain([value]).collect(),
    }
}

/// The value of an argument as anybody may see it.
fn shown(id: &str, value: &str, against: Option<&str>) -> String {
    match (id, against) {
        (HEADERS, _) => shown_header(value),
        (AGAINST, Some(against)) => against.to_owned(),
        _ => value.to_owned(),
    }
}

/// A header without what nobody but its sender is to know.
fn shown_header(header: &str) -> String {
    let Some((name, value)) = header.split_once(':') else {
        return header.to_owned();
    };
    let says_who = SECRET_HEADERS.contains(&name.trim().to_ascii_lowercase().as_str());
    match says_who || secret::redacted(name, value) == secret::HIDDEN {
        true => format!("{name}: {}", secret::HIDDEN),
        false => header.to_owned(),
    }
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(words: &str) -> Typed {
        Typed::parse(format!("prony {words}").split(' ').map(OsString::from))
    }

    #[test]
    fn a_run_is_repeated_without_what_changes_nothing_of_it() {
        for (words, repeat) in [
            (
                "--quiet run it's --live --listen 0.0.0.0 --seed=7 --out=here --lang zh --json --gate 3% --prove",
                "run 'it'\\''s' --seed 7 --gate 3% --prove",
            ),
            (
                "compare -c10 a,b=c --color never d --margin 1% --annotations github --margin throughput=2%",
                "compare --connections 10 a,b=c d --margin 1% --margin throughput=2%",
            ),
            (
                "calibrate power --inject 5% tomcat:9 --out file --runs 2 --quiet",
                "calibrate power --inject 5% tomcat:9 --runs 2",
            ),
            ("load a --body=-1 -n10k", "load a --body=-1 --requests 10k"),
            ("run --json --quick -- -x.toml", "run --quick -- -x.toml"),
        ] {
            assert_eq!(typed(words).command(None), format!("prony {repeat}"));
        }
    }

    #[test]
    fn a_command_that_was_built_is_understood_as_the_one_that_was_typed() {
        let words = "load a?b --pipeline 2 -H x:y -m PUT --no-resume --insecure --body=-f -d9s";
        let once = typed(words).command(None);
        let plain = once.replace('\'', "");
        assert_eq!(
            typed(plain.strip_prefix("prony ").expect("its name")).command(None),
            once
        );
    }

    #[test]
    fn what_a_run_was_compared_with_is_named() {
        for words in [
            "run a.toml --against latest --json",
            "run a.toml --against=latest",
        ] {
            assert_eq!(
                typed(words).command_of_run("R2", Some("R1/change")),
                "prony run a.toml --against R1/change"
            );
        }
    }

    #[test]
    fn a_file_that_came_from_stdin_comes_from_the_history() {
        assert_eq!(
            typed("run - --quick").command_of_run("R2", None),
            "prony report R2 --format toml | prony run - --quick"
        );
        for words in ["run a.toml --out -", "compare a b --out=-"] {
            assert!(!typed(words).command_of_run("R2", None).contains('|'), "{words}");
        }
    }

    #[test]
    fn who_loads_is_not_told() {
        for (header, said) in [
            ("Authorization: Bearer abc", "'Authorization: (hidden)'"),
            ("proxy-authorization:abc", "'proxy-authorization: (hidden)'"),
            ("COOKIE: id=abc", "'COOKIE: (hidden)'"),
            ("X-Api-Key: abc", "'X-Api-Key: (hidden)'"),
            ("Accept: a=abc", "'Accept: a=abc'"),
        ] {
            let forms = [
                vec!["-H".to_owned(), header.to_owned()],
                vec![format!("-H{header}")],
                vec![format!("-H={header}")],
                vec!["--header".to_owned(), header.to_owned()],
                vec![format!("--header={header}")],
            ];
            for form in forms {
                let words = ["prony", "load", "localhost:1/?a=b"].map(str::to_owned);
                let words = words.into_iter().chain(form).map(OsString::from);
                assert_eq!(
                    Typed::parse(words).command(None),
                    format!("prony load 'localhost:1/?a=b' --header {said}")
                );
            }
        }
    }
}
