//! Load models: users and rates, orders of requests, and the use of connections.

use crate::{closed, millis, open, patiently, plan, run, run_slice, window};
use load::{RequestBuilder, Session, Url};
use model::units::{Nanos, Rate};
use std::collections::HashSet;
use std::time::Duration;
use testkit::{Ending, Reply, Script, ScriptedServer};
use traffic::plan::{Arrivals, Order, Plan, Reuse, Stage, Think, Users};

/// Milliseconds of a window that a test never reaches, because its slices end for another reason.
const LONG: u64 = 60_000;

/// A server that records the requests it receives.
fn hello() -> ScriptedServer {
    ScriptedServer::start(Script::new(Reply::ok("hello")).record()).unwrap()
}

fn request(server: &ScriptedServer, method: &str, path: &str) -> RequestBuilder {
    let url = Url::parse(&server.address().to_string()).unwrap();
    RequestBuilder::new(&url).method(method).path(path).counters(true)
}

#[test]
fn exactly_the_limit_of_requests_is_sent() {
    let server = hello();
    for (arrivals, shards) in [
        (Arrivals::Closed { users: 3 }, 1),
        (Arrivals::Closed { users: 5 }, 2),
        (Arrivals::Open { rate: Rate(2000.0), poisson: true, connections: 4 }, 1),
    ] {
        let before = server.requests();
        let mut session =
            Session::open(Plan { limit: Some(101), shards, ..plan(&server, arrivals) }).unwrap();
        for _ in 0..2 {
            let slice = run_slice(&mut session, window(0, LONG));
            assert_eq!((slice.ok, slice.requests, slice.interrupted), (101, 101, false));
            assert!(slice.elapsed < Nanos::from_secs(20));
        }
        assert_eq!(server.requests() - before, 202);
    }
}

#[test]
fn failed_requests_count_towards_the_limit() {
    let server = ScriptedServer::start(Script::new(Reply::reset())).unwrap();
    let slice = run(Plan { limit: Some(10), ..closed(&server, 2) }, window(0, LONG));
    assert_eq!((slice.requests, slice.faults.total()), (10, 10));
}

#[test]
fn users_stop_after_their_iterations() {
    let server = hello();
    let mut plan = closed(&server, 4);
    plan.requests = ["/a", "/b", "/c"].map(|path| request(&server, "GET", path).build().unwrap()).to_vec();
    plan.users.iterations = Some(5);
    let mut session = Session::open(plan).unwrap();
    for slices in 1..=2 {
        assert_eq!(run_slice(&mut session, window(0, LONG)).ok, 4 * 3 * 5);
        let second_requests = server.log().iter().filter(|head| head.starts_with("GET /b ")).count();
        assert_eq!(second_requests, 20 * slices);
    }
    assert_eq!(server.connections(), 4);
}

#[test]
fn a_ramp_spreads_the_starts_of_users() {
    let server = hello();
    let ramp = Users { ramp: Nanos::from_millis(400), iterations: Some(1), ..Users::default() };
    for reuse in [Reuse::PerUser, Reuse::Pool(3)] {
        patiently(|| {
            let slice = run(Plan { users: ramp.clone(), reuse, ..closed(&server, 8) }, window(0, LONG));
            assert_eq!(slice.ok, 8);
            // The last of eight users starts after 350 ms.
            assert!(slice.elapsed >= Nanos::from_millis(350), "{:?}", slice.elapsed);
        });
    }
}

#[test]
fn users_think_between_requests() {
    patiently(|| {
        let server = hello();
        let users =
            Users { think: Think::Constant(Nanos::from_millis(50)), iterations: Some(4), ..Users::default() };
        let slice = run(Plan { users, ..closed(&server, 2) }, window(0, LONG));
        assert_eq!((slice.ok, slice.connects_total), (8, 2));
        assert!(slice.elapsed >= Nanos::from_millis(150), "{:?}", slice.elapsed);
        // Think time is not part of the wait.
        assert!(millis(&slice.wait, 0.5) < 25.0, "{}", millis(&slice.wait, 0.5));
    });
}

#[test]
fn a_connection_closed_while_its_user_thinks_is_not_a_fault() {
    let server = ScriptedServer::start(Script::new(Reply::ok("x").ending(Ending::Close))).unwrap();
    let users =
        Users { think: Think::Constant(Nanos::from_millis(20)), iterations: Some(3), ..Users::default() };
    let slice = run(Plan { users, ..closed(&server, 2) }, window(0, LONG));
    assert_eq!((slice.ok, slice.faults.total(), slice.connects_total), (6, 0, 6));
}

#[test]
fn all_requests_of_an_iteration_contain_its_number() {
    let server = hello();
    let mut plan = closed(&server, 3);
    let put = request(&server, "PUT", "/${n}").body("item ${n}").build().unwrap();
    let delete = request(&server, "DELETE", "/${n}").build().unwrap();
    plan.requests = vec![put, delete];
    plan.limit = Some(60);
    plan.users.iterations = Some(10);
    assert_eq!(run(plan, window(0, LONG)).ok, 60);
    let log = server.log();
    let paths = |method: &str| -> HashSet<String> {
        let sent = log.iter().filter_map(|request| request.strip_prefix(method));
        sent.map(|rest| rest.split(' ').next().unwrap().to_owned()).collect()
    };
    assert_eq!(paths("PUT ").len(), 30);
    assert_eq!(paths("PUT "), paths("DELETE "));
    assert!(
        log.iter().any(|request| request.contains("Content-Length: 7\r\n") && request.ends_with("item 12"))
    );
}

#[test]
fn requests_are_sent_as_often_as_their_weights_say() {
    let server = hello();
    let mut plan = closed(&server, 2);
    plan.requests = ["/seldom", "/often"].map(|path| request(&server, "GET", path).build().unwrap()).to_vec();
    plan.order = Order::Weighted(vec![1, 9]);
    plan.limit = Some(1000);
    assert_eq!(run(plan, window(0, LONG)).ok, 1000);
    let seldom = server.log().iter().filter(|request| request.contains("/seldom")).count();
    assert!((50..170).contains(&seldom), "{seldom}");
}

#[test]
fn a_rate_follows_its_stages() {
    patiently(|| {
        let server = hello();
        let stage = |from, to| Stage { from: Rate(from), to: Rate(to), length: Nanos::from_millis(300) };
        let stages = vec![stage(0.0, 1000.0), stage(1000.0, 1000.0), stage(200.0, 200.0)];
        let arrivals = Arrivals::Stages { stages, poisson: false, connections: 8 };
        // The load settles during the ramp; 300 + 60 requests are due in the two steps that are counted.
        let slice = run(plan(&server, arrivals), window(300, 600));
        // A busy machine crosses the edges late, and the rate of the last stage continues after its end.
        let late = slice.elapsed.since(Nanos::from_millis(600)).as_secs_f64();
        assert!(slice.offered.abs_diff(360) <= 40 + (1000.0 * late) as u64, "{}", slice.offered);
        assert_eq!(slice.offered, slice.response.len());
    });
}

#[test]
fn connections_are_opened_no_faster_than_the_connect_rate() {
    patiently(|| {
        let server = hello();
        let plan = Plan { connect_rate: Some(Rate(50.0)), limit: Some(2000), ..closed(&server, 11) };
        let slice = run(plan, window(0, 150));
        // The first is opened at once and then one every 20 ms. A busy machine crosses the end of the window late.
        let most = 2 + slice.elapsed.0 / 20_000_000;
        let connects = slice.connects_total;
        assert!((2..=most.min(11)).contains(&connects), "{connects} of {most}");
    });
}

#[test]
fn users_of_a_pool_wait_for_its_connections() {
    patiently(|| {
        let server =
            ScriptedServer::start(Script::new(Reply::ok("x").after(Duration::from_millis(5)))).unwrap();
        let plan = Plan { reuse: Reuse::Pool(2), limit: Some(60), ..closed(&server, 6) };
        let slice = run(plan, window(0, LONG));
        assert_eq!((slice.ok, server.connections()), (60, 2));
        // Six users share two connections, so each waits for two others.
        let [wait, service, response] =
            [&slice.wait, &slice.service, &slice.response].map(|times| times.mean() / 1e6);
        assert!(wait > 1.5 * service, "{wait} {service}");
        assert!((response - wait - service).abs() < 0.01 * response, "{wait} + {service}, {response}");
    });
}

#[test]
fn users_of_a_pool_think_between_requests() {
    patiently(|| {
        let server = hello();
        let users =
            Users { think: Think::Constant(Nanos::from_millis(50)), iterations: Some(4), ..Users::default() };
        let plan = Plan { users, reuse: Reuse::Pool(1), ..closed(&server, 3) };
        let slice = run(plan, window(0, LONG));
        assert_eq!((slice.ok, server.connections()), (12, 1));
        // Each user has three pauses. The users pause side by side, although they share a connection.
        assert!(slice.elapsed >= Nanos::from_millis(150), "{:?}", slice.elapsed);
        assert!(slice.elapsed < Nanos::from_millis(400), "{:?}", slice.elapsed);
    });
}

#[test]
fn a_pool_reopens_connections_that_the_server_closes() {
    let server = ScriptedServer::start(Script::new(Reply::ok("x")).close_after(7)).unwrap();
    let users = Users { iterations: Some(10), ..Users::default() };
    let slice = run(Plan { reuse: Reuse::Pool(2), users, ..closed(&server, 5) }, window(0, LONG));
    assert_eq!((slice.ok, slice.faults.total()), (50, 0));
}

#[test]
fn connections_are_never_reused_when_the_plan_says_so() {
    let server = hello();
    let plan = Plan { reuse: Reuse::Never, limit: Some(40), ..closed(&server, 3) };
    let slice = run(plan, window(0, LONG));
    assert_eq!((slice.ok, slice.faults.total(), slice.closes), (40, 0, 0));
    assert_eq!(server.connections(), 40);
}

#[test]
fn plans_with_invalid_numbers_are_refused() {
    let server = hello();
    let assert_refused = |plan: Plan| assert!(Session::open(plan).is_err());
    assert_refused(Plan { order: Order::Weighted(vec![0]), ..closed(&server, 1) });
    assert_refused(Plan { order: Order::Weighted(vec![1, 1]), ..closed(&server, 1) });
    assert_refused(Plan { limit: Some(0), ..closed(&server, 1) });
    assert_refused(Plan { connect_rate: Some(Rate(0.0)), ..closed(&server, 1) });
    assert_refused(Plan { reuse: Reuse::Pool(0), ..closed(&server, 1) });
    assert_refused(Plan { connect_rate: Some(Rate(f64::NAN)), ..open(&server, 1.0, 1) });
}
