//! [`Evidence`]: what is known of one arm at one load, from the records of a run and nothing else.

use crate::find::mode;
use crate::histogram::{Histogram, decoded, merged};
use crate::validity;
use model::arm::Arm;
use model::counted::Counted;
use model::experiment::{Experiment, LoadProfile, Objective};
use model::inspection::Inspection;
use model::outcome::{Counts, Effective, Limit, Load};
use model::plan::Think;
use model::reason::Reason;
use model::record::{RoundRecord, SliceRecord};
use model::telemetry::TcpTotals;
use model::telemetry_totals::TelemetryTotals;
use model::units::{BitRate, Nanos};
use std::collections::BTreeMap;

/// Share of the machine that has to be in use for it to be full. Of the CPU time of servers and generator alone some is
/// missing (kernel threads, memcached, readings): full machines were seen to account for 88 % to 94 %.
const FULL: f64 = 0.85;
/// CPUs that an event loop uses at least that is its own limit: it says so at four fifths of one.
const BUSY: f64 = 0.5;
/// Share of the machine in use below which nobody on it keeps a program from a CPU.
const IDLE: f64 = 0.5;
/// So many times the users should bring more, where nothing limits.
pub(super) const MORE_USERS: f64 = 1.5;
/// Clock ticks per second of `/proc/stat`.
const TICKS_PER_SECOND: f64 = 100.0;

/// One arm at one load.
#[derive(Debug)]
pub(crate) struct Evidence<'a> {
    /// As the file has it.
    pub(crate) arm: &'a Arm,
    /// As the running server said.
    pub(crate) effective: &'a Effective,
    /// How requests arrive.
    pub(crate) profile: &'a LoadProfile,
    /// What the load is too much for, where it is that of probes beyond the highest rate.
    pub(crate) missed: Option<Objective>,
    /// What the link to the servers passes; `None` where it is as wide as the machine makes it.
    pub(crate) link: Option<BitRate>,
    /// The load.
    pub(crate) level: Load,
    /// Counted beside it, mean over starts.
    pub(crate) facts: &'a BTreeMap<String, f64>,
    /// CPUs of the machine.
    pub(crate) cpus: f64,
    /// What was counted.
    pub(crate) counts: Counts,
    /// Counted seconds.
    pub(crate) seconds: f64,
    /// Requests in flight, mean.
    pub(crate) in_flight: f64,
    /// Mean time of right answers and of those that were given up, seconds; `None` where there were none.
    pub(crate) mean: Option<f64>,
    /// CPUs that the server used.
    pub(crate) cpu: f64,
    /// CPUs that the generator used.
    pub(crate) cpu_generator: f64,
    /// CPUs that the servers of the other arms used.
    pub(crate) cpu_others: f64,
    /// Share of the machine that the hypervisor took.
    pub(crate) steal: f64,
    /// Share of the time in which collections stopped the server, which is no more than it stood still for anything: Shenandoah
    /// counts its whole cycles, of which it stops the server for a moment only. `None` for what is no JVM.
    pub(crate) gc: Option<f64>,
    /// Collections per second.
    pub(crate) collections: Option<f64>,
    /// Seconds that requests which failed took, all together.
    pub(crate) failed_seconds: f64,
    /// Bits per second of the answers on the link, headers of segments included: of the median slice, as the gate sees it.
    pub(crate) wire: f64,
    /// Slices, and those of them in which the generator was saturated.
    pub(crate) slices: usize,
    pub(crate) saturated: usize,
    /// Those in which it was late, whatever for: it sent or saw something more than a while after it could have.
    pub(crate) late: usize,
    /// Why starts did not count here.
    pub(crate) voids: Vec<&'a Reason>,
    /// Starts.
    pub(crate) starts: usize,
    /// The next lower level that was measured: users, right answers per second.
    pub(crate) below: Option<(f64, f64)>,
    /// What telemetry saw in the counted windows; `None` where nobody looked.
    pub(crate) passed: Option<TelemetryTotals>,
    /// What TCP counted while the users of this level connected and nothing was counted yet, in all starts.
    pub(crate) connecting: TcpTotals,
    /// What the server said of itself at this level, after all was measured.
    pub(crate) inspection: Option<&'a Inspection>,
    /// Connect times, seconds, and how many took so long.
    pub(crate) connects: Vec<(f64, u64)>,
    /// Times that this kernel sends a SYN again after a second each before it waits longer.
    pub(crate) linear_timeouts: usize,
}

/// What has to be known of the machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    pub(crate) cpus: f64,
    /// `net.ipv4.tcp_syn_linear_timeouts`; older kernels have none.
    pub(crate) linear_timeouts: usize,
}

impl Machine {
    /// As the fingerprint of a run has it.
    pub(crate) fn of(fingerprint: &BTreeMap<String, String>) -> Self {
        let number = |key: &str| fingerprint.get(key).and_then(|text| text.parse::<usize>().ok());
        Self {
            cpus: number("cpus").unwrap_or(1) as f64,
            linear_timeouts: number("net/ipv4/tcp_syn_linear_timeouts").unwrap_or(0),
        }
    }
}

/// Where in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// At a level of the closed loop.
    Level(usize),
    /// At the fixed rate.
    Rate,
    /// In the probes beyond the highest rate that keeps the objective.
    Beyond,
}

/// Which slices of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) arm: usize,
    pub(crate) at: At,
}

/// What is known of an arm besides its slices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    /// Settings as the running server said them.
    pub(crate) effective: &'a Effective,
    /// What was counted beside the load, mean over starts.
    pub(crate) facts: &'a BTreeMap<String, f64>,
}

impl<'a> Evidence<'a> {
    /// All that the records have, with what is `known` of the arm; `None` where nothing was measured.
    pub(crate) fn of(
        experiment: &'a Experiment,
        rounds: &'a [RoundRecord],
        place: Place,
        known: Known<'a>,
        machine: Machine,
    ) -> Option<Self> {
        let own: Vec<&SliceRecord> = slices(experiment, rounds, place);
        let level = match place.at {
            At::Level(level) => experiment.load.level(level),
            At::Rate | At::Beyond => Load {
                users: None,
                rate: own.iter().filter_map(|slice| slice.rate).reduce(f64::min),
            },
        };
        let (sums, cpus) = (Sums::of(&own), machine.cpus);
        let seconds = (sums.seconds > 0.0).then_some(sums.seconds)?;
        let mean = mean_time(&own);
        let right_seconds = mean.map_or(0.0, |mean| mean * sums.timed as f64);
        let passed = passed(rounds, &own);
        Some(Self {
            arm: &experiment.arms[place.arm],
            effective: known.effective,
            profile: &experiment.load,
            missed: mode(experiment).missed().filter(|_| place.at == At::Beyond),
            link: experiment.link.as_ref().and_then(|link| link.rate),
            level,
            facts: known.facts,
            cpus,
            connecting: connecting(rounds, &own),
            inspection: inspection(rounds, place),
            connects: connects(&own),
            linear_timeouts: machine.linear_timeouts,
            seconds,
            in_flight: sums.in_flight / seconds,
            mean,
            cpu: sums.cpu / seconds,
            cpu_generator: sums.cpu_generator / seconds,
            cpu_others: sums.cpu_others / seconds,
            steal: sums.steal_ticks as f64 / TICKS_PER_SECOND / (seconds * cpus),
            gc: sums
                .gc
                .map(|(_, millis)| stopped(millis / 1e3 / seconds, passed.as_ref())),
            collections: sums.gc.map(|(count, _)| count as f64 / seconds),
            failed_seconds: (sums.service - right_seconds).max(0.0),
            wire: validity::wire(own.iter().copied()),
            slices: own.len(),
            saturated: sums.saturated,
            late: sums.late,
            voids: voids(rounds, place),
            starts: rounds.len(),
            below: below(experiment, rounds, place),
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

    /// How often that happened.
    pub(crate) fn fault(&self, kind: &str) -> u64 {
        self.counts.faults.get(kind).copied().unwrap_or(0)
    }

    /// Of each request, how many of something.
    pub(crate) fn per_request(&self, count: u64) -> f64 {
        count as f64 / self.counts.requests.max(1) as f64
    }

    /// Share of the machine that was in use: by anybody, where telemetry looked, else by what is known of.
    pub(crate) fn busy(&self) -> f64 {
        let known = self.known();
        match &self.passed {
            Some(passed) if passed.ticks > 0 => known.max(1.0 - passed.idle()),
            _ => known,
        }
    }

    /// Share of the machine that servers, generator and hypervisor used.
    pub(crate) fn known(&self) -> f64 {
        (self.cpu + self.cpu_generator + self.cpu_others) / self.cpus + self.steal
    }

    /// CPU of each group of the server's threads as a share of all of them.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&str, f64)> {
        let groups = self.passed.iter().flat_map(|passed| &passed.groups);
        let all: f64 = groups.clone().map(|(_, group)| group.cpu.as_secs_f64()).sum();
        groups
            .filter(move |_| all > 0.0)
            .map(move |(name, group)| (name.as_str(), group.cpu.as_secs_f64() / all))
    }

    /// That of one group; `None` where nobody looked.
    pub(crate) fn group(&self, name: &str) -> Option<f64> {
        self.groups().next()?;
        let own = self.groups().find(|(group, _)| *group == name);
        Some(own.map_or(0.0, |(_, share)| share))
    }

    /// Share of the server's CPU time that the kernel used for it; `None` where nobody looked.
    pub(crate) fn kernel(&self) -> Option<f64> {
        let times = self.passed.as_ref()?.times?;
        let all = (times.user + times.kernel).as_secs_f64();
        (all > 0.0).then(|| times.kernel.as_secs_f64() / all)
    }

    /// Requests that are neither worked on by a CPU nor waiting for one: they wait inside the server for something else.
    /// `None` where the load is less than it can take and leaves pauses, or the CPU is full: then it does not matter.
    pub(crate) fn idle_requests(&self) -> Option<f64> {
        let enough = self.presses() || self.missed.is_some();
        if !enough || self.cpu_full() || self.counts.ok == 0 {
            return None;
        }
        let waited = self.passed.as_ref().map_or(0.0, |passed| {
            let waited: f64 = passed
                .groups
                .values()
                .map(|group| group.waited.as_secs_f64())
                .sum();
            waited / passed.seconds.max(1e-9)
        });
        Some((self.in_flight - self.cpu - waited).max(0.0))
    }

    /// Whether no CPU is left that would let the server do more.
    pub(crate) fn cpu_full(&self) -> bool {
        self.busy() >= FULL || self.quota().is_some_and(|quota| self.cpu >= FULL * quota)
    }

    /// CPUs that the server may use, where a control group says fewer than there are.
    pub(crate) fn quota(&self) -> Option<f64> {
        let asked = self.arm.surroundings.limits.cpus;
        let quota = self.effective.cpu_limit.or(asked)?;
        (quota < self.cpus).then_some(quota)
    }

    /// Whether the generator was late and not busy: then its CPU was taken, by a neighbour or by the server itself, and what
    /// took it is the cause.
    pub(crate) fn starved(&self) -> bool {
        2 * self.late >= self.slices && self.cpu_generator < BUSY
    }

    /// Whether most of the CPU time was left over: who is late then was not kept from it by anybody on this machine.
    pub(crate) fn idle(&self) -> bool {
        self.busy() < IDLE
    }

    /// Users of the closed loop.
    pub(crate) fn users(&self) -> Option<f64> {
        self.level.users.map(|users| users as f64)
    }

    /// Whether each user asks again as soon as it is answered: then something always limits.
    pub(crate) fn presses(&self) -> bool {
        self.level.users.is_some() && self.profile.think == Think::None
    }

    /// How long a user thinks between two requests, mean, seconds.
    pub(crate) fn think(&self) -> f64 {
        let seconds = match self.profile.think {
            Think::None => return 0.0,
            Think::Constant(pause) | Think::Exponential(pause) => pause,
            Think::Uniform(least, most) => Nanos((least.0 + most.0) / 2),
            Think::Gaussian { mean, .. } => mean,
        };
        seconds.as_secs_f64()
    }

    /// Most connections that the server holds at once, where it has such a limit.
    pub(crate) fn connections(&self) -> Option<f64> {
        match self.effective.max_connections? {
            Limit::At(most) => Some(most as f64),
            Limit::None => None,
        }
    }
}

/// Users and throughput at the level before this one, where that was measured; where levels are close to each other, at the
/// last with so much fewer users that more should have brought more.
fn below(experiment: &Experiment, rounds: &[RoundRecord], place: Place) -> Option<(f64, f64)> {
    let At::Level(here) = place.at else { return None };
    let levels = &experiment.load.connections;
    let fewer = |level: &usize| levels[here] as f64 >= MORE_USERS * levels[*level] as f64;
    let below = (0..here).rfind(fewer).or(here.checked_sub(1))?;
    let there = Place {
        at: At::Level(below),
        ..place
    };
    let found = Sums::of(&slices(experiment, rounds, there));
    let users = experiment.load.connections[below] as f64;
    (found.seconds > 0.0).then(|| (users, found.counts.ok as f64 / found.seconds))
}

/// The slices that count; where none does, all of them: what spoilt them is to be found, too.
fn slices<'a>(experiment: &Experiment, rounds: &'a [RoundRecord], place: Place) -> Vec<&'a SliceRecord> {
    let (arm, at) = (place.arm, place.at);
    let of = |counted: bool| -> Vec<&SliceRecord> {
        let rounds = rounds
            .iter()
            .filter(|round| !counted || void(round, place).is_none());
        let own = rounds.flat_map(|round| -> Vec<&SliceRecord> {
            match at {
                At::Level(level) => round.closed_at(level).collect(),
                At::Rate => round.open().collect(),
                At::Beyond => mode(experiment).beyond(experiment, round, arm),
            }
        });
        own.filter(|slice| slice.arm == arm).collect()
    };
    let counted = of(true);
    if counted.is_empty() { of(false) } else { counted }
}

fn void(round: &RoundRecord, place: Place) -> Option<&Reason> {
    match place.at {
        At::Level(level) => round.void_at(level),
        At::Rate => round.void.as_ref().or(round.latency_void.as_ref()),
        At::Beyond => round.void.as_ref(),
    }
}

fn voids(rounds: &[RoundRecord], place: Place) -> Vec<&Reason> {
    rounds.iter().filter_map(|round| void(round, place)).collect()
}

/// What telemetry saw of these slices.
fn passed(rounds: &[RoundRecord], own: &[&SliceRecord]) -> Option<TelemetryTotals> {
    let mut all = TelemetryTotals::default();
    for round in rounds {
        let slices = own.iter().filter(|slice| slice.round == round.round);
        all.merge(TelemetryTotals::in_slices(round, slices.copied()));
    }
    (all.windows > 0).then_some(all)
}

/// Of the share of the time in collections that in which they stopped the server: it cannot have stood still for longer than
/// for everything.
fn stopped(collecting: f64, passed: Option<&TelemetryTotals>) -> f64 {
    let stood = passed.and_then(|passed| {
        let still = passed.jvm?.safepoint_time?;
        Some(still.as_secs_f64() / passed.seconds.max(1e-9))
    });
    stood.map_or(collecting, |stood| collecting.min(stood))
}

/// What TCP counted from the last slice of another level, or the begin of the start, to the first of these in each round.
fn connecting(rounds: &[RoundRecord], own: &[&SliceRecord]) -> TcpTotals {
    let mut sum = TcpTotals::default();
    for round in rounds {
        let mut slices = own.iter().filter(|slice| slice.round == round.round);
        let Some(first) = slices.next() else { continue };
        let earlier = round
            .slices
            .iter()
            .filter(|slice| slice.started_ns < first.started_ns);
        let other = earlier.filter(|slice| (slice.level, slice.rate) != (first.level, first.rate));
        let ended = |slice: &SliceRecord| slice.started_ns + slice.settle_ns + slice.elapsed_ns;
        let begin = other.map(ended).max().unwrap_or(0);
        sum = sum.and(TelemetryTotals::tcp_within(
            round,
            first.arm,
            begin..first.started_ns,
        ));
    }
    sum
}

/// What the server said of itself there; beyond the highest rate, what it said where its users asked as fast as they were
/// answered, which is beyond it, too.
fn inspection(rounds: &[RoundRecord], place: Place) -> Option<&Inspection> {
    let trials = rounds.iter().flat_map(|round| &round.trials);
    let own = trials.filter(|trial| trial.arm == place.arm);
    let mut inspections = own.flat_map(|trial| &trial.inspections);
    let level = match place.at {
        At::Level(level) => level,
        At::Beyond => 0,
        At::Rate => return None,
    };
    inspections.find(|inspection| inspection.level == level)
}

/// How long connections took to be made.
fn connects(slices: &[&SliceRecord]) -> Vec<(f64, u64)> {
    let histograms = slices.iter().filter_map(|slice| decoded(&slice.connect));
    let cells = histograms.flat_map(|histogram| {
        let recorded = histogram.iter_recorded();
        let cell = recorded.map(|cell| {
            (
                cell.value_iterated_to() as f64 / 1e9,
                cell.count_since_last_iteration(),
            )
        });
        cell.collect::<Vec<_>>()
    });
    cells.collect()
}

/// What the slices add up to.
#[derive(Debug, Default)]
struct Sums {
    counts: Counts,
    seconds: f64,
    in_flight: f64,
    service: f64,
    cpu: f64,
    cpu_generator: f64,
    cpu_others: f64,
    steal_ticks: u64,
    /// Requests in the histograms: right answers, and those given up.
    timed: u64,
    gc: Option<(u64, f64)>,
    saturated: usize,
    late: usize,
}

impl Sums {
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

/// Mean service time, seconds.
fn mean_time(slices: &[&SliceRecord]) -> Option<f64> {
    let histograms: Vec<Histogram> = slices
        .iter()
        .filter_map(|slice| decoded(&slice.service))
        .collect();
    let all = merged(histograms.iter()).filter(|all| !all.is_empty())?;
    Some(all.mean() / 1e9)
}
