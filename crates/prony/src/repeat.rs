//! How a run is repeated: what was typed, in a form that can be typed again and shown to anybody.

use model::secret;

/// Flags that change nothing of a run, only what is shown of it and where.
const SHOWING: [&str; 3] = ["--live", "--json", "--quiet"];
/// The same with a value.
const SHOWING_BY: [&str; 5] = ["--listen", "--out", "--lang", "--color", "--annotations"];
/// A run that takes an arm of a stored one.
const AGAINST: &str = "--against";
/// Flags of a request header.
const HEADER: [&str; 2] = ["-H", "--header"];
/// Headers by which a client says who it is.
const SECRET_HEADERS: [&str; 3] = ["authorization", "proxy-authorization", "cookie"];
/// The command that reads a file, and the file that is read from stdin.
const RUN: &str = "prony run ";
const STDIN: &str = "-";

/// What was typed, without what changes nothing of the run.
pub(crate) fn command_line() -> String {
    command_of(std::env::args().skip(1), None)
}

/// The same for a run that will be stored: `latest` would then be this run, and what came from stdin has gone. `against` is
/// the stored run and its arm that stand for what was typed.
pub(crate) fn of_run(run: &str, against: Option<&str>) -> String {
    run_of(std::env::args().skip(1).collect(), run, against)
}

fn run_of(words: Vec<String>, run: &str, against: Option<&str>) -> String {
    let command = command_of(words.into_iter(), against);
    let piped = command.split(' ').any(|word| word == STDIN);
    match command.starts_with(RUN) && piped {
        true => format!("prony report {run} --format toml | {command}"),
        false => command,
    }
}

fn command_of(mut words: impl Iterator<Item = String>, against: Option<&str>) -> String {
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        let (flag, own) = flag_of(&word);
        if SHOWING.contains(&flag) {
            continue;
        }
        let header = HEADER.contains(&flag);
        if !header && flag != AGAINST && !SHOWING_BY.contains(&flag) {
            kept.push(word);
            continue;
        }
        let value = own
            .map(str::to_owned)
            .or_else(|| words.next())
            .unwrap_or_default();
        if header {
            kept.extend([flag.to_owned(), shown(&value)]);
        } else if flag == AGAINST {
            kept.extend([flag.to_owned(), against.map_or(value, str::to_owned)]);
        }
    }
    let quoted = kept.iter().map(|word| quoted(word));
    ["prony".to_owned()]
        .into_iter()
        .chain(quoted)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A flag, and its value where that is in the same word.
fn flag_of(word: &str) -> (&str, Option<&str>) {
    let short = HEADER[0];
    match word.strip_prefix(short).filter(|value| !value.is_empty()) {
        Some(value) => (short, Some(value.strip_prefix('=').unwrap_or(value))),
        None => match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (word, None),
        },
    }
}

/// A header without what nobody but its sender is to know.
fn shown(header: &str) -> String {
    let Some((name, value)) = header.split_once(':') else {
        return header.to_owned();
    };
    let says_who = SECRET_HEADERS.contains(&name.trim().to_ascii_lowercase().as_str());
    match says_who || secret::shown(name, value) == secret::HIDDEN {
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

    fn words(typed: &str) -> Vec<String> {
        typed.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_run_is_repeated_without_what_changes_nothing_of_it() {
        let typed =
            "run a.toml --live --listen 0.0.0.0 --seed=7 --out=here --lang zh --json --gate 3% --prove";
        let typed = words(typed).into_iter().chain(["it's".to_owned()]);
        assert_eq!(
            command_of(typed, None),
            "prony run a.toml --seed=7 --gate 3% --prove 'it'\\''s'"
        );
    }

    #[test]
    fn what_a_run_was_compared_with_is_named() {
        for typed in [
            "run a.toml --against latest --json",
            "run a.toml --against=latest",
        ] {
            assert_eq!(
                run_of(words(typed), "R2", Some("R1/change")),
                "prony run a.toml --against R1/change"
            );
        }
    }

    #[test]
    fn a_file_that_came_from_stdin_comes_from_the_history() {
        assert_eq!(
            run_of(words("run - --quick"), "R2", None),
            "prony report R2 --format toml | prony run - --quick"
        );
        for typed in ["run a.toml --out -", "compare a b --out=-"] {
            assert!(!run_of(words(typed), "R2", None).contains('|'), "{typed}");
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
                let flag = flag_of(&form[0]).0.to_owned();
                let typed = words("load localhost:1/?a=b").into_iter().chain(form);
                assert_eq!(
                    command_of(typed, None),
                    format!("prony load 'localhost:1/?a=b' {flag} {said}")
                );
            }
        }
    }
}
