//! [`StepRecord`]: what was counted of a step in one slice of load, as it is stored.

use super::FirstFailure;
use model::units::Seconds;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was counted of a step or a transaction in one slice of load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// How often it ended.
    pub ended: u64,
    /// How often it ended rightly.
    pub ok: u64,
    /// What went wrong, by kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub faults: BTreeMap<String, u64>,
    /// The times of those that ended rightly: nanoseconds and how often, ascending.
    pub times: Vec<(u64, u64)>,
    /// The sum of these times.
    pub time_sum: Seconds,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_failure: Option<FirstFailure>,
}

impl StepRecord {
    /// Adds what another slice counted.
    pub fn add(&mut self, other: &Self) {
        self.ended += other.ended;
        self.ok += other.ok;
        self.time_sum += other.time_sum;
        for (kind, count) in &other.faults {
            *self.faults.entry(kind.clone()).or_default() += count;
        }
        let mut times: BTreeMap<u64, u64> = std::mem::take(&mut self.times).into_iter().collect();
        for &(time, count) in &other.times {
            *times.entry(time).or_default() += count;
        }
        self.times = times.into_iter().collect();
        if self.first_failure.is_none() {
            self.first_failure.clone_from(&other.first_failure);
        }
    }

    /// The time at a quantile; 0 where there is none.
    pub fn time_at(&self, quantile: f64) -> Seconds {
        let rank = ((quantile * self.ok as f64).ceil() as u64).max(1);
        let mut below = 0;
        let mut reached = self.times.iter().filter(|(_, count)| {
            below += count;
            below >= rank
        });
        reached.next().map_or(Seconds::ZERO, |&(time, _)| Seconds::from_nanos(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_add_up() {
        let record = |times: &[(u64, u64)]| StepRecord {
            ended: 5,
            ok: times.iter().map(|(_, count)| count).sum(),
            faults: [("reset".to_owned(), 1)].into(),
            times: times.to_vec(),
            time_sum: Seconds(1.0),
            first_failure: None,
        };
        let mut sum = record(&[(1_000_000, 2), (3_000_000, 2)]);
        sum.add(&record(&[(1_000_000, 1), (2_000_000, 3)]));
        assert_eq!((sum.ended, sum.ok, sum.faults["reset"]), (10, 8, 2));
        assert_eq!(sum.times, [(1_000_000, 3), (2_000_000, 3), (3_000_000, 2)]);
        assert_eq!([0.0, 0.5, 1.0].map(|quantile| sum.time_at(quantile).0), [0.001, 0.002, 0.003]);
    }
}
