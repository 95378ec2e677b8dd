//! What a running server says of itself: its settings in effect, and what it has counted.

use crate::Error;
use crate::elsewhere::{self, Question, Totals};
use model::units::Bytes;
use probe::process::peak_memory;
use record::outcome::Effective;
use std::sync::atomic::AtomicBool;
use sut::{Server, Site};

/// The settings in effect of a running server. Unreadable ones stay unknown, because no verdict depends on them.
pub(crate) fn in_effect(server: &Server, site: &Site, stop: &AtomicBool) -> Effective {
    if let Some(remote) = server.remote() {
        return elsewhere::ask(remote, Question::Effective).unwrap_or_default();
    }
    if !server.is_seen() {
        return Effective::default();
    }
    let mut effective = sut::effective(server, site, stop).unwrap_or_default();
    // The kernel's value comes first, because it caps the one that the server asked for.
    let listeners = probe::listener::Listeners::around(server.pid()).ok();
    let queue =
        listeners.and_then(|mut listeners| listeners.accept_queue(server.addr().port()).ok().flatten());
    effective.accept_count = queue.map(|queue| u64::from(queue.limit)).or(effective.accept_count);
    if let Some(limits) = server.enforced() {
        effective.limited_by = Some(limits.by.clone());
        effective.memory_limit = limits.memory;
        effective.cpu_limit = limits.cpus;
    }
    effective
}

/// What a server has counted since its start.
pub(crate) fn totals(server: &Server) -> Result<Totals, Error> {
    if let Some(remote) = server.remote() {
        return elsewhere::ask(remote, Question::Totals);
    }
    let facts = server.facts();
    if !server.is_ours() {
        let peak_memory = None;
        return Ok(Totals { facts, peak_memory });
    }
    // The leader has to be alive; another process may end at any time.
    let others = server.processes().into_iter().filter(|pid| *pid != server.pid());
    let others = others.filter_map(|pid| peak_memory(pid).ok());
    let peak = others.fold(peak_memory(server.pid())?.0, |sum, peak| sum + peak.0);
    Ok(Totals { facts, peak_memory: Some(Bytes(peak)) })
}
