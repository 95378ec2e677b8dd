//! The profile of a run: after all rounds, every arm is started once more, warmed up as in a round, and loaded at each level while
//! it is looked into: from inside ([`Looker`]) and, whatever it is written in, at its connections in the kernel ([`PeerWatch`]).
//! Nothing is measured any more, so it does not matter that this costs the server time, and that thread dumps stop it.

use super::{Manner, Round, Starts, stop_all};
use crate::Error;
use crate::event::Event;
use crate::looks::Looker;
use crate::peers::PeerWatch;
use crate::percentiles;
use crate::slice::RunningArms;
use ask::arm::Telemetry;
use judge::inspections::{Look, looks};
use load::{Edge, LoadSession, Window};
use model::units::Seconds;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use record::inspection::{ArmInspection, Inspection, PeersSeen};
use record::step::Step;
use sut::Server;
use traffic::plan::Arrivals;

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
        let warm = self.level_to_warm_up(first.level);
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
        let mut inspector = match !server.ran_already() || is_asked {
            true => self.bench.inspector(server, self.stop).ok().flatten(),
            false => None,
        };
        for (index, (_, look)) in wanted.iter().enumerate().filter(|(_, (of, _))| *of == arm) {
            let inspecting = Step::Inspecting { arm: experiment.arms[arm].name.clone() };
            self.report_step(inspecting, 0.4 + 0.58 * index as f64 / wanted.len() as f64);
            let arrivals = Arrivals::Closed { users: self.users_of(*look) };
            // Requests that are never answered are not waited for when the look is over.
            let manner = Manner {
                patient: look.is_silent,
                by_clock: look.is_silent,
                continuous: look.is_silent,
                ..Manner::within(look.ramp)
            };
            let mut session = self.session(arm, server, arrivals, manner, running.seeds[arm])?;
            if let Some(inspector) = &mut inspector {
                inspector.record(self.stop)?;
            }
            let inspection = self.inspect_level(server, inspector.as_mut(), session.as_mut(), *look)?;
            let inspection = ArmInspection { arm, inspection };
            self.observer.event(Event::Inspected(&inspection));
            seen.push(inspection);
        }
        Ok(())
    }

    /// The users of a look: those of its level. An arm that was silent there may have been broken by more users before, in its warm-up.
    fn users_of(&self, look: Look) -> usize {
        let level = match look.is_silent {
            true => look.level.max(self.level_to_warm_up(look.level)),
            false => look.level,
        };
        self.experiment.load.connections[level]
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
        let idle = idle.transpose()?.unwrap_or_default();
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
        let wrong = slice.requests.saturating_sub(slice.ok);
        let is_wrong = slice.ok == 0 || wrong > 0;
        let results = inspector.map(|inspector| inspector.results(self.stop));
        Ok(Inspection {
            level: look.level,
            seconds: slice.elapsed.into(),
            ok: slice.ok,
            wrong,
            first_wrong: slice.first_failure().filter(|_| is_wrong).cloned(),
            ended: percentiles::ended(&slice),
            in_flight: slice.in_flight_integral,
            idle: idle.threads,
            held_before: idle.held,
            load_seconds: Seconds::from(window.settle) + Seconds::from(window.counted),
            peers: seen.by_address,
            queued: Some(seen.queued),
            calls: seen.calls,
            databases: seen.databases,
            answered: seen.answered,
            opened: seen.opened.map(|opened| opened.saturating_sub(slice.connects)),
            ..results.transpose()?.unwrap_or_default()
        })
    }
}
