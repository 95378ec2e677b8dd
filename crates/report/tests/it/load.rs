//! How loads are named: a single load, the parts of a fixed rate, and the priority of the generator.

use crate::made::{self, SMALL};
use model::load::Load;
use model::machine::GeneratorPriority;
use model::measure::Measure;
use model::times::{Clock, TimeStatistic};
use model::units::{Count, Rate, Seconds};
use record::events::{EventResult, EventTimes};
use record::level_figure::LevelFigure;
use record::outcome::{Estimate, Level, RateOrigin, StageRate, StreamCounts, Worst};
use say::Language;

fn with_interval(value: f64) -> Estimate {
    Estimate { value, low: Some(value * 0.97), high: Some(value * 1.03) }
}

fn seen(value: f64) -> Estimate {
    Estimate { value, low: None, high: None }
}

#[test]
fn a_single_load() {
    let mut load = made::report(SMALL);
    load.comparisons.clear();
    load.arms.truncate(1);
    (load.design.starts, load.design.starts_void) = (0, 0);
    load.arms[0].name = "http://127.0.0.1:8080/json".into();
    load.arms[0].levels.truncate(1);
    let service = |statistic| LevelFigure::time(Clock::Service, statistic);
    let level = &mut load.arms[0].levels[0];
    level.counts.tls_handshakes = 32;
    level.counts.tls_resumed = 24;
    level.counts.http2 = StreamCounts {
        resets: [("INTERNAL_ERROR".to_owned(), 3), ("REFUSED_STREAM".to_owned(), 2)].into(),
        goaways: [("NO_ERROR".to_owned(), 1)].into(),
        stream_waits: 40,
        stream_waited: Seconds(0.02),
        connections: 2,
        streams: Count(48.0),
        stream_limit: Some(100),
        ..StreamCounts::default()
    };
    level.measures = [
        (Measure::Throughput.into(), with_interval(31_000.0)),
        (service(TimeStatistic::P50), with_interval(8e-4)),
        (service(TimeStatistic::P99), with_interval(3e-3)),
        (service(TimeStatistic::P999), seen(1e-2)),
    ]
    .into();
    level.not_estimable =
        [(service(TimeStatistic::P95), Seconds(7.0)), (service(TimeStatistic::P999), Seconds(340.2))].into();
    level.worst = Some(Worst { value: Seconds(0.02), at: Seconds(3.4) });
    let priority = GeneratorPriority::Raised { nice: -15 }.to_string();
    load.fingerprint.insert(GeneratorPriority::FACT.to_owned(), priority);
    insta::assert_snapshot!(report::terminal::text(&load, false, Language::En));
    for text in [
        report::terminal::text(&load, false, Language::Zh),
        report::markdown::text(&load, Language::Zh),
        report::html::text(&load, &made::series(SMALL), Language::Zh),
    ] {
        for part in ["10.0 ms †（约需 5.7 分钟）", "† 没有区间", "，nice -15"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

#[test]
fn events_of_answers_that_stream_are_told_in_every_form() {
    let times = |p50, p99, max| EventTimes { p50: with_interval(p50), p99: seen(p99), max: Seconds(max) };
    let mut run = made::report(SMALL);
    for level in run.arms.iter_mut().flat_map(|arm| &mut arm.levels) {
        level.events = Some(EventResult {
            events: 40_000,
            left: 12,
            per_second: Some(with_interval(4_000.0)),
            first: Some(times(0.002, 0.004, 0.011)),
            gap: Some(times(0.1003, 0.1201, 0.35)),
        });
    }
    let json: serde_json::Value = serde_json::from_str(&report::json(&run)).expect("JSON");
    assert_eq!(json["arms"][0]["levels"][0]["events"]["gap"]["max"], 0.35);
    for text in [
        report::markdown::text(&run, Language::En),
        report::html::text(&run, &made::series(SMALL), Language::En),
    ] {
        for part in ["Events of answers that stream", "4000 /s", "100 ms", "350 ms"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    run.comparisons.clear();
    run.arms.truncate(1);
    (run.design.starts, run.design.starts_void) = (0, 0);
    let single = report::terminal::text(&run, false, Language::En);
    for part in [
        "events               40000   4000 /s; the rest of 12 answers was not read",
        "first event of an answer: p50 2.00 ms, p99 4.00 ms, longest 11.0 ms",
        "gap between events: p50 100 ms, p99 120 ms, longest 350 ms",
    ] {
        assert!(single.contains(part), "{part}: {single}");
    }
    assert!(report::terminal::text(&run, false, Language::Zh).contains("事件间隔：p50 100 ms"));
}

#[test]
fn the_priority_of_the_generator_is_told_where_it_was_recorded() {
    let mut run = made::report(SMALL);
    assert!(!report::terminal::text(&run, false, Language::En).contains("nice"));
    for (priority, told) in [
        (GeneratorPriority::Raised { nice: -15 }, "generator: nice -15"),
        (GeneratorPriority::RealTime { priority: 1 }, "generator: real-time priority 1"),
        (GeneratorPriority::Usual { nice: 0 }, "generator: nice 0 (a higher priority is not permitted)"),
    ] {
        run.fingerprint.insert(GeneratorPriority::FACT.to_owned(), priority.to_string());
        let text = report::terminal::text(&run, false, Language::En);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(told), "{told}: {text}");
    }
}

#[test]
fn the_origin_of_the_rate_is_said_of_the_whole_rate_only() {
    let mut mixed = made::report(SMALL);
    mixed.design.rate = Some(StageRate { value: Rate(8_200.0), origin: RateOrigin::Chosen });
    for arm in &mut mixed.arms {
        for (rate, together) in [(8_200.0, false), (4_100.0, true)] {
            arm.levels.push(Level {
                load: Load { rate: Some(Rate(rate)), together, ..Load::default() },
                ..arm.levels[0].clone()
            });
        }
    }
    let text = report::markdown::text(&mixed, Language::En);
    let loads = "a fixed 8200 /s (chosen in the first start), a fixed 4100 /s each, all arms at once, 2 CPUs";
    assert!(text.contains(loads), "{text}");
}
