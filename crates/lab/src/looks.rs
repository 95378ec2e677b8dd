//! [`Looker`] and [`CpuProfiler`]: an inspector and a profiler in the JVM of a server, wherever that is.

use crate::Error;
use crate::elsewhere::{self, Question};
use model::units::Seconds;
use record::inspection::{CpuStack, IdleSeen, Inspection};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use sut::remote::RemoteServer;
use sut::{Inspector, Profiler, Server, Site};

/// An inspector in the JVM of a server.
pub(crate) enum Looker {
    /// On this machine.
    Here(Inspector),
    /// On another host.
    There(Arc<RemoteServer>),
}

impl Looker {
    /// An inspector of a running server; `None` where none can attach.
    pub(crate) fn attach(server: &Server, site: &Site, stop: &AtomicBool) -> Result<Option<Self>, Error> {
        if let Some(remote) = server.remote() {
            let is_there: bool = elsewhere::ask(remote, Question::Inspect)?;
            return Ok(is_there.then(|| Self::There(Arc::clone(remote))));
        }
        let inspector = Inspector::attach(server, site, stop).map_err(Box::new)?;
        Ok(inspector.map(Self::Here))
    }

    /// Records with the JDK Flight Recorder what follows. Returns whether it does.
    pub(crate) fn record(&mut self, stop: &AtomicBool) -> Result<bool, Error> {
        match self {
            Self::Here(inspector) => Ok(inspector.record(stop).map_err(Box::new)?),
            Self::There(remote) => elsewhere::ask(remote, Question::Record),
        }
    }

    /// What there is without load.
    pub(crate) fn idle(&mut self, stop: &AtomicBool) -> Result<IdleSeen, Error> {
        match self {
            Self::Here(inspector) => Ok(inspector.idle(stop).map_err(Box::new)?),
            Self::There(remote) => elsewhere::ask(remote, Question::Idle),
        }
    }

    /// The counted part begins. Does not wait.
    pub(crate) fn begin(&mut self) -> Result<(), Error> {
        match self {
            Self::Here(inspector) => Ok(inspector.begin().map_err(Box::new)?),
            Self::There(remote) => {
                drop(elsewhere::tell(remote, Question::InspectionBegins));
                Ok(())
            }
        }
    }

    /// The counted part ends. Does not wait.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        match self {
            Self::Here(inspector) => Ok(inspector.end().map_err(Box::new)?),
            Self::There(remote) => {
                drop(elsewhere::tell(remote, Question::InspectionEnds));
                Ok(())
            }
        }
    }

    /// What was seen.
    pub(crate) fn results(&mut self, stop: &AtomicBool) -> Result<Inspection, Error> {
        match self {
            Self::Here(inspector) => Ok(inspector.results(stop).map_err(Box::new)?),
            Self::There(remote) => elsewhere::ask(remote, Question::Inspection),
        }
    }
}

/// A profiler in the JVM of a server.
pub(crate) enum CpuProfiler {
    /// On this machine.
    Here(Profiler),
    /// On another host.
    There(Arc<RemoteServer>),
}

impl CpuProfiler {
    /// A profiler for a running server; `None` where there is none for it.
    pub(crate) fn attach(server: &Server, site: &Site, stop: &AtomicBool) -> Result<Option<Self>, Error> {
        if let Some(remote) = server.remote() {
            let is_there: bool = elsewhere::ask(remote, Question::Profile)?;
            return Ok(is_there.then(|| Self::There(Arc::clone(remote))));
        }
        let profiler = Profiler::attach(server, site, stop).map_err(Box::new)?;
        Ok(profiler.map(Self::Here))
    }

    /// The profile begins. Does not wait.
    pub(crate) fn begin(&mut self) -> Result<(), Error> {
        match self {
            Self::Here(profiler) => Ok(profiler.begin().map_err(Box::new)?),
            Self::There(remote) => {
                drop(elsewhere::tell(remote, Question::ProfileBegins));
                Ok(())
            }
        }
    }

    /// The profile ends. Does not wait.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        match self {
            Self::Here(profiler) => Ok(profiler.end().map_err(Box::new)?),
            Self::There(remote) => {
                drop(elsewhere::tell(remote, Question::ProfileEnds));
                Ok(())
            }
        }
    }

    /// The stacks of a profile in which the JVM used so much CPU time.
    pub(crate) fn stacks(&mut self, cpu: Seconds, stop: &AtomicBool) -> Result<Vec<CpuStack>, Error> {
        match self {
            Self::Here(profiler) => Ok(profiler.stacks(cpu, stop).map_err(Box::new)?),
            Self::There(remote) => elsewhere::ask(remote, Question::Stacks(cpu)),
        }
    }
}
