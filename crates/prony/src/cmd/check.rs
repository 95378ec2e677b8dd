//! `prony check FILE`: says everything that is wrong with an experiment file, or what it would run, without running, fetching or
//! building anything. Scenarios and JMeter plans of `prony load` are checked, too.

mod words;

use super::SubCommand;
use super::load::sessions;
use super::run::{ExperimentText, is_stdin};
use crate::args::LanguageArgs;
use crate::available;
use crate::builds;
use crate::call::Call;
use crate::failure::{Code, Failure};
use crate::home::Home;
use crate::jmx;
use crate::language;
use crate::lock_file::LockFile;
use crate::output::{Colour, print};
use ask::arm::Arm;
use ask::available::Available;
use ask::experiment::{Experiment, Profile};
use clap::Args;
use lab::Doubt;
use record::note::LeftOut;
use say::Language;
use std::path::{Path, PathBuf};
use sut::Site;
use words::{CheckText, Outstanding, scenario_text};

/// Say everything that is wrong with an experiment file and what it would run, without running anything.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The experiment file, or a scenario or JMeter plan of `prony load`; `-` reads it from stdin. `prony catalog --schema` prints a schema for editors.
    file: PathBuf,
    /// Check what `prony run --quick` would run.
    #[arg(long)]
    quick: bool,
    /// Give a property of a JMeter plan a value, as in JMeter: -Jhost=staging; may be repeated.
    #[arg(short = 'J', value_name = "NAME=VALUE")]
    properties: Vec<String>,
    /// The language of everything that is said.
    #[command(flatten)]
    language: LanguageArgs,
}

impl SubCommand for CheckArgs {
    fn run(&self, call: &Call) -> Result<(), Failure> {
        let lang = language::chosen(&self.language);
        if self.file.extension().is_some_and(|ending| ending == "jmx") {
            return check_plan(self, lang);
        }
        if is_scenario(&self.file) {
            let program = sessions::read(&self.file)?.program;
            return print(&scenario_text(&self.file, &program, lang));
        }
        let profile = if self.quick { Profile::Quick } else { Profile::Full };
        let checked = check(&self.file, profile, call.colour)?;
        if checked.failures.is_empty() {
            let text = CheckText {
                file: &self.file,
                experiment: &checked.experiment,
                outstanding: &checked.outstanding,
                doubts: &checked.doubts,
                time: lab::planned_time(&checked.experiment),
            };
            return print(&words::text(&text, lang));
        }
        // Arms that share a file share its mistake.
        let mut said = Vec::new();
        for text in checked.failures.iter().map(|failure| failure.text(lang)) {
            if !said.contains(&text) {
                let gap = if said.is_empty() { "" } else { "\n" };
                eprint!("{gap}{text}");
                said.push(text);
            }
        }
        Err(Failure::reported(Code::Usage))
    }
}

/// Says what a JMeter plan would do, or everything in it that cannot run.
fn check_plan(args: &CheckArgs, lang: Language) -> Result<(), Failure> {
    let plan = jmx::compile(&args.file, jmx::properties(&args.properties), None)?
        .and_then(|plan| jmx::without_obstacles(plan, &args.file))
        .map_err(Failure::usage)?;
    print(&scenario_text(&args.file, &plan.program, lang))
}

/// Whether a file is a scenario for `prony load` and no experiment. One that cannot be read is none.
fn is_scenario(file: &Path) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let table = toml::from_str::<toml::Table>(&text).unwrap_or_default();
    table.contains_key("scenario") && !table.contains_key("arms")
}

/// What was found out about a file.
struct Checked {
    experiment: Experiment,
    /// Everything that keeps it from being run.
    failures: Vec<Failure>,
    /// What a run has to find out or to make before its first start.
    outstanding: Vec<Outstanding>,
    /// What may not do what its user means, with the name of its arm.
    doubts: Vec<(String, Doubt)>,
}

/// Checks a file. Mistakes in its text are the only failure, because nothing else can be checked then.
fn check(file: &Path, profile: Profile, colour: Colour) -> Result<Checked, Failure> {
    let text = ExperimentText::read(file, colour)?;
    let mut known = available::in_catalog();
    let (mut experiment, drafts) = text.draft(&mut known, profile)?;
    let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let folder = path.parent().unwrap_or(file);
    let mut failures = Vec::new();
    if !is_stdin(file) {
        match LockFile::beside(&path, false) {
            Ok(lock) => known.newest = lock.newest(),
            Err(failure) => failures.push(failure),
        }
    }
    let looked = look_into_all(&mut known, &experiment.arms, folder);
    failures.extend(looked.failures);
    drafts.resolve(&mut experiment.arms, &known).map_err(|rejected| text.refuse(rejected))?;
    // No lock file says the newest version of these.
    let lines = known.needs(&experiment.arms).lines.into_iter();
    let mut outstanding: Vec<Outstanding> =
        lines.map(|(server, line)| Outstanding::Newest { line: format!("{server}:{line}") }).collect();
    outstanding.extend(looked.builds);
    experiment.relative_to(folder);
    match lab::runnable(&experiment) {
        Ok((runnable, left_out)) => {
            let left_out = left_out.into_iter();
            outstanding.extend(left_out.map(|LeftOut { arm, why }| Outstanding::LeftOut { arm, why }));
            experiment = judge::with_planned_starts(runnable);
        }
        Err(error) => failures.push(Failure::usage(error)),
    }
    for arm in &experiment.arms {
        // What cannot be read is told as an obstacle.
        let changes = lab::configuration_changes(arm).unwrap_or_default();
        if !changes.is_empty() {
            outstanding.push(Outstanding::Configuration { arm: arm.name.clone(), changes });
        }
    }
    let site = Site::new(Home::find()?.cache);
    // What is in a WAR or jar decides the rest of its arm; that it is missing is told already.
    let is_known = |arm: usize| {
        let arm = &experiment.arms[arm];
        let is_line = !known.needs(std::slice::from_ref(arm)).lines.is_empty();
        !is_line && arm.build.is_none() && !looked.without_file.contains(&arm.name)
    };
    let obstacles = lab::obstacles(&experiment, &site, is_known);
    failures.extend(obstacles.into_iter().map(Failure::usage));
    let doubts = match failures.is_empty() {
        true => lab::doubts(&experiment, &site, is_known),
        false => Vec::new(),
    };
    Ok(Checked { experiment, failures, outstanding, doubts })
}

/// What a look into the WARs and jars of all arms has shown.
#[derive(Default)]
struct Looked {
    /// What has to be built first.
    builds: Vec<Outstanding>,
    failures: Vec<Failure>,
    /// The arms whose file cannot be read, by name.
    without_file: Vec<String>,
}

/// Looks into the WARs and jars of all arms, and adds what they are to `known`.
fn look_into_all(known: &mut Available, arms: &[Arm], folder: &Path) -> Looked {
    let mut looked = Looked::default();
    for arm in arms {
        match look_into_files(known, arm, folder) {
            Ok(true) => looked.builds.push(Outstanding::Build {
                arm: arm.name.clone(),
                file: arm.users_file().map(Path::to_owned).unwrap_or_default(),
            }),
            Ok(false) => {}
            Err(failure) => {
                looked.failures.push(failure);
                looked.without_file.push(arm.name.clone());
            }
        }
    }
    looked
}

/// Looks into the WAR or jar of an arm. Returns whether it has to be built first.
fn look_into_files(known: &mut Available, arm: &Arm, folder: &Path) -> Result<bool, Failure> {
    if let (Some(build), Some(file)) = (&arm.build, arm.users_file()) {
        builds::check(build, file, folder)?;
        return Ok(true);
    }
    available::look_into_files(known, std::slice::from_ref(arm), folder)?;
    Ok(false)
}
