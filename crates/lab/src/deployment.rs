//! What an arm deploys: its application, or a WAR or jar of the reader's own, migrated where that has to be.

use model::arm::{Arm, Threads};
use model::deployment::{Migrate, Namespace};
use model::experiment::Workload;
use model::jar::OwnJar;
use std::sync::atomic::AtomicBool;
use sut::program::package;
use sut::{Answer, App, Expected, Jdk, Package, Program, Release, Site, war};

/// What the server of an arm has to answer: what the application is known to, or the file says, or the server says first.
pub(crate) fn expected(
    arm: &Arm,
    workload: &Workload,
    known: &Answer,
    tell: &mut dyn FnMut(&str),
) -> Expected {
    match arm.is_the_readers() {
        true => readers(arm, workload, tell),
        false => known.clone().into(),
    }
}

/// What the reader's own has to answer to what is loaded: what the file says, or what it says first.
pub(crate) fn readers(arm: &Arm, workload: &Workload, tell: &mut dyn FnMut(&str)) -> Expected {
    let body = workload.expect.as_ref().map(|text| text.clone().into_bytes());
    if body.is_none() {
        tell(&format!(
            "{}: what it answers first to GET {} is taken for right",
            arm.name, workload.path
        ));
    }
    Expected {
        path: workload.path.clone(),
        body,
    }
}

/// The server of an arm and what it deploys.
pub(crate) fn program(
    arm: &Arm,
    release: &Release,
    (app, jdk): (&App, &Jdk),
    (site, stop): (&Site, &AtomicBool),
    tell: &mut dyn FnMut(&str),
) -> Result<Program, sut::Error> {
    if arm.package == Some(model::takes::Package::Native) {
        let virtual_threads = arm.threads == Some(Threads::Virtual);
        let compiler = sut::native::compiler()?;
        return sut::native::obtain(release, app, (&compiler, virtual_threads), site, stop, tell);
    }
    if let Some(own) = &arm.jar {
        return own_jar(arm, own, release, (site, stop), tell);
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
        tell("migrating the application from javax to jakarta");
        file = war::migrated(&file, jdk, site, stop)?;
    }
    let mut program = Program::serving(release, file, site, stop, tell)?;
    if let Program::Tomcat(tomcat) = &mut program {
        tomcat.migrates = at_start;
    }
    Ok(program)
}

fn own_jar(
    arm: &Arm,
    own: &OwnJar,
    release: &Release,
    (site, stop): (&Site, &AtomicBool),
    tell: &mut dyn FnMut(&str),
) -> Result<Program, sut::Error> {
    let mut program = Program::serving(release, own.path.clone(), site, stop, tell)?;
    if let Program::Jar(jar) = &mut program {
        jar.arguments.clone_from(&own.arguments);
        if !own.names_its_port() {
            tell(&format!(
                "{}: no `arguments` name {{port}}: the jar has to listen on the environment's PORT",
                arm.name
            ));
        }
    }
    Ok(program)
}
