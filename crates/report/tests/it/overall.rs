//! The sentence on top where the headline is throughput, CPU per request and a percentile. All combinations of verdicts are tried.

use crate::made::{self, SMALL};
use ask::experiment::Headline;
use model::load::Load;
use model::measure::Measure;
use model::units::{Rate, Seconds};
use record::answer;
use record::outcome::{Comparison, Direction, Estimate, Report, Verdict};
use record::remark::{Goal, Remark};
use say::Language;

const MEASURES: [Measure; 3] = [Measure::Throughput, Measure::CpuPerRequest, Measure::ResponseP99];

fn comparison(measure: Measure, verdict: Verdict) -> Comparison {
    let (users, rate) = match measure {
        Measure::Throughput => (Some(32), None),
        _ => (None, Some(19_000.0)),
    };
    let goal = Goal::Detect { effect: 0.03 };
    let open = Remark::MoreTime { seconds: Seconds(360.0), goal };
    let ratio = match (verdict.direction(), measure.more_is_better()) {
        (Some(Direction::Better), true) | (Some(Direction::Worse), false) => 1.13,
        (Some(_), _) => 0.87,
        (None, _) => 1.004,
    };
    Comparison {
        baseline: "platform".to_owned(),
        arm: "virtual".to_owned(),
        level: Some(Load { users, rate: rate.map(Rate), together: false, sessions: false }),
        measure,
        ratio: Some(Estimate { value: ratio, low: Some(ratio - 0.02), high: Some(ratio + 0.02) }),
        margin: measure.default_margin(),
        verdict,
        gate: None,
        starts: 8,
        per_start: vec![ratio; 8],
        spread: None,
        equivalence: (verdict == Verdict::Same).then_some(Estimate {
            value: ratio,
            low: Some(ratio - 0.01),
            high: Some(ratio + 0.01),
        }),
        remarks: [open].into_iter().filter(|_| verdict == Verdict::Inconclusive).collect(),
    }
}

fn report(verdicts: [Verdict; 3]) -> Report {
    let mut report = made::report(SMALL);
    report.arms.truncate(2);
    for (arm, name) in report.arms.iter_mut().zip(["platform", "virtual"]) {
        arm.name = name.to_owned();
    }
    report.design.baseline = "platform".to_owned();
    report.design.headline = Some(Headline::Overall);
    report.design.headline_measures = MEASURES.into();
    let judged = MEASURES.into_iter().zip(verdicts);
    report.comparisons = judged.map(|(measure, verdict)| comparison(measure, verdict)).collect();
    report.answers = answer::answers(&report);
    report
}

/// The sentence on top, as an annotation shows it.
fn sentence(report: &Report, lang: Language) -> String {
    let all = report::annotations::github(report, lang);
    let notice = all.lines().find(|line| line.starts_with("::notice"));
    let (_, text) = notice.and_then(|line| line[2..].split_once("::")).expect("an answer");
    text.replace("%25", "%")
}

/// All verdicts that a measure can have.
fn verdicts(measure: Measure) -> [Verdict; 5] {
    let shown = [Direction::Better, Direction::Worse].map(|direction| Verdict::shown(measure, direction));
    [shown[0], shown[1], Verdict::Same, Verdict::Inconclusive, Verdict::Invalid]
}

#[test]
fn the_sentence_on_top_never_contradicts_the_table() {
    let [throughput, cpu, p99] = MEASURES.map(verdicts);
    for one in throughput {
        for two in cpu {
            for three in p99 {
                check([one, two, three]);
            }
        }
    }
}

/// Whether each word of the sentence stands in the table, and each verdict of the table in the sentence.
fn check(verdicts: [Verdict; 3]) {
    let report = report(verdicts);
    let text = sentence(&report, Language::En);
    let has = |verdict: Verdict| verdicts.contains(&verdict);
    if verdicts == [Verdict::Invalid; 3] {
        assert_eq!(text, "virtual against platform: no verdict, because the run is invalid.");
        return;
    }
    let directed = Verdict::ALL.into_iter().filter(|verdict| verdict.direction().is_some());
    for verdict in directed {
        let word = match verdict {
            Verdict::Costlier => "costlier",
            other => other.code(),
        };
        assert_eq!(text.contains(word), has(verdict), "{verdicts:?}: {text}");
    }
    let shown = |direction| verdicts.iter().any(|verdict| verdict.direction() == Some(direction));
    let mixed = shown(Direction::Better) && shown(Direction::Worse);
    for (phrase, expected) in [
        ("mixed: ", mixed),
        ("he same", has(Verdict::Same)),
        ("Open: ", has(Verdict::Inconclusive)),
        ("(about 6 more min)", has(Verdict::Inconclusive)),
        ("Not valid: ", has(Verdict::Invalid)),
    ] {
        assert_eq!(text.contains(phrase), expected, "{phrase}, {verdicts:?}: {text}");
    }
    check_measures(verdicts, &text);
    check_chinese(verdicts, &sentence(&report, Language::Zh));
}

/// Whether each measure is named once, after the words that are said of it.
fn check_measures(verdicts: [Verdict; 3], text: &str) {
    for (measure, verdict) in MEASURES.into_iter().zip(verdicts) {
        assert_eq!(text.matches(measure.title()).count(), 1, "{text}");
        let before = text.split(measure.title()).next().unwrap_or_default();
        let clause = before.rsplit(". ").next().unwrap_or_default();
        let says = match verdict {
            Verdict::Same if verdicts != [Verdict::Same; 3] => "The same: ",
            Verdict::Inconclusive => "Open: ",
            Verdict::Invalid => "Not valid: ",
            _ => "",
        };
        assert!(clause.contains(says), "{verdicts:?}: {text}");
    }
}

fn check_chinese(verdicts: [Verdict; 3], text: &str) {
    let has = |verdict: Verdict| verdicts.contains(&verdict);
    let shown = |direction| verdicts.iter().any(|verdict| verdict.direction() == Some(direction));
    for (phrase, expected) in [
        ("互有优劣", shown(Direction::Better) && shown(Direction::Worse)),
        ("更快", has(Verdict::Faster)),
        ("更慢", has(Verdict::Slower)),
        ("更省 CPU", has(Verdict::Cheaper)),
        ("更耗 CPU", has(Verdict::Costlier)),
        ("相同", has(Verdict::Same)),
        ("尚未判定", has(Verdict::Inconclusive)),
    ] {
        assert_eq!(text.contains(phrase), expected, "{phrase}, {verdicts:?}: {text}");
    }
}

#[test]
fn the_page_has_the_answer_in_the_colour_of_its_kind() {
    let page = |verdicts| report::html::text(&report(verdicts), &made::series(SMALL), Language::En);
    let mixed = page([Verdict::Slower, Verdict::Cheaper, Verdict::Same]);
    assert!(mixed.contains("<div class=\"card mixed\">"));
    assert!(mixed.contains("mixed: virtual is cheaper than platform"));
    let open = page([Verdict::Same, Verdict::Cheaper, Verdict::Inconclusive]);
    assert!(open.contains("<div class=\"card inconclusive\">"));
}

#[test]
fn the_sentences_of_each_kind() {
    use Verdict::{Cheaper, Faster, Inconclusive, Invalid, Same, Slower};
    let said: Vec<String> = [
        [Faster, Cheaper, Same],
        [Same, Same, Same],
        [Slower, Cheaper, Inconclusive],
        [Same, Cheaper, Inconclusive],
        [Inconclusive, Same, Invalid],
    ]
    .into_iter()
    .flat_map(|verdicts| [Language::En, Language::Zh].map(|lang| sentence(&report(verdicts), lang)))
    .collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn report_json_has_the_answer_as_code_and_sentence() {
    let mixed = report([Verdict::Slower, Verdict::Cheaper, Verdict::Same]);
    let json: serde_json::Value = serde_json::from_str(&report::json(&mixed)).expect("JSON");
    assert_eq!(json["answers"][0]["arm"], "virtual");
    assert_eq!(json["answers"][0]["overall"], "mixed");
    assert_eq!(json["answers"][0]["says"], sentence(&mixed, Language::En));
    assert_eq!(json["comparisons"][1]["verdict"], "cheaper");
    assert_eq!(json["design"]["headline"], "overall");
}

#[test]
fn one_measure_without_figures_does_not_void_the_run() {
    let late = report([Verdict::Faster, Verdict::Same, Verdict::Invalid]);
    assert!(!late.comparisons.iter().any(|comparison| late.voids(comparison)));
    let none = report([Verdict::Invalid; 3]);
    assert!(none.comparisons.iter().all(|comparison| none.voids(comparison)));
}

#[test]
fn a_measure_that_is_0_for_one_of_two_arms_says_so() {
    let mut report = report([Verdict::Same, Verdict::Inconclusive, Verdict::Same]);
    report.comparisons[1].ratio = None;
    let unmeasured = report::markdown::text(&report, Language::En);
    report.comparisons[1].remarks = vec![Remark::OneIsZero];
    let told = report::markdown::text(&report, Language::En);
    let says = |text: &str| ["not measured yet", "one of the two is 0"].map(|words| text.contains(words));
    assert_eq!((says(&unmeasured), says(&told)), ([true, false], [false, true]));
}
