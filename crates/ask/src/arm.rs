//! [`Arm`]: one variant of the system under test, as written in a file or on the command line.

use crate::arm::settings::Settings;
use crate::build::{Build, Built};
use crate::command::OwnCommand;
use crate::configuration::OwnConfiguration;
use crate::deployment::Deployment;
use crate::host::ArmHost;
use crate::image::OwnImage;
use crate::jar::OwnJar;
use crate::network::Network;
use crate::observed::Observed;
use crate::origin::Origin;
use crate::surroundings::Surroundings;
use model::units::Bytes;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

mod agent_option;
mod change;
mod checks;
pub mod choices;
pub mod draft;
pub(crate) mod file_settings;
mod heap_option;
pub mod key;
pub mod keys;
pub mod needs;
pub mod settings;
mod telemetry;

pub use agent_option::agent_file;
pub use choices::{
    AccessLog, Connector, Http2Way, HttpVersion, JdkChoice, LeftTo, Package, Threads, TlsStack,
};
pub use heap_option::largest_heap;
pub use telemetry::Telemetry;

/// One variant of the system under test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// What the reports call it; unique in its experiment.
    pub name: String,
    /// Which server, as the catalog calls it: `tomcat`.
    pub server: String,
    /// Which version of it: `10.1.29`.
    pub version: String,
    /// The JDK; `None` lets prony choose one that suits every arm.
    pub jdk: Option<JdkChoice>,
    /// The settings of its server.
    #[serde(flatten)]
    pub settings: Settings,
    /// Java heap as it is stored: the fixed size, or 0 where it has none. [`Arm::heap_size`] says which.
    pub heap: Bytes,
    /// Who chooses the collector of its JVM; `None` is prony, which names G1 unless `jvm_options` name another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gc: Option<LeftTo>,
    /// Who tells its JVM how many processors there are; `None` is prony.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processors: Option<LeftTo>,
    /// Further options of the JVM, in order.
    pub jvm_options: Vec<String>,
    /// The path that it is asked for, in the place of the experiment's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How its application is packaged; `None` is the server's usual way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<Package>,
    /// A fixed port on 127.0.0.1; `None` takes a free one.
    pub port: Option<u16>,
    /// The other machine on which its server runs; `None` for this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<ArmHost>,
    /// The user's own command, where that starts its server; with an image, the words that replace the command of the image.
    #[serde(default, rename = "foreign")]
    pub command: Option<OwnCommand>,
    /// The user's own image, where a container runs its server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<OwnImage>,
    /// The address of its server, where that runs already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The way to a server that runs already.
    #[serde(default, skip_serializing_if = "Network::is_usual")]
    pub network: Network,
    /// Where one can look at such a server.
    #[serde(default, skip_serializing_if = "Observed::is_nothing")]
    pub observed: Observed,
    /// The user's own executable jar, which is server and application in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jar: Option<OwnJar>,
    /// Limits, services and environment of its process.
    #[serde(default)]
    pub surroundings: Surroundings,
    /// What it deploys, where that is not the application of the experiment.
    #[serde(default)]
    pub deployment: Deployment,
    /// The user's own configuration of its server.
    #[serde(default, skip_serializing_if = "OwnConfiguration::is_none")]
    pub configuration: OwnConfiguration,
    /// How its WAR or jar is built, where prony has to build it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
    /// How closely it is watched.
    #[serde(default)]
    pub telemetry: Telemetry,
}

/// Who decides about the size of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapSize {
    /// Start size and maximum size are this one.
    Fixed(Bytes),
    /// The JVM chooses it by the memory that it sees.
    OfJvm,
    /// The user, who starts the server; it need not be a JVM.
    OfUser,
}

impl Arm {
    /// Who decides about the size of its heap.
    pub const fn heap_size(&self) -> HeapSize {
        match self.heap {
            Bytes(0) if self.is_started_by_user() => HeapSize::OfUser,
            Bytes(0) => HeapSize::OfJvm,
            size => HeapSize::Fixed(size),
        }
    }

    /// Whether it runs the user's own server or application, so that only the user knows its answers.
    pub const fn is_the_users(&self) -> bool {
        self.command.is_some()
            || self.image.is_some()
            || self.origin.is_some()
            || self.jar.is_some()
            || self.deployment.war.is_some()
            || self.configuration.jetty_base.is_some()
    }

    /// Whether the user's own command or image starts its server, or it runs already, so that prony gives no options to its JVM.
    pub const fn is_started_by_user(&self) -> bool {
        self.command.is_some() || self.image.is_some() || self.origin.is_some()
    }

    /// Whether its process cannot be seen: it runs already, and somewhere else, where nobody looks.
    pub fn is_unseen(&self) -> bool {
        !self.observed.names_a_process() && self.host.is_none() && self.loaded_elsewhere().is_some()
    }

    /// The host of a server on another machine that runs already, as its address names it and where connections to it go.
    pub fn loaded_elsewhere(&self) -> Option<(String, String)> {
        let reached = self.reached().filter(|reached| self.network.proxy.is_some() || !reached.is_here())?;
        Some((self.origin.as_ref()?.host.clone(), reached.host))
    }

    /// Where connections to a server go that runs already: its address, unless the way to it says another.
    pub fn reached(&self) -> Option<Origin> {
        let origin = self.origin.as_ref()?;
        Some(self.network.redirected(&origin.url("/")).map_or_else(|| origin.clone(), Origin::from))
    }

    /// The user's own WAR or jar.
    pub fn users_file(&self) -> Option<&Path> {
        let jar = self.jar.as_ref().map(|jar| &jar.path);
        jar.or(self.deployment.war.as_ref()).map(PathBuf::as_path)
    }

    fn users_file_mut(&mut self) -> Option<&mut PathBuf> {
        let jar = self.jar.as_mut().map(|jar| &mut jar.path);
        jar.or(self.deployment.war.as_mut())
    }

    /// Puts what was built for the arm into the place of the file that it names.
    pub fn put_built(&mut self, built: Built) {
        if let Some(build) = &mut self.build {
            build.built = Some(built.clone());
        }
        if let Some(file) = self.users_file_mut() {
            *file = built.file;
        }
    }

    /// Returns the arm as it was asked for, without what was built for it: another commit of the same branch is the same
    /// question.
    pub(crate) fn as_asked(&self) -> Self {
        let mut asked = self.clone();
        asked.host = asked.host.as_ref().map(ArmHost::as_asked);
        let built = asked.build.as_mut().and_then(|build| build.built.take());
        if let (Some(built), Some(file)) = (built, asked.users_file_mut()) {
            *file = built.asked;
        }
        asked
    }

    /// Makes relative paths start from this folder.
    pub fn relative_to(&mut self, folder: &Path) {
        if let Some(JdkChoice::Home(home)) = &mut self.jdk {
            *home = folder.join(&*home);
        }
        if let Some(command) = &mut self.command {
            command.folder = Some(folder.to_owned());
        }
        if let Some(image) = &mut self.image {
            image.relative_to(folder);
        }
        if let Some(jar) = &mut self.jar {
            jar.relative_to(folder);
        }
        self.jvm_options.iter_mut().for_each(|option| agent_option::relative_to(option, folder));
        self.network.relative_to(folder);
        self.deployment.relative_to(folder);
        self.configuration.relative_to(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Cpus;

    /// An arm as prony stored it before [`Settings`] was a type.
    const STORED: &str = r#"{
        "name": "a", "server": "tomcat", "version": "10.1.29", "jdk": 21, "connector": "Nio2", "tls": "OpenSslFfm",
        "threads": {"Platform": 50}, "min_threads": null, "accept_count": 10, "max_connections": 300,
        "heap": 268435456, "jvm_options": ["-Xss1m"], "attributes": {"tcpNoDelay": "true"},
        "access_log": "unbuffered", "port": 8080,
        "foreign": {"command": ["serve", "{port}"], "folder": null, "ready_path": "/", "ready_body": null},
        "surroundings": {"limits": {"memory": 1073741824, "cpus": 0.1}, "services": ["memcached"], "environment": {}},
        "deployment": {"war": null, "namespace": "javax", "migrate": "AtStart"}, "telemetry": "jfr"
    }"#;

    #[test]
    fn an_arm_that_was_stored_is_read_and_stored_alike() {
        let stored: serde_json::Value = serde_json::from_str(STORED).expect("JSON");
        let arm: Arm = serde_json::from_str(STORED).expect("an arm");
        assert_eq!(arm.settings.threads, Some(Threads::Platform(50)));
        assert_eq!(arm.settings.attributes["tcpNoDelay"], "true");
        assert_eq!(arm.settings.access_log, Some(AccessLog::Unbuffered));
        assert_eq!(arm.surroundings.limits.cpus, Some(Cpus(0.1)));
        assert!(arm.command.is_some());
        assert_eq!(serde_json::to_value(&arm).expect("JSON"), stored);
    }

    #[test]
    fn an_arm_of_the_first_prony_is_read() {
        let first = r#"{"name": "a", "server": "tomcat", "version": "9", "jdk": null, "connector": null, "threads": null,
            "min_threads": null, "accept_count": null, "max_connections": null, "heap": 1, "jvm_options": [], "port": null}"#;
        let arm: Arm = serde_json::from_str(first).expect("an arm");
        assert_eq!(arm.settings, Settings::default());
    }
}
