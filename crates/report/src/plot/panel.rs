//! A panel with a curve for each arm: estimates with their intervals over users or rates.

use super::axis::{Area, Ends, Scale};
use super::canvas::{Canvas, CanvasPoint, class};
use record::outcome::Estimate;

pub(super) const WIDTH: f64 = 720.0;
pub(super) const HEIGHT: f64 = 220.0;
/// The ends of the axis of users or rates.
pub(super) const ENDS: Ends = Ends { from: 84.0, to: WIDTH - 20.0 };

/// The length of the sides of the square that is a figure of others.
const OTHERS: f64 = 8.0;

/// One arm's estimates by users or rates, in ascending order of these.
pub(super) struct ArmCurve {
    /// The index of the arm.
    pub(super) arm: usize,
    pub(super) points: Vec<(f64, Estimate)>,
}

/// A panel with a curve for each arm over users or rates.
pub(super) struct Panel<'a> {
    pub(super) title: &'a str,
    pub(super) top: f64,
    /// The scale of values is logarithmic, as for times, which span decades; throughput is read as a length.
    pub(super) log: bool,
    /// The axis of users or rates, which all panels of a plot share.
    pub(super) x: &'a Scale,
    /// The users or rates that are marked on the axis, in any order.
    pub(super) columns: &'a [f64],
    pub(super) column_label: fn(f64) -> String,
    /// The names of the arms, by their indices.
    pub(super) arms: &'a [&'a str],
}

/// Draws a panel, with the figures of others as separate points; returns the scale of its values, or `None` where there are no values.
pub(super) fn panel(
    canvas: &mut Canvas,
    panel: Panel<'_>,
    lines: &[ArmCurve],
    others: &[ArmCurve],
    label: impl Fn(f64) -> String,
) -> Option<Scale> {
    let Panel { title, top, log, x, columns, column_label, arms } = panel;
    let area = Area { left: ENDS.from, right: ENDS.to, top, bottom: top + HEIGHT };
    let all = lines.iter().chain(others).flat_map(|line| &line.points);
    let ends = all.flat_map(|(_, e)| [Some(e.value), e.low, e.high]).flatten();
    let mut y = Scale::over(ends, area.upwards(), log)?;
    if !log {
        y = y.with_zero();
    }
    canvas.text("small", (12.0, top - 8.0), title);
    area.rows(canvas, &y, &label);
    let mut seen: Vec<f64> = columns.to_vec();
    seen.sort_by(f64::total_cmp);
    seen.dedup();
    for column in seen {
        area.column(canvas, x.at(column), &column_label(column));
    }
    for line in lines {
        let class = class(line.arm);
        let places: Vec<CanvasPoint> =
            line.points.iter().map(|(column, estimate)| (x.at(*column), y.at(estimate.value))).collect();
        draw_band(canvas, line, |column, value| (x.at(column), y.at(value)));
        canvas.path(&class, &places);
        for ((column, estimate), place) in line.points.iter().zip(&places) {
            if let (Some(low), Some(high)) = (estimate.low, estimate.high) {
                canvas.line(&class, (x.at(*column), y.at(low)), (x.at(*column), y.at(high)));
            }
            let told = told(arms[line.arm], &column_label(*column), estimate, &label);
            canvas.told(&told, |canvas| canvas.marker(line.arm, *place));
        }
    }
    for point in others.iter().flat_map(|line| line.points.iter().map(|point| (line.arm, point))) {
        let (arm, (column, estimate)) = point;
        let (left, top) = (x.at(*column) - OTHERS / 2.0, y.at(estimate.value) - OTHERS / 2.0);
        let told = told(arms[arm], &column_label(*column), estimate, &label);
        canvas.told(&told, |canvas| {
            canvas.rect(&format!("{} published", class(arm)), (left, top), (OTHERS, OTHERS));
        });
    }
    Some(y)
}

/// What a point tells under the pointer: `tomcat-9, 500: 193 /s [190 /s, 196 /s]`.
fn told(arm: &str, column: &str, estimate: &Estimate, label: impl Fn(f64) -> String) -> String {
    let ends = estimate.low.zip(estimate.high).filter(|_| !estimate.is_too_wide());
    let ends = ends.map_or_else(String::new, |(low, high)| format!(" [{}, {}]", label(low), label(high)));
    format!("{arm}, {column}: {}{ends}", label(estimate.value))
}

/// Draws the intervals of a curve as a band, where they are known at two neighbouring points or more and say something.
fn draw_band(canvas: &mut Canvas, line: &ArmCurve, place: impl Fn(f64, f64) -> CanvasPoint) {
    let known = |(_, estimate): &(f64, Estimate)| {
        estimate.low.is_some() && estimate.high.is_some() && !estimate.is_too_wide()
    };
    for points in line.points.chunk_by(|one, next| known(one) == known(next)) {
        let ends = points.iter().filter_map(|(column, e)| Some((*column, e.low?, e.high?)));
        let ends: Vec<(f64, f64, f64)> = ends.filter(|_| known(&points[0])).collect();
        if ends.len() > 1 {
            let lower = ends.iter().map(|(column, low, _)| place(*column, *low));
            let upper = ends.iter().rev().map(|(column, _, high)| place(*column, *high));
            canvas.area(&format!("around {}", class(line.arm)), &lower.chain(upper).collect::<Vec<_>>());
        }
    }
}
