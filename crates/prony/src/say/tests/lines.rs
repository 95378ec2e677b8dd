//! Lines of the program on stderr, in all their kinds.

use super::{text, texts, words};
use crate::say::team::TeamLine;
use crate::say::{Message, StatusLine};
use model::question::Question;
use model::units::Nanos;
use report::Lang;
use std::path::Path;
use store::{Moved, TeamAddress, TeamError};

fn add(say: impl Fn(Lang) -> String) {
    for lang in [Lang::En, Lang::Zh] {
        words::add(&Message { message: say(lang), hint: None });
    }
}

#[test]
#[rustfmt::skip]
fn every_line_keeps_its_words() {
    let question = Question::both("Q6".to_owned(), "问 Q6".to_owned());
    let error = store::Error::Ambiguous { prefix: text(3), runs: texts() };
    let loading = |left| StatusLine::Loading { rate: 1234.5, faults: 56, left };
    let lines = [
        StatusLine::RunsServed { url: "Q1" }, StatusLine::PageServed { url: "Q1" },
        StatusLine::ServersListen { at: [127, 0, 0, 1].into() }, StatusLine::NothingAdded,
        StatusLine::NotStored { out: None }, StatusLine::NotStored { out: Some(Path::new("Q1")) },
        StatusLine::WillNotBeStored { error: &error },
        StatusLine::Proving { cause: "Q1", arm: "Q2", question: &question }, StatusLine::NotTried,
        StatusLine::NoRuns { experiment: None }, StatusLine::NoRuns { experiment: Some("Q1") },
        StatusLine::Unfinished { run: "Q1", starts: 1 }, StatusLine::Unfinished { run: "Q1", starts: 12 },
        StatusLine::ManyLines { lines: 12_000_000 }, StatusLine::CalibrationRun { number: 11, runs: 12 },
        StatusLine::CalibrationTrial { share: 0.125 }, StatusLine::Settling { time: Nanos::from_secs(30) },
        loading(None), loading(Some(Nanos::from_secs(90))),
    ];
    for line in &lines {
        add(|lang| line.text(lang));
    }
    words::assert_golden("lines");
}

#[test]
fn every_line_about_a_teams_store_keeps_its_words() {
    let at = TeamAddress::parse("postgres://nina@db.example:5433/perf").expect("an address");
    let error = TeamError::NotAnAddress;
    let run = "Q1";
    let moved = [Moved::Added, Moved::Completed, Moved::Known].map(|moved| TeamLine::Moved { run, moved });
    let decisions = [1, 2].map(|stored| TeamLine::DecisionsMoved { stored });
    let pushed =
        [TeamLine::Pushed { at: &at }, TeamLine::NotPushed { error: &error }, TeamLine::NothingToPush];
    for line in moved.iter().chain(&decisions).chain(&pushed) {
        add(|lang| ::say::text(line, lang));
    }
    words::assert_golden("lines_of_a_teams_store");
}
