//! Lines of the program on stderr, in all their kinds.

use super::{add_lines, assert_golden, check_texts, check_words, text, texts};
use crate::cmd::calibrate::CalibrationLine;
use crate::cmd::history::NoRuns;
use crate::cmd::load::ticker::LoadLine;
use crate::cmd::report::ReportLine;
use crate::cmd::serve::RunsServed;
use crate::experiment::{MostLoad, ResultLine};
use crate::load_machines::ServersListen;
use crate::message;
use crate::outgoing::Trouble;
use crate::proof::ProofLine;
use crate::run_context::ContextLine;
use crate::sinks::Delivery;
use crate::team::TeamLine;
use ask::question::Question;
use model::units::{Nanos, Share};
use say::{Language, Say};
use std::path::Path;
use store::{Moved, TeamAddress, TeamError};

/// Adds a line, and checks that both languages have the same data.
fn add_checked(line: &dyn Say) {
    add_lines(|lang| message::line(line, lang));
    check_texts(&message::line(line, Language::En), &message::line(line, Language::Zh));
}

#[test]
fn every_line_keeps_its_words() {
    let question = Question::both("Q6".to_owned(), "问 Q6".to_owned());
    let error = store::Error::Ambiguous { prefix: text(3), runs: texts() };
    let (run, faults) = ("Q1", 56);
    let add = |line: &dyn Say| add_lines(|lang| message::line(line, lang));
    add_checked(&RunsServed { url: "Q1" });
    add_checked(&ContextLine::PageServed { url: "Q1" });
    add(&ServersListen { at: [127, 0, 0, 1].into() });
    add_checked(&MostLoad { hosts: texts(), connections: 11, rate: Some(model::units::Rate(12.0)) });
    add_checked(&MostLoad { hosts: texts(), connections: 11, rate: None });
    add_checked(&ResultLine::NothingAdded);
    add_checked(&ResultLine::NotStored { out: None });
    add_checked(&ResultLine::NotStored { out: Some(Path::new("Q1")) });
    add_checked(&ContextLine::WillNotBeStored { error: &error });
    add_checked(&ProofLine::Proving { cause: "Q1", arm: "Q2", question: &question });
    add_checked(&ProofLine::NotTried);
    add_checked(&NoRuns { experiment: None });
    add_checked(&NoRuns { experiment: Some("Q1") });
    add(&ReportLine::Unfinished { run, starts: 1 });
    add_checked(&ReportLine::Unfinished { run, starts: 12 });
    add_checked(&ReportLine::ManyLines { lines: 12_000_000 });
    add_checked(&CalibrationLine::Run { number: 11, runs: 12 });
    add_checked(&CalibrationLine::Trial { share: Share(0.125) });
    add_checked(&LoadLine::Settling { time: Nanos::from_secs(30) });
    add(&LoadLine::Loading { rate: 1234.5, faults, left: None });
    add(&LoadLine::Loading { rate: 1234.5, faults, left: Some(Nanos::from_secs(90)) });
    assert_golden("lines");
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
        add_lines(|lang| say::text(line, lang));
    }
    assert_golden("lines_of_a_teams_store");
}

#[test]
fn lines_about_sinks_say_the_same_in_both_languages() {
    let troubles = [
        Trouble::Unreachable(text(4)),
        Trouble::Slow,
        Trouble::Unread,
        Trouble::Unwritable(text(4)),
        Trouble::Refused { status: 503, words: text(4) },
    ];
    for (lost, trouble) in troubles.into_iter().map(|trouble| (7, Some(trouble))).chain([(0, None)]) {
        check_words(&Delivery { sink: text(1), points: 40, lost, trouble });
    }
    assert_golden("lines_about_sinks");
}
