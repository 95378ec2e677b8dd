//! What a nightly job asked of the newest run, what differs at a change, and which runs are in no series.

use super::{COLUMNS, title};
use crate::units;
use crate::words::history::HistoryWords;
use crate::words::{Words, fill};
use record::decision::DecisionKind;
use record::history::{Gate, LeftOut, LevelChange, Worsening};
use std::fmt::Display;

/// The most facts that are listed at a change.
const MOST_FACTS: usize = 8;
/// Characters of a value of a fact.
const VALUE: usize = 44;

/// Writes how many runs are in no series, and why.
pub(super) fn write_left_out(out: &mut String, left_out: &[LeftOut], own: &HistoryWords) {
    for LeftOut { why, runs } in left_out {
        units::wrapped(out, &fill(own.left_out(*why), &[("runs", runs)]), 0, COLUMNS);
    }
}

/// Writes what differs between the runs before and after a change.
pub(super) fn write_differs(out: &mut String, change: &LevelChange, own: &HistoryWords) {
    let names: [(&str, &dyn Display); 2] = [("before", &change.before), ("run", &change.run)];
    let mut line = |text: String| units::wrapped(out, &text, 4, COLUMNS);
    if change.differs.is_empty() {
        line(fill(own.nothing_differs, &names));
    }
    for fact in change.differs.iter().take(MOST_FACTS) {
        let [before, after] = fact.sides.each_ref().map(|value| {
            let value = value.as_deref().unwrap_or(own.absent).replace('\n', " ");
            units::truncated(&value, VALUE)
        });
        let values: [(&str, &dyn Display); 3] =
            [("name", &fact.name), ("before", &before), ("after", &after)];
        line(fill(own.differs, &values));
    }
    if let Some(more) = change.differs.len().checked_sub(MOST_FACTS).filter(|more| *more > 0) {
        let more: (&str, &dyn Display) = ("more", &more);
        line(fill(own.more_differs, &[more, names[0], names[1]]));
    }
}

/// Writes what was decided about a change.
pub(super) fn write_decision(out: &mut String, change: &LevelChange, words: &Words, own: &HistoryWords) {
    let Some(decision) = &change.decision else {
        return;
    };
    let text = match decision.kind {
        DecisionKind::Accepted => own.accepted,
        DecisionKind::Dismissed => own.dismissed,
    };
    let who = [decision.by.as_str(), decision.at.as_str()];
    let who: Vec<&str> = who.into_iter().filter(|part| !part.is_empty()).collect();
    let mut text = fill(text, &[("who", &who.join(words.separator))]);
    if !decision.comment.is_empty() {
        let comment = decision.comment.replace('\n', " ");
        text = fill(words.label, &[("label", &text), ("text", &comment)]);
    }
    units::wrapped(out, &text, 4, COLUMNS);
}

/// Writes the answer of the gate.
pub(super) fn write(out: &mut String, gate: &Gate, words: &Words, own: &HistoryWords) {
    out.push('\n');
    let anchor = gate.anchor.as_deref().unwrap_or_default();
    if !gate.worse.is_empty() {
        units::wrapped(out, &fill(own.worse, &[("anchor", &anchor)]), 0, COLUMNS);
        gate.worse.iter().for_each(|worse| write_worse(out, worse, words, own));
        return;
    }
    let run = gate.newest.as_deref().unwrap_or_default();
    let values: [(&str, &dyn Display); 5] = [
        ("run", &run),
        ("series", &gate.series),
        ("runs", &gate.runs),
        ("needed", &gate.needed),
        ("anchor", &anchor),
    ];
    let text = match gate {
        Gate { newest: None, .. } => own.no_run,
        Gate { series: 0, .. } => own.no_figure,
        Gate { runs, needed, .. } if runs < needed => own.too_few,
        _ => own.no_change,
    };
    units::wrapped(out, &fill(text, &values), 0, COLUMNS);
}

fn write_worse(out: &mut String, worse: &Worsening, words: &Words, own: &HistoryWords) {
    let change = &worse.change;
    let values: [(&str, &dyn Display); 4] = [
        ("percent", &units::percent(change.ratio)),
        ("run", &change.run),
        ("before", &change.before),
        ("p", &format!("{:.3}", change.p)),
    ];
    let title = title(worse.measure, worse.level.as_ref(), words);
    let text = format!("{title} {}", fill(own.worse_since, &values));
    let text = fill(words.label, &[("label", &worse.arm), ("text", &text)]);
    units::wrapped(out, &text, 2, COLUMNS);
    write_differs(out, change, own);
}
