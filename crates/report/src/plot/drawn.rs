//! [`Plot`]: a plot that has been drawn, as SVG.

use super::canvas::{Canvas, attribute, escaped};
use crate::web::{FLAME, FLAME_STYLE, PLOT_STYLE};

/// A plot.
pub struct Plot {
    /// Name of its file, without `.svg`.
    pub name: String,
    pub(super) title: String,
    pub(super) canvas: Canvas,
}

impl Plot {
    /// Its title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether it is a flame graph, which has a script and a style of its own.
    pub(crate) const fn is_flame(&self) -> bool {
        self.canvas.flame.is_some()
    }

    /// The SVG as a part of a page that contains [`PLOT_STYLE`], and for a flame graph [`FLAME_STYLE`] and [`FLAME`].
    pub fn inline(&self) -> String {
        self.svg("", "")
    }

    /// The SVG as a file, with its style and its script.
    pub fn file(&self) -> String {
        let ground = "<rect class=\"ground\" width=\"100%\" height=\"100%\" rx=\"8\"/>";
        let (style, script) = match self.is_flame() {
            true => (FLAME_STYLE, format!("<script><![CDATA[{FLAME}]]></script>")),
            false => ("", String::new()),
        };
        let before = format!("<style>{PLOT_STYLE}{style}</style>{ground}");
        format!("{}\n", self.svg(&before, &script))
    }

    fn svg(&self, before: &str, after: &str) -> String {
        let Canvas { width, height, body, screen, flame } = &self.canvas;
        let screen = screen.class();
        let title = escaped(&self.title);
        let (class, kind) = match flame {
            Some(data) => ("plot flame", format!("role=\"group\" data-flame=\"{}\"", attribute(data))),
            None => ("plot", "role=\"img\"".to_owned()),
        };
        format!(
            "<svg class=\"{class}{screen}\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" {kind}><title>{title}</title>{before}{body}{after}</svg>"
        )
    }
}
