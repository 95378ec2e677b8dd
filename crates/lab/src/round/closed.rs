//! The closed loop of a round: the warm-up, and slices in quads at one level after the other.

use super::Round;
use super::quads::{MeasuredQuads, Quads};
use crate::Error;
use crate::clock::wall_clock;
use crate::event::Event;
use crate::order;
use crate::slice::{self, Measured, RunningArms, SlicePosition};
use crate::warmup::{Gate, WarmSlice};
use crate::windows::{Pace, Windows};
use judge::notes;
use judge::round_time::slice_row;
use judge::slow::SLOW;
use judge::validity;
use load::Window;
use model::experiment::Pacing;
use model::note::{LoadNote, SlowService};
use model::plan::Arrivals;
use model::record::{LevelRecord, SliceRecord};
use model::step::Step;
use model::telemetry::Mark;
use model::units::Nanos;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// The length of the slices in which the users of a later level connect.
const ENTRY: Nanos = Nanos::from_millis(500);
/// The longest time for which an arm is loaded until its users are connected.
const ENTRY_CAP: Nanos = Nanos::from_secs(5);
/// The number of rounds of requests (by the first guess) that show how slow a level is, after as many that settle.
const TRIAL_ROUNDS: f64 = 2.0;
/// The least period as a share of the median service time: where times scatter more, there are no waves and the period
/// does not matter.
const LEAST_PERIOD: f64 = 0.5;
/// The share of users with a request in flight from which on all users count as connected.
const CONNECTED: f64 = 0.95;

/// One visit of a round to a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    /// The number of the visit; 0 if the arms were warmed up at this level, so that its users are connected.
    pub(super) index: usize,
    /// The index of the level in the experiment.
    pub(super) level: usize,
}

impl Round<'_> {
    /// Measures one level: its users connect, then come slices in which each user sends its next request when the last
    /// one is answered. `service_p50` is the median service time that the warm-up showed.
    pub(super) fn measure_level(
        &mut self,
        running: &mut RunningArms,
        visit: Visit,
        service_p50: f64,
        random: &mut ChaCha8Rng,
    ) -> Result<(LevelRecord, Vec<SliceRecord>), Error> {
        let level = visit.level;
        let known = self.known_pace(level);
        let started_ns = wall_clock();
        if visit.index > 0 {
            running.seeds.fill_with(|| random.next_u64());
        }
        // A service that is known to be slow settles for so long that its users connect in that time.
        let connects_later = known.is_some_and(|known| known.is_slow());
        let first_guess = match visit.index {
            0 if known.is_none() => self.service_p50_alone(running, service_p50, random)?,
            0 => service_p50,
            _ if connects_later => 0.0,
            _ => self.connect_users(running, level, random)?,
        };
        let pace = match known {
            Some(known) => known,
            None if first_guess >= SLOW => self.measure_pace(running, level, first_guess, random)?,
            None => Pace::quick(first_guess),
        };
        let windows = Windows::for_pace(self.experiment, pace, self.pairs.closed);
        if windows.ramp > Nanos(0) || connects_later && visit.index > 0 {
            self.connect(running, level, windows.ramp)?;
        }
        let mut record = LevelRecord {
            level,
            void: None,
            cpu_void: None,
            repeated: Vec::new(),
            compiled: Vec::new(),
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
            self.announce_slow_service(slow, windows, pace);
        }
        let measured = self.measure_quads_at(running, visit, windows, random)?;
        let counted = measured.counted();
        let name = |arm: usize| self.experiment.arms[arm].name.as_str();
        record.void = validity::check_closed_loop(&counted, self.circumstances(level), name);
        record.cpu_void = validity::check_cpu_time(&counted, self.circumstances(level));
        (record.repeated, record.compiled) = (measured.repeated, measured.compiled);
        Ok((record, measured.slices))
    }

    /// Tells how long the slices of a slow service take, and counts with that.
    fn announce_slow_service(&mut self, slow: SlowService, windows: Windows, pace: Pace) {
        let row = self.row(windows.pairs).len();
        let seconds = f64::from(windows.pairs) * row as f64 * windows.seconds(pace);
        let quick = self.row(self.pairs.closed).len() as f64
            * f64::from(self.pairs.closed)
            * self.experiment.design.quick_slice().as_secs_f64();
        self.schedule.lengthen_first(seconds - quick);
        let note = LoadNote::SlowService(SlowService {
            total: Some(seconds),
            ..slow
        });
        self.observer.event(Event::Note(&note.into()));
    }

    /// The pace that the first round measured at a level, which decides the slices of all rounds.
    pub(super) fn known_pace(&self, level: usize) -> Option<Pace> {
        let record = self.earlier.iter().find_map(|round| round.level(level))?;
        let [service_p50, period, round] = [record.service_p50_ns, record.period_ns, record.round_ns]
            .map(|nanos| Nanos(nanos).as_secs_f64());
        Some(Pace {
            service_p50,
            period,
            round,
        })
    }

    /// Measures the pace of a slow level by an unrecorded slice of every arm, because the warm-up was too short to show
    /// it.
    fn measure_pace(
        &mut self,
        running: &mut RunningArms,
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
            self.report_step(Step::MeasuringPace, 0.4);
            let session = &mut running.sessions[arm];
            let slice = slice::measure(session.as_mut(), arm, &running.meters, window, self.stop)?
                .made
                .slice;
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
            period: period.max(LEAST_PERIOD * p50),
            round,
        })
    }

    /// Closes the open connections, and opens new ones to every arm for the users of a level.
    pub(super) fn connect(&self, running: &mut RunningArms, level: usize, ramp: Nanos) -> Result<(), Error> {
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

    /// Loads every arm at a level until its users are connected, for [`ENTRY_CAP`] at most. Returns the median service
    /// time of the quickest arm in seconds.
    fn connect_users(
        &mut self,
        running: &mut RunningArms,
        level: usize,
        random: &mut ChaCha8Rng,
    ) -> Result<f64, Error> {
        self.connect(running, level, Nanos(0))?;
        let users = self.experiment.load.connections[level] as f64;
        let mut gate = Gate::new(running.servers.len(), ENTRY, ENTRY_CAP);
        let mut connected = vec![false; running.servers.len()];
        while connected.contains(&false) && !gate.is_exhausted() {
            let counted = gate.next_length();
            for arm in order::permutation(random, running.servers.len()) {
                self.report_step(
                    Step::Connecting {
                        users: users as usize,
                    },
                    0.4,
                );
                let measured = self.measure_unrecorded(running, arm, counted)?;
                let slice = &measured.made.slice;
                let busy = slice.in_flight_integral / slice.elapsed.as_secs_f64().max(1e-9) / users;
                let settled = busy >= CONNECTED || !self.experiment.load.steady();
                connected[arm] = slice.ok > 0 && settled;
                gate.push(arm, warm_slice(&measured, arm, None));
            }
        }
        Ok(gate.service_p50())
    }

    /// Measures a slice that is not stored.
    pub(super) fn measure_unrecorded(
        &self,
        running: &mut RunningArms,
        arm: usize,
        counted: Nanos,
    ) -> Result<Measured, Error> {
        let window = Window {
            settle: Nanos(0),
            counted,
        };
        let session = &mut running.sessions[arm];
        let measured = slice::measure(session.as_mut(), arm, &running.meters, window, self.stop);
        // Users whose first SYN was dropped connect after a short slice has ended: tell the sampler, so that it counts
        // them.
        running.meters.mark(&[arm], Mark::Ends);
        measured
    }

    /// The arms of a row. In a row without its mirror image slices are so long that the baseline comes only once, too.
    fn row(&self, pairs: u32) -> Vec<usize> {
        let arms = self.experiment.arms.len();
        match pairs {
            1 => (0..arms).collect(),
            _ => slice_row(arms, self.experiment.design.baseline),
        }
    }

    /// Measures the quads of a level.
    fn measure_quads_at(
        &mut self,
        running: &mut RunningArms,
        visit: Visit,
        windows: Windows,
        random: &mut ChaCha8Rng,
    ) -> Result<MeasuredQuads, Error> {
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
            pacing: Pacing::InTurn,
            window: windows.window,
            position: SlicePosition::first(self.number, visit.level, None),
            seeds: &running.seeds,
            repeat: true,
            step,
            progress: share(visit.index)..share(visit.index + 1),
        };
        self.measure_quads(&mut running.sessions, &running.servers, &running.meters, &quads)
    }
}

pub(super) fn warm_slice(measured: &Measured, arm: usize, compiling: Option<f64>) -> WarmSlice {
    let slice = &measured.made.slice;
    WarmSlice {
        cpu_per_request: measured.cpu[arm].as_secs_f64() / slice.ok.max(1) as f64,
        compiling,
        ok: slice.ok,
        service_p50: slice.service.value_at_quantile(0.5) as f64 / 1e9,
        length: slice.elapsed,
        answered: measured.answered,
    }
}
