//! [`TelemetryTotals`]: what telemetry counted for an arm in the counted windows of its slices.

use model::units::Nanos;
use record::counted::Counted;
use record::rounds::{RoundRecord, SliceRecord};
use record::telemetry::{
    AcceptQueue, CpuTimes, GroupTotals, Holdings, InterfaceTotals, IoTotals, JvmTotals, LimitTotals, Reading,
    ServerReading, ServiceReading, TcpTotals,
};
use std::collections::BTreeMap;

/// Differences of the readings at the edges of windows, summed over windows. A field that is a level, not a counter, holds the
/// highest or the last value, as its comment says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TelemetryTotals {
    /// Windows with readings at both edges.
    pub windows: u32,
    /// Length of these windows together, seconds.
    pub seconds: f64,
    /// Clock ticks of all CPUs.
    pub ticks: u64,
    /// Ticks in which a CPU was idle.
    pub idle_ticks: u64,
    /// Ticks in interrupts.
    pub interrupt_ticks: u64,
    /// Ticks that the hypervisor took for somebody else.
    pub steal_ticks: u64,
    /// CPU time by group of threads; `threads` is their largest number.
    pub groups: BTreeMap<String, GroupTotals>,
    /// CPU time by where it was spent.
    pub times: Option<CpuTimes>,
    /// The accept queue at its fullest.
    pub queue: Option<AcceptQueue>,
    /// TCP in the server's network namespace.
    pub tcp: TcpTotals,
    /// TCP in that namespace before the windows, while the users of each slice connect.
    pub connecting: TcpTotals,
    /// Interfaces of that namespace.
    pub interfaces: BTreeMap<String, InterfaceTotals>,
    /// The largest value of each field.
    pub holdings: Holdings,
    /// The JVM; heap, classes and threads come from the last reading.
    pub jvm: Option<JvmTotals>,
    /// Bytes from and to disks.
    pub disk: IoTotals,
    /// What the kernel did to keep it within its limits.
    pub limits: Option<LimitTotals>,
    /// CPU of its services; `answered_in` is the shortest time, and `counters` come from the last reading.
    pub services: BTreeMap<String, ServiceReading>,
}

impl TelemetryTotals {
    /// Sums over these slices of a round; slices without readings at both edges add nothing.
    pub fn in_slices<'a>(round: &RoundRecord, slices: impl IntoIterator<Item = &'a SliceRecord>) -> Self {
        let mut totals = Self::default();
        for slice in slices {
            totals.add(round.readings(slice), slice.arm);
            if let Some((before, after)) = server_at_edges(round.readings_before(slice), slice.arm) {
                totals.connecting = totals.connecting.and(between(before, after.clone()).tcp);
            }
        }
        totals
    }

    /// Adds the totals of other windows.
    pub fn merge(&mut self, other: Self) {
        self.windows += other.windows;
        self.seconds += other.seconds;
        self.ticks += other.ticks;
        self.idle_ticks += other.idle_ticks;
        self.interrupt_ticks += other.interrupt_ticks;
        self.steal_ticks += other.steal_ticks;
        for (name, group) in other.groups {
            add_group(self.groups.entry(name).or_default(), group);
        }
        self.times = sum(self.times, other.times);
        self.keep_highest(other.queue, other.holdings);
        self.tcp = self.tcp.and(other.tcp);
        self.connecting = self.connecting.and(other.connecting);
        for (name, totals) in other.interfaces {
            let sum = self.interfaces.entry(name).or_default();
            *sum = sum.and(totals);
        }
        self.jvm = sum(self.jvm, other.jvm);
        self.disk = self.disk.and(other.disk);
        self.limits = sum(self.limits, other.limits);
        for (name, service) in other.services {
            self.add_service(name, service);
        }
    }

    /// Share of the machine that was idle.
    pub fn idle(&self) -> f64 {
        self.idle_ticks as f64 / self.ticks.max(1) as f64
    }

    /// Share of the machine that interrupts took.
    pub fn interrupts(&self) -> f64 {
        self.interrupt_ticks as f64 / self.ticks.max(1) as f64
    }

    /// Share of the machine that the hypervisor took.
    pub fn steal(&self) -> f64 {
        self.steal_ticks as f64 / self.ticks.max(1) as f64
    }

    fn add(&mut self, readings: &[Reading], arm: usize) {
        let [first, .., last] = readings else {
            return;
        };
        let Some((before, after)) = server_at_edges(readings, arm) else {
            return;
        };
        let mut totals = between(before, after.clone());
        totals.seconds = last.at_ns.saturating_sub(first.at_ns) as f64 / 1e9;
        totals.ticks = last.host.ticks.saturating_sub(first.host.ticks);
        totals.idle_ticks = last.host.idle_ticks.saturating_sub(first.host.idle_ticks);
        let interrupts = [first, last].map(|reading| reading.host.interrupt_ticks);
        totals.interrupt_ticks = interrupts[1].saturating_sub(interrupts[0]);
        totals.steal_ticks = last.host.steal_ticks.saturating_sub(first.host.steal_ticks);
        // The first reading's queue is the fullest before the window.
        for server in readings[1..].iter().filter_map(|reading| reading.servers[arm].as_ref()) {
            totals.keep_highest(server.queue, server.holdings);
        }
        self.merge(totals);
    }

    /// Keeps the highest levels.
    fn keep_highest(&mut self, queue: Option<AcceptQueue>, holdings: Holdings) {
        let waiting = |queue: Option<AcceptQueue>| queue.map(|queue| queue.waiting);
        if waiting(queue) > waiting(self.queue) {
            self.queue = queue;
        }
        self.holdings = Holdings {
            memory: self.holdings.memory.max(holdings.memory),
            threads: self.holdings.threads.max(holdings.threads),
            open_files: self.holdings.open_files.max(holdings.open_files),
            open_files_limit: holdings.open_files_limit.or(self.holdings.open_files_limit),
        };
    }

    fn add_service(&mut self, name: String, service: ServiceReading) {
        let sum = self.services.entry(name).or_default();
        sum.cpu = sum.cpu + service.cpu;
        // One answer that met a pause is no sign of a slow service.
        sum.answered_in = match (sum.answered_in, service.answered_in) {
            (Some(shortest), Some(now)) => Some(shortest.min(now)),
            (shortest, now) => shortest.or(now),
        };
        sum.counters = service.counters;
    }
}

/// Returns what was read of an arm's server first and last; `None` where fewer than two readings have it.
fn server_at_edges(readings: &[Reading], arm: usize) -> Option<(&ServerReading, &ServerReading)> {
    let [first, .., last] = readings else { return None };
    Some((first.servers.get(arm)?.as_ref()?, last.servers.get(arm)?.as_ref()?))
}

/// Returns the difference of two readings of a server.
fn between(before: &ServerReading, after: ServerReading) -> TelemetryTotals {
    let group = |(name, group): (String, GroupTotals)| {
        let earlier = before.groups.get(&name).copied().unwrap_or_default();
        (name, since_group(group, earlier))
    };
    let interface = |(name, totals): (String, InterfaceTotals)| {
        let earlier = before.interfaces.get(&name).copied().unwrap_or_default();
        (name, totals.since(earlier))
    };
    let service = |(name, mut service): (String, ServiceReading)| {
        let earlier = before.services.get(&name).map_or(Nanos(0), |service| service.cpu);
        service.cpu = service.cpu.since(earlier);
        (name, service)
    };
    TelemetryTotals {
        windows: 1,
        groups: after.groups.into_iter().map(group).collect(),
        times: since(after.times, before.times),
        tcp: after.tcp.since(before.tcp),
        interfaces: after.interfaces.into_iter().map(interface).collect(),
        jvm: since(after.jvm, before.jvm),
        disk: since(after.disk, before.disk).unwrap_or_default(),
        limits: since(after.limits, before.limits),
        services: after.services.into_iter().map(service).collect(),
        ..TelemetryTotals::default()
    }
}

/// Returns what happened between two readings; `None` where one of them is unknown.
fn since<T: Counted>(after: Option<T>, before: Option<T>) -> Option<T> {
    Some(after?.since(before?))
}

fn since_group(after: GroupTotals, before: GroupTotals) -> GroupTotals {
    GroupTotals {
        threads: after.threads,
        cpu: after.cpu.since(before.cpu),
        waited: after.waited.since(before.waited),
        switches: after.switches.saturating_sub(before.switches),
    }
}

fn add_group(sum: &mut GroupTotals, group: GroupTotals) {
    sum.threads = sum.threads.max(group.threads);
    sum.cpu = sum.cpu + group.cpu;
    sum.waited = sum.waited + group.waited;
    sum.switches += group.switches;
}

fn sum<T: Counted>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.and(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Bytes;
    use record::telemetry::{HostReading, Mark};

    /// A reading at second `at` in which every counter is `count` and `waiting` connections wait.
    fn reading(at: u64, mark: Mark, count: u64, waiting: u32) -> Reading {
        let group = GroupTotals { threads: 3, cpu: Nanos(count), waited: Nanos(2 * count), switches: count };
        let jvm = JvmTotals {
            gc_count: count,
            heap_used: Some(Bytes(at)),
            safepoints: Some(count),
            ..JvmTotals::default()
        };
        let server = ServerReading {
            groups: [("workers".to_owned(), group)].into(),
            queue: Some(AcceptQueue { waiting, limit: 100 }),
            tcp: TcpTotals { listen_overflows: count, ..TcpTotals::default() },
            jvm: Some(jvm),
            ..ServerReading::default()
        };
        let host = HostReading { ticks: 10 * count, idle_ticks: count, ..HostReading::default() };
        Reading { at_ns: at * 1_000_000_000, mark, host, servers: vec![None, Some(server)] }
    }

    #[test]
    fn what_passed_is_summed_over_windows_and_not_over_what_lies_between() {
        let slice = |started: u64| SliceRecord {
            arm: 1,
            started_ns: started * 1_000_000_000,
            elapsed_ns: 2_000_000_000,
            ..SliceRecord::default()
        };
        let round = RoundRecord {
            telemetry: vec![
                reading(10, Mark::Begins, 100, 90),
                reading(11, Mark::Within, 101, 7),
                reading(12, Mark::Ends, 103, 2),
                reading(20, Mark::Begins, 500, 0),
                reading(22, Mark::Ends, 504, 5),
            ],
            ..RoundRecord::default()
        };
        let totals = TelemetryTotals::in_slices(&round, &[slice(10), slice(20), slice(30)]);
        assert_eq!((totals.windows, totals.seconds), (2, 4.0));
        assert_eq!(totals.groups["workers"].cpu, Nanos(7));
        assert_eq!(totals.groups["workers"].threads, 3);
        assert_eq!(totals.tcp.listen_overflows, 7);
        assert_eq!(totals.queue.map(|queue| queue.waiting), Some(7), "90 was before");
        let jvm = totals.jvm.expect("a JVM");
        assert_eq!((jvm.gc_count, jvm.safepoints, jvm.heap_used), (7, Some(7), Some(Bytes(22))));
        assert!((totals.idle() - 0.1).abs() < 1e-12);
        assert_eq!(totals.limits, None);
        let mut twice = totals.clone();
        twice.merge(totals);
        assert_eq!((twice.windows, twice.tcp.listen_overflows), (4, 14));
    }
}
