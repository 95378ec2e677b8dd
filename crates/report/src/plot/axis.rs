//! Scales and axes.

use super::canvas::Canvas;

/// The pixels of a canvas at which a scale begins and ends. A scale that rises upwards ends at a smaller pixel, because pixels are
/// counted from the top.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) from: f64,
    pub(super) to: f64,
}

/// Maps values to pixels of the canvas.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    ends: Ends,
    log: bool,
}

impl Scale {
    /// A scale over all values with a little room. A logarithmic one ignores values that are not positive. `None` without values.
    pub(super) fn over(values: impl Iterator<Item = f64>, ends: Ends, log: bool) -> Option<Self> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite() && (!log || *value > 0.0)) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            return None;
        }
        if log {
            let room = 1.06 * (high / low).powf(0.04);
            (low, high) = (low / room, high * room);
        } else {
            let room = (0.06 * (high - low)).max(0.01 * high.abs()).max(1e-12);
            (low, high) = (low - room, high + room);
        }
        Some(Self { low, high, ends, log })
    }

    /// A linear scale from `low` to `high`, without room.
    pub(super) fn exact(low: f64, high: f64, ends: Ends) -> Self {
        Self { low, high, ends, log: false }
    }

    /// The scale extended to zero, for values that are read as lengths.
    pub(super) fn with_zero(self) -> Self {
        Self { low: 0.0, ..self }
    }

    /// The pixel of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.ends.from + share * (self.ends.to - self.ends.from)
    }

    /// About six round values within the scale.
    pub(super) fn ticks(&self) -> Vec<f64> {
        if self.log && self.high / self.low > 5.0 {
            return self.decades();
        }
        let raw = (self.high - self.low) / 5.0;
        let unit = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * unit);
        let step = step.into_iter().find(|step| *step >= raw).unwrap_or(raw);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|tick| tick as f64 * step).collect()
    }

    /// Round values on a logarithmic scale.
    fn decades(&self) -> Vec<f64> {
        let mantissas: &[f64] = match self.high / self.low {
            wide if wide > 3000.0 => &[1.0],
            _ => &[1.0, 2.0, 5.0],
        };
        let exponents = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        exponents
            .flat_map(|exponent| mantissas.iter().map(move |m| m * 10f64.powi(exponent)))
            .filter(|tick| (self.low..=self.high).contains(tick))
            .collect()
    }
}

/// The rectangle in which a plot draws its data, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Area {
    /// The ends of a scale that rises to the right.
    pub(super) fn across(&self) -> Ends {
        Ends { from: self.left, to: self.right }
    }

    /// The ends of a scale that rises upwards.
    pub(super) fn upwards(&self) -> Ends {
        Ends { from: self.bottom, to: self.top }
    }

    /// Draws a horizontal line at every tick of `y`, with its label on the left.
    pub(super) fn rows(&self, canvas: &mut Canvas, y: &Scale, label: impl Fn(f64) -> String) {
        for tick in y.ticks() {
            let at = y.at(tick);
            canvas.line("grid", (self.left, at), (self.right, at));
            canvas.text("small end", (self.left - 6.0, at + 4.0), &label(tick));
        }
    }

    /// Draws a vertical line at `x`, with its label below.
    pub(super) fn column(&self, canvas: &mut Canvas, x: f64, label: &str) {
        canvas.line("grid", (x, self.top), (x, self.bottom));
        canvas.text("small middle", (x, self.bottom + 17.0), label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let linear = Scale::exact(0.0, 23_000.0, Ends { from: 0.0, to: 100.0 }).ticks();
        assert_eq!(linear, [0.0, 5000.0, 10_000.0, 15_000.0, 20_000.0]);
        let log = Scale::over([1e-4, 0.1].into_iter(), Ends { from: 0.0, to: 100.0 }, true).expect("values");
        let ticks = log.ticks();
        assert!(ticks.len() >= 4 && ticks.iter().all(|tick| (0.0..=100.0).contains(&log.at(*tick))));
    }

    #[test]
    fn a_scale_of_one_value_still_has_room() {
        for (value, log) in [(0.0, false), (5.0, false), (5.0, true)] {
            let scale = Scale::over([value].into_iter(), Ends { from: 0.0, to: 10.0 }, log).expect("a value");
            assert!((scale.at(value) - 5.0).abs() < 1e-6, "{value}");
        }
        assert!(Scale::over([f64::NAN, 0.0].into_iter(), Ends { from: 0.0, to: 1.0 }, true).is_none());
    }
}
