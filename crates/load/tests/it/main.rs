//! Tests of the generator against a scripted server, which knows what really happened. They are one binary, so that they
//! are linked once and run in parallel.

mod connections;
mod corpus;
mod cpus;
mod faults;
mod grpc;
mod http2;
mod http2_rules;
mod models;
mod pipelining;
mod proxies;
mod servers;
mod sessions;
mod streaming;
mod tls;
mod truth;
mod web_socket;

use load::{Edge, RequestBuilder, Session, Slice, Url, Window};
use model::units::{Nanos, Rate};
use std::sync::atomic::AtomicBool;
use testkit::ScriptedServer;
use traffic::plan::{Arrivals, Plan};

/// A plan of a closed model with this number of users.
fn closed(server: &ScriptedServer, users: usize) -> Plan {
    plan(server, Arrivals::Closed { users })
}

/// A plan of an open model with equal gaps.
fn open(server: &ScriptedServer, rate: f64, connections: usize) -> Plan {
    plan(server, Arrivals::Open { rate: Rate(rate), poisson: false, connections })
}

/// A plan with one GET request and a response timeout of 5 s.
fn plan(server: &ScriptedServer, arrivals: Arrivals) -> Plan {
    let url = Url::parse(&format!("http://{}/", server.address())).unwrap();
    let request = RequestBuilder::new(&url).build().unwrap();
    Plan { response_timeout: Nanos::from_secs(5), ..Plan::new(server.address(), vec![request], arrivals) }
}

fn window(settle_ms: u64, counted_ms: u64) -> Window {
    Window { settle: Nanos::from_millis(settle_ms), counted: Nanos::from_millis(counted_ms) }
}

/// Runs one slice in a new session.
fn run(plan: Plan, window: Window) -> Slice {
    run_slice(&mut Session::open(plan).unwrap(), window)
}

fn run_slice(session: &mut Session, window: Window) -> Slice {
    session.run(window, &AtomicBool::new(false), &mut |_: Edge<'_>| {}).unwrap()
}

/// Repeats a check of times up to five times until it passes. Other work on the machine can make it fail now and then; a
/// defect makes it fail every time.
fn patiently(check: impl Fn()) {
    let all_failed = (1..5).all(|_| std::panic::catch_unwind(std::panic::AssertUnwindSafe(&check)).is_err());
    if all_failed {
        check();
    }
}

/// A quantile of a histogram in milliseconds.
fn millis(histogram: &load::Histogram, quantile: f64) -> f64 {
    histogram.value_at_quantile(quantile) as f64 / 1e6
}
