//! [`FaultRows`]: the wrong answers of a run by what was wrong with them, for the live page.

use super::news::PageMessage;
use record::rounds::SliceRecord;
use serde::Serialize;
use std::collections::BTreeMap;

/// What went wrong so far, the most frequent first.
#[derive(Default, Serialize)]
#[serde(transparent)]
pub(super) struct FaultRows {
    rows: Vec<FaultRow>,
    /// By arm and kind.
    #[serde(skip)]
    counts: BTreeMap<(usize, String), u64>,
    /// The requests of each arm that ended.
    #[serde(skip)]
    requests: BTreeMap<usize, u64>,
}

/// The faults of one kind of an arm.
#[derive(Debug, PartialEq, Serialize)]
struct FaultRow {
    /// Index of the arm.
    arm: usize,
    kind: PageMessage,
    count: u64,
    /// The share of the arm's requests, 0 to 1.
    share: f64,
    /// How many of them the newest slice of the arm had.
    newest: u64,
}

impl FaultRows {
    /// Adds a slice.
    pub(super) fn add(&mut self, slice: &SliceRecord) {
        let faults = &slice.counts.faults;
        *self.requests.entry(slice.arm).or_default() += slice.counts.requests;
        for (kind, count) in faults {
            *self.counts.entry((slice.arm, kind.clone())).or_default() += count;
        }
        let before: BTreeMap<(usize, &str), u64> =
            self.rows.iter().map(|row| ((row.arm, row.kind.en()), row.newest)).collect();
        let row = |((arm, kind), count): (&(usize, String), &u64)| FaultRow {
            arm: *arm,
            kind: PageMessage::fault(kind),
            count: *count,
            share: *count as f64 / self.requests[arm].max(1) as f64,
            newest: match *arm == slice.arm {
                true => faults.get(kind).copied().unwrap_or(0),
                false => before.get(&(*arm, kind.as_str())).copied().unwrap_or(0),
            },
        };
        let mut rows: Vec<FaultRow> = self.counts.iter().map(row).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.count));
        self.rows = rows;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(arm: usize, faults: &[(&str, u64)]) -> SliceRecord {
        let mut slice = SliceRecord { arm, ..SliceRecord::default() };
        slice.counts.requests = 100;
        slice.counts.faults = faults.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect();
        slice
    }

    #[test]
    fn faults_add_up_by_arm_and_kind_with_those_of_the_newest_slice() {
        let mut rows = FaultRows::default();
        rows.add(&slice(0, &[]));
        assert!(rows.rows.is_empty());
        rows.add(&slice(0, &[("wrong_status", 5), ("reset", 1)]));
        rows.add(&slice(1, &[("reset", 2)]));
        rows.add(&slice(0, &[("wrong_status", 10)]));
        let seen: Vec<_> =
            rows.rows.iter().map(|row| (row.arm, row.kind.en(), row.count, row.newest, row.share)).collect();
        let expected =
            [(0, "wrong_status", 15, 10, 0.05), (1, "reset", 2, 2, 0.02), (0, "reset", 1, 0, 1.0 / 300.0)];
        assert_eq!(seen, expected);
    }
}
