//! A look into every server at the end of the first round, when nothing is measured any more: what it says of itself while
//! it is loaded once more, at each level.

use super::{Round, find};
use crate::Error;
use crate::slice::Running;
use load::{Edge, Session, Window};
use model::inspection::Inspection;
use model::plan::Arrivals;
use model::record::{LevelRecord, RoundRecord, TrialRecord};
use model::step::Step;
use model::telemetry::Telemetry;
use model::units::Nanos;
use probe::host;
use sut::Inspector;

/// Bounds of a look, which else takes as long as a request: ten looks at the server's counters and one at its threads at
/// least.
const SHORTEST: Nanos = Nanos::from_millis(1000);
const LONGEST: Nanos = Nanos::from_secs(5);
/// For connections to be made.
const CONNECT: Nanos = Nanos::from_millis(100);
/// Users that begin in a second: all at once they would fill the accept queue, which no slice but the first has seen.
const USERS_PER_SECOND: u64 = 1000;
/// Share of the machine that our processes leave under load from which on something else than the CPU holds requests up:
/// then waits are recorded. What the kernel does for them beside is less.
const LEFT: f64 = 0.2;

impl Round<'_> {
    /// Looks into every server that is to be watched and that we started: nobody else's gets a management agent. What goes wrong here spoils nothing: no verdict hangs on it.
    pub(super) fn inspect(
        &mut self,
        running: &mut Running,
        trials: &mut [TrialRecord],
        record: &RoundRecord,
    ) {
        running.sessions.clear();
        let experiment = self.experiment;
        for (trial, (arm, watched)) in trials.iter_mut().zip(experiment.arms.iter().enumerate()) {
            if !watched.telemetry.is_on() || !running.servers[arm].is_ours() {
                continue;
            }
            let inspecting = Step::Inspecting {
                arm: watched.name.to_string(),
            };
            self.step(inspecting, 0.96);
            trial.inspections = self.look_into(running, arm, record).unwrap_or_default();
        }
    }

    fn look_into(
        &self,
        running: &Running,
        arm: usize,
        record: &RoundRecord,
    ) -> Result<Vec<Inspection>, Error> {
        let server = &running.servers[arm];
        let attached = self.bench.inspector(server, self.stop).map_err(Box::new)?;
        let Some(mut inspector) = attached else {
            return Ok(Vec::new());
        };
        let mut seen = Vec::new();
        for level in find::mode(self.experiment).inspected(record) {
            let users = self.experiment.load.connections[level.level];
            let ramp = Nanos((users as u64).saturating_mul(1_000_000_000 / USERS_PER_SECOND)).min(LONGEST);
            let seed = running.seeds[arm];
            let mut session = self.session(server, Arrivals::Closed { users }, ramp, seed)?;
            let asked = self.experiment.arms[arm].telemetry == Telemetry::Jfr;
            if asked || held_up(record, arm, level.level, host::cpus()) {
                inspector.record(self.stop).map_err(Box::new)?;
            }
            seen.push(self.look(&mut inspector, &mut session, level, ramp)?);
        }
        Ok(seen)
    }

    /// One slice in which the inspector looks.
    fn look(
        &self,
        inspector: &mut Inspector,
        session: &mut Session,
        level: &LevelRecord,
        ramp: Nanos,
    ) -> Result<Inspection, Error> {
        // From when the last user has been answered once all of them are in flight, and nothing is averaged.
        let request = Nanos(level.service_p50_ns);
        let window = Window {
            settle: ramp + request.min(LONGEST) + CONNECT,
            counted: request.clamp(SHORTEST, LONGEST),
        };
        let mut told = Vec::with_capacity(2);
        let slice = session.run(window, self.stop, &mut |edge| match edge {
            Edge::CountedBegins => told.push(inspector.begin()),
            Edge::CountedEnds => told.push(inspector.end()),
            Edge::Interval(_) => {}
        })?;
        let told: Result<Vec<()>, sut::Error> = told.into_iter().collect();
        told.map_err(Box::new)?;
        Ok(Inspection {
            level: level.level,
            seconds: slice.elapsed.as_secs_f64(),
            ok: slice.ok,
            in_flight: slice.in_flight_integral,
            ..inspector.seen(self.stop).map_err(Box::new)?
        })
    }
}

/// Whether our processes left much of the machine while an arm was loaded at a level and its users waited for answers. What
/// others used of it does not matter.
fn held_up(record: &RoundRecord, arm: usize, level: usize, cpus: usize) -> bool {
    let (mut used, mut all) = (0, 0);
    for slice in record.closed_at(level).filter(|slice| slice.arm == arm) {
        used += slice.cpu_ns_arm + slice.cpu_ns_other_arms + slice.cpu_ns_generator;
        all += slice.elapsed_ns * cpus as u64;
    }
    (used as f64) < (1.0 - LEFT) * all as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::record::SliceRecord;

    #[test]
    fn an_arm_is_held_up_where_its_load_leaves_much_of_the_machine() {
        let slice = |arm: usize, cpu_ns_arm: u64| SliceRecord {
            arm,
            elapsed_ns: 500,
            cpu_ns_arm,
            cpu_ns_other_arms: 10,
            cpu_ns_generator: 90,
            ..SliceRecord::default()
        };
        let record = RoundRecord {
            slices: vec![slice(0, 700), slice(0, 750), slice(1, 600)],
            ..RoundRecord::default()
        };
        assert!(!held_up(&record, 0, 0, 2), "82.5 % used");
        assert!(held_up(&record, 1, 0, 2), "70 % used");
        assert!(held_up(&record, 0, 0, 4), "of a larger machine");
        assert!(!held_up(&record, 2, 0, 2), "never loaded");
        assert!(!held_up(&record, 1, 1, 2), "not at this level");
    }
}
