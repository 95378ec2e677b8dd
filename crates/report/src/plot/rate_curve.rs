//! CPU per request and response p99 by rate, for every arm.

use super::Plot;
use super::axis::Scale;
use super::canvas::Canvas;
use super::panel::{ArmCurve, ENDS, HEIGHT, Panel, WIDTH, panel};
use crate::units;
use crate::words::Label;
use model::measure::Measure;
use record::outcome::{ArmResult, Estimate, Report};
use record::rate_curve::RatePoint;
use say::{Language, Say, text};

/// What stands below the plot.
#[derive(Say)]
#[say(
    en = "Rates from 20 to 80 % of what the slowest arm answered in the closed loop. Bars: 95 % intervals over starts.",
    zh = "速率为最慢对象闭环吞吐量的 20 % 至 80 %。竖线：各次启动的 95 % 区间。"
)]
struct RateCurveNote;

/// Two panels with the same axis of rates; `None` if no curve over rates was measured.
pub(super) fn plot(report: &Report, language: Language) -> Option<Plot> {
    let points = || report.arms.iter().flat_map(|arm| &arm.curve);
    let rates: Vec<f64> = points().map(|point| point.rate.0).collect();
    let x = Scale::over(rates.iter().copied(), ENDS, false)?.with_zero();
    let mut canvas = Canvas::new(WIDTH);
    let counted = units::counted_at_rates(report, language);
    let title = units::with_counted(&text(&Label::RateCurve, language), &counted, language);
    canvas.text("title", (12.0, 24.0), &title);
    let names: Vec<&str> = report.arms.iter().map(|arm| arm.name.as_str()).collect();
    let top = canvas.legend(&names, (12.0, 48.0)) + 30.0;
    let upper = Panel {
        title: Measure::CpuPerRequest.name(language),
        top,
        log: false,
        x: &x,
        columns: &rates,
        column_label: units::rate,
        arms: &names,
    };
    let cpu = lines(report, |point| point.cpu_per_request);
    panel(&mut canvas, upper, &cpu, &[], units::seconds)?;
    let lower = Panel {
        title: Measure::ResponseP99.name(language),
        top: top + HEIGHT + 50.0,
        log: true,
        x: &x,
        columns: &rates,
        column_label: units::rate,
        arms: &names,
    };
    canvas.height = lower.top + HEIGHT + 52.0;
    let times = lines(report, |point| point.response_p99);
    panel(&mut canvas, lower, &times, &[], units::seconds);
    canvas.text("small", (12.0, canvas.height - 10.0), &text(&RateCurveNote, language));
    Some(Plot { name: "curve".to_owned(), title: text(&Label::RateCurve, language), canvas })
}

fn lines(report: &Report, value: impl Fn(&RatePoint) -> Option<Estimate>) -> Vec<ArmCurve> {
    let line = |(arm, result): (usize, &ArmResult)| {
        let points = result.curve.iter();
        let points = points.filter_map(|point| Some((point.rate.0, value(point)?)));
        ArmCurve { arm, points: points.collect() }
    };
    report.arms.iter().enumerate().map(line).collect()
}
