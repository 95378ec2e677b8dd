//! The verdicts as a forest plot: one row per comparison, ratio with interval against the margin.

use super::Plot;
use super::canvas::Canvas;
use crate::rows::{self, Row};
use crate::units;
use crate::words::{self, Lang, fill};
use model::outcome::{Report, Verdict};

const LEFT: f64 = 170.0;
const PLOT: f64 = 380.0;
const WIDTH: f64 = 890.0;
/// Columns of a line of small print that fit.
const COLUMNS: usize = 120;
const ROW: f64 = 34.0;
const TOP: f64 = 74.0;
const LINE: f64 = 18.0;

/// As a picture of its own, with the question above it and what else the run says below.
pub(super) fn alone(report: &Report, lang: Lang) -> Plot {
    let words = words::of(lang);
    let mut canvas = Canvas::new(WIDTH);
    canvas.text("title", (20.0, 32.0), &report.question);
    canvas.text("small", (20.0, 54.0), &rows::circumstances(report, words));
    let mut y = blocks(&mut canvas, report, lang, TOP);
    let mut below = String::new();
    for said in rows::standing(report, words) {
        units::wrapped(&mut below, &said, 0, COLUMNS);
    }
    for text in below.lines() {
        canvas.text("small", (20.0, y), text);
        y += LINE;
    }
    done(report, canvas, y)
}

/// As a part of a page that says all that beside it.
pub(super) fn within(report: &Report, lang: Lang) -> Plot {
    let mut canvas = Canvas::new(WIDTH);
    let y = blocks(&mut canvas, report, lang, 0.0);
    done(report, canvas, y)
}

fn done(report: &Report, mut canvas: Canvas, bottom: f64) -> Plot {
    canvas.height = bottom + 10.0;
    Plot {
        name: "verdict".to_owned(),
        title: report.question.clone(),
        canvas,
    }
}

/// One block for each arm that is compared with the baseline, and each level, below one another; where the last one ends.
fn blocks(canvas: &mut Canvas, report: &Report, lang: Lang, top: f64) -> f64 {
    let words = words::of(lang);
    let mut y = top;
    for arm in rows::judged(report) {
        let rows = rows::rows(report, &arm.name, words);
        for (at, rows) in rows::by_level(&rows) {
            let at = at.map_or_else(String::new, |at| format!("{at}: "));
            let (name, base) = (&arm.name, &report.design.baseline);
            let said = fill(words.plot_difference, &[("arm", name), ("baseline", base)]);
            block(canvas, rows, &format!("{at}{said}"), y);
            y += (rows.len() + 2) as f64 * ROW;
        }
    }
    y
}

fn block(canvas: &mut Canvas, rows: &[Row<'_>], said: &str, top: f64) {
    let reach = reach(rows);
    let x = |ratio: f64| LEFT + PLOT / 2.0 * (1.0 + ratio.ln().clamp(-reach, reach) / reach);
    let bottom = top + ROW * (rows.len() as f64 + 0.6);
    axis(canvas, reach, &x, (top, bottom));
    for (index, row) in rows.iter().enumerate() {
        line(canvas, row, top + ROW * (index as f64 + 0.6), &x);
    }
    canvas.text("small", (LEFT - 150.0, bottom + 34.0), said);
}

/// A line at zero and at every tick; labels only where they do not run into one another.
fn axis(canvas: &mut Canvas, reach: f64, x: &impl Fn(f64) -> f64, (top, bottom): (f64, f64)) {
    let tick = tick(reach);
    let mut free = f64::NEG_INFINITY;
    for step in -4i32..=4 {
        let ratio = 1.0 + tick * f64::from(step);
        if ratio <= 0.0 || ratio.ln().abs() > reach {
            continue;
        }
        let at = x(ratio);
        let class = if step == 0 { "zero" } else { "grid" };
        canvas.line(class, (at, top), (at, bottom));
        if at < free {
            continue;
        }
        free = at + 48.0;
        let percent = (100.0 * (ratio - 1.0)).round();
        let sign = if step > 0 { "+" } else { "" };
        canvas.text("small middle", (at, bottom + 16.0), &format!("{sign}{percent} %"));
    }
}

fn line(canvas: &mut Canvas, row: &Row<'_>, y: f64, x: &impl Fn(f64) -> f64) {
    let margin = 1.0 + row.comparison.margin;
    let (left, right) = (x(1.0 / margin), x(margin));
    canvas.rect("band", (left, y - 12.0), (right - left, 24.0));
    canvas.text("", (20.0, y + 5.0), &row.title);
    let class = row.comparison.verdict.word();
    if let Some(ratio) = &row.comparison.ratio {
        if let (Some(low), Some(high)) = (ratio.low, ratio.high) {
            canvas.line(&format!("wide {class}"), (x(low), y), (x(high), y));
        }
        canvas.circle(class, (x(ratio.value), y), 5.0);
    }
    canvas.text("", (LEFT + PLOT + 14.0, y + 5.0), &row.difference);
    let said = format!("{} {}", mark(row.comparison.verdict), row.said);
    canvas.text(class, (LEFT + PLOT + 196.0, y + 5.0), &said);
}

/// A sign beside the colour, so that the colour is never alone.
pub(crate) fn mark(verdict: Verdict) -> char {
    match verdict {
        Verdict::Faster => '▲',
        Verdict::Slower => '▼',
        Verdict::Same => '=',
        Verdict::Inconclusive => '?',
        Verdict::Invalid => '✕',
    }
}

/// How far the axis goes to either side, as a logarithm: all intervals, within ± 50 %, at least ± 5 %.
fn reach(rows: &[Row<'_>]) -> f64 {
    let ratios = rows.iter().filter_map(|row| row.comparison.ratio.as_ref());
    let ends = ratios
        .flat_map(|ratio| [Some(ratio.value), ratio.low, ratio.high])
        .flatten();
    let widest = ends
        .map(|end| end.ln().abs())
        .filter(|end| end.is_finite())
        .fold(0.0, f64::max);
    (1.15 * widest).clamp(0.05, 0.5)
}

fn tick(reach: f64) -> f64 {
    [0.02, 0.05, 0.1]
        .into_iter()
        .find(|tick| reach / tick <= 4.5)
        .unwrap_or(0.2)
}
