//! The page about a comparison that somebody else published.

use crate::made::{self, SMALL};
use ask::question::Question;
use ask::reference::OpenQuestion;
use model::measure::Measure;
use record::outcome::Report;
use say::Language;

/// A question about an arm.
fn question(text: &str, arm: &str, measure: Option<Measure>) -> OpenQuestion {
    OpenQuestion { question: Question::both(text, format!("{text} (zh)")), arm: arm.to_owned(), measure }
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
    insta::assert_snapshot!(report::markdown::post(&asked(), Language::En));
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
    let plain = report::markdown::post(&made::report(SMALL), Language::En);
    assert!(!plain.contains("What was left open"), "{plain}");
}
