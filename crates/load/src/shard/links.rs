//! [`Links`]: the HTTP/2 connections of a shard. With HTTP/2, a slot that sends requests is a *lane*: one stream of a connection, again and
//! again. Connections have slots of their own behind those of the lanes, without requests.
//!
//! A connection has two slots, so that another connection can be opened while one that the server ends still has streams.

use super::{Shard, SliceStage};
use crate::Fault;
use crate::clock;
use crate::conn::{Conn, ConnState, Link};
use crate::http2::{Http2, ProtocolFlaw};
use model::units::Nanos;
use std::collections::VecDeque;
use traffic::plan::{Http, Plan};

/// The HTTP/2 connections of a shard.
#[derive(Debug)]
pub(super) struct Links {
    /// The lengths of the heads of the plan's requests.
    pub(super) heads: Vec<usize>,
    /// The number of the connection of each lane.
    numbers: Vec<usize>,
    /// The first slot that is a connection; those before are lanes.
    first: usize,
    /// For each connection, the one of its two slots that opens streams.
    active: Vec<usize>,
    /// Slots of connections that have something to send.
    pub(super) dirty: Vec<usize>,
}

/// The length of the head of a request in bytes.
pub(super) fn head_length(request: &[u8]) -> usize {
    memchr::memmem::find(request, b"\r\n\r\n").map_or(request.len(), |end| end + 4)
}

impl Links {
    /// The connections for so many lanes to each server, and their slots; `None` for HTTP/1.
    pub(super) fn new(plan: &Plan, lanes: usize, servers: &[super::ServerLink]) -> Option<(Self, Vec<Conn>)> {
        let Http::Two { streams } = plan.http else { return None };
        let per_server = lanes.div_ceil(streams);
        let first = lanes * servers.len();
        let heads: Vec<usize> = plan.requests.iter().map(|request| head_length(&request.bytes)).collect();
        let longest = heads.iter().max().map_or(0, |head| head + 64);
        let fixed = if plan.sessions.is_some() { 0 } else { plan.requests.len() };
        let conns = (0..2 * per_server * servers.len()).map(|slot| {
            let number = slot / 2;
            let (server, place) = (number / per_server, number % per_server);
            let begin = server * lanes + place * streams;
            let end = (begin + streams).min((server + 1) * lanes);
            let scheme = if servers[server].tls.is_some() { "https" } else { "http" };
            let link = Link {
                http2: Http2::new(scheme, end - begin, fixed, longest),
                lanes: begin..end,
                number,
                waiting: VecDeque::with_capacity(end - begin),
                batch: Vec::with_capacity(end - begin),
                unsent: 0,
                is_dirty: false,
            };
            Conn { server, user: usize::MAX, link: Some(Box::new(link)), ..Conn::new(1, 0, false) }
        });
        let conns: Vec<Conn> = conns.collect();
        let number = |lane: usize| (lane / lanes) * per_server + lane % lanes / streams;
        let numbers = (0..first).map(number).collect();
        let active: Vec<usize> = (0..conns.len() / 2).map(|number| first + 2 * number).collect();
        let dirty = Vec::with_capacity(conns.len());
        Some((Self { heads, numbers, first, active, dirty }, conns))
    }
}

impl Shard {
    /// The number of slots that send requests.
    pub(super) fn request_slots(&self) -> usize {
        self.links.as_ref().map_or(self.conns.len(), |links| links.first)
    }

    /// True for a slot that sends requests on streams of a connection that is another slot.
    pub(super) fn is_lane(&self, slot: usize) -> bool {
        self.links.as_ref().is_some_and(|links| slot < links.first)
    }

    /// The slot of the connection on which a lane opens its next stream.
    pub(super) fn link_of(&self, lane: usize) -> usize {
        let links = self.links.as_ref().expect("lanes are slots of HTTP/2");
        links.active[links.numbers[lane]]
    }

    pub(super) fn link(&mut self, slot: usize) -> &mut Link {
        self.conns[slot].link.as_mut().expect("the slot is a connection of HTTP/2")
    }

    /// True when streams can be opened on the connection of a lane, now or when others end.
    pub(super) fn is_linked(&self, lane: usize) -> bool {
        let conn = &self.conns[self.link_of(lane)];
        conn.state == ConnState::Carrying && conn.link.as_ref().is_some_and(|link| !link.http2.is_gone())
    }

    /// Asks for a connection for a slot that has none.
    pub(super) fn ask_connection(&mut self, slot: usize) {
        if !self.is_lane(slot) {
            return self.missing.push(slot);
        }
        let mut link = self.link_of(slot);
        if self.conns[link].state == ConnState::Carrying {
            // It is going away. Its twin takes over, unless that still has streams itself.
            let twin = self.twin(link);
            if self.conns[twin].state != ConnState::Missing {
                return;
            }
            let number = self.link(link).number;
            if let Some(links) = &mut self.links {
                links.active[number] = twin;
            }
            link = twin;
        }
        if self.conns[link].state == ConnState::Missing && !self.missing.contains(&link) {
            self.missing.push(link);
        }
    }

    /// The other slot of a connection.
    fn twin(&self, link: usize) -> usize {
        let first = self.request_slots();
        first + ((link - first) ^ 1)
    }

    /// Fixes what is sent first on a connection that is missing. Returns false when nobody needs it now.
    pub(super) fn prepare_link(&mut self, slot: usize, now: Nanos) -> bool {
        let lanes = self.link(slot).lanes.clone();
        if self.link_of(lanes.start) != slot {
            return false;
        }
        if self.shares_connections() {
            return true;
        }
        let mut is_needed = false;
        for lane in lanes {
            let user = self.user_of(lane);
            if !self.conns[lane].pending {
                if self.users.list[user].away || self.slot_of(user) != lane {
                    continue;
                }
                if !self.may_claim(user) {
                    self.retire_user(user);
                    continue;
                }
                self.claim(lane, now);
            }
            is_needed = true;
        }
        is_needed
    }

    /// Lets all lanes of a connection use it, whose settings have come.
    pub(super) fn use_link(&mut self, slot: usize, now: Nanos) {
        self.set_state(slot, ConnState::Carrying);
        for lane in self.link(slot).lanes.clone() {
            if self.conns[lane].state != ConnState::Missing {
                continue;
            }
            self.conns[lane].since = now;
            self.set_state(lane, ConnState::Idle);
            let user = self.user_of(lane);
            let is_present = self.shares_connections()
                || self.conns[lane].pending
                || !self.users.list[user].away && self.slot_of(user) == lane;
            if is_present {
                self.next_request(lane, now);
            }
        }
    }

    /// Takes a connection from its lanes on which no further streams can be opened. Those that are open go on.
    pub(super) fn leave_link(&mut self, slot: usize) {
        let link = self.link(slot);
        link.waiting.clear();
        let lanes = link.lanes.clone();
        if self.link_of(lanes.start) != slot {
            return;
        }
        let mut is_needed = self.shares_connections();
        for lane in lanes.clone() {
            if matches!(self.conns[lane].state, ConnState::Idle | ConnState::Queued) {
                self.unlink(lane);
            }
            is_needed |= self.conns[lane].pending || !self.shares_connections() && !self.is_away(lane);
        }
        if is_needed {
            self.ask_connection(lanes.start);
        }
    }

    /// True when nobody sends anything on a lane before an event of the user.
    fn is_away(&self, lane: usize) -> bool {
        let user = self.user_of(lane);
        self.users.list[user].away || self.slot_of(user) != lane
    }

    /// Notes that a lane has no connection.
    pub(super) fn unlink(&mut self, lane: usize) {
        self.set_state(lane, ConnState::Missing);
        self.conns[lane].generation = self.conns[lane].generation.wrapping_add(1);
    }

    /// Closes a connection whose last stream has ended and on which no other one may be opened.
    pub(super) fn close_link_if_done(&mut self, slot: usize) {
        let link = self.link(slot);
        if link.http2.is_gone() && link.http2.open_streams() == 0 {
            self.recorder.record_close();
            self.close_link(slot, None);
        }
    }

    /// Closes a connection, without regard to its streams, and lets its twin take over.
    fn close_link(&mut self, slot: usize, flaw: Option<ProtocolFlaw>) {
        self.stamp_batch(slot);
        self.link(slot).http2.say_goodbye(flaw);
        self.push_bytes(slot).ok();
        self.leave_link(slot);
        let link = self.link(slot);
        link.unsent = 0;
        let lane = link.lanes.start;
        self.conns[slot].send_close_notify();
        self.set_state(slot, ConnState::Missing);
        self.conns[slot].close();
        // A connection that had to wait for one of its slots may be opened now.
        if self.link_of(lane) == slot || !self.is_linked(lane) {
            self.leave_link(self.link_of(lane));
        }
    }

    /// Ends a connection with everything in flight on it. Requests that the server had not begun to answer when it closed a connection that
    /// had worked are sent again, see [`Shard::handle_lost_connection`]; all others fail.
    pub(super) fn lose_link(&mut self, slot: usize, fault: Fault, flaw: Option<ProtocolFlaw>) {
        let may_resend = flaw.is_none() && self.conns[slot].answered > 0 && self.may_connect();
        let lanes = self.link(slot).lanes.clone();
        if self.link(slot).http2.open_streams() == 0 {
            self.recorder.record_close();
        }
        self.close_link(slot, flaw);
        let now = clock::now();
        for lane in lanes {
            let conn = &self.conns[lane];
            if conn.state != ConnState::Busy || conn.via != slot {
                continue;
            }
            if may_resend && conn.received == 0 && !conn.resent && self.idempotent[conn.picked.request] {
                self.send_again(lane, now);
            } else {
                self.fail_stream(lane, fault, now);
            }
        }
    }

    /// Records that a connection could not be opened, for each request that waits for it.
    pub(super) fn link_failed(&mut self, slot: usize, fault: Fault, now: Nanos) {
        self.link(slot).waiting.clear();
        self.set_state(slot, ConnState::Missing);
        self.conns[slot].close();
        let lanes = self.link(slot).lanes.clone();
        if self.shares_connections() && !lanes.clone().any(|lane| self.conns[lane].pending) {
            self.fail_waiting(lanes.start, fault, now);
        }
        for lane in lanes {
            if self.conns[lane].pending && self.fail_waiting(lane, fault, now) && self.play.is_some() {
                let user = self.user_of(lane);
                if !self.play_on(user, now) {
                    self.changes_server(lane, user, now);
                }
            }
        }
        self.conns[slot].since = now + super::connecting::REST;
        self.set_state(slot, ConnState::Resting);
    }

    /// True when a request waits for a stream.
    pub(super) fn is_waited(&self) -> bool {
        self.links.is_some() && self.conns.iter().any(|conn| conn.state == ConnState::Queued)
    }

    /// Waits for the end of the slice: nothing further is sent, so what waits for a stream is forgotten.
    pub(super) fn forget_waiting(&mut self) {
        let Some(first) = self.links.as_ref().map(|links| links.first) else { return };
        debug_assert!(self.stage == SliceStage::Draining);
        for slot in first..self.conns.len() {
            self.link(slot).waiting.clear();
        }
        for lane in 0..first {
            if self.conns[lane].state == ConnState::Queued {
                self.conns[lane].pending = false;
                self.set_state(lane, ConnState::Idle);
            }
        }
    }
}
