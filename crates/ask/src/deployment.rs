//! [`Deployment`]: a WAR of the user's own, and how a javax WAR is made to run on a server with the jakarta API.

use crate::diagnostic::Diagnostic;
use crate::node::Table;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The package of the Servlet API.
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

/// When a javax WAR is migrated to jakarta.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Migrate {
    /// Once, before anything is started.
    Before,
    /// By Tomcat, whenever it starts; part of the start-up time.
    AtStart,
}

impl Migrate {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Before, Self::AtStart];

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
    /// A WAR of the user's own.
    pub war: Option<PathBuf>,
    /// The Servlet API that it was written for; `None` where nothing in it says.
    pub namespace: Option<Namespace>,
    /// When it is migrated; `None` migrates before, and only what needs it.
    pub migrate: Option<Migrate>,
    /// The path at which it is deployed, without a slash at its end; empty for the root, and `None` where the arm does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_path: Option<String>,
}

impl Deployment {
    /// Reads the keys `war` and `namespace` of a file.
    pub(crate) fn read(table: &mut Table<'_>, problems: &mut Vec<Diagnostic>) -> Self {
        let war = table.read("war", problems, |node| node.text().map(PathBuf::from));
        let namespace = table.read("namespace", problems, |node| node.one_of(&Namespace::ALL, Namespace::id));
        Self { namespace: namespace.filter(|_| war.is_some()), war, ..Self::default() }
    }

    /// Makes its path start from this folder.
    pub(crate) fn relative_to(&mut self, folder: &Path) {
        if let Some(war) = &mut self.war {
            *war = folder.join(&*war);
        }
    }
}
