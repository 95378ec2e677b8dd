//! Plots as SVG. Each can be a part of the page or a file; only flame graphs have a script.

mod axis;
mod canvas;
mod drawn;
mod flame;
mod forest;
mod levels;
mod panel;
mod percentiles;
mod rate_curve;
mod rates;
mod request_times;
mod starts;
mod whole;

pub use drawn::Plot;
use record::outcome::Report;
use record::series::Series;
use say::Language;

/// Times by percentile, a plot for each load.
pub(crate) fn percentiles(report: &Report, series: &Series, language: Language) -> Vec<Plot> {
    percentiles::plots(report, series, language)
}

/// Plots of the results over users and over rates, if there are several of them.
pub(crate) fn by_load(report: &Report, language: Language) -> Vec<Plot> {
    let plots =
        [over_users(report, language), rates::plot(report, language), rate_curve::plot(report, language)];
    plots.into_iter().flatten().collect()
}

/// Throughput and times over users, with the figures of others; `None` where the run has one level.
pub fn over_users(report: &Report, language: Language) -> Option<Plot> {
    levels::plot(report, language)
}

/// Plots of every start as a dot, one for each measure and load; the plots of the headline come first.
pub(crate) fn starts(report: &Report, series: &Series, language: Language) -> Vec<Plot> {
    starts::plots(report, series, language)
}

/// Where the time of a request goes; `None` where that is not known.
pub(crate) fn request_times(report: &Report, language: Language) -> Option<Plot> {
    request_times::plot(report, language)
}

/// A plot of what a start takes: its time and its memory; `None` if neither was measured.
pub(crate) fn whole(report: &Report, language: Language) -> Option<Plot> {
    whole::plot(report, language)
}

/// The CPU time of a request call by call, a flame graph for each pair of arms and load that was profiled.
pub(crate) fn flames(report: &Report, series: &Series, language: Language) -> Vec<Plot> {
    flame::plots(report, &series.flames, language)
}

/// The verdicts as a forest plot: one row per comparison, with ratio, interval and margin.
pub fn verdict(report: &Report, language: Language) -> Plot {
    forest::alone(report, language)
}

/// The forest plot for a page, without question and circumstances, which the page shows elsewhere: for wide screens and for narrow ones.
pub(crate) fn verdict_within(report: &Report, language: Language) -> [Plot; 2] {
    forest::within(report, language)
}

/// All plots of a run, the verdict first.
pub fn all(report: &Report, series: &Series, language: Language) -> Vec<Plot> {
    if report.comparisons.is_empty() {
        let mut plots = percentiles(report, series, language);
        plots.extend(by_load(report, language));
        return plots;
    }
    let mut plots = vec![verdict(report, language)];
    plots.extend(percentiles(report, series, language));
    plots.extend(by_load(report, language));
    plots.extend(starts(report, series, language));
    plots.extend(whole(report, language));
    plots.extend(flames(report, series, language));
    plots
}

/// A text as a part of a file name: lower-case letters, digits and dashes.
fn stem(text: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }
    };
    let dashed: String = text.chars().map(plain).collect();
    let words = dashed.split('-').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
