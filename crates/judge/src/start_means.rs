//! The mean of a measure over the starts of an arm.

use crate::numbers::Numbers;
use record::outcome::Estimate;
use stats::robust::mean;
use stats::summary::estimate;

/// The geometric mean of a value over the rounds with a 95 % t interval of the mean logarithm, in the unit of the value. It
/// only describes an arm: two arms are never compared by the overlap of such intervals.
pub(crate) fn mean_over_rounds(
    numbers: &[Numbers],
    value: impl Fn(&Numbers) -> Option<f64>,
) -> Option<Estimate> {
    mean_of_starts(numbers.iter().filter_map(value))
}

/// The geometric mean of the values of starts, with its 95 % interval. Where one of them is 0, there is no such mean, and the arithmetic mean
/// without an interval takes its place.
pub(crate) fn mean_of_starts(values: impl Iterator<Item = f64>) -> Option<Estimate> {
    let values: Vec<f64> = values.collect();
    if values.contains(&0.0) {
        return mean(&values).map(|value| Estimate { value, low: None, high: None });
    }
    let logs: Vec<f64> = values.into_iter().map(f64::ln).collect();
    let mean = estimate(&logs, 0.95)?.exp();
    let ends = mean.interval;
    Some(Estimate { value: mean.value, low: ends.map(|ends| ends.low), high: ends.map(|ends| ends.high) })
}
