//! Reduction of the slices of one round to the one number `D` of that round.
//!
//! Every slice has right answers and what was spent on them: counted time for throughput, CPU time for CPU per request.
//! The *yield* of an arm is the sum of its answers over the sum of what was spent, so that a pause of a server, or any
//! other rare bad slice, costs what it costs. `D` is the log ratio of the yields of an arm and the baseline:
//! **positive = the arm is better than the baseline**.
//!
//! Slices come in *rows* that hold every arm. A row and its mirror image (with two arms ABBA or BAAB) are a *quad*, in
//! which the mean position of all arms is the same: linear drift and any constant advantage of being loaded first
//! cancel in the sums, to the first order. The difference of one row is hardly affected by what slows the machine for
//! seconds, and the spread of these differences tells the noise of `D` within the round.

use crate::robust::{hodges_lehmann, mean, variance};

/// The arm to which a slice belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The arm with which the others are compared ("A").
    Baseline,
    /// The arm that is compared with the baseline ("B").
    Arm,
}

/// One slice of load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The arm that was loaded.
    pub side: Side,
    /// Right answers; a slice in which the server stood still has none.
    pub answers: f64,
    /// What was spent on them, in any unit: seconds that were counted, or CPU seconds.
    pub spent: f64,
}

/// The sums of one arm over all its slices.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    answers: f64,
    spent: f64,
    slices: f64,
}

impl Totals {
    fn of(parts: &[Part], side: Side) -> Option<Self> {
        let mut all = Self::default();
        for part in parts.iter().filter(|part| part.side == side) {
            all.answers += part.answers;
            all.spent += part.spent;
            all.slices += 1.0;
        }
        let positive = all.answers > 0.0 && all.spent > 0.0;
        (positive && all.answers.is_finite() && all.spent.is_finite()).then_some(all)
    }

    fn log_yield(self) -> f64 {
        self.answers.ln() - self.spent.ln()
    }

    /// What a slice adds to the log of the yield, beyond an average slice: the first term of its Taylor series (the
    /// influence function of a ratio of sums; Cochran, *Sampling Techniques*, 1977, section 6.3). A slice without
    /// answers adds -1, where the logarithm of its own yield would not exist.
    fn influence(self, part: &Part) -> f64 {
        part.answers / (self.answers / self.slices) - part.spent / (self.spent / self.slices)
    }
}

/// `D` of a round, from its slices in any order: the log ratio of the yields of the two sides. `None` where a side has
/// no right answer, or spent nothing.
pub fn difference(parts: &[Part]) -> Option<f64> {
    let [arm, baseline] = [Side::Arm, Side::Baseline].map(|side| Totals::of(parts, side));
    Some(arm?.log_yield() - baseline?.log_yield())
}

/// The difference of each row of a round. Each is `D` plus what the slices of the row add to it, so the mean of the
/// differences is `D` if all rows have equally many slices of an arm. In a row in which a side occurs several times,
/// its slices are averaged. `None` when a side is missing from a row, or where [`difference`] is: a wrong order must
/// not give a plausible number.
pub fn row_differences(rows: &[Vec<Part>]) -> Option<Vec<f64>> {
    let all = rows.concat();
    let d = difference(&all)?;
    let [arm, baseline] = [Side::Arm, Side::Baseline].map(|side| Totals::of(&all, side));
    let (arm, baseline) = (arm?, baseline?);
    let influence = |row: &[Part], side: Side, totals: Totals| {
        let of_side = row.iter().filter(|part| part.side == side);
        let all: Vec<f64> = of_side.map(|part| totals.influence(part)).collect();
        mean(&all)
    };
    let of_row = |row: &Vec<Part>| {
        let ours = influence(row, Side::Arm, arm)?;
        Some(d + (ours - influence(row, Side::Baseline, baseline)?))
    };
    rows.iter().map(of_row).collect()
}

/// The variance of `D` of a round that its own quads show, on the squared log scale: the variance of what quads add to `D`, over their
/// number (Cochran, *Sampling Techniques*, 1977). `rows` are the differences of a round's rows, in order, `rows_of_quad` of them in each
/// quad: rows and their mirror images absorb what neighbouring windows have in common. `None` below two quads.
pub fn variance_within(rows: &[f64], rows_of_quad: usize) -> Option<f64> {
    let quads: Vec<f64> = rows.chunks(rows_of_quad.max(1)).filter_map(mean).collect();
    Some(variance(&quads)? / quads.len() as f64)
}

/// The difference of the typical row: the Hodges-Lehmann estimate over the differences of all rows. Up to 29 % of the
/// rows, however bad, hardly change it, so its distance from `D` tells how much rare slices weigh. `None` without rows.
pub fn typical_difference(rows: &[f64]) -> Option<f64> {
    hodges_lehmann(rows)
}

/// The least-squares slope of a round's row differences by their index, per row; `None` below two rows.
///
/// Slopes that differ from 0 over the rounds show that one arm was still warming up while the other was not.
pub fn slope(rows: &[f64]) -> Option<f64> {
    if rows.len() < 2 {
        return None;
    }
    let middle = (rows.len() - 1) as f64 / 2.0;
    let centre = mean(rows)?;
    let (mut moment, mut spread) = (0.0, 0.0);
    for (index, d) in rows.iter().enumerate() {
        let offset = index as f64 - middle;
        moment += offset * (d - centre);
        spread += offset * offset;
    }
    Some(moment / spread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::{Arm, Baseline};

    fn part(side: Side, answers: f64) -> Part {
        let spent = 0.5;
        Part { side, answers, spent }
    }

    #[test]
    fn a_quad_cancels_drift_and_position() {
        // Answers fall by 5 % from slice to slice, and the second of a row has 1 % less.
        let speed = [1.0, 0.95 - 0.01, 0.90, 0.85 - 0.01];
        for order in [[Baseline, Arm, Arm, Baseline], [Arm, Baseline, Baseline, Arm]] {
            let effect = |side| if side == Arm { 1.03 } else { 1.0 };
            let parts: Vec<Part> = order
                .iter()
                .zip(speed)
                .map(|(&side, speed)| part(side, 1000.0 * speed * effect(side)))
                .collect();
            let d = difference(&parts).expect("both sides");
            assert!((d - 1.03f64.ln()).abs() < 1e-12, "{d}");
        }
    }

    #[test]
    fn a_slice_without_answers_costs_its_time() {
        let mut rows = vec![vec![part(Baseline, 1000.0), part(Arm, 1000.0)]; 10];
        rows[3][1].answers = 0.0;
        let rest = difference(&rows.concat()).expect("answers");
        assert!((rest - 0.9f64.ln()).abs() < 1e-12);
        let differences = row_differences(&rows).expect("rows");
        let centre = mean(&differences).expect("rows");
        assert!((centre - rest).abs() < 1e-12, "their mean is D: {centre}");
        // In nine of ten rows both arms are equally quick.
        let typical = typical_difference(&differences).expect("rows");
        assert!(typical.abs() < 0.01, "{typical}");
        for row in &mut rows {
            row[1].answers = 0.0;
        }
        assert_eq!(row_differences(&rows), None, "no right answer at all");
    }

    #[test]
    fn work_that_does_nothing_costs_nothing_and_idle_work_counts() {
        // CPU time: a server that stands still spends none; one that collects garbage instead of answering does.
        let busy = |side, answers, spent| Part { side, answers, spent };
        let mut parts = vec![busy(Baseline, 100.0, 1.0), busy(Arm, 100.0, 1.0)];
        parts.extend([busy(Baseline, 100.0, 1.0), busy(Arm, 0.0, 0.0)]);
        assert!(difference(&parts).expect("answers").abs() < 1e-12);
        parts[3].spent = 1.0;
        assert!((difference(&parts).expect("answers") - 0.5f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn slices_of_a_side_that_occurs_twice_in_a_row_are_averaged() {
        let row = vec![part(Baseline, 900.0), part(Arm, 1000.0), part(Baseline, 1100.0)];
        let differences = row_differences(&[row.clone(), row]).expect("rows");
        assert!(differences.iter().all(|d| d.abs() < 1e-12), "{differences:?}");
        let alone = vec![part(Baseline, 900.0)];
        assert_eq!(row_differences(&[vec![part(Arm, 1.0), alone[0]], alone]), None);
        assert_eq!(row_differences(&[]), None);
    }

    #[test]
    fn the_slope_of_a_straight_line_is_exact() {
        assert!((slope(&[0.0, 0.1, 0.2, 0.3]).unwrap() - 0.1).abs() < 1e-15);
        assert_eq!(slope(&[0.1]), None);
    }
}
