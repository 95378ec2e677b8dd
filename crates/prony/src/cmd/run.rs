//! `prony run FILE`: runs an experiment file, or continues a stored run.

use super::SubCommand;
use crate::args::ExecutionArgs;
use crate::available::{self, Audience, Inquiry};
use crate::call::Call;
use crate::experiment::{self, RunOptions};
use crate::failure::Failure;
use crate::files::{Given, unreadable};
use crate::language;
use crate::lock_file::LockFile;
use crate::mistakes;
use crate::output::Colour;
use ask::arm::Arm;
use ask::available::Available;
use ask::diagnostic::{Rejected, nearest};
use ask::experiment::{ArmDrafts, Draft, Experiment, Profile};
use clap::Args;
use say::Say;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Run an experiment file and answer its question.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The experiment file; `-` reads it from stdin.
    #[arg(required_unless_present = "resume")]
    file: Option<PathBuf>,
    /// Continue a stored run, given by its id, the beginning of its id, or `latest`. Experiment, seed and rules stay the
    /// same; --budget limits the time that is added.
    #[arg(long, value_name = "RUN",
          conflicts_with_all = ["file", "quick", "arms", "starts", "until_sure", "alpha", "margins", "gate", "against", "seed", "new_rate", "jfr"])]
    resume: Option<String>,
    /// Use the [quick] profile of the file, which asks a smaller question.
    #[arg(long)]
    quick: bool,
    /// Ask Maven anew for the newest version of each line that the file names, and write its lock file anew.
    #[arg(long, conflicts_with = "resume")]
    update: bool,
    /// Run only the arm of this name and the baseline; may be repeated.
    #[arg(long = "arm", value_name = "NAME")]
    arms: Vec<String>,
    /// Options that every experiment takes.
    #[command(flatten)]
    execution: ExecutionArgs,
}

/// Why the arms of `--arm` cannot be run.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum ChosenArmsComplaint {
    /// `--arm` names none of the file's.
    #[say(
        en = "no arm is called `{name}`",
        zh = "没有名为 `{name}` 的对象",
        hint(
            en = "{nearest?did you mean `{}`?|the arms are: {arms:commas}}",
            zh = "{nearest?是否想写 `{}`？|可选的对象：{arms:commas}}"
        )
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// The arm that was probably meant.
        nearest: Option<String>,
        /// The arms of the file.
        arms: Vec<String>,
    },
    /// `--arm` leaves nothing to compare the baseline with.
    #[say(
        en = "only the baseline `{baseline}` is left",
        zh = "只剩下基线 `{baseline}`",
        hint(en = "name another --arm", zh = "请再用 --arm 指定一个对象")
    )]
    OnlyBaseline { baseline: String },
}

impl SubCommand for RunArgs {
    fn run(&self, call: &Call) -> Result<(), Failure> {
        let options = RunOptions { args: &self.execution, call, lock: None };
        let Some(file) = &self.file else {
            return experiment::resume(self.resume.as_deref().unwrap_or("latest"), options);
        };
        let text = ExperimentText::read(file, call.colour)?;
        let mut known = available::in_catalog();
        let profile = if self.quick { Profile::Quick } else { Profile::Full };
        let (mut experiment, drafts) = text.draft(&mut known, profile)?;
        // Only what runs has to be resolved and built.
        keep_only(&mut experiment, &self.arms)?;
        let path = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        let folder = path.parent().unwrap_or(file);
        let mut lock = match is_stdin(file) {
            true => None,
            false => Some(LockFile::beside(&path, self.update)?),
        };
        let audience = Audience {
            colour: call.colour.stderr,
            quiet: call.quiet,
            lang: language::chosen(&self.execution.output.language),
        };
        let resolve = |arms: &mut [Arm], known: &Available| {
            drafts.resolve(arms, known).map_err(|rejected| text.refuse(rejected))
        };
        Inquiry { folder, audience }.find_out(&mut known, &mut experiment.arms, lock.as_mut(), resolve)?;
        experiment.relative_to(folder);
        let options = RunOptions { lock: lock.as_ref(), ..options };
        experiment::run(experiment, &text.text, options)
    }
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
        read.map_err(unreadable(Given::Experiment, file))?;
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
        mistakes::in_file(self.file, &self.text, self.colour.stderr)(rejected)
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
            return Err(Failure::usage(ChosenArmsComplaint::Unknown {
                name: name.clone(),
                nearest: nearest(name, names.iter().map(String::as_str)).map(str::to_owned),
                arms: names,
            }));
        }
    }
    let baseline = names[experiment.design.baseline].clone();
    experiment.keep(wanted);
    if experiment.arms.len() < 2 && names.len() > 1 {
        return Err(Failure::usage(ChosenArmsComplaint::OnlyBaseline { baseline }));
    }
    Ok(())
}
