//! What an arm deploys: the application, or a WAR or jar of the user, migrated to jakarta where necessary.

use ask::arm::{Arm, Package, Threads};
use ask::configuration::OwnConfiguration;
use ask::deployment::{Migrate, Namespace};
use ask::experiment::Workload;
use ask::jar::OwnJar;
use ask::kind::Kind;
use record::configuration::ConfigurationChange;
use record::step::Step;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use sut::native::{self, Compilation};
use sut::programs::package;
use sut::{App, AppAnswer, Expected, Form, Jdk, Jetty, Packaging, Program, Release, Site, Tomcat, war};
use traffic::mix::Mix;

/// What every preparation of an arm needs.
#[derive(Clone, Copy)]
pub(crate) struct Tools<'a> {
    /// The cache and the tools.
    pub(crate) site: &'a Site,
    /// The flag that is raised when the user ends the run.
    pub(crate) stop: &'a AtomicBool,
}

/// What the server of an arm is made of.
pub(crate) struct Parts<'a> {
    pub(crate) arm: &'a Arm,
    pub(crate) release: &'a Release,
    /// The application, which is deployed unless the arm has a WAR or jar of the user.
    pub(crate) app: &'a App,
    pub(crate) jdk: &'a Jdk,
    /// The number of CPUs that its server may use.
    pub(crate) cpus: usize,
}

/// The right answer of an arm's server: the application's answer; for the user's own server the experiment
/// file's, or else the server's first one.
pub(crate) fn expected(
    arm: &Arm,
    workload: &Workload,
    known: &AppAnswer,
    on_step: &mut dyn FnMut(Step),
) -> Expected {
    match arm.is_the_users() {
        true => user_answer(arm, workload, on_step),
        false => known.clone().into(),
    }
}

/// The right answer of the user's own server: the experiment file's, or else the server's first one.
pub(crate) fn user_answer(arm: &Arm, workload: &Workload, on_step: &mut dyn FnMut(Step)) -> Expected {
    let path = workload.path_of(arm);
    // The right answer of the file belongs to the path of the file.
    let expected = workload.expect.as_ref().filter(|_| arm.path.is_none());
    let body = expected.map(|text| text.clone().into_bytes());
    // A server into which something is deployed is up before that is.
    let is_deployed = arm.deployment.war.is_some() || arm.configuration.jetty_base.is_some();
    let greets = workload.is_of_calls() && !is_deployed && body.is_none() && path == "/";
    if body.is_none() && !greets {
        on_step(Step::TrustingFirstAnswer { arm: arm.name.clone(), path: path.to_owned() });
    }
    // Requests that change something are not sent only to see whether a server is there.
    let first_get = workload.mix.as_ref().map(Mix::first_get);
    let no_get = matches!(first_get, Some(None));
    let asked = first_get.flatten().filter(|(asked, _)| asked == path);
    Expected {
        path: path.to_owned(),
        headers: asked.map(|(_, headers)| headers.to_vec()).unwrap_or_default(),
        any_answer: no_get && body.is_none() && path == "/",
        body,
        greets,
    }
}

/// The server of an arm with what it deploys and with the user's own configuration.
pub(crate) fn program(
    parts: &Parts<'_>,
    tools: Tools<'_>,
    on_step: &mut dyn FnMut(Step),
) -> Result<Program, sut::Error> {
    let arm = parts.arm;
    let mut program = deployed(parts, tools, on_step)?;
    program.configure(&arm.configuration, arm.deployment.context_path.as_ref());
    let changes = program.changes()?;
    if !changes.is_empty() {
        on_step(Step::ChangingConfiguration { arm: arm.name.clone(), changes });
    }
    Ok(program)
}

/// What prony changes in the user's own configuration of an arm. Its server need not be here.
///
/// # Errors
/// A file of the configuration is missing or cannot be read, or nothing in it can be loaded.
pub fn configuration_changes(arm: &Arm) -> Result<Vec<ConfigurationChange>, sut::Error> {
    configured(arm).map_or(Ok(Vec::new()), |program| program.changes())
}

/// The server of an arm as far as the user's own configuration tells; `None` where nothing is the user's own.
pub(crate) fn configured(arm: &Arm) -> Option<Program> {
    let own = &arm.configuration;
    if own.is_none() {
        return None;
    }
    let war = arm.deployment.war.clone().or_else(|| own.jetty_base.clone()).unwrap_or_default();
    let (home, context_path) = (PathBuf::new(), None);
    let mut program = match Kind::named(&arm.server) {
        Some(Kind::Jetty) => {
            Program::Jetty(Jetty { home, war, modules: BTreeMap::new(), base: None, context_path })
        }
        _ => Program::Tomcat(Tomcat {
            home,
            war,
            migrates: false,
            label: None,
            own: OwnConfiguration::default(),
            context_path,
        }),
    };
    program.configure(own, arm.deployment.context_path.as_ref());
    Some(program)
}

/// The server of an arm with what it deploys.
fn deployed(
    parts: &Parts<'_>,
    tools: Tools<'_>,
    on_step: &mut dyn FnMut(Step),
) -> Result<Program, sut::Error> {
    let Parts { arm, release, app, jdk, .. } = *parts;
    let Tools { site, stop } = tools;
    if let (Some(Package::Native), Some(own)) = (arm.package, &arm.jar) {
        return native_jar(parts, own, tools, on_step);
    }
    if arm.package == Some(Package::Native) {
        let compilation = Compilation {
            compiler: &native::compiler()?,
            virtual_threads: arm.settings.threads == Some(Threads::Virtual),
        };
        return native::obtain(release, app, compilation, site, stop, on_step);
    }
    if let Some(jar) = &arm.jar {
        return user_jar(parts, jar, tools, on_step);
    }
    if let (None, Some(base)) = (&arm.deployment.war, &arm.configuration.jetty_base) {
        return Program::obtain_with(release, base.clone(), site, stop, on_step); // Its application is in it.
    }
    let deployment = &arm.deployment;
    let (mut file, namespace) = match (&deployment.war, deployment.migrate) {
        (None, None) => {
            let packaging = Packaging::for_release(release)
                .with_threads(release, arm.settings.threads)
                .with_http(release, arm.settings.http);
            return Program::obtain(release, &packaging, app, site, stop, on_step);
        }
        (Some(war), _) => (war.clone(), deployment.namespace),
        // The application can be built for both APIs: it is migrated only on request.
        (None, Some(_)) => {
            let javax = package(&Packaging::war(Namespace::Javax), app, site, stop, on_step)?;
            (javax, Some(Namespace::Javax))
        }
    };
    let at_start = deployment.migrate == Some(Migrate::AtStart);
    let needed = namespace == Some(Namespace::Javax) && release.namespace == Some(Namespace::Jakarta);
    if !at_start && (needed || deployment.migrate.is_some()) {
        on_step(Step::MigratingApplication);
        file = war::migrated(&file, jdk, site, stop)?;
    }
    let mut program = Program::obtain_with(release, file, site, stop, on_step)?;
    if let Program::Tomcat(tomcat) = &mut program {
        tomcat.migrates = at_start;
    }
    Ok(program)
}

/// A jar of the user's, compiled to a native program.
fn native_jar(
    parts: &Parts<'_>,
    own: &OwnJar,
    tools: Tools<'_>,
    on_step: &mut dyn FnMut(Step),
) -> Result<Program, sut::Error> {
    let compiled = native::of_jar(&own.path, tools.site, tools.stop, on_step)?;
    let mut program = user_jar(parts, own, tools, on_step)?;
    if let Program::Jar(jar) = &mut program {
        jar.form = Form::Native(compiled);
    }
    Ok(program)
}

fn user_jar(
    parts: &Parts<'_>,
    given: &OwnJar,
    tools: Tools<'_>,
    on_step: &mut dyn FnMut(Step),
) -> Result<Program, sut::Error> {
    let path = given.path.clone();
    let mut program = Program::obtain_with(parts.release, path, tools.site, tools.stop, on_step)?;
    match &mut program {
        Program::SpringBoot(boot) => boot.arguments.clone_from(&given.arguments),
        Program::Jar(jar) => {
            jar.arguments.clone_from(&given.arguments);
            if !given.names_its_port() {
                on_step(Step::JarWithoutPort { arm: parts.arm.name.clone() });
            }
        }
        _ => {}
    }
    Ok(program)
}
