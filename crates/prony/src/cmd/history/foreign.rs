//! `prony history EXPERIMENT --add FILE`: adds the figures of another tool to a series beside the history of an experiment.

use super::HistoryArgs;
use crate::failure::Failure;
use crate::run_id;
use crate::run_source::RunSource;
use crate::say::complaint::{FiguresComplaint, FileComplaint, Given};
use import::figures::{Figures, figures};
use jiff::Timestamp;
use model::foreign::ForeignRun;
use std::path::Path;
use store::{Store, Team, TeamAccess};

/// The most characters of the name of a series.
const LONGEST_NAME: usize = 100;

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
    let unreadable = |source| {
        Failure::usage(FileComplaint::Unreadable { given: Given::Other, path: file.to_owned(), source })
    };
    let text = std::fs::read(file).map_err(unreadable)?;
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
