//! [`Deployment`]: a WAR of the reader's own, and how a javax WAR comes onto a server that speaks jakarta.

use crate::ability::{Ability, Refusal, instead};
use crate::arm::Known;
use crate::diagnostic::Diagnostic;
use crate::node::Table;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The package that the Servlet API lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Namespace {
    /// `javax.servlet`, up to Servlet 4.
    Javax,
    /// `jakarta.servlet`, from Servlet 5.
    Jakarta,
}

impl Namespace {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Javax, Self::Jakarta];

    /// The package's first word.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Javax => "javax",
            Self::Jakarta => "jakarta",
        }
    }
}

/// When a javax WAR becomes a jakarta one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Migrate {
    /// Once, before anything is started.
    Before,
    /// By Tomcat, whenever it starts; part of the start-up time.
    AtStart,
}

impl Migrate {
    const ALL: [Self; 2] = [Self::Before, Self::AtStart];

    /// The name in files and on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::AtStart => "webapps-javaee",
        }
    }
}

/// What an arm deploys, where that is not simply its application's own WAR.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deployment {
    /// A WAR of the reader's own.
    pub war: Option<PathBuf>,
    /// The Servlet API that it was written for; `None` where nothing in it says.
    pub namespace: Option<Namespace>,
    /// When it is migrated; `None` migrates before, and only what needs it.
    pub migrate: Option<Migrate>,
}

impl Deployment {
    /// The keys `war`, `namespace` and `migrate` of an arm; without `war` it has that of its file.
    pub(crate) fn read(table: &mut Table<'_>, known: &Known, problems: &mut Vec<Diagnostic>) -> Self {
        let own = Self::read_war(table, known, problems);
        let migrate = table.read("migrate", problems, |node| {
            node.one_of(&Migrate::ALL, Migrate::id)
        });
        let of_file = || known.deployment.clone();
        Self {
            migrate,
            ..own.unwrap_or_else(of_file)
        }
    }

    /// The keys `war` and `namespace`, which a file has, too.
    pub(crate) fn read_war(
        table: &mut Table<'_>,
        known: &Known,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let war = table.read("war", problems, |node| node.text().map(PathBuf::from));
        let said = table.read("namespace", problems, |node| {
            node.one_of(&Namespace::ALL, Namespace::id)
        });
        let war = war?;
        let told = known.wars.iter().find(|(path, _)| *path == war);
        Some(Self {
            namespace: said.or(told.and_then(|(_, namespace)| *namespace)),
            war: Some(war),
            migrate: None,
        })
    }

    /// Reads its path as from this folder.
    pub(crate) fn relative_to(&mut self, folder: &Path) {
        if let Some(war) = &mut self.war {
            *war = folder.join(&*war);
        }
    }

    /// What cannot be deployed on a release that can do this.
    pub(crate) fn refused(
        &self,
        (server, release): (&str, &str),
        ability: &Ability,
        known: &Known,
    ) -> Vec<Refusal> {
        let mut refused = Vec::new();
        let mut refuse = |key, message: String, hint: String| refused.push(Refusal { key, message, hint });
        let deploying = |namespace| known.able(server, |other| other.namespace == Some(namespace));
        match (ability.namespace, self.namespace) {
            (None, _) if self.war.is_some() => {
                let hint = "WARs are deployed by standalone servers, as tomcat:VERSION".to_owned();
                refuse("war", format!("{release} deploys no WAR"), hint);
            }
            (Some(Namespace::Javax), Some(Namespace::Jakarta)) => {
                let message = format!("{release} speaks javax, and this WAR jakarta");
                let hint = format!("jakarta runs on {}", deploying(Namespace::Jakarta).join(", "));
                refuse("war", message, hint);
            }
            _ => {}
        }
        let Some(migrate) = self.migrate else {
            return refused;
        };
        if ability.namespace != Some(Namespace::Jakarta) || self.namespace == Some(Namespace::Jakarta) {
            let message = format!("there is nothing to migrate for {release}");
            let hint =
                "leave it out: only a javax WAR on a server that speaks jakarta is migrated".to_owned();
            refuse("migrate", message, hint);
        } else if migrate == Migrate::AtStart && !ability.webapps_javaee {
            let others = known.able(server, |other| other.webapps_javaee);
            let message = format!("{release} does not migrate WARs itself");
            refuse("migrate", message, instead("\"before\"", &others));
        }
        refused
    }
}
