//! The merge of what real generators measured, after the way over messages and ledger.

use crate::frame::{decode, encode};
use crate::ledger::Ledger;
use crate::message::{Delta, Totals};
use crate::shares::share;
use crate::wire::IntervalWire;
use load::{Histogram, RequestBuilder, Session, Slice, Url, Window};
use model::units::Nanos;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use testkit::{Reply, Script, ScriptedServer};
use traffic::plan::{Arrivals, Plan};

const AGENTS: u64 = 4;
const RUN: &str = "run";

/// Four generators load one server at once, each with its share.
fn recordings() -> Vec<Slice> {
    // Most answers are quick, one of fifty is slow, and one of seven hundred very slow, so that the percentiles lie in different places.
    let reply = |number: u64| {
        let millis = match number {
            number if number.is_multiple_of(700) => 60,
            number if number.is_multiple_of(50) => 15,
            number => 1 + number % 3,
        };
        Reply::ok("hi").after(Duration::from_millis(millis))
    };
    let script = Script::in_turn((1..=1_400).map(reply).collect());
    let server = ScriptedServer::start(script).expect("a server");
    let url = Url::parse(&server.address().to_string()).expect("a URL");
    let request = RequestBuilder::new(&url).build().expect("a request");
    let whole = Plan::new(server.address(), vec![request], Arrivals::Closed { users: 32 });
    let window = Window { settle: Nanos(0), counted: Nanos::from_millis(1_500) };
    let threads = (0..AGENTS).map(|index| {
        let plan = share(&whole, index, AGENTS).expect("a share");
        std::thread::spawn(move || {
            let mut session = Session::open(plan).expect("a session");
            let never = AtomicBool::new(false);
            session.run(window, &never, &mut |_| {}).expect("a recording")
        })
    });
    let threads: Vec<_> = threads.collect();
    threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
}

/// The messages of an agent that measured this.
fn messages(agent: &str, slice: &mut Slice) -> Vec<Vec<u8>> {
    let deltas = slice.intervals.len() as u64 + 1;
    let (mut messages, mut total) = (Vec::new(), 0);
    for seq in 1..=deltas {
        let (mut delta, mut parts) = (Delta::default(), Vec::new());
        if let Some(interval) = slice.intervals.get(seq as usize - 1) {
            delta.intervals.push(IntervalWire::new(interval, &mut parts));
            delta.totals.count = interval.requests;
        } else {
            delta.summarize(slice, &mut parts);
        }
        total += delta.totals.count;
        delta.totals = Totals { total, ..delta.totals };
        (delta.agent, delta.seq, delta.last) = (agent.to_owned(), seq, seq == deltas);
        messages.push(encode(RUN, &delta, &parts));
    }
    messages
}

/// Sends the messages of all agents to a ledger, and merges what it makes of them.
fn merged(all: Vec<Vec<u8>>) -> Slice {
    let agents: Vec<String> = (0..AGENTS).map(|index| format!("m{index}")).collect();
    let mut ledger = Ledger::new(&agents);
    for message in &all {
        let (delta, parts) = decode::<Delta>(RUN, message).expect("a message");
        ledger.add(&delta, &parts).expect("it is one of the fleet");
    }
    let mut sum = Slice::empty();
    for result in ledger.results() {
        sum.merge(result.slice);
    }
    sum
}

#[test]
fn percentiles_of_four_agents_are_those_of_one_process() {
    let mut slices = recordings();
    // As if one process had recorded each sample.
    let (mut response, mut service): (Histogram, Histogram) = (load::new_histogram(), load::new_histogram());
    for slice in &slices {
        for (all, recorded) in [(&mut response, &slice.response), (&mut service, &slice.service)] {
            for value in recorded.iter_recorded() {
                all.record_n(value.value_iterated_to(), value.count_at_value()).expect("within the bounds");
            }
        }
    }
    let requests: u64 = slices.iter().map(|slice| slice.requests).sum();
    assert!(slices.iter().all(|slice| slice.requests > 100), "{requests}");
    let mut all: Vec<Vec<u8>> = Vec::new();
    for (index, slice) in slices.iter_mut().enumerate() {
        all.extend(messages(&format!("m{index}"), slice));
    }
    // The order of messages of different agents is nobody's, and some come twice.
    all.reverse();
    all.extend_from_within(..3);
    let merged = merged(all);
    assert_eq!((merged.requests, merged.response.len()), (requests, response.len()));
    for (fleet, alone) in [(&merged.response, &response), (&merged.service, &service)] {
        for quantile in [0.5, 0.9, 0.99, 0.999, 1.0] {
            let (fleet, alone) = (fleet.value_at_quantile(quantile), alone.value_at_quantile(quantile));
            let ratio = fleet as f64 / alone as f64;
            assert!((ratio - 1.0).abs() < 0.001, "{quantile}: {fleet} and {alone}");
        }
        assert!(alone.value_at_quantile(0.999) > alone.value_at_quantile(0.5));
    }
    // The seconds, too, have every sample once.
    let in_seconds: u64 = merged.intervals.iter().map(|interval| interval.requests).sum();
    assert_eq!(in_seconds, requests);
}
