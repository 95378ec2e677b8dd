//! [`HistogramCells`]: the cells of a [`Histogram`] without its totals and extremes.
//!
//! Recording is done several times for every request. Here it costs an index and an addition, in half the memory of the
//! library's histogram, which also updates its totals and extremes.

use crate::slice::{Histogram, SparseHistogram};

/// Number of cells between one power of two and the next, from 2048 ns on. The values below are counted in twice as many
/// cells of 1 ns. Together they give three significant digits, exactly as in the library.
const HALF: usize = 1024;
/// Number of times that 2048 ns have to be doubled to exceed one hour.
const DOUBLINGS: usize = 31;
/// One hour in nanoseconds; longer times are counted as one hour.
const LARGEST: u64 = 3_600_000_000_000;

/// Counts of times in nanoseconds, in the same cells as the histograms of [`new_histogram`](crate::new_histogram).
#[derive(Debug)]
pub struct HistogramCells {
    counts: Box<[u32]>,
    /// True while all counts are 0; saves looking at them.
    empty: bool,
}

impl Default for HistogramCells {
    fn default() -> Self {
        Self { counts: vec![0; HALF * (DOUBLINGS + 2)].into_boxed_slice(), empty: true }
    }
}

impl HistogramCells {
    /// Counts a time in nanoseconds; more than an hour counts as an hour.
    pub fn record(&mut self, value: u64) {
        let cell = &mut self.counts[cell_index(value.min(LARGEST))];
        *cell = cell.saturating_add(1);
        self.empty = false;
    }

    /// The cells with a count above 0.
    pub(crate) fn to_sparse(&self) -> SparseHistogram {
        self.recorded().collect()
    }

    /// Adds the counts of another one.
    pub(crate) fn add(&mut self, other: &Self) {
        if other.empty {
            return;
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine = mine.saturating_add(*theirs);
        }
        self.empty = false;
    }

    /// Moves all counts into a histogram and returns their sum.
    pub(crate) fn drain_into(&mut self, into: &mut Histogram) -> u64 {
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

    /// Sets all counts to 0.
    pub(crate) fn clear(&mut self) {
        if !self.empty {
            self.counts.fill(0);
            self.empty = true;
        }
    }

    /// The highest value and the count of each cell with a count above 0, in rising order.
    fn recorded(&self) -> impl Iterator<Item = (u64, u64)> {
        let cells = if self.empty { &[] } else { &self.counts[..] };
        let counts = cells.iter().enumerate().filter(|(_, count)| **count > 0);
        counts.map(|(index, &count)| (lowest_value(index + 1) - 1, u64::from(count)))
    }
}

/// The index of the cell of a value. From 2048 on it is made of the value's eleven leading binary digits and of the
/// number of digits that are dropped behind them.
fn cell_index(value: u64) -> usize {
    let dropped = (u64::BITS - (value | 2047).leading_zeros()) as usize - 11;
    dropped * HALF + (value >> dropped) as usize
}

/// The lowest value that belongs to a cell.
fn lowest_value(index: usize) -> u64 {
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
        fn cells_are_those_of_the_library(values in proptest::collection::vec((0_u64..=60, 0.0..1.0_f64), 1..200)) {
            let mut cells = HistogramCells::default();
            let (mut drained, mut histogram) = (new_histogram(), new_histogram());
            for (power, within) in values {
                let value = ((1_u64 << power) as f64 * (1.0 + within)) as u64;
                cells.record(value);
                histogram.saturating_record(value.min(LARGEST));
            }
            let sparse = cells.to_sparse();
            prop_assert_eq!(&sparse.to_histogram(), &histogram);
            prop_assert_eq!(sparse.value_at_quantile(0.99), histogram.value_at_quantile(0.99));
            prop_assert_eq!(sparse.max(), histogram.max());
            let mut twice = HistogramCells::default();
            twice.add(&cells);
            twice.add(&cells);
            prop_assert_eq!(cells.drain_into(&mut drained), histogram.len());
            prop_assert_eq!(&drained, &histogram);
            prop_assert_eq!(cells.drain_into(&mut drained), 0);
            prop_assert_eq!(twice.drain_into(&mut drained), 2 * histogram.len());
        }
    }

    #[test]
    fn the_smallest_and_the_largest_values_have_cells() {
        let mut cells = HistogramCells::default();
        for value in [0, 1, 2047, 2048, 2049, LARGEST, u64::MAX] {
            assert!(lowest_value(cell_index(value.min(LARGEST))) <= value);
            cells.record(value);
        }
        assert!(cell_index(LARGEST) < cells.counts.len());
    }
}
