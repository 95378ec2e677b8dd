//! Simulated histories: a night is a whole run of two arms on a noisy machine, of which one is the pinned anchor.

#[allow(dead_code, reason = "it also simulates the slices of single runs")]
#[path = "../noise_model/mod.rs"]
mod noise_model;

pub(crate) use noise_model::{CPU, MID, Scenario};
use noise_model::{Normals, Simulation};
use stats::changepoint::{Decided, Night, RECENT, newest};
use stats::robust::{mean, sd};

/// Fresh starts of both arms in a night.
const STARTS: usize = 12;
/// Standard deviation, from night to night, of what the starts of one night have in common.
const NIGHT_SD: f64 = 0.003;
/// Nights before a change, or before the first look.
pub(crate) const BEFORE: usize = 20;

/// Returns a history of `nights`; from night `from` on, the arm is slower by the log-ratio `effect`.
pub(crate) fn history(scenario: Scenario, nights: usize, from: usize, effect: f64, seed: u64) -> Vec<Night> {
    let mut common = Normals::new(seed ^ 0x6e69_6768_7473);
    let mut night = |number: usize| {
        let effect = if number >= from { effect } else { 0.0 };
        let starts = Simulation::new(scenario, effect, seed * 100_000 + number as u64).rounds(STARTS);
        Night {
            value: mean(&starts).expect("starts") + NIGHT_SD * common.next(),
            se: sd(&starts).expect("starts") / (STARTS as f64).sqrt(),
        }
    };
    (0..nights).map(&mut night).collect()
}

/// Whether the nightly job, which looks at `series` series, fails after the last of these nights.
pub(crate) fn fails(nights: &[Night], series: usize) -> bool {
    newest(nights, series, &Decided::default(), 1).is_some_and(|change| change.change < 0.0)
}

/// How often the job failed although nothing had changed.
#[derive(Clone, Copy, Default)]
pub(crate) struct FalseAlarms {
    /// Nights on which it failed.
    pub(crate) nights: usize,
    /// The number of failed nights whose night before had passed.
    pub(crate) alarms: usize,
}

/// Returns how often the job fails in one flat history that is looked at on each of `nights` nights, the first time
/// when it is `BEFORE` nights old.
pub(crate) fn false_alarms(scenario: Scenario, nights: usize, series: usize, seed: u64) -> FalseAlarms {
    let all = history(scenario, BEFORE + nights, usize::MAX, 0.0, seed);
    let mut found = FalseAlarms::default();
    let mut failed_before = false;
    for last in BEFORE + 1..=all.len() {
        let failed = fails(&all[last.saturating_sub(RECENT)..last], series);
        found.nights += usize::from(failed);
        found.alarms += usize::from(failed && !failed_before);
        failed_before = failed;
    }
    found
}

/// Returns after how many nights, at most `nights`, the job finds a change of `effect`; the first night of the change is 1.
pub(crate) fn delay(
    scenario: Scenario,
    effect: f64,
    nights: usize,
    series: usize,
    seed: u64,
) -> Option<usize> {
    let all = history(scenario, BEFORE + nights, BEFORE, effect, seed);
    (1..=nights).find(|night| fails(&all[..BEFORE + night], series))
}
