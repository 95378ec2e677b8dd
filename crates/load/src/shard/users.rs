//! [`ShardUsers`]: the users of a closed model. They start, think between requests, and stop after their iterations.

use super::{Shard, SliceStage};
use crate::conn::ConnState;
use crate::random::RandomStream;
use crate::request_picker::OrderPosition;
use model::units::Nanos;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use traffic::plan::{Plan, Reuse, Think};

/// The users of one shard. Unless they share a pool of connections, user and slot have the same number; see [`Shard`] for users who
/// play sessions.
#[derive(Debug)]
pub(super) struct ShardUsers {
    pub(super) list: Vec<User>,
    /// When each user continues that thinks or has not started yet: time and number of the user, the earliest first.
    pub(super) wakes: BinaryHeap<Reverse<(Nanos, usize)>>,
    /// The queue of users that wait for a connection of the pool; `None` without a pool.
    pub(super) pool: Option<VecDeque<WaitingUser>>,
    /// Number of users that have done all their iterations.
    done: usize,
    /// Think times.
    random: RandomStream,
}

/// The state of one user within a slice.
#[derive(Clone, Debug, Default)]
pub(super) struct User {
    /// Its position in the plan's order of requests.
    pub(super) position: OrderPosition,
    /// The user thinks or has not started yet, so nothing may be sent for it.
    pub(super) away: bool,
    /// The user has done all its iterations.
    done: bool,
}

/// A user in the queue for a shared connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct WaitingUser {
    /// Its number.
    pub(super) user: usize,
    /// Since when it waits, which is the due time of its request.
    pub(super) since: Nanos,
}

impl ShardUsers {
    /// Takes the memory for as many users.
    pub(super) fn new(plan: &Plan, users: usize, shard: usize) -> Self {
        Self {
            list: vec![User::default(); users],
            wakes: BinaryHeap::with_capacity(users),
            pool: matches!(plan.reuse, Reuse::Pool(_)).then(|| VecDeque::with_capacity(users)),
            done: 0,
            random: RandomStream::new(plan.seed, u64::MAX / 2 - shard as u64),
        }
    }

    /// Resets the users for a slice that begins at `start`, and spreads their starts over the plan's ramp.
    pub(super) fn prepare(&mut self, plan: &Plan, start: Nanos, shard: usize) {
        self.wakes.clear();
        self.done = 0;
        let total = plan.arrivals.connections() as u128;
        for (index, user) in self.list.iter_mut().enumerate() {
            user.done = false;
            user.away = plan.users.ramp > Nanos(0);
            user.position.iterations = 0;
            if user.away {
                let number = (index * plan.shards + shard) as u128;
                let delay = u128::from(plan.users.ramp.0) * number / total;
                self.wakes.push(Reverse((start + Nanos(delay as u64), index)));
            }
        }
        if let Some(waiting) = &mut self.pool {
            waiting.clear();
            let present = self.list.iter().enumerate().filter(|(_, user)| !user.away);
            waiting.extend(present.map(|(user, _)| WaitingUser { user, since: start }));
        }
    }

    /// The time at which the next user continues; `None` when none thinks or has still to start.
    pub(super) fn next_wake(&self) -> Option<Nanos> {
        self.wakes.peek().map(|&Reverse((at, _))| at)
    }

    /// True when all users have done their iterations.
    pub(super) fn all_done(&self) -> bool {
        self.done == self.list.len()
    }
}

impl Shard {
    /// True when any connection may send any request (an open model, or users with a pool). Otherwise each connection belongs
    /// to one user.
    pub(super) fn shares_connections(&self) -> bool {
        self.open.is_some() || self.users.pool.is_some()
    }

    /// True when the next request of this user may be sent in this slice.
    pub(super) fn may_claim(&self, user: usize) -> bool {
        self.stage != SliceStage::Draining
            && self.requests_left != Some(0)
            && self.has_step(user)
            && !self.has_done_all_iterations(user)
    }

    /// True when the plan limits iterations, and the user has completed that many.
    fn has_done_all_iterations(&self, user: usize) -> bool {
        if self.play.is_some() {
            return self.has_played_all(user);
        }
        let position = &self.users.list[user].position;
        position.turn == 0 && self.plan.users.iterations.is_some_and(|most| position.iterations >= most)
    }

    /// Lets a user whose response is complete think, or stop if it may send nothing more. Returns false when the user sends
    /// its next request at once.
    pub(super) fn pause_user(&mut self, user: usize, now: Nanos) -> bool {
        if self.play.is_some() {
            return self.play_on(user, now);
        }
        if !self.may_claim(user) {
            self.retire_user(user);
            return true;
        }
        if self.plan.users.think != Think::None && !self.plan.hurry {
            let think = self.users.random.think(&self.plan.users.think);
            self.users.wakes.push(Reverse((now + think, user)));
            self.users.list[user].away = true;
            return true;
        }
        false
    }

    /// Counts a user as done if it has done all its iterations.
    pub(super) fn retire_user(&mut self, user: usize) {
        if self.has_done_all_iterations(user) && !self.users.list[user].done {
            self.users.list[user].done = true;
            self.users.done += 1;
            if let Some(play) = &self.play {
                play.shared.user_is_done(self.index, user);
            }
        }
    }

    /// Lets the users continue whose think time or ramp delay is over.
    pub(super) fn wake_users(&mut self, now: Nanos) {
        while let Some(&Reverse((at, user))) = self.users.wakes.peek()
            && at <= now
        {
            self.users.wakes.pop();
            self.users.list[user].away = false;
            if self.play.is_some() {
                self.wake_player(user, at);
                continue;
            }
            if !self.may_claim(user) {
                self.retire_user(user);
                continue;
            }
            if let Some(waiting) = &mut self.users.pool {
                waiting.push_back(WaitingUser { user, since: at });
                continue;
            }
            self.claim(user, at);
            match self.conns[user].state {
                ConnState::Idle => self.send_now(user),
                ConnState::Missing => self.ask_connection(user),
                _ => {}
            }
        }
    }

    /// Puts a user of the pool whose response is complete at the end of the queue, unless it thinks or stops.
    pub(super) fn requeue_user(&mut self, user: usize, now: Nanos) {
        if !self.pause_user(user, now)
            && let Some(waiting) = &mut self.users.pool
        {
            waiting.push_back(WaitingUser { user, since: now });
        }
    }

    /// True when no request is left to be sent or in flight, so that the slice may end before its window does.
    pub(super) fn has_nothing_left(&self) -> bool {
        let no_more = self.requests_left == Some(0) || self.open.is_none() && self.users.all_done();
        no_more && self.busy == 0 && !self.conns.iter().any(|conn| conn.pending)
    }
}
