//! How a user goes from one request to the next: operations are done until one sends a request, waits or ends.

use super::flat::{AfterFailure, Counting, Exit, ForEach, Op, Place};
use super::player::{OpenTransaction, Sending, StepSample};
use super::render::Env;
use super::write::illegal_in_url;
use model::units::Nanos;
use std::borrow::Cow;
use traffic::scenario::{
    AtEnd, Cookies, Expr, ExprHost as _, Pause, PauseTerm, RowSharing, ShareOf, StepFailure, Times,
    UrlInPath, java_path, push_number,
};

/// After so many operations without a request or a pause a user rests, so that a loop without either does not stop the load.
const MOST_OPS: usize = 10_000;
/// How long it rests then.
const REST: Nanos = Nanos::from_millis(1);

/// What a user does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextDeed {
    /// It sends the request that was fixed.
    Request,
    /// It waits so long.
    Pause(Nanos),
    /// A session that began at a rate has ended; the user is free for the next one.
    SessionEnded,
    /// It has done all that it had to do.
    Finished,
}

/// The moment at which a user goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// When its next request is due.
    pub(crate) now: Nanos,
    /// When the last answer arrived, or its last pause ended.
    pub(crate) ended: Nanos,
}

impl Env<'_> {
    /// Does operations until one of them takes time. `most` is the number of iterations that the load profile gives a user.
    pub(crate) fn advance(&mut self, moment: Moment, most: Option<u64>) -> NextDeed {
        for _ in 0..MOST_OPS {
            if self.player.done || moment.now >= self.player.ends {
                return self.finished();
            }
            if !self.player.in_session {
                if self.has_done_all(most) {
                    return self.finished();
                }
                self.begin_session();
            }
            let shared = self.shared;
            let op = &shared.flat.ops[self.player.place];
            self.player.place += 1;
            if let Some(deed) = self.operate(op, moment) {
                return deed;
            }
        }
        NextDeed::Pause(REST)
    }

    /// Does an operation. Returns what the user does next where it takes time or ends something.
    fn operate(&mut self, op: &Op, moment: Moment) -> Option<NextDeed> {
        match op {
            Op::Request(request) => return self.fix_request(*request, moment.now),
            Op::Pause(pause) => {
                let length = self.length_of(pause, moment.now);
                if pause.stops_at_end && moment.now + length >= self.player.ends {
                    return Some(self.finished());
                }
                return (length > Nanos(0)).then(|| self.pause(length));
            }
            Op::Script(snippet) => {
                let sleep = self.run_between(snippet);
                return (sleep > Nanos(0)).then(|| self.pause(sleep));
            }
            Op::Meet(meeting) => {
                let length = self.meet(meeting, moment.now)?;
                self.player.place -= 1;
                return Some(self.pause(length));
            }
            Op::EndIteration => {
                self.end_iteration();
                return self.shared.begins_sessions_at_a_rate.then_some(NextDeed::SessionEnded);
            }
            Op::StopUser => return Some(self.finished()),
            Op::StopRun => {
                self.shared.stop();
                return Some(self.finished());
            }
            Op::EnterRuntime { state, seconds } => {
                let seconds = Nanos::from_secs_f64(self.fraction(seconds).max(0.0));
                self.player.states[*state] = (moment.now + seconds).0;
            }
            &Op::LeaveAfter { state, exit } => {
                if moment.now.0 >= self.player.states[state] {
                    self.leave(exit, moment.ended);
                }
            }
            Op::Begin { step, with_pauses, alone } => self.player.open.push(OpenTransaction {
                step: *step,
                begun: moment.now,
                paused: Nanos(0),
                with_pauses: *with_pauses,
                alone: *alone,
                ok: true,
            }),
            Op::End => self.end_transaction(moment.ended),
            Op::Leave(exit) => self.leave(*exit, moment.ended),
            op => self.control(op),
        }
        None
    }

    /// Ends a session; the next one begins at the entry of the user's group.
    fn end_iteration(&mut self) {
        self.player.in_session = false;
        self.player.place = self.shared.flat.entries[self.player.group];
    }

    fn finished(&mut self) -> NextDeed {
        self.player.done = true;
        NextDeed::Finished
    }

    fn has_done_all(&self, most: Option<u64>) -> bool {
        let group = &self.shared.program().groups[self.player.group];
        let limits = [most, group.iterations];
        limits.into_iter().flatten().any(|most| self.player.iterations >= most)
    }

    fn begin_session(&mut self) {
        let shared = self.shared;
        let program = shared.program();
        let group = &program.groups[self.player.group];
        self.player.in_session = true;
        self.player.iterations += 1;
        self.player.all_iterations += 1;
        self.player.session = self.world.nth(self.world.sessions);
        self.world.sessions += 1;
        let is_new = self.player.all_iterations == 1 || !group.keeps_connections;
        self.player.wants_new_connection = self.player.all_iterations > 1 && !group.keeps_connections;
        if is_new || group.cookies == Cookies::PerIteration {
            self.player.jar.clear();
            for cookie in &group.own_cookies {
                let value = self.rendered(&cookie.value);
                let servers = shared.servers.hosts.of_domain(cookie.domain.as_deref());
                self.player.jar.set(cookie.name.as_bytes(), &value, cookie.path.as_bytes(), servers);
                self.keep_buffer(value);
            }
        }
        for (index, counter) in program.counters.iter().enumerate() {
            if counter.restarts {
                self.player.counters[index] = 0;
            }
        }
    }

    /// Fixes the request that the user sends next; `None` for one whose URL cannot be sent, which has failed.
    fn fix_request(&mut self, request: usize, due: Nanos) -> Option<NextDeed> {
        let asked = &self.shared.flat.requests[request].request;
        let Sending { mut location, .. } = std::mem::take(&mut self.player.sending);
        location.clear();
        self.player.sending = Sending {
            request,
            server: asked.server,
            due,
            redirects_left: asked.redirects,
            location,
            as_get: false,
            answering: Vec::new(),
        };
        if (asked.url_in_path != UrlInPath::Never || asked.strict_url) && !self.heed_url(request) {
            self.fail(due);
            return None;
        }
        self.player.has_request = true;
        Some(NextDeed::Request)
    }

    /// The timeout of the present request, if it has one of its own.
    pub(crate) fn timeout(&mut self) -> Option<Nanos> {
        let request = &self.shared.flat.requests[self.player.sending.request].request;
        match &request.computed_timeout {
            None => request.timeout,
            Some(text) => {
                self.number(text).filter(|millis| *millis > 0).map(|millis| Nanos::from_millis(millis as u64))
            }
        }
    }

    /// Renders the path of a request, and takes the server from it where it is rendered as a URL. Returns false for one that cannot be sent.
    fn heed_url(&mut self, request: usize) -> bool {
        let shared = self.shared;
        let asked = &shared.flat.requests[request].request;
        let path = self.rendered(&asked.path);
        let place = match asked.url_in_path {
            UrlInPath::Never => None,
            where_to => shared.servers.place_of_url(&path, where_to == UrlInPath::Loaded),
        };
        let text = || String::from_utf8_lossy(&path).into_owned();
        let why = match (&place, illegal_in_url(&path).filter(|_| asked.strict_url)) {
            (Some(None), _) => Some(StepFailure::UrlElsewhere(text())),
            (_, Some(character)) => Some(StepFailure::IllegalUrl { url: text(), character }),
            _ => None,
        };
        let is_sent = why.is_none();
        if let Some(why) = why {
            if self.player.has_own_measures() {
                self.world.ended.push(StepSample { step: asked.step, took: Nanos(0), ok: false });
            }
            self.world.unsent.push((asked.step, text(), why));
            for extractor in &asked.extract {
                self.put_missing(extractor.into, &extractor.missing);
            }
            self.player.last_ok = false;
            self.player.last_status = 0;
        } else {
            if let Some(Some(place)) = &place {
                self.player.sending.server = place.server;
            }
            let base = shared.base_path(self.player.sending.server).as_bytes();
            let path = place.flatten().map_or(Cow::Borrowed(&path), |place| Cow::Owned(place.path));
            let as_java = |path: &[u8]| java_path(&String::from_utf8_lossy(path)).into_owned().into_bytes();
            let path = if asked.strict_url { Cow::Owned(as_java(&path)) } else { path };
            let location = &mut self.player.sending.location;
            location.extend_from_slice(base);
            if base.is_empty() && matches!(path.first(), None | Some(b'?')) {
                location.push(b'/');
            }
            location.extend_from_slice(&path);
        }
        self.keep_buffer(path);
        is_sent
    }

    fn pause(&mut self, length: Nanos) -> NextDeed {
        for transaction in &mut self.player.open {
            if !transaction.with_pauses {
                transaction.paused = transaction.paused + length;
            }
        }
        NextDeed::Pause(length)
    }

    /// Ends the innermost transaction.
    fn end_transaction(&mut self, ended: Nanos) {
        if let Some(transaction) = self.player.open.pop() {
            self.world.ended.push(StepSample {
                step: transaction.step,
                took: ended.since(transaction.begun + transaction.paused),
                ok: transaction.ok,
            });
        }
    }

    fn leave(&mut self, exit: Exit, ended: Nanos) {
        while self.player.open.len() > exit.open {
            self.end_transaction(ended);
        }
        self.player.place = exit.place;
    }

    /// Notes that the request was not answered rightly, and goes on where the group says.
    pub(crate) fn fail(&mut self, ended: Nanos) {
        for transaction in &mut self.player.open {
            transaction.ok = false;
        }
        match self.shared.flat.requests[self.player.sending.request].after_failure {
            AfterFailure::Continue => {}
            AfterFailure::Leave(exit) => self.leave(exit, ended),
            AfterFailure::StopUser => self.player.done = true,
            AfterFailure::StopRun => {
                self.shared.stop();
                self.player.done = true;
            }
        }
    }

    /// Does an operation that takes no time.
    fn control(&mut self, op: &Op) {
        match op {
            Op::Set(variable, value) => self.set(*variable, value),
            Op::SetList(list, values) => {
                self.player.lists[*list].clear();
                for value in values {
                    let text = self.rendered(value);
                    self.player.lists[*list].push(&text);
                    self.keep_buffer(text);
                }
            }
            Op::Unset(variable) => self.player.variables[*variable].set = false,
            &Op::Count { counter, into, digits } => {
                let number = self.next_number(counter);
                self.put_number(into, number, digits);
            }
            Op::NextRow(source) => self.take_row(*source),
            Op::EnterLoop { state, times } => {
                self.player.states[*state] = match times {
                    Times::Fixed(times) => *times,
                    Times::Forever => u64::MAX,
                    Times::Rendered(times) => self.number(times).map_or(0, |times| times.max(0) as u64),
                };
                self.player.states[*state + 1] = 0;
            }
            &Op::NextPass { state, index, exit } => match self.player.states[state] {
                0 => self.player.place = exit,
                left => {
                    self.player.states[state] = if left == u64::MAX { left } else { left - 1 };
                    self.count_pass(state + 1, index);
                }
            },
            Op::Reset(state) => self.player.states[*state] = 0,
            Op::WhilePass { condition, state, index, exit } => match self.holds(condition) {
                true => self.count_pass(*state, *index),
                false => self.player.place = *exit,
            },
            &Op::NextValue { state, values, exit } => self.next_value(state, values, exit),
            Op::Unless(condition, place) => self.unless(condition, *place),
            Op::Jump(place) => self.player.place = *place,
            op => self.choose(op),
        }
    }

    /// Does an operation that chooses one of several places.
    fn choose(&mut self, op: &Op) {
        match op {
            &Op::Once { state, exit } => {
                if self.player.states[state] > 0 {
                    self.player.place = exit;
                }
                self.player.states[state] = 1;
            }
            Op::Share { of, counts, exit } if !self.is_in_share(of, *counts) => {
                self.player.place = *exit;
            }
            Op::Draw(places) => {
                let total = places.last().map_or(0, |(sum, _)| *sum);
                let drawn = self.player.random.below(total);
                if let Some((_, place)) = places.iter().find(|(sum, _)| drawn < *sum) {
                    self.player.place = *place;
                }
            }
            &Op::Shuffle { state, branches } => {
                self.player.states[state] = 0;
                for branch in 0..branches {
                    // Inside-out shuffle (Durstenfeld, CACM 1964).
                    let with = self.player.random.below(branch as u64 + 1) as usize;
                    let order = &mut self.player.states[state + 1..];
                    order[branch] = order[with];
                    order[with] = branch as u64;
                }
            }
            Op::NextShuffled { state, places, exit } => {
                let taken = self.player.states[*state] as usize;
                self.player.states[*state] += 1;
                let place = (taken < places.len()).then(|| self.player.states[*state + 1 + taken] as usize);
                self.player.place = place.map_or(*exit, |branch| places[branch]);
            }
            Op::InTurn { counts, places } => {
                let count = self.count(*counts, 0);
                let taken = *count;
                *count += 1;
                if let Some(place) = places.get((taken % places.len().max(1) as u64) as usize) {
                    self.player.place = *place;
                }
            }
            Op::Switch { value, cases, otherwise } => {
                let text = self.rendered(value);
                let named = cases.iter().find(|(name, _)| name.as_bytes() == text.as_slice());
                let number = || std::str::from_utf8(&text).ok()?.trim().parse::<usize>().ok();
                let chosen = named.or_else(|| cases.get(number()?));
                self.player.place = chosen.map_or(*otherwise, |(_, place)| *place);
                self.keep_buffer(text);
            }
            _ => {}
        }
    }

    fn unless(&mut self, condition: &Expr, place: Place) {
        if !self.holds(condition) {
            self.player.place = place;
        }
    }

    /// Counts a pass of a loop, and puts its number into a variable.
    fn count_pass(&mut self, state: usize, index: Option<usize>) {
        let pass = self.player.states[state];
        self.player.states[state] += 1;
        if let Some(index) = index {
            self.put_number(index, pass as i64, 1);
        }
    }

    fn put_number(&mut self, variable: usize, number: i64, digits: u8) {
        let mut text = self.take_buffer();
        push_number(&mut text, number, digits);
        self.set_variable(variable, &text);
        self.keep_buffer(text);
    }

    fn next_value(&mut self, state: usize, values: ForEach, exit: Place) {
        let taken = self.player.states[state] as usize;
        let at = values.from + taken;
        let player = &mut *self.player;
        let is_inside = values.to.is_none_or(|to| at < to);
        match player.lists[values.list].get(at).filter(|_| is_inside) {
            Some(value) => player.variables[values.into].put(value),
            None => return player.place = exit,
        }
        player.states[state] += 1;
        if let Some(index) = values.index {
            self.put_number(index, at as i64 + 1, 1);
        }
    }

    /// A number that a controller keeps.
    fn count(&mut self, counts: Counting, which: usize) -> &mut u64 {
        match counts {
            Counting::User(state) => &mut self.player.states[state + which],
            Counting::Together(state) => &mut self.world.states[state + which],
        }
    }

    /// Whether this pass belongs to the share (JMeter's `ThroughputController`): pass n, from 0, after `done` were done.
    fn is_in_share(&mut self, of: &ShareOf, counts: Counting) -> bool {
        let (passes, done) = (*self.count(counts, 0), *self.count(counts, 1));
        let is_in = match of {
            ShareOf::Percent(percent) => {
                (100.0 * done as f64 + 50.0) / (passes as f64 + 1.0) < self.fraction(percent)
            }
            ShareOf::Total(total) => {
                let total = self.number(total).unwrap_or(0).max(0) as u64;
                match counts {
                    Counting::User(_) => done < total,
                    // The total is divided among the event loops.
                    Counting::Together(_) => self.world.nth(done) < total,
                }
            }
        };
        *self.count(counts, 0) += 1;
        *self.count(counts, 1) += u64::from(is_in);
        is_in
    }

    /// Takes the next row of a source into its variables.
    pub(super) fn take_row(&mut self, source: usize) {
        let shared = self.shared;
        let data = &shared.program().data[source];
        let rows = data.rows.len() as u64;
        let group = self.player.group;
        let row = match data.sharing {
            RowSharing::Random => self.player.random.below(rows),
            RowSharing::EachUser => {
                self.player.cursors[source] += 1;
                self.player.cursors[source] - 1
            }
            RowSharing::Shared | RowSharing::Group => {
                let which = if data.sharing == RowSharing::Group { group } else { 0 };
                let cursor = &mut self.world.cursors[source][which];
                let taken = *cursor;
                *cursor += 1;
                self.world.nth(taken)
            }
            RowSharing::Unique => {
                let (number, users) = (self.player.number, shared.users());
                let own = (rows.saturating_sub(number)).div_ceil(users);
                let taken = self.player.cursors[source];
                self.player.cursors[source] += 1;
                match taken.checked_rem(own).filter(|_| data.at_end == AtEnd::Recycle || taken < own) {
                    Some(turn) => number + turn * users,
                    None => rows,
                }
            }
        };
        if row < rows || (data.at_end == AtEnd::Recycle && rows > 0) {
            let row = (row % rows.max(1)) as usize;
            for (column, &slot) in data.columns.iter().enumerate() {
                self.player.variables[slot].put(data.rows.cell(row, column).as_bytes());
            }
        } else if data.at_end == AtEnd::Mark {
            for &slot in &data.columns {
                self.player.variables[slot].put(b"<EOF>");
            }
        } else {
            self.player.done = true;
        }
    }

    /// Draws the length of a pause.
    fn length_of(&mut self, pause: &Pause, now: Nanos) -> Nanos {
        let mut millis = 0.0;
        let mut length = Nanos(0);
        for term in &pause.terms {
            match term {
                PauseTerm::Think(think) => length = length + self.player.random.think(think),
                PauseTerm::Milliseconds(text) => millis += self.fraction(text),
                PauseTerm::Uniform(text) => millis += self.fraction(text) * self.player.random.uniform(),
                PauseTerm::Gaussian { deviation, absolute } => {
                    let drawn = self.player.random.normal();
                    let drawn = if *absolute { drawn.abs() } else { drawn };
                    millis += self.fraction(deviation) * drawn;
                }
                PauseTerm::Poisson(mean) => {
                    let mean = self.fraction(mean);
                    millis += self.player.random.poisson(mean);
                }
                PauseTerm::Pace(pacer) => length = length + self.paced(*pacer, now),
            }
        }
        // The cast makes negative numbers 0.
        length + Nanos((millis * 1e6) as u64)
    }

    /// How long a pacer delays the user. It gives out moments that are evenly spaced, the first one at once; moments that nobody
    /// took are lost.
    fn paced(&mut self, pacer: usize, now: Nanos) -> Nanos {
        let asked = &self.shared.program().pacers[pacer];
        if !asked.stages.is_empty() {
            return self.paced_in_stages(pacer, now);
        }
        let rate = self.fraction(&asked.rate) / if asked.per_minute { 60.0 } else { 1.0 };
        if rate <= 0.0 {
            return Nanos(0);
        }
        let among = if asked.shared { self.world.of as f64 } else { 1.0 };
        if asked.random {
            return self.paced_at_random(pacer, among / rate, now);
        }
        let gap = Nanos::from_secs_f64(among / rate);
        let next = match asked.shared {
            true => &mut self.world.paces[pacer],
            false => &mut self.player.paces[pacer],
        };
        let at = (*next).max(now);
        *next = at + gap;
        at.since(now)
    }
}
