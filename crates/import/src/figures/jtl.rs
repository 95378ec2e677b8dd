//! Samples of JMeter.

use super::{Figures, NoFigures, errors, seconds, throughput};
use jiff::Timestamp;
use model::foreign::{ForeignMeasure, ForeignTool};

/// The percentiles of samples.
const PERCENTILES: [f64; 3] = [50.0, 90.0, 99.0];

/// A sample, in milliseconds.
struct Sample {
    /// When it began, since 1970.
    begin: i64,
    elapsed: u64,
    success: bool,
}

const fn broken(line: Option<u64>) -> NoFigures {
    NoFigures::Broken { tool: ForeignTool::Jmeter, line }
}

/// Reads CSV with a line of names. The samples of a Transaction Controller are samples too, as they are in JMeter's own report.
pub(super) fn read_csv(text: &str) -> Result<Figures, NoFigures> {
    let head = text.lines().next().unwrap_or_default();
    let delimiter =
        [b',', b';', b'\t', b'|'].into_iter().find(|delimiter| head.as_bytes().contains(delimiter));
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter.ok_or(NoFigures::Unknown)?)
        .from_reader(text.as_bytes());
    let names = reader.headers().map_err(|_| NoFigures::Unknown)?.clone();
    let column = |wanted: &str| names.iter().position(|name| name == wanted);
    let (Some(begin), Some(elapsed)) = (column("timeStamp"), column("elapsed")) else {
        return Err(NoFigures::Unknown);
    };
    let success = column("success");
    let mut samples = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| broken(error.position().map(csv::Position::line)))?;
        let line = record.position().map(csv::Position::line);
        let field = |column: usize| record.get(column).unwrap_or_default();
        samples.push(Sample {
            begin: field(begin).parse().map_err(|_| broken(line))?,
            elapsed: field(elapsed).parse().map_err(|_| broken(line))?,
            success: success.is_none_or(|column| field(column) != "false"),
        });
    }
    summary(samples)
}

/// Reads XML. Samples within samples, such as a page's pictures, are parts of the outer ones.
pub(super) fn read_xml(text: &str) -> Result<Figures, NoFigures> {
    if !text.contains("<testResults") {
        return Err(NoFigures::Unknown);
    }
    let document =
        roxmltree::Document::parse(text).map_err(|error| broken(Some(u64::from(error.pos().row))))?;
    let root = document.root_element();
    let elements = root.children().filter(roxmltree::Node::is_element);
    let samples = elements.map(|element| {
        let line = u64::from(document.text_pos_at(element.range().start).row);
        let number = |name: &str| element.attribute(name).ok_or_else(|| broken(Some(line)));
        Ok(Sample {
            begin: number("ts")?.parse().map_err(|_| broken(Some(line)))?,
            elapsed: number("t")?.parse().map_err(|_| broken(Some(line)))?,
            success: element.attribute("s") != Some("false"),
        })
    });
    summary(samples.collect::<Result<_, _>>()?)
}

fn summary(samples: Vec<Sample>) -> Result<Figures, NoFigures> {
    let tool = ForeignTool::Jmeter;
    let begin = samples.iter().map(|sample| sample.begin).min();
    let end = samples.iter().map(|sample| sample.begin.saturating_add_unsigned(sample.elapsed));
    let (Some(begin), Some(end)) = (begin, end.max()) else {
        return Err(NoFigures::Empty(tool));
    };
    let count = samples.len() as f64;
    let failed = samples.iter().filter(|sample| !sample.success).count();
    let mut times: Vec<u64> = samples.iter().map(|sample| sample.elapsed).collect();
    times.sort_unstable();
    let all: u128 = times.iter().copied().map(u128::from).sum();
    let mut figures = vec![
        throughput(count / (end.saturating_sub(begin) as f64 / 1000.0)),
        errors(failed as f64, count),
        seconds(ForeignMeasure::Mean, all as f64 / count / 1000.0),
    ];
    figures.extend(PERCENTILES.map(|percent| {
        let rank = (percent / 100.0 * count).ceil().max(1.0) as usize;
        seconds(ForeignMeasure::Percentile(percent), times[rank.min(times.len()) - 1] as f64 / 1000.0)
    }));
    Ok(Figures { tool, at: Timestamp::from_millisecond(begin).ok(), figures })
}
