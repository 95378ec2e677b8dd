//! A look into every server at the end of the first round, when nothing is measured any more: what it says of itself while
//! it is loaded once more, at each level.

use super::Round;
use crate::Error;
use crate::slice::Running;
use load::{Edge, Session, Window};
use model::inspection::Inspection;
use model::plan::Arrivals;
use model::record::{LevelRecord, RoundRecord, TrialRecord};
use model::telemetry::Telemetry;
use model::units::Nanos;
use sut::Inspector;

/// Bounds of a look, which else takes as long as a request: ten looks at the server's counters and one at its threads at
/// least.
const SHORTEST: Nanos = Nanos::from_millis(1000);
const LONGEST: Nanos = Nanos::from_secs(5);
/// For connections to be made.
const CONNECT: Nanos = Nanos::from_millis(100);
/// Users that begin in a second: all at once they would fill the accept queue, which no slice but the first has seen.
const USERS_PER_SECOND: u64 = 1000;
/// Share of the machine that is idle under load from which on something else than the CPU holds requests up: then waits are
/// recorded.
const IDLE: f64 = 0.1;

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
            self.step(&format!("looking into {}", watched.name), 0.96);
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
        for level in &record.levels {
            let users = self.experiment.load.connections[level.level];
            let ramp = Nanos((users as u64).saturating_mul(1_000_000_000 / USERS_PER_SECOND)).min(LONGEST);
            let seed = running.seeds[arm];
            let mut session = self.session(server, Arrivals::Closed { users }, ramp, seed)?;
            let asked = self.experiment.arms[arm].telemetry == Telemetry::Jfr;
            if asked || held_up(record, arm, level.level) {
                inspector.record(self.stop).map_err(Box::new)?;
            }
            seen.push(self.look(&mut inspector, &mut session, (level, ramp))?);
        }
        Ok(seen)
    }

    /// One slice in which the inspector looks.
    fn look(
        &self,
        inspector: &mut Inspector,
        session: &mut Session,
        (level, ramp): (&LevelRecord, Nanos),
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

/// Whether an arm left the machine idle at a level though its users waited for answers.
fn held_up(record: &RoundRecord, arm: usize, level: usize) -> bool {
    let (mut idle, mut all) = (0, 0);
    for slice in record.closed_at(level).filter(|slice| slice.arm == arm) {
        if let [first, .., last] = record.readings(slice) {
            idle += last.host.idle_ticks.saturating_sub(first.host.idle_ticks);
            all += last.host.ticks.saturating_sub(first.host.ticks);
        }
    }
    all > 0 && idle as f64 > IDLE * all as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::record::SliceRecord;
    use model::telemetry::{HostReading, Mark, Reading};

    fn reading(at_ns: u64, mark: Mark, ticks: u64, idle_ticks: u64) -> Reading {
        let host = HostReading {
            ticks,
            idle_ticks,
            ..HostReading::default()
        };
        Reading {
            at_ns,
            mark,
            host,
            ..Reading::default()
        }
    }

    #[test]
    fn an_arm_is_held_up_where_it_leaves_the_machine_idle() {
        let slice = |arm: usize, started_ns: u64| SliceRecord {
            arm,
            started_ns,
            elapsed_ns: 10,
            ..SliceRecord::default()
        };
        let record = RoundRecord {
            slices: vec![slice(0, 0), slice(1, 100)],
            telemetry: vec![
                reading(1, Mark::Begins, 1000, 500),
                reading(9, Mark::Ends, 1100, 505),
                reading(101, Mark::Begins, 1200, 520),
                reading(109, Mark::Ends, 1300, 580),
            ],
            ..RoundRecord::default()
        };
        assert!(!held_up(&record, 0, 0), "5 % idle");
        assert!(held_up(&record, 1, 0), "60 % idle");
        assert!(!held_up(&record, 2, 0), "never loaded");
        assert!(!held_up(&record, 1, 1), "not at this level");
    }
}
