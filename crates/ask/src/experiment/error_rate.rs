//! The error rates of verdicts where neither the file nor a flag sets them.

/// Error rate of the headline where the file sets none: what every field means by 95 % confidence.
pub(super) const ALPHA: f64 = 0.05;
/// Error rate of a gate where the file sets none. It is asked so often, and its false alarms cost so much, that 5 % would be too many.
pub const GATE_ALPHA: f64 = 0.01;

/// The largest error rate of all measures beside the headline together.
const SECONDARY_ALPHA: f64 = 0.01;

/// The error rate of all measures beside a headline that has this one. They are many, and nobody asked for them, so that they get no more
/// than 1 %.
pub const fn secondary_alpha(of_headline: f64) -> f64 {
    of_headline.min(SECONDARY_ALPHA)
}
