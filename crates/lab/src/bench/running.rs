//! Arms whose servers run already: where they are, and what they tell of themselves.

use super::Bench;
use crate::error::{Error, MetricsFlaw};
use crate::metrics::{Told, ToldAt};
use crate::way::Route;
use ask::arm::Arm;
use ask::observed::FigureSource;
use ask::origin::Origin;
use record::telemetry::ServerReading;
use sut::{ContainerError, ProcessAt, Site};
use traffic::plan::{Target, Tls};

impl Bench {
    /// Where connections to a server go that runs already, and how they are encrypted where they are.
    pub(super) fn route(&self, arm: usize, origin: &Origin) -> Result<(Route, Tls), Error> {
        let (way, url) = (&self.arms[arm].way, origin.url("/"));
        let at_arm = |source| Error::Way { arm: self.name(arm).to_owned(), source: Box::new(source) };
        let route = way.to(&url, &[]).map_err(at_arm)?;
        let tls = way.tls(&url, &Target::Tcp(route.target), route.tunnel.is_some());
        Ok((route, tls))
    }

    /// Where a server tells figures of itself; `None` where the arm does not say it.
    pub(crate) fn metrics(&self, arm: usize) -> Option<ToldAt> {
        ToldAt::of(self.arms[arm].metrics.as_ref()?, &self.arms[arm].way)
    }

    /// Checks that the arms which tell figures of themselves do so.
    pub(super) fn check_metrics(&self) -> Result<(), Error> {
        for (index, arm) in self.arms.iter().enumerate() {
            let Some(source) = self.metrics(index) else { continue };
            let is_told = |text: &String| Told::parse(text).reading() != ServerReading::default();
            let why = match source.now() {
                Ok(text) if is_told(&text) => continue,
                Ok(_) => MetricsFlaw::NoFigures,
                Err(error) => MetricsFlaw::Unreachable(error.to_string()),
            };
            let url = arm.metrics.as_ref().map(FigureSource::shown).unwrap_or_default();
            return Err(Error::Metrics { arm: arm.name.clone(), url, why });
        }
        Ok(())
    }
}

/// The process of a server that runs already, on this machine or on its host; `None` where it cannot be seen. Whether a container runs on
/// another host is found out there.
pub(super) fn process_of(arm: &Arm, site: &Site) -> Result<Option<ProcessAt>, sut::Error> {
    if let Some(pid) = arm.observed.pid {
        return Ok(Some(ProcessAt::Pid(pid)));
    }
    if let Some(name) = &arm.observed.container {
        if arm.host.is_none() && sut::container::main_process(&site.guard, name).is_none() {
            return Err(ContainerError::NotRunning { name: name.clone() }.into());
        }
        return Ok(Some(ProcessAt::Container(name.clone())));
    }
    Ok(arm.reached().filter(|_| !arm.is_unseen()).map(|reached| ProcessAt::Port(reached.port)))
}
