//! Where results go: stdout, and the files of `--out`.

use crate::args::{Output, When};
use crate::failure::{Code, Failure};
use anyhow::Context;
use model::outcome::Report;
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

/// Prints what was found and writes the files of `--out`.
pub(crate) fn deliver(report: &Report, output: &Output, colour: bool) -> Result<(), Failure> {
    // Files first: a terminal that goes away must not lose them.
    let written = output
        .out
        .as_deref()
        .map(|folder| write_files(report, folder))
        .transpose();
    let text = if output.json {
        report::json(report)
    } else {
        report::terminal::text(report, colour)
    };
    print(&text)?;
    written.map(|_| ())
}

fn write_files(report: &Report, folder: &Path) -> Result<(), Failure> {
    let files = [
        ("report.json", report::json(report)),
        ("report.md", report::markdown::text(report)),
        ("verdict.svg", report::picture::svg(report)),
    ];
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
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

/// What was typed, in a form that can be typed again.
pub(crate) fn command_line() -> String {
    let words = std::env::args().skip(1).map(|word| {
        let plain = !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c));
        if plain {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    std::iter::once("prony".to_owned())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}
