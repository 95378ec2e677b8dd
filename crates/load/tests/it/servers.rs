//! Sessions whose steps go to several servers.

use crate::{run_slice, window};
use ask::scenario_file::parse;
use load::{Fault, Session, Slice};
use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use testkit::{Answered, AnsweringServer, Asked};
use traffic::plan::{Arrivals, OtherServer, Plan, Sessions};
use traffic::scenario::{Resources, StepFailure};

/// Milliseconds of a window that a test never reaches, because its users end before.
const LONG: u64 = 60_000;

/// A plan for a scenario; the servers that it names by address are loaded, too.
fn plan(loaded: SocketAddr, text: &str, users: usize, each: u64) -> Plan {
    let program = parse(text, &Resources::NONE)
        .unwrap_or_else(|rejected| panic!("{}", rejected.render("test.toml", text, false)));
    let others = program.servers.iter().map(|server| {
        let authority = format!("{}:{}", server.host, server.port);
        let address: SocketAddr = authority.replace("localhost", "127.0.0.1").parse().unwrap();
        OtherServer { target: address.into(), tunnel: None, lookup: None, tls: None, authority }
    });
    let mut plan = Plan::new(loaded, Vec::new(), Arrivals::Closed { users });
    plan.users.iterations = Some(each);
    plan.sessions = Some(Box::new(Sessions {
        authority: loaded.to_string(),
        base_path: "/app".to_owned(),
        others: others.collect(),
        headers: vec![("X-Key".to_owned(), "secret".to_owned())],
        utc_offset: 0,
        program,
    }));
    plan
}

fn played(plan: Plan) -> Slice {
    run_slice(&mut Session::open(plan).unwrap(), window(0, LONG))
}

/// Answers a login by a cookie of this name.
fn login(cookie: &'static str) -> AnsweringServer {
    AnsweringServer::start(move |asked| {
        Answered::ok(format!("{{\"token\":\"t-{}\"}}", asked.body))
            .header("Set-Cookie", format!("{cookie}=1; Path=/"))
    })
    .unwrap()
}

/// The requests of each connection to a server.
fn by_connection(server: &AnsweringServer) -> BTreeMap<u64, Vec<Asked>> {
    let mut found: BTreeMap<u64, Vec<Asked>> = BTreeMap::new();
    for asked in server.log() {
        found.entry(asked.connection).or_default().push(asked);
    }
    found
}

#[test]
fn each_user_has_a_connection_to_each_server() {
    let (shop, auth) = (login("shop"), login("auth"));
    let text = format!(
        r#"
        [[scenario]]
        [[scenario.step]]
        post = "http://localhost:{port}/token?x=1"
        body = "${{user()}}"
        extract = {{ token = {{ json = "$.token" }} }}
        [[scenario.step]]
        get = "/items"
        headers = {{ Authorization = "Bearer ${{token}}" }}
        [[scenario.step]]
        get = "/more"
        "#,
        port = auth.address().port()
    );
    let mut plan = plan(shop.address(), &text, 5, 4);
    plan.shards = 2;
    let slice = played(plan);
    assert_eq!((slice.requests, slice.ok, slice.connects_total), (60, 60, 10));
    let (to_shop, to_auth) = (by_connection(&shop), by_connection(&auth));
    assert_eq!((to_shop.len(), to_auth.len()), (5, 5));
    for asked in to_shop.into_values() {
        let lines: Vec<_> = asked.iter().map(Asked::line).collect();
        assert_eq!(lines, ["GET /app/items", "GET /app/more"].repeat(4));
        let user = asked[0].header("authorization").to_owned();
        assert!(user.starts_with("Bearer t-"), "{user}");
        for asked in asked.iter().filter(|asked| asked.path == "/app/items") {
            assert_eq!(asked.header("authorization"), user);
        }
        assert!(asked.iter().all(|asked| asked.header("x-key") == "secret"));
        assert_eq!(asked[0].header("host"), shop.address().to_string());
        // The cookies of `localhost` are not sent to 127.0.0.1.
        assert_eq!((asked[0].header("cookie"), asked[1].header("cookie")), ("", "shop=1"));
    }
    for asked in to_auth.into_values() {
        let lines: Vec<_> = asked.iter().map(Asked::line).collect();
        assert_eq!(lines, ["POST /token?x=1"; 4]);
        let host = format!("localhost:{}", auth.address().port());
        assert!(asked.iter().all(|asked| asked.header("host") == host));
        assert!(asked.iter().all(|asked| asked.header("x-key").is_empty()));
    }
}

#[test]
fn redirects_are_followed_from_one_server_to_another_and_back() {
    let auth = AnsweringServer::start(|asked| {
        let back = asked.path.strip_prefix("/login?back=").unwrap_or_default();
        Answered::ok("").status(302).header("Location", back)
    })
    .unwrap();
    let there = format!("http://127.0.0.1:{}/login?back=", auth.address().port());
    let shop = AnsweringServer::start(move |asked| match asked.path.as_str() {
        "/app/home" => {
            let back = format!("{there}http://{}/app/in", asked.header("host"));
            Answered::ok("").status(302).header("Location", back)
        }
        "/app/away" => Answered::ok("").status(302).header("Location", "http://elsewhere/"),
        _ => Answered::ok("in"),
    })
    .unwrap();
    let text = format!(
        r#"
        [[scenario]]
        on_failure = "continue"
        [[scenario.step]]
        get = "/home"
        check = {{ equals = "in" }}
        [[scenario.step]]
        get = "/away"
        [[scenario.step]]
        get = "http://127.0.0.1:{}/login?back=/x"
        redirects = 0
        "#,
        auth.address().port()
    );
    let slice = played(plan(shop.address(), &text, 2, 3));
    let ended: Vec<_> = slice.steps.iter().map(|step| (step.ended, step.ok)).collect();
    assert_eq!(ended, [(6, 6), (6, 0), (6, 6)]);
    let first = slice.steps[1].first_failure.as_ref().expect("a failure");
    assert_eq!(first.why, StepFailure::RedirectElsewhere("http://elsewhere/".to_owned()));
    assert_eq!(slice.connects_total, 4);
}

#[test]
fn new_sessions_with_new_connections_have_them_to_every_server() {
    let (shop, auth) = (login("shop"), login("auth"));
    let text = format!(
        "[[scenario]]\nnew_connections = true\n[[scenario.step]]\nget = '/a'\n[[scenario.step]]\nget = 'http://{}/b'",
        auth.address()
    );
    let slice = played(plan(shop.address(), &text, 2, 3));
    assert_eq!((slice.ok, slice.connects_total), (12, 12));
    assert_eq!((by_connection(&shop).len(), by_connection(&auth).len()), (6, 6));
}

#[test]
fn a_server_that_is_not_there_fails_its_steps_and_no_others() {
    let shop = login("shop");
    // A port on which nothing listens.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let text = format!(
        r#"
        [[scenario]]
        on_failure = "continue"
        [[scenario.step]]
        get = "/a"
        [[scenario.step]]
        get = "http://{gone}/b"
        [[scenario.step]]
        get = "/c"
        "#
    );
    let slice = played(plan(shop.address(), &text, 3, 4));
    let ended: Vec<_> = slice.steps.iter().map(|step| (step.ended, step.ok)).collect();
    assert_eq!(ended, [(12, 12), (12, 0), (12, 12)]);
    assert_eq!(slice.faults.count(Fault::ConnectRefused), 12);
    assert_eq!(by_connection(&shop).len(), 3);
}

#[test]
fn a_server_that_closes_is_connected_to_again_while_the_other_is_asked() {
    let shop = login("shop");
    let auth = AnsweringServer::start(|_| Answered::ok("x").header("Connection", "close")).unwrap();
    let text = format!(
        "[[scenario]]\n[[scenario.step]]\nget = '/a'\n[[scenario.step]]\nget = 'http://{}/b'",
        auth.address()
    );
    let mut plan = plan(shop.address(), &text, 2, 1);
    plan.users.iterations = None;
    let mut session = Session::open(plan).unwrap();
    while shop.log().len() < 20 {
        let slice = run_slice(&mut session, window(0, 30));
        assert_eq!((slice.requests, slice.faults.total()), (slice.ok, 0));
    }
    for user in by_connection(&shop).into_values() {
        assert!(user.len() > 2);
    }
    let (shop, auth) = (shop.log(), auth.log());
    assert!(shop.len().abs_diff(auth.len()) <= 2, "{} {}", shop.len(), auth.len());
}
