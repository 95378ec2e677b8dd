//! Every finding has a distinct sentence with its numbers in both languages.

use super::finding;
use crate::say::testing::{assert_said_in_both_languages, assert_told_apart};
use crate::words::Lang;
use model::experiment::Objective;
use model::finding::{
    BackendWait, Cause, Ceiling, ClosedBy, Collections, Compiling, ConnectionsFull, ConnectionsNotKept,
    CpuFull, CpuShares, DescriptorsExhausted, DiskWait, FastErrors, Finding, Handshakes, Lacking,
    LateGenerator, Legacy, LockWait, MemoryShort, Neighbour, NotFound, Pinning, PoolFull, PortsExhausted,
    QueueOverflow, QuotaUsed, RequestsPerConnection, RuledOut, Shown, Slots, Starved, TasksFull,
};
use model::measure::Measure;
use model::reason::{FullLink, GeneratorLimit, Reason};
use model::units::{BitRate, Bytes, Nanos};

const CEILING: Ceiling = Ceiling {
    rate: 1950.0,
    slots: 200.0,
    each: 0.103,
    in_flight: 500.0,
    waiting: 300.0,
    busy: 0.12,
};

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
        Cause::MemoryLimit | Cause::GcPressure | Cause::LinkSaturated | Cause::CpuQuotaThrottled => {
            resources(cause)
        }
        Cause::BackendSlow | Cause::LockContention | Cause::VirtualThreadPinning | Cause::DiskLogging => {
            waits(cause)
        }
        Cause::ConcurrencyLimitDefault => {
            vec![Finding::ConcurrencyLimitDefault(TasksFull { ceiling: CEILING })]
        }
        Cause::ThreadPoolLimit => [Slots::Threads, Slots::Tasks]
            .map(|slots_are| {
                let ceiling = CEILING;
                Finding::ThreadPoolLimit(PoolFull { slots_are, ceiling })
            })
            .to_vec(),
        Cause::TlsHandshakePerRequest | Cause::KeepaliveNotEffective | Cause::KeepaliveLimit => {
            connections(cause)
        }
        Cause::JitWarmingUp => vec![Finding::JitWarmingUp(Compiling { share: 0.38 })],
        Cause::ServerCpuSaturated => full_cpus(),
        Cause::LimitNotFound => not_found(),
    }
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
            why,
            starved,
        })
    };
    let starved = |idle| Some(Starved { cpus: 0.21, idle });
    vec![
        late(None, None),
        late(Some(why.clone()), None),
        late(Some(why), starved(Some(0.71))),
        late(None, starved(None)),
    ]
}

fn descriptors() -> Vec<Finding> {
    let of_server = |lacking| DescriptorsExhausted::OfServer {
        open: 199.0,
        limit: 205.0,
        lacking,
    };
    [
        DescriptorsExhausted::OfGenerator {
            failed: 17,
            share: 0.03,
        },
        of_server(Lacking::Users {
            left_out: 96.0,
            users: 300.0,
        }),
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
        QueueOverflow::AtConnecting {
            users: 40.0,
            limit: 10,
            overflows: 20.0,
            again: 35.0,
            retries,
        },
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
    let collections = |longest| {
        Finding::GcPressure(Collections {
            share: 0.12,
            per_second: 40.0,
            heap: Bytes(256 << 20),
            longest,
        })
    };
    let quota = |waited| {
        Finding::CpuQuotaThrottled(QuotaUsed {
            used: 0.48,
            quota: 0.5,
            waited,
            cpus: 2.0,
        })
    };
    match cause {
        Cause::GcPressure => vec![collections(None), collections(Some(0.033))],
        Cause::CpuQuotaThrottled => vec![quota(None), quota(Some(0.95))],
        Cause::LinkSaturated => vec![Finding::LinkSaturated(FullLink {
            used: BitRate(44_600_000),
            rate: BitRate(45_000_000),
            limit: 0.9,
        })],
        _ => vec![Finding::MemoryLimit(MemoryShort {
            limit: Bytes(300 << 20),
            hits: 800.0,
            read: 8192.0,
            kills: 1.0,
        })],
    }
}

fn waits(cause: Cause) -> Vec<Finding> {
    let (share, each, busy) = (0.94, 0.064, 0.17);
    vec![match cause {
        Cause::BackendSlow => Finding::BackendSlow(BackendWait {
            backend: "127.0.0.1:11211".to_owned(),
            share,
            each,
            busy,
        }),
        Cause::LockContention => Finding::LockContention(LockWait {
            lock: "shop.Tickets".to_owned(),
            share,
            each,
            busy,
        }),
        Cause::VirtualThreadPinning => Finding::VirtualThreadPinning(Pinning {
            wait: "shop.Tickets".to_owned(),
            held: 1.9,
            carriers: 2.0,
            busy,
        }),
        _ => Finding::DiskLogging(DiskWait {
            file: "/logs/access.log".to_owned(),
            share,
            each,
            written: 90.0,
        }),
    }]
}

fn connections(cause: Cause) -> Vec<Finding> {
    let not_kept = |closed_by| {
        Finding::KeepaliveNotEffective(ConnectionsNotKept {
            per_request: 0.97,
            closed_by,
        })
    };
    match cause {
        Cause::KeepaliveNotEffective => vec![not_kept(ClosedBy::Load), not_kept(ClosedBy::Server)],
        Cause::KeepaliveLimit => vec![Finding::KeepaliveLimit(RequestsPerConnection {
            each: 100.0,
            opened: 240,
            requests: 24_000,
        })],
        _ => vec![Finding::TlsHandshakePerRequest(Handshakes {
            per_request: 0.98,
            resumed: 0.5,
        })],
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
    let shares = CpuShares {
        application: 0.6,
        kernel: 0.32,
        jit: 0.05,
        gc: 0.03,
    };
    vec![full(None), full(Some(shares))]
}

fn not_found() -> Vec<Finding> {
    let by_users = Shown::ByUsers {
        users: 64.0,
        rate: 20_200.0,
        fewer_users: 4.0,
        fewer_rate: 19_900.0,
    };
    let by_objective = Shown::ByObjective {
        rate: 1100.0,
        objective: Objective {
            measure: Measure::ResponseP99,
            limit: Nanos::from_millis(20),
        },
    };
    let not_found = |shown, server, collector| {
        let ruled_out = RuledOut {
            busy: 0.51,
            server,
            generator: 0.12,
            collector,
            opened: 32,
            wrong: 6,
        };
        Finding::LimitNotFound(NotFound { shown, ruled_out })
    };
    vec![
        not_found(by_users, None, None),
        not_found(by_users, Some(0.41), Some(0.02)),
        not_found(by_objective, None, Some(0.02)),
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
fn every_finding_is_stored_and_read_again() {
    for form in all() {
        let stored = serde_json::to_string(&form).expect("JSON");
        let read: Finding = serde_json::from_str(&stored).expect("a finding");
        assert_eq!(read, form);
        assert!(
            stored.starts_with(&format!("{{\"cause\":\"{}\"", form.cause())),
            "{stored}"
        );
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
