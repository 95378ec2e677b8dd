//! The shares of a plan: what each of N machines does, so that together they do exactly the whole.

use crate::error::{Error, Missing};
use model::units::Rate;
use traffic::plan::{Arrivals, LoadPart, Plan, Reuse, Stage};

/// Returns share `index` of `of`. Users, connections, requests and data rows are divided as evenly as
/// possible, the first shares taking what is over; rates are divided evenly. Iterations count for each user
/// and stay. Every share draws its own random numbers. One share of one does what the plan does.
///
/// # Errors
///
/// [`Error::TooSmall`] when there is not one user, connection or request for each machine, and [`Error::InStages`] when users wait for
/// others, which may be on other machines.
pub fn share(plan: &Plan, index: u64, of: u64) -> Result<Plan, Error> {
    let part = |whole: u64, what: Missing| match part_of(whole, index, of) {
        0 => Err(Error::TooSmall { what, whole, agents: of }),
        part => Ok(part),
    };
    let sessions = plan.sessions.as_ref();
    if of > 1 && sessions.is_some_and(|sessions| sessions.program.runs_in_stages()) {
        return Err(Error::InStages);
    }
    let users_or_connections =
        |whole: usize| Ok::<usize, Error>(part(whole as u64, Missing::Users)? as usize);
    let divided = |rate: Rate| Rate(rate.0 / of as f64);
    let mut mine = plan.clone();
    mine.arrivals = match &plan.arrivals {
        Arrivals::Closed { users } => Arrivals::Closed { users: users_or_connections(*users)? },
        Arrivals::Open { rate, poisson, connections: all } => Arrivals::Open {
            rate: divided(*rate),
            poisson: *poisson,
            connections: users_or_connections(*all)?,
        },
        Arrivals::Stages { stages, poisson, connections: all } => Arrivals::Stages {
            stages: stages
                .iter()
                .map(|stage| Stage { from: divided(stage.from), to: divided(stage.to), length: stage.length })
                .collect(),
            poisson: *poisson,
            connections: users_or_connections(*all)?,
        },
    };
    if let Reuse::Pool(all) = plan.reuse {
        mine.reuse = Reuse::Pool(part(all as u64, Missing::Connections)? as usize);
    }
    mine.limit = plan.limit.map(|all| part(all, Missing::Requests)).transpose()?;
    mine.connect_rate = plan.connect_rate.map(divided);
    // An odd constant, so that no two shares have the same seed; the first share has the plan's.
    mine.seed = plan.seed.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    // By this the generator counts only the users and takes only the data rows of this share.
    mine.share = LoadPart { index, of, connections: Some(plan.users_of_all_parts()) };
    Ok(mine)
}

/// Returns the part of a number that belongs to a share.
const fn part_of(whole: u64, index: u64, of: u64) -> u64 {
    whole / of + (index < whole % of) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Nanos;
    use proptest::prelude::*;
    use std::net::SocketAddr;
    use traffic::plan::Sessions;
    use traffic::scenario::{GroupArrivals, GroupPhase, Program, UserGroup};

    fn plan(arrivals: Arrivals) -> Plan {
        let address: SocketAddr = "127.0.0.1:1".parse().unwrap();
        Plan::new(address, Vec::new(), arrivals)
    }

    fn shares(plan: &Plan, of: u64) -> Vec<Plan> {
        (0..of).map(|index| share(plan, index, of).unwrap()).collect()
    }

    fn rate(plan: &Plan) -> f64 {
        match &plan.arrivals {
            Arrivals::Open { rate, .. } => rate.0,
            Arrivals::Stages { stages, .. } => stages[0].to.0,
            Arrivals::Closed { .. } => 0.0,
        }
    }

    proptest! {
        #[test]
        fn together_the_shares_are_exactly_the_whole(
            of in 1_u64..400, users in 400_usize..60_000, limit in 400_u64..1_000_000, seed: u64,
        ) {
            let mut whole = plan(Arrivals::Closed { users });
            (whole.limit, whole.seed, whole.reuse) = (Some(limit), seed, Reuse::Pool(users));
            let shares = shares(&whole, of);
            prop_assert_eq!(shares.iter().map(Plan::connections).sum::<usize>(), users);
            prop_assert_eq!(shares.iter().filter_map(|share| share.limit).sum::<u64>(), limit);
            let sizes = shares.iter().map(Plan::connections);
            prop_assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1);
            prop_assert!(shares.iter().all(|share| share.users_of_all_parts() == users as u64));
            let seeds: std::collections::BTreeSet<u64> = shares.iter().map(|share| share.seed).collect();
            prop_assert_eq!(seeds.len() as u64, of);
        }

        #[test]
        fn rates_add_up_to_the_rate(of in 1_u64..400, whole in 0.5_f64..1e6) {
            let open = plan(Arrivals::Open { rate: Rate(whole), poisson: true, connections: 400 });
            let stage = Stage { from: Rate(0.0), to: Rate(whole), length: Nanos::from_secs(1) };
            let staged = plan(Arrivals::Stages { stages: vec![stage], poisson: true, connections: 400 });
            for plan in [open, staged] {
                let sum: f64 = shares(&plan, of).iter().map(rate).sum();
                prop_assert!((sum / whole - 1.0).abs() < 1e-12, "{sum} {whole}");
            }
        }
    }

    #[test]
    fn one_share_of_one_does_what_the_plan_does() {
        let mut whole = plan(Arrivals::Closed { users: 7 });
        whole.limit = Some(3);
        let alone = share(&whole, 0, 1).unwrap();
        assert_eq!(alone.share.connections, Some(7));
        let share = whole.share;
        assert_eq!(Plan { share, ..alone }, whole);
    }

    #[test]
    fn users_who_wait_for_others_are_not_divided() {
        let mut whole = plan(Arrivals::Closed { users: 4 });
        let mut program = Program::default();
        for phase in [GroupPhase::Setup, GroupPhase::Main] {
            let mut group = UserGroup::new("g", 1);
            group.phase = phase;
            group.arrivals = GroupArrivals::Users(Vec::new());
            program.groups.push(group);
        }
        let sessions = |program: &Program| {
            Some(Box::new(Sessions {
                program: program.clone(),
                authority: String::new(),
                base_path: String::new(),
                others: Vec::new(),
                headers: Vec::new(),
                utc_offset: 0,
            }))
        };
        whole.sessions = sessions(&program);
        assert!(matches!(share(&whole, 0, 2), Err(Error::InStages)));
        assert!(share(&whole, 0, 1).is_ok());
        program.groups[0].phase = GroupPhase::Main;
        whole.sessions = sessions(&program);
        assert!(share(&whole, 0, 2).is_ok());
        program.serial = true;
        whole.sessions = sessions(&program);
        assert!(matches!(share(&whole, 0, 2), Err(Error::InStages)));
    }

    #[test]
    fn a_machine_without_a_user_is_refused() {
        let whole = plan(Arrivals::Closed { users: 2 });
        let error = share(&whole, 0, 3).and_then(|_| share(&whole, 2, 3)).unwrap_err();
        assert!(matches!(error, Error::TooSmall { whole: 2, agents: 3, .. }));
    }
}
