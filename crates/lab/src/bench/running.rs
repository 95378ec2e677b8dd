//! Arms whose servers run already: where they are, and what they tell of themselves.

use super::Bench;
use crate::error::{Error, MetricsFlaw};
use crate::metrics::{Ask, Told};
use crate::way::{Route, Way};
use ask::arm::Arm;
use ask::origin::Origin;
use load::Url;
use record::telemetry::ServerReading;
use std::io;
use std::time::Duration;
use sut::{Addressed, ContainerError, ProcessAt, Site};
use traffic::plan::{Target, Tls};

/// The time that a server has to tell its figures.
const METRICS_LIMIT: Duration = Duration::from_secs(2);

impl Bench {
    /// Where connections to a server go that runs already, and how they are encrypted where they are.
    pub(super) fn route(&self, arm: usize, origin: &Origin) -> Result<(Route, Tls), Error> {
        let (way, url) = (&self.arms[arm].way, origin.url("/"));
        let at_arm = |source| Error::Way { arm: self.name(arm).to_owned(), source: Box::new(source) };
        let route = way.to(&url, &[]).map_err(at_arm)?;
        let tls = way.tls(&url, &Target::Tcp(route.target), route.tunnel.is_some());
        Ok((route, tls))
    }

    /// Gets the figures that a server tells of itself; `None` where the arm does not say where.
    pub(crate) fn metrics(&self, arm: usize) -> Option<Ask> {
        let url = self.arms[arm].metrics.clone()?;
        let way = self.arms[arm].way.clone();
        Some(Box::new(move || asked_metrics(&url, &way)))
    }

    /// Checks that the arms which tell figures of themselves do so.
    pub(super) fn check_metrics(&self) -> Result<(), Error> {
        for (index, arm) in self.arms.iter().enumerate() {
            let (Some(ask), Some(url)) = (self.metrics(index), &arm.metrics) else { continue };
            let text = ask().map_err(|error| error.to_string());
            let is_told = |text: &String| Told::parse(text).reading() != ServerReading::default();
            let why = match text {
                Ok(text) if is_told(&text) => continue,
                Ok(_) => MetricsFlaw::NoFigures,
                Err(error) => MetricsFlaw::Unreachable(error),
            };
            let url = Origin::from(url.clone()).to_string() + &url.path;
            return Err(Error::Metrics { arm: arm.name.clone(), url, why });
        }
        Ok(())
    }
}

/// The process on this machine of a server that runs already; `None` where it cannot be seen.
pub(super) fn process_of(arm: &Arm, site: &Site) -> Result<Option<ProcessAt>, sut::Error> {
    if let Some(pid) = arm.observed.pid {
        return Ok(Some(ProcessAt::Pid(pid)));
    }
    if let Some(name) = &arm.observed.container {
        let pid = sut::container::main_process(&site.guard, name);
        let missing = || sut::Error::from(ContainerError::NotRunning { name: name.clone() });
        return pid.map(ProcessAt::Pid).map(Some).ok_or_else(missing);
    }
    Ok(arm.reached().filter(|_| !arm.is_unseen()).map(|reached| ProcessAt::Port(reached.port)))
}

/// The text at a URL with the figures of a server, which is reached in the way of its load.
fn asked_metrics(url: &Url, way: &Way) -> io::Result<String> {
    let route = way.to(url, &[]).map_err(io::Error::other)?;
    let tls = way.tls(url, &Target::Tcp(route.target), route.tunnel.is_some());
    let config = url.tls.then(|| load::client_config(&tls)).transpose().map_err(io::Error::other)?;
    let to = Addressed {
        address: route.target,
        host: &tls.server_name,
        authority: &url.authority(),
        open_tunnel: &|socket| route.open_tunnel(socket),
    };
    match sut::get(to, &url.path, config, METRICS_LIMIT)? {
        (200, body) => Ok(String::from_utf8_lossy(&body).into_owned()),
        (status, _) => Err(io::Error::other(format!("status {status}"))),
    }
}
