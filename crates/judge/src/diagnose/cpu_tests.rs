//! Tests of what telemetry shows about the server's CPU time.

use super::tests::{NONE, Scene, numbers};
use crate::profile::tests::Look;
use model::units::{Nanos, Share};
use record::finding::{CpuWork, Quantity, Remedy};
use record::inspection::{Inspection, JfrFacts, StackSeen, ThreadState};
use record::telemetry::{CpuTimes, GroupTotals};

#[test]
fn compilers_are_named_when_they_use_a_third_of_a_cpu_that_is_short() {
    let compiling = |scene: Scene, idle: u64, jit: u64| {
        scene.seen(idle, move |server| {
            for (name, millis) in [("JIT", jit), ("workers", 100)] {
                let group = GroupTotals { cpu: Nanos::from_millis(millis), ..GroupTotals::default() };
                server.groups.insert(name.to_owned(), group);
            }
        })
    };
    let full = |jit| compiling(Scene::healthy().load(32, 10_000, 0.8), 10, jit);
    let found = full(150).first();
    assert_eq!(found.cause().id(), "jit-warming-up");
    assert_eq!(numbers!(found, JitWarmingUp).share, Share(0.6));
    assert_eq!(full(60).causes(), ["jit-warming-up", "server-cpu-saturated"]);
    assert_eq!(full(45).causes(), ["server-cpu-saturated"]);
    let dear = full(150).slices(|slice| {
        (slice.counts.connects, slice.counts.tls_handshakes) = (10_000, 10_000);
    });
    let last = ["tls-handshake-per-request", "keepalive-not-effective", "jit-warming-up"];
    assert_eq!(dear.causes()[..3], last, "the warm-up passes, the others stay");
    let half = compiling(Scene::healthy(), 48, 300);
    assert_eq!(half.causes(), NONE, "nobody misses what they use");
}

#[test]
fn a_full_cpu_says_what_it_goes_to() {
    let full = Scene::healthy().load(32, 10_000, 0.8).seen(2, |server| {
        for (name, millis) in [("JIT", 50), ("GC", 30), ("workers", 920)] {
            let group = GroupTotals { cpu: Nanos::from_millis(millis), ..GroupTotals::default() };
            server.groups.insert(name.to_owned(), group);
        }
        server.times = Some(CpuTimes { user: Nanos::from_millis(700), kernel: Nanos::from_millis(300) });
    });
    let found = full.first();
    assert_eq!(found.cause().id(), "server-cpu-saturated");
    let shares = numbers!(found, ServerCpuSaturated).shares.expect("somebody looked");
    for (share, expected) in
        [(shares.application, 0.62), (shares.kernel, 0.3), (shares.jit, 0.05), (shares.gc, 0.03)]
    {
        assert!((share.0 - expected).abs() < 1e-9, "{shares:?}");
    }
    let kernel = |one: &&record::outcome::Evidence| one.what == Quantity::KernelCpu;
    let value = found.evidence.iter().find(kernel).map(|one| one.value);
    assert!(value.is_some_and(|value| (value - 0.3).abs() < 1e-9), "{value:?}");
}

#[test]
fn the_cpu_of_processes_that_the_server_has_started_is_told_apart() {
    let full = |user: u64| {
        Scene::healthy().load(32, 10_000, 0.8).seen(2, move |server| {
            let (name, cpu) = ("workers".to_owned(), Nanos::from_millis(100));
            let group = GroupTotals { cpu, ..GroupTotals::default() };
            server.groups.insert(name, group);
            server.times = Some(CpuTimes { user: Nanos::from_millis(user), kernel: Nanos::from_millis(100) });
        })
    };
    let shares = |user: u64| {
        let found = full(user).first();
        numbers!(found, ServerCpuSaturated).shares.expect("somebody looked")
    };
    let forked = shares(300);
    for (share, expected) in [(forked.children, 0.5), (forked.kernel, 0.125), (forked.application, 0.375)] {
        assert!((share.0 - expected).abs() < 1e-9, "{forked:?}");
    }
    assert_eq!(shares(650).children, Share(0.0), "readings of different moments");
}

#[test]
fn a_cpu_that_others_fill_does_not_hide_what_requests_wait_for() {
    // 500 users and 200 threads that sleep for a second, while other programs use all of the CPU that is left.
    let crowded = |waited: u64| {
        Scene::healthy().load(500, 100, 0.02).seen(0, move |server| {
            let group = GroupTotals {
                cpu: Nanos::from_millis(20),
                waited: Nanos::from_millis(waited),
                ..GroupTotals::default()
            };
            server.groups.insert("workers".to_owned(), group);
        })
    };
    // Half a second is measured: 5 of the 500 requests wait for a CPU, then 75 of them.
    assert_eq!(crowded(2_500).causes(), ["thread-pool-limit"]);
    assert_eq!(crowded(37_500).causes(), ["noisy-neighbour"]);
}

/// 32 threads that can run: this many parse a number that is none, the others read a map.
fn running(parse: f64) -> Inspection {
    let thrown = [
        "java.lang.Throwable.fillInStackTrace",
        "java.lang.NumberFormatException.<init>",
        "java.lang.Integer.parseInt",
        "shop.Order.amount",
        "shop.Checkout.doGet",
    ];
    let look = Look::at(32.0, 10_000).in_state(parse, ThreadState::Runnable, &thrown);
    look.in_state(32.0 - parse, ThreadState::Runnable, &["java.util.HashMap.get", "shop.Prices.of"])
        .inspection()
}

/// A full CPU; Java code uses 92 % of it.
fn full() -> Scene {
    Scene::healthy().load(32, 10_000, 0.8).seen(2, |server| {
        for (name, millis) in [("JIT", 50), ("GC", 30), ("workers", 920)] {
            let group = GroupTotals { cpu: Nanos::from_millis(millis), ..GroupTotals::default() };
            server.groups.insert(name.to_owned(), group);
        }
        server.times = Some(CpuTimes { user: Nanos::from_millis(1000), kernel: Nanos(0) });
    })
}

#[test]
fn a_full_cpu_that_work_wastes_is_a_fault_and_says_where() {
    let found = full().looked_at(running(16.0)).first();
    assert_eq!(found.cause().id(), "server-cpu-saturated");
    assert!(!found.expected, "{found:?}");
    let uses = numbers!(found, ServerCpuSaturated).uses;
    let told: Vec<_> = uses.iter().map(|one| (one.work, one.at.method.as_deref())).collect();
    assert_eq!(
        told,
        [(None, Some("shop.Prices.of")), (Some(CpuWork::Exceptions), Some("shop.Order.amount"))]
    );
    // Each is half of the 92 % of Java code.
    let half = 0.92 / 2.0;
    assert!(uses.iter().all(|one| (one.share.0 - half).abs() < 1e-9), "{uses:?}");
    assert_eq!(uses[1].at.caller.as_deref(), Some("shop.Checkout.doGet"));
    let each = uses[1].per_request.0;
    assert!((each / (8e-5 * half) - 1.0).abs() < 1e-9, "0.8 s for 10 000 requests in half a second: {each}");
    let Remedy::SpareWork { work, times, .. } = found.remedy else { panic!("{found:?}") };
    assert_eq!(work, Some(CpuWork::Exceptions));
    assert!(times > 1.0 && times < 1.0 / (1.0 - half) + 1e-9, "{times}");
}

#[test]
fn a_full_cpu_with_few_exceptions_is_expected() {
    let found = full().looked_at(running(3.0)).first();
    assert!(found.expected, "{found:?}");
    let uses = numbers!(found, ServerCpuSaturated).uses;
    assert_eq!(uses.len(), 1, "{uses:?}");
    // One method takes it all: that is no fault by itself, and is told all the same.
    let Remedy::SpareWork { work: None, method: Some(method), .. } = found.remedy else {
        panic!("{found:?}")
    };
    assert_eq!(method, "shop.Prices.of");
    let spread = ["a", "b", "c", "d", "e", "f"].map(|name| format!("shop.Prices.{name}"));
    let mut look = Look::at(32.0, 10_000);
    for method in &spread {
        look = look.in_state(5.0, ThreadState::Runnable, &[method.as_str()]);
    }
    let found = full().looked_at(look.inspection()).first();
    assert!(found.expected && found.remedy.accepts(), "{found:?}");
    let few = full()
        .looked_at(Look::at(0.4, 10_000).in_state(0.4, ThreadState::Runnable, &["shop.A.b"]).inspection());
    assert_eq!(numbers!(few.first(), ServerCpuSaturated).uses, [], "four threads show nothing");
}

#[test]
fn samples_of_the_recorder_count_and_dumps_tell_of_native_methods() {
    let mut inspection = running(16.0);
    for stack in inspection.loaded.iter_mut().flat_map(|loaded| &mut loaded.stacks) {
        let native = stack.frames[0].ends_with("fillInStackTrace");
        stack.lines =
            (1..).map(|line| if native && line == 1 { 0 } else { line }).take(stack.frames.len()).collect();
    }
    let sample = |threads, method: &str| StackSeen {
        threads,
        frames: ["java.util.HashMap.get", method, "shop.Checkout.doGet"].map(str::to_owned).to_vec(),
        lines: vec![5, 42, 17],
        ..StackSeen::default()
    };
    let samples = vec![sample(300, "shop.Prices.of"), sample(100, "shop.Taxes.of")];
    inspection.jfr = Some(JfrFacts { samples, ..JfrFacts::default() });
    let uses = numbers!(full().looked_at(inspection).first(), ServerCpuSaturated).uses;
    let told: Vec<(Option<&str>, f64)> =
        uses.iter().map(|one| (one.at.method.as_deref(), (1e3 * one.share.0 / 0.92).round() / 1e3)).collect();
    // The dumps show that half of the time is in a native method, the recorder what the other half is.
    let expected = [
        (Some("shop.Order.amount:4"), 0.5),
        (Some("shop.Prices.of:42"), 0.375),
        (Some("shop.Taxes.of:42"), 0.125),
    ];
    assert_eq!(told, expected);
}
