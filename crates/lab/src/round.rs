//! One round: starts every arm, warms them up, measures slices in quads at every level, and stops all arms again.

use crate::Error;
use crate::bench::Bench;
use crate::brief_session::BriefSession;
use crate::clock::wall_clock;
use crate::event::{Event, Observer};
use crate::meters::Meters;
use crate::quiet;
use crate::schedule::Schedule;
use crate::settings;
use crate::setup;
use crate::slice::{self, RunningArms, SlicePosition};
use ask::experiment::Experiment;
use judge::round_time::Pairs;
use judge::validity::{self, Circumstances};
use load::{LoadSession, Window};
use model::measure::Measure;
use model::reason::Reason;
use model::units::{Nanos, Seconds};
use probe::host;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use record::outcome::Effective;
use record::round_times::RoundTimes;
use record::rounds::{RoundRecord, SliceRecord, TrialRecord};
use record::step::Step;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Instant;
use traffic::plan::{Arrivals, Plan, Reuse, Think};

mod at_once;
mod closed;
mod cpu_profile;
mod find;
mod first_answers;
mod open;
mod profile;
mod quads;
mod starting;
mod warm_up;

use closed::Visit;
pub(crate) use cpu_profile::ProfiledStart;
use starting::Starts;

/// The number of users that suffices for a warm-up: enough to give its compilers work, few enough for any server.
const WARM_USERS: usize = 16;
/// The ticks per second of `/proc/stat`: USER_HZ, which is 100 on every Linux that we run on.
const TICKS_PER_SECOND: f64 = 100.0;

/// Notes where the time of a round goes.
struct Stopwatch {
    times: RoundTimes,
    begun: Instant,
    since: Instant,
}

impl Stopwatch {
    fn new() -> Self {
        let now = Instant::now();
        Self { times: RoundTimes::default(), begun: now, since: now }
    }

    /// The time since it was started.
    fn elapsed(&self) -> Seconds {
        self.begun.elapsed().into()
    }

    /// Adds the time since the last lap to this part of the round.
    fn lap(&mut self, part: impl FnOnce(&mut RoundTimes) -> &mut Seconds) {
        let now = Instant::now();
        *part(&mut self.times) += (now - self.since).into();
        self.since = now;
    }
}

/// How the users of a session come and go on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manner {
    /// They begin within this time.
    ramp: Nanos,
    /// They leave out their pauses.
    hurry: bool,
    /// They go on from one slice to the next, without a break.
    continuous: bool,
    /// Their connections are closed after each slice.
    brief: bool,
    /// Slices end by the clock, whether anything is answered or not.
    by_clock: bool,
    /// They wait for their answers for as long as a slice may last.
    patient: bool,
}

/// How long patient users wait for an answer: pools of connections give up after 30 s.
const PATIENT: Nanos = Nanos::from_secs(60);

impl Manner {
    /// Users who begin within this time.
    fn within(ramp: Nanos) -> Self {
        Self { ramp, ..Self::default() }
    }
}

/// One round of an experiment.
pub(crate) struct Round<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) bench: &'a Bench,
    pub(crate) number: u32,
    pub(crate) pairs: Pairs,
    /// What it has already, where the run was interrupted in it and is continued.
    pub(crate) part: Option<RoundRecord>,
    /// The earlier rounds of the run.
    pub(crate) earlier: &'a [RoundRecord],
    pub(crate) schedule: &'a Schedule,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) observer: &'a mut dyn Observer,
    /// The arms that gave no right answer at the end of the warm-up, and made their users wait for the wrong ones.
    pub(crate) silent: BTreeSet<usize>,
}

impl Round<'_> {
    /// Runs the round. Whatever happens, every server is stopped when this returns.
    pub(crate) fn run(mut self, seed: u64) -> Result<RoundRecord, Error> {
        let number = self.number;
        let quiet = quiet::wait(self.schedule.patience(), self.stop, &mut |idle| {
            self.observer.event(Event::Waiting { round: number, idle });
        })?;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(u64::from(self.number));
        let (wall, monotonic) = (wall_clock(), Instant::now());
        let mut stopwatch = Stopwatch::new();
        let cycles = self.time_startups(&mut random)?;
        stopwatch.lap(|times| &mut times.startup_cycles);
        let starts = self.starts();
        let (mut running, mut trials) = self.start_all(starts, &mut random)?;
        for (trial, cycles) in trials.iter_mut().zip(cycles) {
            trial.startup_cycles_ns = cycles;
        }
        stopwatch.lap(|times| &mut times.starting);
        let before = self.part.take().unwrap_or_default();
        let before_this = before.elapsed;
        let mut record = RoundRecord {
            round: self.number,
            pairs: self.pairs.closed,
            idle: quiet.idle,
            waited: quiet.time + before.waited,
            unfinished: false,
            started_at_once: starts == Starts::AtOnce,
            levels_before: before.levels.len() as u64,
            ..before
        };
        let measured = self.measure(&mut running, &mut trials, &mut record, &mut random, &mut stopwatch);
        measured.map_err(|error| self.explain(error, &mut running))?;
        if !self.knows_settings() {
            self.report_step(Step::ReadingSettings, 0.95);
            for (arm, (trial, server)) in trials.iter_mut().zip(&running.servers).enumerate() {
                trial.effective = Some(self.bench.effective(arm, server, self.stop));
            }
        }
        self.report_step(Step::Stopping, 0.97);
        stopwatch.lap(|times| &mut times.rest);
        stop_all(running, self.bench)?;
        stopwatch.lap(|times| &mut times.stopping);
        let effective: Vec<Effective> = trials.iter().filter_map(|trial| trial.effective.clone()).collect();
        setup::check_effective(&self.experiment.arms, &effective)?;
        record.trials = trials;
        record.elapsed = before_this + stopwatch.elapsed();
        record.times = Some(stopwatch.times);
        record.void = record.void.or_else(|| validity::check_clock(clock_step(wall, monotonic)));
        Ok(record)
    }

    /// Reports what the round has so far, so that a run that is continued need not measure it again.
    fn report_part(&mut self, record: &RoundRecord, running: &RunningArms, stopwatch: &Stopwatch) {
        let mut part = record.clone();
        part.unfinished = true;
        part.elapsed += stopwatch.elapsed();
        part.telemetry.extend(running.meters.so_far());
        self.observer.event(Event::LevelEnded(&part));
    }

    /// Whether an earlier round has read the settings in effect: one that ended with the connection to a host has not.
    fn knows_settings(&self) -> bool {
        let mut trials = self.earlier.iter().flat_map(|round| &round.trials);
        trials.any(|trial| trial.effective.is_some())
    }

    /// Warms up and measures: everything in the round that needs running servers.
    fn measure(
        &mut self,
        running: &mut RunningArms,
        trials: &mut [TrialRecord],
        record: &mut RoundRecord,
        random: &mut ChaCha8Rng,
        stopwatch: &mut Stopwatch,
    ) -> Result<(), Error> {
        let mode = find::mode(self.experiment);
        let all = mode.levels(self.experiment, self.earlier, random);
        let is_left = |level: &&usize| record.level(**level).is_none();
        let levels: Vec<usize> = all.iter().filter(is_left).copied().collect();
        let first = levels.first().unwrap_or(&all[0]);
        let warm = self.level_to_warm_up(*first);
        self.check_first_answers(running)?;
        let warm_pace = self.warm_up(running, warm, trials, random)?;
        // A server that uses several processes has started them by now.
        running.meters.renew(&running.servers)?;
        stopwatch.lap(|times| &mut times.warm_up);
        // The users of the first visit are connected already, if the warm-up was at its level and they do not pause.
        let connect_first = warm != *first || self.experiment.has_pauses();
        for (visit, &level) in levels.iter().enumerate() {
            let visit = Visit { index: visit + usize::from(connect_first), level };
            let (done, slices) = self.measure_level(running, visit, warm_pace, random)?;
            record.levels.push(done);
            record.slices.extend(slices);
            if mode.is_enough(self.experiment, self.earlier, record) {
                break;
            }
            if record.levels.len() < all.len() {
                self.report_part(record, running, stopwatch);
            }
        }
        stopwatch.lap(|times| &mut times.closed_loop);
        let void = record.levels[0].void.clone();
        let void = void.filter(|_| record.levels.iter().all(|level| level.void.is_some()));
        record.void = void.clone().filter(|why| !self.spares_stage(why));
        self.measure_at_rate(running, record, random)?;
        stopwatch.lap(|times| &mut times.fixed_rate);
        // The round is void if no part of it counts.
        record.void = void.filter(|_| record.void.is_some() || record.staged().next().is_none());
        if record.void.is_none() {
            let slices = mode.search(self, running, record, random)?;
            record.slices.extend(slices);
        }
        record.telemetry.extend(running.meters.finish());
        for (trial, server) in trials.iter_mut().zip(&running.servers) {
            let totals = settings::totals(server)?;
            trial.facts = totals.facts;
            trial.request_bytes = Bench::request_bytes(server, self.experiment)?;
            trial.peak_memory = totals.peak_memory.unwrap_or_default();
        }
        Ok(())
    }

    /// The error, or, if a server has ended, that as the better explanation of what failed after it.
    fn explain(&self, error: Error, running: &mut RunningArms) -> Error {
        let Some(arm) = running.servers.iter_mut().position(|server| !server.is_alive()) else {
            return error;
        };
        let name = self.bench.name(arm).to_owned();
        match running.servers[arm].overrun() {
            Some(overrun) => Error::Arm { arm: name, source: Box::new(overrun) },
            None => Error::Died { arm: name, log: running.servers[arm].log_tail() },
        }
    }

    /// Whether the stage at a fixed rate may still count where this has voided the closed loop.
    fn spares_stage(&self, why: &Reason) -> bool {
        // An arm that works without load spoils slices of the others; in slices of all arms it is charged itself.
        let is_idle_arm = why.is_of_unloaded_arm();
        why.is_of_machine() || is_idle_arm && self.experiment.design.pacing.is_together()
    }

    /// The circumstances at a level, for the validity gates.
    fn circumstances(&self, level: usize) -> Circumstances {
        let load = &self.experiment.load;
        Circumstances {
            users: Some(load.connections[level]).filter(|_| load.keepalive && !self.experiment.has_pauses()),
            cpus: host::cpus(),
            margin: self.experiment.design.margins[Measure::Throughput],
            ticks_per_second: TICKS_PER_SECOND,
            link: self.experiment.link.as_ref().and_then(|link| link.rate),
        }
    }

    /// Whether the event loops of this process make the load. Machines elsewhere begin and end all slices by their common schedule.
    fn is_loaded_from_here(&self) -> bool {
        self.bench.generator().fleet_status().is_none()
    }

    /// Whether this process may have the connections of all arms open at once at a level.
    fn has_room_for_all(&self, level: usize) -> bool {
        let load = &self.experiment.load;
        let arms = self.experiment.arms.iter();
        let all: usize = arms.map(|arm| load.connections_at(level, arm.settings.http)).sum();
        !self.is_loaded_from_here() || load::most_connections().is_none_or(|most| all as u64 <= most)
    }

    /// The level at which arms are warmed up in a round that visits `first` first. If its users are not known to be answered quickly, it is the
    /// lowest one whose load gets code compiled: a slice of a warm-up ends when its last request is answered, which takes 25 s where 200
    /// threads serve 5000 users who wait for a second each.
    fn level_to_warm_up(&self, first: usize) -> usize {
        let level = find::mode(self.experiment).warm_level(self.experiment, first);
        let compiles = |lower: &usize| self.experiment.load.connections[*lower] >= WARM_USERS;
        let is_quick = self.known_pace(level).is_some_and(|pace| !pace.is_slow());
        let gentle = (0..level).find(compiles).filter(|_| !is_quick);
        self.fitting_level(gentle.unwrap_or(level))
    }

    /// The level, or if there is no room for it with all arms at once, the highest one for which there is.
    fn fitting_level(&self, level: usize) -> usize {
        let mut lower = (0..level).rev().filter(|lower| self.has_room_for_all(*lower));
        if self.has_room_for_all(level) { level } else { lower.next().unwrap_or(level) }
    }

    /// Opens connections to the server of an arm for these arrivals, with users of a closed loop in this manner.
    fn session(
        &self,
        arm: usize,
        server: &sut::Server,
        arrivals: Arrivals,
        manner: Manner,
        seed: u64,
    ) -> Result<Box<dyn LoadSession>, Error> {
        let load = &self.experiment.load;
        let is_open = arrivals.open();
        let (requests, order) = Bench::requests(server, self.experiment)?;
        let mut plan = Plan::new(server.addr(), requests, arrivals);
        plan.order = order;
        plan.opening = Bench::opening(server, self.experiment)?;
        plan.sessions = Bench::sessions(server, self.experiment).map(Box::new);
        self.bench.guide(arm, server, &mut plan)?;
        plan.http = Bench::http(server, self.experiment);
        plan.users.ramp = manner.ramp;
        plan.users.think = if manner.hurry { Think::None } else { load.think };
        plan.hurry = manner.hurry;
        plan.continuous = manner.continuous;
        plan.edges_at_answers = !is_open && !manner.by_clock && self.is_loaded_from_here();
        plan.reuse = if load.keepalive { Reuse::PerUser } else { Reuse::Never };
        plan.connect_rate = load.connect_rate;
        plan.shards = load.shards;
        plan.cpus = self.bench.generator_cpus().to_vec();
        plan.real_time = host::bounds_real_time();
        (plan.connect_timeout, plan.response_timeout) = (load.timeout, load.timeout);
        if manner.patient {
            plan.response_timeout = load.timeout.max(PATIENT);
        }
        plan.seed = seed;
        if manner.brief {
            return Ok(Box::new(BriefSession(plan)));
        }
        Ok(self.bench.generator().open(plan)?)
    }

    /// Measures slices, all of them at once, and reports them before anything else, so that they are stored
    /// before the next begin. `sessions` has one of each arm.
    fn measure_slices(
        &mut self,
        sessions: &mut [Box<dyn LoadSession>],
        meters: &Meters,
        positions: &[SlicePosition],
        window: Window,
    ) -> Result<Vec<SliceRecord>, Error> {
        let arms: Vec<usize> = positions.iter().map(|position| position.arm).collect();
        let measured = slice::measure_together(sessions, &arms, meters, window, self.stop)?;
        let records = measured.iter().zip(positions);
        let records: Vec<SliceRecord> = records.map(|(measured, at)| measured.record(*at)).collect();
        for record in &records {
            self.observer.event(Event::Slice(record));
        }
        self.report_fleet();
        Ok(records)
    }

    /// Reports how the machines do that make the load, if others make it.
    fn report_fleet(&mut self) {
        if let Some(status) = self.bench.generator().fleet_status() {
            self.observer.event(Event::Fleet(status));
        }
    }

    /// Measures one slice and reports it at once, so that it is stored before the next begins.
    fn measure_slice(
        &mut self,
        session: &mut dyn LoadSession,
        meters: &Meters,
        position: SlicePosition,
        window: Window,
    ) -> Result<SliceRecord, Error> {
        let measured = slice::measure(session, position.arm, meters, window, self.stop)?;
        let record = measured.record(position);
        self.observer.event(Event::Slice(&record));
        self.report_fleet();
        Ok(record)
    }

    /// Reports to the observer what is being done, when this share of the round is done.
    fn report_step(&mut self, step: Step, share: f64) {
        let event = Event::Step {
            round: self.number,
            cap: self.experiment.design.starts,
            step,
            share: self.schedule.share(share),
            left: self.schedule.left(share),
        };
        self.observer.event(event);
    }
}

/// The seconds by which the wall clock has moved against the monotonic clock since both were read.
fn clock_step(wall: u64, monotonic: Instant) -> Seconds {
    let wall = Seconds((wall_clock() as f64 - wall as f64) / 1e9);
    wall - monotonic.elapsed().into()
}

/// Stops every server, all of them at once, before the first failure is reported.
fn stop_all(running: RunningArms, bench: &Bench) -> Result<(), Error> {
    drop(running.sessions);
    let stopped: Vec<Result<(), Error>> = thread::scope(|scope| {
        let servers = running.servers.into_iter().enumerate();
        let stops: Vec<_> =
            servers.map(|(arm, server)| scope.spawn(move || bench.stop(arm, server))).collect();
        let ended = stops.into_iter().map(|stop| stop.join());
        ended.map(|stopped| stopped.expect("a stop does not panic")).collect()
    });
    stopped.into_iter().collect()
}
