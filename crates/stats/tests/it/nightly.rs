//! Simulated histories: a night is a whole run of an arm and the pinned anchor on a noisy machine.

pub(crate) use crate::noise_model::{CPU, MID, Scenario};
use crate::noise_model::{Normals, Simulation};
use stats::changepoint::{Decided, Night, newest};
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

/// Returns a history whose nights have five to seven starts, as many as fit into a few minutes, which spread by 4.2 %, as
/// throughput does in the stored runs of two Tomcats. From night `from` on, the arm is slower by the log-ratio `effect`.
fn short_nights(nights: usize, from: usize, effect: f64, seed: u64) -> Vec<Night> {
    const START_SD: f64 = 0.042;
    let mut normals = Normals::new(seed ^ 0x73_686f_7274);
    let mut night = |number: usize| {
        let effect = if number >= from { effect } else { 0.0 };
        let count = 5 + (seed as usize + number) % 3;
        let common = NIGHT_SD * normals.next() - effect;
        let starts: Vec<f64> = (0..count).map(|_| common + START_SD * normals.next()).collect();
        Night {
            value: mean(&starts).expect("starts"),
            se: sd(&starts).expect("starts") / (count as f64).sqrt(),
        }
    };
    (0..nights).map(&mut night).collect()
}

/// Whether the job fails on one of the first three short nights of a change of `effect` (log-ratio), as it should not where that is 0.
pub(crate) fn fails_in_short_nights(effect: f64, seed: u64) -> bool {
    let all = short_nights(BEFORE + 3, BEFORE, effect, seed);
    (1..=3).any(|night| fails(&all[..BEFORE + night], 1))
}

/// What somebody does about each alarm on its first night.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// Nothing: the job fails until the new level is the usual one.
    Waits,
    /// Takes the new level for the usual one.
    Accepts,
    /// Says that there is no change.
    Dismisses,
}

/// The night with which the worsening begins that makes the nightly job fail after the last of these nights; the job looks at `series` series.
fn worsening(nights: &[Night], series: usize, decided: &Decided) -> Option<usize> {
    let change = newest(nights, series, decided, 1)?;
    (change.change < 0.0).then_some(change.night)
}

/// Whether the nightly job, which looks at `series` series, fails after the last of these nights.
pub(crate) fn fails(nights: &[Night], series: usize) -> bool {
    worsening(nights, series, &Decided::default()).is_some()
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
    alarms(scenario, 0.0, Reader::Waits, nights, series, seed)
}

/// Returns how often the job fails in one history that is `effect` (log-ratio) slower from night `BEFORE` on. It is looked at on each night from then
/// on, by somebody who decides about each alarm.
pub(crate) fn alarms(
    scenario: Scenario,
    effect: f64,
    reader: Reader,
    nights: usize,
    series: usize,
    seed: u64,
) -> FalseAlarms {
    let all = history(scenario, BEFORE + nights, BEFORE, effect, seed);
    let mut found = FalseAlarms::default();
    let mut decided = Decided::default();
    let mut failed_before = false;
    for last in BEFORE + 1..=all.len() {
        let worse = worsening(&all[..last], series, &decided);
        found.nights += usize::from(worse.is_some());
        found.alarms += usize::from(worse.is_some() && !failed_before);
        match reader {
            Reader::Waits => {}
            Reader::Accepts => decided.accepted.extend(worse),
            Reader::Dismisses => decided.dismissed.extend(worse),
        }
        failed_before = worse.is_some();
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
