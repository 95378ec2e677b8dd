//! The JSON of k6, Gatling, JMH and hyperfine.

use super::{Figures, NoFigures, errors, figure, seconds, throughput};
use model::foreign::{ForeignFigure, ForeignMeasure, ForeignTool, ForeignUnit};
use serde_json::Value;

/// The percentiles of Gatling's statistics, as its configuration has them unless somebody changes it.
const GATLING_PERCENTILES: [(&str, f64); 4] =
    [("percentiles1", 50.0), ("percentiles2", 75.0), ("percentiles3", 95.0), ("percentiles4", 99.0)];

/// Reads a file by what its JSON holds.
pub(super) fn read(text: &str) -> Result<Figures, NoFigures> {
    let root: Value = serde_json::from_str(text).map_err(|_| NoFigures::Unknown)?;
    let (tool, figures) = if root["metrics"]["http_req_duration"].is_object() {
        (ForeignTool::K6, k6(&root["metrics"]))
    } else if root["stats"]["numberOfRequests"].is_object() {
        (ForeignTool::Gatling, gatling(&root["stats"]))
    } else if root["numberOfRequests"].is_object() {
        (ForeignTool::Gatling, gatling(&root))
    } else if root["results"][0]["command"].is_string() {
        (ForeignTool::Hyperfine, hyperfine(&root["results"]))
    } else if root[0]["primaryMetric"].is_object() {
        (ForeignTool::Jmh, jmh(&root))
    } else {
        return Err(NoFigures::Unknown);
    };
    let figures = figures.ok_or(NoFigures::Broken { tool, line: None })?;
    Ok(Figures { tool, at: None, figures })
}

/// Reads the metrics of `--summary-export`, or of `handleSummary`, where they lie one level deeper.
fn k6(metrics: &Value) -> Option<Vec<ForeignFigure>> {
    let values = |name: &str| {
        let metric = &metrics[name];
        metric.get("values").unwrap_or(metric)
    };
    let times = values("http_req_duration").as_object()?;
    let failed = values("http_req_failed");
    let share = failed.get("rate").or_else(|| failed.get("value"));
    let mut figures = vec![throughput(values("http_reqs")["rate"].as_f64()?)];
    figures.extend(share.and_then(Value::as_f64).map(|share| errors(share, 1.0)));
    figures.push(seconds(ForeignMeasure::Mean, times.get("avg")?.as_f64()? / 1000.0));
    let percentiles = times.iter().filter_map(|(name, value)| {
        let percent = match name.as_str() {
            "med" => 50.0,
            name => name.strip_prefix("p(")?.strip_suffix(')')?.parse().ok()?,
        };
        Some((percent, value.as_f64()? / 1000.0))
    });
    let mut percentiles: Vec<(f64, f64)> = percentiles.collect();
    percentiles.sort_by(|one, other| one.0.total_cmp(&other.0));
    percentiles.dedup_by(|one, other| one.0 == other.0);
    let percentiles = percentiles.into_iter();
    figures.extend(percentiles.map(|(percent, value)| seconds(ForeignMeasure::Percentile(percent), value)));
    Some(figures)
}

/// Reads the statistics of all requests.
fn gatling(stats: &Value) -> Option<Vec<ForeignFigure>> {
    let of = |name: &str, part: &str| gatling_number(&stats[name][part]);
    let mut figures = vec![
        throughput(of("meanNumberOfRequestsPerSecond", "total")?),
        errors(of("numberOfRequests", "ko").unwrap_or(0.0), of("numberOfRequests", "total")?),
        seconds(ForeignMeasure::Mean, of("meanResponseTime", "total")? / 1000.0),
    ];
    for (name, percent) in GATLING_PERCENTILES {
        let value = of(name, "total").map(|value| value / 1000.0);
        figures.extend(value.map(|value| seconds(ForeignMeasure::Percentile(percent), value)));
    }
    Some(figures)
}

/// A number of Gatling: early versions write `" 92,163"`, and `"-"` for none.
fn gatling_number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.replace([',', ' '], "").parse().ok(),
        value => value.as_f64(),
    }
}

/// Reads the mean time of every command.
fn hyperfine(results: &Value) -> Option<Vec<ForeignFigure>> {
    let results = results.as_array()?.iter().map(|result| {
        let name = ForeignMeasure::Named(result["command"].as_str()?.to_owned());
        Some(seconds(name, result["mean"].as_f64()?))
    });
    results.collect()
}

/// Reads the score of every benchmark, with its 99.9 % interval.
fn jmh(results: &Value) -> Option<Vec<ForeignFigure>> {
    results.as_array()?.iter().map(jmh_score).collect()
}

fn jmh_score(result: &Value) -> Option<ForeignFigure> {
    let params = result["params"].as_object().into_iter().flatten();
    let params = params.map(|(name, value)| format!(" {name}={}", value.as_str().unwrap_or_default()));
    let name = format!(
        "{} ({}){}",
        result["benchmark"].as_str()?,
        result["mode"].as_str()?,
        params.collect::<String>()
    );
    let metric = &result["primaryMetric"];
    let (unit, factor) = jmh_unit(metric["scoreUnit"].as_str()?);
    let bound = |at: usize| Some(metric["scoreConfidence"][at].as_f64()? * factor);
    Some(ForeignFigure {
        low: bound(0),
        high: bound(1),
        ..figure(ForeignMeasure::Named(name), unit, metric["score"].as_f64()? * factor)
    })
}

/// The unit of a score such as `ops/us` or `ns/op`, and by what the score is multiplied.
fn jmh_unit(text: &str) -> (ForeignUnit, f64) {
    let in_seconds = |unit: &str| match unit {
        "ns" => Some(1e-9),
        "us" => Some(1e-6),
        "ms" => Some(1e-3),
        "s" => Some(1.0),
        "min" => Some(60.0),
        _ => None,
    };
    let time = text.strip_suffix("/op").and_then(in_seconds);
    let rate = text.strip_prefix("ops/").and_then(in_seconds);
    match (time, rate) {
        (Some(factor), _) => (ForeignUnit::Seconds, factor),
        (_, Some(factor)) => (ForeignUnit::PerSecond, 1.0 / factor),
        (None, None) => (ForeignUnit::Other(text.to_owned()), 1.0),
    }
}
