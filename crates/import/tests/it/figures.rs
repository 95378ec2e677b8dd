//! Figures of other tools, from files that the real tools have written; Gatling's is written by its documentation.

use import::figures::{Figures, NoFigures, figures};
use model::foreign::{ForeignMeasure, ForeignTool, ForeignUnit};

macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("../data/figures/", $name))
    };
}

/// The figures in a short form, such as `p99 0.257` or `throughput 22.6372`.
fn short(found: &Figures) -> Vec<String> {
    let figures = found.figures.iter().map(|figure| {
        let name = match &figure.measure {
            ForeignMeasure::Throughput => "throughput".to_owned(),
            ForeignMeasure::Errors => "errors".to_owned(),
            ForeignMeasure::Mean => "mean".to_owned(),
            ForeignMeasure::Percentile(percent) => format!("p{percent}"),
            ForeignMeasure::Named(name) => name.clone(),
        };
        let digits = format!("{:.5e}", figure.value).parse::<f64>().expect("a number");
        format!("{name} {digits}")
    });
    figures.collect()
}

fn read(text: &str, tool: ForeignTool) -> Figures {
    let found = figures(text).unwrap_or_else(|why| panic!("{why:?}"));
    assert_eq!(found.tool, tool);
    found
}

#[test]
fn samples_of_jmeter_are_counted_from_csv_and_xml() {
    let csv = read(file!("jmeter.csv"), ForeignTool::Jmeter);
    let expected =
        ["throughput 22.6372", "errors 0.475", "mean 0.07065", "p50 0.038", "p90 0.2", "p99 0.257"];
    assert_eq!(short(&csv), expected);
    let begun = "2026-11-26T12:05:37Z".parse::<jiff::Timestamp>().expect("a time");
    assert_eq!(csv.at.map(jiff::Timestamp::as_second), Some(begun.as_second()));
    let semicolons = file!("jmeter.csv").replace("\"work \"\"a, b\"\"\"", "work").replace(',', ";");
    assert_eq!(read(&semicolons, ForeignTool::Jmeter), csv);
    let xml = read(file!("jmeter.xml"), ForeignTool::Jmeter);
    assert_eq!(short(&xml)[..4], ["throughput 21.0416", "errors 0.475", "mean 0.0821", "p50 0.05"]);
    // A page with its pictures is one request.
    let nested = "<?xml version=\"1.0\"?><testResults version=\"1.2\"><httpSample t=\"100\" ts=\"1000\" s=\"true\">\
                  <httpSample t=\"40\" ts=\"1000\" s=\"true\"/></httpSample></testResults>";
    assert_eq!(short(&read(nested, ForeignTool::Jmeter))[0], "throughput 10");
}

#[test]
fn texts_of_wrk_and_ab_are_read() {
    let wrk = read(file!("wrk-latency.txt"), ForeignTool::Wrk);
    let expected = [
        "throughput 24838.2",
        "errors 0",
        "mean 0.00074837",
        "p50 0.00012",
        "p75 0.000188",
        "p90 0.000442",
        "p99 0.00786",
    ];
    assert_eq!(short(&wrk), expected);
    assert_eq!(
        short(&read(file!("wrk.txt"), ForeignTool::Wrk)),
        ["throughput 29578.4", "errors 0", "mean 0.0001591"]
    );
    let failing = file!("wrk.txt").replace(
        "Requests/sec",
        "  Socket errors: connect 0, read 83, write 0, timeout 400\n  Non-2xx or 3xx responses: 6017\nRequests/sec",
    );
    assert_eq!(short(&read(&failing, ForeignTool::Wrk))[1], "errors 0.19697");
    let ab = read(file!("ab.txt"), ForeignTool::Ab);
    let expected = [
        "throughput 2642.01",
        "errors 0",
        "mean 0.001514",
        "p50 0.001",
        "p75 0.001",
        "p90 0.001",
        "p95 0.007",
        "p99 0.016",
    ];
    assert_eq!(short(&ab), expected);
}

#[test]
fn json_of_k6_gatling_jmh_and_hyperfine_is_read() {
    let k6 = read(file!("k6-export.json"), ForeignTool::K6);
    let expected = [
        "throughput 11832.8",
        "errors 0",
        "mean 0.000150726",
        "p50 0.000100251",
        "p90 0.000212473",
        "p95 0.000337457",
    ];
    assert_eq!(short(&k6), expected);
    let handled = read(file!("k6-handle.json"), ForeignTool::K6);
    assert_eq!((short(&handled)[0].as_str(), handled.figures.len()), ("throughput 12683.1", 6));
    let gatling = read(file!("gatling.json"), ForeignTool::Gatling);
    let expected =
        ["throughput 98.361", "errors 0.05", "mean 0.048", "p50 0.035", "p75 0.052", "p95 0.14", "p99 0.31"];
    assert_eq!(short(&gatling), expected);
    // Early versions write texts.
    let early = file!("gatling.json").replace("6000", "\"    6,000\"").replace("310", "\"-\"");
    assert_eq!(short(&read(&early, ForeignTool::Gatling)), expected[..6]);
    let jmh = read(file!("jmh.json"), ForeignTool::Jmh);
    assert_eq!(short(&jmh)[0], "b.Sum.sum (thrpt) n=1 672464000");
    assert_eq!(short(&jmh)[2], "b.Sum.time (avgt) n=1 0.00000000219014");
    assert_eq!(jmh.figures[0].unit, ForeignUnit::PerSecond);
    let high = jmh.figures[2].high.expect("an interval");
    assert!((high - 10.7557e-9).abs() < 1e-12, "{high}");
    let hyperfine = read(file!("hyperfine.json"), ForeignTool::Hyperfine);
    assert_eq!(short(&hyperfine), ["true 0.00167195", "sleep 0.02 0.0506327"]);
}

#[test]
fn what_is_none_of_them_or_damaged_is_refused() {
    let unknown = [
        "",
        "hello, world",
        "{}",
        "[]",
        "[1]",
        "{\"metrics\": 3}",
        "<html/>",
        "a,b\n1,2\n",
        "{\"results\": []}",
    ];
    for unknown in unknown {
        assert_eq!(figures(unknown), Err(NoFigures::Unknown), "{unknown}");
    }
    let broken = |text: &str| match figures(text) {
        Err(NoFigures::Broken { tool, line }) => (tool, line),
        other => panic!("{other:?}"),
    };
    let csv = file!("jmeter.csv").replacen("1795694737044,103", "2026/11/26 12:05:37,103", 1);
    assert_eq!(broken(&csv), (ForeignTool::Jmeter, Some(3)));
    let xml = file!("jmeter.xml");
    assert_eq!(broken(&xml[..xml.len() - 30]).0, ForeignTool::Jmeter);
    assert_eq!(broken(&xml.replacen("ts=", "when=", 1)), (ForeignTool::Jmeter, Some(3)));
    let wrk = file!("wrk.txt");
    assert_eq!(broken(&wrk[..200]), (ForeignTool::Wrk, None));
    let head = file!("jmeter.csv").lines().next().expect("a line");
    assert_eq!(figures(head), Err(NoFigures::Empty(ForeignTool::Jmeter)));
}
