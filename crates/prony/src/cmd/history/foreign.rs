//! `prony history EXPERIMENT --add FILE`: adds the figures of another tool to a series beside the history of an experiment.

use super::HistoryArgs;
use crate::failure::Failure;
use crate::files::{Given, unreadable};
use crate::run_id;
use crate::run_source::RunSource;
use import::figures::{Figures, NoFigures, figures};
use jiff::Timestamp;
use model::foreign::{ForeignRun, ForeignTool};
use say::Say;
use std::path::{Path, PathBuf};
use store::{Store, Team, TeamAccess};

/// The most characters of the name of a series.
const LONGEST_NAME: usize = 100;

/// Why no figures of another tool are added or removed.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum FiguresComplaint {
    /// A file has none.
    #[say(transparent = Without::of(path, why))]
    None {
        path: PathBuf,
        /// Why not.
        why: NoFigures,
    },
    /// There is no series of that name.
    #[say(
        en = "there is no foreign series `{series}` beside `{experiment}`",
        zh = "`{experiment}` 旁没有名为 `{series}` 的外部序列",
        hint(en = "`prony history {experiment}` lists them", zh = "`prony history {experiment}` 列出它们")
    )]
    NoSeries { series: String, experiment: String },
}

/// Why a file has no figures.
#[derive(Say)]
enum Without<'a> {
    #[say(
        en = "{path} holds no results of a tool that is known",
        zh = "{path} 中没有已知工具的结果",
        hint(
            en = "known are samples of JMeter (CSV with a line of names, or XML), what wrk and ab print, \
                  and the JSON of k6 (--summary-export, handleSummary), Gatling (js/stats.json, \
                  js/global_stats.json), JMH (-rf json) and hyperfine (--export-json)",
            zh = "已知的有：JMeter 的样本（带列名行的 CSV，或 XML）、wrk 和 ab 的输出，以及 \
                  k6（--summary-export、handleSummary）、Gatling（js/stats.json、js/global_stats.json）、\
                  JMH（-rf json）和 hyperfine（--export-json）的 JSON"
        )
    )]
    Unknown { path: &'a Path },
    #[say(
        en = "{path}{line? line {}}: this is not as {tool} writes it",
        zh = "{path}{line? 第 {} 行}：与 {tool} 所写的不符",
        hint(
            en = "{is_jmeter?the run may not have ended; times must be numbers (jmeter.save.saveservice.timestamp_format=ms), and XML must be closed|give the whole output of a run that has ended}",
            zh = "{is_jmeter?该运行可能尚未结束；\
                  时间必须是数字（jmeter.save.saveservice.timestamp_format=ms），\
                  XML 必须完整闭合|请给出已结束的运行的完整输出}"
        )
    )]
    Broken { path: &'a Path, line: Option<u64>, tool: &'static str, is_jmeter: bool },
    #[say(
        en = "{path} is of {tool}, and nothing was measured",
        zh = "{path} 来自 {tool}，但没有测得任何结果",
        hint(en = "give a file of a run that has ended", zh = "请给出已结束的运行的文件")
    )]
    Empty { path: &'a Path, tool: &'static str },
}

impl<'a> Without<'a> {
    fn of(path: &'a Path, why: &NoFigures) -> Self {
        match *why {
            NoFigures::Unknown => Self::Unknown { path },
            NoFigures::Broken { tool, line } => {
                Self::Broken { path, line, tool: tool.name(), is_jmeter: tool == ForeignTool::Jmeter }
            }
            NoFigures::Empty(tool) => Self::Empty { path, tool: tool.name() },
        }
    }
}

/// Adds or removes what was asked for; returns whether anything was.
pub(super) fn change_as_asked(
    source: &RunSource,
    experiment: &str,
    args: &HistoryArgs,
) -> Result<bool, Failure> {
    if let Some(file) = &args.foreign.add {
        add(source, experiment, &read(file, args.foreign.series.as_deref())?)?;
        return Ok(true);
    }
    let Some(series) = &args.foreign.forget else {
        return Ok(false);
    };
    let removed = match source {
        RunSource::Machine(folder) => Store::open(folder)?.forget_foreign(experiment, series)?,
        RunSource::Team(at) => {
            let team = Team::open(at, TeamAccess::Read);
            let removed = team.and_then(|mut team| team.forget_foreign(experiment, series));
            removed.map_err(Failure::of_team)?
        }
    };
    match removed {
        0 => Err(Failure::usage(FiguresComplaint::NoSeries {
            series: series.clone(),
            experiment: experiment.to_owned(),
        })),
        _ => Ok(true),
    }
}

fn add(source: &RunSource, experiment: &str, run: &ForeignRun) -> Result<(), Failure> {
    match source {
        RunSource::Machine(folder) => Ok(Store::open(folder)?.add_foreign(experiment, run)?),
        RunSource::Team(at) => {
            let team = Team::open(at, TeamAccess::Read);
            let added = team.and_then(|mut team| team.add_foreign(experiment, run));
            added.map_err(Failure::of_team)
        }
    }
}

/// Reads the figures of a file. Without a time of its own they are as old as the file.
fn read(file: &Path, name: Option<&str>) -> Result<ForeignRun, Failure> {
    let text = std::fs::read(file).map_err(unreadable(Given::Other, file))?;
    let Figures { tool, at, figures } = figures(&String::from_utf8_lossy(&text))
        .map_err(|why| Failure::usage(FiguresComplaint::None { path: file.to_owned(), why }))?;
    let changed = || Timestamp::try_from(std::fs::metadata(file).ok()?.modified().ok()?).ok();
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let series = name.map_or_else(|| part(file.file_stem()), str::to_owned);
    Ok(ForeignRun {
        series: series.trim().chars().take(LONGEST_NAME).collect(),
        tool,
        at: run_id::time(at.or_else(changed).unwrap_or_else(Timestamp::now)),
        file: part(file.file_name()),
        figures,
    })
}
