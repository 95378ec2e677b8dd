//! Histograms as records hold them: HdrHistogram V2, deflated.

use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};

/// Times in nanoseconds.
pub type Histogram = hdrhistogram::Histogram<u64>;

/// HdrHistogram V2 deflate.
pub fn encoded(histogram: &Histogram) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail, and our bounds are within the format's.
    if V2DeflateSerializer::new()
        .serialize(histogram, &mut bytes)
        .is_err()
    {
        bytes.clear();
    }
    bytes
}

/// A histogram out of its record; `None` where the bytes are not one.
pub(crate) fn decoded(mut bytes: &[u8]) -> Option<Histogram> {
    Deserializer::new().deserialize(&mut bytes).ok()
}

/// All histograms added up; `None` without any.
pub(crate) fn merged<'a>(mut histograms: impl Iterator<Item = &'a Histogram>) -> Option<Histogram> {
    let mut all = histograms.next()?.clone();
    for histogram in histograms {
        all.add(histogram).ok()?;
    }
    Some(all)
}

/// `(value, count)` of every cell that holds something, values ascending.
pub(crate) fn cells(histogram: &Histogram) -> Vec<(u64, u64)> {
    let cells = histogram.iter_recorded();
    cells
        .map(|cell| (cell.value_iterated_to(), cell.count_since_last_iteration()))
        .collect()
}
