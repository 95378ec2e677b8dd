//! [`ServerLink`]: where the servers of a plan listen, and which slots connect to them.

use super::Shard;
use crate::conn::ConnState;
use crate::error::Error;
use crate::tls::TlsConfig;
use model::units::Nanos;
use std::sync::Arc;
use traffic::plan::{Plan, Target};

/// How a server is connected to.
#[derive(Clone, Debug)]
pub(crate) struct ServerLink {
    pub(super) target: Target,
    pub(super) tls: Option<Arc<TlsConfig>>,
}

impl ServerLink {
    /// The servers of a plan, the one that is loaded first.
    ///
    /// # Errors
    ///
    /// When the certificates that are to be trusted cannot be read.
    pub(crate) fn all(plan: &Plan) -> Result<Arc<[Self]>, Error> {
        let others = plan.sessions.iter().flat_map(|sessions| &sessions.others);
        let settings = std::iter::once(&plan.tls).chain(others.map(|other| &other.tls));
        let links = plan.targets().zip(settings).map(|(target, tls)| {
            Ok(Self {
                target: target.clone(),
                tls: tls.as_ref().map(|tls| TlsConfig::new(tls, plan.http)).transpose()?.map(Arc::new),
            })
        });
        links.collect()
    }
}

impl Shard {
    /// Where the server of a slot listens.
    pub(super) fn target_of(&self, slot: usize) -> &Target {
        &self.servers[self.conns[slot].server].target
    }

    fn slots_per_server(&self) -> usize {
        self.request_slots() / self.servers.len()
    }

    /// The user to whom a slot belongs, where connections are not shared.
    pub(super) fn user_of(&self, slot: usize) -> usize {
        self.conns[slot].user
    }

    /// The slot on which a user sends its present request.
    pub(super) fn slot_of(&self, user: usize) -> usize {
        let server = self.play.as_ref().map_or(0, |play| play.server_of(user));
        user + server * self.slots_per_server()
    }

    /// Closes the idle connections of a user, except to the server of its present request.
    pub(super) fn close_other_connections(&mut self, user: usize) {
        let present = self.slot_of(user);
        for slot in (user..self.request_slots()).step_by(self.slots_per_server()) {
            if slot != present && self.conns[slot].state == ConnState::Idle {
                self.close(slot);
            }
        }
    }

    /// Sends the next request of a user on another connection if this slot belongs to another server. Returns
    /// whether it does.
    pub(super) fn changes_server(&mut self, slot: usize, user: usize, now: Nanos) -> bool {
        let changes = self.play.is_some() && self.slot_of(user) != slot;
        if changes {
            self.send_step(user, now);
        }
        changes
    }
}
