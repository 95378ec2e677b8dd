//! [`ArmEvidence`]: everything that the records of a run contain about one arm at one load.

use super::told::ToldFigures;
use crate::find::mode;
use crate::histogram::merged_times;
use crate::pauses::Stood;
use crate::profile::{Limits, Profile};
use crate::telemetry_totals::TelemetryTotals;
use crate::validity;
use ask::arm::Arm;
use ask::experiment::{Experiment, LoadProfile, Objective};
use model::cpus::CpuSplit;
use model::load::Load;
use model::reason::Reason;
use model::units::{BitRate, Rate, Seconds};
use record::histogram::{Histogram, SparseHistogram};
use record::host_facts::HostSeen;
use record::inspection::{ArmInspection, Inspection};
use record::outcome::{ArmResult, Counts, Effective, Limit, StreamCounts};
use record::rounds::{RoundRecord, RunRecord, SliceRecord};
use std::collections::BTreeMap;
use traffic::plan::Think;

/// Smallest share of the machine in use at which the CPU counts as full. Servers and generator alone do not account for all of
/// it (kernel threads, memcached and readings are missing): on full machines they were seen to use 88 % to 94 %.
pub(super) const FULL: f64 = 0.85;
/// Fewest CPUs that the generator uses when it is at its own limit; its event loop counts as busy from four fifths of a CPU on.
pub(super) const BUSY: f64 = 0.5;
/// Share of the machine in use below which no program on it keeps another from a CPU.
const IDLE: f64 = 0.5;
/// Smallest share of the CPU time that processes which the server has started are said to use; less is chance.
const CHILDREN: f64 = 0.1;
/// Factor by which users have to grow before more throughput can be expected where nothing limits.
pub(super) const MORE_USERS: f64 = 1.5;
/// Clock ticks per second of `/proc/stat`.
const TICKS_PER_SECOND: f64 = 100.0;

/// What the records contain about one arm at one load.
#[derive(Debug)]
pub(crate) struct ArmEvidence<'a> {
    /// The arm as the experiment file describes it.
    pub(crate) arm: &'a Arm,
    /// The settings that the running server reported.
    pub(crate) effective: &'a Effective,
    /// How requests arrive.
    pub(crate) profile: &'a LoadProfile,
    /// The objective that was missed, where the slices are probes beyond the highest rate.
    pub(crate) missed: Option<Objective>,
    /// Whether answers stream, so that their events have to leave one by one.
    pub(crate) answers_stream: bool,
    /// The rate of the link to the servers; `None` where the experiment does not limit it.
    pub(crate) link: Option<BitRate>,
    pub(crate) level: Load,
    /// What control groups and services counted, as a mean over starts.
    pub(crate) facts: &'a BTreeMap<String, f64>,
    /// CPUs of the machine.
    pub(crate) cpus: f64,
    /// CPUs that servers may use, where the generator has its own.
    pub(crate) server_cpus: Option<f64>,
    /// Whether it ran on another machine than the generator, so that nothing of ours shared it.
    pub(crate) is_elsewhere: bool,
    /// Requests and answers of all slices.
    pub(crate) counts: Counts,
    /// Length of all counted parts together, in seconds.
    pub(crate) seconds: f64,
    /// Mean number of requests in flight.
    pub(crate) in_flight: f64,
    /// Mean time of right answers and of requests that were given up, in seconds; `None` where there were none.
    pub(crate) mean: Option<f64>,
    /// Median time of the same, in seconds.
    pub(crate) median: Option<f64>,
    /// CPUs that the server used.
    pub(crate) cpu: f64,
    /// CPUs that the generator used.
    pub(crate) cpu_generator: f64,
    /// CPUs that the servers of the other arms used.
    pub(crate) cpu_others: f64,
    /// Share of the machine that the hypervisor took.
    pub(crate) steal: f64,
    /// Share of the time in which collections stopped the server; `None` where the server is no JVM. It is at most the share of
    /// all safepoints, because Shenandoah counts its whole cycles, and stops the server only for a moment of each.
    pub(crate) gc: Option<f64>,
    /// Collections per second.
    pub(crate) collections: Option<f64>,
    /// How often it stood still in the slices.
    pub(crate) stood: Stood,
    /// Seconds that all failed requests took together.
    pub(crate) failed_seconds: f64,
    /// Bits per second of the answers on the link in the median slice, headers of segments included.
    pub(crate) answer_bits: f64,
    /// Number of slices.
    pub(crate) slices: usize,
    /// Number of slices in which the generator was saturated.
    pub(crate) saturated: usize,
    /// Number of slices in which the generator was late for any reason: it sent a request or saw an answer too long after it
    /// could have.
    pub(crate) late: usize,
    /// Why starts did not count at this load.
    pub(crate) voids: Vec<&'a Reason>,
    /// Number of starts.
    pub(crate) starts: usize,
    /// A lower level that was measured, to compare with.
    pub(crate) below: Option<LowerLevel>,
    /// What telemetry counted in the counted parts of the slices; `None` where there are no readings.
    pub(crate) passed: Option<TelemetryTotals>,
    /// What the inspection of the server at this level showed, after all measurements.
    pub(crate) inspection: Option<&'a Inspection>,
    /// Where the requests in flight were during the inspection; `None` where it did not look at threads or connections.
    pub(crate) inside: Option<Profile<'a>>,
    /// What the server tells of itself, where nobody can see its process.
    pub(crate) told: Option<ToldFigures>,
    /// Connect times in seconds, each with the number of connects that took so long.
    pub(crate) connects: Vec<(f64, u64)>,
    /// How often this kernel sends a SYN again after one second each, before it doubles the interval.
    pub(crate) linear_timeouts: usize,
}

/// A level of the closed loop with fewer users.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LowerLevel {
    pub(crate) users: f64,
    /// Right answers per second.
    pub(crate) throughput: f64,
}

/// What diagnoses need to know of the machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    pub(crate) cpus: f64,
    /// CPUs that servers may use, where the generator has its own.
    pub(crate) server_cpus: Option<f64>,
    /// `net.ipv4.tcp_syn_linear_timeouts`; 0 in older kernels, which do not have it.
    pub(crate) linear_timeouts: usize,
}

impl Machine {
    /// The machine of this fingerprint.
    pub(crate) fn of(fingerprint: &BTreeMap<String, String>) -> Self {
        let number = |key: &str| fingerprint.get(key).and_then(|text| text.parse::<usize>().ok());
        Self {
            cpus: number("cpus").unwrap_or(1) as f64,
            server_cpus: CpuSplit::of(fingerprint).map(|split| split.servers.len() as f64),
            linear_timeouts: number("net/ipv4/tcp_syn_linear_timeouts").unwrap_or(0),
        }
    }
}

/// A load of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// A level of the closed loop, by its index.
    Level(usize),
    /// The fixed rate.
    Rate,
    /// The probes beyond the highest rate that keeps the objective.
    Beyond,
}

/// An arm at a load, by its index in the experiment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) arm: usize,
    pub(crate) at: At,
}

/// What is known of an arm besides its rounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    /// The settings that the running server reported.
    pub(crate) effective: &'a Effective,
    /// What control groups and services counted, as a mean over starts.
    pub(crate) facts: &'a BTreeMap<String, f64>,
    /// The inspections of the run, of all arms.
    pub(crate) inspections: &'a [ArmInspection],
    /// The number of CPUs of the other machine on which it ran; `None` for the machine of the generator.
    pub(crate) cpus_elsewhere: Option<u32>,
}

impl<'a> Known<'a> {
    /// What is known of an arm of a run.
    pub(super) fn of(arm: &'a ArmResult, run: &'a RunRecord) -> Self {
        Self {
            effective: &arm.effective,
            facts: &arm.facts,
            inspections: &run.inspections,
            cpus_elsewhere: HostSeen::of(&run.fingerprint, &arm.name).map(|host| host.cpus),
        }
    }
}

impl<'a> ArmEvidence<'a> {
    /// The evidence on an arm at a load; `None` where nothing was measured.
    pub(crate) fn of(
        experiment: &'a Experiment,
        rounds: &'a [RoundRecord],
        place: Place,
        known: Known<'a>,
        machine: Machine,
    ) -> Option<Self> {
        let slices: Vec<&SliceRecord> = slices_of(experiment, rounds, place);
        let sums = Sums::of(&slices);
        let arm = &experiment.arms[place.arm];
        let told = arm.is_unseen().then(|| ToldFigures::of(rounds, &slices, known.effective)).flatten();
        let told_cpu = told.as_ref().and_then(|told| told.cpu);
        let elsewhere = known.cpus_elsewhere.map(f64::from).or(told_cpu.map(|(_, cpus)| cpus));
        let cpus = elsewhere.unwrap_or(machine.cpus);
        let seconds = (sums.seconds > 0.0).then_some(sums.seconds)?;
        let times = service_times(&slices);
        let mean = times.as_ref().map(|times| times.mean() / 1e9);
        let passed = telemetry_of(rounds, &slices);
        let inspection = inspection_at(known.inspections, place);
        let gc = sums.collecting(passed.as_ref()).or(told.as_ref().and_then(|told| told.gc));
        Some(Self {
            arm,
            effective: known.effective,
            profile: &experiment.load,
            missed: mode(experiment).missed_objective().filter(|_| place.at == At::Beyond),
            answers_stream: experiment.design.streams,
            link: experiment.link.as_ref().and_then(|link| link.rate),
            level: load_at(experiment, place.at, &slices),
            facts: known.facts,
            cpus,
            server_cpus: elsewhere.or(machine.server_cpus),
            is_elsewhere: elsewhere.is_some(),
            inspection,
            inside: inspection.and_then(|seen| Profile::of(seen, limits(known.effective))),
            connects: connect_times(&slices),
            linear_timeouts: machine.linear_timeouts,
            seconds,
            in_flight: sums.in_flight / Seconds(seconds),
            mean,
            median: times.map(|times| times.value_at_quantile(0.5) as f64 / 1e9),
            cpu: told_cpu.map_or(sums.cpu / seconds, |(used, _)| used),
            cpu_generator: sums.cpu_generator / seconds,
            cpu_others: sums.cpu_others / seconds,
            // What is stolen here is not stolen there.
            steal: if told_cpu.is_some() { 0.0 } else { sums.stolen_share(cpus) },
            gc: gc.map(|(share, _)| share),
            collections: gc.map(|(_, per_second)| per_second),
            told,
            stood: Stood::of_slices(slices.iter().copied()),
            failed_seconds: (sums.service.0 - mean.unwrap_or(0.0) * sums.timed as f64).max(0.0),
            answer_bits: validity::bits_per_second(slices.iter().copied()),
            slices: slices.len(),
            saturated: sums.saturated,
            late: sums.late,
            voids: void_reasons(rounds, place),
            starts: rounds.len(),
            below: lower_level(experiment, rounds, place),
            counts: sums.counts,
            passed,
        })
    }

    /// Right answers per second.
    pub(crate) fn throughput(&self) -> f64 {
        self.counts.ok as f64 / self.seconds
    }

    /// Requests that ended without a right answer.
    pub(crate) fn wrong(&self) -> u64 {
        self.counts.requests.saturating_sub(self.counts.ok)
    }

    /// How often this kind of fault occurred.
    pub(crate) fn fault_count(&self, kind: &str) -> u64 {
        self.counts.faults.get(kind).copied().unwrap_or(0)
    }

    /// A count divided by the number of requests.
    pub(crate) fn per_request(&self, count: u64) -> f64 {
        count as f64 / self.counts.requests.max(1) as f64
    }

    /// Share of the machine that was in use: by any program where there is telemetry, otherwise by servers, generator and
    /// hypervisor.
    pub(crate) fn busy(&self) -> f64 {
        let known = self.known_busy();
        match &self.passed {
            Some(passed) if passed.ticks > 0 => known.max(1.0 - passed.idle()),
            _ => known,
        }
    }

    /// Share of the machine that servers, generator and hypervisor used.
    pub(crate) fn known_busy(&self) -> f64 {
        let used = match self.is_elsewhere {
            true => self.cpu,
            false => self.cpu + self.cpu_generator + self.cpu_others,
        };
        used / self.cpus + self.steal
    }

    /// CPUs that the generator and the other arms used on the machine of the server.
    pub(crate) fn cpu_beside(&self) -> f64 {
        match self.is_elsewhere {
            true => 0.0,
            false => self.cpu_generator + self.cpu_others,
        }
    }

    /// The services of the arm on this machine by name, each with the CPUs that it uses; empty without telemetry.
    pub(crate) fn services_cpu(&self) -> impl Iterator<Item = (&str, f64)> {
        let passed = self.passed.as_ref().filter(|passed| passed.ticks > 0);
        passed.into_iter().flat_map(|passed| {
            let services = passed.services.iter();
            services
                .map(|(name, service)| (name.as_str(), service.cpu.as_secs_f64() / passed.seconds.max(1e-9)))
        })
    }

    /// CPU time of the processes that the server's own process has started, as a share of all its CPU time; 0 without telemetry.
    pub(crate) fn children_share(&self) -> f64 {
        let own = self.passed.as_ref().and_then(|passed| {
            let times = passed.times?;
            Some((times.user + times.kernel).as_secs_f64() / passed.seconds)
        });
        let share = own.map_or(0.0, |own| 1.0 - own / self.cpu);
        // The two are not read at the same moments.
        if share > CHILDREN { share } else { 0.0 }
    }

    /// CPU time of each group of the server's threads, as a share of the server's CPU time.
    pub(crate) fn group_shares(&self) -> impl Iterator<Item = (&str, f64)> {
        let own = 1.0 - self.children_share();
        let groups = self.passed.iter().flat_map(|passed| &passed.groups);
        let all: f64 = groups.clone().map(|(_, group)| group.cpu.as_secs_f64()).sum();
        groups
            .filter(move |_| all > 0.0)
            .map(move |(name, group)| (name.as_str(), own * group.cpu.as_secs_f64() / all))
    }

    /// CPU time of one group of the server's threads, as a share of the server's CPU time; `None` without telemetry.
    pub(crate) fn group_share(&self, name: &str) -> Option<f64> {
        self.group_shares().next()?;
        let named = self.group_shares().find(|(group, _)| *group == name);
        Some(named.map_or(0.0, |(_, share)| share))
    }

    /// Share of the server's CPU time that its own process spent in the kernel; `None` without telemetry.
    pub(crate) fn kernel_share(&self) -> Option<f64> {
        let times = self.passed.as_ref()?.times?;
        let all = (times.user + times.kernel).as_secs_f64();
        let own = 1.0 - self.children_share();
        (all > 0.0).then(|| own * times.kernel.as_secs_f64() / all)
    }

    /// Whether the machine, or the server's quota, has no CPU time left for it.
    pub(crate) fn cpu_full(&self) -> bool {
        let own = self.server_cpus.is_some_and(|cpus| self.cpu >= FULL * cpus);
        own || self.busy() >= FULL || self.quota().is_some_and(|quota| self.cpu >= FULL * quota)
    }

    /// CPUs that a control group allows the server, if these are fewer than the machine has.
    pub(crate) fn quota(&self) -> Option<f64> {
        let asked = self.arm.surroundings.limits.cpus;
        let quota = self.effective.cpu_limit.or(asked)?.0;
        (quota < self.cpus).then_some(quota)
    }

    /// Whether the generator was late although it was not busy: a neighbour or the server itself took its CPU, and that is the
    /// cause.
    pub(crate) fn starved(&self) -> bool {
        2 * self.late >= self.slices && self.cpu_generator < BUSY
    }

    /// Whether most of the CPU time was idle, so that no program on this machine kept another from a CPU.
    pub(crate) fn idle(&self) -> bool {
        self.busy() < IDLE
    }

    /// Users of the closed loop; `None` at a fixed rate.
    pub(crate) fn users(&self) -> Option<f64> {
        self.level.users.map(|users| users as f64)
    }

    /// What was counted of HTTP/2; `None` where the load speaks HTTP/1.1.
    pub(crate) fn streams(&self) -> Option<&StreamCounts> {
        self.arm.settings.http2_way().map(|_| &self.counts.http2)
    }

    /// Whether each user asks again as soon as it is answered, so that something always limits.
    pub(crate) fn presses(&self) -> bool {
        self.level.users.is_some() && self.profile.think == Think::None
    }

    /// Mean think time between two requests of a user, in seconds.
    pub(crate) fn think_seconds(&self) -> f64 {
        self.profile.think.mean().as_secs_f64()
    }

    /// Most connections that the server holds at once; `None` where it has no such limit.
    pub(crate) fn connection_limit(&self) -> Option<f64> {
        match self.effective.max_connections? {
            Limit::At(most) => Some(most as f64),
            Limit::None => None,
        }
    }
}

/// The highest lower level with so many fewer users that this one should have brought more, or without one the level before
/// this one; `None` where it was not measured.
fn lower_level(experiment: &Experiment, rounds: &[RoundRecord], place: Place) -> Option<LowerLevel> {
    let At::Level(here) = place.at else { return None };
    let levels = &experiment.load.connections;
    let fewer = |level: &usize| levels[here] as f64 >= MORE_USERS * levels[*level] as f64;
    let below = (0..here).rfind(fewer).or(here.checked_sub(1))?;
    let there = Place { at: At::Level(below), ..place };
    let sums = Sums::of(&slices_of(experiment, rounds, there));
    let users = experiment.load.connections[below] as f64;
    (sums.seconds > 0.0).then(|| LowerLevel { users, throughput: sums.counts.ok as f64 / sums.seconds })
}

/// The slices that count. Where none of them count, all slices, because what voided them is to be diagnosed, too.
fn slices_of<'a>(experiment: &Experiment, rounds: &'a [RoundRecord], place: Place) -> Vec<&'a SliceRecord> {
    let (arm, at) = (place.arm, place.at);
    let select = |only_counted: bool| -> Vec<&SliceRecord> {
        let rounds = rounds.iter().filter(|round| !only_counted || void_reason(round, place).is_none());
        let slices = rounds.flat_map(|round| -> Vec<&SliceRecord> {
            match at {
                At::Level(level) => round.closed_at(level).collect(),
                At::Rate => round.open().collect(),
                At::Beyond => mode(experiment).slices_beyond(experiment, round, arm),
            }
        });
        slices.filter(|slice| slice.arm == arm).collect()
    };
    let counted = select(true);
    if counted.is_empty() { select(false) } else { counted }
}

/// Why a round does not count at a load, if it does not.
fn void_reason(round: &RoundRecord, place: Place) -> Option<&Reason> {
    match place.at {
        At::Level(level) => round.void_of_arm(level, place.arm),
        At::Rate => round.void.as_ref().or(round.latency_void.as_ref()),
        At::Beyond => round.void.as_ref(),
    }
}

/// Why rounds do not count at a load, for each round that does not.
fn void_reasons(rounds: &[RoundRecord], place: Place) -> Vec<&Reason> {
    rounds.iter().filter_map(|round| void_reason(round, place)).collect()
}

/// What telemetry counted during these slices; `None` where there are no readings.
fn telemetry_of(rounds: &[RoundRecord], slices: &[&SliceRecord]) -> Option<TelemetryTotals> {
    let mut all = TelemetryTotals::default();
    for round in rounds {
        let of_round = slices.iter().filter(|slice| slice.round == round.round);
        all.merge(TelemetryTotals::in_slices(round, of_round.copied()));
    }
    (all.windows > 0).then_some(all)
}

/// The load at the place where these slices were measured.
fn load_at(experiment: &Experiment, at: At, slices: &[&SliceRecord]) -> Load {
    match at {
        At::Level(level) => experiment.load.level(level),
        At::Rate | At::Beyond => Load {
            rate: slices.iter().filter_map(|slice| slice.rate).reduce(Rate::min),
            together: slices.iter().any(|slice| slice.together),
            sessions: experiment.workload.sessions.is_some(),
            ..Load::default()
        },
    }
}

/// Share of the time in which collections stopped the server: the share of the time in collections, or if that is less, the
/// share of the time in safepoints of any kind. It is at most 1: a collection that began before the first reading is counted whole.
fn stopped_share(collecting: f64, passed: Option<&TelemetryTotals>) -> f64 {
    let stood = passed.and_then(|passed| {
        let still = passed.jvm?.safepoint_time?;
        Some(still.as_secs_f64() / passed.seconds.max(1e-9))
    });
    stood.map_or(collecting, |stood| collecting.min(stood)).min(1.0)
}

/// The inspection of the server at a load. Beyond the highest rate it is the inspection in the closed loop: its users
/// ask as fast as they are answered, so their rate is beyond the highest rate, too.
fn inspection_at(inspections: &[ArmInspection], place: Place) -> Option<&Inspection> {
    let level = match place.at {
        At::Level(level) => level,
        At::Beyond => 0,
        At::Rate => return None,
    };
    let of_arm = inspections.iter().filter(|seen| seen.arm == place.arm);
    of_arm.map(|seen| &seen.inspection).find(|inspection| inspection.level == level)
}

/// Connect times in seconds, each with the number of connects that took so long.
fn connect_times(slices: &[&SliceRecord]) -> Vec<(f64, u64)> {
    let histograms = slices.iter().filter_map(|slice| slice.connect.as_ref());
    let cells =
        histograms.flat_map(SparseHistogram::cells).map(|(value, count)| (*value as f64 / 1e9, *count));
    cells.collect()
}

/// Sums over slices; times are in seconds.
#[derive(Debug, Default)]
struct Sums {
    counts: Counts,
    seconds: f64,
    /// Requests in flight times seconds.
    in_flight: Seconds,
    service: Seconds,
    cpu: f64,
    cpu_generator: f64,
    cpu_others: f64,
    steal_ticks: u64,
    /// Requests in the histograms: right answers and requests that were given up.
    timed: u64,
    /// Number of collections and their milliseconds; `None` where the server is no JVM.
    gc: Option<(u64, f64)>,
    saturated: usize,
    late: usize,
}

impl Sums {
    /// The share of the time in which collections stopped the server, and how many there were per second; `None` where it is no JVM.
    fn collecting(&self, passed: Option<&TelemetryTotals>) -> Option<(f64, f64)> {
        let (count, millis) = self.gc?;
        Some((stopped_share(millis / 1e3 / self.seconds, passed), count as f64 / self.seconds))
    }

    /// The share of so many CPUs that the hypervisor took.
    fn stolen_share(&self, cpus: f64) -> f64 {
        self.steal_ticks as f64 / TICKS_PER_SECOND / (self.seconds * cpus)
    }

    fn of(slices: &[&SliceRecord]) -> Self {
        let mut sums = Self::default();
        for slice in slices {
            let given_up = slice.counts.faults.get("response_timeout");
            sums.timed += slice.counts.ok + given_up.copied().unwrap_or(0);
            sums.counts.add(&slice.counts);
            sums.seconds += slice.elapsed_ns as f64 / 1e9;
            sums.in_flight += slice.in_flight;
            sums.service += slice.service_sum;
            sums.cpu += slice.cpu_ns_arm as f64 / 1e9;
            sums.cpu_generator += slice.cpu_ns_generator as f64 / 1e9;
            sums.cpu_others += slice.cpu_ns_other_arms as f64 / 1e9;
            sums.steal_ticks += slice.steal_ticks;
            if let (Some(count), Some(millis)) = (slice.gc_count, slice.gc_ms) {
                let (counts, time) = sums.gc.unwrap_or_default();
                sums.gc = Some((counts + count, time + millis));
            }
            if let Some(why) = &slice.why_invalid {
                sums.saturated += usize::from(why.is_of_generator());
                sums.late += usize::from(why.is_late());
            }
        }
        sums
    }
}

/// All service times; `None` where there are none.
fn service_times(slices: &[&SliceRecord]) -> Option<Histogram> {
    merged_times(slices.iter().map(|slice| slice.service.as_ref()).filter(Option::is_some))
}

/// What the server lets in at a time.
fn limits(effective: &Effective) -> Limits {
    let slots = match effective.virtual_threads {
        Some(Limit::At(tasks)) => Some(tasks),
        Some(Limit::None) => None,
        None => effective.max_threads,
    };
    Limits { slots: slots.map(|slots| slots as f64) }
}
