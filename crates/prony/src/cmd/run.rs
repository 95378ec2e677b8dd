//! `prony run FILE`: runs an experiment file, or continues a stored run.

use crate::args;
use crate::available::{self, Audience};
use crate::experiment::{self, RunOptions};
use crate::failure::Failure;
use crate::language;
use crate::lock_file::LockFile;
use crate::output::Colour;
use crate::say::Mistakes;
use crate::say::complaint::{ArmsComplaint, FileComplaint, Given};
use model::available::Available;
use model::diagnostic::nearest;
use model::experiment::{Experiment, Profile};
use model::patience::Patience;
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;

pub(crate) fn run(
    args: &args::RunArgs,
    colour: Colour,
    quiet: bool,
    patience: Patience,
) -> Result<(), Failure> {
    run_as(args, None, colour, quiet, patience)
}

/// Runs an experiment file as this command line would, whatever that of this process is.
pub(super) fn run_as(
    args: &args::RunArgs,
    command_line: Option<&[OsString]>,
    colour: Colour,
    quiet: bool,
    patience: Patience,
) -> Result<(), Failure> {
    let options = RunOptions {
        args: &args.execution,
        colour: colour.stdout,
        quiet,
        patience,
        lock: None,
        command_line,
    };
    let Some(file) = &args.file else {
        return experiment::resume(args.resume.as_deref().unwrap_or("latest"), options);
    };
    let text = read(file)?;
    let mut known = available::in_catalog();
    let profile = if args.quick { Profile::Quick } else { Profile::Full };
    // Only what runs has to be resolved and built.
    let wanted = |known: &Available| {
        let mut experiment = parse(&text, file, known, profile, colour)?;
        keep_only(&mut experiment, &args.arms).map(|()| experiment)
    };
    known = available::with_files_beside(known, file);
    let mut experiment = wanted(&known)?;
    let path = std::path::absolute(file).unwrap_or_else(|_| file.clone());
    let folder = path.parent().unwrap_or(file);
    let mut lock = match is_stdin(file) {
        true => None,
        false => Some(LockFile::beside(&path, args.update)?),
    };
    if let Some(resolved) = available::with_newest(&known, &experiment.arms, lock.as_mut())? {
        // Parse again, now that the versions are known: an arm that asks for more than its version can is an error that shows its
        // line.
        known = resolved;
        experiment = wanted(&known)?;
    }
    let audience =
        Audience { colour: colour.stderr, quiet, lang: language::chosen(&args.execution.output.language) };
    if let Some(known) = available::with_users_files(&known, &experiment.arms, folder, audience)? {
        // Parse again, now that the kinds of the WARs and jars are known: a server or a key that does not fit one of them is an
        // error that shows its line.
        experiment = wanted(&known)?;
    }
    experiment.relative_to(folder);
    let options = RunOptions { lock: lock.as_ref(), ..options };
    experiment::run(experiment, &text, options)
}

/// Reads and parses an experiment file without asking what its versions, WARs and jars are.
pub(super) fn parse_as_it_is(file: &Path, colour: Colour) -> Result<Experiment, Failure> {
    let known = available::with_files_beside(available::in_catalog(), file);
    parse(&read(file)?, file, &known, Profile::Full, colour)
}

/// Parses a profile of the experiment that was read from this file.
pub(super) fn parse(
    text: &str,
    file: &Path,
    known: &Available,
    profile: Profile,
    colour: Colour,
) -> Result<Experiment, Failure> {
    let stem = file.file_stem().map_or_else(|| "experiment".into(), |stem| stem.to_string_lossy());
    Experiment::parse_as(text, &stem, known, profile).map_err(|rejected| {
        Failure::usage(Mistakes {
            rejected,
            name: file.display().to_string(),
            text: text.to_owned(),
            colour: colour.stderr,
        })
    })
}

/// Whether the experiment is read from stdin.
pub(super) fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// Reads the experiment file, or stdin for `-`.
pub(super) fn read(file: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let read = if is_stdin(file) {
        std::io::stdin().read_to_string(&mut text)
    } else {
        std::fs::File::open(file).and_then(|mut file| file.read_to_string(&mut text))
    };
    read.map_err(|source| {
        Failure::usage(FileComplaint::Unreadable { given: Given::Experiment, path: file.to_owned(), source })
    })?;
    Ok(text)
}

/// Removes all arms except the wanted ones and the baseline (`--arm`).
fn keep_only(experiment: &mut Experiment, wanted: &[String]) -> Result<(), Failure> {
    if wanted.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = experiment.arms.iter().map(|arm| arm.name.clone()).collect();
    for name in wanted {
        if !names.contains(name) {
            return Err(Failure::usage(ArmsComplaint::Unknown {
                name: name.clone(),
                nearest: nearest(name, names.iter().map(String::as_str)).map(str::to_owned),
                arms: names,
            }));
        }
    }
    let baseline = names[experiment.design.baseline].clone();
    experiment.keep(wanted);
    if experiment.arms.len() < 2 && names.len() > 1 {
        return Err(Failure::usage(ArmsComplaint::OnlyBaseline { baseline }));
    }
    Ok(())
}
