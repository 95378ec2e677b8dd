//! How long a round takes: measured from the last rounds, or guessed before the first.

use crate::find::mode;
use ask::experiment::{Design, Experiment, Pacing};
use model::units::Nanos;
use record::round_times::RoundTimes;
use record::rounds::RoundRecord;
use stats::robust::mean;

/// Guess of the seconds that an arm takes to start and to stop.
const START_AND_STOP: f64 = 1.5;

/// Guess of the seconds by which a warm-up is longer than its load has to be: the pauses in which compilers catch up, and
/// slices until they are done.
const CATCHING_UP: f64 = 5.0;

/// Guess of the seconds between two slices: the last answers, readings and the store.
const BETWEEN_SLICES: f64 = 0.01;

/// Guesses of the seconds in which the users of an arm connect, at each level but the first, and in which its pace is looked at.
const CONNECTING: f64 = 0.5;
const LOOKING: f64 = 1.0;

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

    /// Seconds that all slices of these pairs take.
    pub fn seconds(self, experiment: &Experiment) -> f64 {
        let each = PairSeconds::of(experiment);
        let at_rate = f64::from(self.open) * each.open + f64::from(self.windows) * each.window;
        let is_asked = self.open > 0;
        f64::from(self.closed) * each.closed + if is_asked { at_rate } else { 0.0 }
    }
}

/// Seconds that one pair takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairSeconds {
    /// In the closed loop: a row of slices ([`slice_row`]) at each level.
    pub(crate) closed: f64,
    /// At the fixed rate: one slice of each arm, or one of all arms.
    pub(crate) open: f64,
    /// A window of all arms at once, in a mixed stage. Other stages have none, and it is 0 there.
    pub(crate) window: f64,
}

impl PairSeconds {
    /// Those of an experiment.
    pub(crate) fn of(experiment: &Experiment) -> Self {
        let design = &experiment.design;
        let arms = experiment.arms.len();
        let closed = slice_row(arms, design.baseline).len() * experiment.load.connections.len();
        let slice = design.quick_latency_slice().as_secs_f64() + BETWEEN_SLICES;
        Self {
            closed: closed as f64 * (design.quick_slice().as_secs_f64() + BETWEEN_SLICES),
            open: match design.pacing {
                Pacing::Together => slice,
                Pacing::InTurn | Pacing::Mixed => arms as f64 * slice,
            },
            window: match design.pacing {
                Pacing::Mixed => arms as f64 * slice,
                Pacing::InTurn | Pacing::Together => 0.0,
            },
        }
    }
}

/// Pairs of slices at a point of the curve over rates.
pub const CURVE_PAIRS: u32 = 4;

/// Seconds that a point of the curve over rates takes.
pub(crate) fn curve_seconds(experiment: &Experiment) -> f64 {
    f64::from(CURVE_PAIRS) * PairSeconds::of(experiment).open
}

/// The arms of a row of slices: each arm once, but the baseline about sqrt(J) times where J others are compared with it,
/// because it takes part in every comparison (Dunnett, *A Multiple Comparison Procedure for Comparing Several Treatments with
/// a Control*, JASA 1955).
pub fn slice_row(arms: usize, baseline: usize) -> Vec<usize> {
    let others = arms.saturating_sub(1) as f64;
    let more = (others.sqrt().round() as usize).saturating_sub(1);
    (0..arms).chain(std::iter::repeat_n(baseline, more)).collect()
}

/// Seconds that the next round will take, judged by these; before the first round an expectation, not a maximum.
pub fn round_seconds(experiment: &Experiment, rounds: &[RoundRecord]) -> f64 {
    let rounds: Vec<f64> = rounds.iter().map(|round| round.elapsed).collect();
    recent_seconds(&rounds)
        .unwrap_or_else(|| guess_seconds(&mode(experiment).expected_experiment(experiment)))
}

/// Mean duration of the last three rounds, in seconds; `None` before the first round. The first round, which also finds out how
/// slow a service is and reads settings, is used only while it is the only one.
pub fn recent_seconds(rounds: &[f64]) -> Option<f64> {
    let least = usize::from(rounds.len() > 1);
    let last = &rounds[rounds.len().saturating_sub(3).max(least)..];
    (!last.is_empty()).then(|| last.iter().sum::<f64>() / last.len() as f64)
}

/// Where the seconds of a round went, as means over these; `None` where no round noted it.
pub(crate) fn seconds_per_start(rounds: &[RoundRecord]) -> Option<RoundTimes> {
    mean_times(rounds.iter().filter_map(|round| round.times))
}

/// The means of the parts; `None` of nothing.
pub(crate) fn mean_times(noted: impl Iterator<Item = RoundTimes>) -> Option<RoundTimes> {
    let noted: Vec<RoundTimes> = noted.collect();
    let mean_of = |part: fn(&RoundTimes) -> f64| mean(&noted.iter().map(part).collect::<Vec<_>>());
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

/// Seconds that it takes to start all arms at once, to warm them up in the closed loop, and to stop them, without anything in between:
/// the mean of these rounds, only of rounds that started their arms at once if there are any, or a guess before the first one.
pub(crate) fn warm_start_seconds(experiment: &Experiment, rounds: &[RoundRecord]) -> f64 {
    let at_once = rounds.iter().filter(|round| round.started_at_once);
    match mean_times(at_once.filter_map(|round| round.times)).or_else(|| seconds_per_start(rounds)) {
        Some(times) => times.starting + times.warm_up + times.stopping,
        None => experiment.arms.len() as f64 * START_AND_STOP + warm_up_seconds(&experiment.design),
    }
}

/// Guess of the seconds that a warm-up in the closed loop takes.
fn warm_up_seconds(design: &Design) -> f64 {
    let [least, most] = [design.warmup, design.warmup_cap].map(Nanos::as_secs_f64);
    (least + CATCHING_UP).min(most.max(least))
}

/// Seconds that a round with all its levels should take on a quiet machine, guessed before the first round.
pub fn guess_seconds(experiment: &Experiment) -> f64 {
    let design = &experiment.design;
    let warmup = warm_up_seconds(design);
    let arms = experiment.arms.len() as f64;
    let entries = (experiment.load.connections.len() - 1) as f64 * (arms * CONNECTING + LOOKING);
    let slices = Pairs::of(design).seconds(experiment);
    let curve = match design.curve {
        Some(true) => curve_seconds(experiment),
        _ => 0.0,
    };
    let starts = f64::from(1 + design.startup_cycles) * arms * START_AND_STOP;
    slices + curve + entries + mode(experiment).search_seconds(experiment) + starts + warmup
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_baseline_has_about_the_root_as_many_slices() {
        let slices = |others: usize| slice_row(others + 1, 0).iter().filter(|arm| **arm == 0).count();
        assert_eq!([1, 2, 3, 4, 6, 7, 9].map(slices), [1, 1, 2, 2, 2, 3, 3]);
        assert_eq!(slice_row(4, 2), [0, 1, 2, 3, 2]);
    }
}
