//! The slots of a shard: which connections it may have.

use super::links::Links;
use super::play::Play;
use super::server::ServerLink;
use crate::conn::{Channel, Conn};
use crate::request_picker::RequestPicker;
use traffic::plan::Plan;

/// The connections that each user may have at once.
#[derive(Clone, Copy, Debug)]
struct Lines {
    /// One to each of so many servers.
    servers: usize,
    /// Whether it has one of WebSocket beside these.
    web_socket: bool,
}

/// The slots for so many connections to each server. Those of WebSocket, which users of sessions have beside them, are the last ones; their
/// server is known when they are opened.
fn slots(connections: usize, lines: Lines, new: impl Fn() -> Conn) -> Vec<Conn> {
    let all = 0..connections * (lines.servers + usize::from(lines.web_socket));
    all.map(|slot| Conn { server: slot / connections % lines.servers, user: slot % connections, ..new() })
        .collect()
}

/// All slots of a shard with so many connections to each server: those that send requests and, behind them, the connections of HTTP/2.
pub(super) fn all_slots(
    plan: &Plan,
    servers: &[ServerLink],
    connections: usize,
    index: usize,
    play: Option<&Play>,
) -> (Vec<Conn>, Option<Links>) {
    let web_socket = play.is_some_and(|play| play.shared.opens_web_sockets());
    let lines = Lines { servers: servers.len(), web_socket };
    let rendered = RequestPicker::longest_rendering(plan);
    let mut conns = slots(connections, lines, || Conn::new(plan.pipeline, rendered, play.is_some()));
    let first = if plan.opening.is_some() { 0 } else { connections * lines.servers };
    for (slot, conn) in conns.iter_mut().enumerate().skip(first) {
        conn.channel = Some(Channel::of(plan, slot * plan.shards + index));
    }
    let links = Links::new(plan, connections, servers).map(|(links, slots)| {
        conns.extend(slots);
        links
    });
    (conns, links)
}
