//! [`CompilerClocks`]: the compilers of all JVMs of a server, wherever that is.

use crate::Error;
use crate::elsewhere::{self, Question};
use probe::compilers::CompilerClock;
use record::telemetry::GroupTotals;
use std::sync::Arc;
use sut::Server;
use sut::remote::RemoteServer;

/// The clocks of the compilers of a server.
#[derive(Debug)]
pub(crate) enum CompilerClocks {
    /// On this machine.
    Here {
        /// Those of its processes.
        clocks: Vec<CompilerClock>,
        /// Whether prony started the server, so that it may change the priority of its threads.
        is_ours: bool,
    },
    /// On another host.
    There(Arc<RemoteServer>),
}

impl CompilerClocks {
    /// The clocks of a running server.
    pub(crate) fn of(server: &Server) -> Self {
        match server.remote() {
            Some(remote) => Self::There(Arc::clone(remote)),
            None => Self::Here {
                clocks: server.processes().into_iter().map(CompilerClock::of).collect(),
                is_ours: server.is_ours(),
            },
        }
    }

    /// The clocks of these processes.
    #[cfg(test)]
    pub(crate) fn over(processes: Vec<u32>) -> Self {
        Self::Here { clocks: processes.into_iter().map(CompilerClock::of).collect(), is_ours: true }
    }

    /// What the compilers have used so far in all processes; `None` if none are known.
    pub(crate) fn totals(&mut self) -> Result<Option<GroupTotals>, Error> {
        let clocks = match self {
            Self::Here { clocks, .. } => clocks,
            Self::There(remote) => return elsewhere::ask(remote, Question::Compilers),
        };
        let totals = clocks.iter_mut().filter_map(|clock| clock.now().ok().flatten());
        Ok(totals.reduce(|sum, each| GroupTotals {
            cpu: sum.cpu + each.cpu,
            waited: sum.waited + each.waited,
            ..sum
        }))
    }

    /// Lets them go before all other threads. Returns whether they do; where there are none, nothing has to be done.
    pub(crate) fn put_first(&mut self) -> Result<bool, Error> {
        if let Self::There(remote) = self {
            return elsewhere::ask(remote, Question::PutFirst);
        }
        let has_compilers = self.totals()?.is_some();
        Ok(match self {
            Self::Here { clocks, is_ours } if has_compilers => {
                *is_ours && clocks.iter().all(CompilerClock::put_first)
            }
            _ => true,
        })
    }

    /// Gives them their usual priority again.
    pub(crate) fn put_back(&mut self) -> Result<(), Error> {
        if let Self::There(remote) = self {
            return elsewhere::ask(remote, Question::PutBack);
        }
        let has_compilers = self.totals()?.is_some();
        if let Self::Here { clocks, is_ours: true } = self
            && has_compilers
        {
            clocks.iter().for_each(CompilerClock::put_back);
        }
        Ok(())
    }
}
