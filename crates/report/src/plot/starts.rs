//! Every start as a dot, with lines between the arms of one start. They show whether the answer rests on all starts or on one.

use super::axis::{Area, Scale};
use super::canvas::{Canvas, CanvasPoint};
use super::{Plot, stem};
use crate::loads::load_name;
use crate::units;
use crate::words::joined;
use record::outcome::Report;
use record::series::{Series, Starts};
use say::Language;

const HEIGHT: f64 = 200.0;
/// Pixels from one arm to the next.
const STEP: f64 = 90.0;
/// Characters of an arm's name that fit into that.
const NAME: usize = 12;

/// A plot for each measure and load; the plots of the headline come first.
pub(super) fn plots(report: &Report, series: &Series, language: Language) -> Vec<Plot> {
    let mut all: Vec<&Starts> = series.starts.iter().collect();
    all.sort_by_key(|starts| !report.design.has_headline(starts.measure));
    let several = all.iter().filter(|starts| starts.measure == all[0].measure).count() > 1;
    all.into_iter().filter_map(|starts| plot(report, starts, several, language)).collect()
}

fn plot(report: &Report, starts: &Starts, several: bool, language: Language) -> Option<Plot> {
    let users = starts.load.as_ref().and_then(|load| load.users).filter(|_| several);
    let load = users.and(starts.load.as_ref());
    let parts = |measure: &str, language| {
        let load = load.map(|load| load_name(load, language));
        let parts: Vec<String> = [measure.to_owned()].into_iter().chain(load).collect();
        joined(&parts, language)
    };
    let title = parts(starts.measure.name(language), language);
    let arms = starts.values.len();
    let width = (96.0 + STEP * arms as f64).max(300.0);
    let mut canvas = Canvas::new(width);
    canvas.text("title", (10.0, 22.0), &title);
    let area = Area { left: 78.0, right: width - 8.0, top: 36.0, bottom: 36.0 + HEIGHT };
    canvas.height = area.bottom + 26.0;
    let values = starts.values.iter().flatten().flatten().copied();
    let y = Scale::over(values, area.upwards(), false)?;
    area.rows(&mut canvas, &y, |value| units::value(starts.measure, value));
    let x = |arm: usize| area.left + (arm as f64 + 0.5) * (area.right - area.left) / arms as f64;
    let count = starts.values.iter().map(Vec::len).max().unwrap_or(0);
    for start in 0..count {
        let value = |arm: usize| starts.values[arm].get(start).copied().flatten();
        let dots = (0..arms).filter_map(|arm| Some((arm, (x(arm), y.at(value(arm)?)))));
        let dots: Vec<(usize, CanvasPoint)> = dots.collect();
        let places: Vec<CanvasPoint> = dots.iter().map(|(_, place)| *place).collect();
        canvas.path("zero thin", &places);
        for (arm, place) in dots {
            canvas.marker(arm, place);
        }
    }
    for (arm, result) in report.arms.iter().enumerate().take(arms) {
        let name = units::shortened(&result.name, NAME);
        canvas.text("small middle", (x(arm), area.bottom + 18.0), &name);
    }
    Some(Plot { name: format!("starts-{}", stem(&parts(starts.measure.id(), Language::En))), title, canvas })
}
