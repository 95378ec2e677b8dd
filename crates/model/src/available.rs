//! [`Available`]: everything that a file is read against: what the catalog has, and what is known of the user's own files.

use crate::ability::Ability;
use crate::deployment::{Deployment, Namespace};
use crate::jar::Boot;
use crate::kind::Kind;
use crate::service::Service;
use crate::telemetry::Telemetry;
use std::path::{Path, PathBuf};

/// What can be asked for; plain data, so that a file is judged without I/O.
#[derive(Clone, Debug, Default)]
pub struct Available {
    /// Servers and their versions.
    pub servers: Vec<(String, Vec<String>)>,
    /// Applications and the paths they answer, the default one first.
    pub apps: Vec<(String, Vec<String>)>,
    /// The kinds of servers by their names; a server that is not here is not judged by its kind.
    pub kinds: Vec<(String, Kind)>,
    /// What the releases of servers can do; one that is not here is not judged.
    pub abilities: Vec<((String, String), Ability)>,
    /// WARs as files name them, and the Servlet API that they were written for.
    pub wars: Vec<(PathBuf, Option<Namespace>)>,
    /// Executable jars as files name them, and the Spring Boot in them.
    pub jars: Vec<(PathBuf, Option<Boot>)>,
    /// What all arms of a file deploy that name nothing else.
    pub deployment: Deployment,
    /// Services that need no description.
    pub built_in: Vec<Service>,
    /// Services that the file describes.
    pub described: Vec<Service>,
    /// How closely a file's arms are watched that say nothing else.
    pub telemetry: Telemetry,
}

impl Available {
    /// Every service that an arm can name; a description takes the place of what is built in.
    pub fn services(&self) -> impl Iterator<Item = &Service> {
        self.described.iter().chain(&self.built_in)
    }

    /// The kind of a server.
    pub fn kind(&self, server: &str) -> Option<Kind> {
        let (_, kind) = self.kinds.iter().find(|(name, _)| name == server)?;
        Some(*kind)
    }

    /// What a release can do, where that is known.
    pub fn ability(&self, server: &str, version: &str) -> Option<&Ability> {
        let mut abilities = self.abilities.iter();
        let found = abilities.find(|((name, number), _)| name == server && number == version);
        found.map(|(_, ability)| ability)
    }

    /// The releases of a server that can do something, as `tomcat:9.0.95`.
    pub(crate) fn able(&self, server: &str, can: impl Fn(&Ability) -> bool) -> Vec<String> {
        let releases = self.abilities.iter().filter(|((name, _), _)| name == server);
        releases
            .filter(|(_, ability)| can(ability))
            .map(|((name, version), _)| format!("{name}:{version}"))
            .collect()
    }

    /// What was found in an executable jar: `None` where nobody has looked, `Some(None)` where there is no Spring Boot.
    pub(crate) fn jar(&self, path: &Path) -> Option<Option<&Boot>> {
        let (_, boot) = self.jars.iter().find(|(jar, _)| jar == path)?;
        Some(boot.as_ref())
    }
}
