//! Figures that other tools have measured. They are shown beside the history of an experiment and take part in no verdict.

use serde::{Deserialize, Serialize};

/// A tool whose results can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForeignTool {
    /// Samples of JMeter, as CSV or XML.
    Jmeter,
    /// The text of wrk or wrk2.
    Wrk,
    /// The text of ApacheBench.
    Ab,
    /// The summary of k6, as JSON.
    K6,
    /// The statistics of Gatling, as JSON.
    Gatling,
    /// The results of JMH, as JSON.
    Jmh,
    /// The results of hyperfine, as JSON.
    Hyperfine,
}

impl ForeignTool {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jmeter => "JMeter",
            Self::Wrk => "wrk",
            Self::Ab => "ApacheBench",
            Self::K6 => "k6",
            Self::Gatling => "Gatling",
            Self::Jmh => "JMH",
            Self::Hyperfine => "hyperfine",
        }
    }
}

/// What a foreign figure is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForeignMeasure {
    /// Requests per second.
    Throughput,
    /// The share of requests that failed.
    Errors,
    /// The mean time of a request.
    Mean,
    /// The time that this share of the requests did not exceed, in percent.
    Percentile(f64),
    /// The score of a benchmark, or the time of a command, by its name.
    Named(String),
}

/// The unit of a foreign figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForeignUnit {
    /// Seconds.
    Seconds,
    /// Per second.
    PerSecond,
    /// A share, from 0 to 1.
    Share,
    /// A unit of the tool, such as `B/op`.
    Other(String),
}

/// A figure of another tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForeignFigure {
    pub measure: ForeignMeasure,
    pub unit: ForeignUnit,
    /// Its value in that unit.
    pub value: f64,
    /// The lower end of the interval that the tool gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The upper end of that interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// The figures of one file of another tool, as a point of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForeignRun {
    /// The name of the series.
    pub series: String,
    pub tool: ForeignTool,
    /// When it was measured, such as `2026-11-26T08:15:00Z`.
    pub at: String,
    /// The name of the file, without its folder.
    pub file: String,
    /// The figures, in the order of the file.
    pub figures: Vec<ForeignFigure>,
}

/// A series of another tool, beside the history of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForeignSeries {
    pub series: String,
    pub tool: ForeignTool,
    /// Its figures from time to time.
    pub figures: Vec<ForeignHistory>,
}

/// One figure from time to time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForeignHistory {
    pub measure: ForeignMeasure,
    pub unit: ForeignUnit,
    /// Its values, the oldest first.
    pub points: Vec<ForeignPoint>,
}

/// One value of a foreign figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForeignPoint {
    /// When it was measured.
    pub at: String,
    pub value: f64,
    /// The lower end of the interval that the tool gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The upper end of that interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// Puts the figures of many files together, series by series and figure by figure; the files of a series are in order, the oldest first.
pub fn series_of(runs: &[ForeignRun]) -> Vec<ForeignSeries> {
    let mut all: Vec<ForeignSeries> = Vec::new();
    for run in runs {
        let is_same = |known: &&mut ForeignSeries| known.series == run.series && known.tool == run.tool;
        let place = match all.iter_mut().find(is_same) {
            Some(known) => known,
            None => {
                all.push(ForeignSeries { series: run.series.clone(), tool: run.tool, figures: Vec::new() });
                let Some(new) = all.last_mut() else { continue };
                new
            }
        };
        for figure in &run.figures {
            place.add(figure, &run.at);
        }
    }
    all
}

impl ForeignSeries {
    fn add(&mut self, figure: &ForeignFigure, at: &str) {
        let point =
            ForeignPoint { at: at.to_owned(), value: figure.value, low: figure.low, high: figure.high };
        let is_same =
            |known: &&mut ForeignHistory| known.measure == figure.measure && known.unit == figure.unit;
        match self.figures.iter_mut().find(is_same) {
            Some(known) => known.points.push(point),
            None => self.figures.push(ForeignHistory {
                measure: figure.measure.clone(),
                unit: figure.unit.clone(),
                points: vec![point],
            }),
        }
    }
}
