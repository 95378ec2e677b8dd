//! The command that repeats a run: the command that was typed, in a form that can be typed again and shown to anybody.
//!
//! It is built from what clap parsed. It contains every argument that was typed, under its long name, except those that
//! only decide how a run is shown. The exceptions are the global flags and the flags of [`args::OutputArgs`] and
//! [`args::LiveArgs`], so a new flag is part of the command unless it is declared there.

use crate::args;
use ask::arm::Arm;
use ask::build::Revision;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};
use model::secret;

/// The id of the arguments that are request headers.
const HEADERS: &str = "headers";
/// The id of the flag that names the stored run of the baseline.
const AGAINST: &str = "against";
/// The id of the flag that names a revision of the user's repository.
const REVISIONS: &str = "revisions";
/// The sub-command that reads an experiment file.
const RUN: &str = "run";
/// The id of the argument that names that file.
const FILE: &str = "file";
/// The id of the flag that renews the lock file. Whoever repeats a run wants what it ran, and not what is newest then.
const UPDATE: &str = "update";
/// The file name that means stdin.
const STDIN: &str = "-";

/// What the values of flags meant in a run. Some of the words that were typed would mean something else later.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meant<'a> {
    /// The stored run, with its arm, that `--against` stands for: `latest` would later be another run.
    pub(crate) against: Option<&'a str>,
    /// The arms, which tell the commits that revisions stand for: a branch would later be at another commit.
    pub(crate) arms: &'a [Arm],
}

/// A command line as clap understood it.
#[derive(Clone, Debug)]
pub(crate) struct TypedCommand {
    command: Command,
    matches: ArgMatches,
}

impl TypedCommand {
    /// What clap made of a command line.
    pub(crate) const fn new(command: Command, matches: ArgMatches) -> Self {
        Self { command, matches }
    }

    /// Returns the value of an argument of the sub-command; `None` where it has no such argument, or no value.
    pub(crate) fn argument<T: Clone + Send + Sync + 'static>(&self, id: &str) -> Option<&T> {
        self.matches.subcommand()?.1.try_get_one(id).ok()?
    }

    /// Returns the command that was typed, without the flags that do not change the run.
    pub(crate) fn command(&self) -> String {
        self.command_as(Meant::default())
    }

    /// Returns the command that repeats the stored run `run`. It differs from [`Self::command`] where that would mean something else
    /// later. An experiment that was read from stdin is read from the history.
    pub(crate) fn command_of_run(&self, run: &str, meant: Meant<'_>) -> String {
        let command = self.command_as(meant);
        let file = match self.matches.subcommand() {
            Some((RUN, matches)) => matches.get_raw(FILE).and_then(|mut files| files.next()),
            _ => None,
        };
        match file.is_some_and(|file| file == STDIN) {
            true => format!("prony report {run} --format toml | {command}"),
            false => command,
        }
    }

    fn command_as(&self, meant: Meant<'_>) -> String {
        let mut words = vec![self.command.get_name().to_owned()];
        let mut level = (&self.command, &self.matches);
        loop {
            words.extend(words_of(level.0, level.1, meant));
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

/// Returns the arguments of one (sub-)command that were typed, in the order in which they were typed.
fn words_of(command: &Command, matches: &ArgMatches, meant: Meant<'_>) -> Vec<String> {
    let typed = |arg: &&Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let mut words: Vec<(usize, Vec<String>)> = Vec::new();
    for arg in
        command.get_arguments().filter(|arg| !is_for_display(arg) && arg.get_id() != UPDATE).filter(typed)
    {
        let id = arg.get_id().as_str();
        let places = matches.indices_of(id).into_iter().flatten();
        if arg.get_action().takes_values() {
            let values = matches.get_raw(id).into_iter().flatten();
            let values = values.map(|value| public_value(id, &value.to_string_lossy(), meant));
            words.extend(places.zip(values.map(|value| with_flag(arg, value))));
        } else {
            words.extend(places.map(|place| (place, flag(arg).into_iter().collect())));
        }
    }
    words.sort_by_key(|(place, _)| *place);
    words.into_iter().flat_map(|(_, words)| words).collect()
}

/// Whether an argument only decides how a run is shown.
fn is_for_display(arg: &Arg) -> bool {
    let for_display = args::LiveArgs::augment_args(args::OutputArgs::augment_args(Command::default()));
    arg.is_global_set() || for_display.get_arguments().any(|other| other.get_id() == arg.get_id())
}

/// Returns the flag of an argument; `None` for a positional argument.
fn flag(arg: &Arg) -> Option<String> {
    let long = arg.get_long().map(|long| format!("--{long}"));
    long.or_else(|| arg.get_short().map(|short| format!("-{short}")))
}

/// Returns a value after its flag, written so that a value that begins with `-` is not taken for a flag.
fn with_flag(arg: &Arg, value: String) -> Vec<String> {
    let looks_like_a_flag = value.starts_with('-') && value != STDIN;
    match flag(arg) {
        Some(flag) if looks_like_a_flag => vec![format!("{flag}={value}")],
        None if looks_like_a_flag => vec!["--".to_owned(), value],
        flag => flag.into_iter().chain([value]).collect(),
    }
}

/// Returns the value of an argument as it has to be typed to mean the same, and without secrets.
fn public_value(id: &str, value: &str, meant: Meant<'_>) -> String {
    match id {
        HEADERS => public_header(value),
        AGAINST => meant.against.unwrap_or(value).to_owned(),
        REVISIONS => {
            let mut builds = meant.arms.iter().filter_map(|arm| arm.build.as_ref());
            let build = builds.find(|build| build.git.as_deref() == Some(value));
            let revision = build.and_then(|build| build.built.as_ref()?.revision.as_ref());
            revision.map_or(value, Revision::short).to_owned()
        }
        _ => secret::without_secrets(value),
    }
}

/// Returns a request header without its value if that is a secret.
fn public_header(header: &str) -> String {
    let Some((name, value)) = header.split_once(':') else {
        return header.to_owned();
    };
    match secret::redacted(name, value) == secret::HIDDEN {
        true => format!("{name}: {}", secret::HIDDEN),
        false => header.to_owned(),
    }
}

/// Quotes a word for a shell, if it has to be quoted.
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
    use crate::cmd::Cli;
    use ask::available::Available;
    use ask::build::Built;
    use std::ffi::OsString;

    fn read(words: impl Iterator<Item = OsString>) -> TypedCommand {
        Cli::read(words).expect("a command line").1
    }

    fn typed(words: &str) -> TypedCommand {
        read(format!("prony {words}").split(' ').map(OsString::from))
    }

    #[test]
    fn the_command_lacks_flags_that_do_not_change_the_run() {
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
            assert_eq!(typed(words).command(), format!("prony {repeat}"));
        }
    }

    #[test]
    fn a_command_that_was_built_is_understood_as_the_one_that_was_typed() {
        let words = "load a?b --pipeline 2 -H x:y -m PUT --no-resume --insecure --body=-f -d9s";
        let once = typed(words).command();
        let plain = once.replace('\'', "");
        assert_eq!(typed(plain.strip_prefix("prony ").expect("its name")).command(), once);
    }

    #[test]
    fn the_command_names_the_run_of_the_baseline() {
        let meant = Meant { against: Some("R1/change"), arms: &[] };
        for words in ["run a.toml --against latest --json", "run a.toml --against=latest"] {
            assert_eq!(typed(words).command_of_run("R2", meant), "prony run a.toml --against R1/change");
        }
    }

    #[test]
    fn the_command_names_the_commits_of_revisions() {
        let mut arm =
            Arm::from_command_line("jar,jar=a.jar,git=main", &Available::default()).expect("an arm");
        arm.put_built(Built {
            folder: "/".into(),
            asked: "a.jar".into(),
            file: "/a.jar".into(),
            command: "make".to_owned(),
            revision: Some(Revision { commit: "0123456789abcdef".to_owned(), tree: "1".to_owned() }),
        });
        let meant = Meant { against: None, arms: &[arm] };
        assert_eq!(
            typed("compare --git main --git=v1 --jar a.jar").command_of_run("R2", meant),
            "prony compare --git 0123456789ab --git v1 --jar a.jar"
        );
    }

    #[test]
    fn a_file_from_stdin_is_read_from_the_history() {
        assert_eq!(
            typed("run - --quick").command_of_run("R2", Meant::default()),
            "prony report R2 --format toml | prony run - --quick"
        );
        for words in ["run a.toml --out -", "compare a b --out=-"] {
            assert!(!typed(words).command_of_run("R2", Meant::default()).contains('|'), "{words}");
        }
    }

    #[test]
    fn secrets_in_headers_are_hidden() {
        for (header, hidden) in [
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
                assert_eq!(read(words).command(), format!("prony load 'localhost:1/?a=b' --header {hidden}"));
            }
        }
    }
}
