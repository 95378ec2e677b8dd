//! The closed loop of a round: the warm-up, and slices in quads at one level after the other.

use super::at_once::HALF_USED;
use super::quads::{MeasuredQuads, Quads};
use super::{Manner, Round};
use crate::Error;
use crate::clock::wall_clock;
use crate::event::Event;
use crate::order;
use crate::slice::{self, Measured, RunningArms, SlicePosition};
use crate::warmup::{Gate, WarmSlice};
use crate::windows::{self, Pace, Windows};
use ask::experiment::Pacing;
use judge::notes;
use judge::round_time::slice_row;
use judge::slow::SLOW;
use judge::validity;
use load::{LoadSession, Window};
use model::units::{Nanos, Seconds};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use record::rounds::{LevelRecord, SliceRecord};
use record::step::Step;
use record::telemetry::Mark;
use std::ops::Range;
use traffic::load_note::{LoadNote, SlowService};
use traffic::plan::Arrivals;

/// The length of the slices in which the users of a later level connect.
const ENTRY: Nanos = Nanos::from_millis(500);
/// The longest time for which an arm is loaded until its users are connected.
const ENTRY_CAP: Nanos = Nanos::from_secs(5);
/// The least period as a share of the median service time: where times scatter more, there are no waves and the period
/// does not matter.
const LEAST_PERIOD: f64 = 0.5;
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
    /// one is answered. `warm` is what the warm-up showed.
    pub(super) fn measure_level(
        &mut self,
        running: &mut RunningArms,
        visit: Visit,
        warm: WarmPace,
        random: &mut ChaCha8Rng,
    ) -> Result<(LevelRecord, Vec<SliceRecord>), Error> {
        let level = visit.level;
        let known = self.known_pace(level);
        let started_ns = wall_clock();
        if visit.index > 0 {
            running.seeds.fill_with(|| random.next_u64());
        }
        let pace = match known {
            Some(known) => {
                // A service that is known to be slow settles for so long that its users connect in that time.
                if visit.index > 0 && !known.is_slow() && !known.at_once {
                    self.connect_users(running, level, random)?;
                }
                known
            }
            None => self.find_pace(running, visit, warm, random)?,
        };
        let mut windows = Windows::for_pace(self.experiment, pace, level, self.pairs.closed);
        if !self.has_room_for_all(level) {
            windows.settle_after_connecting(self.experiment, pace, level);
        }
        let connects_later = known.is_some() && pace.is_slow() && visit.index > 0;
        if !pace.at_once && (windows.ramp > Nanos(0) || connects_later) {
            self.connect(running, level, Manner::within(windows.ramp))?;
        }
        let mut record = planned_record(level, windows, pace, started_ns);
        if known.is_none() {
            self.announce_pace(&record, windows, pace);
        }
        let measured = match pace.at_once {
            true => self.measure_at_once(running, visit, windows, known.is_none(), random)?,
            false => self.measure_quads_at(running, visit, windows, pace, random)?,
        };
        let counted = measured.counted();
        let name = |arm: usize| self.experiment.arms[arm].name.as_str();
        record.void = validity::check_closed_loop(&counted, self.circumstances(level), name);
        if record.void.is_none() {
            record.void_arms = validity::void_arms(&counted, name);
        }
        record.cpu_void = validity::check_cpu_time(&counted, self.circumstances(level));
        (record.repeated, record.compiled) = (measured.repeated, measured.compiled);
        Ok((record, measured.slices))
    }

    /// Finds the pace of a level that no earlier start has visited. Where users pause, the service is slow, or the machine was less than half
    /// used so far, all arms are loaded at once to see whether that is so with these users.
    fn find_pace(
        &mut self,
        running: &mut RunningArms,
        visit: Visit,
        warm: WarmPace,
        random: &mut ChaCha8Rng,
    ) -> Result<Pace, Error> {
        let level = visit.level;
        let users = self.experiment.load.connections[level];
        let waits = self.experiment.has_pauses() || warm.service_p50 >= SLOW;
        let seems_idle = waits || warm.machine_use_of(users) < HALF_USED;
        let mut is_connected = visit.index == 0;
        if seems_idle && self.may_load_at_once(running) && self.has_room_for_all(level) {
            if let Some(pace) = self.measure_pace_at_once(running, level, warm.service_p50)? {
                return Ok(pace);
            }
            is_connected = false;
        }
        // Users of a slow service who connect in each slice need not be there before: its pace is measured below.
        let connects_anew = warm.service_p50 >= SLOW && !self.has_room_for_all(level);
        let first_guess = match is_connected || connects_anew {
            true => self.service_p50_alone(running, warm.service_p50, random)?,
            false => self.connect_users(running, level, random)?,
        };
        match first_guess >= SLOW {
            true => self.measure_pace(running, level, first_guess, random),
            false => Ok(Pace::quick(first_guess)),
        }
    }

    /// Tells how long the slices of a slow service take, or that all arms are loaded at once, and counts with that.
    fn announce_pace(&mut self, record: &LevelRecord, windows: Windows, pace: Pace) {
        let slow = notes::slow_service(self.experiment, record);
        let at_once = notes::arms_at_once(self.experiment, record);
        if slow.is_none() && at_once.is_none() {
            return;
        }
        let row = if pace.at_once { 1 } else { self.row(windows.pairs).len() };
        let takes = Seconds(f64::from(windows.pairs) * row as f64 * windows.seconds(pace));
        let quick = self.row(self.pairs.closed).len() as f64
            * f64::from(self.pairs.closed)
            * Seconds::from(self.experiment.design.quick_slice());
        let had_shortfall = self.schedule.budget_shortfall().is_some();
        self.schedule.lengthen_first(takes - quick);
        let slow = slow.map(|slow| LoadNote::SlowService(SlowService { total: Some(takes), ..slow }));
        for note in slow.into_iter().chain(at_once) {
            self.observer.event(Event::Note(&note.into()));
        }
        if let Some(shortfall) = self.schedule.budget_shortfall().filter(|_| !had_shortfall) {
            self.observer.event(Event::Note(&shortfall.into()));
        }
    }

    /// The pace that the first round measured at a level, which decides the slices of all rounds.
    pub(super) fn known_pace(&self, level: usize) -> Option<Pace> {
        let record = self.earlier.iter().find_map(|round| round.level(level))?;
        let [service_p50, period, wave] = [record.service_p50_ns, record.period_ns, record.round_ns]
            .map(|nanos| Nanos(nanos).as_secs_f64());
        Some(Pace { at_once: record.at_once, service_p50, period, wave })
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
        let span = windows::trial_span(self.experiment, service_p50);
        let window = Window { settle: span, counted: span };
        let users = self.experiment.load.connections[level] as f64;
        let (mut p50, mut period, mut wave) = (f64::INFINITY, f64::INFINITY, 0.0_f64);
        for arm in order::permutation(random, running.servers.len()) {
            self.report_step(Step::MeasuringPace, 0.4);
            let session = &mut running.sessions[arm];
            let slice = slice::measure(session.as_mut(), arm, &running.meters, window, self.stop)?.made.slice;
            let time = |quantile: f64| slice.service.value_at_quantile(quantile) as f64 / 1e9;
            if slice.ok > 0 {
                p50 = p50.min(time(0.5));
                period = period.min(time(0.1));
                wave = wave.max(users * slice.elapsed.as_secs_f64() / slice.ok as f64);
            }
        }
        if !p50.is_finite() {
            return Ok(Pace::quick(service_p50));
        }
        Ok(Pace { at_once: false, service_p50: p50, period: period.max(LEAST_PERIOD * p50), wave })
    }

    /// Closes the open connections, and opens new ones to every arm for the users of a level.
    pub(super) fn connect(
        &self,
        running: &mut RunningArms,
        level: usize,
        manner: Manner,
    ) -> Result<(), Error> {
        running.sessions.clear();
        for arm in 0..running.servers.len() {
            running.sessions.push(self.session_at(running, arm, level, manner)?);
        }
        Ok(())
    }

    /// Opens connections to an arm for the users of a level.
    pub(super) fn session_at(
        &self,
        running: &RunningArms,
        arm: usize,
        level: usize,
        manner: Manner,
    ) -> Result<Box<dyn LoadSession>, Error> {
        let manner = Manner { brief: manner.brief || !self.has_room_for_all(level), ..manner };
        let arrivals = Arrivals::Closed { users: self.experiment.load.connections[level] };
        self.session(arm, &running.servers[arm], arrivals, manner, running.seeds[arm])
    }

    /// Loads every arm at a level until its users are connected, for [`ENTRY_CAP`] at most. Returns the median service
    /// time of the quickest arm in seconds.
    fn connect_users(
        &mut self,
        running: &mut RunningArms,
        level: usize,
        random: &mut ChaCha8Rng,
    ) -> Result<f64, Error> {
        self.connect(running, level, Manner::default())?;
        let users = self.experiment.load.connections[level];
        let mut gate = Gate::new(running.servers.len(), ENTRY, ENTRY_CAP);
        let mut connected = vec![false; running.servers.len()];
        while connected.contains(&false) && !gate.is_exhausted() {
            let counted = gate.next_length();
            for arm in order::permutation(random, running.servers.len()) {
                self.report_step(Step::Connecting { users }, 0.4);
                let measured = self.measure_unrecorded(running, arm, counted)?;
                let settled = measured.has_all_users(users) || !self.experiment.load.steady();
                connected[arm] = measured.made.slice.ok > 0 && settled;
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
        let window = Window { settle: Nanos(0), counted };
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
        pace: Pace,
        random: &mut ChaCha8Rng,
    ) -> Result<MeasuredQuads, Error> {
        let row = self.row(windows.pairs);
        let order = order::quads(random, &row, windows.pairs);
        let row_count = order.len();
        let (step, progress) = self.step_and_progress(visit);
        let quads = Quads {
            order: &order,
            pacing: Pacing::InTurn,
            window: windows.window,
            stretches: match pace.is_slow() {
                true => Vec::new(),
                false => order::stretches(random, row_count),
            },
            position: SlicePosition::first(self.number, visit.level, None),
            seeds: &running.seeds,
            repeat: true,
            step,
            progress,
        };
        self.measure_quads(&mut running.sessions, &running.servers, &running.meters, &quads)
    }

    /// What is reported while a level is measured, and the shares of the round at its begin and end.
    pub(super) fn step_and_progress(&self, visit: Visit) -> (Step, Range<f64>) {
        let visits = self.experiment.load.connections.len() as f64;
        let step = match self.experiment.load.connections.as_slice() {
            [_] => Step::Measuring,
            levels => Step::MeasuringLevel { users: levels[visit.level] },
        };
        let share = |visit: usize| 0.4 + 0.35 * (visit as f64 / visits).min(1.0);
        (step, share(visit.index)..share(visit.index + 1))
    }
}

/// The record of a level before anything is measured there. `started_ns` is when its visit began, in nanoseconds since the epoch.
fn planned_record(level: usize, windows: Windows, pace: Pace, started_ns: u64) -> LevelRecord {
    LevelRecord {
        level,
        void: None,
        void_arms: Vec::new(),
        cpu_void: None,
        repeated: Vec::new(),
        compiled: Vec::new(),
        pairs: windows.pairs,
        service_p50_ns: Nanos::from_secs_f64(pace.service_p50).0,
        period_ns: Nanos::from_secs_f64(pace.period).0,
        round_ns: Nanos::from_secs_f64(pace.wave).0,
        settle_ns: windows.window.settle.0,
        counted_ns: windows.window.counted.0,
        at_once: pace.at_once,
        started_ns,
    }
}

/// What a load has shown of a level before anything is measured there.
#[derive(Clone, Copy, Debug)]
pub(super) struct WarmPace {
    /// The median service time of the quickest arm in seconds.
    pub(super) service_p50: f64,
    /// The share of the machine that was used while all arms were loaded at once, and the number of their users.
    pub(super) machine_use: f64,
    pub(super) users: usize,
}

impl WarmPace {
    /// The share of the machine that so many users would use, if it grew with their number.
    fn machine_use_of(self, users: usize) -> f64 {
        self.machine_use * users as f64 / self.users.max(1) as f64
    }
}

/// A slice of the closed loop for the gate of a warm-up.
pub(super) fn warm_slice(measured: &Measured, arm: usize, compiling: Option<f64>) -> WarmSlice {
    let slice = &measured.made.slice;
    WarmSlice {
        at_rate: false,
        cpu_per_request: measured.cpu[arm].as_secs_f64() / slice.ok.max(1) as f64,
        compiling,
        ok: slice.ok,
        begun: match slice.sessions {
            0 => slice.ok,
            sessions => sessions,
        },
        service_p50: slice.service.value_at_quantile(0.5) as f64 / 1e9,
        length: slice.elapsed,
        answered: measured.answered,
    }
}
