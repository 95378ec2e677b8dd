//! The styles and scripts of pages, from `web/`: a report contains them, and the live page's server sends them. The texts of
//! scripts are in `texts`.

mod texts;

/// Rules that every page shares.
pub const STYLE: &str = include_str!("../../../web/style.css");
/// Rules of the plots that Rust draws.
pub const PLOT_STYLE: &str = include_str!("../../../web/plot.css");
/// Rules of flame graphs.
pub const FLAME_STYLE: &str = include_str!("../../../web/flame.css");
/// uPlot's own rules.
pub const UPLOT_STYLE: &str = include_str!("../../../web/uplot/uPlot.min.css");
/// uPlot, which draws the time line.
pub const UPLOT: &str = include_str!("../../../web/uplot/uPlot.iife.min.js");
/// Zooming with fingers.
pub const TOUCH: &str = include_str!("../../../web/touch.js");
/// Rules of reports.
pub const REPORT_STYLE: &str = include_str!("../../../web/report.css");
/// The menu and the tables of a report.
pub const REPORT: &str = include_str!("../../../web/report.js");
/// The time line of a report.
pub const TIMELINE: &str = include_str!("../../../web/timeline.js");
/// The flame graphs of a report.
pub const FLAME: &str = include_str!("../../../web/flame.js");

/// The styles of every report, in order.
pub(crate) const STYLES: [&str; 4] = [STYLE, REPORT_STYLE, PLOT_STYLE, UPLOT_STYLE];
/// The scripts of a report with a time line, in order.
pub(crate) const SCRIPTS: [&str; 3] = [UPLOT, TOUCH, TIMELINE];

/// `words.json`: the texts of the live page and of the lists of stored runs in all languages, by key.
pub fn words() -> String {
    texts::json()
}
