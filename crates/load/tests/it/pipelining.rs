//! Pipelined requests: several are sent at once and their responses come in order. When the server closes the connection
//! in between, the others are sent again.

use crate::{closed, open, patiently, run, window};
use load::{Error, Fault, RequestBuilder, Session, Slice, Url};
use std::time::Duration;
use testkit::{Ending, Reply, Script, ScriptedServer};
use traffic::plan::{Plan, Request, Reuse};

/// `GET /one` and `GET /two`, each with its own expected body.
fn one_and_two(server: &ScriptedServer) -> Vec<Request> {
    let request = |name: &str| {
        let url = Url::parse(&format!("http://{}/{name}", server.address())).unwrap();
        RequestBuilder::new(&url).expect_body(name).build().unwrap()
    };
    vec![request("one"), request("two")]
}

/// A closed model whose users pipeline `depth` requests.
fn pipelined(server: &ScriptedServer, users: usize, depth: usize) -> Plan {
    Plan { requests: one_and_two(server), pipeline: depth, ..closed(server, users) }
}

/// Runs a plan in which one user sends a number of requests.
fn one_user(script: Script, depth: usize, requests: u64) -> Slice {
    let server = ScriptedServer::start(script).unwrap();
    let plan = pipelined(&server, 1, depth);
    let limit = Some(requests);
    run(Plan { limit, ..plan }, window(0, 5_000))
}

#[test]
fn each_response_is_matched_with_its_request() {
    let script = Script::in_turn(vec![Reply::ok("one"), Reply::ok("two")]);
    let slice = one_user(script, 4, 42);
    assert_eq!((slice.ok, slice.faults.total()), (42, 0), "{:?}", slice.faults);
    assert_eq!(slice.response.len(), 42, "the last batch, which is shorter, must be sent too");
    assert_eq!(slice.connects_total, 1);
}

#[test]
fn a_later_response_of_a_batch_takes_longer() {
    let reply = || Reply::ok("one").after(Duration::from_millis(20));
    let script = Script::in_turn(vec![reply(), Reply::ok("two").after(Duration::from_millis(20))]);
    let slice = one_user(script, 2, 2);
    let service = |quantile| crate::millis(&slice.service, quantile);
    assert!(service(0.0) >= 19.0 && service(1.0) >= service(0.0) + 19.0);
}

#[test]
fn littles_law_counts_every_request_in_flight() {
    patiently(|| {
        let server =
            ScriptedServer::start(Script::new(Reply::ok("hello").after(Duration::from_millis(2)))).unwrap();
        let plan = Plan { pipeline: 2, ..closed(&server, 4) };
        let slice = run(plan, window(20, 400));
        let ratio = slice.service_sum / slice.in_flight_integral;
        assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
        assert_eq!(slice.faults.total(), 0);
    });
}

#[test]
fn requests_that_a_closing_server_did_not_answer_are_sent_again() {
    let script = Script::in_turn(vec![Reply::ok("one"), Reply::ok("two")]).close_after(6);
    let slice = one_user(script, 4, 40);
    assert_eq!((slice.ok, slice.faults.total()), (40, 0), "{:?}", slice.faults);
    assert!(slice.resent > 0 && slice.closes >= 6, "{} resent, {} closes", slice.resent, slice.closes);
}

#[test]
fn a_broken_connection_is_a_fault_for_each_request_in_flight() {
    let broken = Reply::raw("HTTP/1.1 200 OK\r\nContent-Le").ending(Ending::Close);
    let slice = one_user(Script::new(broken), 3, 3);
    assert_eq!(slice.ok, 0);
    assert_eq!(slice.faults.count(Fault::ClosedEarly), 3, "{:?}", slice.faults);
}

#[test]
fn plans_may_pipeline_only_with_a_connection_per_user() {
    let server = ScriptedServer::start(Script::new(Reply::ok("hello"))).unwrap();
    let assert_refused = |plan: Plan| {
        let result = Session::open(Plan { pipeline: 2, ..plan });
        assert!(matches!(result, Err(Error::BadPipeline)));
    };
    assert_refused(open(&server, 100.0, 2));
    assert_refused(Plan { reuse: Reuse::Never, ..closed(&server, 2) });
    assert_refused(Plan { reuse: Reuse::Pool(1), ..closed(&server, 2) });
}
