//! Reads the figures of other tools: JMeter's samples, the texts of wrk and ApacheBench, and the JSON of k6, Gatling, JMH and hyperfine.
//! Which tool has written a file is found out from its content.

mod json;
mod jtl;
mod text;

use jiff::Timestamp;
use model::foreign::{ForeignFigure, ForeignMeasure, ForeignTool, ForeignUnit};

/// The figures of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// The tool that has written it.
    pub tool: ForeignTool,
    /// When it was measured; `None` if the file does not tell.
    pub at: Option<Timestamp>,
    /// The figures, in the order of the file; never empty.
    pub figures: Vec<ForeignFigure>,
}

/// Why a file has no figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFigures {
    /// It is not of any of these tools.
    Unknown,
    /// A tool has written it, and it is damaged or was written in a way that cannot be read.
    Broken {
        tool: ForeignTool,
        /// The line, from 1, where it is known.
        line: Option<u64>,
    },
    /// A tool has written it, and nothing was measured.
    Empty(ForeignTool),
}

/// Reads the figures of a file of one of the [tools](ForeignTool).
///
/// # Errors
///
/// [`NoFigures`] for a file that is none, or that holds no figure.
pub fn figures(text: &str) -> Result<Figures, NoFigures> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let found = match text.chars().next() {
        Some('{' | '[') => json::read(text),
        Some('<') => jtl::read_xml(text),
        _ if text::is_wrk(text) => text::wrk(text),
        _ if text::is_ab(text) => text::ab(text),
        _ => jtl::read_csv(text),
    }?;
    let mut figures = found;
    figures.figures.retain(|figure| figure.value.is_finite());
    if figures.figures.is_empty() {
        return Err(NoFigures::Empty(figures.tool));
    }
    Ok(figures)
}

fn figure(measure: ForeignMeasure, unit: ForeignUnit, value: f64) -> ForeignFigure {
    ForeignFigure { measure, unit, value, low: None, high: None }
}

fn seconds(measure: ForeignMeasure, value: f64) -> ForeignFigure {
    figure(measure, ForeignUnit::Seconds, value)
}

fn throughput(value: f64) -> ForeignFigure {
    figure(ForeignMeasure::Throughput, ForeignUnit::PerSecond, value)
}

/// The share of requests that failed; NaN without a request.
fn errors(failed: f64, all: f64) -> ForeignFigure {
    figure(ForeignMeasure::Errors, ForeignUnit::Share, failed / all)
}
