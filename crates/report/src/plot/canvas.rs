//! What plots draw with. Text is escaped here and nowhere else.

use std::fmt::Write;

/// A place on a canvas: how far to the right, and how far down, in pixels.
pub(super) type Point = (f64, f64);

/// Width and height, in pixels.
pub(super) type Size = (f64, f64);

/// A drawing under way.
#[derive(Default)]
pub(super) struct Canvas {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) body: String,
}

/// Classes of arms that have a colour of their own.
const COLOURS: usize = 8;

/// The class of an arm, by its place in the report.
pub(super) fn class(arm: usize) -> String {
    format!("arm{}", arm % COLOURS)
}

impl Canvas {
    /// An empty canvas; its height is set when the drawing is done.
    pub(super) fn new(width: f64) -> Self {
        Self {
            width,
            ..Self::default()
        }
    }

    /// Text that begins at a point, or lies around it or ends there, as its class says.
    pub(super) fn text(&mut self, class: &str, (x, y): Point, text: &str) {
        let text = escaped(text);
        let _ = write!(
            self.body,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
        );
    }

    /// A straight line.
    pub(super) fn line(&mut self, class: &str, (x1, y1): Point, (x2, y2): Point) {
        let _ = write!(
            self.body,
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
    }

    /// A rectangle by its upper left corner.
    pub(super) fn rect(&mut self, class: &str, (x, y): Point, (width, height): Size) {
        let _ = write!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        );
    }

    /// A line through all points.
    pub(super) fn path(&mut self, class: &str, points: &[Point]) {
        let d = outline(points);
        let _ = write!(self.body, "<path class=\"line {class}\" d=\"{d}\"/>");
    }

    /// The area inside all points.
    pub(super) fn area(&mut self, class: &str, points: &[Point]) {
        let d = outline(points);
        let _ = write!(self.body, "<path class=\"{class}\" d=\"{d}Z\"/>");
    }

    /// A circle around a point.
    pub(super) fn circle(&mut self, class: &str, (x, y): Point, radius: f64) {
        let _ = write!(
            self.body,
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>"
        );
    }

    /// The sign of an arm: its shape tells it from its neighbours where colours do not.
    pub(super) fn marker(&mut self, arm: usize, (x, y): Point) {
        let class = class(arm);
        match arm % 4 {
            0 => self.circle(&class, (x, y), 4.0),
            1 => self.rect(&class, (x - 3.5, y - 3.5), (7.0, 7.0)),
            2 => self.area(&class, &[(x, y - 5.0), (x + 5.0, y + 4.0), (x - 5.0, y + 4.0)]),
            _ => self.area(&class, &[(x, y - 5.0), (x + 5.0, y), (x, y + 5.0), (x - 5.0, y)]),
        }
    }

    /// Sign and name of each arm in a row that wraps; returns where it ends.
    pub(super) fn legend(&mut self, names: &[&str], (left, top): Point) -> f64 {
        let (mut x, mut y) = (left, top);
        for (arm, name) in names.iter().enumerate() {
            let width = 30.0 + text_width(name);
            if x > left && x + width > self.width - 10.0 {
                (x, y) = (left, y + 20.0);
            }
            self.marker(arm, (x + 5.0, y - 4.0));
            self.text("", (x + 15.0, y), name);
            x += width;
        }
        y
    }
}

/// The points as the path of an SVG.
fn outline(points: &[Point]) -> String {
    let mut d = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        let _ = write!(d, "{command}{x:.1} {y:.1}");
    }
    d
}

/// About how wide a text is; a Chinese character is as wide as two others.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().map(|c| if c.is_ascii() { 7.3 } else { 13.5 }).sum()
}

/// Text as it may stand in an SVG, between tags.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
