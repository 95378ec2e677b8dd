//! Sessions of steps, against a server whose answers depend on what is asked.

use crate::{patiently, run_slice, window};
use ask::scenario_file::parse;
use load::{Fault, Session, Slice};
use model::units::{Nanos, Rate, Seconds};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;
use testkit::{Answered, AnsweringServer, Asked, Reply, Script, ScriptedServer};
use traffic::plan::{Arrivals, Plan, Sessions, Stage};
use traffic::scenario::{Action, Pacer, Pause, PauseTerm, Program, Resources, StepFailure, Template};

/// Milliseconds of a window that a test never reaches, because its users end before.
const LONG: u64 = 60_000;

fn program(text: &str) -> Program {
    let read = |path: &Path| match path.to_str() {
        Some("users.csv") => {
            Ok((0..12).fold("user\n".to_owned(), |text, user| format!("{text}u{user}\n")).into_bytes())
        }
        other => Err(format!("there is no {other:?}")),
    };
    let resources = Resources { read: &read, environment: &|_| None };
    parse(text, &resources).unwrap_or_else(|rejected| panic!("{}", rejected.render("test.toml", text, false)))
}

/// A plan of these users, each of whom plays this number of sessions.
fn plan(server: &AnsweringServer, text: &str, users: usize, each: u64) -> Plan {
    plan_for(server.address(), text, users, each)
}

pub(super) fn plan_for(address: SocketAddr, text: &str, users: usize, each: u64) -> Plan {
    let mut plan = Plan::new(address, Vec::new(), Arrivals::Closed { users });
    plan.users.iterations = Some(each);
    plan.sessions = Some(Box::new(Sessions {
        program: program(text),
        authority: address.to_string(),
        base_path: String::new(),
        others: Vec::new(),
        headers: Vec::new(),
        utc_offset: 0,
    }));
    plan
}

/// Plays a whole load.
fn played(plan: Plan) -> Slice {
    run_slice(&mut Session::open(plan).unwrap(), window(0, LONG))
}

/// A server that says `ok` to everything.
fn agreeable() -> AnsweringServer {
    AnsweringServer::start(|_| Answered::ok("ok")).unwrap()
}

fn lines(server: &AnsweringServer) -> Vec<String> {
    server.log().iter().map(Asked::line).collect()
}

const SHOP: &str = r#"
    [[data]]
    file = "users.csv"
    rows = "unique"
    [[scenario]]
    [[scenario.step]]
    name = "log in"
    post = "/login"
    form = { user = "${user}" }
    extract = { token = { json = "$.token" } }
    check = { status = 200 }
    [[scenario.step]]
    group = "order"
    [[scenario.step.step]]
    get = "/items"
    bearer = "${token}"
    extract = { ids = { json = "$.items[?(@.stock > 0)].id", match = "all" } }
    [[scenario.step.step]]
    for_each = { id = "ids" }
    put = "/cart/${id}"
    json = { id = "${id}", by = "${user}" }
    check = { json = { "$.done" = true } }
"#;

/// Answers `POST /login` by a redirect that sets a cookie; everything else needs the cookie of its user, and `/items` its token.
fn shop(asked: &Asked) -> Answered {
    let user = asked.header("cookie").strip_prefix("sid=").unwrap_or_default();
    match asked.line().as_str() {
        "POST /login" => Answered::ok("")
            .status(302)
            .header("Location", "home?x=1")
            .header("Set-Cookie", format!("sid={}; Path=/", asked.body.trim_start_matches("user="))),
        _ if user.is_empty() => Answered::ok("log in first").status(403),
        "GET /home?x=1" => Answered::ok(format!("{{ \"token\" : \"t-{user}\" }}")),
        "GET /items" if asked.header("authorization") == format!("Bearer t-{user}") => {
            Answered::ok(r#"{"items":[{"id":"a","stock":1},{"id":"b","stock":0},{"id":"c","stock":9}]}"#)
        }
        _ if asked.method == "PUT" && asked.body.ends_with(&format!("\"by\":\"{user}\"}}")) => {
            Answered::ok("{\"done\":true}")
        }
        _ => Answered::ok("what?").status(400),
    }
}

#[test]
fn users_log_in_follow_redirects_and_carry_cookies_and_tokens() {
    let server = AnsweringServer::start(shop).unwrap();
    let slice = played(Plan { shards: 2, ..plan(&server, SHOP, 3, 2) });
    let failures: Vec<_> = slice.steps.iter().filter_map(|step| step.first_failure.as_ref()).collect();
    assert_eq!(failures, Vec::<&traffic::scenario::FirstFailure>::new());
    let ended: Vec<_> = slice.steps.iter().map(|step| (step.ended, step.ok)).collect();
    assert_eq!(ended, [(6, 6), (6, 6), (6, 6), (12, 12)]);
    assert_eq!((slice.requests, slice.ok), (6 * 5, 6 * 5));
    let of_one: Vec<_> =
        server.log().into_iter().filter(|asked| asked.connection == 0).map(|asked| asked.line()).collect();
    let session = ["POST /login", "GET /home?x=1", "GET /items", "PUT /cart/a", "PUT /cart/c"];
    assert_eq!(of_one, [session, session].concat());
    // A new session begins without the cookies of the one before.
    let logins: Vec<_> = server
        .log()
        .into_iter()
        .filter(|asked| asked.line() == "POST /login")
        .map(|asked| asked.header("cookie").to_owned())
        .collect();
    assert_eq!(logins, [""; 6]);
}

#[test]
fn no_two_users_have_the_same_row() {
    let server = AnsweringServer::start(shop).unwrap();
    played(Plan { shards: 2, ..plan(&server, SHOP, 5, 4) });
    let mut connections = BTreeMap::<String, BTreeSet<u64>>::new();
    let logins = server.log().into_iter().filter(|asked| asked.path == "/login");
    let mut count = 0;
    for asked in logins {
        connections.entry(asked.body).or_default().insert(asked.connection);
        count += 1;
    }
    assert_eq!(count, 20);
    assert!(connections.values().all(|of| of.len() == 1), "{connections:?}");
}

#[test]
fn more_users_than_rows_of_their_own_are_refused() {
    let server = agreeable();
    let error = Session::open(plan(&server, SHOP, 13, 1)).expect_err("12 rows");
    assert_eq!(error.to_string(), "13 users need a row of `users.csv` each, and it has 12");
}

#[test]
fn shared_rows_are_each_taken_once_before_they_are_taken_again() {
    let server = agreeable();
    let text = "[[data]]\nfile = 'users.csv'\n[[scenario]]\n[[scenario.step]]\nget = '/${user}'";
    played(Plan { shards: 3, ..plan(&server, text, 3, 4) });
    let asked: BTreeSet<_> = lines(&server).into_iter().collect();
    assert_eq!((lines(&server).len(), asked.len()), (12, 12));
    let stopping = text.replace("'users.csv'", "'users.csv'\nat_end = 'stop'");
    let slice = played(plan(&server, &stopping, 5, 100));
    assert_eq!(slice.ok, 12);
}

#[test]
fn users_are_divided_by_weight() {
    let server = agreeable();
    let text = "
        [[scenario]]\nweight = 3\n[[scenario.step]]\nget = '/a'
        [[scenario]]\n[[scenario.step]]\nget = '/b'";
    let slice = played(Plan { shards: 2, ..plan(&server, text, 8, 5) });
    assert_eq!([slice.steps[0].ok, slice.steps[1].ok], [30, 10]);
}

const OFTEN: &str = r#"
        [vars]
        role = "admin"
        [[scenario]]
        [[scenario.step]]
        get = "/once"
        once = true
        [[scenario.step]]
        get = "/list"
        extract = { ids = { regex = "\\d+", match = "all" }, second = { regex = "\\d+", match = 2 } }
        [[scenario.step]]
        for_each = { id = "ids" }
        get = "/item/${id}"
        if = "${role} == 'admin' and ${ids.length} > 2"
        [[scenario.step]]
        get = "/never"
        if = "${second} != 5"
        [[scenario.step]]
        set = { n = "0", state = "" }
        [[scenario.step]]
        while = "${state} != 'done'"
        [[scenario.step.step]]
        set = { n = "${sum(n, 1)}" }
        [[scenario.step.step]]
        get = "/poll?${n}"
        extract = { state = { between = ["state=", ""] } }
        [[scenario.step]]
        get = "/share"
        share = "50%"
        [[scenario.step]]
        get = "/twice"
        repeat = 2
"#;

#[test]
fn steps_are_done_as_often_as_the_file_says() {
    let server = AnsweringServer::start(|asked| match asked.path.as_str() {
        "/list" => Answered::ok("ids: 4, 5, 6"),
        "/poll?3" => Answered::ok("state=done"),
        path if path.starts_with("/poll") => Answered::ok("state=busy"),
        _ => Answered::ok("ok"),
    })
    .unwrap();
    played(plan(&server, OFTEN, 1, 2));
    let session = [
        "GET /list",
        "GET /item/4",
        "GET /item/5",
        "GET /item/6",
        "GET /poll?1",
        "GET /poll?2",
        "GET /poll?3",
    ];
    let twice = ["GET /twice", "GET /twice"];
    // JMeter's rule: pass n, from 0, belongs to the half if (100 done + 50) / (n + 1) is less than 50.
    let expected = [&["GET /once"][..], &session, &twice, &session, &["GET /share"], &twice].concat();
    assert_eq!(lines(&server), expected);
}

#[test]
fn a_failed_extraction_is_counted_and_begins_a_new_session() {
    let server = AnsweringServer::start(|asked| match asked.path.as_str() {
        "/token" => Answered::ok("{\"error\":\"none\",\"password\":\"hush\"}"),
        _ => Answered::ok("ok"),
    })
    .unwrap();
    let text = "
        [[scenario]]
        [[scenario.step]]\nget = '/token'\nextract = { token = { json = '$.token' } }
        [[scenario.step]]\nget = '/use?${token}'";
    let slice = played(plan(&server, text, 2, 3));
    let step = &slice.steps[0];
    assert_eq!((step.ended, step.ok, slice.steps[1].ended), (6, 0, 0));
    assert_eq!(slice.faults.count(Fault::NotExtracted), 6);
    let first = step.first_failure.as_ref().expect("a failure");
    assert_eq!(first.why, StepFailure::NotExtracted("token".to_owned()));
    assert_eq!(first.request, "GET /token HTTP/1.1");
    assert!(
        first.answer.contains("\"error\":\"none\"") && !first.answer.contains("hush"),
        "{}",
        first.answer
    );
    // A default takes the place of what is missing, and a group may go on after failures.
    let with_default = text.replace("} }", "}, t = { json = '$.t', default = 'd' } }");
    let going_on = with_default.replace("[[scenario]]", "[[scenario]]\non_failure = 'continue'");
    let slice = played(plan(&server, &going_on.replace("${token}", "${t}"), 1, 2));
    assert_eq!((slice.steps[0].ok, slice.steps[1].ok), (0, 2));
    assert_eq!(lines(&server).last().map(String::as_str), Some("GET /use?d"));
}

#[test]
fn each_check_fails_what_it_should() {
    let server =
        AnsweringServer::start(|_| Answered::ok("{\"n\": 3, \"list\": [1]}").header("X-Kind", "json; v=1"))
            .unwrap();
    for (check, is_right) in [
        ("contains = '\"n\"'", true),
        ("contains = ['n', 'zzz']", false),
        ("not_contains = 'error'", true),
        ("not_contains = 'list'", false),
        ("matches = '^\\{.*\\}$'", true),
        ("matches = '^\\['", false),
        ("equals = 'x'", false),
        ("json = { '$.n' = 3, '$.list[0]' = 1 }", true),
        ("json = { '$.n' = 4 }", false),
        ("json = { '$.none' = 4 }", false),
        ("header = { x-kind = 'json' }", true),
        ("header = { X-Other = 'json' }", false),
        ("status = [201, '2xx']", true),
        ("status = 201", false),
        ("size = { min = 5, max = 30 }", true),
        ("size = 5", false),
        ("within = '60s'", true),
        ("within = '0s'", false),
    ] {
        let text = format!("[[scenario]]\n[[scenario.step]]\nget = '/'\ncheck = {{ {check} }}");
        let slice = played(plan(&server, &text, 1, 1));
        assert_eq!((slice.ok == 1, slice.requests), (is_right, 1), "{check}");
    }
}

#[test]
fn sessions_begin_at_their_rate_whatever_the_server_does() {
    patiently(|| {
        let server = AnsweringServer::start(|asked| {
            if asked.path == "/slow" {
                std::thread::sleep(Duration::from_millis(60));
            }
            Answered::ok("ok")
        })
        .unwrap();
        let text = "[[scenario]]\n[[scenario.step]]\nget = '/begin'\n[[scenario.step]]\nget = '/slow'";
        let mut plan = plan(&server, text, 1, 1);
        plan.users.iterations = None;
        plan.arrivals = Arrivals::Open { rate: Rate(100.0), poisson: false, connections: 40 };
        let slice = run_slice(&mut Session::open(plan).unwrap(), window(0, 500));
        let begun = lines(&server).iter().filter(|line| *line == "GET /begin").count();
        // One user alone would play 8 sessions in this time.
        assert!((40..=51).contains(&begun), "{begun} sessions");
        assert!(slice.steps[1].ended > 20, "{:?}", slice.steps[1].ended);
    });
}

#[test]
fn event_loops_share_the_rate_of_a_pacer_with_stages() {
    patiently(|| {
        let server = agreeable();
        let text = "[[scenario]]\n[[scenario.step]]\nget = \"/a\"\n";
        let mut plan = plan(&server, text, 8, 1000);
        plan.shards = 2;
        let program = &mut plan.sessions.as_mut().expect("sessions").program;
        program.pacers.push(Pacer {
            rate: Template::literal("0"),
            per_minute: false,
            shared: true,
            random: false,
            stages: vec![Stage { from: Rate(200.0), to: Rate(200.0), length: Nanos::from_millis(1000) }],
        });
        let pause = Action::Pause(Pause { terms: vec![PauseTerm::Pace(0)], ..Pause::default() });
        program.groups[0].body.insert(0, pause);
        // The load ends behind the last stage.
        let ok = played(plan).ok;
        assert!((190..=208).contains(&ok), "{ok}");
    });
}

#[test]
fn transactions_leave_pauses_out_and_fail_with_their_steps() {
    patiently(|| {
        let server = AnsweringServer::start(|asked| match asked.path.as_str() {
            "/bad" => Answered::ok("no").status(500),
            _ => {
                std::thread::sleep(Duration::from_millis(20));
                Answered::ok("ok")
            }
        })
        .unwrap();
        let text = "
        [[scenario]]
        [[scenario.step]]\ngroup = 'good'
        [[scenario.step.step]]\nget = '/a'\nthink = '600ms'
        [[scenario.step.step]]\nget = '/b'
        [[scenario.step]]\ngroup = 'bad'
        [[scenario.step.step]]\nget = '/bad'
        [[scenario.step.step]]\nget = '/after'";
        let slice = played(plan(&server, text, 1, 1));
        let names: Vec<_> = ["good", "GET /a", "GET /b", "bad", "GET /bad", "GET /after"]
            .into_iter()
            .zip(&slice.steps)
            .collect();
        let counts: Vec<_> = names.iter().map(|(name, step)| (*name, step.ended, step.ok)).collect();
        assert_eq!(
            counts,
            [
                ("good", 1, 1),
                ("GET /a", 1, 1),
                ("GET /b", 1, 1),
                ("bad", 1, 0),
                ("GET /bad", 1, 0),
                ("GET /after", 0, 0)
            ]
        );
        let good = slice.steps[0].time_sum;
        let parts = slice.steps[1].time_sum + slice.steps[2].time_sum;
        assert!(good >= Seconds(0.04) && good - parts < Seconds(0.3), "{good} s, its parts {parts} s");
        assert!(slice.elapsed.as_secs_f64() >= 0.6);
    });
}

const BODIES: &str = r#"
        [vars]
        word = 'a"b c'
        [[scenario]]
        headers = { Accept = "text/html", X-All = "1" }
        new_connections = true
        [[scenario.step]]
        post = "/f?q=${url(word)}"
        form = { a = "x y&", b = [1, 2] }
        headers = { X-All = "2" }
        basic = { user = "ann", password = "s:1" }
        [[scenario.step]]
        put = "/j"
        json = { text = "say \"${word}\"", list = [1, true], inner = { n = 1.5 } }
        [[scenario.step]]
        post = "/m"
        multipart = { title = "${word}", file = { file = "users.csv", type = "text/csv" } }
        [[scenario.step]]
        get = "/fn/${uuid()}/${random(5, 5)}/${random_text(3, 'z')}/${counter()}/${user()}/${iteration()}/${now('yyyy')}"
    "#;

#[test]
fn bodies_headers_and_functions_are_sent_as_written() {
    let server = agreeable();
    played(plan(&server, BODIES, 1, 2));
    let log = server.log();
    let [form, json, multipart, functions] = &log[..4] else { panic!("{log:?}") };
    assert_eq!((form.path.as_str(), form.body.as_str()), ("/f?q=a%22b%20c", "a=x+y%26&b=1&b=2"));
    assert_eq!((form.header("x-all"), form.header("accept")), ("2", "text/html"));
    assert_eq!(form.header("authorization"), "Basic YW5uOnM6MQ==");
    assert_eq!(form.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("accept")).count(), 1);
    assert_eq!(json.body, r#"{"text":"say \"a\"b c\"","list":[1,true],"inner":{"n":1.5}}"#);
    assert_eq!(json.header("content-type"), "application/json");
    let boundary =
        multipart.header("content-type").strip_prefix("multipart/form-data; boundary=").expect("parts");
    let parts: Vec<_> = multipart.body.split(&format!("--{boundary}")).collect();
    assert_eq!(parts.len(), 4);
    assert_eq!(parts[1], "\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\na\"b c\r\n");
    assert!(
        parts[2].contains("filename=\"users.csv\"\r\nContent-Type: text/csv\r\n\r\nuser\nu0\n"),
        "{}",
        parts[2]
    );
    let words: Vec<_> = functions.path.split('/').collect();
    assert_eq!((words[2].len(), &words[3..8]), (36, &["5", "zzz", "1", "1", "1"][..]));
    assert!(words[8].len() == 4 && words[8].starts_with('2'), "{words:?}");
    assert!(log[7].path.contains("/5/zzz/2/1/2/"), "{}", log[7].path);
    assert!(log[3].connection != log[4].connection, "each session has a connection of its own");
}

#[test]
fn equal_seeds_make_equal_requests() {
    let text = "[[scenario]]\n[[scenario.step]]\nget = '/${random(1, 1000000)}/${random_text(9)}/${uuid()}'";
    let asked = |seed| {
        let server = agreeable();
        played(Plan { seed, ..plan(&server, text, 1, 3) });
        lines(&server)
    };
    assert_eq!(asked(7), asked(7));
    assert_ne!(asked(7), asked(8));
}

#[test]
fn what_was_not_answered_fails_its_step_and_users_go_on() {
    let server = agreeable();
    let address = server.address();
    let text = "[[scenario]]\n[[scenario.step]]\nget = '/a'\n[[scenario.step]]\nget = '/b'";
    let plan = plan(&server, text, 2, 3);
    drop(server);
    let slice = played(Plan { target: address.into(), ..plan });
    assert_eq!((slice.steps[0].ended, slice.steps[0].ok, slice.steps[1].ended), (6, 0, 0));
    assert_eq!(slice.faults.count(Fault::ConnectRefused), 6);
    let first = slice.steps[0].first_failure.as_ref().expect("a failure");
    assert!(
        matches!(&first.why, StepFailure::NotConnected { address: refused, .. } if *refused == address.to_string()),
        "{first:?}"
    );
}

#[test]
fn sessions_go_on_in_the_next_slice() {
    let server = agreeable();
    let text = "[[scenario]]\n[[scenario.step]]\nget = '/a'\nthink = '30ms'\n[[scenario.step]]\nget = '/b'\nthink = '30ms'";
    let mut plan = plan(&server, text, 1, 1);
    plan.users.iterations = None;
    let mut session = Session::open(plan).unwrap();
    let mut asked = Vec::new();
    // Each slice ends before its user has played both steps.
    while asked.len() < 3 {
        run_slice(&mut session, window(0, 20));
        asked = lines(&server);
    }
    let expected = ["GET /a", "GET /b"].into_iter().cycle().take(asked.len());
    assert!(asked.iter().eq(expected), "{asked:?}");
}

#[test]
fn a_request_that_closes_its_connection_is_the_last_on_it() {
    // The server closes without saying so, and a POST is not sent twice.
    let script = Script::new(Reply::ok("ok")).close_silently_after(1);
    let server = ScriptedServer::start(script).unwrap();
    let text = r#"
        [[scenario]]
        [[scenario.step]]
        post = "/"
        body = "x"
        headers = { Connection = "close" }
    "#;
    let slice = played(plan_for(server.address(), text, 2, 20));
    assert_eq!((slice.ok, slice.faults.total()), (40, 0), "{:?}", slice.faults);
    assert_eq!(server.connections(), 40);
}
