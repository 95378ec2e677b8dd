//! `prony history` on a terminal: in 80 columns, however long names are, and in both languages.

#[allow(dead_code, reason = "its series are for pages")]
mod made;

use model::history::{Drift, History, LevelChange, Point, State};
use report::{Lang, history};

fn stored() -> History {
    let long = "compare-tomcat:10.1.59-with-threads";
    let several = made::Size {
        levels: 3,
        ..made::SMALL
    };
    let mut ended = made::report(several);
    ended.design.interrupted = true;
    let run = |number| format!("2026-11-22T10:15:32Z-{number:04}");
    let change = LevelChange {
        run: run(2),
        before: run(1),
        ratio: 1.042,
        p: 0.001,
        confirmed: true,
    };
    let point = |number| Point {
        run: run(number),
        ratio: 0.97,
    };
    let drift = Drift {
        arm: "tomcat:10.1.59,threads=200".to_owned(),
        baseline: "tomcat:9.0.117,threads=200".to_owned(),
        measure: "cpu_per_request".to_owned(),
        level: None,
        at_other_rates: 3,
        points: [1, 2].map(point).into(),
        changes: vec![change],
        last_is_odd: None,
    };
    History {
        runs: vec![
            history::past(&run(1), "short", &made::report(made::SMALL)),
            history::past(&run(2), long, &ended),
            history::without_report(&run(3), "killed", State::NotFinished),
            history::without_report(&run(4), long, State::Unreadable),
        ],
        drift: vec![drift],
    }
}

#[test]
fn no_line_is_wider_than_a_terminal_and_a_run_that_cannot_be_read_is_listed() {
    let english = history::text(&stored(), Lang::En);
    insta::assert_snapshot!(english);
    let chinese = history::text(&stored(), Lang::Zh);
    assert!(chinese.contains("此版本的 prony 无法读取"), "{chinese}");
    for line in english.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}
