//! A crew of agents in the place of the event loops of one process: slices that begin together, arms that take turns, and agents that
//! die.

use crate::nats::NatsServer;
use crate::runs::{Running, agent_with, patience, plan, target};
use fleet::{Crew, CrewEvent, CrewSpec};
use load::{Announced, Edge, Generator, LoadSession, MadeSlice, Window};
use model::patience::Patience;
use model::reason::Reason;
use model::units::Nanos;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;
use testkit::ScriptedServer;
use traffic::load_note::LoadNote;
use traffic::plan::Arrivals;

const WINDOW: Window = Window { settle: Nanos::from_millis(50), counted: Nanos::from_millis(300) };
const TRIES: usize = 5;
static NEVER: AtomicBool = AtomicBool::new(false);

/// A crew with what happened to it.
struct Gathered {
    crew: Crew,
    events: Arc<Mutex<Vec<CrewEvent>>>,
}

fn gather(nats: &NatsServer, agents: usize, patience: Patience) -> Gathered {
    let spec = CrewSpec {
        server: nats.url(),
        creds: None,
        agents,
        run: "2026-11-25T12:00:00Z-0001".to_owned(),
        continues: false,
        patience,
    };
    let events: Arc<Mutex<Vec<CrewEvent>>> = Arc::default();
    let seen = Arc::clone(&events);
    let on_event = Box::new(move |event| seen.lock().unwrap().push(event));
    let crew = Crew::gather(spec, &Arc::default(), on_event).expect("the agents are there");
    Gathered { crew, events }
}

fn open(crew: &Crew, target: &ScriptedServer, users: usize) -> Box<dyn LoadSession> {
    let plan = plan(&target.address().to_string(), Arrivals::Closed { users });
    crew.open(plan).expect("shares")
}

/// Runs the next slice, and returns it with the times at which edges were crossed. On a busy machine agents may learn of a slice too late;
/// then it is run again, as a level would be.
fn run(session: &mut Box<dyn LoadSession>) -> (MadeSlice, Vec<Nanos>) {
    let mut ran = run_once(session);
    for _ in 0..TRIES {
        if ran.0.slice.ok > 0 {
            break;
        }
        ran = run_once(session);
    }
    ran
}

fn run_once(session: &mut Box<dyn LoadSession>) -> (MadeSlice, Vec<Nanos>) {
    let start = session.next_start().expect("a server");
    let mut edges = Vec::new();
    let made = session.run_from(start, WINDOW, &NEVER, &mut |edge| match edge {
        Edge::CountedBegins | Edge::CountedEnds => edges.push(load::now().since(start)),
        Edge::Interval(_) => {}
    });
    (made.expect("a slice"), edges)
}

fn agents(nats: &NatsServer, ids: &[&str], patience: Patience) -> Vec<Running> {
    let agent = |id: &&str| agent_with(patience, &nats.url(), id, None);
    ids.iter().map(agent).collect()
}

#[test]
fn a_crew_loads_arms_in_turn_as_one_generator_would() {
    let nats = NatsServer::start();
    let agents = agents(&nats, &["a", "b"], Patience::default());
    let Gathered { crew, .. } = gather(&nats, 2, Patience::default());
    let targets = [target(), target()];
    let mut sessions = [open(&crew, &targets[0], 4), open(&crew, &targets[1], 4)];
    let order = [0, 1, 1, 0];
    let announced = order
        .map(|arm| Announced { sessions: vec![LoadSession::id(sessions[arm].as_ref())], window: WINDOW });
    crew.announce(&announced).expect("told");
    for arm in order {
        let (made, edges) = run(&mut sessions[arm]);
        assert!(made.slice.ok > 0, "{:?}", made.why_invalid);
        assert_eq!(made.slice.faults.total(), 0);
        assert_eq!(edges.len(), 2);
        assert!(edges[0] >= WINDOW.settle && edges[1] >= WINDOW.settle + WINDOW.counted);
        // All agents are on this machine.
        assert_eq!(made.cpu_here, made.slice.generator_cpu);
    }
    let notes = crew.notes();
    assert!(
        matches!(notes[0], LoadNote::Fleet { agents: 2, of: 2, start_spread: Some(_), refused: 0 }),
        "{notes:?}"
    );
    assert!(matches!(notes[1], LoadNote::SlicesTogether { slices: 4, .. }), "{notes:?}");
    assert!(
        matches!(&notes[2..], [LoadNote::Agent(a), LoadNote::Agent(b)] if a.requests > 0 && b.requests > 0),
        "{notes:?}"
    );
    let status = crew.fleet_status().expect("a fleet");
    assert_eq!((status.there, status.of), (2, 2));
    drop(sessions);
    drop(crew);
    // They were dismissed, and end after one experiment.
    for agent in agents {
        agent.end();
    }
}

/// A server for one connection, which answers a request only when its twin has one, too.
fn twin(meet: Arc<Barrier>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut request = [0; 1024];
        while stream.read(&mut request).is_ok_and(|length| length > 0) {
            meet.wait();
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
            if stream.write_all(answer).is_err() {
                break;
            }
        }
    });
    address.to_string()
}

#[test]
fn arms_that_are_loaded_together_are_so_on_every_agent() {
    let nats = NatsServer::start();
    let agents = agents(&nats, &["a"], Patience::default());
    let Gathered { crew, .. } = gather(&nats, 1, Patience::default());
    let meet = Arc::new(Barrier::new(2));
    let mut sessions = [(); 2].map(|()| {
        let mut plan = plan(&twin(Arc::clone(&meet)), Arrivals::Closed { users: 1 });
        // At the end of the window one of the two may wait for its twin in vain.
        plan.response_timeout = Nanos::from_millis(500);
        crew.open(plan).expect("shares")
    });
    let start = sessions[0].next_start().expect("a server");
    let made = std::thread::scope(|scope| {
        let loads = sessions.each_mut().map(|session| {
            scope.spawn(move || session.run_from(start, WINDOW, &NEVER, &mut |_| ()).expect("a slice"))
        });
        loads.map(|load| load.join().expect("no panic"))
    });
    // Loaded one after the other, neither would get an answer.
    for made in made {
        assert!(made.slice.ok > 0, "{:?}", made.why_invalid);
    }
    drop((sessions, crew));
    agents.into_iter().for_each(|agent| drop(agent.end()));
}

#[test]
fn a_plan_with_fewer_users_than_agents_has_fewer_shares() {
    let nats = NatsServer::start();
    let agents = agents(&nats, &["a", "b", "c"], Patience::default());
    let Gathered { crew, .. } = gather(&nats, 3, Patience::default());
    let target = target();
    let mut session = open(&crew, &target, 2);
    for _ in 0..3 {
        assert!(run(&mut session).0.slice.ok > 0);
    }
    // Connections stay between the slices, and a third agent has none.
    assert!(target.connections() <= 2, "{}", target.connections());
    drop((session, crew));
    agents.into_iter().for_each(|agent| drop(agent.end()));
}

#[test]
fn the_share_of_an_agent_that_ends_is_named_and_another_agent_takes_it() {
    let nats = NatsServer::start();
    let patience = patience(0.25);
    let mut running = agents(&nats, &["a", "b"], patience);
    let Gathered { crew, events } = gather(&nats, 2, patience);
    let target = target();
    let mut session = open(&crew, &target, 4);
    assert!(run(&mut session).0.slice.ok > 0);
    // An agent that ends says nothing more, like one whose machine fails.
    running.pop().expect("b").end();
    let (made, _) = run(&mut session);
    let Some(Reason::AgentLost(lost)) = &made.why_invalid else {
        panic!("{:?}", made.why_invalid);
    };
    assert_eq!((lost.agent.as_str(), lost.share, lost.of), ("b", 2, 2));
    assert!(made.slice.ok > 0, "the other share was made");
    running.extend(agents(&nats, &["c"], patience));
    let replaced = CrewEvent::Replaced { lost: "b".to_owned(), by: "c".to_owned() };
    // It has to say hello first.
    let whole = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        session = open(&crew, &target, 4);
        events.lock().unwrap().contains(&replaced)
    });
    assert!(whole, "{:?}", events.lock().unwrap());
    let (made, _) = run(&mut session);
    assert!(!matches!(made.why_invalid, Some(Reason::AgentLost(_))));
    drop((session, crew));
    running.into_iter().for_each(|agent| drop(agent.end()));
}

#[test]
fn slices_go_on_while_the_server_is_down() {
    let mut nats = NatsServer::start();
    let (patience, outage) = (patience(0.5), Duration::from_secs(2));
    assert!(patience.silent() < outage && outage < patience.given_up());
    let agents = agents(&nats, &["a", "b"], patience);
    let Gathered { crew, events } = gather(&nats, 2, patience);
    let target = target();
    let mut session = open(&crew, &target, 2);
    let long = Announced { sessions: vec![session.id()], window: WINDOW };
    crew.announce(&[long.clone(), long]).expect("told");
    nats.kill();
    let restarting = std::thread::spawn(move || {
        std::thread::sleep(outage);
        nats.restart();
        nats
    });
    let start = load::now() + Nanos::from_millis(1);
    assert!(session.next_start().expect("it is announced or comes later") > start);
    let (made, _) = run(&mut session);
    assert!(made.slice.ok > 0, "{:?}", made.why_invalid);
    let nats = restarting.join().expect("it is up again");
    let lost = events.lock().unwrap().clone();
    assert!(lost.iter().all(|event| !matches!(event, CrewEvent::Lost(_))), "{lost:?}");
    drop((session, crew));
    agents.into_iter().for_each(|agent| drop(agent.end()));
    drop(nats);
}
