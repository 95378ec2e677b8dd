//! The telemetry that a run on real servers has stored.

use crate::shared::tomcats;
use ask::arm::HttpVersion;
use judge::telemetry_totals::TelemetryTotals;
use model::units::{Bytes, Count, Nanos, Seconds};
use record::inspection::{Inspection, StackSeen};
use record::rounds::{RoundRecord, SliceRecord};
use record::telemetry::Reading;
use std::cmp::Reverse;
use store::Store;

/// The accept queues of the arms of the run.
const QUEUES: [u32; 2] = [77, 100];
/// The users of the run.
const USERS: u64 = 4;

#[test]
fn the_telemetry_of_real_servers_is_stored_with_a_look_into_each() {
    let home = tomcats().home();
    let store = Store::open(&home.data()).expect("the history");
    let run = &tomcats().run;
    let (rounds, _) = store.rounds(run).expect("its rounds");
    assert!(!rounds.is_empty());
    // The kernel splits CPU time by what it meets at its ticks, so a short start may show none in user mode.
    let mut in_user_mode = [Nanos(0); QUEUES.len()];
    for round in &rounds {
        assert!(round.levels.iter().all(|level| level.started_ns > 0));
        let warming_up = |reading: &Reading| reading.at_ns < round.levels[0].started_ns;
        assert!(round.telemetry.iter().any(warming_up));
        for (arm, queue) in QUEUES.into_iter().enumerate() {
            in_user_mode[arm] = in_user_mode[arm] + assert_readings(round, arm, queue);
        }
    }
    assert!(!in_user_mode.contains(&Nanos(0)), "{in_user_mode:?}");
    let record = store.record(run).expect("the history").expect("a run");
    let arms: Vec<usize> = record.inspections.iter().map(|seen| seen.arm).collect();
    assert_eq!(arms, (0..QUEUES.len()).collect::<Vec<_>>(), "one level, one look");
    for seen in &record.inspections {
        // Over HTTP/2 all users share a connection.
        let connections = match record.experiment.arms[seen.arm].settings.http {
            Some(HttpVersion::Two) => 1,
            _ => USERS,
        };
        assert_inspected(&seen.inspection, connections);
    }
}

/// Asserts that only arms under load are read, and that their readings are plausible. Returns the CPU time of the arm in user mode.
fn assert_readings(round: &RoundRecord, arm: usize, queue: u32) -> Nanos {
    let slices: Vec<&SliceRecord> = round.slices.iter().filter(|slice| slice.arm == arm).collect();
    for slice in &slices {
        let loaded = [arm == 0 || slice.together, arm == 1 || slice.together];
        for reading in round.readings(slice) {
            let read: Vec<bool> = reading.servers.iter().map(Option::is_some).collect();
            assert_eq!(read, loaded);
        }
    }
    let passed = TelemetryTotals::in_slices(round, slices.iter().copied());
    // On a busy machine a reading may come after its slice.
    assert!(passed.windows > 0, "none of {} slices", slices.len());
    assert_eq!(passed.queue.map(|queue| queue.limit), Some(queue));
    let cpu = |group: &str| passed.groups[group].cpu;
    assert!(cpu("workers") > Nanos(0), "{:?}", passed.groups);
    assert!(passed.groups["GC"].threads > 0 && passed.groups["JIT"].threads > 0, "{:?}", passed.groups);
    assert!(passed.interfaces["lo"].sent > 1000 && passed.tcp.sent > 10 && passed.ticks > 0);
    assert!(passed.holdings.memory > Bytes(30_000_000) && passed.holdings.threads > 10);
    let jvm = passed.jvm.expect("HotSpot");
    assert!(jvm.heap_used.is_none_or(|used| used > Bytes(1 << 20)), "{jvm:?}");
    assert!(jvm.heap_capacity > Some(Bytes(16 << 20)), "{jvm:?}");
    assert!(jvm.classes > Some(1000) && jvm.threads > Some(10), "{jvm:?}");
    assert_eq!((passed.limits, passed.services.len()), (None, 0));
    passed.times.expect("Linux tells").user
}

/// Asserts that the counters of the server itself were read, and what its threads do. Users have at least so many connections.
fn assert_inspected(inspection: &Inspection, fewest_connections: u64) {
    assert!(
        inspection.seconds > Seconds(3.9) && inspection.ok > 0 && inspection.mean_in_flight() > Count(0.1)
    );
    let connections = inspection.most(|pool| pool.connections).expect("Tomcat tells");
    assert!(connections >= fewest_connections, "{:?}", inspection.pool);
    assert!(inspection.most(|pool| pool.threads) >= Some(USERS), "{:?}", inspection.pool);
    assert!(inspection.pool.is_sorted_by_key(|pool| pool.at_ns));
    let threads = inspection.threads.expect("dumped");
    assert!(threads.platform > USERS && threads.platform_answering <= USERS, "{threads:?}");
    let jfr = inspection.jfr.as_ref().expect("asked for");
    // Samples of allocations are rare: on a machine that is so busy that few requests are answered there may be none.
    assert!(jfr.allocated > Some(1000.0) || inspection.ok < 5000, "{jfr:?}");
    assert!(inspection.heap.is_none_or(|heap| heap.live < heap.most), "{:?}", inspection.heap);
    assert!(inspection.peers.is_empty(), "it asks nobody: {:?}", inspection.peers);
    assert_stacks(inspection);
}

/// Asserts that the dumps tell requests from what threads do without load.
fn assert_stacks(inspection: &Inspection) {
    let idle = inspection.idle.as_ref().expect("dumped without load");
    let loaded = inspection.loaded.as_ref().expect("dumped under load");
    assert!(idle.dumps >= 1 && loaded.dumps >= 1, "{} {}", idle.dumps, loaded.dumps);
    assert!(loaded.stacks.is_sorted_by_key(|stack| Reverse(stack.threads)));
    assert!(loaded.stacks.iter().all(|stack| stack.frames.len() <= 80));
    let answers =
        |stack: &&StackSeen| stack.frames.iter().any(|frame| frame.ends_with("HttpServlet.service"));
    assert_eq!(idle.stacks.iter().filter(answers).count(), 0, "nobody asks");
    let answering = loaded.stacks.iter().filter(answers);
    let answering: f64 = answering.map(|stack| inspection.threads_by_load(stack).0).sum();
    assert!(answering <= USERS as f64, "{answering}");
    // Whatever the load, one thread of Tomcat waits for the end.
    let waits = |stack: &&StackSeen| stack.frames.iter().any(|frame| frame.ends_with("StandardServer.await"));
    let main = loaded.stacks.iter().find(waits).expect("it goes on");
    assert!(inspection.threads_by_load(main).0.abs() < 1.0, "{main:?}");
}
