//! Starts the arms of a round: one after the other, so that each start-up is timed alone, or all at once.
//! [`judge::starting`] says which of the two.

use super::Round;
use crate::Error;
use crate::meters::Meters;
use crate::order;
use crate::slice::RunningArms;
use model::units::Nanos;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use record::rounds::TrialRecord;
use record::step::Step;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;
use sut::Server;

/// The longest start that is repeated before a round for its time alone.
const LONGEST_CYCLE: Nanos = Nanos::from_secs(5);
/// The streams of random numbers of cycles after the last round begin here; the streams of rounds begin at 1.
const STREAMS: u64 = 1 << 33;
/// The time between two looks at the stop flag.
const POLL: Duration = Duration::from_millis(20);
/// The share of a round that starting its arms is shown as.
const SHARE: f64 = 0.1;

/// How the arms are started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Starts {
    /// One after the other.
    InTurn,
    /// All at once.
    AtOnce,
}

/// What is drawn for the start of an arm.
#[derive(Clone, Copy, Debug)]
struct ArmStart {
    arm: usize,
    /// The seed of its work folder and port.
    seed: u64,
    /// The seed of its load.
    load_seed: u64,
}

impl Round<'_> {
    /// How the next arms are started that are measured.
    pub(super) fn starts(&self) -> Starts {
        match judge::starting::starts_at_once(self.experiment, self.earlier) {
            true => Starts::AtOnce,
            false => Starts::InTurn,
        }
    }

    /// Starts the arms in random order. The result is in the order of the arms. After an error, none of them runs.
    pub(super) fn start_all(
        &mut self,
        starts: Starts,
        random: &mut ChaCha8Rng,
    ) -> Result<(RunningArms, Vec<TrialRecord>), Error> {
        let order = order::permutation(random, self.experiment.arms.len());
        let draw = |arm| ArmStart { arm, seed: random.next_u64(), load_seed: random.next_u64() };
        let order: Vec<ArmStart> = order.into_iter().map(draw).collect();
        let servers = match starts {
            Starts::InTurn => self.start_in_turn(&order)?,
            Starts::AtOnce => self.start_at_once(&order)?,
        };
        let mut started: Vec<(ArmStart, Server)> = order.into_iter().zip(servers).collect();
        started.sort_by_key(|(start, _)| start.arm);
        let (mut running, mut trials) = (RunningArms::default(), Vec::new());
        for (start, server) in started {
            trials.push(TrialRecord {
                round: self.number,
                arm: start.arm,
                startup_ns: server.startup().0,
                ..TrialRecord::default()
            });
            running.seeds.push(start.load_seed);
            running.servers.push(server);
        }
        running.meters = Meters::of(&running.servers, self.experiment, self.bench)?;
        Ok((running, trials))
    }

    fn start_in_turn(&mut self, order: &[ArmStart]) -> Result<Vec<Server>, Error> {
        let mut servers = Vec::new();
        for start in order {
            let starting = Step::Starting { arm: self.experiment.arms[start.arm].name.clone() };
            self.report_step(starting, SHARE * servers.len() as f64 / order.len() as f64);
            servers.push(self.bench.start(start.arm, start.seed, self.stop)?);
        }
        Ok(servers)
    }

    fn start_at_once(&mut self, order: &[ArmStart]) -> Result<Vec<Server>, Error> {
        let (bench, stop) = (self.bench, self.stop);
        let start = |start: &ArmStart, halt: &AtomicBool| bench.start(start.arm, start.seed, halt);
        at_once(order, stop, start, &mut |waiting| {
            let name = |start: &&ArmStart| self.experiment.arms[start.arm].name.clone();
            let starting = Step::StartingAtOnce { arms: waiting.iter().map(name).collect() };
            let ready = order.len() - waiting.len();
            self.report_step(starting, SHARE * ready as f64 / order.len() as f64);
        })
    }

    /// Starts and stops every arm as often as the design asks for its start-up time alone, in random order in each cycle.
    /// Returns the times by arm, in nanoseconds. A slow start is not repeated, and neither is the attachment to a server that
    /// runs already.
    pub(super) fn time_startups(&mut self, random: &mut ChaCha8Rng) -> Result<Vec<Vec<u64>>, Error> {
        let arms = &self.experiment.arms;
        let mut times = vec![Vec::new(); arms.len()];
        let is_slow = |startup: u64| startup > LONGEST_CYCLE.0;
        let known = self.earlier.iter().flat_map(|round| &round.trials);
        if known.clone().any(|trial| is_slow(trial.startup_ns)) || arms.iter().any(|arm| arm.origin.is_some())
        {
            return Ok(times);
        }
        for _ in 0..self.experiment.design.startup_cycles {
            for (of_arm, time) in times.iter_mut().zip(self.time_each_alone(random)?) {
                of_arm.push(time);
            }
            if times.iter().flatten().any(|startup| is_slow(*startup)) {
                break;
            }
        }
        Ok(times)
    }

    /// Starts and stops every arm once after the last round, in random order, for its start-up time alone;
    /// `index` is the index of the round that gets the times. Returns them by arm, in nanoseconds.
    pub(crate) fn time_for_round(mut self, index: usize, seed: u64) -> Result<Vec<u64>, Error> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(STREAMS + u64::from(self.earlier[index].round));
        self.time_each_alone(&mut random)
    }

    /// Starts and stops every arm once, in random order. Returns the times by arm, in nanoseconds.
    fn time_each_alone(&mut self, random: &mut ChaCha8Rng) -> Result<Vec<u64>, Error> {
        let arms = &self.experiment.arms;
        let mut times = vec![0; arms.len()];
        for arm in order::permutation(random, arms.len()) {
            let starting = Step::Starting { arm: arms[arm].name.clone() };
            self.report_step(starting, 0.0);
            let server = self.bench.start(arm, random.next_u64(), self.stop)?;
            times[arm] = server.startup().0;
            self.bench.stop(arm, server)?;
        }
        Ok(times)
    }
}

/// Does `start` for each of `starts` at once, each in a thread of its own, and returns what they gave, in the order of `starts`. When one
/// fails or panics, or `stop` is raised, the flag that all of them get is raised, and what the others gave is dropped; the error is the
/// first one. `waits` is told which are not done, at the begin and whenever one is.
fn at_once<S: Sync, T: Send>(
    starts: &[S],
    stop: &AtomicBool,
    start: impl Fn(&S, &AtomicBool) -> Result<T, Error> + Sync,
    waits: &mut dyn FnMut(&[&S]),
) -> Result<Vec<T>, Error> {
    let (halt, start) = (AtomicBool::new(false), &start);
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        for (index, what) in starts.iter().enumerate() {
            let (tell, halt) = (tell.clone(), &halt);
            scope.spawn(move || {
                let _halts = HaltsOnPanic(halt);
                // The receiver waits until all senders are gone.
                let _ = tell.send((index, start(what, halt)));
            });
        }
        drop(tell);
        Waiting { starts, stop, halt: &halt }.receive(&told, waits)
    })
}

/// Raises a flag when its thread panics.
struct HaltsOnPanic<'a>(&'a AtomicBool);

impl Drop for HaltsOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Starts that are under way.
struct Waiting<'a, S> {
    starts: &'a [S],
    stop: &'a AtomicBool,
    halt: &'a AtomicBool,
}

impl<S> Waiting<'_, S> {
    /// Waits until all have ended, and returns what they gave, or the first error. Where one has panicked, what is returned does not
    /// matter: its scope panics.
    fn receive<T>(
        &self,
        told: &Receiver<(usize, Result<T, Error>)>,
        waits: &mut dyn FnMut(&[&S]),
    ) -> Result<Vec<T>, Error> {
        let mut done: Vec<Option<T>> = self.starts.iter().map(|_| None).collect();
        let mut failed = None;
        let show = |done: &[Option<T>], waits: &mut dyn FnMut(&[&S])| {
            let left = self.starts.iter().zip(done);
            let left: Vec<&S> = left.filter_map(|(what, done)| done.is_none().then_some(what)).collect();
            if !left.is_empty() {
                waits(&left);
            }
        };
        show(&done, waits);
        loop {
            match told.recv_timeout(POLL) {
                Ok((index, Ok(given))) => {
                    done[index] = Some(given);
                    show(&done, waits);
                }
                Ok((_, Err(error))) => {
                    self.halt.store(true, Ordering::Relaxed);
                    failed = failed.or(Some(error));
                }
                Err(RecvTimeoutError::Timeout) if self.stop.load(Ordering::Relaxed) => {
                    self.halt.store(true, Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        match failed {
            Some(error) => Err(error),
            None => Ok(done.into_iter().flatten().collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;

    /// Waits until it is told to end, as a slow server does.
    fn until_halted(halt: &AtomicBool) -> Result<usize, Error> {
        while !halt.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
        Err(Error::Interrupted)
    }

    #[test]
    fn all_are_under_way_at_the_same_time_and_come_in_their_order() {
        let together = Barrier::new(3);
        let mut shown = Vec::new();
        let start = |name: &usize, _: &AtomicBool| {
            together.wait();
            Ok(*name)
        };
        let given = at_once(&[7, 8, 9], &AtomicBool::new(false), start, &mut |left| shown.push(left.len()));
        assert_eq!(given.expect("all"), [7, 8, 9]);
        assert_eq!(shown, [3, 2, 1]);
    }

    #[test]
    fn one_that_fails_ends_the_others_and_its_error_is_told() {
        let given = at_once(
            &[0, 1, 2],
            &AtomicBool::new(false),
            |name, halt| match name {
                1 => Err(Error::Died { arm: "one".to_owned(), log: Vec::new() }),
                0 => Ok(0),
                _ => until_halted(halt),
            },
            &mut |_| (),
        );
        let error = given.expect_err("one failed").to_string();
        assert!(error.contains("one"), "{error}");
    }

    #[test]
    fn one_that_panics_ends_the_others() {
        let run = || {
            at_once(
                &[0, 1],
                &AtomicBool::new(false),
                |name, halt| match name {
                    0 => panic!("a starter"),
                    _ => until_halted(halt),
                },
                &mut |_| (),
            )
        };
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    }

    #[test]
    fn the_user_ends_all_of_them() {
        let stop = AtomicBool::new(false);
        let given = at_once(&[0, 1], &stop, |_, halt| until_halted(halt), &mut |_| {
            stop.store(true, Ordering::Relaxed);
        });
        assert!(matches!(given, Err(Error::Interrupted)), "{given:?}");
    }
}
