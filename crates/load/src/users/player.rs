//! [`Player`]: the state of one user; [`World`]: what the users of one event loop share.

use super::Traffic;
use super::answer::MatchList;
use super::cookies::CookieJar;
use super::patterns::Patterns;
use crate::random::RandomStream;
use model::units::Nanos;
use traffic::plan::Plan;
use traffic::scenario::StepFailure;

/// A variable of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) set: bool,
    pub(crate) text: Vec<u8>,
}

impl Variable {
    /// Sets it, in the memory that it has.
    pub(crate) fn put(&mut self, text: &[u8]) {
        self.set = true;
        self.text.clear();
        self.text.extend_from_slice(text);
    }
}

/// A list of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ValueList {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl ValueList {
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    pub(crate) fn push(&mut self, value: &[u8]) {
        self.text.extend_from_slice(value);
        self.ends.push(self.text.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The value of this number, from 0.
    pub(crate) fn get(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends.get(index)?;
        let from = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.text[from..end])
    }
}

/// A transaction that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenTransaction {
    pub(crate) step: usize,
    pub(crate) begun: Nanos,
    /// The pauses in it so far, where they are not part of its time.
    pub(crate) paused: Nanos,
    pub(crate) with_pauses: bool,
    /// Whether the requests within it have no measures of their own.
    pub(crate) alone: bool,
    pub(crate) ok: bool,
}

/// The request that a user sends or has sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sending {
    /// Its index.
    pub(crate) request: usize,
    /// The number of the server to which it goes, see [`traffic::plan::Plan::targets`].
    pub(crate) server: usize,
    /// When the step was due; where redirects were followed, its first request.
    pub(crate) due: Nanos,
    /// How many redirects may still be followed.
    pub(crate) redirects_left: u32,
    /// Where a redirect led; empty for the request of the step itself.
    pub(crate) location: Vec<u8>,
    /// Whether the redirect is followed by a GET without body.
    pub(crate) as_get: bool,
    /// The request with the answer to a challenge; empty where there was none.
    pub(crate) answering: Vec<u8>,
}

/// A user who waits for others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    /// Its number among those who have come, from 1.
    pub(crate) turn: u64,
    pub(crate) since: Nanos,
}

/// The state of one user.
#[derive(Clone, Debug)]
pub(crate) struct Player {
    /// Its number among all users of the load, from 0.
    pub(crate) number: u64,
    pub(crate) group: usize,
    /// Its next operation.
    pub(crate) place: usize,
    pub(crate) states: Vec<u64>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) lists: Vec<ValueList>,
    /// Variables that only scripts name, by names that they compute.
    pub(crate) named: Vec<(String, String)>,
    /// How many numbers it took from each counter of its own.
    pub(crate) counters: Vec<u64>,
    /// How many rows it took from each source that gives it its own rows.
    pub(crate) cursors: Vec<u64>,
    /// When each pacer of its own lets it go on.
    pub(crate) paces: Vec<Nanos>,
    pub(crate) jar: CookieJar,
    pub(crate) open: Vec<OpenTransaction>,
    pub(crate) random: RandomStream,
    /// Iterations begun in this slice, and in all.
    pub(crate) iterations: u64,
    pub(crate) all_iterations: u64,
    /// The number of the present iteration among all.
    pub(crate) session: u64,
    /// Whether an iteration was begun and has not ended.
    pub(crate) in_session: bool,
    pub(crate) last_ok: bool,
    /// The status of the last answer; 0 where there was none.
    pub(crate) last_status: u16,
    pub(crate) sending: Sending,
    /// It waits for other users.
    pub(crate) waiting: Option<Waiting>,
    /// When its last answer arrived, or its last pause ended.
    pub(crate) ended: Nanos,
    /// The next request is not to be sent on the connection of the session before.
    pub(crate) wants_new_connection: bool,
    /// A request was fixed and not sent yet.
    pub(crate) has_request: bool,
    /// It begins no request from this time on.
    pub(crate) ends: Nanos,
    pub(crate) done: bool,
}

impl Player {
    /// A user of this number and group.
    pub(crate) fn new(shared: &Traffic, plan: &Plan, number: u64, group: usize) -> Self {
        let program = shared.program();
        Self {
            number,
            group,
            place: shared.flat.entries[group],
            states: vec![0; shared.flat.states],
            variables: shared.initial.clone(),
            lists: vec![ValueList::default(); program.lists.len()],
            named: Vec::new(),
            counters: vec![0; program.counters.len()],
            cursors: vec![0; program.data.len()],
            paces: vec![Nanos(0); program.pacers.len()],
            jar: CookieJar::default(),
            open: Vec::new(),
            random: RandomStream::new(plan.seed, u64::MAX / 4 - number),
            iterations: 0,
            all_iterations: 0,
            session: 0,
            in_session: false,
            last_ok: true,
            last_status: 0,
            sending: Sending::default(),
            waiting: None,
            ended: Nanos(0),
            wants_new_connection: false,
            has_request: false,
            ends: Nanos(u64::MAX),
            done: false,
        }
    }

    /// Lets the user begin a session of this group.
    pub(crate) fn begin_in(&mut self, group: usize, shared: &Traffic) {
        self.group = group;
        self.place = shared.flat.entries[group];
        self.in_session = false;
        self.open.clear();
    }

    /// Whether the step that it is at has measures of its own.
    pub(crate) fn has_own_measures(&self) -> bool {
        !self.open.iter().any(|transaction| transaction.alone)
    }
}

/// A step that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StepSample {
    pub(crate) step: usize,
    pub(crate) took: Nanos,
    pub(crate) ok: bool,
}

/// What the users of one event loop share.
#[derive(Debug)]
pub(crate) struct World {
    /// How many numbers were taken from each counter that users share.
    pub(crate) counters: Vec<u64>,
    /// How many rows were taken from each source, by group.
    pub(crate) cursors: Vec<Vec<u64>>,
    /// Numbers of controllers that count all users together.
    pub(crate) states: Vec<u64>,
    /// When each shared pacer lets the next user go on.
    pub(crate) paces: Vec<Nanos>,
    /// When the load began.
    pub(crate) began: Nanos,
    /// Iterations begun.
    pub(crate) sessions: u64,
    pub(crate) patterns: Patterns,
    /// Memory for texts that are rendered and thrown away.
    pub(crate) buffers: Vec<Vec<u8>>,
    /// Memory for what extractors find.
    pub(crate) matches: MatchList,
    /// Transactions that have ended and are not recorded yet, and requests that were not sent.
    pub(crate) ended: Vec<StepSample>,
    /// The steps and URLs of requests that were not sent, and why.
    pub(crate) unsent: Vec<(usize, String, StepFailure)>,
    /// The number of this event loop among all of all machines, and how many there are.
    pub(crate) index: u64,
    pub(crate) of: u64,
}

impl World {
    /// For one event loop of the plan.
    pub(crate) fn new(shared: &Traffic, plan: &Plan, shard: usize) -> Self {
        let program = shared.program();
        Self {
            counters: vec![0; program.counters.len()],
            cursors: vec![vec![0; program.groups.len()]; program.data.len()],
            states: vec![0; shared.flat.shared],
            paces: vec![Nanos(0); program.pacers.len()],
            began: Nanos(0),
            sessions: 0,
            patterns: Patterns::default(),
            buffers: Vec::new(),
            matches: MatchList::default(),
            ended: Vec::new(),
            unsent: Vec::new(),
            index: plan.share.index + plan.share.of * shard as u64,
            of: plan.share.of * plan.shards as u64,
        }
    }

    /// The place in a sequence that all event loops share: each takes every so many-th.
    pub(crate) const fn nth(&self, taken: u64) -> u64 {
        self.index + taken * self.of
    }
}
