//! Histograms in the form in which records store them: HdrHistogram V2, deflated.

use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};

/// A histogram of times in nanoseconds.
pub type TimeHistogram = hdrhistogram::Histogram<u64>;

/// The histogram as bytes (HdrHistogram V2 deflate).
pub fn encoded(histogram: &TimeHistogram) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail, and our bounds are within the format's.
    if V2DeflateSerializer::new().serialize(histogram, &mut bytes).is_err() {
        bytes.clear();
    }
    bytes
}

/// The histogram that these bytes hold; `None` where they hold none.
pub(crate) fn decoded(mut bytes: &[u8]) -> Option<TimeHistogram> {
    Deserializer::new().deserialize(&mut bytes).ok()
}

/// The sum of the histograms; `None` if there are none.
pub(crate) fn merged<'a>(mut histograms: impl Iterator<Item = &'a TimeHistogram>) -> Option<TimeHistogram> {
    let mut all = histograms.next()?.clone();
    for histogram in histograms {
        all.add(histogram).ok()?;
    }
    Some(all)
}

/// `(value, count)` of every cell that is not empty, in ascending order of values.
pub(crate) fn cells(histogram: &TimeHistogram) -> Vec<(u64, u64)> {
    let cells = histogram.iter_recorded();
    cells.map(|cell| (cell.value_iterated_to(), cell.count_since_last_iteration())).collect()
}
