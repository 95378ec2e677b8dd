//! [`Play`]: the users of a shard who play sessions of steps.

use super::connecting::connection_failure;
use super::exchange::why_wrong;
use super::open::OpenSchedule;
use super::{Shard, SliceStage};
use crate::Fault;
use crate::clock;
use crate::conn::ConnState;
use crate::http1::FinishedResponse;
use crate::steps::StepEnd;
use crate::users::{Answer, Env, Judged, Moment, NextDeed, Player, Traffic, World, decoded};
use model::units::Nanos;
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;
use traffic::plan::Plan;
use traffic::scenario::{FirstFailure, StepFailure};

/// The pause of users in a hurry. It is not 0, because users whose loops have nothing but pauses would never let others go on.
const SHORTEST_PAUSE: Nanos = Nanos::from_millis(1);

/// The users of a shard who play sessions of steps.
#[derive(Debug)]
pub(super) struct Play {
    pub(super) shared: Arc<Traffic>,
    world: World,
    pub(super) players: Vec<Player>,
    /// Where sessions begin at a rate: users who have no session, the one that has been free longest first.
    idle: VecDeque<usize>,
    /// When sessions are due, where they begin at a rate.
    pub(super) due: Option<OpenSchedule>,
    /// The pauses that began between the edges of the slice, in all.
    paused: Nanos,
    /// Sessions that this shard began.
    begun: u64,
    /// The stages of users that were begun, where the program has users of its own.
    stages_begun: usize,
    /// Sessions that began before the counted window, and sessions that began in it.
    begun_before: u64,
    counted: u64,
    /// When the last slice ended; what was left of pauses then is left at the start of the next slice.
    stopped_at: Option<Nanos>,
}

impl Play {
    /// The users of this shard.
    pub(super) fn new(shared: Arc<Traffic>, plan: &Plan, shard: usize) -> Self {
        let players = shared.players(shard);
        let mut world = World::new(&shared, plan, shard);
        world.reserve(8, 1024);
        Self {
            world,
            idle: VecDeque::with_capacity(players.len()),
            players,
            due: None,
            paused: Nanos(0),
            begun: 0,
            stages_begun: 0,
            begun_before: 0,
            counted: 0,
            stopped_at: None,
            shared,
        }
    }

    /// A user, and what it acts in.
    fn env(&mut self, user: usize) -> Env<'_> {
        Env { shared: &self.shared, world: &mut self.world, player: &mut self.players[user] }
    }

    /// The number of the connection of a user on which its present request goes: that of its server, or behind all `servers` the one of
    /// WebSocket.
    pub(super) fn line_of(&self, user: usize, servers: usize) -> usize {
        let sending = &self.players[user].sending;
        if self.shared.is_of_web_socket(sending.request) { servers } else { sending.server }
    }

    /// When the next session is due that a free user could begin; `None` if there is none.
    pub(super) fn next_session(&self) -> Option<Nanos> {
        let due = self.due.as_ref().filter(|_| !self.idle.is_empty());
        due.and_then(OpenSchedule::next_due)
    }
}

impl Shard {
    /// Prepares the users for a slice that begins at `start`: each is woken when it starts, or goes on where it was.
    pub(super) fn prepare_play(&mut self, start: Nanos) {
        let Some(play) = &mut self.play else { return };
        let mut resumes: Vec<Option<Nanos>> = vec![None; play.players.len()];
        if let Some(stopped_at) = play.stopped_at {
            resumes.fill(Some(Nanos(0)));
            for Reverse((at, user)) in self.users.wakes.drain() {
                resumes[user] = Some(at.since(stopped_at));
            }
        }
        self.users.prepare(&self.plan, start, self.index);
        let ramp: Vec<_> = self.users.wakes.drain().collect();
        let mut delays = vec![start; play.players.len()];
        ramp.into_iter().for_each(|Reverse((at, user))| delays[user] = at);
        play.world.began = start;
        play.due = OpenSchedule::new(&self.plan, start, self.index, self.slices);
        play.idle.clear();
        for (number, player) in play.players.iter_mut().enumerate() {
            player.iterations = u64::from(player.in_session);
            player.done = false;
            self.users.list[number].away = true;
            if play.shared.course_of(self.index, number).is_some() {
                continue;
            }
            if play.due.is_some() && !player.in_session {
                play.idle.push_back(number);
                continue;
            }
            let at = resumes[number].map_or(delays[number], |rest| start + rest);
            self.users.wakes.push(Reverse((at, number)));
        }
    }

    /// Begins each stage whose turn has come: its users start when all users before them are done.
    pub(super) fn begin_stages(&mut self, now: Nanos) {
        let Some(play) = &mut self.play else { return };
        while play.stages_begun <= play.shared.present_stage() {
            for user in 0..play.players.len() {
                let course = play.shared.course_of(self.index, user).copied();
                if let Some(course) = course.filter(|course| course.stage == play.stages_begun) {
                    play.players[user].ends = course.ends.map_or(Nanos(u64::MAX), |ends| now + ends);
                    self.users.wakes.push(Reverse((now + course.starts, user)));
                }
            }
            play.stages_begun += 1;
        }
    }

    /// Remembers when the slice ended. Returns the mean pause before one of so many requests.
    pub(super) fn stop_play(&mut self, now: Nanos, requests: u64) -> Option<Nanos> {
        let play = self.play.as_mut()?;
        play.stopped_at = Some(now);
        let paused = std::mem::take(&mut play.paused);
        Some(Nanos(paused.0 / requests.max(1)))
    }

    /// True when a user has fixed a request that was not sent yet.
    pub(super) fn has_step(&self, user: usize) -> bool {
        self.play.as_ref().is_none_or(|play| play.players[user].has_request)
    }

    /// True when a user has done all that it had to do.
    pub(super) fn has_played_all(&self, user: usize) -> bool {
        self.play.as_ref().is_some_and(|play| play.players[user].done)
    }

    /// Lets a user go on. Returns false when it sends its next request at once.
    pub(super) fn play_on(&mut self, user: usize, now: Nanos) -> bool {
        let Some(play) = &mut self.play else { return true };
        if play.shared.is_stopped() {
            self.requests_left = Some(0);
        }
        if self.stage == SliceStage::Draining || self.requests_left == Some(0) {
            return true;
        }
        if play.players[user].has_request {
            return false;
        }
        let ended = play.players[user].ended;
        let moment = Moment { now, ended };
        let most = self.plan.users.iterations;
        let deed = play.env(user).advance(moment, most);
        for sample in play.world.ended.drain(..) {
            self.recorder.record_step(&StepEnd {
                step: sample.step,
                took: sample.took,
                fault: (!sample.ok).then_some(Fault::FailedCheck),
            });
        }
        for (step, url, why) in play.world.unsent.drain(..) {
            let first = || FirstFailure { request: url, why, answer: String::new() };
            self.recorder.keep_failure(step, first);
        }
        match deed {
            NextDeed::Request => return false,
            NextDeed::Pause(length) => {
                let length = match self.plan.hurry {
                    true => length.min(SHORTEST_PAUSE),
                    false => length,
                };
                if self.stage == SliceStage::Counting {
                    play.paused = play.paused + length;
                }
                self.users.wakes.push(Reverse((now + length, user)));
            }
            NextDeed::Finished if play.due.is_none() => {
                self.retire_user(user);
                return true;
            }
            NextDeed::SessionEnded | NextDeed::Finished => {
                play.players[user].done = false;
                play.players[user].in_session = false;
                play.idle.push_back(user);
            }
        }
        self.users.list[user].away = true;
        true
    }

    /// Lets a user go on whose pause is over or who starts now.
    pub(super) fn wake_player(&mut self, user: usize, at: Nanos) {
        if let Some(play) = &mut self.play {
            play.players[user].ended = at;
        }
        if !self.play_on(user, at) {
            self.send_step(user, at);
        }
    }

    /// Sends the request that a user has fixed, on its connection to the server or on a new one.
    pub(super) fn send_step(&mut self, user: usize, due: Nanos) {
        let slot = self.slot_of(user);
        self.claim(slot, due);
        let is_new_user = self.wants_new_connection(user);
        match self.conns[slot].state {
            ConnState::Idle if is_new_user && !self.is_lane(slot) => self.reconnect(slot),
            ConnState::Idle => self.send_now(slot),
            ConnState::Missing => self.ask_connection(slot),
            _ => {}
        }
    }

    /// True once when a user begins a session that must not use the connections of the one before. Those to other servers are closed.
    pub(super) fn wants_new_connection(&mut self, user: usize) -> bool {
        let Some(play) = &mut self.play else { return false };
        let is_new_user = std::mem::take(&mut play.players[user].wants_new_connection);
        if is_new_user {
            self.close_other_connections(user);
        }
        is_new_user
    }

    /// Begins the sessions that are due, as long as there are free users.
    pub(super) fn begin_sessions(&mut self) {
        while self.stage != SliceStage::Draining {
            let Some(play) = &mut self.play else { return };
            let now = clock::now();
            let Some(due) = play.next_session().filter(|&due| due <= now) else {
                return;
            };
            let (Some(user), Some(schedule)) = (play.idle.pop_front(), &mut play.due) else {
                return;
            };
            schedule.take();
            let session = play.world.nth(play.begun);
            play.begun += 1;
            let group = play.shared.group_of_session(session);
            play.players[user].begin_in(group, &play.shared);
            self.users.list[user].away = false;
            self.wake_player(user, due);
        }
    }

    /// Fixes that a slot sends the request of its user, and makes the bytes.
    pub(super) fn claim_step(&mut self, slot: usize, due: Nanos) {
        let Some(play) = &mut self.play else { return };
        let conn = &mut self.conns[slot];
        let user = conn.user;
        conn.picked.request = play.players[user].sending.request;
        let timeout = play.env(user).timeout();
        conn.rendered.clear();
        play.env(user).write_request(&mut conn.rendered);
        if let Some(channel) = &mut conn.channel {
            conn.server = play.players[user].sending.server;
            play.env(user).write_awaited(&mut channel.wanted);
        }
        self.requests_left = self.requests_left.map(|left| left.saturating_sub(1));
        conn.due = due;
        conn.pending = true;
        conn.resent = false;
        self.conns[slot].timeout = self.reading_time(slot).or(timeout);
    }

    /// Notes that the request of a user is on its way.
    pub(super) fn step_sent(&mut self, slot: usize) {
        if let Some(play) = &mut self.play {
            play.players[self.conns[slot].user].has_request = false;
        }
    }

    /// True when the request of a user said that its connection carries no other one. The server closes it then, whether or not its
    /// answer says so (RFC 9112 section 9.6).
    pub(super) fn asked_to_close(&self, user: usize) -> bool {
        self.play.as_ref().is_some_and(|play| play.shared.closes_after(play.players[user].sending.request))
    }

    /// Judges a complete answer: what it sets and whether it is right. Returns the fault of a wrong one.
    pub(super) fn judge_step(
        &mut self,
        slot: usize,
        response: &FinishedResponse,
        arrived: Nanos,
    ) -> Option<Fault> {
        let play = self.play.as_mut()?;
        let conn = &self.conns[slot];
        let user = conn.user;
        let request = &self.plan.requests[conn.picked.request];
        let head = conn.codec.reply().kept_head();
        let body = decoded(head, conn.codec.reply().kept_body());
        let answer = Answer {
            status: response.status,
            head,
            body: &body,
            request: &conn.rendered,
            took: arrived.since(conn.sent),
        };
        let judged = play.env(user).judge(&answer);
        let player = &mut play.players[user];
        player.ended = arrived;
        let failure = match judged {
            Judged::Redirect => {
                player.has_request = true;
                return None;
            }
            Judged::Right => response.wrong.map(|fault| why_wrong(fault, response, request)),
            Judged::Wrong(failure) => Some(failure),
        };
        let fault = failure.as_ref().map(fault_of);
        let step = play.shared.step_of(player.sending.request);
        player.last_ok = fault.is_none();
        if player.has_own_measures() {
            self.recorder.record_step(&StepEnd { step, took: arrived.since(player.sending.due), fault });
        }
        if let Some(failure) = failure {
            let first = || answer.first_failure(failure);
            self.recorder.keep_failure(step, first);
            play.env(user).fail(arrived);
        }
        fault
    }

    /// Notes that no complete answer came.
    pub(super) fn fail_step(&mut self, slot: usize, fault: Fault, now: Nanos) {
        let carrier = self.carrier(slot);
        let Some(play) = &mut self.play else { return };
        let (conn, carrier) = (&self.conns[slot], &self.conns[carrier]);
        let player = &mut play.players[conn.user];
        player.has_request = false;
        player.ended = now;
        player.last_ok = false;
        player.last_status = 0;
        let step = play.shared.step_of(player.sending.request);
        if player.has_own_measures() {
            self.recorder.record_step(&StepEnd {
                step,
                took: now.since(player.sending.due),
                fault: Some(fault),
            });
        }
        let answer =
            Answer { status: 0, head: &[], body: &[], request: &conn.rendered, took: now.since(conn.sent) };
        let target = &self.servers[carrier.server].target;
        let of_connection = connection_failure(carrier, target, self.plan.connect_timeout);
        let why = || match &of_connection {
            Some(told) => told(),
            None => StepFailure::NoAnswer(fault.id().to_owned()),
        };
        self.recorder.keep_failure(step, || answer.first_failure(why()));
        play.env(conn.user).fail(now);
    }

    /// Begins to count the sessions that begin.
    pub(super) fn begin_counting_sessions(&mut self) {
        if let Some(play) = &mut self.play {
            play.begun_before = play.world.sessions;
        }
    }

    /// Ends the count of sessions; sessions due from now on do not belong to the slice.
    pub(super) fn end_counting_sessions(&mut self, now: Nanos) {
        let Some(play) = &mut self.play else { return };
        play.counted = play.world.sessions - play.begun_before;
        if let Some(schedule) = &mut play.due {
            schedule.end = now;
        }
    }

    /// The sessions that began in the counted window.
    pub(super) fn counted_sessions(&self) -> u64 {
        self.play.as_ref().map_or(0, |play| play.counted)
    }

    /// Records the sessions that were due in the slice and that no user was free for, with the time for which each has waited.
    pub(super) fn give_up_sessions(&mut self, now: Nanos) {
        let Some(schedule) = self.play.as_mut().and_then(|play| play.due.as_mut()) else {
            return;
        };
        while let Some(due) = schedule.next_due() {
            schedule.take();
            self.recorder.record_unsent(due, now);
        }
    }

    /// Counts the sessions that are due, and ends the slice if too many of them wait.
    pub(super) fn count_sessions(&mut self, now: Nanos) {
        let Some(schedule) = self.play.as_mut().and_then(|play| play.due.as_mut()) else {
            return;
        };
        schedule.count_due(now);
        let waiting = schedule.offered - schedule.taken.min(schedule.offered);
        self.overloaded |= self.stage != SliceStage::Draining && waiting > schedule.max_outstanding;
    }
}

/// The fault under which a failure is counted.
fn fault_of(failure: &StepFailure) -> Fault {
    match failure {
        StepFailure::Status(_) => Fault::WrongStatus,
        StepFailure::NotExtracted(_) => Fault::NotExtracted,
        StepFailure::Text { .. }
        | StepFailure::Json { .. }
        | StepFailure::NoXml(_)
        | StepFailure::XPath { .. }
        | StepFailure::Size { .. }
        | StepFailure::Grpc(_)
        | StepFailure::Body(_) => Fault::WrongBody,
        StepFailure::Events { .. } => Fault::WrongEvents,
        StepFailure::GrpcStatus { .. } => Fault::WrongGrpcStatus,
        StepFailure::NotHttp | StepFailure::Surplus(_) | StepFailure::WebSocket(_) => Fault::Malformed,
        StepFailure::Tls(_) => Fault::Tls,
        StepFailure::NotConnected { .. } => Fault::ConnectFailed,
        StepFailure::ConnectTooSlow { .. } => Fault::ConnectTimeout,
        StepFailure::ConnectionLost { .. } => Fault::Reset,
        StepFailure::WebSocketClosed { .. } => Fault::WebSocketClosed,
        StepFailure::OtherMessages(_) => Fault::ResponseTimeout,
        StepFailure::NoAnswer(_)
        | StepFailure::NoHeader(_)
        | StepFailure::Script(_)
        | StepFailure::TooSlow { .. }
        | StepFailure::TooManyRedirects
        | StepFailure::UrlElsewhere(_)
        | StepFailure::IllegalUrl { .. }
        | StepFailure::RedirectElsewhere(_) => Fault::FailedCheck,
    }
}
