//! `[load]`: how requests arrive.

use super::design::file::duration_between;
use super::find;
use super::{Experiment, Find, Profile};
use crate::arm::settings::http_version;
use crate::arm::{Arm, HttpVersion};
use crate::diagnostic::Diagnostic;
use crate::load_machines::LoadMachines;
use crate::node::{Node, Table, Value};
use crate::slip::{Advice, DesignSlip, ExpectedValue, TableName};
use model::load::Load;
use model::units::{Nanos, Rate};
use serde::{Deserialize, Serialize};
use traffic::pace::Think;

/// The default number of users: small enough that response time is the server's and not a queue.
pub const CONNECTIONS: usize = 32;
/// The default of the most streams of a connection, as many as Tomcat and most other servers allow.
const STREAMS: usize = 100;
/// Most levels: each is measured in every start.
const LEVELS: usize = 12;

/// How requests arrive: a closed loop, in which each user sends its next request when the last one is answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadProfile {
    /// The levels, at least one, ascending: numbers of users, each with one connection, or with one stream of HTTP/2.
    pub connections: Vec<usize>,
    /// The most streams of a connection of HTTP/2. There are as many connections as it takes.
    #[serde(default = "streams", skip_serializing_if = "are_default_streams")]
    pub streams: usize,
    /// Connections are kept from one request to the next; otherwise every request has one of its own.
    pub keepalive: bool,
    /// The users of a slice begin spread evenly over this time; `None` lets them begin at once, or spread over one service
    /// time of a slow service.
    pub ramp: Option<Nanos>,
    /// From the end of one request to the next one of the same user.
    pub think: Think,
    /// Most connections that are begun per second.
    pub connect_rate: Option<Rate>,
    /// Event loops of the generator.
    pub shards: usize,
    /// The generator shares all CPUs with the servers, even on a machine where it could have its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared_cpus: bool,
    /// A request is a fault when it has had no connection, or no complete answer, for this long.
    pub timeout: Nanos,
    /// The hosts outside this machine that may be loaded, names or addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    /// The machines that make the load; `None` is this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machines: Option<LoadMachines>,
}

const fn streams() -> usize {
    STREAMS
}

const fn are_default_streams(streams: &usize) -> bool {
    *streams == STREAMS
}

impl Default for LoadProfile {
    fn default() -> Self {
        Self {
            connections: vec![CONNECTIONS],
            streams: STREAMS,
            keepalive: true,
            ramp: None,
            think: Think::None,
            connect_rate: None,
            shards: 1,
            shared_cpus: false,
            timeout: Nanos::from_secs(10),
            allow: Vec::new(),
            machines: None,
        }
    }
}

impl LoadProfile {
    /// Returns a profile with one level of so many users, and defaults for the rest.
    pub fn of(connections: usize) -> Self {
        Self { connections: vec![connections], ..Self::default() }
    }

    /// Whether every user has a request in flight practically all the time: connections are kept, and users do not pause.
    pub fn steady(&self) -> bool {
        self.keepalive && self.think == Think::None
    }

    /// Returns the most connections at a level to an arm that speaks this version of HTTP.
    pub fn connections_at(&self, level: usize, http: Option<HttpVersion>) -> usize {
        let users = self.connections[level];
        match http {
            // Each event loop has connections of its own.
            Some(HttpVersion::Two) => users.min(users.div_ceil(self.streams) + self.shards - 1),
            _ => users,
        }
    }

    /// Returns a level as reports name it.
    pub fn level(&self, level: usize) -> Load {
        Load { users: Some(self.connections[level] as u64), ..Load::default() }
    }
}

/// Reads `[load]`; what the table does not have stays as it is in `load` and `find`.
pub(super) fn read(
    node: &Node,
    problems: &mut Vec<Diagnostic>,
    mut load: LoadProfile,
    mut find: Option<Find>,
) -> (LoadProfile, Option<Find>) {
    let Some(mut table) = Table::open_or_tell(node, TableName::Key("[load]"), problems) else {
        return (load, find);
    };
    table.set("connections", &mut load.connections, problems, levels);
    table.set("streams", &mut load.streams, problems, |node| {
        node.integer(1..=60_000).map(|streams| streams as usize)
    });
    // The arms have read it before.
    table.read("http", problems, http_version);
    find = find::read(&mut table, problems, &mut load.connections, find);
    table.set("keepalive", &mut load.keepalive, problems, Node::boolean);
    load.ramp = table.read("ramp", problems, duration_between(0.0, 600.0)).or(load.ramp);
    table.set("think", &mut load.think, problems, Node::think);
    load.connect_rate = table.read("connect_rate", problems, Node::rate).or(load.connect_rate);
    table.set("shards", &mut load.shards, problems, |node| {
        node.integer(1..=256).map(|shards| shards as usize)
    });
    table.set("shared_cpus", &mut load.shared_cpus, problems, Node::boolean);
    table.set("timeout", &mut load.timeout, problems, duration_between(0.1, 600.0));
    table.set("allow", &mut load.allow, problems, |node| {
        node.list()?.iter().map(|host| Ok(host.text()?.to_owned())).collect()
    });
    table.finish(problems);
    (load, find)
}

/// Refuses loads that only HTTP/1.1 can make, of an experiment with an arm that speaks HTTP/2.
pub(super) fn refuse_closing(experiment: &Experiment, root: &Node, problems: &mut Vec<Diagnostic>) {
    let is_two = |arm: &&Arm| arm.settings.http2_way().is_some();
    if let Some(arm) = experiment.arms.iter().find(is_two).filter(|_| !experiment.load.keepalive) {
        let load = root.entry("load");
        let quick = root.get("quick").and_then(|quick| quick.get("load")?.get("keepalive"));
        let place =
            quick.filter(|_| experiment.profile == Profile::Quick).unwrap_or_else(|| load.entry("keepalive"));
        let problem = place.refuse(DesignSlip::ClosesStreams { arm: arm.name.clone() });
        problems.push(problem.hint(Advice::KeepStreams));
    }
}

/// Reads one number of connections or a list of them.
fn levels(node: &Node) -> Result<Vec<usize>, Diagnostic> {
    let level = |node: &Node| node.integer(1..=60_000).map(|users| users as usize);
    if !matches!(node.value, Value::List(_)) {
        return Ok(vec![level(node)?]);
    }
    let nodes = node.list()?;
    let levels = nodes.iter().map(level).collect::<Result<Vec<usize>, _>>()?;
    if levels.is_empty() || levels.len() > LEVELS {
        let problem = node.outside(ExpectedValue::Levels(LEVELS), levels.len());
        return Err(problem.hint(Advice::FewLevels));
    }
    for (node, pair) in nodes[1..].iter().zip(levels.windows(2)) {
        let (before, level) = (pair[0], pair[1]);
        if before >= level {
            let problem = node.refuse(DesignSlip::LevelOrder { level, before });
            return Err(problem.hint(Advice::AscendingLevels));
        }
    }
    Ok(levels)
}
