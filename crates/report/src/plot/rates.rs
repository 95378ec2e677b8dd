//! The share of requests that miss an objective by rate, for every arm whose highest rate was searched.

use super::Plot;
use super::axis::{Area, Scale};
use super::canvas::{Canvas, CanvasPoint, class};
use crate::units;
use record::outcome::{ArmResult, Report};
use record::search::{MaxRate, Probe, SearchResult};
use say::{Language, Say, text};

/// The words of the plot.
#[derive(Say)]
enum RatePlotText<'a> {
    #[say(
        en = "Requests over the limit of {objective}, by rate",
        zh = "各速率下超出限值的请求（{objective}）"
    )]
    Title { objective: &'a str },
    #[say(
        en = "Both scales are logarithmic. Dashed: the allowed share. Ring: the highest rate that keeps the objective.",
        zh = "两轴均为对数刻度。虚线：允许超出的比例。圆环：满足目标的最高速率。"
    )]
    Below,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 240.0;
/// Number of slow requests by which none is drawn, because a logarithmic scale has no zero.
const NOTHING: f64 = 0.5;

/// The plot; `None` if no arm's highest rate was searched.
pub(super) fn plot(report: &Report, language: Language) -> Option<Plot> {
    let arms = report.arms.iter().enumerate();
    let searched: Vec<(usize, &MaxRate)> =
        arms.filter_map(|(arm, result)| Some((arm, highest_rate(result)?))).collect();
    let (_, first) = searched.first()?;
    let title = text(&RatePlotText::Title { objective: &first.objective }, language);
    let mut canvas = Canvas::new(WIDTH);
    canvas.text("title", (12.0, 24.0), &title);
    let names: Vec<&str> = report.arms.iter().map(|arm| arm.name.as_str()).collect();
    let top = canvas.legend(&names, (12.0, 48.0)) + 30.0;
    let area = Area { left: 84.0, right: WIDTH - 20.0, top, bottom: top + HEIGHT };
    canvas.height = area.bottom + 46.0;
    let probes = || searched.iter().flat_map(|(_, found)| &found.probes);
    let x = Scale::over(probes().map(|probe| probe.rate.0), area.across(), true)?;
    let shares = probes().map(missed_share).chain(first.allowed.map(|share| share.0));
    let y = Scale::over(shares, area.upwards(), true)?;
    area.rows(&mut canvas, &y, percent);
    for rate in x.ticks() {
        area.column(&mut canvas, x.at(rate), &units::rate(rate));
    }
    if let Some(allowed) = first.allowed {
        let at = y.at(allowed.0);
        canvas.line("line zero dashed", (area.left, at), (area.right, at));
    }
    for (arm, found) in &searched {
        let places = found.probes.iter().map(|probe| (x.at(probe.rate.0), y.at(missed_share(probe))));
        let places: Vec<CanvasPoint> = places.collect();
        canvas.path(&class(*arm), &places);
        places.iter().for_each(|place| canvas.marker(*arm, *place));
        if let (Some(rate), Some(allowed)) = (found.rate, found.allowed) {
            canvas.circle(&format!("{} knee", class(*arm)), (x.at(rate.value), y.at(allowed.0)), 9.0);
        }
    }
    canvas.text("small", (12.0, canvas.height - 10.0), &text(&RatePlotText::Below, language));
    Some(Plot { name: "rates".to_owned(), title, canvas })
}

fn highest_rate(arm: &ArmResult) -> Option<&MaxRate> {
    match arm.found.as_ref()? {
        SearchResult::MaxRate(found) => Some(found),
        SearchResult::Capacity(_) => None,
    }
}

/// The share of requests that missed the objective, as it is drawn.
fn missed_share(probe: &Probe) -> f64 {
    probe.share.0.max(NOTHING / probe.requests.max(1) as f64)
}

/// A share as a percentage with up to five decimals: `0.005 %`.
fn percent(share: f64) -> String {
    format!("{} %", (1e7 * share).round() / 1e5)
}
