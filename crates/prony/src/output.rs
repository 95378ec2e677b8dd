//! Prints results on stdout and writes the files of `--out`.

use crate::args::{Annotations, ColorWhen, OutputArgs};
use crate::failure::Failure;
use crate::language;
use record::outcome::Report;
use record::series::Series;
use report::plot::Plot;
use say::{Language, Say};
use serde_json::Value;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Which streams get colour. Each stream is decided separately, because one may be a terminal and the other a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour {
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
}

impl Colour {
    /// Decides for the streams of this process.
    pub(crate) fn decide(when: ColorWhen) -> Self {
        let terminals = [std::io::stdout().is_terminal(), std::io::stderr().is_terminal()];
        Self::for_streams(terminals, when, is_env_set("NO_COLOR"))
    }

    /// Decides for stdout and stderr: `terminals` tells which of the two are terminals, `no_color` whether `NO_COLOR` is set.
    fn for_streams(terminals: [bool; 2], when: ColorWhen, no_color: bool) -> Self {
        let [stdout, stderr] = terminals.map(|terminal| match when {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => terminal && !no_color,
        });
        Self { stdout, stderr }
    }
}

/// Whether an environment variable is set and not empty.
pub(crate) fn is_env_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Prints on stdout. A reader that has closed the pipe (`| head`) is no error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints a value on stdout as JSON.
pub(crate) fn print_json(value: &Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}

/// Prints a text that may be too large for the memory, part by part, until it ends or the reader closes the pipe.
pub(crate) fn print_parts(parts: impl Iterator<Item = String>) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    for part in parts {
        match stdout.write_all(part.as_bytes()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
            written => written?,
        }
    }
    Ok(())
}

/// Prints the report and writes the files of `--out`. `series` computes what the plots show beyond the report and is called
/// only if files are written; `hlog` is the histogram log of a `prony load`.
pub(crate) fn deliver(
    report: &Report,
    series: impl FnOnce() -> Series,
    hlog: Option<Vec<u8>>,
    output: &OutputArgs,
    colour: bool,
) -> Result<(), Failure> {
    let lang = language::chosen(&output.language);
    let build_server_lang = language::for_build_servers(&output.language);
    // Files first: a terminal that goes away must not lose them.
    let written = match &output.out {
        Some(folder) => write_files(folder, files(report, &series(), hlog, lang, build_server_lang)),
        None => Ok(()),
    };
    let text = if output.json { report::json(report) } else { report::terminal::text(report, colour, lang) };
    print(&text)?;
    if output.annotations == Some(Annotations::Github) || is_env_set("GITHUB_ACTIONS") {
        eprint!("{}", report::annotations::github(report, build_server_lang));
    }
    written
}

/// Why results cannot be written.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum OutComplaint {
    /// The folder of results cannot be written.
    #[say(en = "cannot write into {path}: {source}", zh = "无法写入目录 {path}：{source}")]
    Folder {
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The system refuses something with the files of results; the cause is told below.
    #[say(en = "cannot {act} {path}", zh = "无法{act} {path}")]
    File {
        /// What was tried.
        act: OutAct,
        /// On which file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// What is done with the files of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub(crate) enum OutAct {
    /// Make a folder.
    #[say(en = "make the folder", zh = "创建目录")]
    MakeFolder,
    /// Remove what an earlier report left.
    #[say(en = "remove", zh = "删除")]
    Remove,
    /// Write a file.
    #[say(en = "write", zh = "写入")]
    Write,
    /// Read the earlier results.
    #[say(en = "read", zh = "读取")]
    Read,
}

/// Paths in the folder of `--out`, each with the content of its file.
type Files = Vec<(String, Vec<u8>)>;

/// The histogram log, which only `prony load` writes.
const HLOG: &str = "load.hlog";
/// The name of the plot of the verdict.
const VERDICT: &str = "verdict";
/// The folder of all plots except the plot of the verdict.
const PLOTS: &str = "plots";

/// Returns all files of a report in `lang`; `build_server_lang` is the language of `junit.xml`.
fn files(
    report: &Report,
    series: &Series,
    hlog: Option<Vec<u8>>,
    lang: Language,
    build_server_lang: Language,
) -> Files {
    let plots: Vec<(Plot, String)> = report::plot::all(report, series, lang)
        .into_iter()
        .map(|plot| {
            let path = plot_path(&plot);
            (plot, path)
        })
        .collect();
    let pictures = plots.iter().map(|(plot, path)| (plot.title(), path.clone()));
    let markdown = report::markdown::text(report, lang) + &report::markdown::pictures(pictures);
    let texts = [
        ("report.json", report::json(report)),
        ("report.md", markdown),
        ("comment.md", report::comment::text(report, lang)),
        ("junit.xml", report::junit::text(report, build_server_lang)),
        ("report.html", report::html::text(report, series, lang)),
    ];
    let texts = texts.map(|(name, text)| (name.to_owned(), text.into_bytes()));
    let plots = plots.into_iter().map(|(plot, path)| (path, plot.file().into_bytes()));
    let hlog = hlog.map(|hlog| (HLOG.to_owned(), hlog));
    texts.into_iter().chain(plots).chain(hlog).collect()
}

/// Returns the path of a plot. The plot of the verdict lies beside the report, and the other plots lie in their own
/// folder.
fn plot_path(plot: &Plot) -> String {
    match plot.name.as_str() {
        VERDICT => format!("{VERDICT}.svg"),
        name => {
            debug_assert!(is_plot_name(name), "no later run would remove {name}");
            format!("{PLOTS}/{name}.svg")
        }
    }
}

fn write_files(folder: &Path, files: Files) -> Result<(), Failure> {
    let plots = folder.join(PLOTS);
    std::fs::create_dir_all(&plots).map_err(out_complaint(OutAct::MakeFolder, &plots))?;
    for path in stale_files(folder, &files) {
        std::fs::remove_file(&path).map_err(out_complaint(OutAct::Remove, &path))?;
    }
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(out_complaint(OutAct::Write, &path))?;
    }
    Ok(())
}

/// Returns a function that turns an I/O error with a results file into a complaint.
pub(crate) fn out_complaint(act: OutAct, path: &Path) -> impl FnOnce(io::Error) -> OutComplaint {
    let path = path.to_owned();
    move |source| OutComplaint::File { act, path, source }
}

/// Returns the files of an earlier report that this one does not replace. They are recognised by their names, because the user
/// may keep other files in the folder.
fn stale_files(folder: &Path, files: &Files) -> Vec<PathBuf> {
    let plots = std::fs::read_dir(folder.join(PLOTS)).into_iter().flatten().flatten();
    let names = plots.filter_map(|plot| plot.file_name().into_string().ok());
    let ours = names.filter(|name| name.strip_suffix(".svg").is_some_and(is_plot_name));
    let ours = ours.map(|name| format!("{PLOTS}/{name}")).chain([HLOG.to_owned(), format!("{VERDICT}.svg")]);
    ours.filter(|name| files.iter().all(|(written, _)| written != name))
        .map(|name| folder.join(name))
        .filter(|path| path.is_file())
        .collect()
}

/// Whether a plot of a report can have this name.
fn is_plot_name(name: &str) -> bool {
    ["curve", "levels", "rates", "startup-memory"].contains(&name)
        || ["flame-", "percentiles-", "starts-"].iter().any(|begin| name.starts_with(begin))
}

/// Fails when the folder of `--out` cannot be written, so that this is known before a run of minutes and not after it.
pub(crate) fn check_out_folder(output: &OutputArgs) -> Result<(), Failure> {
    let Some(folder) = &output.out else { return Ok(()) };
    let probe = folder.join(".prony-probe");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&probe, ""))
        .and_then(|()| std::fs::remove_file(&probe))
        .map_err(|source| Failure::usage(OutComplaint::Folder { path: folder.clone(), source }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stream_gets_colour_where_it_is_a_terminal() {
        let colour = |terminals, when, no_color| {
            let Colour { stdout, stderr } = Colour::for_streams(terminals, when, no_color);
            [stdout, stderr]
        };
        for terminals in [[true, false], [false, true], [true, true], [false, false]] {
            assert_eq!(colour(terminals, ColorWhen::Auto, false), terminals);
            // NO_COLOR holds for both streams; a flag overrides it.
            assert_eq!(colour(terminals, ColorWhen::Auto, true), [false, false]);
            assert_eq!(colour(terminals, ColorWhen::Always, true), [true, true]);
            assert_eq!(colour(terminals, ColorWhen::Never, false), [false, false]);
        }
    }

    #[test]
    fn files_of_an_earlier_report_are_removed_and_the_users_own_files_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = ["load.hlog", "plots/starts-old.svg", "plots/levels.svg", "plots/rates.svg"];
        let others = ["notes.md", "plots/mine.svg", "plots/levels.svg.bak", "plots/starts-old.png"];
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
