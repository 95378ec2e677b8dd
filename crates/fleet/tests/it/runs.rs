//! Whole runs: merged results, faults, and refusals.

use crate::nats::NatsServer;
use fleet::{Agent, AgentEvent, Allowed, Creds, Error, Fleet, FleetEvent, Outcome, Refusal};
use load::{RequestBuilder, Url, Window};
use model::patience::Patience;
use model::units::{Nanos, Rate};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use testkit::{Reply, Script, ScriptedServer};
use traffic::plan::{Arrivals, Plan};

/// The id of every run.
pub(crate) const RUN: &str = "2026-11-25T12:00:00Z-0001";

/// An agent in a thread.
pub(crate) struct Running {
    stop: Arc<AtomicBool>,
    pub(crate) thread: JoinHandle<Result<(), Error>>,
    events: Arc<Mutex<Vec<AgentEvent>>>,
}

pub(crate) fn agent(server: &str, id: &str, creds: Option<Creds>) -> Running {
    agent_with(Patience::default(), server, id, creds)
}

/// An agent whose connection to the server is given up, and made again, as soon as this patience says.
pub(crate) fn agent_with(patience: Patience, server: &str, id: &str, creds: Option<Creds>) -> Running {
    let agent = Agent {
        server: server.to_owned(),
        creds,
        id: id.to_owned(),
        allowed: Allowed::default(),
        once: true,
        patience,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let events = Arc::new(Mutex::new(Vec::new()));
    let (its_stop, its_events) = (Arc::clone(&stop), Arc::clone(&events));
    let thread = std::thread::spawn(move || {
        agent.serve(&its_stop, &mut |event| its_events.lock().unwrap().push(event))
    });
    Running { stop, thread, events }
}

impl Running {
    /// Waits until so many events have happened, and ends it.
    pub(crate) fn end_after(self, events: usize) -> Vec<AgentEvent> {
        let began = std::time::Instant::now();
        while self.events.lock().unwrap().len() < events && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(10));
        }
        self.end()
    }

    pub(crate) fn end(self) -> Vec<AgentEvent> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("no panic").expect("no error");
        Arc::try_unwrap(self.events).expect("the thread is over").into_inner().unwrap()
    }
}

/// A server that answers after two milliseconds.
pub(crate) fn target() -> ScriptedServer {
    let reply = Reply::ok("hi").after(Duration::from_millis(2));
    ScriptedServer::start(Script::new(reply)).expect("a server")
}

pub(crate) fn plan(target: &str, arrivals: Arrivals) -> Plan {
    let url = Url::parse(target).expect("a URL");
    let request = RequestBuilder::new(&url).build().expect("a request");
    let address: std::net::SocketAddr = target.parse().expect("an address");
    Plan::new(address, vec![request], arrivals)
}

fn seconds(counted: u64) -> Window {
    Window { settle: Nanos(0), counted: Nanos::from_secs(counted) }
}

/// The usual patience, scaled.
pub(crate) fn patience(scale: f64) -> Patience {
    Patience::scaled(scale).expect("a scale")
}

/// A run, with what happened and when.
pub(crate) struct Run {
    pub(crate) outcome: Result<Outcome, Error>,
    events: Vec<(Instant, String)>,
    frames: usize,
}

pub(crate) fn run(
    server: &str,
    creds: Option<Creds>,
    agents: usize,
    plan: &Plan,
    counted: u64,
    started: &mpsc::Sender<()>,
) -> Run {
    run_with(Patience::default(), server, creds, agents, plan, counted, started)
}

/// Makes a load. Tells its start, and each second of it that has come.
pub(crate) fn run_with(
    patience: Patience,
    server: &str,
    creds: Option<Creds>,
    agents: usize,
    plan: &Plan,
    counted: u64,
    told: &mpsc::Sender<()>,
) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let fleet = Fleet {
        server: server.to_owned(),
        creds,
        agents,
        run: RUN.to_owned(),
        file: folder.path().join("run"),
        patience,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let mut events = Vec::new();
    let mut happened = |what: String| events.push((Instant::now(), what));
    let outcome = fleet::run(&fleet, plan, seconds(counted), &stop, &mut |event| match event {
        FleetEvent::Starts { .. } | FleetEvent::Second(_) => told.send(()).expect("the test listens"),
        FleetEvent::Silent(agent) => happened(format!("{agent} silent")),
        FleetEvent::Back(agent) => happened(format!("{agent} back")),
        FleetEvent::ServerLost => happened("server lost".to_owned()),
        FleetEvent::Gathered { .. } => {}
    });
    let frames = fleet::read_results(&fleet.file).map_or(0, |frames| frames.len());
    Run { outcome, events, frames }
}

/// What all agents counted, and whether nothing is missing.
pub(crate) fn requests(outcome: &Outcome) -> u64 {
    let all = outcome.agents.iter().map(|(result, _)| {
        assert_eq!(result.lost, None, "{}", result.agent);
        let in_seconds: u64 = result.slice.intervals.iter().map(|interval| interval.requests).sum();
        assert_eq!(in_seconds, result.slice.requests, "{}", result.agent);
        result.slice.requests
    });
    all.sum()
}

#[test]
fn three_agents_make_one_load_together() {
    let (nats, target) = (NatsServer::start(), target());
    let agents = ["c", "a", "b"].map(|id| agent(&nats.url(), id, None));
    let (started, _starts) = mpsc::channel();
    let mut plan = plan(&target.address().to_string(), Arrivals::Closed { users: 7 });
    plan.limit = Some(1_000);
    let run = run(&nats.url(), None, 3, &plan, 30, &started);
    let outcome = run.outcome.expect("a result");
    assert_eq!(requests(&outcome), 1_000, "exactly the whole");
    assert_eq!(target.requests(), 1_000);
    let names: Vec<&str> = outcome.agents.iter().map(|(result, _)| result.agent.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    // The agents have our own clock.
    assert!(outcome.agents.iter().all(|(_, offset)| offset.nanos.abs() <= offset.bound));
    assert!(outcome.start_spread.is_some());
    assert_eq!(outcome.refused.total(), 0);
    assert!(run.frames >= 3, "{} deltas in the file", run.frames);
    for agent in agents {
        assert!(agent.end().contains(&AgentEvent::Finished));
    }
}

#[test]
fn a_restart_of_the_server_loses_nothing() {
    let (mut nats, target) = (NatsServer::start(), target());
    let (patience, outage) = (patience(0.5), Duration::from_secs(2));
    assert!(patience.silent() < outage && outage < patience.cut_off());
    let agents = ["a", "b"].map(|id| agent_with(patience, &nats.url(), id, None));
    let plan = plan(
        &target.address().to_string(),
        Arrivals::Open { rate: Rate(200.0), poisson: false, connections: 20 },
    );
    let (told, tells) = mpsc::channel();
    let url = nats.url();
    let coordinator = std::thread::spawn(move || run_with(patience, &url, None, 2, &plan, 5, &told));
    for expected in ["a start", "a second"] {
        tells.recv().expect(expected);
    }
    nats.kill();
    std::thread::sleep(outage);
    let restarted = Instant::now();
    nats.restart();
    let run = coordinator.join().expect("no panic");
    let outcome = run.outcome.expect("a result");
    let counted = requests(&outcome);
    assert!(counted <= target.requests() && counted > 500, "{counted} of 1000");
    // Later, an agent that a busy machine lets wait for too long is silent indeed.
    let until = restarted + patience.silent();
    let events = run.events.iter().filter(|(at, _)| *at < until);
    let events: Vec<&String> = events.map(|(_, what)| what).collect();
    assert_eq!(events, ["server lost"], "no agent is called silent meanwhile");
    for agent in agents {
        assert!(agent.end().contains(&AgentEvent::Finished));
    }
}

#[test]
fn a_target_that_is_not_on_the_list_is_refused() {
    let nats = NatsServer::start();
    let agent = agent(&nats.url(), "a", None);
    let (started, _starts) = mpsc::channel();
    let plan = plan("192.0.2.1:80", Arrivals::Closed { users: 2 });
    let outcome = run(&nats.url(), None, 1, &plan, 1, &started).outcome;
    assert!(
        matches!(&outcome, Err(Error::Refused { agent, refusal: Refusal::Target(target) })
            if agent == "a" && target == "192.0.2.1:80"),
        "{outcome:?}"
    );
    agent.end();
}

#[test]
fn an_agent_that_is_cut_off_ends_its_load_and_the_coordinator_gives_up() {
    let (mut nats, target) = (NatsServer::start(), target());
    let patience = patience(0.25);
    let agent = agent_with(patience, &nats.url(), "a", None);
    let plan = plan(&target.address().to_string(), Arrivals::Closed { users: 2 });
    let (told, tells) = mpsc::channel();
    let url = nats.url();
    let coordinator = std::thread::spawn(move || run_with(patience, &url, None, 1, &plan, 3_600, &told));
    for expected in ["a start", "a second"] {
        tells.recv().expect(expected);
    }
    nats.kill();
    let run = coordinator.join().expect("no panic");
    let outcome = run.outcome.expect("a result");
    let lost = outcome.agents[0].0.lost.clone();
    assert!(lost.is_some_and(|lost| lost.seq >= 1), "its first deltas came");
    let served = target.requests();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(target.requests(), served, "no load without a coordinator");
    assert!(agent.end().contains(&AgentEvent::CoordinatorLost));
}

#[test]
fn a_wrong_password_ends_agent_and_coordinator() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = "authorization { users: [ { user: a, password: right } ] }";
    let nats = NatsServer::with_config(folder.path(), config);
    let creds =
        |password: &str| Creds { user: "a".to_owned(), password: password.to_owned(), ..Creds::default() };
    let agent = agent(&nats.url(), "a", Some(creds("wrong")));
    let ended = agent.thread.join().expect("no panic");
    assert!(matches!(ended, Err(Error::NotAuthorized { .. })), "{ended:?}");
    let (started, _starts) = mpsc::channel();
    let plan = plan("127.0.0.1:1", Arrivals::Closed { users: 2 });
    let outcome = run(&nats.url(), None, 1, &plan, 1, &started).outcome;
    assert!(matches!(outcome, Err(Error::NotAuthorized { .. })), "{outcome:?}");
}

#[test]
fn a_plan_that_is_longer_than_a_message_goes_in_parts() {
    let nats = NatsServer::start();
    let reply = Reply::ok("hi").after(Duration::from_millis(2));
    let target = ScriptedServer::start(Script::new(reply).record()).expect("a server");
    let agents = ["a", "b"].map(|id| agent(&nats.url(), id, None));
    let mut plan = plan(&target.address().to_string(), Arrivals::Closed { users: 2 });
    let url = Url::parse(&target.address().to_string()).expect("a URL");
    // As JSON it takes more than three messages.
    let body: Vec<u8> = (0..1_000_000_u32).map(|index| b'a' + (index % 23) as u8).collect();
    let request = RequestBuilder::new(&url).method("POST").body(body.clone());
    plan.requests = vec![request.build().expect("a request")];
    plan.limit = Some(6);
    let (started, _starts) = mpsc::channel();
    let run = run(&nats.url(), None, 2, &plan, 30, &started);
    assert_eq!(requests(&run.outcome.expect("a result")), 6);
    let log = target.log();
    let body = String::from_utf8(body).expect("text");
    assert!(log.len() == 6 && log.iter().all(|request| request.ends_with(&body)));
    for agent in agents {
        assert!(agent.end().contains(&AgentEvent::Finished));
    }
}
