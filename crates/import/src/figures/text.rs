//! The texts that wrk and ApacheBench print.

use super::{Figures, NoFigures, errors, seconds, throughput};
use model::foreign::{ForeignFigure, ForeignMeasure, ForeignTool};

/// The percentiles that are taken from the longer lists of the tools.
const PERCENTILES: [f64; 5] = [50.0, 75.0, 90.0, 95.0, 99.0];

pub(super) fn is_wrk(text: &str) -> bool {
    text.starts_with("Running ") && text.contains("Thread Stats")
}

pub(super) fn is_ab(text: &str) -> bool {
    text.starts_with("This is ApacheBench")
}

/// The number with which the text behind these words begins.
fn number_after(text: &str, words: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix(words));
    line?.split_whitespace().next()?.parse().ok()
}

/// Reads the text of wrk or wrk2.
pub(super) fn wrk(text: &str) -> Result<Figures, NoFigures> {
    let tool = ForeignTool::Wrk;
    let broken = NoFigures::Broken { tool, line: None };
    let rate = number_after(text, "Requests/sec:").ok_or(broken.clone())?;
    let mut lines = text.lines().map(str::trim_start);
    let requests = lines.find(|line| line.contains(" requests in "));
    let requests: f64 =
        requests.and_then(|line| line.split(' ').next()?.parse().ok()).ok_or(broken.clone())?;
    let sockets = text.lines().find_map(|line| line.trim_start().strip_prefix("Socket errors:"));
    let sockets: f64 = sockets.map_or(0.0, |line| {
        let numbers = line.split(',').filter_map(|part| part.split_whitespace().last());
        numbers.filter_map(|number| number.parse::<f64>().ok()).sum()
    });
    let wrong = number_after(text, "Non-2xx or 3xx responses:").unwrap_or(0.0);
    let mean = text.lines().find_map(|line| line.trim_start().strip_prefix("Latency "));
    let mean = mean.and_then(|line| time(line.split_whitespace().next()?));
    let mut figures = vec![throughput(rate), errors(wrong + sockets, requests + sockets)];
    figures.push(seconds(ForeignMeasure::Mean, mean.ok_or(broken)?));
    let percentiles = text.lines().filter_map(|line| {
        let (percent, value) = line.trim().split_once('%')?;
        percentile(percent.parse().ok()?, time(value.trim())?)
    });
    figures.extend(percentiles);
    Ok(Figures { tool, at: None, figures })
}

/// Seconds of a time such as `748.37us`, `7.86ms`, `1.02s` or `1.50m`.
fn time(text: &str) -> Option<f64> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(unit);
    let factor = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}

fn percentile(percent: f64, value: f64) -> Option<ForeignFigure> {
    let is_wanted = PERCENTILES.contains(&percent);
    is_wanted.then(|| seconds(ForeignMeasure::Percentile(percent), value))
}

/// Reads the text of ApacheBench, whose percentiles are whole milliseconds.
pub(super) fn ab(text: &str) -> Result<Figures, NoFigures> {
    let tool = ForeignTool::Ab;
    let broken = || NoFigures::Broken { tool, line: None };
    let number = |words: &str| number_after(text, words);
    let requests = number("Complete requests:").ok_or_else(broken)?;
    let failed = number("Failed requests:").ok_or_else(broken)?;
    let wrong = number("Non-2xx responses:").unwrap_or(0.0);
    let rate = number("Requests per second:").ok_or_else(broken)?;
    // The first of two lines with these words is the time that a request took.
    let mean = number("Time per request:").ok_or_else(broken)?;
    let mut figures = vec![throughput(rate), errors(failed + wrong, requests)];
    figures.push(seconds(ForeignMeasure::Mean, mean / 1000.0));
    let percentiles = text.lines().filter_map(|line| {
        let (percent, value) = line.trim().split_once('%')?;
        let value: f64 = value.trim().parse().ok()?;
        percentile(percent.parse().ok()?, value / 1000.0)
    });
    figures.extend(percentiles);
    Ok(Figures { tool, at: None, figures })
}
