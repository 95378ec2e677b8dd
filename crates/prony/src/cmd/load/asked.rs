//! Tells what load was asked for: by the flags, or by the thread groups of a JMeter plan.

use super::LoadArgs;
use super::plan::mean_rate;
use model::load::Load;
use std::collections::BTreeMap;
use traffic::plan::{Arrivals, Plan};
use traffic::scenario::Program;

/// Returns the load that a plan makes, as reports name it.
pub(super) fn load(args: &LoadArgs, plan: &Plan) -> Load {
    let program = plan.sessions.as_ref().map(|sessions| &sessions.program);
    let has_own = program.is_some_and(Program::has_own_arrivals);
    let (users, rate) = match &plan.arrivals {
        Arrivals::Closed { users } => {
            let at_once = program.filter(|_| has_own).map(users_at_once);
            (Some(at_once.unwrap_or(*users as u64)), None)
        }
        Arrivals::Open { rate, .. } => (None, Some(*rate)),
        Arrivals::Stages { stages, .. } => {
            // A rate that the load climbs to counts from there on.
            let climbed_to = args.rate.filter(|_| !has_own && args.stages.is_none());
            (None, Some(climbed_to.unwrap_or_else(|| mean_rate(stages))))
        }
    };
    Load { users, rate, together: false, sessions: rate.is_some() && program.is_some() }
}

/// Returns the most users that a program has at the same time. The users of a phase begin when the users of the phase
/// before have ended.
fn users_at_once(program: &Program) -> u64 {
    let mut by_phase = BTreeMap::new();
    for group in &program.groups {
        let users = group.arrivals.users();
        let together: &mut u64 = by_phase.entry(group.phase).or_default();
        *together = if program.serial { (*together).max(users) } else { *together + users };
    }
    by_phase.into_values().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Nanos;
    use traffic::scenario::{GroupArrivals, GroupPhase, UserGroup, UserWave};

    fn program(serial: bool) -> Program {
        let group = |phase, users| {
            let mut group = UserGroup::new("users", 1);
            group.phase = phase;
            group.arrivals = GroupArrivals::Users(vec![UserWave {
                users,
                delay: Nanos(0),
                ramp: Nanos(0),
                duration: None,
                ramp_down: Nanos(0),
            }]);
            group
        };
        Program {
            groups: vec![
                group(GroupPhase::Setup, 1),
                group(GroupPhase::Main, 5),
                group(GroupPhase::Main, 3),
                group(GroupPhase::Teardown, 2),
            ],
            serial,
            ..Program::default()
        }
    }

    #[test]
    fn users_who_never_run_together_are_not_added() {
        assert_eq!(users_at_once(&program(false)), 8);
        assert_eq!(users_at_once(&program(true)), 5);
    }
}
