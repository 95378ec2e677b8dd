//! The warm-up of a round: all arms are loaded at once, and their compilers go first.

use super::Round;
use super::closed::warm_slice;
use crate::Error;
use crate::latency::{self, RateStage};
use crate::meters::Meters;
use crate::order;
use crate::slice::{self, RunningArms};
use crate::warmup::{Compilers, Gate};
use judge::slow::{ROUNDS, SLOW};
use load::{LoadSession, Window};
use model::plan::Arrivals;
use model::record::TrialRecord;
use model::step::Step;
use model::telemetry::Mark;
use model::units::Nanos;
use rand_chacha::ChaCha8Rng;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time between two looks at the compilers in a pause.
const LOOK: Duration = Duration::from_millis(50);
/// The longest pause after a slice.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// The number of users who come to an arm between two slices and leave again, and the time for which they stay.
const VISITORS: usize = 2;
const VISIT: Window = Window {
    settle: Nanos(0),
    counted: Nanos::from_millis(20),
};
/// The time for which each arm is loaded alone to see how quick its service is.
const ALONE: Nanos = Nanos::from_millis(500);
/// The longest median service time in seconds at which visitors come: they do not leave in the middle of a request.
const QUICK: f64 = 0.005;

impl Round<'_> {
    /// Loads all arms at once at `level` until every arm is warm or the longest warm-up is over. Returns the median service
    /// time of the quickest arm in seconds.
    ///
    /// Under full load compilers get little CPU time: with two Tomcats on two CPUs they took 9 s for what they do in 2 s
    /// each, and more than 20 s on a busy machine. So they go before all other threads, which halves that. Where this is not
    /// permitted, the load pauses after each slice until they are idle.
    pub(super) fn warm_up(
        &mut self,
        running: &mut RunningArms,
        level: usize,
        trials: &mut [TrialRecord],
    ) -> Result<f64, Error> {
        let design = &self.experiment.design;
        self.connect(running, level, Nanos(0))?;
        let mut gate = Gate::new(running.servers.len(), design.warmup, design.warmup_cap)
            .with_known_pace(self.known_pace(level), self.experiment.load.connections[level]);
        let RunningArms {
            servers,
            sessions,
            meters,
            ..
        } = running;
        self.load_until_warm(servers, meters, sessions, &mut gate, 0.1..0.4)?;
        for (arm, trial) in trials.iter_mut().enumerate() {
            trial.warmup_s = gate.load_time(arm).as_secs_f64();
            trial.steady = gate.is_warm(arm);
            trial.steady_by = gate.steady_by(arm);
            trial.compiling = gate.compiling(arm);
        }
        Ok(gate.service_p50())
    }

    /// Loads all arms at once at the fixed rate before anything is counted at it, with equal parts of the rate of the stage. Servers
    /// take other paths at a rate than in a closed loop, because requests come one by one and threads sleep between them: with
    /// virtual threads, CPU per request fell by a twentieth and more in the first seconds that were counted.
    pub(super) fn warm_up_at_rate(
        &mut self,
        running: &RunningArms,
        stage: RateStage,
        random: &mut ChaCha8Rng,
    ) -> Result<(), Error> {
        let least = self.experiment.design.warmup;
        let most = least + least;
        let part = latency::part_of_each(self.experiment, stage);
        let seeds = self.stage_seeds(stage.pacing, random);
        let mut sessions = self.sessions_at(running, part, &seeds)?;
        let mut gate = Gate::new(running.servers.len(), least, most).at_rate();
        self.load_until_warm(
            &running.servers,
            &running.meters,
            &mut sessions,
            &mut gate,
            0.72..0.75,
        )
    }

    /// Loads all arms at once until the gate is open or exhausted, with their compilers before all other threads. The progress of
    /// the round goes through `progress` meanwhile.
    fn load_until_warm(
        &mut self,
        servers: &[sut::Server],
        meters: &Meters,
        sessions: &mut [Box<dyn LoadSession>],
        gate: &mut Gate,
        progress: Range<f64>,
    ) -> Result<(), Error> {
        let arms: Vec<usize> = (0..servers.len()).collect();
        let mut compilers: Vec<Compilers> = servers.iter().map(Compilers::of).collect();
        read_shares(&mut compilers, meters)?;
        put_all_first(&mut compilers);
        while !gate.is_open() && !gate.is_exhausted() {
            self.send_visitors(servers, meters, gate)?;
            let done = progress.start + (progress.end - progress.start) * gate.progress();
            self.report_step(Step::WarmingUp, done);
            let window = Window {
                settle: Nanos(0),
                counted: gate.next_length(),
            };
            let measured = slice::measure_together(sessions, &arms, meters, window, self.stop)?;
            // Users whose first SYN was dropped connect after a short slice has ended: tell the sampler, so that it
            // counts them.
            meters.mark(&arms, Mark::Ends);
            // Threads that have begun since are put first, too.
            if !put_all_first(&mut compilers) {
                gate.add_pause(self.pause(&mut compilers)?);
            }
            let shares = read_shares(&mut compilers, meters)?;
            for (arm, (measured, compiling)) in measured.iter().zip(shares).enumerate() {
                gate.push(arm, warm_slice(measured, arm, compiling));
            }
        }
        compilers.iter_mut().for_each(Compilers::put_back);
        Ok(())
    }

    /// Lets a few users come to every quick arm, ask for a moment, and leave. A JVM compiles its hot code for what it has seen so far,
    /// and throws it away when something else happens. If connections were closed for the first time at the end of the warm-up, the
    /// code that serves requests would be thrown away then, and compiled again in the first slices that count: with Tomcat that took
    /// 0.3 to 0.5 s by the clock.
    fn send_visitors(&self, servers: &[sut::Server], meters: &Meters, gate: &Gate) -> Result<(), Error> {
        for (arm, server) in servers
            .iter()
            .enumerate()
            .filter(|(arm, _)| gate.is_quicker_than(QUICK, *arm))
        {
            let arrivals = Arrivals::Closed { users: VISITORS };
            let mut visitors = self.session(server, arrivals, Nanos(0), self.number.into())?;
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
        if running.servers.len() == 1 || at_once * ROUNDS < shortest || is_measured_later {
            return Ok(at_once);
        }
        let mut alone = at_once;
        for arm in order::permutation(random, running.servers.len()) {
            self.report_step(Step::MeasuringPace, 0.4);
            let slice = self.measure_unrecorded(running, arm, ALONE)?.made.slice;
            if slice.ok > 0 {
                alone = alone.min(slice.service.value_at_quantile(0.5) as f64 / 1e9);
            }
        }
        Ok(alone)
    }
}

/// Lets the compilers of all arms go first. Returns whether they do.
fn put_all_first(compilers: &mut [Compilers]) -> bool {
    let each: Vec<bool> = compilers.iter_mut().map(Compilers::put_first).collect();
    !each.contains(&false)
}

/// The shares of their CPU time that the compilers of each arm took since the last call.
pub(super) fn read_shares(compilers: &mut [Compilers], meters: &Meters) -> Result<Vec<Option<f64>>, Error> {
    let arms = compilers.iter_mut().zip(meters.each());
    arms.map(|(compilers, meter)| Ok(compilers.share(meter.read(false)?.cpu)))
        .collect()
}
