//! `prony history` on a terminal: in 80 columns, however long names are, and in both languages.

use crate::made;
use model::foreign::{ForeignHistory, ForeignMeasure, ForeignPoint, ForeignSeries, ForeignTool, ForeignUnit};
use model::load::Load;
use model::measure::Measure;
use model::units::Rate;
use record::decision::{Decision, DecisionKind};
use record::history::{Drift, Gate, History, LeftOut, LevelChange, Point, State, WhyLeftOut, Worsening};
use record::pair::DifferingFact;
use report::history;
use say::Language;

fn fact(name: &str, before: Option<&str>, after: Option<&str>) -> DifferingFact {
    DifferingFact { name: name.to_owned(), sides: [before, after].map(|value| value.map(str::to_owned)) }
}

/// A series with a change, of the runs that `run` names.
fn drift(run: &impl Fn(u32) -> String) -> Drift {
    let build = "arm/tomcat:10.1.59,threads=200/build";
    let kernel = "6.18.44 with a name that is longer than a line of a terminal is wide";
    let change = LevelChange {
        run: run(2),
        before: run(1),
        ratio: 1.042,
        p: 0.001,
        confirmed: true,
        differs: vec![
            fact(build, Some("6ff1c3e"), Some("09ab1d2")),
            fact("kernel", None, Some(kernel)),
        ],
        decision: Some(Decision {
            run: run(2),
            kind: DecisionKind::Accepted,
            comment: "the parser checks its input now, which costs what it costs: see the minutes of the meeting\nof Monday"
                .to_owned(),
            by: "nina".to_owned(),
            at: "2026-11-26T08:15:00Z".to_owned(),
        }),
    };
    let point = |number| Point { run: run(number), ratio: 0.97, low: Some(0.95), high: None };
    Drift {
        arm: "tomcat:10.1.59,threads=200".to_owned(),
        baseline: "tomcat:9.0.117,threads=200".to_owned(),
        measure: Measure::CpuPerRequest,
        level: None,
        at_other_rates: 3,
        points: [1, 2].map(point).into(),
        changes: vec![change],
        last_is_odd: None,
    }
}

/// A series of another tool with long names, and one of a benchmark.
fn foreign() -> Vec<ForeignSeries> {
    let figure = |measure, unit, values: &[f64]| ForeignHistory {
        measure,
        unit,
        points: values
            .iter()
            .map(|value| ForeignPoint {
                at: "2026-11-26T08:15:00Z".to_owned(),
                value: *value,
                low: None,
                high: None,
            })
            .collect(),
    };
    let benchmark =
        ForeignMeasure::Named("com.example.shop.PriceListBenchmark.sum (avgt) n=1000000".to_owned());
    let bytes = ForeignUnit::Other("B/op".to_owned());
    vec![
        ForeignSeries {
            series: "JMeter on the old staging machine, which nobody wants to touch any more, really"
                .to_owned(),
            tool: ForeignTool::Jmeter,
            figures: vec![
                figure(ForeignMeasure::Throughput, ForeignUnit::PerSecond, &[1234.5, 1300.0]),
                figure(ForeignMeasure::Errors, ForeignUnit::Share, &[0.05, 0.0]),
                figure(ForeignMeasure::Mean, ForeignUnit::Seconds, &[0.02, 0.021]),
                figure(ForeignMeasure::Percentile(99.9), ForeignUnit::Seconds, &[1.5]),
            ],
        },
        ForeignSeries {
            series: "micro".to_owned(),
            tool: ForeignTool::Jmh,
            figures: vec![figure(benchmark, bytes, &[16.0])],
        },
    ]
}

/// What makes a gate another one, with the words that tell of it in English and in Chinese.
type Outcome = (fn(&mut Gate), &'static str, &'static str);

fn stored() -> History {
    let long = "compare-tomcat:10.1.59-with-threads";
    let several = made::Size { levels: 3, ..made::SMALL };
    let mut ended = made::report(several);
    ended.design.interrupted = true;
    let run = |number: u32| format!("2026-11-22T10:15:32Z-{number:04}");
    let drift = drift(&run);
    let worse = Worsening {
        arm: drift.arm.clone(),
        measure: drift.measure,
        level: None,
        change: drift.changes[0].clone(),
    };
    let left_out = [WhyLeftOut::MachineClass, WhyLeftOut::Method, WhyLeftOut::Workload, WhyLeftOut::Anchor];
    History {
        runs: vec![
            history::past(&run(1), "short", &made::report(made::SMALL)),
            history::past(&run(2), long, &ended),
            history::without_report(&run(3), "killed", State::NotFinished),
            history::without_report(&run(4), long, State::Unreadable),
        ],
        left_out: left_out.map(|why| LeftOut { why, runs: 2 }).into(),
        decisions: Vec::new(),
        facts: Vec::new(),
        foreign: foreign(),
        gate: Some(Gate {
            newest: Some(run(2)),
            anchor: Some(drift.baseline.clone()),
            series: 1,
            runs: 9,
            needed: 8,
            worse: vec![worse],
        }),
        drift: vec![drift],
    }
}

#[test]
fn the_gate_says_in_both_languages_what_it_found() {
    let said = |change: fn(&mut Gate), lang| {
        let mut history = History { gate: stored().gate, ..History::default() };
        history.gate.iter_mut().for_each(change);
        history::text(&history, lang)
    };
    let outcomes: [Outcome; 5] = [
        (|_| {}, "gate: worse than before", "变差，参照"),
        (|gate| gate.worse.clear(), "no change for the worse", "没有显示变差"),
        (
            |gate| (gate.worse, gate.runs) = (Vec::new(), 7),
            "has 7 of the 8 runs",
            "只有 7 次运行，而需要 8 次",
        ),
        (|gate| (gate.worse, gate.series) = (Vec::new(), 0), "no valid figure", "没有有效数值"),
        (
            |gate| (gate.worse, gate.newest) = (Vec::new(), None),
            "no run of this experiment has ended",
            "没有已结束的运行",
        ),
    ];
    for (change, english, chinese) in outcomes {
        let text = said(change, Language::En);
        assert!(text.replace("\n  ", " ").contains(english), "{text}");
        let text = said(change, Language::Zh);
        assert!(text.contains(chinese), "{text}");
    }
}

#[test]
fn no_line_is_wider_than_a_terminal_and_a_run_that_cannot_be_read_is_listed() {
    let english = history::text(&stored(), Language::En);
    insta::assert_snapshot!(english);
    let chinese = history::text(&stored(), Language::Zh);
    assert!(chinese.contains("此版本的 prony 无法读取"), "{chinese}");
    for line in english.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn a_series_at_a_rate_of_sessions_says_so() {
    let said = |sessions, lang| {
        let mut stored = stored();
        stored.drift[0].level = Some(Load { rate: Some(Rate(20.0)), sessions, ..Load::default() });
        history::text(&stored, lang)
    };
    for (lang, words) in [(Language::En, "20.0 sessions/s"), (Language::Zh, "20.0 会话/s")] {
        let text = said(true, lang);
        assert!(text.contains(words), "{text}");
        assert!(!said(false, lang).contains(words));
        assert!(lang != Language::En || text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
