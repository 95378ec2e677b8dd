//! `prony run FILE`: runs an experiment file, or continues a stored run.

use crate::args;
use crate::available::{self, Audience, Inquiry};
use crate::experiment::{self, RunOptions};
use crate::failure::Failure;
use crate::language;
use crate::lock_file::LockFile;
use crate::output::Colour;
use crate::say::Mistakes;
use crate::say::complaint::{ArmsComplaint, FileComplaint, Given};
use model::arm::Arm;
use model::available::Available;
use model::diagnostic::{Rejected, nearest};
use model::experiment::{ArmDrafts, Draft, Experiment, Profile};
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
    let text = ExperimentText::read(file, colour)?;
    let mut known = available::in_catalog();
    let profile = if args.quick { Profile::Quick } else { Profile::Full };
    let (mut experiment, drafts) = text.draft(&mut known, profile)?;
    // Only what runs has to be resolved and built.
    keep_only(&mut experiment, &args.arms)?;
    let path = std::path::absolute(file).unwrap_or_else(|_| file.clone());
    let folder = path.parent().unwrap_or(file);
    let mut lock = match is_stdin(file) {
        true => None,
        false => Some(LockFile::beside(&path, args.update)?),
    };
    let audience =
        Audience { colour: colour.stderr, quiet, lang: language::chosen(&args.execution.output.language) };
    let resolve = |arms: &mut [Arm], known: &Available| {
        drafts.resolve(arms, known).map_err(|rejected| text.refuse(rejected))
    };
    Inquiry { folder, audience }.find_out(&mut known, &mut experiment.arms, lock.as_mut(), resolve)?;
    experiment.relative_to(folder);
    let options = RunOptions { lock: lock.as_ref(), ..options };
    experiment::run(experiment, &text.text, options)
}

/// Reads an experiment file without asking what its versions, WARs and jars are.
pub(super) fn parse_as_it_is(file: &Path, colour: Colour) -> Result<Experiment, Failure> {
    let text = ExperimentText::read(file, colour)?;
    text.draft(&mut available::in_catalog(), Profile::Full).map(|(experiment, _)| experiment)
}

/// The text of an experiment file, and how messages about it are shown.
pub(super) struct ExperimentText<'a> {
    file: &'a Path,
    text: String,
    colour: Colour,
}

impl<'a> ExperimentText<'a> {
    /// Reads an experiment file, or stdin for `-`.
    pub(super) fn read(file: &'a Path, colour: Colour) -> Result<Self, Failure> {
        let mut text = String::new();
        let read = if is_stdin(file) {
            std::io::stdin().read_to_string(&mut text)
        } else {
            std::fs::File::open(file).and_then(|mut file| file.read_to_string(&mut text))
        };
        read.map_err(|source| {
            Failure::usage(FileComplaint::Unreadable {
                given: Given::Experiment,
                path: file.to_owned(),
                source,
            })
        })?;
        Ok(Self { file, text, colour })
    }

    /// Returns a profile of the experiment, and all arms of the file as it writes them. What the file names beside it becomes known.
    pub(super) fn draft(
        &self,
        known: &mut Available,
        profile: Profile,
    ) -> Result<(Experiment, ArmDrafts), Failure> {
        let stem = self.file.file_stem().map_or_else(|| "experiment".into(), |stem| stem.to_string_lossy());
        let draft = Draft::parse(&self.text, &stem).map_err(|rejected| self.refuse(rejected))?;
        available::read_files(known, draft.needs(), self.file.parent().unwrap_or(Path::new("")));
        draft.read(known, profile).map_err(|rejected| self.refuse(rejected))
    }

    /// Returns the failure that shows what is wrong with the file.
    pub(super) fn refuse(&self, rejected: Rejected) -> Failure {
        Failure::usage(Mistakes {
            rejected,
            name: self.file.display().to_string(),
            text: self.text.clone(),
            colour: self.colour.stderr,
        })
    }
}

/// Whether the experiment is read from stdin.
pub(super) fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == "-"
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
