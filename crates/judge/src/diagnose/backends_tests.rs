//! Tests of the causes in what a server asks other programs for, each where it is at work and where it is not.

use super::profile_tests::{thinking, waiting};
use super::tests::{NONE, Scene, numbers};
use crate::profile::tests::{FUTURE, HIKARI, IDLE, Look, POSTGRES};
use model::units::{Count, Nanos, Seconds, Share};
use record::finding::{AskedOften, Partner, Remedy, Store, TableScan};
use record::inspection::{DatabaseSeen, Inspection, StatementSeen, ThreadState};

const DATABASE: &str = "10.0.0.1:5432";
const PARTNER: &str = "10.0.0.7:9000";
/// A thread that waits for the answer of a service.
const CALL: [&str; 4] = [
    "java.util.concurrent.locks.LockSupport.park",
    "java.util.concurrent.CompletableFuture.get",
    "jdk.internal.net.http.HttpClientImpl.send",
    "shop.Stock.ask",
];
const LOOK_UP: [&str; 5] = [
    "java.net.Inet6AddressImpl.lookupAllHostAddr",
    "java.net.InetAddress.getAllByName0",
    "sun.net.www.protocol.http.HttpURLConnection.getInputStream",
    "shop.Stock.ask",
    "shop.Checkout.doGet",
];
const SIGN_IN: [&str; 4] = [
    "sun.nio.ch.SocketDispatcher.read0",
    "org.postgresql.core.v3.ConnectionFactoryImpl.doAuthentication",
    "org.postgresql.Driver.connect",
    "shop.Orders.find",
];
const HANDSHAKE: [&str; 3] = [
    "sun.security.ec.ECOperations.multiply",
    "sun.security.ssl.SSLSocketImpl.startHandshake",
    "shop.Stock.ask",
];

/// 20 requests; 18 wait for a database, which answered each of the 400 requests this many times.
fn queries(exchanges: u64) -> Inspection {
    let look = Look::at(20.0, 400).in_state(18.0, ThreadState::Runnable, &POSTGRES);
    let look = look.in_state(2.0, ThreadState::Runnable, &["shop.Orders.find"]);
    look.peer(DATABASE, 20, 18.0, 0).exchanges(DATABASE, exchanges).inspection()
}

/// The partner answers in this time.
fn assert_partner(seen: &Partner, seconds: f64) {
    assert!(seen.address == PARTNER && (seen.each.0 - seconds).abs() < 1e-9, "{seen:?}");
}

#[test]
fn many_queries_of_a_request_are_counted_and_the_database_is_not_called_slow() {
    let scene = waiting(20).looked_at(queries(400 * 43));
    assert_eq!(scene.causes(), ["chatty-backend"]);
    let found = scene.first();
    let chat = numbers!(found, ChattyBackend);
    assert_eq!((chat.backend.as_str(), chat.product.as_deref()), (DATABASE, Some("PostgreSQL")));
    assert_eq!((chat.often.per_request, chat.often.at_once), (Count(43.0), None));
    // 18 of 20 requests wait, of 50 ms each.
    assert!((chat.waited.0 - 0.045).abs() < 1e-9 && (chat.request.0 - 0.05).abs() < 1e-9, "{chat:?}");
    assert!((chat.often.each.0 - 0.045 / 43.0).abs() < 1e-9, "{chat:?}");
    assert_eq!(chat.at.method.as_deref(), Some("shop.Orders.find"));
    let explained = found.explains.expect("known").0;
    assert!((explained - 0.9 * 42.0 / 43.0).abs() < 1e-9, "{explained}");
    let Remedy::AskTogether { store: Store::Sql, at_most: Some(at_most) } = found.remedy else {
        panic!("{found:?}")
    };
    assert!((at_most - 1.0 / (1.0 - explained)).abs() < 1e-9, "{at_most}");
}

#[test]
fn a_few_queries_of_a_request_are_usual() {
    let once = waiting(20).looked_at(queries(400));
    assert_eq!(once.causes(), ["backend-slow"]);
    assert_eq!(numbers!(once.first(), BackendSlow).often, None);
    assert_eq!(once.first().remedy, Remedy::RelieveBackend);
    let few = waiting(20).looked_at(queries(400 * 4));
    assert_eq!(few.causes(), ["backend-slow"]);
    let often = AskedOften { per_request: Count(4.0), each: Seconds(18.0 / 1600.0), at_once: None };
    assert_eq!(numbers!(few.first(), BackendSlow).often, Some(often));
    assert_eq!(few.first().remedy, Remedy::AskSideBySide);
}

#[test]
fn many_slow_queries_are_both() {
    let look = Look::at(64.0, 100).in_state(64.0, ThreadState::Runnable, &POSTGRES);
    let look = look.peer(DATABASE, 64, 64.0, 0).exchanges(DATABASE, 1600);
    let scene = waiting(64).looked_at(look.inspection());
    assert_eq!(scene.causes(), ["chatty-backend", "backend-slow"], "16 answers of 40 ms each");
}

#[test]
fn who_thinks_for_long_does_not_miss_many_queries() {
    assert_eq!(thinking(20).looked_at(queries(400 * 43)).causes(), ["chatty-backend"], "half of their time");
    let mut patient = thinking(20);
    patient.thinks(Nanos::from_millis(640));
    let patient = patient.slices(|slice| slice.in_flight = slice.in_flight / 5.0);
    assert_eq!(patient.looked_at(queries(400 * 43)).causes(), NONE);
}

#[test]
fn many_queries_fill_a_cpu_too() {
    let full = |look: Inspection| Scene::healthy().load(20, 2000, 0.9).looked_at(look).causes();
    let runs = ["org.postgresql.core.v3.QueryExecutorImpl.processResults", "shop.Orders.find"];
    let within = Look::at(20.0, 4000).in_state(14.0, ThreadState::Runnable, &runs);
    let within = within.in_state(4.0, ThreadState::Runnable, &POSTGRES).peer(DATABASE, 20, 4.0, 0);
    let chatty = full(within.exchanges(DATABASE, 4000 * 43).inspection());
    assert_eq!(chatty, ["chatty-backend", "server-cpu-saturated"]);
    let other = Look::at(20.0, 4000).in_state(18.0, ThreadState::Runnable, &["shop.Orders.find"]);
    let other = other.in_state(2.0, ThreadState::Runnable, &POSTGRES).peer(DATABASE, 20, 2.0, 0);
    assert_eq!(full(other.exchanges(DATABASE, 4000 * 43).inspection()), ["server-cpu-saturated"]);
}

/// The server uses 0.6 of 2 CPUs, and programs beside it the rest: the database and the generator.
#[test]
fn on_a_full_cpu_a_service_is_slow_only_if_it_takes_most_of_the_time() {
    let causes = |awaited: f64, answers: u64| {
        let look = Look::at(20.0, answers).in_state(awaited, ThreadState::Runnable, &POSTGRES);
        let look = look.in_state(20.0 - awaited, ThreadState::Runnable, &["shop.Orders.find"]);
        let look = look.peer(DATABASE, 20, awaited, 0).exchanges(DATABASE, answers).inspection();
        let scene = Scene::healthy().load(20, answers / 2, 0.3).looked_at(look);
        scene.slices(|slice| slice.cpu_ns_other_arms = 700_000_000).causes()
    };
    assert!(!causes(8.0, 2000).contains(&"backend-slow"), "{:?}", causes(8.0, 2000));
    assert!(causes(14.0, 2000).contains(&"backend-slow"), "{:?}", causes(14.0, 2000));
    let quick = causes(14.0, 20_000);
    assert!(!quick.contains(&"backend-slow"), "1.4 ms, of which most is the wait for a CPU: {quick:?}");
}

#[test]
fn all_keys_of_redis_and_delayed_acknowledgements_have_advice_of_their_own() {
    let in_pieces = |answers: u64, pieces: u64, frames: &[&str]| {
        let look = Look::at(20.0, answers).in_state(20.0, ThreadState::Runnable, frames);
        let look = look.peer("10.0.0.1:6379", 20, 20.0, 0).exchanges("10.0.0.1:6379", answers);
        let mut inspection = look.inspection();
        let peer = inspection.peers.get_mut("10.0.0.1:6379").expect("a peer");
        (peer.sent, peer.bytes) = (pieces * answers, [5 * pieces * answers, 21 * answers]);
        let found = waiting(20).looked_at(inspection).first();
        assert_eq!(found.cause().id(), "backend-slow");
        found.remedy
    };
    let advice = |answers: u64, frames: &[&str]| in_pieces(answers, 1, frames);
    let keys =
        ["sun.nio.ch.SocketDispatcher.read0", "redis.clients.jedis.Jedis.keys", "shop.Presence.online"];
    let get = ["sun.nio.ch.SocketDispatcher.read0", "redis.clients.jedis.Jedis.get", "shop.Presence.online"];
    assert_eq!(advice(400, &keys), Remedy::AvoidKeys);
    assert_eq!(
        [470, 400].map(|answers| in_pieces(answers, 2, &get)),
        [Remedy::WriteAtOnce, Remedy::RelieveBackend]
    );
    assert_eq!(
        advice(470, &get),
        Remedy::RelieveBackend,
        "a service that takes 42 ms for what comes in one piece"
    );
}

#[test]
fn what_is_asked_side_by_side_is_told_so() {
    let look = Look::at(20.0, 400).requests(20.0, &FUTURE);
    let look = look.peer("10.0.0.1:80", 40, 40.0, 0).exchanges("10.0.0.1:80", 800);
    let scene = waiting(20)
        .looked_at(look.peer("10.0.0.2:80", 40, 40.0, 0).exchanges("10.0.0.2:80", 800).inspection());
    assert_eq!(scene.causes(), ["backend-slow"]);
    let wait = numbers!(scene.first(), BackendSlow);
    let often = AskedOften { per_request: Count(4.0), each: Seconds(0.05), at_once: Some(Count(4.0)) };
    assert_eq!((wait.often, wait.addresses), (Some(often), 2));
    assert_eq!(scene.first().remedy, Remedy::RelieveBackend);
}

#[test]
fn who_looks_up_names_does_not_wait_for_the_partner() {
    let look = |looking: f64| {
        let look = Look::at(20.0, 400).in_state(looking, ThreadState::Runnable, &LOOK_UP);
        let look = look.requests(20.0 - looking, &CALL);
        look.peer(PARTNER, 20, 0.4, 9).exchanges(PARTNER, 400).inspection()
    };
    let scene = waiting(20).looked_at(look(19.0));
    assert_eq!(scene.causes(), ["lookup-per-call"]);
    let found = numbers!(scene.first(), LookupPerCall);
    assert_eq!((found.share, found.at.method.as_deref()), (Share(0.95), Some("shop.Stock.ask")));
    assert_eq!(found.at.caller.as_deref(), Some("shop.Checkout.doGet"));
    assert_partner(&found.partner.expect("it answers"), 0.001);
    assert_eq!(waiting(20).looked_at(look(1.0)).causes(), ["client-slow"], "it was looked up before");
}

#[test]
fn a_resolver_of_the_applications_own_is_a_look_up_of_its_caller() {
    let frames = [
        "java.lang.Thread.sleep",
        "net.slow.Resolver.lookupByName",
        "java.net.InetAddress.getAllByName0",
        "shop.Stock.ask",
    ];
    let scene = waiting(20).looked_at(Look::at(20.0, 400).requests(20.0, &frames).inspection());
    assert_eq!(scene.causes(), ["lookup-per-call"]);
    assert_eq!(numbers!(scene.first(), LookupPerCall).at.method.as_deref(), Some("shop.Stock.ask"));
}

#[test]
fn connections_that_are_opened_for_each_request_are_counted() {
    let look = |opened: u64, frames: &[&str]| {
        let look = Look::at(20.0, 400).in_state(16.0, ThreadState::Runnable, frames);
        let look = look.in_state(4.0, ThreadState::Runnable, &POSTGRES).peer(DATABASE, 20, 20.0, 0);
        look.exchanges(DATABASE, 2400).opened(DATABASE, opened).inspection()
    };
    let scene = waiting(20).looked_at(look(400, &SIGN_IN));
    assert_eq!(scene.causes(), ["connection-per-call", "backend-slow"]);
    let found = numbers!(scene.first(), ConnectionPerCall);
    assert_eq!((found.per_request, found.share, found.tls), (Count(1.0), Share(0.8), false));
    assert_eq!(found.backend.as_deref(), Some(DATABASE));
    let kept = Remedy::KeepBackendConnections { store: Store::Sql, tls: false, pool: None };
    assert_eq!(scene.first().remedy, kept);
    // It is opened once and kept: the database lets them in slowly.
    assert_eq!(waiting(20).looked_at(look(20, &SIGN_IN)).causes(), ["backend-slow"]);
    let secured = waiting(20).looked_at(look(400, &HANDSHAKE)).first();
    assert!(numbers!(secured, ConnectionPerCall).tls);
    assert_eq!(secured.remedy, Remedy::KeepBackendConnections { store: Store::Sql, tls: true, pool: None });
    let full = Scene::healthy().load(20, 2000, 0.9).looked_at(look(400, &HANDSHAKE));
    assert_eq!(full.causes(), ["connection-per-call", "server-cpu-saturated"]);
}

/// A database that was looked at ten times, with statements that ran, waited for a lock, and did so behind an idle transaction.
fn database(statements: &[(&str, [u64; 3])], rows: u64) -> DatabaseSeen {
    let statement = |(text, [running, locked, holder_idle]): &(&str, [u64; 3])| StatementSeen {
        text: (*text).to_owned(),
        running: *running,
        locked: *locked,
        holder_idle: *holder_idle,
    };
    DatabaseSeen {
        address: DATABASE.to_owned(),
        looks: 10,
        statements: statements.iter().map(statement).collect(),
        scanned: [("article".to_owned(), rows)].into(),
    }
}

#[test]
fn a_statement_that_reads_a_whole_table_is_named_with_it() {
    let look = |exchanges: u64, rows: u64| Inspection {
        databases: vec![database(&[("select a", [150, 0, 0]), ("select b", [30, 0, 0])], rows)],
        ..queries(exchanges)
    };
    let scene = waiting(20).looked_at(look(400, 400 * 60_000));
    assert_eq!(scene.causes(), ["slow-sql"]);
    let found = numbers!(scene.first(), SlowSql);
    assert_eq!((found.statement.as_str(), found.share), ("select a", Share(0.9)));
    assert_eq!(found.scan, Some(TableScan { table: "article".to_owned(), rows: 60_000.0 }));
    let explained = |table: Option<&str>| Remedy::ExplainStatement { table: table.map(str::to_owned) };
    assert_eq!(scene.first().remedy, explained(Some("article")));
    // 45 ms are long for whatever it does.
    let slow = waiting(20).looked_at(look(400, 0));
    assert_eq!((slow.causes(), slow.first().remedy), (vec!["slow-sql"], explained(None)));
    for (statement, is_page) in [
        ("SELECT a FROM t ORDER BY b LIMIT ? OFFSET ?", true),
        ("select a from t order by b limit ?, ?", true),
        ("select offset_days from t limit ?", false),
    ] {
        let databases = vec![database(&[(statement, [150, 0, 0])], 400 * 60_000)];
        let found = waiting(20).looked_at(Inspection { databases, ..queries(400) }).first();
        assert_eq!(found.remedy == Remedy::PageByKey, is_page, "{statement}");
    }
    let quick = waiting(20).looked_at(look(400 * 43, 400 * 100));
    assert_eq!(quick.causes(), ["chatty-backend"], "a millisecond each, of a small table");
    let full = Scene::healthy().load(20, 2000, 0.9);
    assert_eq!(full.looked_at(look(400, 400 * 60_000)).causes(), ["slow-sql", "server-cpu-saturated"]);
    let quick = Scene::healthy().load(20, 2000, 0.9).looked_at(look(400, 0));
    assert_eq!(quick.causes(), ["server-cpu-saturated"]);
}

#[test]
fn a_statement_on_a_connection_of_its_own_is_slow_because_of_that() {
    let look = Look::at(20.0, 400).in_state(9.0, ThreadState::Runnable, &SIGN_IN);
    let look = look.in_state(11.0, ThreadState::Runnable, &POSTGRES).peer(DATABASE, 20, 20.0, 0);
    let look = look.exchanges(DATABASE, 400).opened(DATABASE, 400).inspection();
    let look = Inspection { databases: vec![database(&[("select a", [110, 0, 0])], 0)], ..look };
    assert_eq!(waiting(20).looked_at(look).causes(), ["connection-per-call", "backend-slow"]);
}

#[test]
fn statements_that_wait_for_a_row_do_not_lack_an_index() {
    let look = |locked: u64, idle: u64| Inspection {
        databases: vec![database(&[("update c", [180 - locked, locked, idle]), ("commit", [2, 0, 0])], 0)],
        ..queries(800)
    };
    let scene = waiting(20).looked_at(look(170, 165));
    assert_eq!(scene.causes(), ["row-lock"]);
    let found = numbers!(scene.first(), RowLock);
    assert_eq!(found.statement, "update c");
    assert!((found.share.0 - 0.9 * 170.0 / 182.0).abs() < 1e-9, "{found:?}");
    assert!(found.idle.is_some_and(|idle| (idle.0 - 165.0 / 170.0).abs() < 1e-9), "{found:?}");
    assert_eq!(scene.first().remedy, Remedy::EndTransactionSooner);
    let busy = numbers!(waiting(20).looked_at(look(170, 0)).first(), RowLock);
    assert_eq!(busy.idle, None);
    assert_eq!(waiting(20).looked_at(look(20, 20)).causes(), ["slow-sql"]);
}

#[test]
fn a_pool_is_no_limit_where_its_connections_wait_for_a_row() {
    let look = Look::at(20.0, 200).requests(10.0, &HIKARI).in_state(10.0, ThreadState::Runnable, &POSTGRES);
    let look = look.peer(DATABASE, 10, 10.0, 0).exchanges(DATABASE, 400).inspection();
    let look = Inspection { databases: vec![database(&[("update c", [2, 98, 0])], 0)], ..look };
    assert_eq!(waiting(20).looked_at(look).first().cause().id(), "row-lock");
}

#[test]
fn an_answer_that_has_come_waits_for_the_client() {
    let work = ["jdk.internal.net.http.HttpClientImpl$SelectorManager.run"];
    let look_at = |rate: u64, awaited: f64, open: u64| {
        let look = Look::at(20.0, rate).requests(20.0, &CALL);
        let look = look.threads(2.0, "HttpClient-#-Worker-#", ThreadState::Runnable, &work);
        let look = look.threads(0.1, "HttpClient-#-Worker-#", ThreadState::Waiting, &IDLE);
        look.peer(PARTNER, open, awaited, 0).exchanges(PARTNER, rate).inspection()
    };
    let look = |awaited: f64, open: u64| look_at(400, awaited, open);
    let scene = waiting(20).looked_at(look(6.0, 20));
    assert_eq!(scene.causes(), ["client-slow", "backend-slow"]);
    let found = numbers!(scene.first(), ClientSlow);
    assert!((found.share.0 - 0.7).abs() < 1e-9 && (found.each.0 - 0.035).abs() < 1e-9, "{found:?}");
    assert_partner(&found.partner, 0.015);
    assert_eq!(found.threads.as_deref(), Some("HttpClient-#-Worker-#"));
    assert_eq!(waiting(20).looked_at(look(19.0, 20)).causes(), ["backend-slow"]);
    assert!(!scene.first().expected);
    // 7 ms are the turn of a thread among others.
    let quick = waiting(20).looked_at(look_at(2000, 6.0, 20));
    assert!(quick.first().expected, "{:?}", quick.first());
    // Many requests share a connection, on which the kernel sees one answer.
    assert_eq!(waiting(20).looked_at(look(1.0, 1)).causes(), ["backend-slow"]);
}
