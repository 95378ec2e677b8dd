//! The page about a comparison that somebody else published.

use crate::made::{self, SMALL};
use ask::question::Question;
use ask::reference::{Need, OpenQuestion, ReferenceRow};
use model::measure::Measure;
use model::reason::{FullLink, LinkWay, Reason};
use model::units::{BitRate, Share};
use record::outcome::{Estimate, Report, Verdict};
use record::remark::Remark;
use record::table_figure::TableFigure;
use report::post::PostWords;
use say::Language;

/// The page about one run as Markdown.
fn post(report: &Report, language: Language) -> String {
    report::post::markdown(&PostWords::of(report), std::slice::from_ref(report), language)
}

/// A question about an arm.
fn question(text: &str, arm: &str, measure: Option<Measure>) -> OpenQuestion {
    let question = Question::both(text, format!("{text} (zh)"));
    OpenQuestion { question, arm: arm.to_owned(), level: None, measure }
}

/// A run with questions whose answer is a verdict, a cause, no cause, and that nobody can answer because the arm did not run.
fn asked() -> Report {
    let mut report = made::report(SMALL);
    let reference = report.reference.as_mut().expect("published figures");
    reference.open = vec![
        question("Is it faster?", "tomcat-10.1", Some(Measure::Throughput)),
        question("What is the limit?", "tomcat-10.1", None),
        question("And that of the other?", "tomcat-9", None),
        question("And of that on arm64?", "tomcat-arm64", None),
    ];
    report
}

#[test]
fn a_post_has_our_answer_and_what_answers_each_open_question() {
    insta::assert_snapshot!(post(&asked(), Language::En));
}

#[test]
fn open_questions_are_answered_on_the_page_and_in_chinese_too() {
    let report = asked();
    let page = report::html::text(&report, &made::series(SMALL), Language::En);
    let chinese = report::markdown::text(&report, Language::Zh);
    assert!(page.contains("What was left open") && page.contains("Is it faster?"), "{page}");
    assert!(chinese.contains("原文未解答的问题") && chinese.contains("Is it faster? (zh)"), "{chinese}");
    let terminal = report::terminal::text(&report, false, Language::En);
    assert!(!terminal.contains("Is it faster?"), "{terminal}");
    let plain = post(&made::report(SMALL), Language::En);
    assert!(!plain.contains("What was left open"), "{plain}");
}

/// A run whose reference has the columns of a table: one figure has too wide an interval, one row needs what the machine does not have, and at
/// one level the link was measured.
fn table() -> Report {
    let mut report = made::report(SMALL);
    let reference = report.reference.as_mut().expect("published figures");
    reference.figures = ["throughput", "max", "sent_kb", "startup"].map(str::to_owned).into();
    reference.rows.push(ReferenceRow {
        arm: "tomcat-10.1, native image".to_owned(),
        level: None,
        needs: Some(Need::Graalvm),
        values: [("startup".to_owned(), 0.643)].into(),
    });
    for level in &mut report.arms[1].levels {
        level.table.insert(TableFigure::Max, Estimate { value: 1.011, low: None, high: None });
    }
    let wide = Estimate { value: 1.8, low: Some(0.4), high: Some(8.0) };
    report.arms[1].startup = Some(wide);
    let link = FullLink {
        way: LinkWay::Answers,
        used: BitRate(44_700_000),
        rate: BitRate(45_000_000),
        limit: Share(0.9),
    };
    let of_link = report.comparisons.iter_mut();
    let of_link =
        of_link.filter(|comparison| comparison.level.as_ref().is_some_and(|load| load.users == Some(50)));
    for comparison in of_link {
        comparison.verdict = Verdict::Invalid;
        comparison.remarks = vec![Remark::Invalid(Reason::LinkSaturated(link))];
    }
    report
}

#[test]
fn a_table_has_a_row_for_each_arm_and_level_and_says_why_a_figure_is_missing() {
    let [english, chinese] = [Language::En, Language::Zh].map(|lang| post(&table(), lang));
    let of_table = |text: &str, heading: &str| {
        let (_, rest) = text.split_once(heading).expect("the table");
        rest.split("## ").next().expect("a section").to_owned()
    };
    let english = of_table(&english, "## The post's figures and ours");
    let rows = english.lines().filter(|line| line.starts_with("| tomcat"));
    assert!(rows.clone().count() >= 13 && !rows.clone().any(|row| row.contains("–") && !row.contains(" – ")));
    insta::assert_snapshot!(english);
    insta::assert_snapshot!(of_table(&chinese, "## 原文数据与我们的数据"));
}

#[test]
fn figures_of_others_stand_beside_the_curves_over_users() {
    let plot = |report: &Report| report::plot::over_users(report, Language::En).map(|plot| plot.file());
    let with = plot(&table()).expect("two levels");
    assert_eq!(with.matches("published\"").count(), 1, "{with}");
    let mut without = table();
    without.reference = None;
    assert!(!plot(&without).expect("two levels").contains("published\""));
    without.arms.iter_mut().for_each(|arm| arm.levels.truncate(1));
    assert!(plot(&without).is_none(), "nothing to draw over");
}

/// The page of two runs: one repeats a table, and the other asks the same question again and one more.
fn joined(language: Language, form: fn(&PostWords, &[Report], Language) -> String) -> String {
    let (first, mut second) = (table(), asked());
    second.experiment = "in-containers".to_owned();
    second.question = Question::both("And in containers?", "在容器中呢？");
    let mut first = first;
    let reference = first.reference.as_mut().expect("published figures");
    reference.open = vec![question("Is it faster?", "tomcat-10.1", Some(Measure::Throughput))];
    let both = |en: &str, zh: &str| report::post::BothLanguages { en: en.to_owned(), zh: zh.to_owned() };
    let words = PostWords {
        page: "versions".to_owned(),
        title: both("Two versions", "两个版本"),
        experiments: ["made-up", "in-containers"].map(str::to_owned).into(),
        tables: vec!["made-up".to_owned()],
        said: both("The author said `9`.", "作者说 `9`。"),
        not_shown: vec![both("arm64 & more", "arm64 等")],
    };
    form(&words, &[first, second], language)
}

#[test]
fn a_page_joins_its_runs_and_answers_a_question_of_two_runs_once() {
    let text = joined(Language::En, report::post::markdown);
    assert_eq!(text.matches("**Is it faster?**").count(), 1, "{text}");
    assert!(text.contains("\n  `in-containers` ") && text.contains("![Throughput"), "{text}");
    let order = [
        "# Two versions",
        "The author said",
        "## What was left open",
        "## The post's figures and ours",
        "## Where limits",
        "## Every run",
        "## What this machine",
        "## Where and when",
    ];
    let places = order.map(|part| text.find(part).unwrap_or_else(|| panic!("`{part}` is missing:\n{text}")));
    assert!(places.is_sorted(), "{places:?}");
    insta::assert_snapshot!(joined(Language::Zh, report::post::markdown));
}

#[test]
fn a_page_of_a_post_is_one_file_with_the_plot_and_a_menu() {
    for (language, tag, words) in [
        (Language::En, "en", ["What was left open", "The post's figures and ours", "Every run"]),
        (Language::Zh, "zh-CN", ["原文未解答的问题", "原文数据与我们的数据", "各次运行"]),
    ] {
        let page = joined(language, report::post::html);
        assert!(
            page.contains(&format!("<html lang=\"{tag}\">")) && page.contains("<code>9</code>"),
            "{page}"
        );
        for id in ["open", "reference", "diagnoses", "runs", "not_shown", "where"] {
            assert!(
                page.contains(&format!("<section id=\"{id}\">")) && page.contains(&format!("href=\"#{id}\"")),
                "{id}"
            );
        }
        for word in words {
            assert!(page.replace("&#x27;", "'").contains(word), "{word}");
        }
        assert!(page.contains("published") && page.contains("arm64 "), "the points of others are drawn");
        assert!(!page.contains("uPlot") && !page.contains("src=\"http"), "no script that it does not need");
        assert!(page.len() < 120_000, "{} bytes", page.len());
    }
}
