//! The canvas on which plots draw SVG. Text is escaped here and nowhere else.

use std::fmt::Write;

/// A point of a canvas: pixels from the left, and pixels from the top.
pub(super) type CanvasPoint = (f64, f64);

/// Width and height, in pixels.
pub(super) type Size = (f64, f64);

/// The screens on which a page shows a plot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Screen {
    #[default]
    Any,
    Wide,
    Narrow,
}

impl Screen {
    /// The class with which the style sheet hides a plot on other screens, after a space.
    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Any => "",
            Self::Wide => " on-wide",
            Self::Narrow => " on-narrow",
        }
    }
}

/// A drawing that is being made.
#[derive(Default)]
pub(super) struct Canvas {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) body: String,
    pub(super) screen: Screen,
    /// What the script of a flame graph needs to know, as JSON; `None` for other plots, which have no script.
    pub(super) flame: Option<String>,
}

/// Number of colours. Each colour is a class of the style sheet.
const COLOURS: usize = 8;

/// The class of an arm, by its index in the report.
pub(super) fn class(arm: usize) -> String {
    format!("arm{}", arm % COLOURS)
}

impl Canvas {
    /// An empty canvas; its height is set when the drawing is done.
    pub(super) fn new(width: f64) -> Self {
        Self { width, ..Self::default() }
    }

    /// Draws text that begins at a point, is centred there or ends there, depending on its class.
    pub(super) fn text(&mut self, class: &str, (x, y): CanvasPoint, text: &str) {
        let text = escaped(text);
        let _ = write!(self.body, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>");
    }

    /// Draws a straight line.
    pub(super) fn line(&mut self, class: &str, (x1, y1): CanvasPoint, (x2, y2): CanvasPoint) {
        let _ = write!(
            self.body,
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
    }

    /// Draws a rectangle from its upper left corner.
    pub(super) fn rect(&mut self, class: &str, (x, y): CanvasPoint, (width, height): Size) {
        let _ = write!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        );
    }

    /// Draws a line through all points.
    pub(super) fn path(&mut self, class: &str, points: &[CanvasPoint]) {
        let d = outline(points);
        let _ = write!(self.body, "<path class=\"line {class}\" d=\"{d}\"/>");
    }

    /// Draws a filled polygon.
    pub(super) fn area(&mut self, class: &str, points: &[CanvasPoint]) {
        let d = outline(points);
        let _ = write!(self.body, "<path class=\"{class}\" d=\"{d}Z\"/>");
    }

    /// Draws a circle around a point.
    pub(super) fn circle(&mut self, class: &str, (x, y): CanvasPoint, radius: f64) {
        let _ = write!(self.body, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>");
    }

    /// Draws the marker of an arm, whose shape distinguishes it from its neighbours where colours do not.
    pub(super) fn marker(&mut self, arm: usize, (x, y): CanvasPoint) {
        let class = class(arm);
        match arm % 4 {
            0 => self.circle(&class, (x, y), 4.0),
            1 => self.rect(&class, (x - 3.5, y - 3.5), (7.0, 7.0)),
            2 => self.area(&class, &[(x, y - 5.0), (x + 5.0, y + 4.0), (x - 5.0, y + 4.0)]),
            _ => self.area(&class, &[(x, y - 5.0), (x + 5.0, y), (x, y + 5.0), (x - 5.0, y)]),
        }
    }

    /// Draws what has a text that is shown under the pointer.
    pub(super) fn told(&mut self, text: &str, draw: impl FnOnce(&mut Self)) {
        let text = escaped(text);
        let _ = write!(self.body, "<g><title>{text}</title>");
        draw(self);
        self.body.push_str("</g>");
    }

    /// Draws marker and name of each arm in rows; returns the y of the last row.
    pub(super) fn legend(&mut self, names: &[&str], (left, top): CanvasPoint) -> f64 {
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

/// The points as path data of SVG.
fn outline(points: &[CanvasPoint]) -> String {
    let mut d = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        let _ = write!(d, "{command}{x:.1} {y:.1}");
    }
    d
}

/// The approximate width of a text in pixels; a Chinese character is about as wide as two others.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().map(|c| if c.is_ascii() { 7.3 } else { 13.5 }).sum()
}

/// Text escaped for the value of an attribute.
pub(super) fn attribute(text: &str) -> String {
    escaped(text).replace('"', "&quot;")
}

/// Text escaped for the content of an SVG element.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
