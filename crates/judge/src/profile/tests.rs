//! Tests what profiles make of made-up inspections, whose truth is known.

use super::*;
use model::units::{Seconds, Share};
use record::inspection::{JfrFacts, PeerSeen, SleepsSeen, StackSeen, ThreadSamples, ThreadState, Waits};

/// An inspection of a second with ten dumps.
pub(crate) struct Look {
    inspection: Inspection,
}

const SERVLET: &str = "javax.servlet.http.HttpServlet.service";

impl Look {
    /// A scene with this mean number of requests in flight; `ok` requests were answered.
    pub(crate) fn at(in_flight: f64, ok: u64) -> Self {
        let samples = ThreadSamples { dumps: 10, ..ThreadSamples::default() };
        Self {
            inspection: Inspection {
                seconds: Seconds(1.0),
                ok,
                in_flight: Seconds(in_flight),
                loaded: Some(samples.clone()),
                idle: Some(samples),
                ..Inspection::default()
            },
        }
    }

    /// Threads of this group with these methods under load, innermost first.
    pub(crate) fn threads(mut self, threads: f64, group: &str, state: ThreadState, frames: &[&str]) -> Self {
        let loaded = self.inspection.loaded.get_or_insert_default();
        loaded.stacks.push(stack(threads, group, state, frames));
        self
    }

    /// Adds threads that are there all the time, with and without load.
    fn always(mut self, threads: f64, group: &str, frames: &[&str]) -> Self {
        let stack = stack(threads, group, ThreadState::Waiting, frames);
        let inspection = &mut self.inspection;
        inspection.idle.get_or_insert_default().stacks.push(stack.clone());
        inspection.loaded.get_or_insert_default().stacks.push(stack);
        self
    }

    /// The stacks under load, in the order in which they were added.
    pub(crate) fn stacks(&mut self) -> &mut [StackSeen] {
        &mut self.inspection.loaded.get_or_insert_default().stacks
    }

    /// Threads of the server that wait for work.
    fn idle(self, threads: f64, group: &str) -> Self {
        self.threads(threads, group, ThreadState::Waiting, &IDLE)
    }

    /// Threads of requests, which wait in these methods.
    pub(crate) fn requests(self, threads: f64, inner: &[&str]) -> Self {
        self.in_state(threads, ThreadState::Waiting, inner)
    }

    /// Threads of requests in these methods.
    pub(crate) fn in_state(self, threads: f64, state: ThreadState, inner: &[&str]) -> Self {
        let frames: Vec<&str> = inner.iter().copied().chain([SERVLET]).collect();
        self.threads(threads, "http-nio-#-exec-#", state, &frames)
    }

    /// Connections that the server has opened, and on how many of them it awaits an answer.
    pub(crate) fn peer(mut self, address: &str, most: u64, awaiting: f64, free: u64) -> Self {
        let seen = PeerSeen {
            looks: 20,
            connections: 20 * most,
            awaiting: (20.0 * awaiting) as u64,
            most,
            fewest_free: free,
            ..PeerSeen::default()
        };
        self.inspection.peers.insert(address.to_owned(), seen);
        self
    }

    /// How often the program at this address was asked and has answered.
    pub(crate) fn exchanges(mut self, address: &str, exchanges: u64) -> Self {
        let seen = self.inspection.peers.entry(address.to_owned()).or_default();
        (seen.sent, seen.received) = (exchanges, exchanges + 1);
        self
    }

    /// Connections that were opened; some were seen at this address.
    pub(crate) fn opened(mut self, address: &str, connections: u64) -> Self {
        self.inspection.peers.entry(address.to_owned()).or_default().fresh = connections / 10;
        self.inspection.opened = Some(connections);
        self
    }

    /// The inspection.
    pub(crate) fn inspection(self) -> Inspection {
        self.inspection
    }
}

fn stack(threads: f64, group: &str, state: ThreadState, frames: &[&str]) -> StackSeen {
    StackSeen {
        group: group.to_owned(),
        state,
        frames: frames.iter().map(|frame| (*frame).to_owned()).collect(),
        threads: (10.0 * threads).round() as u64,
        ..StackSeen::default()
    }
}

pub(crate) const IDLE: [&str; 3] = [
    "java.util.concurrent.locks.LockSupport.park",
    "java.util.concurrent.LinkedBlockingQueue.take",
    "java.util.concurrent.ThreadPoolExecutor.getTask",
];
pub(crate) const PERMIT: [&str; 4] = [
    "java.util.concurrent.locks.LockSupport.park",
    "java.util.concurrent.Semaphore.acquire",
    "shop.Pool.take",
    "shop.Checkout.doGet",
];
pub(crate) const HIKARI: [&str; 5] = [
    "java.util.concurrent.locks.LockSupport.parkNanos",
    "java.util.concurrent.SynchronousQueue.poll",
    "com.zaxxer.hikari.util.ConcurrentBag.borrow",
    "com.zaxxer.hikari.HikariDataSource.getConnection",
    "shop.Orders.find",
];
pub(crate) const POSTGRES: [&str; 3] = [
    "sun.nio.ch.SocketDispatcher.read0",
    "org.postgresql.core.VisibleBufferedInputStream.readMore",
    "shop.Orders.find",
];
pub(crate) const FUTURE: [&str; 3] = [
    "java.util.concurrent.locks.LockSupport.park",
    "java.util.concurrent.CompletableFuture.get",
    "shop.Quotes.doGet",
];
const SOCKET: [&str; 2] = ["sun.nio.ch.NioSocketImpl.read", "shop.Stock.ask"];

/// The places with the requests that wait there in truth, the largest first.
fn places(look: Look, slots: Option<f64>) -> Vec<(Doing, Option<String>, f64)> {
    let inspection = look.inspection();
    let profile = Profile::of(&inspection, Limits { slots }).expect("a profile");
    let all = profile.places.iter().filter(|place| place.requests > 0.0);
    let mut all: Vec<_> =
        all.map(|place| (place.spot.doing, place.spot.what.clone(), tenths(place.requests))).collect();
    all.sort_by(|one, other| other.2.total_cmp(&one.2));
    all
}

fn tenths(requests: f64) -> f64 {
    (10.0 * requests).round() / 10.0
}

fn named(name: &str) -> Option<String> {
    Some(name.to_owned())
}

#[test]
fn those_who_queue_for_a_permit_are_told_from_those_who_have_one() {
    let look = Look::at(64.0, 400)
        .requests(56.0, &PERMIT)
        .in_state(8.0, ThreadState::Runnable, &POSTGRES)
        .peer("10.0.0.1:5432", 8, 8.0, 0);
    let inspection = look.inspection();
    let profile = Profile::of(&inspection, Limits::default()).expect("a profile");
    let permits = profile.largest(Kind::Permit).expect("those who wait");
    assert_eq!((permits.requests, permits.held), (56.0, 8.0));
    assert_eq!(permits.spot.method, Some("shop.Pool.take"));
    assert_eq!(permits.spot.caller, Some("shop.Checkout.doGet"));
    let holders = permits.holders.as_ref().expect("holders");
    assert_eq!((holders.doing, holders.share), (Doing::Answer, Share(1.0)));
    assert!((profile.seconds(permits.held).0 - 0.02).abs() < 1e-9);
    assert_eq!(profile.share(Kind::Answer), 0.125);
}

#[test]
fn a_pool_behind_a_pool_is_the_limit() {
    // 17 of the server's 20 threads wait for 3 connections: the 80 who wait for a thread wait for these, too.
    let look = Look::at(100.0, 100)
        .requests(17.0, &HIKARI)
        .in_state(3.0, ThreadState::Runnable, &POSTGRES)
        .peer("10.0.0.1:5432", 3, 3.0, 0);
    let places = places(look, Some(20.0));
    assert_eq!(places, [(Doing::Pool, named("HikariCP"), 97.0), (Doing::Answer, named("PostgreSQL"), 3.0)]);
    // All 20 wait for the answer: there are too few threads for so slow an answer.
    let look = Look::at(100.0, 100).in_state(20.0, ThreadState::Runnable, &POSTGRES);
    let slow = self::places(look, Some(20.0));
    assert_eq!(slow[0], (Doing::ServerThread, named("http-nio-#-exec-#"), 80.0));
    assert_eq!(slow[1], (Doing::Answer, named("PostgreSQL"), 20.0));
}

#[test]
fn what_threads_do_without_any_load_is_no_request() {
    let senders = ["java.util.concurrent.Semaphore.acquire", "mail.Archive.keep"];
    let look = Look::at(4.0, 400)
        .always(6.0, "archive-#", &senders)
        .idle(8.0, "http-nio-#-exec-#")
        .requests(4.0, &["java.lang.Thread.sleep", "mail.Status.doGet"]);
    assert_eq!(places(look, None), [(Doing::Sleep, None, 4.0)]);
}

#[test]
fn an_executor_of_which_all_threads_are_taken_is_the_limit() {
    let executor = [
        "sun.nio.ch.NioSocketImpl.read",
        "shop.Quotes.ask",
        "java.util.concurrent.ThreadPoolExecutor.runWorker",
    ];
    let quotes = |in_flight: f64, idle: f64| {
        Look::at(in_flight, 200)
            .requests(in_flight, &FUTURE)
            .threads(5.0, "quotes-#", ThreadState::Runnable, &executor)
            .threads(idle, "quotes-#", ThreadState::Waiting, &IDLE)
            .peer("10.0.0.1:80", 5, 5.0, 0)
    };
    assert_eq!(
        places(quotes(60.0, 0.0), None),
        [(Doing::Thread, named("quotes-#"), 55.0), (Doing::Answer, None, 5.0)]
    );
    let roomy = places(quotes(5.0, 10.0), None);
    assert_eq!(roomy, [(Doing::Answer, None, 5.0)]);
}

#[test]
fn answers_are_awaited_without_any_thread() {
    let waiting = |awaited: f64, most: u64, free: u64| {
        let look = Look::at(60.0, 200).requests(60.0, &FUTURE);
        places(look.peer("10.0.0.1:80", most, awaited, free), None)
    };
    assert_eq!(waiting(58.0, 64, 2)[0], (Doing::Answer, named("10.0.0.1:80"), 58.0));
    // A client with five connections that are never free.
    assert_eq!(
        waiting(4.8, 5, 0),
        [(Doing::Pool, named("10.0.0.1:80"), 55.2), (Doing::Answer, named("10.0.0.1:80"), 4.8)]
    );
    let timer = places(Look::at(48.0, 190), None);
    assert_eq!(timer, [(Doing::NoThread, None, 48.0)], "a timer keeps them");
}

#[test]
fn a_lock_is_that_of_what_its_holder_waits_for() {
    let waits = ["shop.Journal.append", "shop.Booking.doPost"];
    let force = ["sun.nio.ch.FileChannelImpl.force", "shop.Journal.append", "shop.Booking.doPost"];
    let disk = Look::at(48.0, 300).in_state(40.0, ThreadState::Blocked, &waits).in_state(
        8.0,
        ThreadState::Runnable,
        &force,
    );
    assert_eq!(places(disk, None), [(Doing::Sync, None, 48.0)]);
    let asks =
        ["sun.nio.ch.SocketDispatcher.read0", "org.postgresql.core.Parser.read", "shop.Journal.append"];
    let database = Look::at(48.0, 300).in_state(47.0, ThreadState::Blocked, &waits).in_state(
        1.0,
        ThreadState::Runnable,
        &asks,
    );
    let found = places(database, None);
    assert_eq!((found[0].0, found[0].2), (Doing::Lock, 47.0));
    let pool = Look::at(48.0, 300)
        .in_state(40.0, ThreadState::Blocked, &waits)
        .requests(7.0, &[&HIKARI[..4], &waits[..]].concat())
        .in_state(1.0, ThreadState::Runnable, &POSTGRES);
    assert_eq!(places(pool, None)[0], (Doing::Pool, named("HikariCP"), 47.0));
}

#[test]
fn a_plain_socket_is_that_of_the_client_unless_an_answer_is_awaited() {
    let look = |awaited: f64| {
        let look = Look::at(30.0, 300).in_state(30.0, ThreadState::Runnable, &SOCKET);
        places(look.peer("10.0.0.1:80", 30, awaited, 1), None)
    };
    assert_eq!(look(30.0)[0], (Doing::Answer, None, 30.0));
    assert_eq!(look(0.0), [(Doing::Client, None, 30.0)]);
}

#[test]
fn permits_that_nobody_holds_come_from_a_limiter() {
    let look = Look::at(60.0, 180).requests(60.0, &PERMIT);
    assert_eq!(places(look, None), [(Doing::Limiter, None, 60.0)]);
}

#[test]
fn sleeps_that_end_in_step_are_those_of_a_limiter_whoever_wrote_it() {
    let sleeping = |threads: f64, count: u64, spread: f64| {
        let asleep = ["java.lang.Thread.sleep", "shop.Gate.pass", "shop.Checkout.doGet"];
        let mut look = Look::at(60.0, 100).requests(threads, &asleep);
        let sleeps = SleepsSeen { count, seconds: Seconds(threads), spread: Some(spread) };
        let sleeps = [("shop.Gate.pass".to_owned(), sleeps)].into();
        look.inspection.jfr = Some(JfrFacts { sleeps, ..JfrFacts::default() });
        places(look, Some(20.0))
    };
    assert_eq!(sleeping(20.0, 100, 0.1), [(Doing::Limiter, None, 60.0)], "the full pool behind it, too");
    let first = |found: Vec<(Doing, Option<String>, f64)>| found[0].0;
    assert_eq!(first(sleeping(20.0, 100, 0.9)), Doing::ServerThread, "each sleeps for itself");
    assert_eq!(first(sleeping(20.0, 1000, 0.1)), Doing::ServerThread, "as close as users begin");
    assert_eq!(first(sleeping(20.0, 20, 0.1)), Doing::ServerThread, "too few to tell");
}

#[test]
fn a_server_of_the_applications_own_has_its_requests_in_its_methods() {
    let works =
        ["java.lang.Thread.sleep", "own.Server.handle", "java.util.concurrent.ThreadPoolExecutor.runWorker"];
    let look = Look::at(40.0, 100).threads(8.0, "pool-#-thread-#", ThreadState::Waiting, &works);
    assert_eq!(
        places(look, None),
        [(Doing::Thread, named("pool-#-thread-#"), 32.0), (Doing::Sleep, None, 8.0)]
    );
}

#[test]
fn without_stacks_the_kernel_tells_what_is_awaited() {
    let mut inspection = Look::at(60.0, 200).peer("10.0.0.1:80", 64, 57.0, 4).inspection();
    (inspection.loaded, inspection.idle) = (None, None);
    let profile = Profile::of(&inspection, Limits::default()).expect("a profile");
    assert_eq!(profile.share(Kind::Answer), 0.95);
    inspection.peers.clear();
    assert!(Profile::of(&inspection, Limits::default()).is_none());
    let waits = Waits { count: 1, seconds: Seconds(1.0) };
    inspection.jfr =
        Some(JfrFacts { sockets: [("10.0.0.1:80".to_owned(), waits)].into(), ..JfrFacts::default() });
    assert!(
        Profile::of(&inspection, Limits::default()).is_none(),
        "the JDK Flight Recorder alone tells no shares"
    );
}

#[test]
fn the_dearest_methods_are_those_that_call_the_jdk() {
    let stack = |frames: &[&str], seconds| record::inspection::CpuStack {
        frames: frames.iter().map(|frame| (*frame).to_owned()).collect(),
        seconds,
    };
    let inspection = Inspection {
        cpu: vec![
            stack(&["java.lang.Thread.run", "shop.Trim.all", "java.util.regex.Pattern.match"], Seconds(3.0)),
            stack(&["java.lang.Thread.run", "shop.Trim.all"], Seconds(1.0)),
            stack(
                &["java.lang.Thread.run", "org.eclipse.jetty.io.Flush.run", "tcp_sendmsg_[k]"],
                Seconds(1.0),
            ),
        ],
        ..Inspection::default()
    };
    let frames = dearest_methods(&inspection);
    let told: Vec<(&str, f64)> = frames.iter().map(|frame| (frame.method.as_str(), frame.share.0)).collect();
    assert_eq!(told, [("shop.Trim.all", 0.8), ("org.eclipse.jetty.io.Flush.run", 0.2)]);
}
