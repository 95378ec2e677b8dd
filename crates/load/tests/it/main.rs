//! The generator against a scripted server that knows the truth. One binary: it links once and its tests run together.

mod connections;
mod corpus;
mod faults;
mod models;
mod pipelining;
mod tls;
mod truth;

use load::{Edge, RequestBuilder, Session, Slice, Url, Window};
use model::plan::{Arrivals, Plan};
use model::units::{Nanos, Rate};
use std::sync::atomic::AtomicBool;
use testkit::Server;

/// A closed model of so many users on that server.
fn closed(server: &Server, users: usize) -> Plan {
    plan(server, Arrivals::Closed { users })
}

/// An open model with equal gaps.
fn open(server: &Server, rate: f64, connections: usize) -> Plan {
    plan(
        server,
        Arrivals::Open {
            rate: Rate(rate),
            poisson: false,
            connections,
        },
    )
}

fn plan(server: &Server, arrivals: Arrivals) -> Plan {
    let url = Url::parse(&format!("http://{}/", server.address())).unwrap();
    let request = RequestBuilder::new(&url).build().unwrap();
    Plan {
        response_timeout: Nanos::from_secs(5),
        ..Plan::new(server.address(), vec![request], arrivals)
    }
}

fn window(settle_ms: u64, counted_ms: u64) -> Window {
    Window {
        settle: Nanos::from_millis(settle_ms),
        counted: Nanos::from_millis(counted_ms),
    }
}

/// One slice of a new session.
fn run(plan: Plan, window: Window) -> Slice {
    run_slice(&mut Session::open(plan).unwrap(), window)
}

fn run_slice(session: &mut Session, window: Window) -> Slice {
    session
        .run(window, &AtomicBool::new(false), &mut |_: Edge<'_>| {})
        .unwrap()
}

/// Repeats what other work on the machine can spoil: that adds to times and comes and goes, but a defect fails every time.
fn patiently(check: impl Fn()) {
    let spoilt = (1..5).all(|_| std::panic::catch_unwind(std::panic::AssertUnwindSafe(&check)).is_err());
    if spoilt {
        check();
    }
}

/// Quantile of a histogram, milliseconds.
fn millis(histogram: &load::Histogram, quantile: f64) -> f64 {
    histogram.value_at_quantile(quantile) as f64 / 1e6
}
