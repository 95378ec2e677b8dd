//! What a run on real servers has stored beside its slices.

use crate::home::Home;
use model::record::{RoundRecord, SliceRecord, TrialRecord};
use model::telemetry::{Reading, ServerReading};
use model::units::{Bytes, Nanos};
use store::Store;

/// Of the newest run, on Tomcats with these accept queues, with this many users and with `--jfr`.
pub(crate) fn assert_stored(home: &Home, queues: &[u32], users: u64) {
    let store = Store::open(&home.data()).expect("the history");
    let run = store.find("latest").expect("found").expect("a run").run;
    let (rounds, _) = store.rounds(&run).expect("its rounds");
    for round in &rounds {
        let watched = round.slices.iter().filter(|slice| watched(round, slice, queues));
        // On a machine with other work to do a reading may come after its slice.
        assert!(2 * watched.count() > round.slices.len(), "round {}", round.round);
        assert!(round.levels.iter().all(|level| level.started_ns > 0));
        let connected = round
            .telemetry
            .iter()
            .any(|reading| reading.at_ns < round.slices[0].started_ns);
        assert!(connected, "the warm-up is watched, too");
    }
    for trial in &rounds[0].trials {
        inspected(trial, users);
    }
    assert!(
        rounds[1..]
            .iter()
            .all(|round| round.trials.iter().all(|trial| trial.inspections.is_empty()))
    );
}

/// Whether a slice was; and that what was read can be.
fn watched(round: &RoundRecord, slice: &SliceRecord, queues: &[u32]) -> bool {
    let [first, .., last] = round.readings(slice) else {
        return false;
    };
    let server = |reading: &Reading| -> ServerReading {
        let others = reading
            .servers
            .iter()
            .enumerate()
            .filter(|(arm, _)| *arm != slice.arm);
        assert!(others.map(|(_, server)| server).all(Option::is_none));
        reading.servers[slice.arm].clone().expect("a server that lives")
    };
    let (before, after) = (server(first), server(last));
    assert!(last.host.ticks >= first.host.ticks && last.at_ns > first.at_ns);
    assert_eq!(after.queue.map(|queue| queue.limit), Some(queues[slice.arm]));
    let cpu =
        |reading: &ServerReading, group: &str| reading.groups.get(group).map_or(Nanos(0), |group| group.cpu);
    assert!(
        cpu(&after, "workers") > cpu(&before, "workers"),
        "{:?}",
        after.groups
    );
    assert!(cpu(&after, "JIT") > Nanos(0) && after.groups["GC"].threads > 0);
    assert!(after.interfaces["lo"].sent > before.interfaces["lo"].sent);
    assert!(after.tcp.sent > before.tcp.sent);
    assert!(after.holdings.memory > Bytes(30_000_000) && after.holdings.threads > 10);
    let jvm = after.jvm.expect("HotSpot");
    assert!(
        jvm.heap_used > Some(Bytes(1 << 20)) && jvm.heap_capacity > jvm.heap_used,
        "{jvm:?}"
    );
    assert!(jvm.classes > Some(1000) && jvm.threads > Some(10), "{jvm:?}");
    assert_eq!((after.limits, after.services.len()), (None, 0));
    true
}

/// What the server said of itself.
fn inspected(trial: &TrialRecord, users: u64) {
    let [inspection] = &trial.inspections[..] else {
        panic!("one level, one look: {:?}", trial.inspections);
    };
    assert!(inspection.seconds > 0.9 && inspection.ok > 0 && inspection.mean_in_flight() > 0.1);
    let connections = inspection.most(|pool| pool.connections).expect("Tomcat tells");
    assert!(connections >= users, "{:?}", inspection.pool);
    assert!(
        inspection.most(|pool| pool.threads) >= Some(users),
        "{:?}",
        inspection.pool
    );
    assert!(inspection.pool.is_sorted_by_key(|pool| pool.at_ns));
    let threads = inspection.threads.expect("dumped");
    assert!(
        threads.platform > users && threads.platform_answering <= users,
        "{threads:?}"
    );
    let jfr = inspection.jfr.as_ref().expect("asked for");
    assert!(jfr.allocated > Some(1000.0), "{jfr:?}");
}
