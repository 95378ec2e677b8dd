//! [`Cells`]: the cells of a [`Histogram`] for one second, and nothing else. Recording is the one thing done for every
//! request: here it is an index and an addition in half the memory, where the library also keeps totals and extremes.

use crate::slice::{Histogram, SparseHistogram};

/// Cells of a power of two; the first one has as many again below it. Three digits need 2048, as in the library.
const HALF: usize = 1024;
/// Powers of two that it takes to reach an hour in nanoseconds.
const DOUBLINGS: usize = 31;
/// One hour: what takes longer is counted there.
const LARGEST: u64 = 3_600_000_000_000;

/// Counts of times in nanoseconds, in the cells that [`new_histogram`](crate::new_histogram) has.
#[derive(Debug)]
pub struct Cells {
    counts: Box<[u32]>,
    empty: bool,
}

impl Default for Cells {
    fn default() -> Self {
        Self {
            counts: vec![0; HALF * (DOUBLINGS + 2)].into_boxed_slice(),
            empty: true,
        }
    }
}

impl Cells {
    /// Counts a time in nanoseconds, at most an hour.
    pub fn record(&mut self, value: u64) {
        let cell = &mut self.counts[index(value.min(LARGEST))];
        *cell = cell.saturating_add(1);
        self.empty = false;
    }

    /// The cells that hold something.
    pub(crate) fn sparse(&self) -> SparseHistogram {
        self.recorded().collect()
    }

    /// Adds what another one holds.
    pub(crate) fn add(&mut self, other: &Self) {
        if other.empty {
            return;
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine = mine.saturating_add(*theirs);
        }
        self.empty = false;
    }

    /// Moves everything to a histogram; returns how many values there were.
    pub(crate) fn pour(&mut self, into: &mut Histogram) -> u64 {
        if self.empty {
            return 0;
        }
        let mut total = 0;
        for (value, count) in self.recorded() {
            total += count;
            into.saturating_record_n(value, count);
        }
        self.counts.fill(0);
        self.empty = true;
        total
    }

    /// Highest value and count of each cell that holds something.
    fn recorded(&self) -> impl Iterator<Item = (u64, u64)> {
        let cells = if self.empty { &[] } else { &self.counts[..] };
        let counts = cells.iter().enumerate().filter(|(_, count)| **count > 0);
        counts.map(|(index, &count)| (lowest(index + 1) - 1, u64::from(count)))
    }
}

/// The cell of a value: above 2048 ns, the eleven leading binary digits and how many others follow.
fn index(value: u64) -> usize {
    let dropped = (u64::BITS - (value | 2047).leading_zeros()) as usize - 11;
    dropped * HALF + (value >> dropped) as usize
}

/// The lowest value of a cell.
fn lowest(index: usize) -> u64 {
    let dropped = (index / HALF).saturating_sub(1);
    ((index - dropped * HALF) as u64) << dropped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::new_histogram;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_those_of_the_library(values in proptest::collection::vec((0_u64..=60, 0.0..1.0_f64), 1..200)) {
            let (mut cells, mut poured, mut histogram) = (Cells::default(), new_histogram(), new_histogram());
            for (power, within) in values {
                let value = ((1_u64 << power) as f64 * (1.0 + within)) as u64;
                cells.record(value);
                histogram.saturating_record(value.min(LARGEST));
            }
            let sparse = cells.sparse();
            prop_assert_eq!(&sparse.to_histogram(), &histogram);
            prop_assert_eq!(sparse.value_at_quantile(0.99), histogram.value_at_quantile(0.99));
            prop_assert_eq!(sparse.max(), histogram.max());
            let mut twice = Cells::default();
            twice.add(&cells);
            twice.add(&cells);
            prop_assert_eq!(cells.pour(&mut poured), histogram.len());
            prop_assert_eq!(&poured, &histogram);
            prop_assert_eq!(cells.pour(&mut poured), 0);
            prop_assert_eq!(twice.pour(&mut poured), 2 * histogram.len());
        }
    }

    #[test]
    fn the_ends_have_cells() {
        let mut cells = Cells::default();
        for value in [0, 1, 2047, 2048, 2049, LARGEST, u64::MAX] {
            assert!(lowest(index(value.min(LARGEST))) <= value);
            cells.record(value);
        }
        assert!(index(LARGEST) < cells.counts.len());
    }
}
