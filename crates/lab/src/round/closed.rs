//! The closed loop of a round: warm-up, and slices in quads at one level after the other.

use super::Round;
use super::quads::{self, Quads};
use crate::Error;
use crate::event::Event;
use crate::order;
use crate::slice::{self, Measured, Place, Running};
use crate::warmup::{Gate, WarmSlice};
use crate::windows::{Pace, Windows};
use judge::notes;
use judge::round_time::slice_row;
use judge::slow::SLOW;
use judge::validity;
use load::Window;
use model::note::{LoadNote, SlowService};
use model::plan::Arrivals;
use model::record::{LevelRecord, SliceRecord, TrialRecord};
use model::step::Step;
use model::telemetry::Mark;
use model::units::Nanos;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Length of the slices in which the users of a later level connect.
const ENTRY: Nanos = Nanos::from_millis(500);
/// So long at most an arm is loaded until all of them are connected.
const PATIENCE: Nanos = Nanos::from_secs(5);
/// Rounds of requests, by the first guess, that show how slow a level is; as many before them do not count.
const TRIAL_ROUNDS: f64 = 2.0;
/// Where times scatter there are no waves, and the period does not matter: least share of the median that it is.
const MOST_OF: f64 = 0.5;
/// Share of the users with a request in flight from which on they all are.
const CONNECTED: f64 = 0.95;

/// A level in the order of a round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    /// 0 for the level at which the arms were warmed up, with its users connected.
    pub(super) index: usize,
    /// Its place in the experiment.
    pub(super) level: usize,
}

impl Round<'_> {
    /// Alternates short slices at the first level until every arm is warm, or has had all the warm-up there is. Returns the
    /// median service time of the quickest arm, seconds.
    pub(super) fn warm_up(
        &mut self,
        running: &mut Running,
        level: usize,
        trials: &mut [TrialRecord],
        random: &mut ChaCha8Rng,
    ) -> Result<f64, Error> {
        let design = &self.experiment.design;
        self.connect(running, level, Nanos(0))?;
        let mut gate = Gate::new(running.servers.len(), design.warmup, design.warmup_cap)
            .knowing(self.known_pace(level), self.experiment.load.connections[level]);
        while !gate.open() && !gate.exhausted() {
            let counted = gate.length();
            // In a fixed order the last arm would always go into the measurement a slice younger than the first.
            for arm in order::permutation(random, running.servers.len()) {
                self.step(Step::WarmingUp, 0.1 + 0.3 * gate.progress());
                let measured = self.unrecorded(running, arm, counted)?;
                gate.push(arm, warm_slice(&measured, arm));
            }
        }
        for (arm, trial) in trials.iter_mut().enumerate() {
            trial.warmup_s = gate.own_load(arm).as_secs_f64();
            trial.steady = gate.open();
        }
        Ok(gate.service_p50())
    }

    /// One level: its users connect, then slices in which each of them sends its next request when the last one is
    /// answered. `visit` is its place in the round's order; `service_p50` is what the warm-up at the first of them showed.
    pub(super) fn level(
        &mut self,
        running: &mut Running,
        visit: Visit,
        service_p50: f64,
        random: &mut ChaCha8Rng,
    ) -> Result<(LevelRecord, Vec<SliceRecord>), Error> {
        let level = visit.level;
        let known = self.known_pace(level);
        let started_ns = slice::wall_clock();
        if visit.index > 0 {
            running.seeds.fill_with(|| random.next_u64());
        }
        // What is known to be slow settles for so long that its users connect meanwhile.
        let connects = known.is_some_and(|known| known.is_slow());
        let found = match visit.index {
            0 => service_p50,
            _ if connects => 0.0,
            _ => self.enter(running, level, random)?,
        };
        let pace = match known {
            Some(known) => known,
            None if found >= SLOW => self.slow_pace(running, level, found, random)?,
            None => Pace::quick(found),
        };
        let windows = Windows::of(self.experiment, pace, self.pairs.closed);
        if windows.ramp > Nanos(0) || connects && visit.index > 0 {
            self.connect(running, level, windows.ramp)?;
        }
        let mut record = LevelRecord {
            level,
            void: None,
            cpu_void: None,
            repeated: Vec::new(),
            pairs: windows.pairs,
            service_p50_ns: Nanos::from_secs_f64(pace.service_p50).0,
            period_ns: Nanos::from_secs_f64(pace.period).0,
            round_ns: Nanos::from_secs_f64(pace.round).0,
            settle_ns: windows.window.settle.0,
            counted_ns: windows.window.counted.0,
            started_ns,
        };
        if known.is_none()
            && let Some(slow) = notes::slow_service(self.experiment, &record)
        {
            let row = self.row(windows.pairs).len();
            let seconds = f64::from(windows.pairs) * row as f64 * windows.seconds(pace);
            let note = LoadNote::SlowService(SlowService {
                total: Some(seconds),
                ..slow
            });
            self.observer.event(Event::Note(&note.into()));
        }
        let measured = self.quads(running, visit, windows, random)?;
        let counted = measured.counted();
        record.void = validity::check_closed_loop(&counted, self.circumstances(level));
        record.cpu_void = validity::check_cpu_time(&counted, self.circumstances(level));
        record.repeated = measured.repeated;
        Ok((record, measured.slices))
    }

    /// The pace that the first round found at a level: from it come the slices of all rounds.
    fn known_pace(&self, level: usize) -> Option<Pace> {
        let found = self.earlier.iter().find_map(|round| round.level(level))?;
        let [service_p50, period, round] =
            [found.service_p50_ns, found.period_ns, found.round_ns].map(|nanos| Nanos(nanos).as_secs_f64());
        Some(Pace {
            service_p50,
            period,
            round,
        })
    }

    /// The pace of a slow level: of every arm in a slice that nobody keeps. The warm-up was too short to show it.
    fn slow_pace(
        &mut self,
        running: &mut Running,
        level: usize,
        service_p50: f64,
        random: &mut ChaCha8Rng,
    ) -> Result<Pace, Error> {
        let span = Nanos::from_secs_f64(TRIAL_ROUNDS * service_p50);
        let window = Window {
            settle: span,
            counted: span,
        };
        let users = self.experiment.load.connections[level] as f64;
        let (mut p50, mut period, mut round) = (f64::INFINITY, f64::INFINITY, 0.0_f64);
        for arm in order::permutation(random, running.servers.len()) {
            self.step(Step::MeasuringPace, 0.4);
            let session = &mut running.sessions[arm];
            let slice = slice::measure(session, arm, &running.meters, window, self.stop)?.slice;
            let time = |quantile: f64| slice.service.value_at_quantile(quantile) as f64 / 1e9;
            if slice.ok > 0 {
                p50 = p50.min(time(0.5));
                period = period.min(time(0.1));
                round = round.max(users * slice.elapsed.as_secs_f64() / slice.ok as f64);
            }
        }
        if !p50.is_finite() {
            return Ok(Pace::quick(service_p50));
        }
        Ok(Pace {
            service_p50: p50,
            period: period.max(MOST_OF * p50),
            round,
        })
    }

    /// New connections to every arm, for the users of a level. What was open before is closed.
    fn connect(&self, running: &mut Running, level: usize, ramp: Nanos) -> Result<(), Error> {
        running.sessions.clear();
        for (server, seed) in running.servers.iter().zip(&running.seeds) {
            let arrivals = Arrivals::Closed {
                users: self.experiment.load.connections[level],
            };
            running
                .sessions
                .push(self.session(server, arrivals, ramp, *seed)?);
        }
        Ok(())
    }

    /// Loads every arm at a level until its users are connected, or for so long. Returns the
    /// median service time of the quickest arm, seconds.
    fn enter(&mut self, running: &mut Running, level: usize, random: &mut ChaCha8Rng) -> Result<f64, Error> {
        self.connect(running, level, Nanos(0))?;
        let users = self.experiment.load.connections[level] as f64;
        let mut gate = Gate::new(running.servers.len(), ENTRY, PATIENCE);
        let mut connected = vec![false; running.servers.len()];
        while connected.contains(&false) && !gate.exhausted() {
            let counted = gate.length();
            for arm in order::permutation(random, running.servers.len()) {
                self.step(
                    Step::Connecting {
                        users: users as usize,
                    },
                    0.4,
                );
                let measured = self.unrecorded(running, arm, counted)?;
                let slice = &measured.slice;
                let busy = slice.in_flight_integral / slice.elapsed.as_secs_f64().max(1e-9) / users;
                let settled = busy >= CONNECTED || !self.experiment.load.steady();
                connected[arm] = slice.ok > 0 && settled;
                gate.push(arm, warm_slice(&measured, arm));
            }
        }
        Ok(gate.service_p50())
    }

    /// A slice that nobody keeps.
    fn unrecorded(&self, running: &mut Running, arm: usize, counted: Nanos) -> Result<Measured, Error> {
        let window = Window {
            settle: Nanos(0),
            counted,
        };
        let session = &mut running.sessions[arm];
        let measured = slice::measure(session, arm, &running.meters, window, self.stop);
        // Users whose first SYN was dropped connect after a short slice has ended: that is told, too.
        running.meters.mark(arm, Mark::Ends);
        measured
    }

    /// The arms of a row. One that stands alone is as long as a start is dear: there the baseline comes once, too.
    fn row(&self, pairs: u32) -> Vec<usize> {
        let arms = self.experiment.arms.len();
        match pairs {
            1 => (0..arms).collect(),
            _ => slice_row(arms, self.experiment.design.baseline),
        }
    }

    fn quads(
        &mut self,
        running: &mut Running,
        visit: Visit,
        windows: Windows,
        random: &mut ChaCha8Rng,
    ) -> Result<quads::Measured, Error> {
        let row = self.row(windows.pairs);
        let order = order::quads(random, &row, windows.pairs);
        let visits = self.experiment.load.connections.len() as f64;
        let step = match self.experiment.load.connections.as_slice() {
            [_] => Step::Measuring,
            levels => Step::MeasuringLevel {
                users: levels[visit.level],
            },
        };
        let share = |visit: usize| 0.4 + 0.35 * (visit as f64 / visits).min(1.0);
        let quads = Quads {
            order: &order,
            window: windows.window,
            place: Place::of(self.number, visit.level, None),
            seeds: &running.seeds,
            step,
            progress: share(visit.index)..share(visit.index + 1),
        };
        self.in_quads(&mut running.sessions, &running.meters, &quads)
    }
}

fn warm_slice(measured: &Measured, arm: usize) -> WarmSlice {
    let slice = &measured.slice;
    WarmSlice {
        cpu_per_request: measured.cpu[arm].as_secs_f64() / slice.ok.max(1) as f64,
        idle_arms_cpu: measured.other_arms(arm).as_secs_f64() / slice.elapsed.as_secs_f64().max(1e-9),
        ok: slice.ok,
        service_p50: slice.service.value_at_quantile(0.5) as f64 / 1e9,
        length: slice.elapsed,
        answered: measured.answered,
    }
}
