//! The verdicts as a forest plot: one row per comparison, with ratio, interval and margin.

use super::Plot;
use super::canvas::{Canvas, CanvasPoint, Screen};
use crate::comparison::{ComparisonRow, judged_arms, rows_by_load, rows_of_arm};
use crate::document::{Tone, circumstances, standing};
use crate::units;
use record::outcome::{Estimate, Report};
use say::{Language, Say, text};

/// Whose difference the plot shows.
#[derive(Say)]
#[say(
    en = "difference of {arm} from {baseline}; grey band: counts as the same",
    zh = "{arm} 相对 {baseline} 的差异；灰色带：视为相同"
)]
struct DifferenceCaption<'a> {
    arm: &'a str,
    baseline: &'a str,
}

/// The y of the line below the title.
const TOP: f64 = 54.0;
const LINE: f64 = 18.0;
/// Pixels between the plot and the small print below it.
const GAP: f64 = 8.0;

/// Where the parts of a row are, in pixels from the left and from the middle of its interval downwards.
struct Layout {
    width: f64,
    /// Characters that fit into a line of small print.
    columns: usize,
    /// The left end of the axis, and its length.
    left: f64,
    axis: f64,
    /// The height of a row.
    row: f64,
    /// Where the name of the measure, its difference and its verdict begin.
    title: CanvasPoint,
    difference: CanvasPoint,
    verdict: CanvasPoint,
    /// The class of the style sheet with which a verdict ends there, after a space.
    verdict_class: &'static str,
}

/// Texts beside the intervals.
const WIDE: Layout = Layout {
    width: 890.0,
    columns: 120,
    left: 170.0,
    axis: 380.0,
    row: 34.0,
    title: (20.0, 5.0),
    difference: (564.0, 5.0),
    verdict: (746.0, 5.0),
    verdict_class: "",
};

/// Texts above the intervals, for a screen that is narrow.
const NARROW: Layout = Layout {
    width: 340.0,
    columns: 50,
    left: 6.0,
    axis: 328.0,
    row: 78.0,
    title: (6.0, -38.0),
    difference: (6.0, -19.0),
    verdict: (334.0, -38.0),
    verdict_class: " end",
};

/// Half the height of the band of the margin.
const BAND: f64 = 12.0;
/// Half the height of the lines of the axis; the lines of an interval are at the bottom of its row.
const TICK: f64 = 17.0;

/// The plot as a file, with question and circumstances above it, and ranking, response times and calibrations below it.
pub(super) fn alone(report: &Report, language: Language) -> Plot {
    let mut canvas = Canvas::new(WIDE.width);
    canvas.text("title", (20.0, 32.0), report.question.text_in(language));
    let above = [circumstances(report, language)];
    let top = small_print(&mut canvas, &WIDE, &above, TOP);
    let bottom = blocks(&mut canvas, &WIDE, report, language, top, |_| true);
    let y = small_print(&mut canvas, &WIDE, &standing(report, language), bottom + GAP);
    done(report.question.text_in(language), canvas, y)
}

/// Draws texts, wrapped into lines; returns the y of the next line.
fn small_print(canvas: &mut Canvas, layout: &Layout, texts: &[String], mut y: f64) -> f64 {
    let mut lines = String::new();
    for text in texts {
        units::wrapped(&mut lines, text, 0, layout.columns);
    }
    for text in lines.lines() {
        canvas.text("small", (layout.title.0, y), text);
        y += LINE;
    }
    y
}

/// The plot as a part of a page, which shows all that elsewhere: for wide screens and for narrow ones. Secondary measures that are open
/// are left out.
pub(super) fn within(report: &Report, language: Language) -> [Plot; 2] {
    [(&WIDE, Screen::Wide), (&NARROW, Screen::Narrow)].map(|(layout, screen)| {
        let mut canvas = Canvas::new(layout.width);
        canvas.screen = screen;
        let y = blocks(&mut canvas, layout, report, language, 0.0, |row| !row.is_open_aside(report));
        done(report.question.text_in(language), canvas, y)
    })
}

fn done(question: &str, mut canvas: Canvas, bottom: f64) -> Plot {
    canvas.height = bottom + 10.0;
    Plot { name: "verdict".to_owned(), title: question.to_owned(), canvas }
}

/// Draws a block for each arm and load that is compared with the baseline, one below the other, with the rows that `is_shown` selects;
/// returns the y of the end.
fn blocks(
    canvas: &mut Canvas,
    layout: &Layout,
    report: &Report,
    language: Language,
    top: f64,
    is_shown: impl Fn(&ComparisonRow<'_>) -> bool,
) -> f64 {
    let mut y = top;
    for arm in judged_arms(report) {
        let mut rows = rows_of_arm(report, &arm.name, language);
        rows.retain(&is_shown);
        for rows in rows_by_load(&rows) {
            let load = rows[0].load.as_ref();
            let load = load.map_or_else(String::new, |load| format!("{load}: "));
            let (name, base) = (&arm.name, &report.design.baseline);
            let caption = text(&DifferenceCaption { arm: name, baseline: base }, language);
            y = block(canvas, layout, rows, format!("{load}{caption}"), y);
        }
    }
    y
}

/// Draws the rows of a load, and the axis and the caption below them; returns the y of the end.
fn block(canvas: &mut Canvas, layout: &Layout, rows: &[ComparisonRow<'_>], caption: String, top: f64) -> f64 {
    let ratios: Vec<Estimate> = rows.iter().filter_map(|row| row.comparison.deciding()).collect();
    let axis = Axis::over(layout, ratios.iter());
    let mut bottom = top;
    for row in rows {
        bottom += layout.row;
        line(canvas, row, bottom - TICK, &axis);
    }
    axis.draw_labels(canvas, bottom + 16.0);
    small_print(canvas, layout, &[caption], bottom + 34.0)
}

fn line(canvas: &mut Canvas, row: &ComparisonRow<'_>, y: f64, axis: &Axis<'_>) {
    let layout = axis.layout;
    axis.draw_ticks(canvas, y - TICK, y + TICK);
    let margin = 1.0 + row.comparison.margin;
    let (left, right) = (axis.at(1.0 / margin), axis.at(margin));
    canvas.rect("band", (left, y - BAND), (right - left, 2.0 * BAND));
    let tone = Tone::from(row.comparison.verdict);
    let class = tone.class();
    if let Some(ratio) = row.comparison.deciding() {
        if let (Some(low), Some(high)) = (ratio.low, ratio.high) {
            canvas.line(&format!("wide {class}"), (axis.at(low), y), (axis.at(high), y));
            for (end, outwards) in [(low, -1.0), (high, 1.0)] {
                if !axis.holds(end) {
                    arrow(canvas, class, (axis.at(end), y), outwards);
                }
            }
        }
        canvas.circle(class, (axis.at(ratio.value), y), 5.0);
    }
    let below = |(x, offset): CanvasPoint| (x, y + offset);
    canvas.text("", below(layout.title), &row.title);
    canvas.text("", below(layout.difference), &row.difference);
    let verdict = format!("{} {}", tone.sign(), row.verdict);
    let class = format!("{class}{}", layout.verdict_class);
    canvas.text(&class, below(layout.verdict), &verdict);
}

/// Draws an arrow to a value beyond the axis: to the right if `outwards` is 1, to the left if it is -1.
fn arrow(canvas: &mut Canvas, class: &str, (x, y): CanvasPoint, outwards: f64) {
    canvas.area(class, &[(x + 8.0 * outwards, y), (x, y - 6.0), (x, y + 6.0)]);
}

/// A logarithmic axis of ratios, with 1 in the middle.
struct Axis<'a> {
    layout: &'a Layout,
    /// The logarithm of the ratio at its right end; the left end is as far.
    reach: f64,
}

impl<'l> Axis<'l> {
    /// An axis that contains every value, and every interval up to a factor of e^0.5; it is at least ± 5 % wide.
    fn over<'a>(layout: &'l Layout, ratios: impl Iterator<Item = &'a Estimate> + Clone) -> Self {
        let value = widest(ratios.clone().map(|ratio| ratio.value));
        let end = widest(ratios.flat_map(|ratio| [ratio.low, ratio.high]).flatten());
        let most = (1.15 * value).max(0.5);
        Self { layout, reach: (1.15 * value.max(end)).clamp(0.05, most) }
    }

    fn at(&self, ratio: f64) -> f64 {
        self.layout.left
            + self.layout.axis / 2.0 * (1.0 + ratio.ln().clamp(-self.reach, self.reach) / self.reach)
    }

    fn holds(&self, ratio: f64) -> bool {
        ratio.ln().abs() <= self.reach
    }

    /// The ratios that have a tick, and how many ticks they are away from zero.
    fn ticks(&self) -> impl Iterator<Item = (f64, i32)> {
        let tick = self.tick();
        let ratios = (-4i32..=4).map(move |step| (1.0 + tick * f64::from(step), step));
        ratios.filter(|(ratio, _)| *ratio > 0.0 && self.holds(*ratio))
    }

    /// Draws a line at zero and at every tick.
    fn draw_ticks(&self, canvas: &mut Canvas, top: f64, bottom: f64) {
        for (ratio, step) in self.ticks() {
            let class = if step == 0 { "zero" } else { "grid" };
            let at = self.at(ratio);
            canvas.line(class, (at, top), (at, bottom));
        }
    }

    /// Labels the ticks where the labels do not overlap.
    fn draw_labels(&self, canvas: &mut Canvas, y: f64) {
        let mut free = f64::NEG_INFINITY;
        for (ratio, step) in self.ticks() {
            let at = self.at(ratio);
            if at < free {
                continue;
            }
            free = at + 48.0;
            let percent = (100.0 * (ratio - 1.0)).round();
            let sign = if step > 0 { "+" } else { "" };
            canvas.text("small middle", (at, y), &format!("{sign}{percent} %"));
        }
    }

    fn tick(&self) -> f64 {
        [0.02, 0.05, 0.1, 0.2, 0.5].into_iter().find(|tick| self.reach / tick <= 4.5).unwrap_or(1.0)
    }
}

/// The largest distance from 1, as a logarithm.
fn widest(ratios: impl Iterator<Item = f64>) -> f64 {
    ratios.map(|ratio| ratio.ln().abs()).filter(|distance| distance.is_finite()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(ratios: &[(f64, f64, f64)]) -> Axis<'static> {
        let ratio = |(low, value, high): &(f64, f64, f64)| Estimate {
            value: *value,
            low: Some(*low),
            high: Some(*high),
        };
        let ratios: Vec<Estimate> = ratios.iter().map(ratio).collect();
        Axis::over(&WIDE, ratios.iter())
    }

    #[test]
    fn every_value_has_a_place_of_its_own_and_a_long_interval_leaves_the_axis() {
        let far = axis(&[(2.45, 2.5, 2.55), (0.99, 1.0, 1.01)]);
        assert!(far.holds(2.55) && far.at(2.5) < far.at(2.55));
        let wide = axis(&[(0.17, 0.71, 2.99)]);
        assert!(wide.holds(0.71) && !wide.holds(0.17) && !wide.holds(2.99));
        assert!((axis(&[(1.0, 1.0, 1.0)]).reach - 0.05).abs() < 1e-12);
    }
}
