//! [`ServerLink`]: where the servers of a plan listen, and which slots connect to them.

use super::Shard;
use crate::addresses::Addresses;
use crate::conn::ConnState;
use crate::error::Error;
use crate::tls::TlsConfig;
use model::units::Nanos;
use std::borrow::Cow;
use std::sync::Arc;
use traffic::plan::{Lookup, Plan, Target, Tunnel};

/// How a server is connected to.
#[derive(Clone, Debug)]
pub(crate) struct ServerLink {
    pub(super) target: Target,
    pub(super) tls: Option<Arc<TlsConfig>>,
    /// What a proxy is asked for, where the target is one.
    pub(super) tunnel: Option<Tunnel>,
    /// The addresses that take the target's place.
    addresses: Option<Arc<Addresses>>,
}

impl ServerLink {
    /// The servers of a plan, the one that is loaded first.
    ///
    /// # Errors
    ///
    /// When the certificates that are to be trusted cannot be read.
    pub(crate) fn all(plan: &Plan) -> Result<Arc<[Self]>, Error> {
        let others = plan.sessions.iter().flat_map(|sessions| &sessions.others);
        let others = others.map(|other| (&other.target, &other.tls, &other.tunnel, &other.lookup));
        let all = std::iter::once((&plan.target, &plan.tls, &plan.tunnel, &plan.lookup)).chain(others);
        all.map(|(target, tls, tunnel, lookup)| {
            Ok(Self {
                target: target.clone(),
                tls: tls.as_ref().map(|tls| TlsConfig::new(tls, plan.http)).transpose()?.map(Arc::new),
                tunnel: tunnel.clone(),
                addresses: kept_addresses(target, lookup),
            })
        })
        .collect()
    }

    /// Where a connection goes, by its number.
    fn target_of_turn(&self, turn: usize) -> Cow<'_, Target> {
        match &self.addresses {
            Some(addresses) => Cow::Owned(Target::Tcp(addresses.of_turn(turn))),
            None => Cow::Borrowed(&self.target),
        }
    }
}

/// The addresses of a name that is looked up again.
fn kept_addresses(target: &Target, lookup: &Option<Lookup>) -> Option<Arc<Addresses>> {
    match (target, lookup) {
        (Target::Tcp(known), Some(lookup)) => Some(Arc::new(Addresses::keep(lookup, *known))),
        _ => None,
    }
}

impl Shard {
    /// Where the next connection of a slot goes. All sources take turns before the next address does, so that each goes to each.
    pub(super) fn next_target(&self, slot: usize) -> Cow<'_, Target> {
        let turn = self.connects_begun / self.plan.sources.len().max(1);
        self.servers[self.conns[slot].server].target_of_turn(turn)
    }

    /// The number of users, each of whom has a slot for each server, and one for its connection of WebSocket.
    fn slots_per_line(&self) -> usize {
        let web_socket = self.play.as_ref().is_some_and(|play| play.shared.opens_web_sockets());
        self.request_slots() / (self.servers.len() + usize::from(web_socket))
    }

    /// The user to whom a slot belongs, where connections are not shared.
    pub(super) fn user_of(&self, slot: usize) -> usize {
        self.conns[slot].user
    }

    /// The slot on which a user sends its present request.
    pub(super) fn slot_of(&self, user: usize) -> usize {
        let line = self.play.as_ref().map_or(0, |play| play.line_of(user, self.servers.len()));
        user + line * self.slots_per_line()
    }

    /// Closes the idle connections of a user, except to the server of its present request.
    pub(super) fn close_other_connections(&mut self, user: usize) {
        let present = self.slot_of(user);
        for slot in (user..self.request_slots()).step_by(self.slots_per_line()) {
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
