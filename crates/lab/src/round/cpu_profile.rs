//! CPU profiles: after all rounds, every arm is started some times more, warmed up as in a round, and loaded at each level
//! while its CPU time is sampled by stack. Each start compiles its code anew, so one start would not show how starts differ.

use super::{Manner, Round, Starts, find, stop_all};
use crate::Error;
use crate::looks::CpuProfiler;
use crate::meters::Meter;
use crate::slice::RunningArms;
use judge::inspections::{Look, looks};
use load::{Edge, LoadSession, Window};
use model::units::{Nanos, Seconds};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use record::inspection::{ArmInspection, Inspection};
use record::note::ArmNote;
use record::step::Step;
use sut::Server;
use traffic::plan::Arrivals;

/// The streams of random numbers of these starts begin here; the streams of rounds begin at 1.
const STREAMS: u64 = 1 << 32;

/// Which of the profiled starts this is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProfiledStart {
    /// Its number, from 0.
    pub(crate) start: u32,
    /// How many there are.
    pub(crate) starts: u32,
}

impl Round<'_> {
    /// Profiles every arm in one start. What fails is noted and left out, because no verdict depends on it. Whatever happens, every
    /// server is stopped when this returns.
    pub(crate) fn profile_arms(mut self, seed: u64, which: ProfiledStart) -> Vec<ArmInspection> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(STREAMS + u64::from(which.start));
        let mut profiles = Vec::new();
        if let Err(error) = self.profile_in_one_start(which, &mut random, &mut profiles) {
            self.note_failure(None, &error);
        }
        profiles
    }

    fn profile_in_one_start(
        &mut self,
        which: ProfiledStart,
        random: &mut ChaCha8Rng,
        profiles: &mut Vec<ArmInspection>,
    ) -> Result<(), Error> {
        let experiment = self.experiment;
        let Some(first) = looks(experiment, self.earlier, 0).first().copied() else {
            return Ok(());
        };
        let (mut running, mut trials) = self.start_all(Starts::AtOnce, random)?;
        let mut profilers = self.attach_profilers(&running);
        let warm = find::mode(experiment).warm_level(experiment, first.level);
        self.warm_up(&mut running, warm, &mut trials, random)?;
        running.sessions.clear();
        running.meters.finish();
        for (arm, profiler) in profilers.iter_mut().enumerate() {
            let Some(profiler) = profiler else { continue };
            let profiling = Step::Profiling {
                arm: experiment.arms[arm].name.clone(),
                start: which.start + 1,
                starts: which.starts,
            };
            let share = 0.4 + 0.58 * arm as f64 / running.servers.len() as f64;
            self.report_step(profiling, share / f64::from(which.starts - which.start));
            match self.profile_arm(&running, arm, profiler) {
                Ok(of_arm) => profiles.extend(of_arm),
                Err(error) => self.note_failure(Some(arm), &error),
            }
        }
        drop(profilers);
        stop_all(running, self.bench)
    }

    /// Attaches a profiler to every server that has a JVM and that we started, before it is warmed up.
    fn attach_profilers(&mut self, running: &RunningArms) -> Vec<Option<CpuProfiler>> {
        let mut attached = Vec::new();
        for (arm, server) in running.servers.iter().enumerate() {
            let profiler = match server.ran_already() {
                true => Ok(None),
                false => self.bench.profiler(server, self.stop),
            };
            attached.push(profiler.unwrap_or_else(|error| {
                self.note_failure(Some(arm), &error);
                None
            }));
        }
        attached
    }

    /// Profiles an arm at each level.
    fn profile_arm(
        &mut self,
        running: &RunningArms,
        arm: usize,
        profiler: &mut CpuProfiler,
    ) -> Result<Vec<ArmInspection>, Error> {
        let server = &running.servers[arm];
        let mut profiles = Vec::new();
        for look in looks(self.experiment, self.earlier, arm) {
            let users = self.experiment.load.connections[look.level];
            let arrivals = Arrivals::Closed { users };
            let mut session =
                self.session(arm, server, arrivals, Manner::within(look.ramp), running.seeds[arm])?;
            let inspection = self.profile_level(server, profiler, session.as_mut(), look)?;
            profiles.push(ArmInspection { arm, inspection });
        }
        Ok(profiles)
    }

    /// Profiles during one slice.
    fn profile_level(
        &self,
        server: &Server,
        profiler: &mut CpuProfiler,
        session: &mut dyn LoadSession,
        look: Look,
    ) -> Result<Inspection, Error> {
        let window = Window { settle: look.settle, counted: look.counted };
        let meter = Meter::of(server)?;
        let mut edges = Vec::with_capacity(2);
        let mut orders = Vec::with_capacity(2);
        let start = session.next_start()?;
        let made = session.run_from(start, window, self.stop, &mut |at| match at {
            Edge::CountedBegins => {
                edges.push(meter.begin(false));
                orders.push(profiler.begin());
            }
            Edge::CountedEnds => {
                edges.push(meter.begin(false));
                orders.push(profiler.end());
            }
            Edge::Interval(_) => {}
        })?;
        let slice = made.slice;
        if slice.interrupted {
            return Err(Error::Interrupted);
        }
        orders.into_iter().collect::<Result<(), _>>()?;
        let edges = edges.into_iter().map(|edge| Ok(edge?.wait()?.cpu));
        let edges = edges.collect::<Result<Vec<Nanos>, Error>>()?;
        let cpu = edges.last().zip(edges.first());
        let cpu = cpu.map_or(Seconds::ZERO, |(end, begin)| Seconds::from(*end) - Seconds::from(*begin));
        Ok(Inspection {
            level: look.level,
            seconds: slice.elapsed.into(),
            ok: slice.ok,
            in_flight: slice.in_flight_integral,
            cpu: profiler.stacks(cpu, self.stop)?,
            ..Inspection::default()
        })
    }

    /// Tells the observer that an arm, or none of them, could not be profiled, unless the run was interrupted.
    fn note_failure(&mut self, arm: Option<usize>, error: &Error) {
        if self.stop.load(std::sync::atomic::Ordering::Relaxed) {
            return;
        }
        let all = &self.experiment.arms;
        let arms = match arm {
            Some(arm) => &all[arm..=arm],
            None => all.as_slice(),
        };
        let note = ArmNote::NotProfiled {
            arms: arms.iter().map(|arm| arm.name.clone()).collect(),
            why: Some(error.to_string()),
        };
        self.observer.event(crate::event::Event::Note(&note.into()));
    }
}
