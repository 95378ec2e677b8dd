//! Every finding has a distinct sentence with its numbers in both languages.

use super::finding;
use crate::say::testing::{assert_said_in_both_languages, assert_told_apart};
use crate::words::Lang;
use model::experiment::Objective;
use model::finding::{
    BackendWait, Bounded, Cause, Ceiling, ClosedBy, Collections, Compiling, ConnectionsFull,
    ConnectionsNotKept, CpuFull, CpuShares, DearFrame, DescriptorsExhausted, DiskWait, Doing, FastErrors,
    Finding, Handshakes, HeapFull, Lacking, LateGenerator, Legacy, Lent, LockWait, MemoryShort, Neighbour,
    NotFound, Pinning, PoolFull, PoolUsedUp, PortsExhausted, QueueOverflow, QuotaUsed, RateLimit, Remedy,
    RequestPlace, RequestsPerConnection, RuledOut, Shown, Slots, Stalls, Starved, SyncWait, TasksFull,
};
use model::measure::Measure;
use model::outcome::{Diagnosis, Load};
use model::reason::{FullLink, GeneratorLimit, LinkWay, Reason};
use model::units::{BitRate, Bytes, Nanos};

const CEILING: Ceiling =
    Ceiling { rate: 1950.0, slots: 200.0, each: 0.103, in_flight: 500.0, waiting: 300.0, busy: 0.12 };

/// The findings of a cause, one for each form of its sentence. A new cause does not compile until it is here.
fn forms(cause: Cause) -> Vec<Finding> {
    match cause {
        Cause::GeneratorSaturated => late_generators(),
        Cause::NoisyNeighbour => vec![
            Finding::NoisyNeighbour(Neighbour::Programs { share: 0.31 }),
            Finding::NoisyNeighbour(Neighbour::Hypervisor { share: 0.31 }),
            Finding::NoisyNeighbour(Neighbour::SpoiltStarts { share: 0.31 }),
            Finding::NoisyNeighbour(Neighbour::LateGenerator { share: 0.31 }),
        ],
        Cause::EphemeralPortsExhausted => {
            let (failed, share) = (28_231, 0.012);
            vec![Finding::EphemeralPortsExhausted(PortsExhausted { failed, share })]
        }
        Cause::FileDescriptorLimit => descriptors(),
        Cause::ConnectionLimit => vec![Finding::ConnectionLimit(ConnectionsFull {
            most: 8192.0,
            users: 9000.0,
            left_out: 808.0,
            given_up: 71,
        })],
        Cause::AcceptQueueOverflow => overflows(),
        Cause::ErrorsFast => errors(),
        Cause::MemoryLimit
        | Cause::GcPressure
        | Cause::AllocationStall
        | Cause::HeapNearlyFull
        | Cause::LinkSaturated
        | Cause::CpuQuotaThrottled => resources(cause),
        Cause::BackendSlow
        | Cause::LockContention
        | Cause::VirtualThreadPinning
        | Cause::DiskLogging
        | Cause::DiskSync => waits(cause),
        Cause::ApplicationPoolLimit => pools(),
        Cause::RateLimited => limiters(),
        Cause::ConcurrencyLimitDefault => {
            vec![Finding::ConcurrencyLimitDefault(TasksFull { ceiling: CEILING })]
        }
        Cause::ThreadPoolLimit => thread_pools(),
        Cause::TlsHandshakePerRequest | Cause::KeepaliveNotEffective | Cause::KeepaliveLimit => {
            connections(cause)
        }
        Cause::JitWarmingUp => vec![Finding::JitWarmingUp(Compiling { share: 0.38 })],
        Cause::ServerCpuSaturated => full_cpus(),
        Cause::LimitNotFound => not_found(),
    }
}

fn thread_pools() -> Vec<Finding> {
    let pool = |slots_are, holders| {
        let ceiling = CEILING;
        Finding::ThreadPoolLimit(PoolFull { slots_are, ceiling, holders })
    };
    vec![
        pool(Slots::Threads, None),
        pool(Slots::Tasks, None),
        pool(Slots::EventLoops, None),
        pool(Slots::Threads, Some(place(Doing::Answer))),
    ]
}

/// A place with all that can be known of it.
fn place(doing: Doing) -> RequestPlace {
    RequestPlace {
        doing,
        what: Some("10.0.0.1:5432".to_owned()),
        method: Some("shop.Orders.find".to_owned()),
        caller: Some("shop.Checkout.doGet".to_owned()),
        share: 0.93,
    }
}

/// A place of each kind.
fn places() -> Vec<RequestPlace> {
    let all = [
        Doing::Runs,
        Doing::ServerThread,
        Doing::Thread,
        Doing::Permit,
        Doing::Pool,
        Doing::Limiter,
        Doing::Lock,
        Doing::Answer,
        Doing::Client,
        Doing::File,
        Doing::Sync,
        Doing::Log,
        Doing::Result,
        Doing::Sleep,
        Doing::Stalled,
        Doing::Other,
        Doing::NoThread,
    ];
    // Does not compile when there is a new kind: then it has to stand in the list, too.
    all.iter().for_each(|doing| match doing {
        Doing::Runs
        | Doing::ServerThread
        | Doing::Thread
        | Doing::Permit
        | Doing::Pool
        | Doing::Limiter
        | Doing::Lock
        | Doing::Answer
        | Doing::Client
        | Doing::File
        | Doing::Sync
        | Doing::Log
        | Doing::Result
        | Doing::Sleep
        | Doing::Stalled
        | Doing::Other
        | Doing::NoThread => {}
    });
    all.map(place).to_vec()
}

fn pools() -> Vec<Finding> {
    let pool = |pool, holders| {
        Finding::ApplicationPoolLimit(PoolUsedUp {
            pool,
            method: Some("shop.Pool.take".to_owned()),
            caller: Some("shop.Checkout.doGet".to_owned()),
            slots: 8.0,
            each: 0.0201,
            waiting: 66.0,
            in_flight: 74.0,
            holders,
            busy: 0.12,
        })
    };
    let library = |lends| Bounded::Library {
        product: "HikariCP".to_owned(),
        lends,
        setting: Some("maximumPoolSize".to_owned()),
    };
    let others = [
        library(Lent::Connections),
        library(Lent::Objects),
        library(Lent::Calls),
        Bounded::Queue,
        Bounded::Threads { names: "quotes-#".to_owned() },
        Bounded::Client { peer: "10.0.0.1:80".to_owned() },
        Bounded::OneConnection { product: "PostgreSQL".to_owned() },
    ];
    let others = others.map(|other| pool(other, None));
    let permits = places().into_iter().map(|place| pool(Bounded::Permits, Some(place)));
    permits.chain(others).collect()
}

fn limiters() -> Vec<Finding> {
    let limiter = |product: Option<&str>| {
        Finding::RateLimited(RateLimit {
            product: product.map(str::to_owned),
            setting: None,
            method: Some("sms.Carrier.send".to_owned()),
            caller: None,
            share: 0.98,
            rate: 180.0,
            each: 0.31,
            busy: 0.12,
        })
    };
    vec![limiter(None), limiter(Some("Guava"))]
}

fn late_generators() -> Vec<Finding> {
    let why = Reason::InSlices {
        reason: Box::new(Reason::GeneratorSaturated(GeneratorLimit::EventLoopBusy {
            share: 0.93,
            limit: 0.8,
        })),
        slices: 5,
        all: 9,
    };
    let late = |why, starved| {
        Finding::GeneratorSaturated(LateGenerator {
            share_of_slices: 0.87,
            share_of_starts: 0.0,
            why,
            starved,
        })
    };
    let in_starts = Finding::GeneratorSaturated(LateGenerator {
        share_of_slices: 0.0,
        share_of_starts: 0.5,
        why: Some(why.clone()),
        starved: None,
    });
    let starved = |idle| Some(Starved { cpus: 0.21, idle });
    vec![
        in_starts,
        late(None, None),
        late(Some(why.clone()), None),
        late(Some(why), starved(Some(0.71))),
        late(None, starved(None)),
    ]
}

fn descriptors() -> Vec<Finding> {
    let of_server = |lacking| DescriptorsExhausted::OfServer { open: 199.0, limit: 205.0, lacking };
    [
        DescriptorsExhausted::OfGenerator { failed: 17, share: 0.03 },
        of_server(Lacking::Users { left_out: 96.0, users: 300.0 }),
        of_server(Lacking::Requests { failed: 0.07 }),
    ]
    .map(Finding::FileDescriptorLimit)
    .to_vec()
}

fn overflows() -> Vec<Finding> {
    let retries = vec![1.0, 3.0, 7.0];
    [
        QueueOverflow::UnderLoad {
            limit: 100.0,
            overflows: 1673,
            late: 0.11,
            on_time: 0.98,
            retries: retries.clone(),
            connecting: 0.24,
        },
        QueueOverflow::UnderLoad {
            limit: 50.0,
            overflows: 356,
            late: 0.0,
            on_time: 0.0,
            retries: retries.clone(),
            connecting: 0.68,
        },
        QueueOverflow::AtConnecting { users: 40.0, limit: 10, overflows: 20.0, again: 35.0, retries },
    ]
    .map(Finding::AcceptQueueOverflow)
    .to_vec()
}

fn errors() -> Vec<Finding> {
    let errors = |right| {
        Finding::ErrorsFast(FastErrors {
            share: 0.02,
            each: 1e-4,
            right,
            faults: [("reset".to_owned(), 12), ("wrong_status".to_owned(), 34)].into(),
        })
    };
    vec![errors(None), errors(Some(0.0153))]
}

fn resources(cause: Cause) -> Vec<Finding> {
    let collections = |longest, cpu| {
        Finding::GcPressure(Collections {
            share: 0.12,
            per_second: 40.0,
            heap: Bytes(256 << 20),
            longest,
            cpu,
        })
    };
    let stalls = |each, collector: Option<&str>, live| {
        Finding::AllocationStall(Stalls {
            share: 0.61,
            each,
            collector: collector.map(str::to_owned),
            heap: Bytes(256 << 20),
            live,
        })
    };
    let nearly_full = |per_second| {
        Finding::HeapNearlyFull(HeapFull {
            live: Bytes(240 << 20),
            heap: Bytes(256 << 20),
            collecting: 0.44,
            per_second,
        })
    };
    let quota = |waited| Finding::CpuQuotaThrottled(QuotaUsed { used: 0.48, quota: 0.5, waited, cpus: 2.0 });
    match cause {
        Cause::GcPressure => {
            vec![collections(None, None), collections(Some(0.033), None), collections(None, Some(0.37))]
        }
        Cause::AllocationStall => {
            vec![stalls(None, None, None), stalls(Some(0.24), Some("Z"), Some(Bytes(140 << 20)))]
        }
        Cause::HeapNearlyFull => vec![nearly_full(None), nearly_full(Some(12.0))],
        Cause::CpuQuotaThrottled => vec![quota(None), quota(Some(0.95))],
        Cause::LinkSaturated => vec![full_link(LinkWay::Answers), full_link(LinkWay::Requests)],
        _ => vec![Finding::MemoryLimit(MemoryShort {
            limit: Bytes(300 << 20),
            hits: 800.0,
            read: 8192.0,
            kills: 1.0,
        })],
    }
}

fn full_link(way: LinkWay) -> Finding {
    Finding::LinkSaturated(FullLink { way, used: BitRate(44_600_000), rate: BitRate(45_000_000), limit: 0.9 })
}

fn waits(cause: Cause) -> Vec<Finding> {
    let (share, each, busy) = (0.94, 0.064, 0.17);
    let method = || Some("shop.Tickets.sell".to_owned());
    let lock = |method: Option<String>, holder| {
        Finding::LockContention(LockWait {
            lock: "shop.Tickets".to_owned(),
            share,
            each,
            busy,
            caller: method.as_ref().map(|_| "shop.Sales.doGet".to_owned()),
            method,
            holder,
        })
    };
    let backend = |addresses, method| {
        Finding::BackendSlow(BackendWait {
            backend: "127.0.0.1:11211".to_owned(),
            share,
            each,
            busy,
            addresses,
            method,
        })
    };
    let log = |method| {
        Finding::DiskLogging(DiskWait {
            file: "/logs/access.log".to_owned(),
            share,
            each,
            written: 90.0,
            method,
        })
    };
    let sync = |file: Option<&str>, behind| {
        Finding::DiskSync(SyncWait {
            file: file.map(str::to_owned),
            method: method(),
            share,
            behind,
            each,
            busy,
        })
    };
    match cause {
        Cause::BackendSlow => vec![backend(1, None), backend(4, method())],
        Cause::LockContention => vec![lock(None, None), lock(method(), Some(place(Doing::Answer)))],
        Cause::VirtualThreadPinning => vec![Finding::VirtualThreadPinning(Pinning {
            wait: "shop.Tickets".to_owned(),
            held: 1.9,
            carriers: 2.0,
            busy,
        })],
        Cause::DiskSync => vec![sync(None, 0.0), sync(Some("/var/journal.7"), 0.31)],
        _ => vec![log(None), log(method())],
    }
}

fn connections(cause: Cause) -> Vec<Finding> {
    let not_kept =
        |closed_by| Finding::KeepaliveNotEffective(ConnectionsNotKept { per_request: 0.97, closed_by });
    match cause {
        Cause::KeepaliveNotEffective => vec![not_kept(ClosedBy::Load), not_kept(ClosedBy::Server)],
        Cause::KeepaliveLimit => vec![Finding::KeepaliveLimit(RequestsPerConnection {
            each: 100.0,
            opened: 240,
            requests: 24_000,
        })],
        _ => vec![Finding::TlsHandshakePerRequest(Handshakes { per_request: 0.98, resumed: 0.5 })],
    }
}

fn full_cpus() -> Vec<Finding> {
    let full = |shares| {
        Finding::ServerCpuSaturated(CpuFull {
            used: 1.42,
            cpus: 2.0,
            shares,
            per_request: 2.4e-5,
            generator: 0.4,
        })
    };
    let shares = CpuShares { application: 0.6, children: 0.0, kernel: 0.32, jit: 0.05, gc: 0.03 };
    let forked = CpuShares { application: 0.1, children: 0.5, ..shares };
    vec![full(None), full(Some(shares)), full(Some(forked))]
}

fn not_found() -> Vec<Finding> {
    let by_users = Shown::ByUsers { users: 64.0, rate: 20_200.0, fewer_users: 4.0, fewer_rate: 19_900.0 };
    let by_objective = Shown::ByObjective {
        rate: 1100.0,
        objective: Objective { measure: Measure::ResponseP99, limit: Nanos::from_millis(20) },
    };
    let not_found = |shown, server, collector, places: Vec<RequestPlace>, frames| {
        let ruled_out = RuledOut { busy: 0.51, server, generator: 0.12, collector, opened: 32, wrong: 6 };
        Finding::LimitNotFound(NotFound { shown, ruled_out, places, frames })
    };
    let frame = |method: &str, share| DearFrame { method: method.to_owned(), share };
    let frames = vec![frame("shop.Trim.all", 0.71), frame("java.util.HashMap.get", 0.12)];
    let none = Vec::new;
    vec![
        not_found(by_users, None, None, none(), Vec::new()),
        not_found(by_users, Some(0.41), Some(0.02), none(), Vec::new()),
        not_found(by_objective, None, Some(0.02), places(), frames),
    ]
}

/// The findings of all causes.
fn all() -> Vec<Finding> {
    Cause::ALL.iter().copied().flat_map(forms).collect()
}

#[test]
fn every_finding_is_said_in_both_languages_with_its_numbers() {
    for cause in Cause::ALL {
        let forms = forms(*cause);
        assert!(forms.iter().all(|form| form.cause() == *cause), "{cause}");
    }
    assert_told_apart(all().iter(), finding);
    for form in all() {
        assert_said_in_both_languages(&finding(&form, Lang::En), &finding(&form, Lang::Zh));
    }
}

#[test]
fn a_diagnosis_says_how_much_it_explains() {
    let diagnosis = Diagnosis {
        finding: Finding::JitWarmingUp(Compiling { share: 0.38 }),
        level: Load::default(),
        explains: Some(0.38),
        evidence: Vec::new(),
        remedy: Remedy::WarmUpLonger,
        change: Vec::new(),
        proved: None,
        expected: false,
    };
    let said = |diagnosis: &Diagnosis, lang| super::diagnosis(diagnosis, lang);
    assert!(said(&diagnosis, Lang::En).ends_with("warming up (explains 38 %)"));
    assert!(said(&diagnosis, Lang::Zh).ends_with("预热（可解释 38 %）"));
    let expected = Diagnosis { expected: true, ..diagnosis.clone() };
    let stored = Diagnosis { explains: None, ..diagnosis };
    for silent in [expected, stored] {
        assert_eq!(said(&silent, Lang::En), finding(&silent.finding, Lang::En));
    }
}

#[test]
fn every_finding_is_stored_and_read_again() {
    for form in all() {
        let stored = serde_json::to_string(&form).expect("JSON");
        let read: Finding = serde_json::from_str(&stored).expect("a finding");
        assert_eq!(read, form);
        assert!(stored.starts_with(&format!("{{\"cause\":\"{}\"", form.cause())), "{stored}");
    }
}

#[test]
fn what_an_earlier_prony_stored_stays_as_it_is() {
    let old = Finding::Legacy(Legacy {
        cause: Cause::GcPressure,
        says: "the collector stops the server".to_owned(),
    });
    assert_eq!(finding(&old, Lang::Zh), "the collector stops the server");
}

#[test]
fn chinese_has_a_space_between_ideographs_and_what_fills_a_gap() {
    let pool = &forms(Cause::ThreadPoolLimit)[1];
    assert_eq!(
        finding(pool, Lang::Zh),
        "上限 1950/s = 同时 200 个请求（虚拟线程） / 103 ms：500 个在途请求中有 300 个在排队，而 CPU 使用率为 12 %"
    );
}
