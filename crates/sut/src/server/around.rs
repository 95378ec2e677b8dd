//! [`Around`]: what one start has around its server: the limits it is within, the services beside it.

use crate::error::Error;
use crate::files::cgroup::{Enforced, Limited};
use crate::files::work::WorkFolder;
use crate::programs::spec::Surroundings;
use crate::server::service::{self, Beside, Running};
use crate::tools::guard::Guard;
use crate::tools::network::{Network, among_servers};
use crate::tools::site::Site;
use model::secret;
use model::service::Service;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

impl Surroundings {
    /// Whether they can be had here; asked before anything is downloaded.
    pub fn check(&self, site: &Site) -> Result<(), Error> {
        self.services.iter().try_for_each(service::check)?;
        if self.limits.is_none() {
            return Ok(());
        }
        let work = WorkFolder::create(&site.cache, 0)?;
        Limited::prepare(self.limits, &work).map(drop)
    }

    /// What they are, for the fingerprint.
    pub fn facts(&self) -> Vec<(String, String)> {
        let memory = self.limits.memory.map(|memory| memory.to_string());
        let cpus = self.limits.cpus.map(|cpus| cpus.to_string());
        let open_files = self.open_files.map(|most| most.to_string());
        let limits = [
            ("limit/memory", memory),
            ("limit/cpus", cpus),
            ("limit/open_files", open_files),
        ];
        let limits = limits
            .into_iter()
            .filter_map(|(what, value)| Some((what.to_owned(), value?)));
        let service = |service: &Service| (format!("service/{}", service.name), service.command.join(" "));
        let variable = |(name, value): (&String, &String)| {
            (format!("environment/{name}"), secret::redacted(name, value))
        };
        limits
            .chain(self.services.iter().map(service))
            .chain(self.environment.iter().map(variable))
            .chain(self.network.iter().flat_map(|network| network.facts()))
            .collect()
    }
}

/// The surroundings of one start. Dropped, its services are killed and its control groups removed.
#[derive(Debug)]
pub(crate) struct Around {
    /// Ties the server to our life and puts it within its limits.
    pub(crate) guard: Guard,
    services: Vec<Running>,
    limited: Option<Limited>,
    environment: BTreeMap<String, String>,
    network: Option<Arc<Network>>,
}

impl Around {
    /// Makes the control groups and starts the services, each of which is ready when this returns.
    pub(crate) fn prepare(
        wanted: &Surroundings,
        work: &WorkFolder,
        guard: &Guard,
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        let network = wanted.network.clone();
        let start = |service: &Service| Running::start(service, work, guard, stop);
        let services = among_servers(network.as_deref(), || {
            wanted.services.iter().map(start).collect::<Result<Vec<_>, _>>()
        })?;
        let limited = Limited::prepare(wanted.limits, work)?;
        let mut environment: BTreeMap<String, String> = services.iter().map(Running::variable).collect();
        environment.extend(wanted.environment.clone());
        // The guard's own words first: systemd-run may follow, after which all are the server's.
        let open_files = wanted.open_files.map(|most| format!("--open-files={most}"));
        let mut first: Vec<OsString> = open_files.map(OsString::from).into_iter().collect();
        first.extend_from_slice(limited.as_ref().map_or(&[], Limited::before));
        Ok(Self {
            guard: guard.first(&first),
            services,
            limited,
            environment,
            network,
        })
    }

    /// Does something where the server is: behind its link, if it has one.
    pub(crate) fn there<T>(&self, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        among_servers(self.network.as_deref(), work)
    }

    /// Variables for the server: where its services are, and what the arm sets.
    pub(crate) const fn environment(&self) -> &BTreeMap<String, String> {
        &self.environment
    }

    /// The limits that the server's process has; an error when they are not what was asked for.
    pub(crate) fn enforced(&self, pid: u32) -> Result<Option<Enforced>, Error> {
        let enforced = |limited: &Limited| limited.enforced(pid);
        self.limited.as_ref().map(enforced).transpose()
    }

    /// Why a server has ended, when it was killed for want of memory within its limit.
    pub(crate) fn overrun(&self, server: &str, log: &Path) -> Option<Error> {
        let limit = self.limited.as_ref()?.overrun()?;
        Some(Error::Overrun {
            server: server.to_owned(),
            limit,
            log: crate::files::log::tail(log),
        })
    }

    /// The services.
    pub(crate) fn beside(&self) -> Vec<Beside> {
        self.services.iter().map(Running::beside).collect()
    }

    /// What the services counted.
    pub(crate) fn facts(&self) -> BTreeMap<String, f64> {
        self.there(|| Ok(self.services.iter().flat_map(Running::facts).collect()))
            .unwrap_or_default()
    }

    /// Ends the services; the control groups go by themselves.
    pub(crate) fn stop(self) {
        self.services.into_iter().for_each(Running::stop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_of_the_environment_is_no_fact() {
        let pairs = [("DB_PASSWORD", secret::HIDDEN), ("LANG", "abc")];
        let surroundings = Surroundings {
            environment: pairs.map(|(name, _)| (name.to_owned(), "abc".to_owned())).into(),
            ..Surroundings::default()
        };
        let expected = pairs.map(|(name, shown)| (format!("environment/{name}"), shown.to_owned()));
        assert_eq!(
            BTreeMap::from_iter(surroundings.facts()),
            BTreeMap::from(expected)
        );
        // The server gets what the file says.
        assert!(surroundings.environment.values().all(|value| value == "abc"));
    }
}
