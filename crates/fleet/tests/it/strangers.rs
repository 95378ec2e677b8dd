//! Messages of strangers reach coordinator and agents while a load runs. They are refused and counted, and change nothing.

use crate::nats::NatsServer;
use crate::runs::{RUN, agent, plan, requests, run, target};
use fleet::{AgentEvent, Delta, MAX_FRAME, Refused, RefusedCounts, Totals, encode};
use model::units::Rate;
use std::sync::mpsc;
use std::time::Duration;
use traffic::plan::Arrivals;

/// Sends messages, each to its subject, and waits until the server has them.
fn send(server: &str, messages: Vec<(&'static str, Vec<u8>)>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let client = async_nats::connect(server).await.expect("a connection");
        for (subject, message) in messages {
            client.publish(subject, message.into()).await.expect("sent");
        }
        client.flush().await.expect("an answer");
    });
}

/// Waits until the agent `a` answers when its clock is asked for.
fn await_answer(server: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let client = async_nats::connect(server).await.expect("a connection");
        let question = || client.request("prony.cmd.a", encode("", &"Clock", &[]).into());
        for _ in 0..1_000 {
            if question().await.is_ok() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the agent does not answer");
    });
}

/// A delta that claims a thousand requests.
fn delta(agent: &str, seq: u64) -> Delta {
    let mut delta = Delta::default();
    delta.agent = agent.to_owned();
    delta.seq = seq;
    delta.totals = Totals { count: 1_000, total: 1_000 };
    delta
}

#[test]
fn messages_of_strangers_are_refused_and_counted() {
    let (nats, target) = (NatsServer::start(), target());
    let agents = ["a", "b"].map(|id| agent(&nats.url(), id, None));
    let arrivals = Arrivals::Open { rate: Rate(200.0), poisson: false, connections: 20 };
    let plan = plan(&target.address().to_string(), arrivals);
    let (started, starts) = mpsc::channel();
    let url = nats.url();
    let coordinator = std::thread::spawn(move || run(&url, None, 2, &plan, 5, &started));
    starts.recv().expect("a start");
    // Sleeps: until the first deltas of both agents are there.
    std::thread::sleep(Duration::from_secs(4));
    let mut other_version = encode(RUN, &delta("a", 900), &[]);
    other_version[5] = 200;
    let stop_of_another = encode("another run", &"Stop", &[]);
    send(
        &nats.url(),
        vec![
            ("prony.d.a", b"garbage".to_vec()),
            ("prony.d.a", Vec::new()),
            ("prony.d.a", vec![b'P'; MAX_FRAME + 1]),
            ("prony.d.a", other_version),
            ("prony.d.a", encode("another run", &delta("a", 900), &[])),
            // A number that came with other content, an agent under the subject of another, and one without a share.
            ("prony.d.a", encode(RUN, &delta("a", 1), &[])),
            ("prony.d.b", encode(RUN, &delta("a", 900), &[])),
            ("prony.d.x", encode(RUN, &delta("x", 1), &[])),
            ("prony.cmd.a", stop_of_another),
            ("prony.cmd.a", b"garbage".to_vec()),
            ("prony.cmd.a", vec![0; MAX_FRAME + 1]),
        ],
    );
    let outcome = coordinator.join().expect("no panic").outcome.expect("a result");
    let counted = requests(&outcome);
    assert!(counted > 900 && counted <= target.requests(), "{counted} of 1000");
    let expected = RefusedCounts { oversize: 1, garbage: 2, version: 1, run: 1, replayed: 3 };
    assert_eq!(outcome.refused, expected, "by the coordinator");
    let by_agents: Vec<u64> = outcome.agents.iter().map(|(result, _)| result.refused).collect();
    assert_eq!(by_agents, [3, 0], "by the agents");
    for agent in agents {
        assert!(agent.end().contains(&AgentEvent::Finished));
    }
}

#[test]
fn an_agent_that_waits_refuses_strangers_too() {
    let nats = NatsServer::start();
    let agent = agent(&nats.url(), "a", None);
    await_answer(&nats.url());
    let mut other_version = encode("", &"Clock", &[]);
    other_version[5] = 200;
    send(
        &nats.url(),
        vec![
            ("prony.cmd.a", b"garbage".to_vec()),
            ("prony.cmd.a", vec![0; MAX_FRAME + 1]),
            ("prony.cmd.a", other_version),
            ("prony.cmd.a", encode("another run", &"Stop", &[])),
        ],
    );
    let refused = [Refused::Garbage, Refused::Oversize, Refused::Version(200), Refused::Run];
    let expected: Vec<AgentEvent> = refused.into_iter().map(AgentEvent::Stranger).collect();
    let events = agent.end_after(1 + expected.len());
    assert_eq!(events[1..], expected);
}
