//! What a start takes: time until the first answer, and memory.

use super::Plot;
use super::axis::{Ends, Scale};
use super::canvas::{Canvas, class};
use crate::units;
use model::measure::Measure;
use record::outcome::{ArmResult, Estimate, Report};
use say::Language;

const WIDTH: f64 = 720.0;
const ROW: f64 = 28.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = WIDTH - 130.0;

/// A bar from zero for each arm in each of the two measures; `None` if neither was measured.
pub(super) fn plot(report: &Report, language: Language) -> Option<Plot> {
    let mut canvas = Canvas::new(WIDTH);
    let mut top = 10.0;
    type Field = fn(&ArmResult) -> Option<Estimate>;
    let both: [(Measure, Field); 2] =
        [(Measure::StartUp, |arm| arm.startup), (Measure::PeakMemory, |arm| arm.peak_memory)];
    for (measure, field) in both {
        let values: Vec<Option<Estimate>> = report.arms.iter().map(field).collect();
        let ends = values.iter().flatten().flat_map(|e| [Some(e.value), e.high]).flatten();
        let Some(x) = Scale::over(ends, Ends { from: LEFT, to: RIGHT }, false) else {
            continue;
        };
        canvas.text("title", (12.0, top + 16.0), measure.name(language));
        top += 28.0;
        for (arm, estimate) in values.iter().enumerate() {
            let name = units::shortened(&report.arms[arm].name, 22);
            canvas.text("small end", (LEFT - 10.0, top + 16.0), &name);
            if let Some(estimate) = estimate {
                let bar = Bar {
                    arm,
                    value: units::value_in(report, measure, estimate.value, language),
                    estimate,
                    top: top + 4.0,
                };
                bar.draw(&mut canvas, &x.with_zero());
            }
            top += ROW;
        }
        top += 10.0;
    }
    canvas.height = top;
    (top > 10.0).then(|| Plot {
        name: "startup-memory".to_owned(),
        title: format!("{}, {}", Measure::StartUp.name(language), Measure::PeakMemory.name(language)),
        canvas,
    })
}

/// The bar of an arm.
struct Bar<'a> {
    /// The index of the arm in the report.
    arm: usize,
    /// The value with its unit.
    value: String,
    estimate: &'a Estimate,
    top: f64,
}

impl Bar<'_> {
    fn draw(&self, canvas: &mut Canvas, x: &Scale) {
        let (class, estimate) = (class(self.arm), self.estimate);
        let end = x.at(estimate.value);
        canvas.rect(&format!("{class} around"), (LEFT, self.top), (end - LEFT, 16.0));
        let middle = self.top + 8.0;
        if let (Some(low), Some(high)) = (estimate.low, estimate.high) {
            canvas.line(&format!("wide {class}"), (x.at(low), middle), (x.at(high), middle));
        }
        canvas.marker(self.arm, (end, middle));
        canvas.text("small", (RIGHT + 12.0, middle + 4.0), &self.value);
    }
}
