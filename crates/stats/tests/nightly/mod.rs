//! Simulated histories: a night is a whole run of two arms on a noisy machine, of which one is the pinned anchor.

#[allow(dead_code, reason = "it also simulates the slices of single runs")]
#[path = "../noise_model/mod.rs"]
mod noise_model;

use noise_model::{Normals, Simulation};
pub(crate) use noise_model::{CPU, MID, Scenario};
use stats::changepoint::{ALARM_NIGHTS, Night, RECENT, newest};
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
    newest(nights, series, 1).is_some_and(|change| change.change < 0.0)
}

/// Returns the nights on which the job fails although nothing has changed, of one flat history that is looked at
/// from night `BEFORE` on.
pub(crate) fn false_alarms(scenario: Scenario, nights: usize, series: usize, seed: u64) -> usize {
    let all = history(scenario, BEFORE + nights, usize::MAX, 0.0, seed);
    let looks = (BEFORE..all.len()).filter(|&last| fails(&all[(last + 1).saturating_sub(RECENT)..=last], series));
    looks.count()
}

/// Returns after how many nights the job finds a change of `effect`, counted from 1; `None` when it does not
/// before a change is too old.
pub(crate) fn delay(scenario: Scenario, effect: f64, series: usize, seed: u64) -> Option<usize> {
    let all = history(scenario, BEFORE + ALARM_NIGHTS, BEFORE, effect, seed);
    (1..=ALARM_NIGHTS).find(|nights| fails(&all[..BEFORE + nights], series))
}
