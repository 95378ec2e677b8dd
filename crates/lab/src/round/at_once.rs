//! Levels at which the machine is less than half used: users who think, services that wait. There all arms are loaded at once and without
//! a break, because an idle CPU is shared fairly. Their users begin spread over one cycle (a request and the pause after it) and go on
//! from one slice to the next, so that nothing is lost between slices and none of them is shorter than a pause.

use super::closed::Visit;
use super::quads::{MeasuredQuads, Quads};
use super::warm_up::read_shares;
use super::{Manner, Round};
use crate::Error;
use crate::order;
use crate::slice::{self, Measured, RunningArms, SlicePosition};
use crate::warmup::Compilers;
use crate::windows::{Pace, Windows};
use ask::experiment::Pacing;
use load::{LoadSession, Window};
use model::units::Nanos;
use probe::host;
use rand_chacha::ChaCha8Rng;
use record::step::Step;

/// The largest share of the machine that servers and generator may use together at such a level.
pub(super) const HALF_USED: f64 = 0.5;
/// The length of the first look at a level, in cycles, and its bounds in seconds.
const LOOK_CYCLES: f64 = 1.0;
const SHORTEST_LOOK: f64 = 0.5;
const LONGEST_LOOK: f64 = 3.0;
/// The most looks at a level, and the factor by which a look has to use less of the machine than the one before so that there is another.
const LOOKS: usize = 3;
const STILL_FALLS: f64 = 0.9;
/// The longest time in which the users begin, in seconds.
const LONGEST_RAMP: f64 = 10.0;

impl Round<'_> {
    /// Whether all arms may be loaded at once: their servers are on this machine, which also makes the load, they do not share a link, and arms
    /// that climb to a capacity are not compared while they disturb each other.
    pub(super) fn may_load_at_once(&self, running: &RunningArms) -> bool {
        let alone = running.servers.len() == 1;
        let here = running.servers.iter().all(|server| server.remote().is_none() && server.is_seen());
        let share_nothing = self.experiment.link.is_none() && self.experiment.design.find.is_none();
        here && self.is_loaded_from_here() && (alone || share_nothing)
    }

    /// Loads all arms at once with their users, for a cycle of these users after all of them have begun. Returns the pace of the level if
    /// less than half of the machine was used; the users then stay. `service_p50` is a first guess of the median service time in seconds.
    pub(super) fn measure_pace_at_once(
        &mut self,
        running: &mut RunningArms,
        level: usize,
        service_p50: f64,
    ) -> Result<Option<Pace>, Error> {
        let cycle = service_p50 + self.pauses().as_secs_f64();
        let ramp = self.ramp(cycle);
        self.connect_to_stay(running, level, ramp)?;
        self.report_step(Step::MeasuringPace, 0.4);
        let look = (LOOK_CYCLES * cycle).clamp(SHORTEST_LOOK, LONGEST_LOOK);
        let window =
            Window { settle: ramp + Nanos::from_secs_f64(service_p50), counted: Nanos::from_secs_f64(look) };
        let users = self.experiment.load.connections[level];
        let mut before = f64::INFINITY;
        for look in 0..LOOKS {
            let settle = if look == 0 { window.settle } else { Nanos(0) };
            let (measured, used) = self.look_at_once(running, Window { settle, ..window })?;
            let idle = measured.iter().map(Measured::idle).fold(1.0, f64::min);
            let has_pauses = self.experiment.has_pauses();
            let are_all_in = has_pauses || measured.iter().all(|measured| measured.has_all_users(users));
            if let Some(pace) = pace_of(&measured, users, cycle)
                && is_idle(used, idle, pace.is_slow() || has_pauses)
                && are_all_in
            {
                return Ok(Some(pace));
            }
            // Each look at an arm that answers nothing rightly lasts until its requests are given up.
            let fails =
                |measured: &Measured| measured.made.slice.ok == 0 && measured.made.slice.faults.total() > 0;
            if measured.iter().any(fails) {
                break;
            }
            // A server that still gets quicker may come below the limit, and one whose users are still connecting does not show its use.
            if are_all_in && used > STILL_FALLS * before {
                break;
            }
            before = used;
        }
        self.drain(&mut running.sessions)?;
        Ok(None)
    }

    /// Loads all arms at once for one window. Returns it with the share of the machine that was used, without what compilers took: they
    /// will be done.
    fn look_at_once(&self, running: &mut RunningArms, window: Window) -> Result<(Vec<Measured>, f64), Error> {
        let arms: Vec<usize> = (0..running.servers.len()).collect();
        let mut compilers: Vec<Compilers> = running.servers.iter().map(Compilers::of).collect();
        read_shares(&mut compilers, &running.meters)?;
        let measured =
            slice::measure_together(&mut running.sessions, &arms, &running.meters, window, self.stop)?;
        let compiling = read_shares(&mut compilers, &running.meters)?;
        let used = use_without(&measured, &compiling);
        Ok((measured, used))
    }

    /// Measures a level at which the machine is less than half used. `stays`: its users are there already.
    pub(super) fn measure_at_once(
        &mut self,
        running: &mut RunningArms,
        visit: Visit,
        windows: Windows,
        stays: bool,
        random: &mut ChaCha8Rng,
    ) -> Result<MeasuredQuads, Error> {
        if !stays {
            self.connect_to_stay(running, visit.level, windows.ramp)?;
            let entry = Window { settle: windows.window.settle, counted: Nanos(1) };
            let arms: Vec<usize> = (0..running.servers.len()).collect();
            slice::measure_together(&mut running.sessions, &arms, &running.meters, entry, self.stop)?;
        }
        let row: Vec<usize> = (0..running.servers.len()).collect();
        let order = order::quads(random, &row, windows.pairs);
        let (step, progress) = self.step_and_progress(visit);
        let quads = Quads {
            order: &order,
            pacing: Pacing::Together,
            window: Window { settle: ask::experiment::SETTLE, counted: windows.window.counted },
            stretches: Vec::new(),
            position: SlicePosition::first(self.number, visit.level, None),
            seeds: &running.seeds,
            repeat: true,
            step,
            progress,
        };
        let measured =
            self.measure_quads(&mut running.sessions, &running.servers, &running.meters, &quads)?;
        self.drain(&mut running.sessions)?;
        Ok(measured)
    }

    /// The time within which users begin who come again after about so many seconds.
    fn ramp(&self, cycle: f64) -> Nanos {
        let spread = Nanos::from_secs_f64(cycle.min(LONGEST_RAMP));
        self.experiment.load.ramp.unwrap_or(spread)
    }

    /// The pauses of a user between two requests or, where users play sessions, in a session.
    fn pauses(&self) -> Nanos {
        let sessions = &self.experiment.workload.sessions;
        let in_session = sessions.as_ref().map_or(Nanos(0), |program| program.pauses_per_session());
        in_session + self.experiment.load.think.mean()
    }

    /// Connects the users of a level, who begin within `ramp` and stay from one slice to the next.
    fn connect_to_stay(&self, running: &mut RunningArms, level: usize, ramp: Nanos) -> Result<(), Error> {
        let manner = Manner { continuous: true, ..Manner::within(ramp) };
        self.connect(running, level, manner)
    }

    /// Waits for the requests in flight of all arms.
    fn drain(&self, sessions: &mut [Box<dyn LoadSession>]) -> Result<(), Error> {
        for session in sessions {
            session.drain(self.stop)?;
        }
        Ok(())
    }
}

/// The share of the machine that servers and generator used while all arms were loaded at once, without the compilers, which took these
/// shares of the CPU time of their arms.
pub(super) fn use_without(measured: &[Measured], compiling: &[Option<f64>]) -> f64 {
    let Some(first) = measured.first() else {
        return 1.0;
    };
    let elapsed = first.made.slice.elapsed.as_secs_f64();
    let left = |share: &Option<f64>| (1.0 - share.unwrap_or(0.0)).clamp(0.0, 1.0);
    let servers = first.cpu.iter().zip(compiling);
    let servers: f64 = servers.map(|(cpu, share)| cpu.as_secs_f64() * left(share)).sum();
    let loads: f64 = measured.iter().map(|one| one.made.cpu_here.as_secs_f64()).sum();
    (servers + loads) / (elapsed * host::cpus() as f64).max(1e-9)
}

/// Whether all arms may be loaded at once: servers and generator used little of the machine, and that is because of the load. Requests that
/// wait for something else than a CPU, and users who pause, use no more on an idle machine. Any others might only have been kept from it by
/// other programs, unless half of the machine was idle.
fn is_idle(used: f64, idle: f64, waits: bool) -> bool {
    used < HALF_USED && (waits || idle >= HALF_USED)
}

/// The pace that slices of all arms at once show, of users who come again after about `cycle` seconds; `None` where an arm answered nothing.
fn pace_of(measured: &[Measured], users: usize, cycle: f64) -> Option<Pace> {
    let mut pace = Pace { at_once: true, service_p50: f64::INFINITY, period: f64::INFINITY, wave: 0.0 };
    for slice in measured.iter().map(|measured| &measured.made.slice) {
        let time = |quantile: f64| slice.service.value_at_quantile(quantile) as f64 / 1e9;
        if slice.ok == 0 {
            return None;
        }
        pace.service_p50 = pace.service_p50.min(time(0.5));
        pace.period = pace.period.min(time(0.1));
        pace.wave = pace.wave.max(users as f64 * slice.elapsed.as_secs_f64() / slice.ok as f64);
    }
    pace.wave = pace.wave.max(cycle);
    Some(pace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_that_other_programs_keep_from_the_machine_is_not_idle() {
        assert!(is_idle(0.3, 0.6, false), "few users on a large machine");
        assert!(!is_idle(0.3, 0.1, false), "a neighbour has the rest");
        assert!(is_idle(0.3, 0.1, true), "its requests wait for something else");
        assert!(!is_idle(0.6, 0.4, true));
    }
}
