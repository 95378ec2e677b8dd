//! Inspects every server at the end of the first round, when nothing is measured any more: loads it once more at each
//! level and reads its counters, threads and waits from inside.

use super::{Round, find};
use crate::Error;
use crate::slice::RunningArms;
use load::{Edge, Session, Window};
use model::inspection::Inspection;
use model::plan::Arrivals;
use model::record::{LevelRecord, RoundRecord, TrialRecord};
use model::step::Step;
use model::telemetry::Telemetry;
use model::units::Nanos;
use probe::host;
use sut::Inspector;

/// The least length of an inspection, which otherwise takes as long as a request: time for ten readings of the counters
/// and one thread dump.
const SHORTEST: Nanos = Nanos::from_millis(1000);
/// The greatest length of an inspection.
const LONGEST: Nanos = Nanos::from_secs(5);
/// The time for making connections.
const CONNECT: Nanos = Nanos::from_millis(100);
/// The users that begin per second: all at once they would fill the accept queue, which does not happen in measured
/// slices.
const USERS_PER_SECOND: u64 = 1000;
/// The share of the machine that our processes leave unused, from which on something other than the CPU delays requests,
/// so that waits are recorded. The kernel's work for our processes, which they are not charged for, is less.
const UNUSED: f64 = 0.2;

impl Round<'_> {
    /// Inspects every server with telemetry that we started; a server that ran already does not get a management agent
    /// from us. Errors are ignored, because no verdict depends on an inspection.
    pub(super) fn inspect(
        &mut self,
        running: &mut RunningArms,
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
            self.report_step(inspecting, 0.96);
            trial.inspections = self.inspect_server(running, arm, record).unwrap_or_default();
        }
    }

    fn inspect_server(
        &self,
        running: &RunningArms,
        arm: usize,
        record: &RoundRecord,
    ) -> Result<Vec<Inspection>, Error> {
        let server = &running.servers[arm];
        let attached = self.bench.inspector(server, self.stop).map_err(Box::new)?;
        let Some(mut inspector) = attached else {
            return Ok(Vec::new());
        };
        let mut inspections = Vec::new();
        for level in find::mode(self.experiment).inspected(record) {
            let users = self.experiment.load.connections[level.level];
            let ramp = Nanos((users as u64).saturating_mul(1_000_000_000 / USERS_PER_SECOND)).min(LONGEST);
            let seed = running.seeds[arm];
            let mut session = self.session(server, Arrivals::Closed { users }, ramp, seed)?;
            let requested = self.experiment.arms[arm].telemetry == Telemetry::Jfr;
            if requested || are_requests_delayed(record, arm, level.level, host::cpus()) {
                inspector.record(self.stop).map_err(Box::new)?;
            }
            inspections.push(self.inspect_level(&mut inspector, &mut session, level, ramp)?);
        }
        Ok(inspections)
    }

    /// Inspects during one slice.
    fn inspect_level(
        &self,
        inspector: &mut Inspector,
        session: &mut Session,
        level: &LevelRecord,
        ramp: Nanos,
    ) -> Result<Inspection, Error> {
        // After the last user's first answer all users have requests in flight, so that counters are not those of the
        // ramp.
        let request = Nanos(level.service_p50_ns);
        let window = Window {
            settle: ramp + request.min(LONGEST) + CONNECT,
            counted: request.clamp(SHORTEST, LONGEST),
        };
        let mut orders = Vec::with_capacity(2);
        let slice = session.run(window, self.stop, &mut |edge| match edge {
            Edge::CountedBegins => orders.push(inspector.begin()),
            Edge::CountedEnds => orders.push(inspector.end()),
            Edge::Interval(_) => {}
        })?;
        let ordered: Result<Vec<()>, sut::Error> = orders.into_iter().collect();
        ordered.map_err(Box::new)?;
        Ok(Inspection {
            level: level.level,
            seconds: slice.elapsed.as_secs_f64(),
            ok: slice.ok,
            in_flight: slice.in_flight_integral,
            ..inspector.results(self.stop).map_err(Box::new)?
        })
    }
}

/// Whether our processes left much of the machine unused while an arm was loaded at a level, so that something other than
/// the CPU delays requests. What other programs used does not matter.
fn are_requests_delayed(record: &RoundRecord, arm: usize, level: usize, cpus: usize) -> bool {
    let (mut used, mut all) = (0, 0);
    for slice in record.closed_at(level).filter(|slice| slice.arm == arm) {
        used += slice.cpu_ns_arm + slice.cpu_ns_other_arms + slice.cpu_ns_generator;
        all += slice.elapsed_ns * cpus as u64;
    }
    (used as f64) < (1.0 - UNUSED) * all as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::record::SliceRecord;

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
        let record = RoundRecord {
            slices: vec![slice(0, 700), slice(0, 750), slice(1, 600)],
            ..RoundRecord::default()
        };
        assert!(!are_requests_delayed(&record, 0, 0, 2), "82.5 % used");
        assert!(are_requests_delayed(&record, 1, 0, 2), "70 % used");
        assert!(are_requests_delayed(&record, 0, 0, 4), "of a larger machine");
        assert!(!are_requests_delayed(&record, 2, 0, 2), "never loaded");
        assert!(!are_requests_delayed(&record, 1, 1, 2), "not at this level");
    }
}
