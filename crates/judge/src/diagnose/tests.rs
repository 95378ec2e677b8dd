//! Tests each cause in a scene where it is at work, and in one where it is not although its limit is set.

use super::*;
use crate::testing::{PLAIN, experiment, round};
use ask::arm::Threads;
use ask::kind::Kind;
use model::units::{Bytes, Count, Cpus, Rate, Seconds, Share};
use record::finding::{Ceiling, ServerSetting, SettingName, SizeBound, Sizing, Slots};
use record::histogram::{SparseHistogram, new_histogram};
use record::inspection::ArmInspection;
use record::outcome::{Effective, JvmThreads, Limit};
use record::rounds::SliceRecord;
use std::collections::BTreeMap;

/// One arm of a made-up run. Unless a test changes it, nothing limits it: it has 4 users, and half of the CPU is in use.
pub(super) struct Scene {
    pub(super) experiment: Experiment,
    pub(super) rounds: Vec<RoundRecord>,
    effective: Effective,
    facts: BTreeMap<String, f64>,
    pub(super) inspections: Vec<ArmInspection>,
}

impl Scene {
    pub(super) fn healthy() -> Self {
        let mut rounds = vec![round(1, &[PLAIN, PLAIN])];
        rounds[0].slices.retain(|slice| slice.arm == 0);
        Self {
            experiment: experiment(),
            rounds,
            effective: Effective {
                server: Some("Tomcat/9.0.95".to_owned()),
                max_threads: Some(200),
                max_connections: Some(Limit::At(8192)),
                heap: Some(Bytes(256 << 20)),
                ..Effective::default()
            },
            facts: BTreeMap::new(),
            inspections: Vec::new(),
        }
    }

    /// This number of users ask all the time; in each slice of half a second the server gives `ok` answers, and uses `cpu` seconds.
    pub(super) fn load(mut self, users: usize, ok: u64, cpu: f64) -> Self {
        self.experiment.load.connections = vec![users];
        self.slices(|slice| {
            slice.in_flight = Seconds(users as f64 * 0.5);
            slice.cpu_ns_arm = (cpu * 1e9) as u64;
            (slice.counts.ok, slice.counts.requests) = (ok, ok);
            let each = (users as f64 * 0.5 / ok as f64 * 1e9) as u64;
            let mut times = new_histogram();
            times.saturating_record_n(each.max(1), ok);
            (slice.service, slice.service_sum) =
                (Some(SparseHistogram::from(&times)), Seconds(users as f64 * 0.5));
        })
    }

    pub(super) fn slices(mut self, change: impl Fn(&mut SliceRecord)) -> Self {
        self.rounds.iter_mut().flat_map(|round| &mut round.slices).for_each(change);
        self
    }

    /// Users think for this long before they ask again.
    pub(super) fn thinks(&mut self, pause: model::units::Nanos) {
        self.experiment.load.think = traffic::plan::Think::Constant(pause);
    }

    pub(super) fn running(mut self, change: impl Fn(&mut Effective)) -> Self {
        change(&mut self.effective);
        self
    }

    pub(super) fn arm(mut self, change: impl Fn(&mut ask::arm::Arm)) -> Self {
        change(&mut self.experiment.arms[0]);
        self
    }

    /// Adds a level with this smaller number of users, who get the same throughput.
    pub(super) fn with_fewer_users(&mut self, users: usize) {
        let levels = &mut self.experiment.load.connections;
        levels.insert(0, users);
        let closed = self.rounds[0].slices.iter_mut().filter(|slice| slice.rate.is_none());
        let below: Vec<SliceRecord> = closed
            .map(|slice| {
                let below = slice.clone();
                slice.level = 1;
                below
            })
            .collect();
        self.rounds[0].slices.extend(below);
    }

    /// The link to the servers passes so many bits per second.
    pub(super) fn over_link(mut self, bits: u64) -> Self {
        self.experiment.link =
            Some(ask::link::Link { rate: Some(model::units::BitRate(bits)), local_ports: None });
        self
    }

    pub(super) fn facts(mut self, facts: &[(&str, f64)]) -> Self {
        self.facts = facts.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        self
    }

    fn place(&self) -> Place {
        Place { arm: 0, at: At::Level(self.experiment.load.connections.len() - 1) }
    }

    fn known(&self) -> Known<'_> {
        Known {
            effective: &self.effective,
            facts: &self.facts,
            inspections: &self.inspections,
            cpus_elsewhere: None,
        }
    }

    pub(super) fn diagnoses(&self) -> Vec<Diagnosis> {
        diagnoses_at(&self.experiment, &self.rounds, self.place(), self.known(), MACHINE)
    }

    /// What is known at the highest level.
    pub(super) fn evidence(&self) -> ArmEvidence<'_> {
        let evidence = ArmEvidence::of(&self.experiment, &self.rounds, self.place(), self.known(), MACHINE);
        evidence.expect("measured")
    }

    pub(super) fn causes(&self) -> Vec<&'static str> {
        let all = self.diagnoses().into_iter();
        all.map(|diagnosis| diagnosis.cause().id()).collect()
    }

    /// The first diagnosis.
    pub(super) fn first(&self) -> Diagnosis {
        let mut all = self.diagnoses().into_iter();
        all.next().unwrap_or_else(|| panic!("nothing is named"))
    }
}

/// The numbers of a diagnosis, which must have this cause.
macro_rules! numbers {
    ($diagnosis:expr, $cause:ident) => {
        match $diagnosis.finding.clone() {
            record::finding::Finding::$cause(numbers) => numbers,
            other => panic!("{other:?}"),
        }
    };
}
pub(super) use numbers;

pub(super) const NONE: [&str; 0] = [];
const MACHINE: Machine = Machine { cpus: 2.0, server_cpus: None, linear_timeouts: 4 };

/// What the suggested number brings.
pub(super) fn sizing(diagnosis: &Diagnosis) -> Option<Sizing> {
    match diagnosis.remedy {
        Remedy::RaiseLimit { sizing, .. }
        | Remedy::SetProperty { sizing, .. }
        | Remedy::EnlargePool { sizing, .. } => sizing,
        _ => None,
    }
}

pub(super) fn keys(diagnosis: &Diagnosis) -> Vec<String> {
    let pair = |change: &Change| format!("{} = {}", change.key, change.value);
    diagnosis.change.iter().map(pair).collect()
}

#[test]
fn nothing_is_named_where_nothing_limits() {
    assert_eq!(Scene::healthy().causes(), NONE);
    assert_eq!(Scene::healthy().load(180, 90, 0.02).causes(), NONE, "fewer users than threads");
}

#[test]
fn requests_that_wait_for_a_thread_are_counted_by_littles_law() {
    // 500 users, 200 threads, each request a second: 200 a second.
    let found = Scene::healthy().load(500, 100, 0.02).first();
    assert_eq!(found.cause().id(), "thread-pool-limit");
    let pool = numbers!(found, ThreadPoolLimit);
    assert_eq!(pool.slots_are, Slots::Threads);
    let Ceiling { rate, slots, each, waiting, .. } = pool.ceiling;
    assert_eq!((rate, slots, each, waiting), (Rate(200.0), Count(200.0), Seconds(1.0), Count(300.0)));
    let threads = ServerSetting { server: Kind::Tomcat, name: SettingName::Threads };
    let raise = Remedy::RaiseLimit {
        setting: threads,
        to: Some(550),
        sizing: Some(Sizing {
            kept: 0,
            slots: Count(200.0),
            rate: Rate(200.0),
            each: Seconds(1.0),
            gives: Rate(500.0),
            bound: SizeBound::Demand,
        }),
    };
    assert_eq!(found.remedy, raise);
    assert_eq!(keys(&found), ["threads = 550"]);
    assert!(!found.expected);
    assert_eq!(found.explains, Some(Share(0.6)), "300 of 500 users wait for it");
}

#[test]
fn a_full_cpu_is_no_limit_of_threads() {
    let full = Scene::healthy().load(500, 10_000, 0.80);
    assert_eq!(full.causes(), ["server-cpu-saturated"]);
    assert!(full.first().expected, "a closed loop fills it");
    let mut thinking = Scene::healthy().load(500, 10_000, 0.80);
    thinking.experiment.load.think = traffic::plan::Think::Constant(model::units::Nanos::from_millis(1));
    assert!(!thinking.first().expected);
    assert_eq!(Scene::healthy().load(500, 10_000, 0.55).causes(), ["thread-pool-limit"]);
}

#[test]
fn virtual_threads_have_a_limit_of_their_own_and_nobody_set_it() {
    let jetty = |limit: Limit| {
        let boot = Scene::healthy().load(500, 100, 0.02).arm(|arm| {
            (arm.server, arm.version) = ("spring-boot-jetty".to_owned(), "4.0.1".to_owned());
            arm.settings.threads = Some(Threads::Virtual);
        });
        boot.running(|effective| (effective.max_threads, effective.virtual_threads) = (None, Some(limit)))
    };
    let found = jetty(Limit::At(200)).first();
    assert_eq!(found.cause().id(), "concurrency-limit-default");
    let ceiling = numbers!(found, ConcurrencyLimitDefault).ceiling;
    assert_eq!((ceiling.rate, ceiling.slots), (Rate(200.0), Count(200.0)));
    let set = Remedy::SetProperty {
        property: "server.jetty.threads.max".to_owned(),
        to: 550,
        ignored_by: Some("4.0.1".to_owned()),
        sizing: sizing(&found),
    };
    assert_eq!(found.remedy, set);
    assert_eq!(sizing(&found).map(|sizing| sizing.gives), Some(Rate(500.0)));
    assert_eq!(
        keys(&found),
        ["properties.server.jetty.threads.max = 550", "server = spring-boot-jetty:4.0.8"]
    );
    assert_eq!(jetty(Limit::None).causes(), NONE);
    assert_eq!(jetty(Limit::At(1000)).causes(), NONE, "not reached");
    let chosen = jetty(Limit::At(200)).arm(|arm| {
        arm.settings.properties.insert("server.jetty.threads.max".to_owned(), "200".to_owned());
    });
    assert_eq!(chosen.first().cause().id(), "thread-pool-limit", "a limit that was chosen is no default");
}

/// 300 users of a server that serves `most` connections, whose requests take `millis`, and `given_up` of whom give up.
fn held(most: u64, millis: u64, given_up: u64) -> Scene {
    Scene::healthy()
        .load(300, 1000, 0.1)
        .running(|effective| {
            (effective.max_connections, effective.max_threads) = (Some(Limit::At(most)), None);
        })
        .slices(move |slice| {
            let mut times = new_histogram();
            times.saturating_record_n(millis * 1_000_000, 1000);
            slice.service = Some(SparseHistogram::from(&times));
            slice.counts.requests += given_up;
            slice.counts.faults.insert("connect_timeout".to_owned(), given_up);
        })
}

#[test]
fn users_beyond_the_connections_of_a_server_are_missed() {
    // 50 connections are served, 300 users have a request in flight: 250 of them are never read.
    let starved = |given_up| held(50, 25, given_up);
    let found = starved(2).first();
    assert_eq!(found.cause().id(), "connection-limit");
    let full = numbers!(found, ConnectionLimit);
    assert_eq!((full.most, full.users, full.left_out), (Count(50.0), Count(300.0), Count(250.0)));
    assert_eq!(keys(&found), ["max_connections = 330"]);
    // 50 connections give 2000 requests a second. A fifth of the CPU is in use, so that it lasts for 8500, but not for all 300 users.
    let room = sizing(&found).expect("a sizing");
    assert_eq!((room.slots, room.rate, room.bound), (Count(50.0), Rate(2000.0), SizeBound::Cpu));
    assert!((room.each.0 - 0.025).abs() < 1e-9 && (room.gives.0 - 8500.0).abs() < 50.0, "{room:?}");
    assert_eq!(starved(0).first().cause().id(), "connection-limit", "they wait even if nobody gives up");
    // A server that closes connections now and then: one request of ten was the first after a second outside.
    let rotating = held(50, 5, 0).slices(|slice| {
        let mut times = new_histogram();
        times.saturating_record_n(25_000_000, 900);
        times.saturating_record_n(1_275_000_000, 100);
        slice.service = Some(SparseHistogram::from(&times));
    });
    assert_eq!(rotating.first().cause().id(), "connection-limit");
}

#[test]
fn users_for_whom_a_server_has_nearly_enough_connections_are_missed_by_who_gives_up() {
    // 282 of 300 users are served where 260 should be: only users who give up tell.
    let close = |given_up| held(260, 141, given_up).causes();
    assert_eq!(close(0), NONE);
    assert!(!close(1).contains(&"connection-limit"), "one user's bad luck");
    assert!(close(20).contains(&"connection-limit"));
    // Ten users are left out, and all errors are theirs.
    let few = held(290, 25, 20).first();
    assert_eq!((few.cause().id(), few.explains), ("connection-limit", Some(Share(1.0))));
    let room = held(50, 25, 0).running(|effective| effective.max_connections = Some(Limit::At(300)));
    assert!(!room.causes().contains(&"connection-limit"), "there is room for all");
    let served = Scene::healthy().load(300, 1000, 0.1).running(|effective| {
        (effective.max_connections, effective.max_threads) = (Some(Limit::At(250)), None);
    });
    assert_eq!(served.causes(), NONE, "a limit that is set, and all users are served all the same");
}

#[test]
fn connections_that_are_not_kept_differ_from_those_that_last_long() {
    let opened = |scene: Scene, each: u64| {
        scene.slices(move |slice| slice.counts.connects = slice.counts.requests / each)
    };
    assert_eq!(opened(Scene::healthy(), 1).causes(), ["keepalive-not-effective"]);
    // On a full CPU a request takes 80 µs of it, and a connection 150 µs.
    let full = |each| opened(Scene::healthy().load(32, 10_000, 0.8), each);
    let found = full(10).first();
    assert_eq!(found.cause().id(), "keepalive-limit");
    assert_eq!(numbers!(found, KeepaliveLimit).each, Count(10.0));
    assert_eq!(keys(&found), ["attributes.maxKeepAliveRequests = -1"]);
    let explains = found.explains.expect("known");
    assert!((explains.0 - 15.0 / 80.0).abs() < 1e-9, "{explains}");
    assert_eq!(full(100).causes(), ["server-cpu-saturated"], "that costs 2 %");
    // Where requests wait 64 ms for something else, a connection for every ten of them is nothing.
    assert_eq!(opened(Scene::healthy().load(32, 250, 0.02), 5).causes(), NONE);
    // A server that closes connections after errors only.
    let failing = Scene::healthy().slices(|slice| {
        slice.counts.requests += 90 * slice.counts.ok;
        slice.counts.connects = slice.counts.requests - slice.counts.ok;
        slice.counts.faults.insert("wrong_status".to_owned(), slice.counts.connects);
    });
    assert!(!failing.causes().contains(&"keepalive-not-effective"));
    let mut asked = opened(Scene::healthy(), 1);
    asked.experiment.load.keepalive = false;
    assert_eq!(asked.causes(), NONE, "as it was asked for, and it costs no handshake");
}

#[test]
fn users_who_pause_for_longer_than_a_connection_may_idle_pay_for_a_new_one_each_time() {
    // Each of 40 users pauses for two seconds, and needs a new connection each time, which takes a millisecond.
    let paused = |millis: u64| {
        let mut scene = Scene::healthy().load(40, 10, 0.02).slices(move |slice| {
            slice.counts.connects = slice.counts.requests;
            let mut times = new_histogram();
            times.saturating_record_n(millis * 1_000_000, 10);
            let mut connects = new_histogram();
            connects.saturating_record_n(1_000_000, 10);
            slice.service = Some(SparseHistogram::from(&times));
            slice.connect = Some(SparseHistogram::from(&connects));
            slice.in_flight = Seconds(10.0 * millis as f64 / 1e3);
        });
        scene.thinks(model::units::Nanos::from_secs(2));
        scene
    };
    let found = paused(4).first();
    assert_eq!(
        (found.cause().id(), &found.remedy),
        ("keepalive-not-effective", &Remedy::KeepIdleConnections)
    );
    assert_eq!(paused(40).causes(), NONE, "they wait for the answer");
}

#[test]
fn a_full_link_is_named_whatever_voided_the_start() {
    // 250 answers of 11 kB in half a second fill 45 Mbit/s.
    let over = |megabits: u64| {
        let mut scene =
            Scene::healthy().load(32, 250, 0.02).slices(|slice| slice.counts.bytes = 250 * 11_000);
        scene.rounds[0].void = Some(crate::testing::stolen());
        scene.over_link(megabits * 1_000_000)
    };
    let found = over(45).first();
    assert_eq!(found.cause().id(), "link-saturated");
    let full = numbers!(found, LinkSaturated);
    assert_eq!(full.rate, model::units::BitRate(45_000_000));
    assert_eq!(over(100).causes(), ["noisy-neighbour"]);
    let mut robbed = over(45);
    robbed.rounds[0].slices[0].counts.bytes /= 4;
    assert_eq!(robbed.first().cause().id(), "link-saturated", "slices that were robbed do not hide it");
}

#[test]
fn handshakes_are_counted() {
    let mut scene = Scene::healthy().slices(|slice| {
        let each = slice.counts.requests;
        (slice.counts.connects, slice.counts.tls_handshakes, slice.counts.tls_resumed) =
            (each, each, each / 2);
    });
    assert_eq!(scene.causes(), ["tls-handshake-per-request", "keepalive-not-effective"]);
    let handshakes = numbers!(scene.first(), TlsHandshakePerRequest);
    assert_eq!((handshakes.per_request, handshakes.resumed), (Count(1.0), Share(0.5)));
    scene.experiment.load.keepalive = false;
    assert_eq!(scene.causes(), ["tls-handshake-per-request", "keepalive-not-effective"]);
    let kept = scene.slices(|slice| (slice.counts.connects, slice.counts.tls_handshakes) = (4, 4));
    assert_eq!(kept.causes(), NONE);
}

#[test]
fn connections_that_are_not_kept_cost_the_time_in_which_users_have_none() {
    // 40 users who think for 20 ms: a request takes 1 ms, and what is left of a user's time is spent on connecting.
    let closed = |requests: u64| {
        let mut scene = Scene::healthy().load(40, requests, 0.1).slices(|slice| {
            let each = slice.counts.requests;
            (slice.counts.connects, slice.counts.tls_handshakes) = (each, each);
            slice.counts.tls_resumed = each;
            let mut times = new_histogram();
            times.saturating_record_n(1_000_000, each);
            (slice.service, slice.service_sum) =
                (Some(SparseHistogram::from(&times)), Seconds(each as f64 * 1e-3));
        });
        scene.thinks(model::units::Nanos::from_millis(20));
        scene.causes()
    };
    assert_eq!(closed(600), ["tls-handshake-per-request", "keepalive-not-effective"]);
    // 40 users who send 1880 requests a second spend 0.3 ms on connecting: that is little of their time, but much of what they wait.
    assert_eq!(closed(940), ["keepalive-not-effective"]);
}

#[test]
fn a_full_cpu_comes_after_what_fills_it() {
    let full = |handshakes: u64| {
        let mut scene = Scene::healthy().load(40, 1000, 0.9).slices(move |slice| {
            (slice.counts.connects, slice.counts.tls_handshakes) = (handshakes, handshakes);
        });
        scene.thinks(model::units::Nanos::from_millis(10));
        scene.causes()
    };
    // A request costs 0.9 ms of CPU, and a handshake 0.7 ms of it.
    assert_eq!(full(1000)[0], "tls-handshake-per-request");
    assert!(full(1000).contains(&"server-cpu-saturated"));
    assert_eq!(full(0), ["server-cpu-saturated"]);
}

#[test]
fn a_quota_is_named_when_it_is_used_up() {
    let quota = |cpu: f64, throttled: f64| {
        Scene::healthy()
            .load(4, 5000, cpu)
            .running(|effective| effective.cpu_limit = Some(Cpus(0.5)))
            .facts(&[("cgroup.nr_periods", 200.0), ("cgroup.nr_throttled", throttled)])
    };
    let found = quota(0.24, 190.0).first();
    assert_eq!(found.cause().id(), "cpu-quota-throttled");
    let quota_used = numbers!(found, CpuQuotaThrottled);
    assert_eq!((quota_used.used, quota_used.quota), (Cpus(0.48), Cpus(0.5)));
    assert_eq!(quota_used.waited, Some(Share(0.95)));
    assert_eq!(keys(&found), ["cpus = 1"]);
    assert_eq!(quota(0.10, 30.0).causes(), NONE, "set, and not reached");
    assert_eq!(quota(0.24, 0.0).causes(), NONE, "the kernel never made it wait");
    assert_eq!(quota_used.jvm, None);
}

#[test]
fn a_jvm_that_takes_its_quota_for_more_cpus_is_told_how_many_there_are() {
    let sees = |processors: u64| {
        let jvm = JvmThreads { processors, collecting: processors, compiling: 4 };
        let scene = Scene::healthy().load(4, 5000, 0.24).running(move |effective| {
            (effective.cpu_limit, effective.jvm_threads) = (Some(Cpus(0.5)), Some(jvm));
        });
        scene.facts(&[("cgroup.nr_periods", 200.0), ("cgroup.nr_throttled", 190.0)]).first()
    };
    let found = sees(8);
    let jvm = numbers!(found, CpuQuotaThrottled).jvm.expect("more than it has");
    assert_eq!((jvm.processors, jvm.collecting, jvm.own), (Count(8.0), Count(8.0), None));
    assert_eq!(found.remedy, Remedy::TellProcessors { count: 1, to: Cpus(1.0) });
    let one = sees(1);
    assert_eq!(numbers!(one, CpuQuotaThrottled).jvm, None);
}

#[test]
fn what_others_take_is_named_when_it_spoils_starts() {
    let stolen = |ticks| Scene::healthy().slices(move |slice| slice.steal_ticks = ticks);
    assert_eq!(stolen(20).causes(), ["noisy-neighbour"]);
    assert_eq!(stolen(2).causes(), NONE);
    assert_eq!(stolen(50).causes(), ["noisy-neighbour"], "full, and most of it of somebody else");
    let mut void = Scene::healthy();
    void.rounds[0].void = Some(crate::testing::stolen());
    assert_eq!(void.causes(), ["noisy-neighbour"]);
}

#[test]
fn errors_that_are_faster_than_work_are_named_and_slow_ones_are_not() {
    // 100 of 10 000 requests fail; right answers take a millisecond.
    let failing = |seconds_each: f64| {
        Scene::healthy().slices(move |slice| {
            slice.counts.requests += 100;
            slice.counts.faults.insert("wrong_status".to_owned(), 100);
            slice.service_sum = Seconds(10.0 + 100.0 * seconds_each);
        })
    };
    let found = failing(0.0001).first();
    assert_eq!(found.cause().id(), "errors-fast");
    let errors = numbers!(found, ErrorsFast);
    assert!((errors.share.0 - 0.0099).abs() < 1e-4, "{errors:?}");
    assert!(errors.faults.contains_key("wrong_status"));
    assert_eq!(failing(0.003).causes(), NONE);
}

#[test]
fn ports_and_descriptors_of_the_generator_are_its_own_limits() {
    let short = |kind: &'static str| {
        Scene::healthy().slices(move |slice| {
            slice.counts.requests += 500;
            slice.counts.faults.insert(kind.to_owned(), 500);
        })
    };
    assert_eq!(short("ports_exhausted").causes(), ["ephemeral-ports-exhausted"]);
    assert_eq!(short("descriptors_exhausted").causes(), ["file-descriptor-limit"]);
}

#[test]
fn memory_is_short_when_collections_take_the_time_or_a_limit_is_hit() {
    let paused = |millis| {
        Scene::healthy().slices(move |slice| (slice.gc_count, slice.gc_ms) = (Some(20), Some(millis)))
    };
    let found = paused(60.0).first();
    assert_eq!(found.cause().id(), "gc-pressure");
    assert_eq!(keys(&found), ["heap = 570M"]);
    let collections = numbers!(found, GcPressure);
    assert!((collections.share.0 - 0.12).abs() < 1e-3, "{collections:?}");
    assert!((collections.per_second.0 - 40.0).abs() < 1e-3, "{collections:?}");
    assert_eq!(collections.heap, model::units::Bytes(256 << 20));
    assert_eq!(paused(20.0).causes(), NONE);
    let killed = |kills| {
        let scene = Scene::healthy().running(|effective| effective.memory_limit = Some(Bytes(300 << 20)));
        scene.facts(&[("cgroup.memory_limit_hits", 800.0), ("cgroup.oom_kills", kills)])
    };
    assert_eq!(killed(1.0).causes(), ["memory-limit"]);
    assert_eq!(killed(0.0).causes(), NONE, "a full page cache hits it, too");
}
