//! What single sub-commands say.

use super::{check_lines, text, words};
use crate::record::Recording;
use crate::say::cleaned::CleanSummary;
use crate::say::init::{Answers, InitialFile, Question, Subject, file_text, written};
use crate::say::record::{Ended, Start};
use model::units::Bytes;
use report::Lang;
use std::path::Path;

fn both(say: impl Fn(Lang) -> String) {
    check_lines(&say(Lang::En), &say(Lang::Zh));
}

fn add(say: impl Fn(Lang) -> String) {
    for lang in [Lang::En, Lang::Zh] {
        words::add_text(&say(lang));
    }
}

#[test]
fn lines_of_a_recording_keep_their_words() {
    for (has_browser, authority) in
        [(true, None), (false, None), (false, Some(Path::new("Q1"))), (true, Some(Path::new("Q1")))]
    {
        let start = Start { address: ([127, 0, 0, 1], 8080).into(), authority, has_browser };
        add(|lang| ::say::text(&start, lang));
    }
    let recording = |servers: &[&str]| Recording {
        exchanges: Vec::new(),
        obstacles: Vec::new(),
        unread: servers.iter().map(|server| ((*server).to_owned(), 3)).collect(),
    };
    both(|lang| ::say::text(&Ended(&recording(&[])), lang));
    both(|lang| ::say::text(&Ended(&recording(&["Q1", "Q2"])), lang));
    words::assert_golden("lines_of_a_recording");
}

#[test]
fn what_was_cleaned_keeps_its_words() {
    for (containers, cache) in [(0, None), (56, Some(Bytes(5 << 30)))] {
        let cleaned = CleanSummary { folders: 12, servers: 34, containers, cache };
        both(|lang| ::say::text(&cleaned, lang));
    }
    words::assert_golden("what_was_cleaned");
}

#[test]
fn a_first_file_keeps_its_words() {
    let subjects = [
        Subject::War("Q1".into()),
        Subject::Jar("Q1".into()),
        Subject::Url { origin: text(1), path: text(2) },
        Subject::BuiltIn,
    ];
    for subject in subjects {
        let answers = Answers {
            subject,
            path: text(3),
            servers: vec!["tomcat:10.1".to_owned(), "jetty:12".to_owned()],
            jvm_options: text(4),
            connections: 12,
        };
        let of = InitialFile { file: Path::new("Q5"), answers: &answers };
        add(|lang| file_text(&of, lang));
        add(|lang| written(&of, lang));
    }
    for question in
        [Question::Subject, Question::Path, Question::Servers, Question::Options, Question::Connections]
    {
        both(|lang| question.text("", lang));
        both(|lang| question.text("Q1", lang));
    }
    words::assert_golden("a_first_file");
}
