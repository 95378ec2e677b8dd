//! Reports of sessions: what their rates count, and requirements on steps.

use crate::made::{self, SMALL};
use ask::require::Bound;
use model::load::Load;
use model::measure::Measure;
use model::units::Rate;
use record::outcome::{Estimate, GateVerdict, Report, Required, StepResult};
use record::rate_curve::RatePoint;
use say::Language;

fn estimate(value: f64) -> Estimate {
    Estimate { value, low: Some(value * 0.97), high: Some(value * 1.03) }
}

fn count_sessions(load: &mut Load) {
    load.sessions = load.rate.is_some();
}

/// A report of users who play sessions, in the closed loop and at a fixed rate.
fn played() -> Report {
    let mut report = made::report(SMALL);
    for level in report.arms.iter_mut().flat_map(|arm| &mut arm.levels) {
        count_sessions(&mut level.load);
        level.steps.push(StepResult {
            name: "pay".to_owned(),
            ended: 1000,
            ok: 1000,
            ..StepResult::default()
        });
    }
    let levels = report.comparisons.iter_mut().filter_map(|one| one.level.as_mut());
    levels.for_each(count_sessions);
    report
}

#[test]
fn plots_say_what_the_rates_on_their_axes_count() {
    let with_curve = |mut report: Report| {
        for arm in &mut report.arms {
            arm.curve = [10.0, 20.0].map(point).into();
        }
        report
    };
    let page = |report: &Report, lang| {
        let page = report::html::text(report, &made::series(SMALL), lang);
        page.replace("&#x2f;", "/")
    };
    let (plain, played) = (with_curve(made::report(SMALL)), with_curve(played()));
    for (lang, title) in [
        (Language::En, ["throughput, requests/s", "by rate, sessions/s", "CPU per request, 20.0 sessions/s"]),
        (Language::Zh, ["吞吐量，请求/s", "，会话/s", ", 20.0 会话/s"]),
    ] {
        for title in title {
            assert!(page(&played, lang).contains(title), "{title}");
            assert!(!page(&plain, lang).contains(title), "{title}");
        }
    }
}

/// The figures at a rate.
fn point(rate: f64) -> RatePoint {
    RatePoint {
        rate: Rate(rate),
        starts: 3,
        cpu_per_request: Some(estimate(4e-5)),
        response_p50: Some(estimate(1e-3)),
        response_p99: Some(estimate(8e-3)),
        generator_late: false,
    }
}

#[test]
fn rates_say_whether_they_count_requests_or_sessions() {
    let (plain, played) = (made::report(SMALL), played());
    for (lang, requests, sessions) in
        [(Language::En, " requests/s", " 8200 sessions/s"), (Language::Zh, " 请求/s", " 8200 会话/s")]
    {
        for said in [
            report::terminal::text(&played, false, lang),
            report::markdown::text(&played, lang),
            report::html::text(&played, &made::series(SMALL), lang),
        ] {
            // Pages escape slashes.
            let said = said.replace("&#x2f;", "/");
            assert!(said.contains(requests), "{said}");
            assert!(said.contains(sessions), "{said}");
        }
        let plain = report::markdown::text(&plain, lang);
        assert!(!plain.contains(requests) && !plain.contains(sessions), "{plain}");
    }
}

#[test]
fn a_requirement_on_a_step_names_the_step() {
    let mut report = played();
    let arm = report.arms.last().expect("an arm").name.clone();
    let required = |measure: Measure, bound: Bound, value: f64, verdict: GateVerdict| Required {
        arm: arm.clone(),
        step: Some("buyers: pay".to_owned()),
        level: None,
        measure: measure.into(),
        bound,
        estimate: Some(estimate(value)),
        verdict,
        why_invalid: None,
    };
    report.required = vec![
        required(Measure::Throughput, Bound::Above(20.0), 25.0, GateVerdict::Pass),
        required(Measure::ResponseP99, Bound::Below(0.02), 0.031, GateVerdict::Fail),
    ];
    let text = report::markdown::text(&report, Language::En);
    for said in ["buyers: pay: throughput > 20.0 steps/s", "buyers: pay: response p99 < 20.0 ms"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let json: serde_json::Value = serde_json::from_str(&report::json(&report)).expect("our own JSON");
    assert_eq!(json["required"][0]["step"], "buyers: pay");
}
