//! What is known about arms, and what is still to be found out ([`Available::needs`]).

use crate::arm::{Arm, Package};
use crate::available::Available;
use crate::build::Build;
use crate::jar::Boot;
use crate::kind::Kind;
use std::path::PathBuf;

/// What has to be found out about arms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArmNeeds {
    /// Servers and lines whose newest version is to be asked for: `tomcat`, `10.1`.
    pub lines: Vec<(String, String)>,
    /// Files that have to be built, each as an arm names it.
    pub builds: Vec<(Build, PathBuf)>,
    /// Executable jars that have to be looked into.
    pub jars: Vec<PathBuf>,
    /// WARs that have to be looked into, because nobody says which Servlet API they were written for.
    pub wars: Vec<PathBuf>,
}

impl Available {
    /// Returns what has to be found out about these arms before they can be resolved in full.
    pub fn needs(&self, arms: &[Arm]) -> ArmNeeds {
        let mut needs = ArmNeeds::default();
        for arm in arms {
            if self.rules(&arm.server).is_some_and(|rules| rules.is_line(&arm.version)) {
                push_new(&mut needs.lines, (arm.server.clone(), arm.version.clone()));
            }
            let Some(file) = arm.users_file() else {
                continue;
            };
            match arm.build.as_ref().filter(|build| build.built.is_none()) {
                Some(build) => push_new(&mut needs.builds, (build.clone(), file.to_owned())),
                None if arm.jar.is_some() => push_new(&mut needs.jars, file.to_owned()),
                None if arm.deployment.namespace.is_none() => push_new(&mut needs.wars, file.to_owned()),
                None => {}
            }
        }
        needs
    }

    /// Returns the first of these arms whose server cannot run an application, because the application needs servlets.
    pub fn without_servlets<'a>(&self, app: &str, arms: &'a [Arm]) -> Option<&'a Arm> {
        if self.routed.iter().any(|routed| routed == app) {
            return None;
        }
        let has_none = |arm: &&Arm| self.kind(&arm.server).is_some_and(|kind| !kind.facts().runs_servlets);
        arms.iter().find(has_none)
    }

    /// Returns the first of these arms whose server cannot run an application, because it deploys no WAR.
    pub fn without_deployment<'a>(&self, app: &str, arms: &'a [Arm]) -> Option<&'a Arm> {
        if !self.deployed.iter().any(|deployed| deployed == app) {
            return None;
        }
        let deploys = |kind: Kind| kind.facts().packages.contains(&Package::War);
        let cannot =
            |arm: &&Arm| !arm.is_the_users() && self.kind(&arm.server).is_some_and(|kind| !deploys(kind));
        arms.iter().find(cannot)
    }

    /// Returns the Spring Boot in the jar of an arm, where somebody has looked and there is one.
    pub(crate) fn boot(&self, arm: &Arm) -> Option<&Boot> {
        self.jar(&arm.jar.as_ref()?.path)?
    }
}

fn push_new<T: PartialEq>(all: &mut Vec<T>, one: T) {
    if !all.contains(&one) {
        all.push(one);
    }
}
