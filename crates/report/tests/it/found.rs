//! The result of a search in every form: in 80 columns, in both languages, and as a plot with the fitted curve.

use crate::made;
use ask::experiment::Headline;
use model::measure::Measure;
use model::reason::{GeneratorLimit, NoRate, Reason};
use model::units::{Rate, Share};
use record::finding::Cause;
use record::outcome::{Estimate, Report, Verdict};
use record::rate_curve::RatePoint;
use record::search::{Capacity, CapacityEnd, Curve, Knee, MaxRate, NoCurve, Probe, SearchResult};
use record::series::Series;
use say::Language;

const SIZE: made::Size = made::Size { levels: 6, ..made::SMALL };

fn around(value: f64) -> Estimate {
    Estimate { value, low: Some(value * 0.9), high: Some(value * 1.1) }
}

/// A search for a capacity in which the first arm has a curve and the second has none.
fn climbed() -> Report {
    let mut report = made::report(SIZE);
    report.design.headline = Some(Headline::One(Measure::Capacity));
    report.comparisons.truncate(1);
    report.comparisons[0].measure = Measure::Capacity;
    report.comparisons[0].level = None;
    for (index, arm) in report.arms.iter_mut().enumerate() {
        arm.levels.retain(|level| level.load.users.is_some());
        let curve =
            Curve { gamma: around(1000.0), alpha: around(0.08), beta: around(2e-5), peak_users: None };
        arm.found = Some(SearchResult::Capacity(Capacity {
            most: Some(around(9_200.0)),
            knee: Some(Knee { users: around(100.0), fitted: index == 0, corner: false }),
            curve: Some(curve).filter(|_| index == 0),
            no_curve: (index == 1).then_some(NoCurve::TooFewSteps),
            ended: CapacityEnd::Flat { tried: 1000 },
            tried: 1000,
            limiter: (index == 0).then_some(Cause::ThreadPoolLimit),
        }));
    }
    report
}

#[test]
fn a_capacity_is_said_and_every_step_listed() {
    let report = climbed();
    let markdown = report::markdown::text(&report, Language::En);
    let section = markdown.split("## ").find(|part| part.starts_with("Result of the search"));
    insta::assert_snapshot!(section.expect("a section"));
    for lang in [Language::En, Language::Zh] {
        let text = report::terminal::text(&report, false, lang);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
    let chinese = report::terminal::text(&report, false, Language::Zh);
    assert!(chinese.contains("拐点") && chinese.contains("用户数不足六种"), "{chinese}");
}

#[test]
fn the_fitted_curve_is_drawn_dashed_and_the_knee_lies_on_it() {
    let report = climbed();
    let plots = report::plot::all(&report, &made::series(SIZE), Language::En);
    let levels = plots.iter().find(|plot| plot.name == "levels").expect("a plot");
    let drawn = levels.inline();
    assert_eq!(drawn.matches("line dashed arm0").count(), 1);
    assert_eq!(drawn.matches("dashed arm1").count(), 0, "it has no curve");
    assert_eq!(drawn.matches("knee\"").count(), 2);
    assert!(drawn.contains("scalability"));
}

/// A search for the highest rate in which the first arm has a rate and the second was too fast for the generator.
fn searched() -> Report {
    let mut report = climbed();
    report.design.headline = Some(Headline::One(Measure::MaxRate));
    report.comparisons[0].measure = Measure::MaxRate;
    for (index, arm) in report.arms.iter_mut().enumerate() {
        let saturated = Reason::GeneratorSaturated(GeneratorLimit::EventLoopBusy {
            share: Share(0.91),
            limit: Share(0.8),
        });
        let late = Reason::InStarts {
            reason: Box::new(Reason::NoRate(NoRate::Generator {
                rate: Rate(9119.0),
                reason: Box::new(saturated),
            })),
            starts: 5,
            all: 5,
        };
        arm.found = Some(SearchResult::MaxRate(MaxRate {
            objective: "response_p99 < 20ms".to_owned(),
            allowed: Some(Share(0.01)),
            rate: (index == 0).then(|| around(4200.0)),
            kept: Some(Rate(4000.0)),
            limiter: (index == 0).then_some(Cause::ThreadPoolLimit),
            why_none: (index == 1).then_some(late),
            probes: [(3600.0, 0.0), (4000.0, 0.004), (4400.0, 0.08)]
                .map(|(rate, share)| Probe { rate: Rate(rate), share: Share(share), requests: 8000 })
                .into(),
        }));
    }
    report
}

#[test]
fn a_rate_is_said_with_its_objective_or_why_there_is_none() {
    let report = searched();
    let text = report::terminal::text(&report, false, Language::En);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "tomcat-9: up to 4200 /s [3780 /s, 4620 /s] with response_p99 < 20ms",
        "tomcat-10.1: the highest rate with response_p99 < 20ms is not known, because in 5 of 5 starts the generator",
        "it was kept at 4000 /s",
    ] {
        assert!(words.contains(said), "{said} in\n{text}");
    }
    let chinese = report::terminal::text(&report, false, Language::Zh);
    assert!(chinese.contains("最高 4200 /s") && chinese.contains("压测端每秒最多"), "{chinese}");
    assert!(report::markdown::text(&report, Language::En).contains("- tomcat-9: up to"));
}

#[test]
fn missed_shares_are_drawn_with_the_allowed_share() {
    let report = searched();
    let plots = report::plot::all(&report, &Series::default(), Language::En);
    let rates = plots.iter().find(|plot| plot.name == "rates").expect("a plot");
    let drawn = rates.inline();
    assert!(drawn.contains("Requests over the limit of response_p99 &lt; 20ms"), "{drawn}");
    // There are a line for each arm, the allowed share, and a ring for the one arm whose rate was found.
    let count = |what: &str| drawn.matches(what).count();
    assert_eq!((count("<path class=\"line"), count("dashed"), count("knee")), (2, 1, 1));
    let page = report::html::text(&report, &Series::default(), Language::Zh);
    assert!(page.contains("各速率下超出限值的请求"));
}

/// A report with three rates. The generator was late at the last rate.
fn with_rates() -> Report {
    let mut report = made::report(made::SMALL);
    for (index, arm) in report.arms.iter_mut().enumerate() {
        let point = |(place, rate): (usize, &f64)| RatePoint {
            rate: Rate(*rate),
            starts: 3,
            cpu_per_request: Some(around(4e-5 * (1.0 + index as f64))),
            response_p50: Some(around(1e-3)).filter(|_| place < 2),
            response_p99: Some(around(8e-3)).filter(|_| place < 2),
            generator_late: place == 2,
        };
        arm.curve = [4_000.0, 8_000.0, 16_000.0].iter().enumerate().map(point).collect();
    }
    report
}

#[test]
fn a_curve_over_rates_is_a_table_and_a_plot() {
    let report = with_rates();
    let markdown = report::markdown::text(&report, Language::En);
    let cells = |title: &str| {
        let row = markdown.lines().find(|line| line.contains(title)).expect(title);
        row.split('|').map(str::trim).skip(2).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(cells("CPU per request, 4000 /s"), "40.0 µs 80.0 µs ");
    assert_eq!(cells("response p99, 16.0 k/s"), "– – ", "the generator was late");
    assert!(markdown.contains("the generator was late in most slices"));
    let plots = report::plot::all(&report, &Series::default(), Language::Zh);
    let curve = plots.iter().find(|plot| plot.name == "curve").expect("a plot").inline();
    let lines = curve.matches("<path class=\"line").count();
    assert_eq!(lines, 4, "two arms in two panels: {curve}");
    assert!(report::json(&report).contains("\"generator_late\": true"));
    assert!(!report::markdown::text(&searched(), Language::En).contains("by rate"));
}

#[test]
fn a_build_fails_without_a_result_and_not_for_an_invalid_load_of_the_search() {
    let red = |report: &Report| {
        let junit = report::junit::text(report, Language::En);
        let errors = ["<error ", "::error "].map(|sign| {
            let text = junit.clone() + &report::annotations::github(report, Language::En);
            text.matches(sign).count()
        });
        let comment = report::comment::text(report, Language::En).contains("no verdict:");
        (errors, comment, report.is_valid())
    };
    let mut report = searched();
    report.comparisons[0].verdict = Verdict::Same;
    report.arms[1].levels[0].valid = false;
    report.arms[1].levels[0].why_invalid = Some(Reason::NoValue);
    assert_eq!(red(&report), ([0, 0], false, true), "a load on the way");
    report.comparisons[0].verdict = Verdict::Invalid;
    assert_eq!(red(&report), ([1, 1], true, false), "nothing was found");
}
