//! The users of a closed model: when each begins, how long it thinks, when it is done.

use super::{Shard, Stage};
use crate::conn::Phase;
use crate::random::Random;
use crate::workload::Place;
use model::plan::{Plan, Reuse, Think};
use model::units::Nanos;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A shard's users. Each has the connection of its own number, unless they share a pool.
#[derive(Debug)]
pub(super) struct Crowd {
    pub(super) users: Vec<User>,
    /// When users that think, or have not begun yet, go on.
    wakes: BinaryHeap<Reverse<(Nanos, usize)>>,
    /// Users that share connections and wait for one, each with when it began to.
    pub(super) pool: Option<VecDeque<(Nanos, usize)>>,
    done: usize,
    random: Random,
}

#[derive(Clone, Debug, Default)]
pub(super) struct User {
    pub(super) place: Place,
    /// Not to be disturbed: it thinks or has not begun yet.
    pub(super) away: bool,
    done: bool,
}

impl Crowd {
    pub(super) fn new(plan: &Plan, users: usize, shard: usize) -> Self {
        Self {
            users: vec![User::default(); users],
            wakes: BinaryHeap::with_capacity(users),
            pool: matches!(plan.reuse, Reuse::Pool(_)).then(|| VecDeque::with_capacity(users)),
            done: 0,
            random: Random::new(plan.seed, u64::MAX / 2 - shard as u64),
        }
    }

    /// A slice begins.
    pub(super) fn prepare(&mut self, plan: &Plan, start: Nanos, shard: usize) {
        self.wakes.clear();
        self.done = 0;
        let total = plan.arrivals.connections() as u128;
        for (index, user) in self.users.iter_mut().enumerate() {
            (user.done, user.away, user.place.iterations) = (false, plan.users.ramp > Nanos(0), 0);
            if user.away {
                let number = (index * plan.shards + shard) as u128;
                let after = u128::from(plan.users.ramp.0) * number / total;
                self.wakes.push(Reverse((start + Nanos(after as u64), index)));
            }
        }
        if let Some(waiting) = &mut self.pool {
            waiting.clear();
            let here = self.users.iter().enumerate().filter(|(_, user)| !user.away);
            waiting.extend(here.map(|(index, _)| (start, index)));
        }
    }

    /// When the next user goes on.
    pub(super) fn next_wake(&self) -> Option<Nanos> {
        self.wakes.peek().map(|&Reverse((at, _))| at)
    }

    /// All users have done their iterations.
    pub(super) fn all_done(&self) -> bool {
        self.done == self.users.len()
    }
}

impl Shard {
    /// Whether slots take whatever request is next, rather than belong to one user each.
    pub(super) fn shared(&self) -> bool {
        self.open.is_some() || self.crowd.pool.is_some()
    }

    /// Whether that user's next request may be sent.
    pub(super) fn may_claim(&self, user: usize) -> bool {
        self.stage != Stage::Draining && self.left != Some(0) && !self.finished(user)
    }

    fn finished(&self, user: usize) -> bool {
        let place = &self.crowd.users[user].place;
        place.turn == 0
            && self
                .plan
                .users
                .iterations
                .is_some_and(|most| place.iterations >= most)
    }

    /// A user has its answer. True when it asks nothing more for now: it is done, or thinks.
    pub(super) fn pause(&mut self, user: usize, now: Nanos) -> bool {
        if !self.may_claim(user) {
            self.retire(user);
            return true;
        }
        if self.plan.users.think != Think::None {
            let think = self.crowd.random.think(&self.plan.users.think);
            self.crowd.wakes.push(Reverse((now + think, user)));
            self.crowd.users[user].away = true;
            return true;
        }
        false
    }

    /// A user asks nothing more in this slice.
    pub(super) fn retire(&mut self, user: usize) {
        if self.finished(user) && !self.crowd.users[user].done {
            self.crowd.users[user].done = true;
            self.crowd.done += 1;
        }
    }

    /// Users whose time has come go on.
    pub(super) fn wake_users(&mut self, now: Nanos) {
        while let Some(&Reverse((at, user))) = self.crowd.wakes.peek()
            && at <= now
        {
            self.crowd.wakes.pop();
            self.crowd.users[user].away = false;
            if !self.may_claim(user) {
                self.retire(user);
                continue;
            }
            if let Some(waiting) = &mut self.crowd.pool {
                waiting.push_back((at, user));
                continue;
            }
            self.claim(user, at);
            match self.conns[user].phase {
                Phase::Idle => self.start_now(user),
                Phase::Missing => self.missing.push(user),
                _ => {}
            }
        }
    }

    /// What a pool's slot does when its user has its answer: the user goes on or to the end of the queue.
    pub(super) fn requeue(&mut self, user: usize, now: Nanos) {
        if !self.pause(user, now)
            && let Some(waiting) = &mut self.crowd.pool
        {
            waiting.push_back((now, user));
        }
    }

    /// Nothing is left to do before the window's end.
    pub(super) fn over(&self) -> bool {
        let no_more = self.left == Some(0) || self.open.is_none() && self.crowd.all_done();
        no_more && self.busy == 0 && !self.conns.iter().any(|conn| conn.pending)
    }
}
