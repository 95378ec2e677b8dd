//! Lists as sentences show them.

use crate::{Say, Writer};

/// `a, b and c`; in Chinese `a、b 和 c`.
pub fn and<T: Say>(items: &[T], out: &mut Writer) {
    let last = out.language().choose(" and ", " 和 ");
    joined(items, last, out);
}

/// `a, b or c`; in Chinese `a、b 或 c`.
pub fn or<T: Say>(items: &[T], out: &mut Writer) {
    let last = out.language().choose(" or ", " 或 ");
    joined(items, last, out);
}

/// `a, b, c`; in Chinese `a、b、c`.
pub fn commas<T: Say>(items: &[T], out: &mut Writer) {
    joined(items, comma(out), out);
}

/// `a, b, c`; in Chinese `a，b，c`: items that are more than names.
pub fn clauses<T: Say>(items: &[T], out: &mut Writer) {
    let comma = out.language().choose(", ", "，");
    joined_by(items, comma, comma, out);
}

/// `a; b; c`; in Chinese `a；b；c`.
pub fn semicolons<T: Say>(items: &[T], out: &mut Writer) {
    let semicolon = out.language().choose("; ", "；");
    joined_by(items, semicolon, semicolon, out);
}

const fn comma(out: &Writer) -> &'static str {
    out.language().choose(", ", "、")
}

/// Writes a list with commas, and with `last` before the last item.
fn joined<T: Say>(items: &[T], last: &str, out: &mut Writer) {
    joined_by(items, comma(out), last, out);
}

fn joined_by<T: Say>(items: &[T], separator: &str, last: &str, out: &mut Writer) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.words(if index + 1 == items.len() { last } else { separator });
        }
        item.say(out);
    }
}
