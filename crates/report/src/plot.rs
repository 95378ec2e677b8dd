//! Plots as SVG. Each can be a part of the page or a file; only flame graphs have a script.

mod axis;
mod canvas;
mod flame;
mod forest;
mod levels;
mod panel;
mod percentiles;
mod rate_curve;
mod rates;
mod starts;
mod whole;

use crate::web::{FLAME, FLAME_STYLE, PLOT_STYLE};
use crate::words::Lang;
use canvas::{Canvas, attribute, escaped};
use model::outcome::Report;
use model::series::Series;

/// A plot.
pub struct Plot {
    /// Name of its file, without `.svg`.
    pub name: String,
    title: String,
    canvas: Canvas,
}

impl Plot {
    /// Its title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether it is a flame graph, which has a script and a style of its own.
    pub(crate) const fn is_flame(&self) -> bool {
        self.canvas.flame.is_some()
    }

    /// The SVG as a part of a page that contains [`PLOT_STYLE`], and for a flame graph [`FLAME_STYLE`] and [`FLAME`].
    pub fn inline(&self) -> String {
        self.svg("", "")
    }

    /// The SVG as a file, with its style and its script.
    pub fn file(&self) -> String {
        let ground = "<rect class=\"ground\" width=\"100%\" height=\"100%\" rx=\"8\"/>";
        let (style, script) = match self.is_flame() {
            true => (FLAME_STYLE, format!("<script><![CDATA[{FLAME}]]></script>")),
            false => ("", String::new()),
        };
        let before = format!("<style>{PLOT_STYLE}{style}</style>{ground}");
        format!("{}\n", self.svg(&before, &script))
    }

    fn svg(&self, before: &str, after: &str) -> String {
        let Canvas {
            width,
            height,
            body,
            screen,
            flame,
        } = &self.canvas;
        let screen = screen.class();
        let title = escaped(&self.title);
        let (class, kind) = match flame {
            Some(data) => (
                "plot flame",
                format!("role=\"group\" data-flame=\"{}\"", attribute(data)),
            ),
            None => ("plot", "role=\"img\"".to_owned()),
        };
        format!(
            "<svg class=\"{class}{screen}\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" {kind}><title>{title}</title>{before}{body}{after}</svg>"
        )
    }
}

/// Times by percentile, a plot for each load.
pub(crate) fn percentiles(report: &Report, series: &Series, lang: Lang) -> Vec<Plot> {
    percentiles::plots(report, series, lang)
}

/// Plots of the results over users and over rates, if there are several of them.
pub(crate) fn by_load(report: &Report, lang: Lang) -> Vec<Plot> {
    let plots = [
        levels::plot(report, lang),
        rates::plot(report, lang),
        rate_curve::plot(report, lang),
    ];
    plots.into_iter().flatten().collect()
}

/// Plots of every start as a dot, one for each measure and load; those of the headline come first.
pub(crate) fn starts(report: &Report, series: &Series, lang: Lang) -> Vec<Plot> {
    starts::plots(report, series, lang)
}

/// A plot of what a start takes: its time and its memory; `None` if neither was measured.
pub(crate) fn whole(report: &Report, lang: Lang) -> Option<Plot> {
    whole::plot(report, lang)
}

/// The CPU time of a request call by call, a flame graph for each pair of arms and load that was profiled.
pub(crate) fn flames(report: &Report, series: &Series, lang: Lang) -> Vec<Plot> {
    flame::plots(report, &series.flames, lang)
}

/// The verdicts as a forest plot: one row per comparison, with ratio, interval and margin.
pub fn verdict(report: &Report, lang: Lang) -> Plot {
    forest::alone(report, lang)
}

/// The forest plot for a page, without question and circumstances, which the page shows elsewhere: for wide screens and for narrow ones.
pub(crate) fn verdict_within(report: &Report, lang: Lang) -> [Plot; 2] {
    forest::within(report, lang)
}

/// All plots of a run, the verdict first.
pub fn all(report: &Report, series: &Series, lang: Lang) -> Vec<Plot> {
    if report.comparisons.is_empty() {
        let mut plots = percentiles(report, series, lang);
        plots.extend(by_load(report, lang));
        return plots;
    }
    let mut plots = vec![verdict(report, lang)];
    plots.extend(percentiles(report, series, lang));
    plots.extend(by_load(report, lang));
    plots.extend(starts(report, series, lang));
    plots.extend(whole(report, lang));
    plots.extend(flames(report, series, lang));
    plots
}

/// A text as a part of a file name: lower-case letters, digits and dashes.
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
