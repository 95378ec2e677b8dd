//! Where results go: stdout, and the files of `--out`.

use crate::args::{self, Annotations, Language, Output, When};
use crate::failure::{Code, Failure};
use crate::say::complaint::{Complaint, FileComplaint, OutAct};
use model::outcome::Report;
use model::series::Series;
use report::Lang;
use report::plot::Plot;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Which streams get colour. Each by itself: one of them may be a terminal and the other a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour {
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
}

impl Colour {
    /// As it is asked for, here.
    pub(crate) fn of(when: When) -> Self {
        let terminals = [std::io::stdout().is_terminal(), std::io::stderr().is_terminal()];
        Self::on(terminals, when, env_set("NO_COLOR"))
    }

    /// `terminals` says of stdout and of stderr whether they are one.
    fn on(terminals: [bool; 2], when: When, plain: bool) -> Self {
        let [stdout, stderr] = terminals.map(|terminal| match when {
            When::Always => true,
            When::Never => false,
            When::Auto => terminal && !plain,
        });
        Self { stdout, stderr }
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

/// The language of what build servers read: English, unless another one is asked for by name. A locale alone does not change
/// what scripts may look for.
pub(crate) fn machine_lang(language: &Language) -> Lang {
    language.lang.map_or(Lang::En, Lang::from)
}

/// In which language a page opens: the one that is asked for, or Chinese by the locale. Else the reader's browser decides.
pub(crate) fn page_lang(language: &Language) -> Option<Lang> {
    let of_locale = || Some(of_locale()).filter(|lang| *lang == Lang::Zh);
    language.lang.map(Lang::from).or_else(of_locale)
}

/// The language of the locale.
pub(crate) fn of_locale() -> Lang {
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

/// Prints what was found and writes the files of `--out`: `series` is what is drawn there beside the report, `hlog` what a
/// single load has beside it.
pub(crate) fn deliver(
    report: &Report,
    (series, hlog): (impl FnOnce() -> Series, Option<Vec<u8>>),
    output: &Output,
    colour: bool,
) -> Result<(), Failure> {
    let lang = lang(&output.language);
    // Files first: a terminal that goes away must not lose them.
    let written = output
        .out
        .as_deref()
        .map(|folder| {
            write_files(
                folder,
                files(report, (&series(), hlog), [lang, machine_lang(&output.language)]),
            )
        })
        .transpose();
    let text = if output.json {
        report::json(report)
    } else {
        report::terminal::text(report, colour, lang)
    };
    print(&text)?;
    if output.annotations == Some(Annotations::Github) || env_set("GITHUB_ACTIONS") {
        eprint!(
            "{}",
            report::annotations::github(report, machine_lang(&output.language))
        );
    }
    written.map(|_| ())
}

/// Names in the folder of `--out`, and what is written under them.
type Files = Vec<(String, Vec<u8>)>;

/// What a single load has and an experiment has not.
const HLOG: &str = "load.hlog";
/// The plot of the verdict.
const VERDICT: &str = "verdict";
/// The folder of all plots but that of the verdict.
const PLOTS: &str = "plots";

/// `ci` is the language of what build servers read.
fn files(report: &Report, (series, hlog): (&Series, Option<Vec<u8>>), [lang, ci]: [Lang; 2]) -> Files {
    let plots: Vec<(Plot, String)> = report::plot::all(report, series, lang)
        .into_iter()
        .map(|plot| {
            let path = path_of(&plot);
            (plot, path)
        })
        .collect();
    let pictures = plots.iter().map(|(plot, path)| (plot.title(), path.clone()));
    let markdown = report::markdown::text(report, lang) + &report::markdown::pictures(pictures);
    let texts = [
        ("report.json", report::json(report)),
        ("report.md", markdown),
        ("comment.md", report::comment::text(report, lang)),
        ("junit.xml", report::junit::text(report, ci)),
        ("report.html", report::html::text(report, series, lang)),
    ];
    let texts = texts.map(|(name, text)| (name.to_owned(), text.into_bytes()));
    let plots = plots
        .into_iter()
        .map(|(plot, path)| (path, plot.file().into_bytes()));
    let hlog = hlog.map(|hlog| (HLOG.to_owned(), hlog));
    texts.into_iter().chain(plots).chain(hlog).collect()
}

/// The verdict stands beside the report, the others in a folder of their own.
fn path_of(plot: &Plot) -> String {
    match plot.name.as_str() {
        VERDICT => format!("{VERDICT}.svg"),
        name => {
            debug_assert!(is_plot(name), "it would never be cleared: {name}");
            format!("{PLOTS}/{name}.svg")
        }
    }
}

fn write_files(folder: &Path, files: Files) -> Result<(), Failure> {
    let plots = folder.join(PLOTS);
    std::fs::create_dir_all(&plots).map_err(refused(OutAct::MakeFolder, &plots))?;
    for path in stale(folder, &files) {
        std::fs::remove_file(&path).map_err(refused(OutAct::Remove, &path))?;
    }
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(refused(OutAct::Write, &path))?;
    }
    Ok(())
}

/// Wraps why the system refuses something with a file of results.
pub(crate) fn refused(act: OutAct, path: &Path) -> impl FnOnce(std::io::Error) -> Complaint {
    let path = path.to_owned();
    move |source| FileComplaint::Out { act, path, source }.into()
}

/// What an earlier report left there and this one does not replace. Only what is ours by its name: a reader may keep other
/// files there.
fn stale(folder: &Path, files: &Files) -> Vec<PathBuf> {
    let plots = std::fs::read_dir(folder.join(PLOTS))
        .into_iter()
        .flatten()
        .flatten();
    let names = plots.filter_map(|plot| plot.file_name().into_string().ok());
    let ours = names.filter(|name| name.strip_suffix(".svg").is_some_and(is_plot));
    let ours = ours
        .map(|name| format!("{PLOTS}/{name}"))
        .chain([HLOG.to_owned(), format!("{VERDICT}.svg")]);
    ours.filter(|name| files.iter().all(|(written, _)| written != name))
        .map(|name| folder.join(name))
        .filter(|path| path.is_file())
        .collect()
}

/// Whether a plot of a report is called so.
fn is_plot(name: &str) -> bool {
    ["levels", "rates", "startup-memory"].contains(&name)
        || ["percentiles-", "starts-"]
            .iter()
            .any(|begin| name.starts_with(begin))
}

/// Fails early when the folder of `--out` cannot be written: before a run of minutes, not after it.
pub(crate) fn check(output: &Output) -> Result<(), Failure> {
    let Some(folder) = &output.out else { return Ok(()) };
    let probe = folder.join(".prony-probe");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&probe, ""))
        .and_then(|()| std::fs::remove_file(&probe))
        .map_err(|source| {
            Failure::usage(FileComplaint::OutFolder {
                path: folder.clone(),
                source,
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stream_gets_colour_where_it_is_a_terminal() {
        let on = |terminals, when, plain| {
            let Colour { stdout, stderr } = Colour::on(terminals, when, plain);
            [stdout, stderr]
        };
        for terminals in [[true, false], [false, true], [true, true], [false, false]] {
            assert_eq!(on(terminals, When::Auto, false), terminals);
            // NO_COLOR is for both, and what is asked for by a flag comes first.
            assert_eq!(on(terminals, When::Auto, true), [false, false]);
            assert_eq!(on(terminals, When::Always, true), [true, true]);
            assert_eq!(on(terminals, When::Never, false), [false, false]);
        }
    }

    #[test]
    fn nothing_of_an_earlier_report_stays_beside_a_new_one_and_all_that_is_the_readers_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = [
            "load.hlog",
            "plots/starts-old.svg",
            "plots/levels.svg",
            "plots/rates.svg",
        ];
        let others = [
            "notes.md",
            "plots/mine.svg",
            "plots/levels.svg.bak",
            "plots/starts-old.png",
        ];
        std::fs::create_dir(folder.path().join(PLOTS)).expect("a folder");
        for name in old.iter().chain(&others) {
            std::fs::write(folder.path().join(name), "old").expect("a file");
        }
        let new = ["report.json", "plots/levels.svg"];
        let files = new.map(|name| (name.to_owned(), b"new".to_vec()));
        write_files(folder.path(), files.to_vec()).expect("written");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).ok();
        for name in old.iter().filter(|name| !new.contains(name)) {
            assert_eq!(read(name), None, "{name}");
        }
        for (names, text) in [(&others[..], "old"), (&new[..], "new")] {
            for name in names {
                assert_eq!(read(name).as_deref(), Some(text), "{name}");
            }
        }
    }
}
