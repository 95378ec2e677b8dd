//! Sessions of steps: what users do, from one request to the next.
//!
//! ```text
//! Program (a tree) ── flat ──► Traffic (a list with jumps; shared by all event loops)
//!                                 │
//!  World (one event loop) ────────┼──► Env ── play: which request next? ── write: its bytes
//!  Player (one user) ─────────────┘          answer: cookies, redirects, extractors, checks
//! ```
//! Nothing here knows sockets. Texts are rendered into memory that is used again.

mod answer;
mod cookies;
mod course;
mod css;
mod digest;
mod documents;
mod encoding;
mod flat;
mod html;
mod json;
mod links;
mod masked;
mod meeting;
mod pace;
mod patterns;
mod play;
mod player;
mod render;
mod resources;
mod script;
mod servers;
mod write;
mod xml;

pub(crate) use answer::{Answer, Judged};
pub(crate) use encoding::decoded;
pub(crate) use masked::{first_failure, first_failure_of_stream, masked_text};
pub(crate) use play::{Moment, NextDeed};
pub(crate) use player::{Player, World};
pub(crate) use render::Env;

use crate::error::Error;
use crate::random::RandomStream;
use course::{Course, Stages, courses};
use flat::FlatProgram;
use meeting::MeetingPlace;
use player::Variable;
use servers::Servers;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use traffic::plan::{Plan, Request, Sessions};
use traffic::scenario::{AtEnd, GroupArrivals, Program, RowSharing, SessionRequest, UserGroup};
use traffic::web_socket::WebSocketStep;
use write::RequestFrame;

/// The weight of a group whose sessions begin at a rate, for each session that is expected.
const WEIGHT_PER_SESSION: f64 = 1000.0;

/// What all event loops share: the program as a list, and who belongs to which group.
#[derive(Debug)]
pub(crate) struct Traffic {
    plan: Arc<Plan>,
    flat: FlatProgram,
    frames: Vec<RequestFrame>,
    servers: Servers,
    /// The values of variables before the first session.
    initial: Vec<Variable>,
    /// The group of each user on all machines, by its number.
    groups: Vec<usize>,
    /// The number of the first user of each group.
    first_of_group: Vec<u64>,
    /// Whether users play one session each time that one is due.
    pub(crate) begins_sessions_at_a_rate: bool,
    /// When each user on all machines starts and stops, where the program has users of its own; otherwise empty.
    courses: Vec<Course>,
    stages: Stages,
    /// Texts that all users share, which scripts set.
    properties: Mutex<BTreeMap<String, String>>,
    /// Where users wait for each other.
    meetings: Vec<MeetingPlace>,
    /// Something has stopped the whole load.
    stopped: AtomicBool,
}

impl Traffic {
    /// Prepares the sessions of a plan; `None` if it has none.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewRows`] when users need rows of their own and there are more users than rows.
    pub(crate) fn new(plan: &Arc<Plan>) -> Result<Option<Self>, Error> {
        let Some(sessions) = &plan.sessions else {
            return Ok(None);
        };
        let program = &sessions.program;
        let flat = FlatProgram::new(program);
        let frames = flat.requests.iter();
        let frames = frames.map(|placed| RequestFrame::new(placed, sessions)).collect();
        let courses = courses(program);
        let groups: Vec<usize> = match courses.as_slice() {
            [] => session_groups(program, plan),
            courses => courses.iter().map(|course| course.group).collect(),
        };
        check_rows(program, groups.len() as u64)?;
        let own = numbers_here(plan, groups.len()).filter_map(|number| courses.get(number));
        let first = |group: usize| groups.iter().position(|of| *of == group).unwrap_or(0) as u64;
        let mut traffic = Self {
            initial: vec![Variable::default(); program.variables.len()],
            first_of_group: (0..program.groups.len()).map(first).collect(),
            begins_sessions_at_a_rate: plan.arrivals.open(),
            stages: Stages::new(own),
            courses,
            properties: Mutex::new(program.properties.iter().cloned().collect()),
            meetings: flat.meetings().map(|_| MeetingPlace::default()).collect(),
            stopped: AtomicBool::new(false),
            servers: Servers::new(plan, sessions),
            plan: Arc::clone(plan),
            flat,
            frames,
            groups,
        };
        traffic.initial = traffic.rendered_once();
        Ok(Some(traffic))
    }

    /// How many users belong to a group.
    fn users_of_group(&self, group: usize) -> u64 {
        self.groups.iter().filter(|of| **of == group).count() as u64
    }

    /// The sessions of the plan.
    pub(crate) fn sessions(&self) -> &Sessions {
        self.plan.sessions.as_ref().expect("it was made from a plan with sessions")
    }

    /// What comes before every path of requests to a server.
    fn base_path(&self, server: usize) -> &str {
        match server {
            0 => &self.sessions().base_path,
            _ => "",
        }
    }

    /// What users do.
    pub(crate) fn program(&self) -> &Program {
        &self.sessions().program
    }

    /// The users of an event loop.
    pub(crate) fn players(&self, shard: usize) -> Vec<Player> {
        let own = numbers_here(&self.plan, self.groups.len());
        own.skip(shard)
            .step_by(self.plan.shards)
            .map(|number| Player::new(self, &self.plan, number as u64, self.groups[number]))
            .collect()
    }

    /// How many users there are on all machines; at least 1.
    pub(crate) fn users(&self) -> u64 {
        self.groups.len().max(1) as u64
    }

    /// The group of the session of this number, where sessions begin at a rate.
    pub(crate) fn group_of_session(&self, session: u64) -> usize {
        self.groups[(session % self.users()) as usize]
    }

    /// The step of a request.
    pub(crate) fn step_of(&self, request: usize) -> usize {
        self.flat.requests[request].request.step
    }

    /// Whether a request is one on the user's connection of WebSocket.
    pub(crate) fn is_of_web_socket(&self, request: usize) -> bool {
        self.flat.requests[request].request.web_socket.is_some()
    }

    /// Whether users have connections of WebSocket.
    pub(crate) fn opens_web_sockets(&self) -> bool {
        self.flat.requests.iter().any(|placed| placed.request.web_socket.is_some())
    }

    /// Whether a request says that its connection carries no other one.
    pub(crate) fn closes_after(&self, request: usize) -> bool {
        self.frames[request].closes
    }

    /// When the user of an event loop starts and stops, where the program tells it.
    pub(crate) fn course_of(&self, shard: usize, user: usize) -> Option<&Course> {
        let here = shard + user * self.plan.shards;
        let share = self.plan.share;
        let number = here as u64 * share.of + share.index;
        self.courses.get(number as usize)
    }

    /// Notes that a user of an event loop is done.
    pub(crate) fn user_is_done(&self, shard: usize, user: usize) {
        if let Some(course) = self.course_of(shard, user) {
            self.stages.user_is_done(course.stage);
        }
    }

    /// The stage whose users run now.
    pub(crate) fn present_stage(&self) -> usize {
        self.stages.present()
    }

    /// Returns a property.
    pub(crate) fn property(&self, name: &str) -> Option<String> {
        let properties = self.properties.lock();
        properties.ok().and_then(|properties| properties.get(name).cloned())
    }

    /// Sets a property.
    pub(crate) fn put_property(&self, name: &str, value: String) {
        if let Ok(mut properties) = self.properties.lock() {
            properties.insert(name.to_owned(), value);
        }
    }

    /// Ends the whole load.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Tells whether the whole load has to end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// The variables that are set before the load, rendered one after the other.
    fn rendered_once(&self) -> Vec<Variable> {
        let mut world = World::new(self, &self.plan, 0);
        let mut player = Player::new(self, &self.plan, 0, 0);
        for (slot, value) in &self.program().initial {
            let mut text = Vec::new();
            let mut env = Env { shared: self, world: &mut world, player: &mut player };
            env.render(value, &mut text);
            player.variables[*slot].put(&text);
        }
        player.variables
    }
}

/// The numbers of the users on this machine, of so many on all machines.
fn numbers_here(plan: &Plan, users: usize) -> impl Iterator<Item = usize> + Clone {
    (plan.share.index as usize..users).step_by(plan.share.of as usize)
}

/// What the codec has to know of each request of a program, in the order in which the event loops number them.
pub(crate) fn expected_requests(program: &Program) -> Vec<Request> {
    let flat = FlatProgram::new(program);
    flat.requests.iter().map(|placed| expected(&placed.request)).collect()
}

/// What the codec has to know of a request. Answers are judged when they are complete, so any is accepted.
fn expected(request: &SessionRequest) -> Request {
    let method = request.method.as_literal();
    // A message is sent as it was rendered, also where that is nothing.
    let is_message = matches!(request.web_socket, Some(WebSocketStep::Message { .. } | WebSocketStep::Close));
    Request {
        bytes: if is_message { Vec::new() } else { format!("{} ", method.unwrap_or("POST")).into_bytes() },
        head: method == Some("HEAD"),
        status: 100..=599,
        body: None,
        same_length: false,
        streaming: request.streaming,
        grpc: None,
        // What is awaited is rendered for each request.
        web_socket: request.web_socket.as_ref().map(|step| step.map(|_| Vec::new())),
        inserts: Vec::new(),
    }
}

/// The group of each user, or of each session of a row that is repeated. Sessions whose gaps are random belong to groups at random, so
/// that the gaps within a group are random, too.
fn session_groups(program: &Program, plan: &Plan) -> Vec<usize> {
    let mut groups = spread(program, plan.users_of_all_parts() as usize);
    let is_random =
        |group: &UserGroup| matches!(group.arrivals, GroupArrivals::Sessions { poisson: true, .. });
    if program.groups.iter().any(is_random) {
        let mut random = RandomStream::new(plan.seed, u64::MAX / 2);
        // Durstenfeld, CACM 1964.
        for last in (1..groups.len()).rev() {
            groups.swap(last, random.below(last as u64 + 1) as usize);
        }
    }
    groups
}

/// The group of each user: by weight, so that every part of the list has about the right shares.
fn spread(program: &Program, users: usize) -> Vec<usize> {
    let weights: Vec<u64> = program
        .groups
        .iter()
        .map(|group| match group.arrivals {
            GroupArrivals::Weight(weight) => u64::from(weight),
            GroupArrivals::Sessions { .. } => {
                (group.arrivals.expected_sessions() * WEIGHT_PER_SESSION) as u64
            }
            GroupArrivals::Users(_) => 0,
        })
        .collect();
    let total: u64 = weights.iter().sum::<u64>().max(1);
    let mut given = vec![0_u64; weights.len()];
    (1..=users as u64)
        .map(|count| {
            // The group that lacks most of what it should have by now.
            let lack = |group: &usize| (weights[*group] * count) as i128 - (given[*group] * total) as i128;
            let chosen = (0..weights.len()).rev().max_by_key(lack).unwrap_or(0);
            given[chosen] += 1;
            chosen
        })
        .collect()
}

/// Refuses rows of their own for more users than there are rows.
fn check_rows(program: &Program, users: u64) -> Result<(), Error> {
    let short = program
        .data
        .iter()
        .find(|data| data.sharing == RowSharing::Unique && (data.rows.len() as u64) < users);
    match short {
        Some(data) if data.at_end == AtEnd::Recycle => {
            Err(Error::TooFewRows { file: data.name.clone(), rows: data.rows.len() as u64, users })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::{Nanos, Rate};
    use std::net::SocketAddr;
    use traffic::plan::{Arrivals, LoadPart, Stage};
    use traffic::scenario::UserWave;

    /// The traffic of one part of a load by so many users.
    fn part(program: &Program, users: u64, share: LoadPart) -> Traffic {
        let here = (users - share.index).div_ceil(share.of) as usize;
        let address: SocketAddr = "127.0.0.1:1".parse().unwrap();
        let mut plan = Plan::new(address, Vec::new(), Arrivals::Closed { users: here });
        plan.sessions = Some(Box::new(Sessions {
            program: program.clone(),
            authority: String::new(),
            base_path: String::new(),
            others: Vec::new(),
            headers: Vec::new(),
            utc_offset: 0,
        }));
        plan.shards = here.min(2);
        plan.share = share;
        Traffic::new(&Arc::new(plan)).unwrap().unwrap()
    }

    /// Number and group of each user of a part, and when it starts where the program tells it.
    fn users_of(part: &Traffic) -> Vec<(u64, usize, Option<Nanos>)> {
        let user = |shard: usize, (user, player): (usize, Player)| {
            let course = part.course_of(shard, user);
            (player.number, player.group, course.map(|course| course.starts))
        };
        let of_shard = |shard| {
            let players = part.players(shard).into_iter().enumerate();
            players.map(move |player| user(shard, player)).collect::<Vec<_>>()
        };
        (0..part.plan.shards).flat_map(of_shard).collect()
    }

    #[test]
    fn the_users_of_all_machines_are_those_of_one() {
        let weighted =
            Program { groups: vec![UserGroup::new("a", 3), UserGroup::new("b", 1)], ..Program::default() };
        let mut own = Program { groups: vec![UserGroup::new("a", 1)], ..Program::default() };
        own.groups[0].arrivals = GroupArrivals::Users(vec![UserWave {
            users: 10,
            delay: Nanos(0),
            ramp: Nanos(1000),
            duration: None,
            ramp_down: Nanos(0),
        }]);
        for program in [weighted, own] {
            let mut whole = users_of(&part(&program, 10, LoadPart::WHOLE));
            whole.sort();
            assert_eq!(whole.len(), 10);
            for of in 2..=4 {
                let connections = Some(10);
                let share = |index| LoadPart { index, of, connections };
                let parts = (0..of).map(|index| part(&program, 10, share(index)));
                let mut together: Vec<_> = parts.flat_map(|part| users_of(&part)).collect();
                together.sort();
                assert_eq!(together, whole, "{of} machines");
            }
        }
    }

    #[test]
    fn users_are_spread_by_weight_from_the_first_one_on() {
        let program =
            Program { groups: vec![UserGroup::new("a", 3), UserGroup::new("b", 1)], ..Program::default() };
        let groups = spread(&program, 8);
        assert_eq!(groups.iter().filter(|&&group| group == 0).count(), 6);
        assert_eq!(groups[..4].iter().filter(|&&group| group == 0).count(), 3);
    }
    #[test]
    fn sessions_are_spread_by_the_rates_of_their_groups() {
        let group = |rate: f64, poisson| {
            let stage = Stage { from: Rate(rate), to: Rate(rate), length: Nanos::from_secs(60) };
            let arrivals = GroupArrivals::Sessions { stages: vec![stage], poisson, most: 100 };
            UserGroup { arrivals, ..UserGroup::new("g", 1) }
        };
        let groups = |poisson| {
            let program =
                Program { groups: vec![group(3.0, poisson), group(1.0, poisson)], ..Program::default() };
            part(&program, 100, LoadPart { index: 0, of: 1, connections: Some(100) }).groups
        };
        let (even, random) = (groups(false), groups(true));
        for groups in [&even, &random] {
            assert_eq!(groups.iter().filter(|&&group| group == 0).count(), 75);
        }
        assert!(even.chunks(4).all(|four| four.iter().filter(|&&group| group == 1).count() == 1));
        assert_ne!(even, random);
    }
}
