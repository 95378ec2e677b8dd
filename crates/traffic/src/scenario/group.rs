//! [`UserGroup`]: users who all do the same: how many there are, when they come and go, and what they do.

use super::{Action, Template};
use crate::pace::Stage;
use model::units::{Nanos, Rate};
use serde::{Deserialize, Serialize};

/// Users who all do the same (a `[[scenario]]` of a file, a thread group of JMeter).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UserGroup {
    /// The name in reports.
    pub name: String,
    /// When it runs.
    pub phase: GroupPhase,
    /// How its users arrive.
    pub arrivals: GroupArrivals,
    /// How often each user does everything from the top; `None` is without end, until the load ends.
    pub iterations: Option<u64>,
    /// Whether an iteration goes on with the connections of the one before (the same user comes again). Otherwise connections
    /// are closed between iterations, and each is a new user.
    pub keeps_connections: bool,
    /// What becomes of cookies.
    pub cookies: Cookies,
    /// Cookies that a user has from the start, and gets again when cookies are cleared.
    pub own_cookies: Vec<Cookie>,
    /// What a user does when a request has failed.
    pub on_failure: OnFailure,
    /// What a user does in an iteration, in this order.
    pub body: Vec<Action>,
}

impl UserGroup {
    /// A group that is a part of the load by its weight: it keeps connections and cookies within an iteration, goes on after
    /// failures and repeats its body until the load ends.
    pub fn new(name: &str, weight: u32) -> Self {
        Self {
            name: name.to_owned(),
            phase: GroupPhase::Main,
            arrivals: GroupArrivals::Weight(weight),
            iterations: None,
            keeps_connections: true,
            cookies: Cookies::PerIteration,
            own_cookies: Vec::new(),
            on_failure: OnFailure::Continue,
            body: Vec::new(),
        }
    }
}

/// When a group runs. A phase begins when all groups of the phase before it are done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum GroupPhase {
    /// Before the load; what it does is not counted.
    Setup,
    /// The load.
    #[default]
    Main,
    /// After the load; what it does is not counted.
    Teardown,
}

/// How the users of a group arrive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GroupArrivals {
    /// The load profile tells how many users there are, or how many sessions begin per second; this group has the share of them
    /// that its weight has among all weights.
    Weight(u32),
    /// The group has users of its own.
    Users(Vec<UserWave>),
    /// Sessions of the group begin at these rates, whatever the server does. A session is one iteration.
    Sessions {
        /// The course of the rate from the start of the load on.
        stages: Vec<Stage>,
        /// Whether gaps are exponential; otherwise they are equal where the rate is even.
        poisson: bool,
        /// The most sessions at once; one that is due beyond that waits, and the wait counts.
        most: usize,
    },
}

impl GroupArrivals {
    /// How many users the waves have together; 0 where something else tells how many there are.
    pub fn users(&self) -> u64 {
        match self {
            Self::Users(waves) => waves.iter().map(|wave| wave.users).sum(),
            Self::Weight(_) | Self::Sessions { .. } => 0,
        }
    }

    /// How many sessions are expected to begin; 0 where users come in another way.
    pub fn expected_sessions(&self) -> f64 {
        match self {
            Self::Sessions { stages, .. } => {
                let expected = |stage: &Stage| (stage.from.0 + stage.to.0) / 2.0 * stage.length.as_secs_f64();
                stages.iter().map(expected).sum()
            }
            Self::Weight(_) | Self::Users(_) => 0.0,
        }
    }
}

/// Joins the sessions of several groups: they begin at the sum of the rates. Returns `None` for groups with users or weights, and where
/// the ratio of the rates changes, because the number of a session tells its group.
pub fn sessions_together(groups: &[UserGroup]) -> Option<GroupArrivals> {
    let mut sum: Option<(Vec<Stage>, bool, usize)> = None;
    for group in groups {
        let GroupArrivals::Sessions { stages, poisson, most } = &group.arrivals else {
            return None;
        };
        let Some((whole, whole_poisson, whole_most)) = &mut sum else {
            sum = Some((stages.clone(), *poisson, *most));
            continue;
        };
        if whole_poisson != poisson || !have_one_ratio(whole, stages) {
            return None;
        }
        *whole_most = (*whole_most).max(*most);
        for (whole, stage) in whole.iter_mut().zip(stages) {
            whole.from = Rate(whole.from.0 + stage.from.0);
            whole.to = Rate(whole.to.0 + stage.to.0);
        }
    }
    sum.map(|(stages, poisson, most)| GroupArrivals::Sessions { stages, poisson, most })
}

/// Whether two courses of a rate change at the same times, and one rate is always the same multiple of the other.
fn have_one_ratio(one: &[Stage], other: &[Stage]) -> bool {
    /// Rates that differ by no more than this part of their sum are taken for equal.
    const ROUNDING: f64 = 1e-6;
    let rates = |stages: &[Stage]| -> Vec<f64> {
        stages.iter().flat_map(|stage| [stage.from.0, stage.to.0]).collect()
    };
    let lengths = |stages: &[Stage]| -> Vec<Nanos> { stages.iter().map(|stage| stage.length).collect() };
    let (ones, others) = (rates(one), rates(other));
    let (sum, other_sum) = (ones.iter().sum::<f64>(), others.iter().sum::<f64>());
    let mut pairs = ones.iter().zip(&others);
    lengths(one) == lengths(other)
        && sum > 0.0
        && other_sum > 0.0
        && pairs.all(|(rate, other)| (rate / sum - other / other_sum).abs() < ROUNDING)
}

/// Users who come and go together (a thread group of JMeter, or a row of an Ultimate Thread Group).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserWave {
    /// How many users.
    pub users: u64,
    /// The first one starts so long after the start of the load.
    pub delay: Nanos,
    /// User k of n starts `k * ramp / n` after the first one.
    pub ramp: Nanos,
    /// How long after `delay` the users begin no further request (the ramp is part of it, as in JMeter); `None` is until they
    /// have done their iterations or the load ends.
    pub duration: Option<Nanos>,
    /// After `duration`, user k of n stops `k * ramp_down / n` later.
    pub ramp_down: Nanos,
}

/// What becomes of cookies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cookies {
    /// `Set-Cookie` is not heeded.
    Ignored,
    /// A user keeps them for one iteration.
    #[default]
    PerIteration,
    /// A user keeps them as long as it exists.
    PerUser,
}

/// A cookie that a user has from the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cookie {
    /// The domain to whose servers it is sent; `None` sends it to all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    pub name: String,
    pub value: Template,
    /// The path below which it is sent.
    pub path: String,
}

/// What a user does when a request has failed: no answer, a wrong answer, or nothing to extract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnFailure {
    /// It goes on.
    #[default]
    Continue,
    /// It begins its next iteration.
    NextIteration,
    /// It begins the next pass of the innermost loop, or its next iteration where there is no loop.
    NextPass,
    /// It leaves the innermost loop.
    LeaveLoop,
    /// It stops.
    StopUser,
    /// The whole load ends.
    StopRun,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(rates: [f64; 3], poisson: bool) -> UserGroup {
        let stage =
            |from: f64, to: f64| Stage { from: Rate(from), to: Rate(to), length: Nanos::from_secs(10) };
        let stages = vec![stage(rates[0], rates[1]), stage(rates[2], rates[2])];
        let arrivals = GroupArrivals::Sessions { stages, poisson, most: 9 };
        UserGroup { arrivals, ..UserGroup::new("g", 1) }
    }

    #[test]
    fn sessions_of_one_ratio_begin_at_the_sum_of_their_rates() {
        let [many, few] = [sessions([0.0, 20.0, 10.0], true), sessions([0.0, 4.0, 2.0], true)];
        assert_eq!(many.arrivals.expected_sessions(), 200.0);
        assert_eq!(
            sessions_together(&[many.clone(), few.clone()]),
            Some(sessions([0.0, 24.0, 12.0], true).arrivals)
        );
        assert_eq!(sessions_together(std::slice::from_ref(&few)), Some(few.arrivals.clone()));
        for other in
            [sessions([0.0, 4.0, 4.0], true), sessions([0.0, 4.0, 2.0], false), UserGroup::new("u", 1)]
        {
            assert_eq!(sessions_together(&[many.clone(), other]), None);
        }
    }
}
