//! The verdict as a picture: a forest plot, one row per comparison, ratio with interval against the margin. An SVG that
//! stands alone, light or dark as its reader prefers.

use crate::rows::{self, Row};
use crate::units;
use model::outcome::{Report, Verdict};
use std::fmt::Write;

const LEFT: f64 = 170.0;
const PLOT: f64 = 380.0;
const WIDTH: f64 = 890.0;
/// Characters of a line of small print that fit.
const COLUMNS: usize = 120;
const ROW: f64 = 34.0;
const TOP: f64 = 74.0;
const LINE: f64 = 18.0;

const STYLE: &str = "text{font:14px system-ui,sans-serif;fill:#1f2328}.s{font-size:12px;fill:#656d76}\
.t{font-size:16px;font-weight:600}.bg{fill:#fff}.m{fill:#8c959f33}.g{stroke:#8c959f55}.z{stroke:#1f2328}\
.faster{fill:#1a7f37;stroke:#1a7f37}.slower{fill:#cf222e;stroke:#cf222e}.same{fill:#0969da;stroke:#0969da}\
.inconclusive{fill:#9a6700;stroke:#9a6700}.invalid{fill:#656d76;stroke:#656d76}text[class]{stroke:none}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}.bg{fill:#0d1117}.z{stroke:#e6edf3}\
.faster{fill:#3fb950;stroke:#3fb950}.slower{fill:#f85149;stroke:#f85149}.same{fill:#4493f8;stroke:#4493f8}\
.inconclusive{fill:#d29922;stroke:#d29922}}";

/// One forest plot for each arm that is compared with the baseline, below one another.
pub fn svg(report: &Report) -> String {
    let arms: Vec<(&str, Vec<Row<'_>>)> = rows::judged(report)
        .map(|arm| (arm.name.as_str(), rows::rows(report, &arm.name)))
        .collect();
    let blocks: Vec<Block<'_>> = arms
        .iter()
        .flat_map(|(name, rows)| rows::by_level(rows).map(move |(at, rows)| Block { name, at, rows }))
        .collect();
    let lines: usize = blocks.iter().map(|block| block.rows.len() + 2).sum();
    let mut below = String::new();
    for said in rows::standing(report) {
        units::wrapped(&mut below, &said, 0, COLUMNS);
    }
    let below: Vec<&str> = below.lines().collect();
    let height = TOP + lines as f64 * ROW + 10.0 + LINE * below.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" role=\"img\"><title>{title}</title><style>{STYLE}</style>\
         <rect class=\"bg\" width=\"{WIDTH}\" height=\"{height}\" rx=\"8\"/>",
        title = escaped(&report.question)
    );
    label(&mut out, 20.0, 32.0, "t", &report.question);
    label(&mut out, 20.0, 54.0, "s", &rows::circumstances(report));
    for (line, text) in below.iter().enumerate() {
        label(
            &mut out,
            20.0,
            height - 10.0 - LINE * (below.len() - 1 - line) as f64,
            "s",
            text,
        );
    }
    let mut y = TOP;
    for drawn in &blocks {
        block(&mut out, report, drawn, y);
        y += (drawn.rows.len() + 2) as f64 * ROW;
    }
    out.push_str("</svg>\n");
    out
}

/// A plot: an arm at a level.
struct Block<'a> {
    name: &'a str,
    at: Option<&'a str>,
    rows: &'a [Row<'a>],
}

fn block(out: &mut String, report: &Report, block: &Block<'_>, top: f64) {
    let Block { name, at, rows } = block;
    let reach = reach(rows);
    let x = |ratio: f64| LEFT + PLOT / 2.0 * (1.0 + ratio.ln().clamp(-reach, reach) / reach);
    let bottom = top + ROW * (rows.len() as f64 + 0.6);
    axis(out, reach, &x, (top, bottom));
    for (index, row) in rows.iter().enumerate() {
        line(out, row, top + ROW * (index as f64 + 0.6), &x);
    }
    let base = &report.design.baseline;
    let at = at.map_or_else(String::new, |at| format!("{at}: "));
    let said = format!("{at}difference of {name} from {base}; grey band: counts as the same");
    label(out, LEFT - 150.0, bottom + 34.0, "s", &said);
}

/// A line at zero and at every tick; labels only where they do not run into one another.
fn axis(out: &mut String, reach: f64, x: &impl Fn(f64) -> f64, (top, bottom): (f64, f64)) {
    let tick = tick(reach);
    let mut free = f64::NEG_INFINITY;
    for step in -4i32..=4 {
        let ratio = 1.0 + tick * f64::from(step);
        if ratio <= 0.0 || ratio.ln().abs() > reach {
            continue;
        }
        let at = x(ratio);
        let class = if step == 0 { "z" } else { "g" };
        let _ = write!(
            out,
            "<line class=\"{class}\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top:.1}\" y2=\"{bottom:.1}\"/>"
        );
        if at < free {
            continue;
        }
        free = at + 48.0;
        let percent = (100.0 * (ratio - 1.0)).round();
        let sign = if step > 0 { "+" } else { "" };
        let y = bottom + 16.0;
        let _ = write!(
            out,
            "<text class=\"s\" text-anchor=\"middle\" x=\"{at:.1}\" y=\"{y:.1}\">{sign}{percent} %</text>"
        );
    }
}

fn line(out: &mut String, row: &Row<'_>, y: f64, x: &impl Fn(f64) -> f64) {
    let (left, right) = (
        x(1.0 / (1.0 + row.comparison.margin)),
        x(1.0 + row.comparison.margin),
    );
    let band = right - left;
    let _ = write!(
        out,
        "<rect class=\"m\" x=\"{left:.1}\" width=\"{band:.1}\" y=\"{:.1}\" height=\"{}\"/>",
        y - 12.0,
        24
    );
    label(out, 20.0, y + 5.0, "", &row.title);
    let class = row.comparison.verdict.word();
    if let Some(ratio) = &row.comparison.ratio {
        if let (Some(low), Some(high)) = (ratio.low, ratio.high) {
            let (x1, x2) = (x(low), x(high));
            let _ = write!(
                out,
                "<line class=\"{class}\" stroke-width=\"3\" x1=\"{x1:.1}\" x2=\"{x2:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>"
            );
        }
        let _ = write!(
            out,
            "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"5\"/>",
            x(ratio.value)
        );
    }
    label(out, LEFT + PLOT + 14.0, y + 5.0, "", &row.difference);
    label(
        out,
        LEFT + PLOT + 196.0,
        y + 5.0,
        class,
        &format!("{} {}", mark(row.comparison.verdict), row.said),
    );
}

/// A sign beside the colour, so that the colour is never alone.
fn mark(verdict: Verdict) -> char {
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

fn label(out: &mut String, x: f64, y: f64, class: &str, text: &str) {
    let text = escaped(text);
    let _ = write!(
        out,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
