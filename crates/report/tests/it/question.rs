//! The question of an experiment in the reader's language.

use crate::made::{self, SMALL};
use ask::question::Question;
use record::outcome::Report;
use say::Language;

const ENGLISH: &str = "Is ten faster?";
const CHINESE: &str = "十更快吗？";

fn asking(question: Question) -> Report {
    Report { question, ..made::report(SMALL) }
}

/// The forms that have a language.
fn forms(report: &Report, lang: Language) -> [String; 5] {
    let series = made::series(SMALL);
    let drawn = report::plot::all(report, &series, lang);
    [
        report::terminal::text(report, false, lang),
        report::markdown::text(report, lang),
        report::comment::text(report, lang),
        report::html::text(report, &series, lang),
        drawn[0].file(),
    ]
}

#[test]
fn every_form_has_the_question_in_the_readers_language_or_in_the_only_one() {
    let both = asking(Question::both(ENGLISH, CHINESE));
    for (lang, asked, other) in [(Language::En, ENGLISH, CHINESE), (Language::Zh, CHINESE, ENGLISH)] {
        for form in forms(&both, lang) {
            assert!(form.contains(asked) && !form.contains(other), "{form}");
        }
        for form in forms(&asking(ENGLISH.into()), lang) {
            assert!(form.contains(ENGLISH), "{form}");
        }
    }
}

#[test]
fn report_json_has_the_question_as_a_string_in_every_language() {
    for (question, chinese) in [(Question::both(ENGLISH, CHINESE), Some(CHINESE)), (ENGLISH.into(), None)] {
        let report = asking(question);
        let json = report::json(&report);
        let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(value["question"], ENGLISH);
        assert_eq!(value.get("question_zh").and_then(serde_json::Value::as_str), chinese);
        let stored = serde_json::to_string(&report).expect("JSON");
        assert_eq!(serde_json::from_str::<Report>(&stored).expect("a report"), report);
    }
}
