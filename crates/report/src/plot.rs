//! Plots as SVG, without a script: each a part of the page, and a file that stands alone.

mod axis;
mod canvas;
mod forest;
mod levels;
mod percentiles;
mod rates;
mod starts;
mod whole;

use crate::web::PLOT_STYLE;
use crate::words::Lang;
use canvas::{Canvas, escaped};
pub(crate) use forest::mark;
use model::outcome::Report;
use model::series::Series;

/// A drawing.
pub struct Plot {
    /// Name of its file, without `.svg`.
    pub name: String,
    title: String,
    canvas: Canvas,
}

impl Plot {
    /// What it shows.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// As a part of a page that has the rules.
    pub fn inline(&self) -> String {
        self.svg("")
    }

    /// As a file that stands alone.
    pub fn file(&self) -> String {
        let ground = "<rect class=\"ground\" width=\"100%\" height=\"100%\" rx=\"8\"/>";
        format!("{}\n", self.svg(&format!("<style>{PLOT_STYLE}</style>{ground}")))
    }

    fn svg(&self, before: &str) -> String {
        let Canvas { width, height, body } = &self.canvas;
        let title = escaped(&self.title);
        format!(
            "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\"><title>{title}</title>{before}{body}</svg>"
        )
    }
}

/// The plots of a run, by what they show.
pub(crate) struct Plots {
    pub(crate) percentiles: Vec<Plot>,
    /// By users, by rate.
    pub(crate) loads: Vec<Plot>,
    pub(crate) starts: Vec<Plot>,
    pub(crate) whole: Option<Plot>,
}

impl Plots {
    pub(crate) fn of(report: &Report, series: &Series, lang: Lang) -> Self {
        Self {
            percentiles: percentiles::plots(report, series, lang),
            loads: levels::plot(report, lang)
                .into_iter()
                .chain(rates::plot(report, lang))
                .collect(),
            starts: starts::plots(report, series, lang),
            whole: whole::plot(report, lang),
        }
    }
}

/// The verdicts: a forest plot, one row per comparison, ratio with interval against the margin.
pub fn verdict(report: &Report, lang: Lang) -> Plot {
    forest::alone(report, lang)
}

/// The same for a page that says the question and all else beside it.
pub(crate) fn verdict_within(report: &Report, lang: Lang) -> Plot {
    forest::within(report, lang)
}

/// All plots of a run, the verdict first.
pub fn all(report: &Report, series: &Series, lang: Lang) -> Vec<Plot> {
    if report.comparisons.is_empty() {
        return percentiles::plots(report, series, lang);
    }
    let plots = Plots::of(report, series, lang);
    let one = |plot: Option<Plot>| plot.into_iter();
    one(Some(verdict(report, lang)))
        .chain(plots.percentiles)
        .chain(plots.loads)
        .chain(plots.starts)
        .chain(one(plots.whole))
        .collect()
}

/// A word for a file's name: letters, digits and dashes.
fn stem(text: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let dashed: String = text.chars().map(plain).collect();
    let words = dashed.split('-').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
