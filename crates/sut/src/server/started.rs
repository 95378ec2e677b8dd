//! [`Started`]: the process that we started for a server, and the container where the server is in one.

use crate::error::Error;
use crate::files::process;
use crate::tools::container::LiveContainer;
use crate::tools::tool::ProcessGroup;
use std::process::ExitStatus;
use std::sync::OnceLock;
use std::time::Duration;

/// A server that we started, and that ends when this is dropped. Without a container, the server is the leader of the process group.
/// With one, the leader is the engine's client, which passes on the log of the server and signals to it.
#[derive(Debug)]
pub(crate) struct Started {
    // Fields are dropped in this order: without its container, the client ends by itself.
    container: Option<LiveContainer>,
    group: ProcessGroup,
    /// The first process of the container, once it is known.
    first: OnceLock<u32>,
}

impl Started {
    pub(crate) const fn new(group: ProcessGroup, container: Option<LiveContainer>) -> Self {
        Self { container, group, first: OnceLock::new() }
    }

    /// The id of the server's first process. Before a container has a process, it is the id of the engine's client.
    pub(crate) fn pid(&self) -> u32 {
        let look = || self.container.as_ref().and_then(LiveContainer::pid);
        match self.first.get().copied().or_else(look) {
            Some(pid) => *self.first.get_or_init(|| pid),
            None => self.group.id(),
        }
    }

    /// The ids of the server's living processes.
    pub(crate) fn members(&self) -> Vec<u32> {
        match &self.container {
            Some(container) => container.processes(),
            None => process::members(self.group.id()),
        }
    }

    /// The exit status, if the server has ended. The engine's client ends with the server's exit status.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>, Error> {
        self.group.ended()
    }

    /// Whether the server lives. The engine's client ends a moment later than the first process of the container.
    pub(crate) fn is_alive(&mut self) -> bool {
        let first = self.first.get().copied();
        let lives = first.is_none_or(|pid| process::see(pid).is_some_and(|seen| !seen.zombie));
        lives && matches!(self.ended(), Ok(None))
    }

    /// Asks the server to end, and kills it after `grace`.
    pub(crate) fn end(&mut self, grace: Duration) {
        self.group.end(grace);
        self.container = None;
    }

    /// Its container, if it is in one.
    pub(crate) const fn container(&self) -> Option<&LiveContainer> {
        self.container.as_ref()
    }
}
