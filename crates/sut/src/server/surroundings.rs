//! [`LiveSurroundings`]: the control groups and side services of one start.

use crate::error::Error;
use crate::files::cgroup::{Enforced, Limited};
use crate::files::work::WorkFolder;
use crate::programs::spec::ServerSurroundings;
use crate::server::service::{self, RunningService, ServiceView};
use crate::tools::container::Container;
use crate::tools::guard::Guard;
use crate::tools::network::{Network, among_servers};
use crate::tools::site::Site;
use ask::service::Service;
use model::secret;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

impl ServerSurroundings {
    /// Checks whether they are possible here. Call it before anything is downloaded.
    pub fn check(&self, site: &Site) -> Result<(), Error> {
        self.services.iter().try_for_each(service::check)?;
        if self.limits.is_none() {
            return Ok(());
        }
        let work = WorkFolder::create(&site.cache, 0)?;
        Limited::prepare(self.limits, &work).map(drop)
    }

    /// The surroundings as facts for the fingerprint.
    pub fn facts(&self) -> Vec<(String, String)> {
        let memory = self.limits.memory.map(|memory| memory.to_string());
        let cpus = self.limits.cpus.map(|cpus| cpus.to_string());
        let open_files = self.open_files.map(|most| most.to_string());
        let limits = [("limit/memory", memory), ("limit/cpus", cpus), ("limit/open_files", open_files)];
        let limits = limits.into_iter().filter_map(|(what, value)| Some((what.to_owned(), value?)));
        let service = |service: &Service| {
            let container = self.service_containers.get(&service.name);
            let image = container.map(|of| format!("{}, {}", of.engine.version, of.image));
            let words = [image.unwrap_or_default(), service.command.join(" ")];
            (format!("service/{}", service.name), words.join(" ").trim().to_owned())
        };
        let variable = |(name, value): (&String, &String)| {
            (format!("environment/{name}"), secret::redacted(name, value))
        };
        limits
            .chain(self.services.iter().map(service))
            .chain(self.environment.iter().map(variable))
            .chain(self.container.iter().map(Container::fact))
            .chain(self.network.iter().flat_map(|network| network.facts()))
            .collect()
    }
}

/// The surroundings of one start. Dropping this kills its services and removes its control groups.
#[derive(Debug)]
pub(crate) struct LiveSurroundings {
    /// The guard that ends the server with us and puts it into its control groups.
    pub(crate) guard: Guard,
    services: Vec<RunningService>,
    limited: Option<Limited>,
    environment: BTreeMap<String, String>,
    network: Option<Arc<Network>>,
}

impl LiveSurroundings {
    /// Makes the control groups and starts the services. All services are ready when this returns.
    pub(crate) fn prepare(
        wanted: &ServerSurroundings,
        work: &WorkFolder,
        guard: &Guard,
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        let network = wanted.network.clone();
        let guard = &guard.on_cpus(&wanted.cpus);
        let start = |service: &Service| {
            let container = wanted.service_containers.get(&service.name);
            RunningService::start(service, container, &wanted.cpus, work, guard, stop)
        };
        let services = among_servers(network.as_deref(), || {
            wanted.services.iter().map(start).collect::<Result<Vec<_>, _>>()
        })?;
        // The engine of a container limits it, and puts it onto its CPUs.
        let limited = match wanted.container {
            Some(_) => None,
            None => Limited::prepare(wanted.limits, work)?,
        };
        let mut environment: BTreeMap<String, String> =
            services.iter().map(RunningService::variable).collect();
        environment.extend(wanted.environment.clone());
        // The guard's options come first: systemd-run may follow, and after it all words belong to the server.
        let open_files = wanted.open_files.filter(|_| wanted.container.is_none());
        let open_files = open_files.map(|most| format!("--open-files={most}"));
        let mut prefix: Vec<OsString> = open_files.map(OsString::from).into_iter().collect();
        prefix.extend_from_slice(limited.as_ref().map_or(&[], Limited::prefix));
        Ok(Self { guard: guard.with_prefix(&prefix), services, limited, environment, network })
    }

    /// Does `work` in the network namespace of the server, if it is behind a link.
    pub(crate) fn at_server<T>(&self, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        among_servers(self.network.as_deref(), work)
    }

    /// The environment variables for the server: the addresses of its services, and what the arm sets.
    pub(crate) const fn environment(&self) -> &BTreeMap<String, String> {
        &self.environment
    }

    /// Reads back the limits of the server's process; an error when they are not the arm's limits.
    pub(crate) fn enforced(&self, pid: u32) -> Result<Option<Enforced>, Error> {
        let enforced = |limited: &Limited| limited.enforced(pid);
        self.limited.as_ref().map(enforced).transpose()
    }

    /// The error for a server that the kernel killed because of its limit of memory; `None` if it did not.
    pub(crate) fn overrun(&self, server: &str, log: &Path) -> Option<Error> {
        let limit = self.limited.as_ref()?.overrun()?;
        Some(Error::Overrun { server: server.to_owned(), limit, log: crate::files::log::tail(log) })
    }

    /// Views of the services.
    pub(crate) fn services(&self) -> Vec<ServiceView> {
        self.services.iter().map(RunningService::view).collect()
    }

    /// The counters of the services.
    pub(crate) fn facts(&self) -> BTreeMap<String, f64> {
        self.at_server(|| Ok(self.services.iter().flat_map(RunningService::facts).collect()))
            .unwrap_or_default()
    }

    /// Ends the services; dropping this removes the control groups.
    pub(crate) fn stop(self) {
        self.services.into_iter().for_each(RunningService::stop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_environment_variable_is_hidden_in_the_facts() {
        let pairs = [("DB_PASSWORD", secret::HIDDEN), ("LANG", "abc")];
        let surroundings = ServerSurroundings {
            environment: pairs.map(|(name, _)| (name.to_owned(), "abc".to_owned())).into(),
            ..ServerSurroundings::default()
        };
        let expected = pairs.map(|(name, shown)| (format!("environment/{name}"), shown.to_owned()));
        assert_eq!(BTreeMap::from_iter(surroundings.facts()), BTreeMap::from(expected));
        // The server still gets the real value.
        assert!(surroundings.environment.values().all(|value| value == "abc"));
    }
}
