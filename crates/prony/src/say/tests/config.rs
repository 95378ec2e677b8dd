//! The configuration of a user, sinks, and what is kept.

use super::{check, check_lines, io_error, text, words};
use crate::outgoing::Trouble;
use crate::say::complaint::{Complaint, ConfigComplaint};
use crate::say::keeping::Pruned;
use crate::sinks::Delivery;
use report::Lang;
use store::EndedRun;

#[test]
fn complaints_of_the_configuration_say_the_same_in_both_languages() {
    let path = || text(1).into();
    let authorization = |refused| ConfigComplaint::Authorization { path: path(), refused };
    let complaints = [
        ConfigComplaint::Unreadable { path: path(), source: io_error() },
        ConfigComplaint::Mistake { path: path(), line: 2, what: text(3) },
        ConfigComplaint::NoStore { path: path() },
        ConfigComplaint::NoSink { forms: crate::sinks::examples() },
        ConfigComplaint::PasswordInSink,
        ConfigComplaint::CannotListen { address: ([10, 20, 30, 40], 9464).into(), source: io_error() },
        authorization(Some(io_error())),
        authorization(None),
    ];
    complaints.into_iter().for_each(|complaint| check(Complaint::from(complaint)));
    words::assert_golden("complaints_of_the_configuration");
}

#[test]
fn lines_about_sinks_and_removed_runs_say_the_same_in_both_languages() {
    let troubles = [
        Trouble::Unreachable(text(4)),
        Trouble::Slow,
        Trouble::Unread,
        Trouble::Unwritable(text(4)),
        Trouble::Refused { status: 503, words: text(4) },
    ];
    for (lost, trouble) in troubles.into_iter().map(|trouble| (7, Some(trouble))).chain([(0, None)]) {
        let delivery = Delivery { sink: text(1), points: 40, lost, trouble };
        let [english, chinese] = [Lang::En, Lang::Zh].map(|lang| ::say::text(&delivery, lang));
        check_lines(&english, &chinese);
        assert!(english.contains("40") && chinese.contains("40"));
    }
    let runs = [EndedRun { run: text(1), experiment: text(2) }];
    for (removed, not_pushed) in [(true, 0), (false, 3)] {
        let pruned = Pruned { runs: &runs, of: 40, not_pushed, removed };
        let [english, chinese] = [Lang::En, Lang::Zh].map(|lang| ::say::text(&pruned, lang));
        check_lines(&english, &chinese);
    }
    words::assert_golden("lines_about_sinks_and_removed_runs");
}
