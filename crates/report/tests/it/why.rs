//! The report of an arm that ran alone, and what is said of a cause whose trial was in vain or of an arm that was not measured.

use crate::made;
use ask::experiment::Headline;
use model::load::Load;
use model::measure::Measure;
use model::reason::{FullLink, LinkWay, Reason};
use model::units::{BitRate, Rate, Share};
use record::finding::Cause;
use record::outcome::{Estimate, Report};
use record::search::{Capacity, CapacityEnd, Knee, NoCurve, SearchResult};
use report::history;
use say::Language;

const SIZE: made::Size = made::Size { levels: 6, ..made::SMALL };
const ONE: made::Size = made::Size { arms: 1, ..SIZE };

const MOST: Load = Load { users: Some(1000), rate: None, together: false, sessions: false };

/// A search with one arm, which is limited by its threads under the most users.
fn alone() -> Report {
    let mut report = made::report(SIZE);
    report.design.headline = Some(Headline::One(Measure::Capacity));
    (report.design.starts, report.design.starts_void) = (1, 0);
    report.comparisons.clear();
    report.arms.remove(0);
    let arm = &mut report.arms[0];
    report.design.baseline.clone_from(&arm.name);
    arm.levels.retain(|level| level.load.users.is_some());
    arm.diagnoses[0].level = MOST;
    arm.diagnoses[0].proved = None;
    let at = |value: f64| Estimate { value, low: None, high: None };
    arm.found = Some(SearchResult::Capacity(Capacity {
        most: Some(at(9_450.0)),
        knee: Some(Knee { users: at(93.4), fitted: false, corner: true }),
        curve: None,
        no_curve: Some(NoCurve::Pool { limit: Rate(9_450.0) }),
        ended: CapacityEnd::AllTried { tried: 1000 },
        tried: 1000,
        limiter: Some(Cause::ThreadPoolLimit),
    }));
    report
}

/// A text whose line ends are blanks.
fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_terminal_ends_with_a_paragraph_on_what_limits_the_arm() {
    let report = alone();
    let text = report::terminal::text(&report, false, Language::En);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let last = text.trim_end().rsplit("\n\n").next().expect("a paragraph");
    assert!(
        flowing(last).starts_with(
            "With 1000 connections tomcat-10.1 answers 9356 /s, half of the requests within 107 ms. 94 connections are \
             enough for that: any more only wait longer. What limits it there is thread-pool-limit: "
        ),
        "{last}"
    );
    assert!(
        flowing(last).ends_with("What to do: raise the Connector's `maxThreads` to 550 (`threads = 550`)."),
        "{last}"
    );
    let steps = text.lines().find(|line| line.starts_with("100 connections"));
    let steps = flowing(steps.expect("a row for each load"));
    assert_eq!(steps, "100 connections 9450 /s 10.6 ms 31.7 ms 106 µs");
    let chinese = report::terminal::text(&report, false, Language::Zh);
    assert!(flowing(&chinese).contains("此时的瓶颈是 thread-pool-limit"), "{chinese}");
}

#[test]
fn the_other_forms_begin_with_the_paragraph() {
    let report = alone();
    let markdown = report::markdown::text(&report, Language::En);
    let first = markdown.lines().nth(2).expect("a paragraph");
    assert!(first.starts_with("With 1000 connections "), "{markdown}");
    assert!(markdown.contains("\n## Figures by load\n"), "{markdown}");
    assert!(!markdown.contains("nothing was compared"), "{markdown}");
    let comment = report::comment::text(&report, Language::En);
    assert!(comment.contains("\nWith 1000 connections "), "{comment}");
    let page = report::html::text(&report, &made::series(ONE), Language::En);
    assert!(page.contains("With 1000 connections tomcat-10.1 answers"));
    let plots = report::plot::all(&report, &made::series(ONE), Language::En);
    assert!(plots.iter().any(|plot| plot.name == "levels"));
    let past = history::past("R1", "why", &report);
    let limiter = past.limiter.expect("what limits it");
    assert_eq!(limiter.cause, Some(Cause::ThreadPoolLimit));
}

#[test]
fn a_trial_and_further_causes_are_part_of_the_paragraph() {
    let paragraph = |report: &Report| {
        let text = report::terminal::text(report, false, Language::En);
        flowing(text.trim_end().rsplit("\n\n").next().expect("a paragraph"))
    };
    let mut report = alone();
    let proved = |value: f64| Estimate { value, low: Some(0.9 * value), high: Some(1.1 * value) };
    report.arms[0].diagnoses[0].proved = Some(proved(1.8));
    let text = paragraph(&report);
    assert!(
        text.ends_with("Tried: with threads = 500 throughput is 1.80 times as high [1.62, 1.98]."),
        "{text}"
    );
    report.arms[0].diagnoses[0].proved = Some(proved(1.0));
    let text = paragraph(&report);
    assert!(text.contains("Tried in vain: ") && !text.contains("What to do"), "{text}");
    report.arms[0].diagnoses.clear();
    assert!(paragraph(&report).ends_with("No limit was found up to there: more connections may show one."));
    let Some(SearchResult::Capacity(found)) = &mut report.arms[0].found else { panic!("a capacity") };
    found.knee = None;
    assert!(paragraph(&report).contains("Throughput was still growing"), "{}", paragraph(&report));
}

#[test]
fn a_load_that_was_not_measured_is_said_with_its_reason() {
    let mut report = alone();
    let level = report.arms[0].levels.last_mut().expect("a level");
    (level.valid, level.why_invalid) = (false, Some(Reason::NoValue));
    let text = flowing(&report::terminal::text(&report, false, Language::En));
    assert!(
        text.contains("With 1000 connections tomcat-10.1 was not measured: a measure has no value in it."),
        "{text}"
    );
    assert!(report.is_valid(), "the other loads count");
    for level in &mut report.arms[0].levels {
        level.valid = false;
    }
    assert!(!report.is_valid());
}

#[test]
fn a_setting_whose_trial_was_in_vain_is_not_advised() {
    let mut report = made::report(made::SMALL);
    report.arms[1].diagnoses[0].proved = Some(Estimate { value: 1.01, low: Some(0.98), high: Some(1.04) });
    let forms = |report: &Report| {
        [
            report::terminal::text(report, false, Language::En),
            report::markdown::text(report, Language::En),
            report::comment::text(report, Language::En),
            report::html::text(report, &made::series(made::SMALL), Language::En),
        ]
        .map(|text| flowing(&text))
    };
    for text in forms(&report) {
        assert!(!text.contains("raise the Connector"), "{text}");
        assert!(
            text.contains("with threads = 500 throughput was 1.01 times as high [0.98, 1.04], so something else limits it"),
            "{text}"
        );
    }
    let json: serde_json::Value = serde_json::from_str(&report::json(&report)).expect("JSON");
    assert_eq!(json["arms"][1]["diagnoses"][0]["refuted"], true);
    report.arms[1].diagnoses[0].proved = None;
    assert!(forms(&report).iter().all(|text| text.contains("maxThreads")));
}

#[test]
fn an_arm_that_was_not_measured_has_the_reason_beside_it() {
    let mut report = made::report(made::SMALL);
    let full = Reason::LinkSaturated(FullLink {
        way: LinkWay::Answers,
        used: BitRate(44_000_000),
        rate: BitRate(45_000_000),
        limit: Share(0.9),
    });
    for arm in &mut report.arms {
        arm.diagnoses.clear();
        for level in &mut arm.levels {
            (level.valid, level.why_invalid) = (false, Some(full.clone()));
        }
    }
    let text = flowing(&report::terminal::text(&report, false, Language::En));
    for arm in ["tomcat-9", "tomcat-10.1"] {
        let said = format!(
            "{arm}, 10, 50 and a fixed 8200 /s: not the server was measured: link-saturated: 44 Mbit"
        );
        assert!(text.contains(&said), "{said} in {text}");
    }
    let page = report::html::text(&report, &made::series(made::SMALL), Language::En);
    assert!(page.contains("not the server was measured: link-saturated"));
}

#[test]
fn the_paragraph_about_a_server_elsewhere_says_what_a_look_inside_would_add() {
    let seen = alone();
    let mut unseen = seen.clone();
    unseen.arms[0].unseen = true;
    let mut told = unseen.clone();
    unseen.arms[0].effective = record::outcome::Effective::default();
    told.arms[0].diagnoses.iter_mut().for_each(|diagnosis| diagnosis.by_metrics = true);
    let said = |report: &Report, language| flowing(&report::terminal::text(report, false, language));
    assert!(!said(&seen, Language::En).contains("seen from outside"));
    assert!(said(&unseen, Language::En).contains("All of this was seen from outside"));
    assert!(said(&unseen, Language::Zh).replace(' ', "").contains("从外部观测"));
    let told = said(&told, Language::En);
    assert!(
        told.contains("by its metrics, ") && told.contains("was not seen: what is said of its CPU"),
        "{told}"
    );
}
