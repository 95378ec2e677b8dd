//! [`Available`]: what a file can ask for: the contents of the catalog, and what is known about the user's own files.

use crate::ability::Ability;
use crate::build::{Build, Built};
use crate::deployment::{Deployment, Namespace};
use crate::jar::Boot;
use crate::kind::Kind;
use crate::service::Service;
use crate::telemetry::Telemetry;
use std::path::{Path, PathBuf};

/// What a file can ask for; plain data, so that a file is checked without I/O.
#[derive(Clone, Debug, Default)]
pub struct Available {
    /// Servers and their versions.
    pub servers: Vec<(String, Vec<String>)>,
    /// Applications and the paths they answer, the default one first.
    pub apps: Vec<(String, Vec<String>)>,
    /// The kinds of servers by their names; a server that is not here is not checked by its kind.
    pub kinds: Vec<(String, Kind)>,
    /// What the releases of servers can do; a release that is not here is not checked.
    pub abilities: Vec<((String, String), Ability)>,
    /// WARs as files name them, and the Servlet API that they were written for.
    pub wars: Vec<(PathBuf, Option<Namespace>)>,
    /// Executable jars as files name them, and the Spring Boot in them.
    pub jars: Vec<(PathBuf, Option<Boot>)>,
    /// What was built for arms. The WARs and jars that were built are among `wars` and `jars`.
    pub built: Vec<Build>,
    /// What an arm of the file deploys unless it says otherwise.
    pub deployment: Deployment,
    /// Services that need no description.
    pub built_in: Vec<Service>,
    /// Services that the file describes.
    pub described: Vec<Service>,
    /// How closely an arm of the file is watched unless it says otherwise.
    pub telemetry: Telemetry,
}

impl Available {
    /// Returns every service that an arm can name; one that the file describes comes before a built-in one of that name.
    pub fn services(&self) -> impl Iterator<Item = &Service> {
        self.described.iter().chain(&self.built_in)
    }

    /// Returns the kind of a server, where that is known.
    pub fn kind(&self, server: &str) -> Option<Kind> {
        let (_, kind) = self.kinds.iter().find(|(name, _)| name == server)?;
        Some(*kind)
    }

    /// Returns what a release can do, where that is known.
    pub fn ability(&self, server: &str, version: &str) -> Option<&Ability> {
        let mut abilities = self.abilities.iter();
        let found = abilities.find(|((name, number), _)| name == server && number == version);
        found.map(|(_, ability)| ability)
    }

    /// Returns the releases of a server that can do something, as `tomcat:9.0.95`.
    pub(crate) fn able(&self, server: &str, can: impl Fn(&Ability) -> bool) -> Vec<String> {
        let releases = self.abilities.iter().filter(|((name, _), _)| name == server);
        releases
            .filter(|(_, ability)| can(ability))
            .map(|((name, version), _)| format!("{name}:{version}"))
            .collect()
    }

    /// Returns what was built for an arm that has a file built in this way.
    pub fn built_for(&self, build: &Build, file: &Path) -> Option<&Built> {
        let done = self.built.iter().find(|done| done.answers(build, file))?;
        done.built.as_ref()
    }

    /// Returns the Spring Boot in an executable jar: `None` where nobody has looked, `Some(None)` where there is none.
    pub(crate) fn jar(&self, path: &Path) -> Option<Option<&Boot>> {
        let (_, boot) = self.jars.iter().find(|(jar, _)| jar == path)?;
        Some(boot.as_ref())
    }
}
