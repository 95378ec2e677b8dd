//! [`Available`]: the facts by which an experiment file is resolved: the contents of the catalog, what the files say that it names, and
//! what is known about versions and the user's own applications.

use crate::ability::Ability;
use crate::build::{Build, Built};
use crate::deployment::Namespace;
use crate::grpc::Schemas;
use crate::jar::Boot;
use crate::kind::Kind;
use crate::service::Service;
use crate::version_rules::VersionRules;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use traffic::scenario::Program;

/// What a file can ask for; plain data, so that a file is resolved without I/O. A fact that is not here is unknown, and what depends on it
/// is not checked.
#[derive(Clone, Debug, Default)]
pub struct Available {
    /// Servers, and the versions of each that messages name as examples, oldest first.
    pub servers: Vec<(String, Vec<String>)>,
    /// Applications and the paths they answer, the default one first.
    pub apps: Vec<(String, Vec<String>)>,
    /// The applications that have routes, so that servers without servlets run them, too.
    pub routed: Vec<String>,
    /// The applications that take a library from the server into which they are deployed, so that only servers that deploy a WAR run them.
    pub deployed: Vec<String>,
    /// The kinds of servers by their names; a server that is not here is not checked by its kind.
    pub kinds: Vec<(String, Kind)>,
    /// Which versions of a server there can be, and what they can do. A server that is not here has the versions that
    /// `servers` names, and what they can do is not checked.
    pub rules: Vec<(String, VersionRules)>,
    /// The version that stands for the newest of a line, where somebody has asked Maven: server, line and version.
    pub newest: Vec<NewestOfLine>,
    /// WARs as files name them, and the Servlet API that they were written for.
    pub wars: Vec<(PathBuf, Option<Namespace>)>,
    /// Executable jars as files name them, and the Spring Boot in them.
    pub jars: Vec<(PathBuf, Option<Boot>)>,
    /// What was built for arms. The WARs and jars that were built are among `wars` and `jars`.
    pub built: Vec<Build>,
    /// Services that need no description.
    pub built_in: Vec<Service>,
    /// What was read of the files that its scenarios name: the bytes, or why there are none.
    pub files: BTreeMap<PathBuf, Result<Vec<u8>, String>>,
    /// What was read of the files that describe the methods of gRPC that it calls.
    pub schemas: Schemas,
    /// The JMeter plan that it names, compiled, or everything in it that cannot run here, in English.
    pub plan: Option<Result<Program, String>>,
    /// The variables of prony's own environment.
    pub environment: BTreeMap<String, String>,
}

/// The newest version of a line, as Maven knows it or a lock file names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewestOfLine {
    /// The server: `tomcat`.
    pub server: String,
    /// The line: `10.1`.
    pub line: String,
    /// Its newest version: `10.1.59`.
    pub version: String,
}

impl Available {
    /// Returns the kind of a server, where that is known.
    pub fn kind(&self, server: &str) -> Option<Kind> {
        let (_, kind) = self.kinds.iter().find(|(name, _)| name == server)?;
        Some(*kind)
    }

    /// Returns the paths that an application answers, the default one first; `None` for an unknown one.
    pub fn paths(&self, app: &str) -> Option<&[String]> {
        self.apps.iter().find(|(name, _)| name == app).map(|(_, paths)| paths.as_slice())
    }

    /// Returns the rules about the versions of a server, where there are any.
    pub fn rules(&self, server: &str) -> Option<&VersionRules> {
        let (_, rules) = self.rules.iter().find(|(name, _)| name == server)?;
        Some(rules)
    }

    /// Whether there can be this version of a server, or a newest version of this line.
    pub fn has_version(&self, server: &str, version: &str) -> bool {
        let supports = |rules: &VersionRules| rules.supports(version);
        let is_named = || self.versions(server).iter().any(|known| known == version);
        self.rules(server).map_or_else(is_named, supports)
    }

    /// Returns the versions of a server that messages name as examples; none of an unknown server.
    pub fn versions(&self, server: &str) -> &[String] {
        let mut servers = self.servers.iter();
        let found = servers.find(|(name, _)| name == server);
        found.map_or(&[], |(_, versions)| versions)
    }

    /// Returns the newest version of a line, where that is known.
    pub fn newest_of(&self, server: &str, line: &str) -> Option<&str> {
        let found = self.newest.iter().find(|newest| newest.server == server && newest.line == line);
        found.map(|newest| newest.version.as_str())
    }

    /// Returns what a release can do, where that is known.
    pub fn ability(&self, server: &str, version: &str) -> Option<Ability> {
        self.rules(server).map(|rules| rules.ability(version))
    }

    /// Returns the releases of a server that can do something, out of the releases that messages name, as
    /// `tomcat:9.0.95`.
    pub(crate) fn able(&self, server: &str, can: impl Fn(&Ability) -> bool) -> Vec<String> {
        let is_able = |version: &&String| self.ability(server, version).as_ref().is_some_and(&can);
        let able = self.versions(server).iter().filter(is_able);
        able.map(|version| format!("{server}:{version}")).collect()
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
