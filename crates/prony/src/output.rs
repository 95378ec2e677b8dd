//! Where results go: stdout, and the files of `--out`.

use crate::args::{self, Annotations, Language, Output, When};
use crate::failure::{Code, Failure};
use anyhow::Context;
use model::outcome::Report;
use model::series::Series;
use report::Lang;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

/// Whether stdout gets colour.
pub(crate) fn colour(when: When) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => std::io::stdout().is_terminal() && !env_set("NO_COLOR"),
    }
}

/// An environment variable that is set and not empty.
pub(crate) fn env_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// The language that is asked for, else that of the locale.
pub(crate) fn lang(language: &Language) -> Lang {
    language.lang.map_or_else(of_locale, Lang::from)
}

/// In which language a page opens: the one that is asked for, or Chinese by the locale. Else the reader's browser decides.
pub(crate) fn page_lang(language: &Language) -> Option<Lang> {
    let of_locale = || Some(of_locale()).filter(|lang| *lang == Lang::Zh);
    language.lang.map(Lang::from).or_else(of_locale)
}

fn of_locale() -> Lang {
    // In the order of POSIX: the first that is set decides.
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter();
    let mut set = locale
        .filter_map(std::env::var_os)
        .filter(|value| !value.is_empty());
    set.next()
        .map_or(Lang::En, |locale| Lang::of_locale(&locale.to_string_lossy()))
}

impl From<args::Lang> for Lang {
    fn from(lang: args::Lang) -> Self {
        match lang {
            args::Lang::En => Self::En,
            args::Lang::Zh => Self::Zh,
        }
    }
}

/// Prints on stdout; a reader that has gone away (`| head`) is no error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::new(Code::Internal, error)),
        _ => Ok(()),
    }
}

/// Prints part after part of what may be too large for the memory, as long as anybody reads.
pub(crate) fn print_all(parts: impl Iterator<Item = String>) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    for part in parts {
        match stdout.write_all(part.as_bytes()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
            written => written?,
        }
    }
    Ok(())
}

/// Prints what was found and writes the files of `--out`; `series` is what is drawn there beside the report.
pub(crate) fn deliver(
    report: &Report,
    series: impl FnOnce() -> Series,
    output: &Output,
    colour: bool,
) -> Result<(), Failure> {
    let lang = lang(&output.language);
    // Files first: a terminal that goes away must not lose them.
    let written = output
        .out
        .as_deref()
        .map(|folder| write_files(report, &series(), folder, lang))
        .transpose();
    let text = if output.json {
        report::json(report)
    } else {
        report::terminal::text(report, colour, lang)
    };
    print(&text)?;
    if output.annotations == Some(Annotations::Github) || env_set("GITHUB_ACTIONS") {
        eprint!("{}", report::annotations::github(report));
    }
    written.map(|_| ())
}

fn write_files(report: &Report, series: &Series, folder: &Path, lang: Lang) -> Result<(), Failure> {
    let mut files = vec![
        ("report.json".to_owned(), report::json(report)),
        ("report.md".to_owned(), report::markdown::text(report, lang)),
        ("comment.md".to_owned(), report::comment::text(report, lang)),
        ("junit.xml".to_owned(), report::junit::text(report)),
        ("report.html".to_owned(), report::html::text(report, series, lang)),
        (
            "verdict.svg".to_owned(),
            report::plot::verdict(report, lang).file(),
        ),
    ];
    let plots = report::plot::all(report, series, lang).into_iter();
    let others = plots.filter(|plot| plot.name != "verdict");
    files.extend(others.map(|plot| (format!("plots/{}.svg", plot.name), plot.file())));
    let plots = folder.join("plots");
    std::fs::create_dir_all(&plots).with_context(|| format!("cannot make the folder {}", plots.display()))?;
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Fails early when the folder of `--out` cannot be written: before a run of minutes, not after it.
pub(crate) fn check(output: &Output) -> Result<(), Failure> {
    let Some(folder) = &output.out else { return Ok(()) };
    let probe = folder.join(".prony-probe");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&probe, ""))
        .and_then(|()| std::fs::remove_file(&probe))
        .map_err(|error| Failure::usage(format!("cannot write into {}: {error}", folder.display())))
}

/// Flags that change nothing of a run, only what is shown of it and where.
const SHOWING: [&str; 3] = ["--live", "--json", "--quiet"];
/// The same with a value.
const SHOWING_BY: [&str; 5] = ["--listen", "--out", "--lang", "--color", "--annotations"];

/// What was typed, in a form that can be typed again, without what changes nothing of the run.
pub(crate) fn command_line() -> String {
    command_of(std::env::args().skip(1))
}

fn command_of(words: impl Iterator<Item = String>) -> String {
    let mut words = words;
    let mut command = "prony".to_owned();
    while let Some(word) = words.next() {
        let flag = word.split_once('=').map_or(word.as_str(), |(flag, _)| flag);
        if SHOWING_BY.contains(&flag) {
            if flag == word {
                words.next();
            }
        } else if !SHOWING.contains(&flag) {
            command.push(' ');
            command.push_str(&quoted(&word));
        }
    }
    command
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

    #[test]
    fn a_run_is_repeated_without_what_changes_nothing_of_it() {
        let typed =
            "run a.toml --live --listen 0.0.0.0 --seed=7 --out=here --lang zh --json --gate 3% --prove";
        let words = typed.split(' ').map(str::to_owned).chain(["it's".to_owned()]);
        assert_eq!(
            command_of(words),
            "prony run a.toml --seed=7 --gate 3% --prove 'it'\\''s'"
        );
    }
}
