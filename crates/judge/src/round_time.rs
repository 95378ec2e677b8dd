//! How long a round takes: measured from the last rounds, or guessed before the first.

use crate::find::mode;
use ask::experiment::{Design, Experiment, Pacing};
use model::units::Seconds;
use record::round_times::RoundTimes;
use record::rounds::RoundRecord;
use stats::robust::mean;

/// Guess of how long an arm that prony starts takes to start and to stop.
const START_AND_STOP: Seconds = Seconds(1.5);

/// Guess of how much longer a warm-up is than its load has to be: the pauses in which compilers catch up, and
/// slices until they are done.
const CATCHING_UP: Seconds = Seconds(5.0);

/// Guess of the time between two slices: the last answers, readings and the store.
const BETWEEN_SLICES: Seconds = Seconds(0.01);

/// Guesses of the times in which the users of an arm connect, at each level but the first, and in which its pace is looked at.
const CONNECTING: Seconds = Seconds(0.5);
const LOOKING: Seconds = Seconds(1.0);

/// Pairs of slices in a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// At each level of the closed loop, where the service is quick.
    pub closed: u32,
    /// At the fixed rate; in a mixed stage with the arms in turn.
    pub open: u32,
    /// Windows of all arms at once, in a mixed stage.
    pub windows: u32,
}

impl Pairs {
    /// The numbers that the design asks for.
    pub(crate) fn of(design: &Design) -> Self {
        Self { closed: design.pairs, open: design.latency_pairs, windows: design.windows_at_once() }
    }

    /// How long all slices of these pairs take.
    pub fn time(self, experiment: &Experiment) -> Seconds {
        let each = PairTimes::of(experiment);
        let at_rate = f64::from(self.open) * each.open + f64::from(self.windows) * each.window;
        let is_asked = self.open > 0;
        f64::from(self.closed) * each.closed + if is_asked { at_rate } else { Seconds::ZERO }
    }
}

/// How long one pair takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairTimes {
    /// In the closed loop: a row of slices ([`slice_row`]) at each level.
    pub(crate) closed: Seconds,
    /// At the fixed rate: one slice of each arm, or one of all arms.
    pub(crate) open: Seconds,
    /// A window of all arms at once, in a mixed stage. Other stages have none, and it is 0 there.
    pub(crate) window: Seconds,
}

impl PairTimes {
    /// Those of an experiment.
    pub(crate) fn of(experiment: &Experiment) -> Self {
        let design = &experiment.design;
        let arms = experiment.arms.len();
        let closed = slice_row(arms, design.baseline).len() * experiment.load.connections.len();
        let slice = Seconds::from(design.quick_latency_slice()) + BETWEEN_SLICES;
        Self {
            closed: closed as f64 * (Seconds::from(design.quick_slice()) + BETWEEN_SLICES),
            open: match design.pacing {
                Pacing::Together => slice,
                Pacing::InTurn | Pacing::Mixed => arms as f64 * slice,
            },
            window: match design.pacing {
                Pacing::Mixed => arms as f64 * slice,
                Pacing::InTurn | Pacing::Together => Seconds::ZERO,
            },
        }
    }
}

/// Pairs of slices at a point of the curve over rates.
pub const CURVE_PAIRS: u32 = 4;

/// How long a point of the curve over rates takes.
pub(crate) fn curve_time(experiment: &Experiment) -> Seconds {
    f64::from(CURVE_PAIRS) * PairTimes::of(experiment).open
}

/// The arms of a row of slices: each arm once, but the baseline about sqrt(J) times where J others are compared with it,
/// because it takes part in every comparison (Dunnett, *A Multiple Comparison Procedure for Comparing Several Treatments with
/// a Control*, JASA 1955).
pub fn slice_row(arms: usize, baseline: usize) -> Vec<usize> {
    let others = arms.saturating_sub(1) as f64;
    let more = (others.sqrt().round() as usize).saturating_sub(1);
    (0..arms).chain(std::iter::repeat_n(baseline, more)).collect()
}

/// How long the next round will take, judged by these; before the first round an expectation, not a maximum.
pub fn round_time(experiment: &Experiment, rounds: &[RoundRecord]) -> Seconds {
    let rounds: Vec<Seconds> = rounds.iter().map(|round| round.elapsed).collect();
    recent_time(&rounds).unwrap_or_else(|| guess_time(&mode(experiment).expected_experiment(experiment)))
}

/// Mean duration of the last three rounds; `None` before the first round. The first round, which also finds out how
/// slow a service is and reads settings, is used only while it is the only one.
pub fn recent_time(rounds: &[Seconds]) -> Option<Seconds> {
    let least = usize::from(rounds.len() > 1);
    let last = &rounds[rounds.len().saturating_sub(3).max(least)..];
    (!last.is_empty()).then(|| last.iter().copied().sum::<Seconds>() / last.len() as f64)
}

/// Where the time of a round went, as means over these; `None` where no round noted it.
pub(crate) fn seconds_per_start(rounds: &[RoundRecord]) -> Option<RoundTimes> {
    mean_times(rounds.iter().filter_map(|round| round.times))
}

/// The means of the parts; `None` of nothing.
pub(crate) fn mean_times(noted: impl Iterator<Item = RoundTimes>) -> Option<RoundTimes> {
    let noted: Vec<RoundTimes> = noted.collect();
    let mean_of = |part: fn(&RoundTimes) -> Seconds| {
        mean(&noted.iter().map(|times| part(times).0).collect::<Vec<_>>()).map(Seconds)
    };
    Some(RoundTimes {
        startup_cycles: mean_of(|times| times.startup_cycles)?,
        starting: mean_of(|times| times.starting)?,
        warm_up: mean_of(|times| times.warm_up)?,
        closed_loop: mean_of(|times| times.closed_loop)?,
        fixed_rate: mean_of(|times| times.fixed_rate)?,
        rest: mean_of(|times| times.rest)?,
        stopping: mean_of(|times| times.stopping)?,
    })
}

/// How long it takes to start all arms at once, to warm them up in the closed loop, and to stop them, without anything in between:
/// the mean of these rounds, only of rounds that started their arms at once if there are any, or a guess before the first one.
pub(crate) fn warm_start_time(experiment: &Experiment, rounds: &[RoundRecord]) -> Seconds {
    let at_once = rounds.iter().filter(|round| round.started_at_once);
    match mean_times(at_once.filter_map(|round| round.times)).or_else(|| seconds_per_start(rounds)) {
        Some(times) => times.starting + times.warm_up + times.stopping,
        None => starting_time(experiment) + warm_up_time(&experiment.design),
    }
}

/// Guess of how long the arms take to start and to stop, one after the other. Those that run already take no time.
fn starting_time(experiment: &Experiment) -> Seconds {
    let started = experiment.arms.iter().filter(|arm| arm.origin.is_none());
    started.count() as f64 * START_AND_STOP
}

/// Guess of how long a warm-up in the closed loop takes; in sessions all but the first, which finds the servers cold.
fn warm_up_time(design: &Design) -> Seconds {
    let [least, most] = [design.warmup, design.warmup_cap].map(Seconds::from);
    let more = if design.in_sessions { Seconds::ZERO } else { CATCHING_UP };
    (least + more).min(most.max(least))
}

/// How long a round takes beside its slices, guessed before the first round: all arms start, warm up and stop.
pub fn start_time(experiment: &Experiment) -> Seconds {
    let starts = f64::from(1 + experiment.design.startup_cycles);
    starts * starting_time(experiment) + warm_up_time(&experiment.design)
}

/// How long a round with all its levels should take on a quiet machine, guessed before the first round.
pub fn guess_time(experiment: &Experiment) -> Seconds {
    let design = &experiment.design;
    let arms = experiment.arms.len() as f64;
    let entries = (experiment.load.connections.len() - 1) as f64 * (arms * CONNECTING + LOOKING);
    let slices = Pairs::of(design).time(experiment);
    let curve = match design.curve {
        Some(true) => curve_time(experiment),
        _ => Seconds::ZERO,
    };
    slices + curve + entries + mode(experiment).search_time(experiment) + start_time(experiment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::experiment;

    #[test]
    fn only_arms_that_prony_starts_take_time_to_start_and_to_become_warm() {
        let beside = |running: usize| {
            let mut asked = experiment();
            for arm in &mut asked.arms[..running] {
                arm.origin = "http://127.0.0.1:8080".to_owned().try_into().ok();
            }
            asked.design = asked.design.adapted_to(&asked.arms);
            start_time(&asked)
        };
        let least = Seconds::from(experiment().design.warmup);
        let all = [0, 1, 2].map(beside);
        assert_eq!(all[2], least);
        assert_eq!([all[1] - all[2], all[0] - all[1]], [CATCHING_UP + START_AND_STOP, START_AND_STOP]);
    }

    #[test]
    fn the_baseline_has_about_the_root_as_many_slices() {
        let slices = |others: usize| slice_row(others + 1, 0).iter().filter(|arm| **arm == 0).count();
        assert_eq!([1, 2, 3, 4, 6, 7, 9].map(slices), [1, 1, 2, 2, 2, 3, 3]);
        assert_eq!(slice_row(4, 2), [0, 1, 2, 3, 2]);
    }
}
