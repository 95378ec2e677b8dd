//! Builds the WARs and jars that arms name together with `build` or `git`.

use crate::failure::{Code, Failure};
use crate::home::Home;
use crate::run_context::RunContext;
use crate::signals;
use ask::arm::Arm;
use ask::build::{Build, Built};
use ask::experiment::Experiment;
use record::step::Step;
use say::Language;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use sut::Site;
use sut::build::BuildRequest;

/// Builds the WARs and jars of arms.
pub(crate) struct Builder {
    site: Site,
    stop: Arc<AtomicBool>,
    /// The language in which stderr tells what is built; `None` tells nothing.
    told: Option<Language>,
}

impl Builder {
    /// Opens the user's folders, and removes what killed builds left there. From now on Ctrl-C stops a build.
    pub(crate) fn open(told: Option<Language>) -> Result<Self, Failure> {
        let site = Site::new(Home::find()?.cache);
        sut::work::clean(&site.cache)?;
        Ok(Self { site, stop: signals::stop_flag()?, told })
    }

    /// Builds a file, unless that was done before.
    pub(crate) fn build(&self, request: BuildRequest<'_>) -> Result<Built, Failure> {
        let mut tell = |step: Step| {
            if let Some(lang) = self.told {
                eprintln!("{}", say::text(&step, lang));
            }
        };
        sut::build::build(request, &self.site, &self.stop, &mut tell).map_err(failure)
    }
}

/// Fails if a revision does not exist, or if its build would lack changes of the user.
pub(crate) fn check(build: &Build, file: &Path, folder: &Path) -> Result<(), Failure> {
    sut::build::check(BuildRequest { build, file, folder, is_shared: false }).map_err(failure)
}

/// Builds again what was built from revisions for a stored experiment, where the kept files are gone.
pub(crate) fn restore(experiment: &mut Experiment, context: &RunContext) -> Result<(), Failure> {
    let builder = Builder {
        site: Site::new(context.home.cache.clone()),
        stop: Arc::clone(&context.stop),
        told: (!context.quiet).then_some(context.lang()),
    };
    for arm in &mut experiment.arms {
        if let Some((commit, built)) = lost(arm) {
            let request =
                BuildRequest { build: &commit, file: &built.asked, folder: &built.folder, is_shared: false };
            let restored = builder.build(request)?;
            arm.put_built(restored);
        }
    }
    Ok(())
}

/// Returns how to build the lost file of an arm again; `None` if it is there, or was not built from a revision.
fn lost(arm: &Arm) -> Option<(Build, Built)> {
    let build = arm.build.as_ref()?;
    let built = build.built.as_ref().filter(|built| !built.file.is_file())?;
    let commit = Build { git: Some(built.revision.as_ref()?.commit.clone()), built: None, ..build.clone() };
    Some((commit, built.clone()))
}

/// Whether the file of a stored arm can be built again.
pub(crate) fn can_be_restored(arm: &Arm) -> bool {
    lost(arm).is_some()
}

/// A revision or a file that does not exist is a mistake; a build that fails is an arm that cannot be started.
fn failure(error: sut::Error) -> Failure {
    let code = match &error {
        sut::Error::Interrupted => return Failure::reported(Code::Interrupted),
        sut::Error::Build(error) if error.is_usage() => Code::Usage,
        sut::Error::Build(_) => Code::Start,
        _ => Code::Internal,
    };
    let details = error.log().to_vec();
    Failure::new(code, error).details(details)
}
