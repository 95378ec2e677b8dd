//! [`SparseHistogram`]: how often each time occurred, as records hold it. The program computes with it or with the full [`Histogram`]; its
//! stored form is made and read in one place, [`SparseHistogram::to_bytes`] and [`SparseHistogram::from_bytes`].

use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};

/// A histogram of times from 1 ns to 1 h, in nanoseconds with three significant digits.
pub type Histogram = hdrhistogram::Histogram<u64>;

/// An empty [`Histogram`]. Its lower bound is 1 ns because with a bound of 1 us the cells at 10 us would be 5 % wide.
pub fn new_histogram() -> Histogram {
    Histogram::new_with_bounds(1, 3_600_000_000_000, 3).expect("constant bounds are valid")
}

/// The cells of a [`Histogram`] with a count above 0. It takes a few kilobytes, where the histogram takes 270.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SparseHistogram(Vec<(u64, u64)>);

impl SparseHistogram {
    /// `(value, count)` of every cell: the highest value of the cell in nanoseconds, ascending, and a count above 0.
    pub fn cells(&self) -> &[(u64, u64)] {
        &self.0
    }

    /// How many times it has.
    pub fn len(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// Whether it has no time.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the counts to a histogram made by [`new_histogram`], which has the same cells.
    pub fn add_to(&self, histogram: &mut Histogram) {
        for &(value, count) in &self.0 {
            histogram.saturating_record_n(value, count);
        }
    }

    /// Adds the counts of another histogram.
    pub fn add(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
        self.0.sort_unstable();
        self.0.dedup_by(|next, kept| {
            let alike = next.0 == kept.0;
            kept.1 += if alike { next.1 } else { 0 };
            alike
        });
    }

    /// The value at a quantile (a fraction), nanoseconds, as the full histogram gives it; 0 when it is empty.
    pub fn value_at_quantile(&self, quantile: f64) -> u64 {
        let rank = ((quantile * self.len() as f64).ceil() as u64).max(1);
        let mut below = 0;
        let mut reached = self.0.iter().filter(|(_, count)| {
            below += count;
            below >= rank
        });
        reached.next().map_or(0, |&(value, _)| value)
    }

    /// The highest value of the last cell, nanoseconds; 0 when the histogram is empty.
    pub fn max(&self) -> u64 {
        self.0.last().map_or(0, |&(value, _)| value)
    }

    /// The full histogram.
    pub fn to_histogram(&self) -> Histogram {
        let mut histogram = new_histogram();
        self.add_to(&mut histogram);
        histogram
    }

    /// The form in which it is stored: HdrHistogram V2, deflated.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Writing to memory cannot fail, and our bounds are within the format's.
        if V2DeflateSerializer::new().serialize(&self.to_histogram(), &mut bytes).is_err() {
            bytes.clear();
        }
        bytes
    }

    /// The histogram that these bytes hold; `None` where they hold none.
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let read: Histogram = Deserializer::new().deserialize(&mut bytes).ok()?;
        Some(Self::from(&read))
    }
}

impl From<&Histogram> for SparseHistogram {
    fn from(histogram: &Histogram) -> Self {
        let cells = histogram.iter_recorded();
        cells.map(|cell| (cell.value_iterated_to(), cell.count_since_last_iteration())).collect()
    }
}

impl FromIterator<(u64, u64)> for SparseHistogram {
    /// Takes `(value, count)` of each cell, in ascending order of values.
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(cells: I) -> Self {
        Self(cells.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Histogram {
        let mut histogram = new_histogram();
        for value in [0, 1, 999, 2_000_000, 2_000_000, 3_600_000_000_000] {
            histogram.saturating_record(value);
        }
        histogram
    }

    #[test]
    fn a_sparse_histogram_turns_into_the_full_one_without_loss() {
        assert_eq!(SparseHistogram::from(&full()).to_histogram(), full());
    }

    #[test]
    fn what_is_stored_are_the_bytes_of_the_full_histogram() {
        let mut expected = Vec::new();
        V2DeflateSerializer::new().serialize(&full(), &mut expected).expect("memory");
        let sparse = SparseHistogram::from(&full());
        assert_eq!(sparse.to_bytes(), expected);
        assert_eq!(SparseHistogram::from_bytes(&expected), Some(sparse));
        let empty = SparseHistogram::default();
        assert_eq!(SparseHistogram::from_bytes(&empty.to_bytes()), Some(empty));
        assert_eq!(SparseHistogram::from_bytes(&expected[..expected.len() / 2]), None);
        assert_eq!(SparseHistogram::from_bytes(&[]), None);
    }

    #[test]
    fn counts_of_sparse_histograms_are_added() {
        let sparse = |cells: [(u64, u64); 2]| SparseHistogram::from_iter(cells);
        let mut sum = sparse([(5, 1), (7, 2)]);
        sum.add(&sparse([(3, 4), (7, 1)]));
        assert_eq!(sum.cells(), [(3, 4), (5, 1), (7, 3)]);
        assert_eq!((sum.value_at_quantile(0.5), sum.max(), sum.len()), (3, 7, 8));
    }

    #[test]
    fn cells_are_at_most_a_tenth_of_a_percent_wide() {
        let histogram = new_histogram();
        for value in [1_000, 10_000, 50_000, 2_000_000, 1_000_000_000] {
            let width = histogram.highest_equivalent(value) - histogram.lowest_equivalent(value);
            assert!(width as f64 <= value as f64 / 1000.0, "{value}: {width}");
        }
    }
}
