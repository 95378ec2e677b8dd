//! Times by percentile, both on logarithmic scales, so that the tail is visible, which a mean hides.

use super::axis::{Area, Scale};
use super::canvas::{Canvas, CanvasPoint, class, text_width};
use super::{Plot, stem};
use crate::loads::load_name;
use crate::units;
use model::load::Load;
use model::times::Clock;
use record::outcome::Report;
use record::series::{PercentileCurve, Series};
use say::{Language, Say, text};

/// The words of the plots.
#[derive(Say)]
enum PercentilePlotText<'a> {
    #[say(
        en = "Times by percentile at {rate}, the same for all arms",
        zh = "固定速率 {rate} 下的时间分位数，各对象速率相同"
    )]
    AtRate { rate: &'a str },
    #[say(en = "Service time by percentile, closed loop, {load}", zh = "服务时间分位数，闭环，{load}")]
    ClosedLoop { load: &'a str },
    #[say(en = "solid: response time (from when it was due)", zh = "实线：响应时间（从应发送时刻算起）")]
    Solid,
    #[say(en = "dashed: service time (from when it was sent)", zh = "虚线：服务时间（从实际发送时刻算起）")]
    Dashed,
    #[say(
        en = "Both scales are logarithmic. Band: 95 % interval over the starts.",
        zh = "横纵轴均为对数刻度。色带：各次启动的 95 % 置信区间。"
    )]
    Below,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 320.0;
/// One in so many points of a curve has the marker of the arm.
const SIGNS: usize = 6;

/// A plot of all arms for each load; at a fixed rate it shows both response and service times.
pub(super) fn plots(report: &Report, series: &Series, language: Language) -> Vec<Plot> {
    let mut loads: Vec<&Load> = Vec::new();
    // The fixed rate comes first, because its response times are what users feel.
    let (open, closed): (Vec<&PercentileCurve>, Vec<&PercentileCurve>) =
        series.curves.iter().partition(|curve| curve.load.rate.is_some());
    for curve in open.into_iter().chain(closed) {
        if !loads.contains(&&curve.load) {
            loads.push(&curve.load);
        }
    }
    let of_load = |load: &&Load| {
        let curves: Vec<&PercentileCurve> =
            series.curves.iter().filter(|curve| curve.load == **load).collect();
        plot(report, load, &curves, language)
    };
    loads.iter().filter_map(of_load).collect()
}

fn plot(report: &Report, load: &Load, curves: &[&PercentileCurve], language: Language) -> Option<Plot> {
    let mut canvas = Canvas::new(WIDTH);
    let title = match units::rate_of_load(load, language) {
        Some(rate) => text(&PercentilePlotText::AtRate { rate: &rate }, language),
        None => text(&PercentilePlotText::ClosedLoop { load: &load_name(load, language) }, language),
    };
    canvas.text("title", (12.0, 24.0), &title);
    let names: Vec<&str> = report.arms.iter().map(|arm| arm.name.as_str()).collect();
    let mut top = canvas.legend(&names, (12.0, 48.0));
    if load.rate.is_some() {
        top += 20.0;
        let [solid, dashed] =
            [PercentilePlotText::Solid, PercentilePlotText::Dashed].map(|words| text(&words, language));
        canvas.line("line zero", (12.0, top - 4.0), (40.0, top - 4.0));
        canvas.text("small", (46.0, top), &solid);
        let x = 66.0 + text_width(&solid);
        canvas.line("line zero dashed", (x, top - 4.0), (x + 28.0, top - 4.0));
        canvas.text("small", (x + 34.0, top), &dashed);
    }
    let area = Area { left: 78.0, right: WIDTH - 16.0, top: top + 14.0, bottom: top + 14.0 + HEIGHT };
    canvas.height = area.bottom + 46.0;
    draw(&mut canvas, area, curves)?;
    let below = (area.left, area.bottom + 36.0);
    canvas.text("small", below, &text(&PercentilePlotText::Below, language));
    Some(Plot { name: format!("percentiles-{}", stem(&load_name(load, Language::En))), title, canvas })
}

/// The number of nines of a quantile: 2 for 99 %.
fn nines(q: f64) -> f64 {
    -(1.0 - q).log10()
}

fn draw(canvas: &mut Canvas, area: Area, curves: &[&PercentileCurve]) -> Option<()> {
    let ends = |curve: &&PercentileCurve| {
        let points = curve.points.iter();
        let all = points.flat_map(|(_, at)| [Some(at.value), at.low, at.high]);
        all.flatten().collect::<Vec<f64>>()
    };
    let y = Scale::over(curves.iter().flat_map(ends), area.upwards(), true)?;
    let most = curves.iter().flat_map(|curve| &curve.points).map(|(q, _)| nines(*q));
    let most = most.fold(1.0, f64::max);
    let x = Scale::exact(0.1, most, area.across());
    area.rows(canvas, &y, units::seconds);
    for (q, label) in [
        (0.5, "50 %"),
        (0.75, "75 %"),
        (0.9, "90 %"),
        (0.95, "95 %"),
        (0.99, "99 %"),
        (0.999, "99.9 %"),
        (0.9999, "99.99 %"),
        (0.99999, "99.999 %"),
    ] {
        if nines(q) <= most + 0.01 {
            area.column(canvas, x.at(nines(q)), label);
        }
    }
    for curve in curves {
        draw_curve(canvas, curve, &x, &y);
    }
    Some(())
}

/// Draws a curve over the band of its intervals.
fn draw_curve(canvas: &mut Canvas, curve: &PercentileCurve, x: &Scale, y: &Scale) {
    let class = class(curve.arm);
    let at = |q: f64, value: f64| (x.at(nines(q)), y.at(value));
    let upper = curve.points.iter().filter_map(|(q, e)| Some(at(*q, e.high?)));
    let lower = curve.points.iter().rev().filter_map(|(q, e)| Some(at(*q, e.low?)));
    let around: Vec<CanvasPoint> = upper.chain(lower).collect();
    // Two bands for each arm would hide each other.
    let leading = curve.clock == Clock::Response || curve.load.rate.is_none();
    if leading && !around.is_empty() {
        canvas.area(&format!("around {class}"), &around);
    }
    let points: Vec<CanvasPoint> = curve.points.iter().map(|(q, e)| at(*q, e.value)).collect();
    let dashed = if leading { "" } else { " dashed" };
    canvas.path(&format!("{class}{dashed}"), &points);
    for place in points.iter().skip(2 + curve.arm % SIGNS).step_by(SIGNS) {
        canvas.marker(curve.arm, *place);
    }
}
