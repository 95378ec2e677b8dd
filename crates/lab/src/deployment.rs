//! What an arm deploys: its application, or a WAR or jar of the reader's own, migrated where that has to be.

use model::arm::{Arm, Threads};
use model::deployment::{Migrate, Namespace};
use model::experiment::Workload;
use model::jar::OwnJar;
use model::step::Step;
use std::sync::atomic::AtomicBool;
use sut::programs::package;
use sut::{Answer, App, Expected, Jdk, Package, Program, Release, Site, war};

/// Where an arm is prepared.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    /// Where everything is kept.
    pub(crate) site: &'a Site,
    /// Raised when the user ends it.
    pub(crate) stop: &'a AtomicBool,
}

/// What an arm is put together from.
pub(crate) struct Parts<'a> {
    pub(crate) arm: &'a Arm,
    pub(crate) release: &'a Release,
    /// The application, where the arm deploys nothing of the reader's own.
    pub(crate) app: &'a App,
    pub(crate) jdk: &'a Jdk,
}

/// What the server of an arm has to answer: what the application is known to, or the file says, or the server says first.
pub(crate) fn expected(
    arm: &Arm,
    workload: &Workload,
    known: &Answer,
    tell: &mut dyn FnMut(Step),
) -> Expected {
    match arm.is_the_users() {
        true => readers(arm, workload, tell),
        false => known.clone().into(),
    }
}

/// What the reader's own has to answer to what is loaded: what the file says, or what it says first.
pub(crate) fn readers(arm: &Arm, workload: &Workload, tell: &mut dyn FnMut(Step)) -> Expected {
    let body = workload.expect.as_ref().map(|text| text.clone().into_bytes());
    if body.is_none() {
        tell(Step::TrustingFirstAnswer {
            arm: arm.name.clone(),
            path: workload.path.clone(),
        });
    }
    Expected {
        path: workload.path.clone(),
        body,
    }
}

/// The server of an arm and what it deploys.
pub(crate) fn program(
    parts: &Parts<'_>,
    setting: Setting<'_>,
    tell: &mut dyn FnMut(Step),
) -> Result<Program, sut::Error> {
    let Parts {
        arm,
        release,
        app,
        jdk,
    } = *parts;
    let Setting { site, stop } = setting;
    if arm.package == Some(model::arm::Package::Native) {
        let virtual_threads = arm.settings.threads == Some(Threads::Virtual);
        let compiler = sut::native::compiler()?;
        return sut::native::obtain(release, app, (&compiler, virtual_threads), site, stop, tell);
    }
    if let Some(own) = &arm.jar {
        return own_jar(parts, own, setting, tell);
    }
    let deployment = &arm.deployment;
    let (mut file, is) = match (&deployment.war, deployment.migrate) {
        (None, None) => return Program::obtain(release, app, site, stop, tell),
        (Some(own), _) => (own.clone(), deployment.namespace),
        // The application comes in both forms: it is migrated only on request.
        (None, Some(_)) => {
            let javax = package(&Package::war(Namespace::Javax), app, site, stop, tell)?;
            (javax, Some(Namespace::Javax))
        }
    };
    let at_start = deployment.migrate == Some(Migrate::AtStart);
    let needed = is == Some(Namespace::Javax) && release.namespace == Namespace::Jakarta;
    if !at_start && (needed || deployment.migrate.is_some()) {
        tell(Step::MigratingApplication);
        file = war::migrated(&file, jdk, site, stop)?;
    }
    let mut program = Program::serving(release, file, site, stop, tell)?;
    if let Program::Tomcat(tomcat) = &mut program {
        tomcat.migrates = at_start;
    }
    Ok(program)
}

fn own_jar(
    parts: &Parts<'_>,
    own: &OwnJar,
    setting: Setting<'_>,
    tell: &mut dyn FnMut(Step),
) -> Result<Program, sut::Error> {
    let path = own.path.clone();
    let mut program = Program::serving(parts.release, path, setting.site, setting.stop, tell)?;
    if let Program::Jar(jar) = &mut program {
        jar.arguments.clone_from(&own.arguments);
        if !own.names_its_port() {
            tell(Step::JarWithoutPort {
                arm: parts.arm.name.clone(),
            });
        }
    }
    Ok(program)
}
