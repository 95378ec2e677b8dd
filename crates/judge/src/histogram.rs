//! Sums of the histograms of slices.

use record::histogram::{Histogram, SparseHistogram, new_histogram};

/// The sum of the histograms; `None` if there are none, or if one of them is missing.
pub(crate) fn merged<'a>(histograms: impl Iterator<Item = Option<&'a SparseHistogram>>) -> Option<Histogram> {
    let mut histograms = histograms.peekable();
    histograms.peek()?;
    let mut all = new_histogram();
    for histogram in histograms {
        histogram?.add_to(&mut all);
    }
    Some(all)
}

/// The sum of the histograms; `None` if it has no time, or if one of them is missing.
pub(crate) fn merged_times<'a>(
    histograms: impl Iterator<Item = Option<&'a SparseHistogram>>,
) -> Option<Histogram> {
    merged(histograms).filter(|all| !all.is_empty())
}

/// `(value, count)` of every cell that is not empty, in ascending order of values.
pub(crate) fn cells(histogram: &Histogram) -> Vec<(u64, u64)> {
    SparseHistogram::from(histogram).cells().to_vec()
}
