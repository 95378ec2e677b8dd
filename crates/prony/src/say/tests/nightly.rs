//! What a night says.

use super::{check, check_lines, text, words};
use crate::notifier::{News, NewsPlace};
use crate::outgoing::Trouble;
use crate::say::complaint::{Complaint, NotifierComplaint};
use crate::say::nightly::{Course, NewsText, Skipped, Told};
use model::history::Gate;
use model::units::Nanos;
use report::Lang;
use std::path::Path;

fn place() -> NewsPlace {
    NewsPlace::new(text(1))
}

#[test]
fn complaints_about_news_say_the_same_in_both_languages() {
    let complaints = [
        NotifierComplaint::NoWebhook,
        NotifierComplaint::NoMailbox { text: text(2) },
        NotifierComplaint::NoSendmail,
        NotifierComplaint::NotTold { place: place(), trouble: Trouble::Unreachable(text(3)) },
    ];
    complaints.into_iter().for_each(|complaint| check(Complaint::from(complaint)));
    words::assert_golden("complaints_about_news");
}

#[test]
fn lines_of_a_night_say_the_same_in_both_languages() {
    let both = |say: &dyn Fn(Lang) -> String| check_lines(&say(Lang::En), &say(Lang::Zh));
    let file = Path::new("Q4");
    for starts in [Some(14), None] {
        let course = Course { file, starts, most: Nanos::from_secs(2520) };
        both(&|lang| ::say::text(&course, lang));
    }
    for needs in [Some(Nanos::from_secs(720)), None] {
        both(&|lang| ::say::text(&Skipped { file, needs }, lang));
    }
    both(&|lang| ::say::text(&Told(&place()), lang));
    let gate = Gate {
        newest: Some(text(5)),
        anchor: Some(text(6)),
        series: 1,
        runs: 20,
        needed: 18,
        worse: Vec::new(),
    };
    let of = News { experiment: &text(7), run: &text(5), gate: &gate };
    both(&|lang| ::say::text(&NewsText(&of), lang));
    words::assert_golden("lines_of_a_night");
}
