//! The warm-up of a round: all arms are loaded at once, in the closed loop and at a rate in turns, and their compilers go first.

use super::closed::{WarmPace, warm_slice};
use super::{Manner, Round, at_once};
use crate::Error;
use crate::latency::{self, RateStage};
use crate::meters::Meters;
use crate::order;
use crate::slice::{self, Measured, RunningArms};
use crate::warmup::{Compilers, Gate, WarmSlice};
use crate::windows::QUICK_WAVES;
use ask::experiment::{Design, Pacing};
use judge::slow::SLOW;
use load::{LoadSession, Window};
use model::units::{Nanos, Rate, Share};
use rand_chacha::ChaCha8Rng;
use record::rounds::{RoundRecord, TrialRecord};
use record::step::Step;
use record::telemetry::Mark;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};
use traffic::plan::Arrivals;

/// The time between two looks at the compilers in a pause.
const LOOK: Duration = Duration::from_millis(50);
/// The longest pause after a slice.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// The number of users who come to an arm between two slices and leave again, and the time for which they stay.
const VISITORS: usize = 2;
const VISIT: Window = Window { settle: Nanos(0), counted: Nanos::from_millis(20) };
/// The time for which each arm is loaded alone to see how quick its service is.
const ALONE: Nanos = Nanos::from_millis(500);
/// The time by which each earlier start in which compilers were busy after the warm-up lengthens the shortest one.
const LONGER: Nanos = Nanos::from_secs(1);
/// The longest median service time in seconds at which a warm-up has slices at a rate: requests in flight are soon answered.
const QUICK_AT_RATE: f64 = 0.03;
/// The longest median service time in seconds at which visitors come: they do not leave in the middle of a request.
const QUICK: f64 = 0.005;

/// The users of a warm-up: those of a level, and how they come and go on.
#[derive(Clone, Copy, Debug)]
struct Load {
    level: usize,
    manner: Manner,
}

/// The sessions of all arms for slices at a rate.
struct RateLoad {
    rate: Rate,
    sessions: Vec<Box<dyn LoadSession>>,
}

impl Round<'_> {
    /// Loads all arms at once at `level`, in the closed loop and at a rate in turns, until every arm is warm under both loads or the longest
    /// warm-up is over. Returns the pace of the level as far as it shows. Users leave out their pauses, so that a server is warm as soon as
    /// it can be.
    ///
    /// Servers take other paths at a rate than in a closed loop, because requests come one by one and threads sleep between them: with virtual
    /// threads, CPU per request fell by a twentieth and more in the first seconds at a rate after a warm-up that had none.
    ///
    /// Under full load compilers get little CPU time: with two Tomcats on two CPUs they took 9 s for what they do in 2 s
    /// each, and more than 20 s on a busy machine. So they go before all other threads, which halves that. Where this is not
    /// permitted, the load pauses after each slice until they are idle.
    pub(super) fn warm_up(
        &mut self,
        running: &mut RunningArms,
        level: usize,
        trials: &mut [TrialRecord],
        random: &mut ChaCha8Rng,
    ) -> Result<WarmPace, Error> {
        let design = &self.experiment.design;
        let least = least_warm_up(design, self.earlier);
        let manner = Manner {
            hurry: true,
            // Users whose first SYN is dropped, because too many come at once, take seconds to connect, and each slice waits for them.
            ramp: self.experiment.load.ramp.unwrap_or_default().min(least),
            ..Manner::default()
        };
        self.connect(running, level, manner)?;
        let mut gate = Gate::new(running.servers.len(), least, design.warmup_cap)
            .with_known_pace(self.known_pace(level), self.experiment.load.connections[level]);
        let machine_use = self.load_until_warm(running, Load { level, manner }, &mut gate, random)?;
        for arm in self.silent.clone() {
            running.sessions[arm] = self.session_at(running, arm, level, manner)?;
        }
        for (arm, trial) in trials.iter_mut().enumerate() {
            trial.warmup_s = gate.load_time(arm).into();
            trial.steady = gate.is_warm(arm);
            trial.steady_by = gate.steady_by(arm);
            trial.compiling = gate.compiling(arm).map(Share);
        }
        Ok(WarmPace {
            service_p50: gate.service_p50(),
            machine_use,
            users: self.experiment.load.connections[level],
        })
    }

    /// Loads all arms at once until the gate is open or exhausted, with their compilers before all other threads. Returns the share of the
    /// machine that was used in the last slice of the closed loop.
    fn load_until_warm(
        &mut self,
        running: &mut RunningArms,
        Load { level, manner }: Load,
        gate: &mut Gate,
        random: &mut ChaCha8Rng,
    ) -> Result<f64, Error> {
        let arms: Vec<usize> = (0..running.servers.len()).collect();
        let mut compilers: Vec<Compilers> = running.servers.iter().map(Compilers::of).collect();
        read_shares(&mut compilers, &running.meters)?;
        put_all_first(&mut compilers);
        let (mut machine_use, mut turn) = (1.0, 0);
        let mut at_rate: Option<RateLoad> = None;
        while !gate.is_open() && !gate.is_exhausted() {
            self.send_visitors(&running.servers, &running.meters, gate)?;
            self.report_step(Step::WarmingUp, 0.1 + 0.3 * gate.progress());
            let window = Window { settle: Nanos(0), counted: gate.next_length() };
            let with_rate = turn % 2 == 1 && self.prepare_rate(running, level, gate, &mut at_rate, random)?;
            turn += 1;
            let sessions = match &mut at_rate {
                Some(load) if with_rate => &mut load.sessions,
                _ => &mut running.sessions,
            };
            let measured = slice::measure_together(sessions, &arms, &running.meters, window, self.stop)?;
            // Users whose first SYN was dropped connect after a short slice has ended: tell the sampler, so that it
            // counts them.
            running.meters.mark(&arms, Mark::Ends);
            // Threads that have begun since are put first, too.
            if !put_all_first(&mut compilers) {
                gate.add_pause(self.pause(&mut compilers)?);
            }
            let shares = read_shares(&mut compilers, &running.meters)?;
            if !with_rate {
                machine_use = at_once::use_without(&measured, &shares);
                self.part_from_silent_arms(running, Load { level, manner }, window, &measured)?;
            }
            for (arm, (measured, compiling)) in measured.iter().zip(shares).enumerate() {
                gate.push(arm, WarmSlice { at_rate: with_rate, ..warm_slice(measured, arm, compiling) });
            }
        }
        compilers.iter_mut().for_each(Compilers::put_back);
        Ok(machine_use)
    }

    /// Lets the users of an arm that gives no right answer, and takes long for the wrong ones, go on from slice to slice without a break: else
    /// each slice would last until its requests are given up. When the arm answers, its slices end as those of the others do.
    fn part_from_silent_arms(
        &mut self,
        running: &mut RunningArms,
        Load { level, manner }: Load,
        window: Window,
        measured: &[Measured],
    ) -> Result<(), Error> {
        for (arm, measured) in measured.iter().enumerate() {
            let was_silent = self.silent.contains(&arm);
            if measured.is_silent(window, was_silent) == was_silent || !self.is_loaded_from_here() {
                continue;
            }
            match was_silent {
                true => self.silent.remove(&arm),
                false => self.silent.insert(arm),
            };
            let manner = Manner { continuous: !was_silent, by_clock: !was_silent, ..manner };
            running.sessions[arm] = self.session_at(running, arm, level, manner)?;
        }
        Ok(())
    }

    /// Opens the sessions for the next slice at a rate, unless they are open at this rate already. Returns whether there is such a slice: if
    /// the stage at a fixed rate is asked for, and every arm is quick.
    fn prepare_rate(
        &self,
        running: &RunningArms,
        level: usize,
        gate: &Gate,
        open: &mut Option<RateLoad>,
        random: &mut ChaCha8Rng,
    ) -> Result<bool, Error> {
        let mut arms = 0..running.servers.len();
        let is_quick = arms.all(|arm| gate.is_quicker_than(QUICK_AT_RATE, arm));
        if self.experiment.design.latency_pairs == 0 || self.experiment.has_pauses() || !is_quick {
            return Ok(false);
        }
        let Some(stage) = self.rate_of_warm_up(level, gate) else {
            return Ok(false);
        };
        if open.as_ref().is_none_or(|load| load.rate != stage.rate) {
            let seeds = self.stage_seeds(Pacing::Together, random);
            *open = Some(RateLoad { rate: stage.rate, sessions: self.sessions_at(running, stage, &seeds)? });
        }
        Ok(true)
    }

    /// The stage at a rate in the warm-up, with all arms at once. If the rate of the run is known, each arm gets its part of it; else it follows
    /// from what the slowest arm answers by now. `None` while an arm has no slice of the closed loop, or answers nothing.
    fn rate_of_warm_up(&self, level: usize, gate: &Gate) -> Option<RateStage> {
        // Without slices of this round, only a rate that earlier rounds have fixed is found.
        if let Some(stage) = latency::stages(self.experiment, self.earlier, &[]).first() {
            return Some(latency::part_of_each(self.experiment, *stage));
        }
        let arms = 0..self.experiment.arms.len();
        let per_second = |arm: usize| {
            let slice = gate.last_closed(arm)?;
            Some(slice.begun as f64 / slice.length.as_secs_f64().max(1e-9))
        };
        let slowest = arms.map(per_second).collect::<Option<Vec<f64>>>()?;
        latency::stage_like(slowest.into_iter().fold(f64::INFINITY, f64::min), level)
    }

    /// Lets a few users come to every quick arm, ask for a moment, and leave. A JVM compiles its hot code for what it has seen so far,
    /// and throws it away when something else happens. If connections were closed for the first time at the end of the warm-up, the
    /// code that serves requests would be thrown away then, and compiled again in the first slices that count: with Tomcat that took
    /// 0.3 to 0.5 s by the clock.
    fn send_visitors(&self, servers: &[sut::Server], meters: &Meters, gate: &Gate) -> Result<(), Error> {
        for (arm, server) in servers.iter().enumerate().filter(|(arm, _)| gate.is_quicker_than(QUICK, *arm)) {
            let arrivals = Arrivals::Closed { users: VISITORS };
            let mut visitors = self.session(arm, server, arrivals, Manner::default(), self.number.into())?;
            slice::measure(visitors.as_mut(), arm, meters, VISIT, self.stop)?;
        }
        Ok(())
    }

    /// Waits until the compilers of all arms are idle, for [`LONGEST_PAUSE`] at most. Returns how long it waited.
    fn pause(&self, compilers: &mut [Compilers]) -> Result<Nanos, Error> {
        let begun = Instant::now();
        while begun.elapsed() < LONGEST_PAUSE {
            compilers.iter_mut().for_each(Compilers::look);
            let looked = Instant::now();
            sleep(LOOK);
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            let since = looked.elapsed();
            if !compilers.iter_mut().any(|arm| arm.is_busy(since.into())) {
                break;
            }
        }
        Ok(begun.elapsed().into())
    }

    /// The median service time of the quickest arm in seconds when each is loaded alone. `at_once` is what it was while all
    /// were loaded: where it is so short that no length depends on it, it is not measured again.
    pub(super) fn service_p50_alone(
        &mut self,
        running: &mut RunningArms,
        at_once: f64,
        random: &mut ChaCha8Rng,
    ) -> Result<f64, Error> {
        let is_measured_later = at_once >= SLOW;
        let shortest = self.experiment.design.shortest_slice().as_secs_f64();
        if running.servers.len() == 1 || at_once * QUICK_WAVES < shortest || is_measured_later {
            return Ok(at_once);
        }
        let mut alone = at_once;
        for arm in order::permutation(random, running.servers.len()) {
            if self.silent.contains(&arm) {
                continue;
            }
            self.report_step(Step::MeasuringPace, 0.4);
            let slice = self.measure_unrecorded(running, arm, ALONE)?.made.slice;
            if slice.ok > 0 {
                alone = alone.min(slice.service.value_at_quantile(0.5) as f64 / 1e9);
            }
        }
        Ok(alone)
    }
}

/// The shortest warm-up of a start after these ones. If compilers were busy in slices that counted, it was too short: it gets longer, up to
/// twice as long.
fn least_warm_up(design: &Design, earlier: &[RoundRecord]) -> Nanos {
    let bursts = earlier.iter().filter(|round| round.compiled_quads() > 0).count();
    let more = Nanos(LONGER.0 * bursts as u64).min(design.warmup);
    (design.warmup + more).min(design.warmup_cap.max(design.warmup))
}

/// Lets the compilers of all arms go first. Returns whether they do.
fn put_all_first(compilers: &mut [Compilers]) -> bool {
    let each: Vec<bool> = compilers.iter_mut().map(Compilers::put_first).collect();
    !each.contains(&false)
}

/// The shares of their CPU time that the compilers of each arm took since the last call.
pub(super) fn read_shares(compilers: &mut [Compilers], meters: &Meters) -> Result<Vec<Option<f64>>, Error> {
    let arms = compilers.iter_mut().zip(meters.each());
    arms.map(|(compilers, meter)| Ok(compilers.share(meter.read(false)?.cpu))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_in_which_compilers_were_busy_lengthens_the_next_warm_ups() {
        let design =
            Design { warmup: Nanos::from_secs(3), warmup_cap: Nanos::from_secs(20), ..Design::default() };
        let burst = RoundRecord { latency_compiled: vec![3], ..RoundRecord::default() };
        let least = |bursts: usize| {
            let mut earlier = vec![burst.clone(); bursts];
            earlier.push(RoundRecord::default());
            least_warm_up(&design, &earlier).as_secs_f64()
        };
        assert_eq!([0, 1, 2, 3, 9].map(least), [3.0, 4.0, 5.0, 6.0, 6.0]);
        let fixed = Design { warmup_cap: design.warmup, ..design };
        assert_eq!(least_warm_up(&fixed, &[burst]), fixed.warmup, "the file sets its length");
    }
}
