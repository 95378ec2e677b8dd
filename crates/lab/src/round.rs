//! One round: a fresh start of every arm, warm-up, slices in quads, everything stopped again.

use crate::Error;
use crate::bench::Bench;
use crate::event::{Event, Observer};
use crate::order;
use crate::schedule::Schedule;
use crate::slice::{self, Place, Running};
use crate::validity::{self, Circumstances};
use crate::warmup::{Gate, WarmSlice};
use load::{Session, Window};
use model::experiment::Experiment;
use model::outcome::Effective;
use model::plan::{Arrivals, Plan};
use model::record::{RoundRecord, SliceRecord, TrialRecord};
use model::units::Nanos;
use probe::host;
use probe::process::{CpuClock, peak_memory};
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
    pub(crate) schedule: &'a Schedule,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) observer: &'a mut dyn Observer,
}

/// What a round gave.
pub(crate) struct Ended {
    pub(crate) record: RoundRecord,
    /// Settings read off the running servers; in the first round only.
    pub(crate) effective: Option<Vec<Effective>>,
}

impl Round<'_> {
    /// Runs it. Whatever happens, every server is stopped when this returns.
    pub(crate) fn run(mut self, seed: u64, read_settings: bool) -> Result<Ended, Error> {
        let begun = Instant::now();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(u64::from(self.number));
        let clocks = (slice::wall_clock(), Instant::now());
        let (mut running, mut trials) = self.start_all(&mut random)?;
        let loaded = self.load(&mut running, &mut trials, &mut random);
        let slices = loaded.map_err(|error| self.blame(error, &mut running))?;
        let effective = match read_settings {
            true => {
                self.step("reading settings", 0.95);
                Some(
                    running
                        .iter()
                        .map(|running| self.bench.effective(&running.server, self.stop))
                        .collect(),
                )
            }
            false => None,
        };
        self.step("stopping", 0.97);
        stop_all(running, self.bench)?;
        let mut record = RoundRecord {
            round: self.number,
            void: None,
            trials,
            slices,
            elapsed: begun.elapsed().as_secs_f64(),
        };
        record.void = validity::void(&record, self.circumstances(clocks));
        Ok(Ended { record, effective })
    }

    /// Everything that needs the servers alive.
    fn load(
        &mut self,
        running: &mut [Running],
        trials: &mut [TrialRecord],
        random: &mut ChaCha8Rng,
    ) -> Result<Vec<SliceRecord>, Error> {
        self.warm_up(running, trials, random)?;
        let slices = self.measure_all(running, random)?;
        for (trial, running) in trials.iter_mut().zip(running) {
            trial.peak_memory = peak_memory(running.server.pid())?.0;
        }
        Ok(slices)
    }

    /// A server that has ended is the better explanation of whatever failed after it.
    fn blame(&self, error: Error, running: &mut [Running]) -> Error {
        let Some(arm) = running.iter_mut().position(|running| !running.server.is_alive()) else {
            return error;
        };
        Error::Died {
            arm: self.bench.name(arm).to_owned(),
            log: running[arm].server.log_tail(),
        }
    }

    fn circumstances(&self, (wall, monotonic): (u64, Instant)) -> Circumstances {
        let wall = (slice::wall_clock() as f64 - wall as f64) / 1e9;
        Circumstances {
            users: self.experiment.load.connections,
            cpus: host::cpus(),
            ticks_per_second: TICKS_PER_SECOND,
            clock_step: wall - monotonic.elapsed().as_secs_f64(),
        }
    }

    /// Starts the arms one after the other, in random order; the result is in the order of the arms.
    fn start_all(&mut self, random: &mut ChaCha8Rng) -> Result<(Vec<Running>, Vec<TrialRecord>), Error> {
        let arms = self.experiment.arms.len();
        let mut started = Vec::new();
        for (done, arm) in order::permutation(random, arms).into_iter().enumerate() {
            let name = &self.experiment.arms[arm].name;
            self.step(&format!("starting {name}"), 0.1 * done as f64 / arms as f64);
            let server = self.bench.start(arm, random.next_u64(), self.stop)?;
            let clock = CpuClock::of(server.pid())?;
            let seed = random.next_u64();
            let session = Session::open(self.plan(&server, seed)?)?;
            let startup_ns = server.startup().0;
            let trial = TrialRecord {
                round: self.number,
                arm,
                startup_ns,
                peak_memory: 0,
                warmup_s: 0.0,
                steady: false,
            };
            started.push((
                Running {
                    server,
                    session,
                    seed,
                    clock,
                },
                trial,
            ));
        }
        started.sort_by_key(|(_, trial)| trial.arm);
        Ok(started.into_iter().unzip())
    }

    fn plan(&self, server: &sut::Server, seed: u64) -> Result<Plan, Error> {
        let arrivals = Arrivals::Closed {
            users: self.experiment.load.connections,
        };
        let mut plan = Plan::new(server.addr(), vec![self.bench.request(server)?], arrivals);
        plan.seed = seed;
        Ok(plan)
    }

    /// Alternates short slices until every arm is warm, or has had all the warm-up there is.
    fn warm_up(
        &mut self,
        running: &mut [Running],
        trials: &mut [TrialRecord],
        random: &mut ChaCha8Rng,
    ) -> Result<(), Error> {
        let design = &self.experiment.design;
        let window = Window {
            settle: Nanos(0),
            counted: WARM_SLICE,
        };
        let clocks = clocks(running);
        let mut gate = Gate::new(running.len(), design.warmup, design.warmup_cap);
        while !gate.open() && !gate.exhausted() {
            // In a fixed order the last arm would always go into the measurement a slice younger than the first.
            for arm in order::permutation(random, running.len()) {
                self.step("warming up", 0.1 + 0.3 * gate.progress());
                let measured = slice::measure(&mut running[arm].session, &clocks, window, self.stop)?;
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

    fn measure_all(
        &mut self,
        running: &mut [Running],
        random: &mut ChaCha8Rng,
    ) -> Result<Vec<SliceRecord>, Error> {
        let design = &self.experiment.design;
        let window = Window {
            settle: design.settle,
            counted: design.slice,
        };
        let quads = order::quads(random, running.len(), design.baseline, design.pairs);
        let clocks = clocks(running);
        let mut slices = Vec::with_capacity(4 * quads.len());
        for (index, quad) in quads.iter().enumerate() {
            self.step("measuring", 0.4 + 0.55 * index as f64 / quads.len() as f64);
            for (position, &arm) in quad.arms.iter().enumerate() {
                let running = &mut running[arm];
                let measured = slice::measure(&mut running.session, &clocks, window, self.stop)?;
                let place = Place {
                    round: self.number,
                    quad: index as u32,
                    position: position as u32,
                    arm,
                    against: quad.against,
                    rate: None,
                    seed: running.seed,
                };
                let record = measured.record(place);
                self.observer.event(Event::Slice(&record));
                slices.push(record);
            }
        }
        Ok(slices)
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

/// The CPU clocks of all arms.
fn clocks(running: &[Running]) -> Vec<CpuClock> {
    running.iter().map(|running| running.clock).collect()
}

/// Stops every server, asking all of them before the first failure is reported.
fn stop_all(running: Vec<Running>, bench: &Bench) -> Result<(), Error> {
    let stopped: Vec<_> = running
        .into_iter()
        .enumerate()
        .map(|(arm, running)| {
            drop(running.session);
            let failed = |source| Error::Arm {
                arm: bench.name(arm).to_owned(),
                source: Box::new(source),
            };
            running.server.stop().map_err(failed)
        })
        .collect();
    stopped.into_iter().collect()
}
