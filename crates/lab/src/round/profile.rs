//! The profile of a run: after all rounds, every arm is started once more, warmed up as in a round, and loaded at each level while
//! it is looked into: from inside ([`Looker`]) and, whatever it is written in, at its connections in the kernel ([`PeerWatch`]).
//! Nothing is measured any more, so it does not matter that this costs the server time, and that thread dumps stop it.

use super::{Manner, Round, Starts, find, stop_all};
use crate::Error;
use crate::event::Event;
use crate::looks::Looker;
use crate::peers::PeerWatch;
use crate::slice::RunningArms;
use ask::arm::Telemetry;
use judge::inspections::{Look, looks};
use load::{Edge, LoadSession, Window};
use probe::host;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use record::inspection::{ArmInspection, Inspection, PeersSeen};
use record::rounds::{RoundRecord, SliceRecord, TrialRecord};
use record::step::Step;
use sut::Server;
use traffic::plan::Arrivals;

/// The share of the machine that our processes leave unused, from which on something other than the CPU delays requests,
/// so that waits are recorded. The kernel's work for our processes, which they are not charged for, is less.
const UNUSED: f64 = 0.2;
/// The collector, as servers report it, that lets threads wait for memory without stopping all of them: only the recorder sees that.
const STALLING: &str = "Z";

impl Round<'_> {
    /// Inspects every arm for which the experiment asks it. What fails is left out, because no verdict
    /// depends on it. Whatever happens, every server is stopped when this returns.
    pub(crate) fn inspect_arms(mut self, seed: u64) -> Vec<ArmInspection> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(u64::from(self.number));
        let mut seen = Vec::new();
        let _ = self.inspect_in_one_start(&mut random, &mut seen);
        seen
    }

    fn inspect_in_one_start(
        &mut self,
        random: &mut ChaCha8Rng,
        seen: &mut Vec<ArmInspection>,
    ) -> Result<(), Error> {
        let experiment = self.experiment;
        let wanted: Vec<(usize, Look)> = experiment
            .inspected_arms()
            .flat_map(|arm| {
                let looks = looks(experiment, self.earlier, arm).into_iter();
                looks.map(move |look| (arm, look))
            })
            .collect();
        let Some((_, first)) = wanted.first() else {
            return Ok(());
        };
        let (mut running, mut trials) = self.start_all(Starts::AtOnce, random)?;
        let warm = find::mode(experiment).warm_level(experiment, first.level);
        self.warm_up(&mut running, warm, &mut trials, random)?;
        running.sessions.clear();
        running.meters.finish();
        for arm in experiment.inspected_arms() {
            // An arm that fails does not keep the others from being inspected.
            let _ = self.inspect_arm(&running, arm, &wanted, seen);
        }
        self.report_step(Step::Stopping, 0.98);
        stop_all(running, self.bench)
    }

    /// Inspects an arm at each of its levels. A server that ran already is only watched from outside, unless the user asks for the
    /// recorder: otherwise it does not get a management agent from us.
    fn inspect_arm(
        &mut self,
        running: &RunningArms,
        arm: usize,
        wanted: &[(usize, Look)],
        seen: &mut Vec<ArmInspection>,
    ) -> Result<(), Error> {
        let (experiment, server) = (self.experiment, &running.servers[arm]);
        let is_asked = experiment.arms[arm].telemetry == Telemetry::Jfr;
        let mut inspector = match server.is_ours() || is_asked {
            true => self.bench.inspector(server, self.stop).ok().flatten(),
            false => None,
        };
        for (index, (_, look)) in wanted.iter().enumerate().filter(|(_, (of, _))| *of == arm) {
            let inspecting = Step::Inspecting { arm: experiment.arms[arm].name.clone() };
            self.report_step(inspecting, 0.4 + 0.58 * index as f64 / wanted.len() as f64);
            let users = experiment.load.connections[look.level];
            let arrivals = Arrivals::Closed { users };
            let mut session =
                self.session(server, arrivals, Manner::within(look.ramp), running.seeds[arm])?;
            if let Some(inspector) = &mut inspector
                && self.is_recorded(arm, look.level)
            {
                inspector.record(self.stop)?;
            }
            let inspection = self.inspect_level(server, inspector.as_mut(), session.as_mut(), *look)?;
            let inspection = ArmInspection { arm, inspection };
            self.observer.event(Event::Inspected(&inspection));
            seen.push(inspection);
        }
        Ok(())
    }

    /// Inspects a server without load, and then during one slice.
    fn inspect_level(
        &self,
        server: &Server,
        mut inspector: Option<&mut Looker>,
        session: &mut dyn LoadSession,
        look: Look,
    ) -> Result<Inspection, Error> {
        let idle = inspector.as_deref_mut().map(|inspector| inspector.idle(self.stop));
        let idle = idle.transpose()?.flatten();
        let window = Window { settle: look.settle, counted: look.counted };
        let mut peers = None;
        let mut seen = PeersSeen::default();
        let mut orders = Vec::with_capacity(2);
        let start = session.next_start()?;
        let made = session.run_from(start, window, self.stop, &mut |at| {
            let order = match at {
                Edge::CountedBegins => {
                    peers = PeerWatch::begin(server);
                    Looker::begin
                }
                Edge::CountedEnds => {
                    seen = peers.take().map(PeerWatch::end).unwrap_or_default();
                    Looker::end
                }
                Edge::Interval(_) => return,
            };
            orders.extend(inspector.as_deref_mut().map(order));
        })?;
        let slice = made.slice;
        if slice.interrupted {
            return Err(Error::Interrupted);
        }
        orders.into_iter().collect::<Result<(), _>>()?;
        let results = inspector.map(|inspector| inspector.results(self.stop));
        Ok(Inspection {
            level: look.level,
            seconds: slice.elapsed.into(),
            ok: slice.ok,
            in_flight: slice.in_flight_integral,
            idle,
            peers: seen.by_address,
            queued: Some(seen.queued),
            databases: seen.databases,
            opened: seen.opened.map(|opened| opened.saturating_sub(slice.connects)),
            ..results.transpose()?.unwrap_or_default()
        })
    }

    /// Whether the JDK Flight Recorder records the inspection of an arm at a level: where that was asked for, and where it sees what
    /// nothing else does.
    fn is_recorded(&self, arm: usize, level: usize) -> bool {
        let mut trials = self.earlier.iter().flat_map(|round| &round.trials);
        let stalls = |trial: &TrialRecord| {
            let collector = trial.effective.as_ref().and_then(|effective| effective.gc.as_deref());
            trial.arm == arm && collector == Some(STALLING)
        };
        self.experiment.arms[arm].telemetry == Telemetry::Jfr
            || trials.any(stalls)
            || match self.bench.cpus_elsewhere(arm) {
                Some(cpus) => {
                    leaves_unused(self.earlier, arm, level, cpus as usize, |slice| slice.cpu_ns_arm)
                }
                None => are_requests_delayed(self.earlier, arm, level, host::cpus()),
            }
    }
}

/// Whether our processes left much of the machine unused while an arm was loaded at a level, so that something other than
/// the CPU delays requests. What other programs used does not matter.
fn are_requests_delayed(rounds: &[RoundRecord], arm: usize, level: usize, cpus: usize) -> bool {
    leaves_unused(rounds, arm, level, cpus, SliceRecord::cpu_ns)
}

/// Whether much of a machine was unused while an arm was loaded at a level; `used` tells what CPU time was used of it in a slice.
fn leaves_unused(
    rounds: &[RoundRecord],
    arm: usize,
    level: usize,
    cpus: usize,
    used_in: fn(&SliceRecord) -> u64,
) -> bool {
    let (mut used, mut all) = (0, 0);
    let slices = rounds.iter().flat_map(|round| round.closed_at(level));
    for slice in slices.filter(|slice| slice.arm == arm) {
        used += used_in(slice);
        all += slice.elapsed_ns * cpus as u64;
    }
    (used as f64) < (1.0 - UNUSED) * all as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_delayed_where_the_load_leaves_much_of_the_machine_unused() {
        let slice = |arm: usize, cpu_ns_arm: u64| SliceRecord {
            arm,
            elapsed_ns: 500,
            cpu_ns_arm,
            cpu_ns_other_arms: 10,
            cpu_ns_generator: 90,
            ..SliceRecord::default()
        };
        let round = |slices: Vec<SliceRecord>| RoundRecord { slices, ..RoundRecord::default() };
        let rounds = [round(vec![slice(0, 700)]), round(vec![slice(0, 750), slice(1, 600)])];
        assert!(!are_requests_delayed(&rounds, 0, 0, 2), "82.5 % used");
        assert!(are_requests_delayed(&rounds, 1, 0, 2), "70 % used");
        assert!(are_requests_delayed(&rounds, 0, 0, 4), "of a larger machine");
        assert!(!are_requests_delayed(&rounds, 2, 0, 2), "never loaded");
        assert!(!are_requests_delayed(&rounds, 1, 1, 2), "not at this level");
    }
}
