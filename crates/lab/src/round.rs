//! One round: a fresh start of every arm, warm-up, slices in quads, everything stopped again.

use crate::Error;
use crate::bench::Bench;
use crate::event::{Event, Observer};
use crate::latency;
use crate::order;
use crate::quiet;
use crate::schedule::Schedule;
use crate::setup;
use crate::slice::{self, Meter, Place, Running};
use crate::validity::{self, Circumstances};
use crate::warmup::{Gate, WarmSlice};
use load::{Session, Window};
use model::experiment::Experiment;
use model::outcome::Effective;
use model::plan::{Arrivals, Plan};
use model::record::{RoundRecord, SliceRecord, TrialRecord};
use model::units::{Nanos, Rate};
use probe::host;
use probe::process::peak_memory;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Length of a slice of warm-up.
const WARM_SLICE: Nanos = Nanos::from_millis(500);
/// Ticks per second of `/proc/stat`: fixed at 100 in the kernel's interface (USER_HZ) on every Linux we run on.
const TICKS_PER_SECOND: f64 = 100.0;

/// One round of an experiment.
pub(crate) struct Round<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) bench: &'a Bench,
    pub(crate) number: u32,
    /// Pairs of slices.
    pub(crate) pairs: u32,
    /// The rounds before it.
    pub(crate) earlier: &'a [RoundRecord],
    pub(crate) schedule: &'a Schedule,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) observer: &'a mut dyn Observer,
}

impl Round<'_> {
    /// Runs it. Whatever happens, every server is stopped when this returns.
    pub(crate) fn run(mut self, seed: u64) -> Result<RoundRecord, Error> {
        let number = self.number;
        let quiet = quiet::wait(self.schedule.patience(), self.stop, &mut |idle| {
            self.observer.event(Event::Waiting { round: number, idle });
        })?;
        let begun = Instant::now();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(u64::from(self.number));
        let clocks = (slice::wall_clock(), Instant::now());
        let (mut running, mut trials) = self.start_all(&mut random)?;
        let mut record = RoundRecord {
            round: self.number,
            pairs: self.pairs,
            idle: quiet.idle,
            waited: quiet.seconds,
            ..RoundRecord::default()
        };
        let loaded = self.load(&mut running, (&mut trials, &mut record), &mut random);
        loaded.map_err(|error| self.blame(error, &mut running))?;
        if self.earlier.is_empty() {
            self.step("reading settings", 0.95);
            for (trial, server) in trials.iter_mut().zip(&running.servers) {
                trial.effective = Some(self.bench.effective(server, self.stop));
            }
        }
        self.step("stopping", 0.97);
        stop_all(running, self.bench)?;
        let effective: Vec<Effective> = trials
            .iter()
            .filter_map(|trial| trial.effective.clone())
            .collect();
        setup::unlike(&self.experiment.arms, &effective)?;
        record.trials = trials;
        record.elapsed = begun.elapsed().as_secs_f64();
        record.void = record.void.or_else(|| validity::clock(clock_step(clocks)));
        Ok(record)
    }

    /// Everything that needs the servers alive.
    fn load(
        &mut self,
        running: &mut Running,
        (trials, record): (&mut [TrialRecord], &mut RoundRecord),
        random: &mut ChaCha8Rng,
    ) -> Result<(), Error> {
        self.warm_up(running, trials, random)?;
        // A server that works in several processes has started them by now.
        running.meters = running.servers.iter().map(Meter::of).collect::<Result<_, _>>()?;
        let closed = self.closed_loop(running, random)?;
        record.void = validity::closed(&closed, self.circumstances());
        let rate = match &record.void {
            // The response times of a void round would not count either.
            Some(_) => None,
            None => latency::rate(self.experiment, self.earlier, &closed),
        };
        record.slices = closed;
        if let Some(rate) = rate.filter(|_| self.experiment.design.latency_pairs > 0) {
            let open = self.fixed_rate(running, rate, random)?;
            let name = |arm: usize| self.experiment.arms[arm].name.as_str();
            record.latency_void = validity::open(&open, self.circumstances(), name);
            record.slices.extend(open);
        }
        for (trial, server) in trials.iter_mut().zip(&running.servers) {
            // The leader's has to be there; another process may end at any time.
            let others = server.processes().into_iter().filter(|pid| *pid != server.pid());
            let others = others.filter_map(|pid| peak_memory(pid).ok());
            trial.peak_memory = others.fold(peak_memory(server.pid())?.0, |sum, peak| sum + peak.0);
            trial.facts = server.facts();
        }
        Ok(())
    }

    /// A server that has ended is the better explanation of whatever failed after it.
    fn blame(&self, error: Error, running: &mut Running) -> Error {
        let Some(arm) = running.servers.iter_mut().position(|server| !server.is_alive()) else {
            return error;
        };
        let name = self.bench.name(arm).to_owned();
        match running.servers[arm].overrun() {
            Some(overrun) => Error::Arm {
                arm: name,
                source: Box::new(overrun),
            },
            None => Error::Died {
                arm: name,
                log: running.servers[arm].log_tail(),
            },
        }
    }

    fn circumstances(&self) -> Circumstances {
        Circumstances {
            users: self.experiment.load.connections,
            cpus: host::cpus(),
            ticks_per_second: TICKS_PER_SECOND,
        }
    }

    /// Starts the arms one after the other, in random order; the result is in the order of the arms.
    fn start_all(&mut self, random: &mut ChaCha8Rng) -> Result<(Running, Vec<TrialRecord>), Error> {
        let arms = self.experiment.arms.len();
        let mut started = Vec::new();
        for (done, arm) in order::permutation(random, arms).into_iter().enumerate() {
            let name = &self.experiment.arms[arm].name;
            self.step(&format!("starting {name}"), 0.1 * done as f64 / arms as f64);
            let server = self.bench.start(arm, random.next_u64(), self.stop)?;
            started.push((arm, server, random.next_u64()));
        }
        started.sort_by_key(|(arm, ..)| *arm);
        let (mut running, mut trials) = (Running::default(), Vec::new());
        for (arm, server, seed) in started {
            let arrivals = Arrivals::Closed {
                users: self.experiment.load.connections,
            };
            trials.push(TrialRecord {
                round: self.number,
                arm,
                startup_ns: server.startup().0,
                ..TrialRecord::default()
            });
            running.meters.push(Meter::of(&server)?);
            running.sessions.push(self.session(&server, arrivals, seed)?);
            running.seeds.push(seed);
            running.servers.push(server);
        }
        Ok((running, trials))
    }

    fn session(&self, server: &sut::Server, arrivals: Arrivals, seed: u64) -> Result<Session, Error> {
        let mut plan = Plan::new(server.addr(), vec![self.bench.request(server)?], arrivals);
        plan.seed = seed;
        Ok(Session::open(plan)?)
    }

    /// Alternates short slices until every arm is warm, or has had all the warm-up there is.
    fn warm_up(
        &mut self,
        running: &mut Running,
        trials: &mut [TrialRecord],
        random: &mut ChaCha8Rng,
    ) -> Result<(), Error> {
        let design = &self.experiment.design;
        let window = Window {
            settle: Nanos(0),
            counted: WARM_SLICE,
        };
        let mut gate = Gate::new(running.servers.len(), design.warmup, design.warmup_cap);
        while !gate.open() && !gate.exhausted() {
            // In a fixed order the last arm would always go into the measurement a slice younger than the first.
            for arm in order::permutation(random, running.servers.len()) {
                self.step("warming up", 0.1 + 0.3 * gate.progress());
                let session = &mut running.sessions[arm];
                let measured = slice::measure(session, (arm, &running.meters), window, self.stop)?;
                let length = measured.slice.elapsed;
                let ok = measured.slice.ok;
                gate.push(
                    arm,
                    WarmSlice {
                        cpu_per_request: measured.cpu[arm].as_secs_f64() / ok.max(1) as f64,
                        idle_arms_cpu: measured.other_arms(arm).as_secs_f64()
                            / length.as_secs_f64().max(1e-9),
                        ok,
                        length,
                    },
                );
            }
        }
        for (arm, trial) in trials.iter_mut().enumerate() {
            trial.warmup_s = gate.own_load(arm).as_secs_f64();
            trial.steady = gate.open();
        }
        Ok(())
    }

    /// Slices in which every user sends its next request when the last one is answered.
    fn closed_loop(
        &mut self,
        running: &mut Running,
        random: &mut ChaCha8Rng,
    ) -> Result<Vec<SliceRecord>, Error> {
        let design = &self.experiment.design;
        let window = Window {
            settle: design.settle,
            counted: design.slice,
        };
        let row = order::row(running.servers.len(), design.baseline);
        let quads = order::quads(random, &row, self.pairs);
        let mut slices = Vec::with_capacity(2 * row.len() * quads.len());
        for (index, quad) in quads.iter().enumerate() {
            self.step("measuring", 0.4 + 0.35 * index as f64 / quads.len() as f64);
            for (position, &arm) in quad.iter().enumerate() {
                let place = self.place((index, position), arm, None, running.seeds[arm]);
                let session = &mut running.sessions[arm];
                slices.push(self.slice(session, &running.meters, place, window)?);
            }
        }
        Ok(slices)
    }

    /// Slices in which requests are due at a fixed rate, at the same times for all arms of a row.
    fn fixed_rate(
        &mut self,
        running: &Running,
        rate: Rate,
        random: &mut ChaCha8Rng,
    ) -> Result<Vec<SliceRecord>, Error> {
        let design = &self.experiment.design;
        let window = Window {
            settle: latency::settle(self.experiment),
            counted: design.latency_slice,
        };
        // Every arm once: a session that was loaded more often than the others would be due at other times.
        let row: Vec<usize> = (0..running.servers.len()).collect();
        let quads = order::quads(random, &row, design.latency_pairs);
        let mut slices = Vec::with_capacity(2 * row.len() * quads.len());
        for (index, quad) in quads.iter().enumerate() {
            self.step(
                "measuring response times",
                0.75 + 0.2 * index as f64 / quads.len() as f64,
            );
            // A session draws the gaps of its n-th slice from its seed and n: sessions of one seed, loaded equally
            // often, give all slices of a row the same due times.
            let seed = random.next_u64();
            let arrivals = || latency::arrivals(rate, self.experiment.load.connections);
            let open = |arm: usize| self.session(&running.servers[arm], arrivals(), seed);
            let mut sessions = row.iter().map(|arm| open(*arm)).collect::<Result<Vec<_>, _>>()?;
            for (position, &arm) in quad.iter().enumerate() {
                let place = self.place((index, position), arm, Some(rate), seed);
                let session = &mut sessions[arm];
                slices.push(self.slice(session, &running.meters, place, window)?);
            }
        }
        Ok(slices)
    }

    fn place(&self, (quad, position): (usize, usize), arm: usize, rate: Option<Rate>, seed: u64) -> Place {
        Place {
            round: self.number,
            quad: quad as u32,
            position: position as u32,
            arm,
            rate: rate.map(|rate| rate.0),
            seed,
        }
    }

    /// Measures one slice and tells of it at once, so that it is stored before the next begins.
    fn slice(
        &mut self,
        session: &mut Session,
        meters: &[Meter],
        place: Place,
        window: Window,
    ) -> Result<SliceRecord, Error> {
        let measured = slice::measure(session, (place.arm, meters), window, self.stop)?;
        let record = measured.record(place);
        self.observer.event(Event::Slice(&record));
        Ok(record)
    }

    /// Tells what is being done; `share` of this round.
    fn step(&mut self, what: &str, share: f64) {
        let event = Event::Step {
            round: self.number,
            cap: self.experiment.design.starts,
            what: what.to_owned(),
            share: self.schedule.share(share),
            left: self.schedule.left(share),
        };
        self.observer.event(event);
    }
}

/// How far the wall clock moved against the monotonic one since both were read, seconds.
fn clock_step((wall, monotonic): (u64, Instant)) -> f64 {
    let wall = (slice::wall_clock() as f64 - wall as f64) / 1e9;
    wall - monotonic.elapsed().as_secs_f64()
}

/// Stops every server, asking all of them before the first failure is reported.
fn stop_all(running: Running, bench: &Bench) -> Result<(), Error> {
    drop(running.sessions);
    let stopped: Vec<_> = running
        .servers
        .into_iter()
        .enumerate()
        .map(|(arm, server)| {
            let failed = |source| Error::Arm {
                arm: bench.name(arm).to_owned(),
                source: Box::new(source),
            };
            server.stop().map_err(failed)
        })
        .collect();
    stopped.into_iter().collect()
}
