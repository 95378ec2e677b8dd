//! The CPU time of a request call by call, as a flame graph with its first call on top. Boxes are as wide as the arm's time; a script
//! (`web/flame.js`) zooms, searches, and shows the widths of the baseline instead.

use super::canvas::{Canvas, escaped, text_width};
use super::{Plot, stem};
use crate::loads::{has_several_loads, load_name};
use crate::units;
use crate::words::{self, Lang, Words, fill};
use record::cpu_profile::{FlameNode, FlameTree, FrameName};
use record::outcome::{Estimate, Report};
use serde_json::json;
use std::fmt::Write;

const WIDTH: f64 = 940.0;
const LEFT: f64 = 10.0;
const SPAN: f64 = WIDTH - 2.0 * LEFT;
/// The top of the first row.
const TOP: f64 = 104.0;
const ROW: f64 = 17.0;
/// From the top of a row to the line on which its label stands.
const BASELINE: f64 = 12.5;
/// Pixels of a letter, and of the space beside a label.
const LETTER: f64 = 6.6;
const BESIDE: f64 = 6.0;
/// Narrower boxes are not drawn.
const NARROWEST: f64 = 0.3;
/// The least differences of each shade, as shares of the CPU time of a request.
const SHADES: [f64; 3] = [0.01, 0.03, 0.1];

/// A drawing for each pair of arms and load that was profiled.
pub(super) fn plots(report: &Report, flames: &[FlameTree], lang: Lang) -> Vec<Plot> {
    let drawn = flames.iter().filter(|tree| !tree.nodes.is_empty());
    drawn.filter_map(|tree| plot(report, tree, lang)).collect()
}

fn plot(report: &Report, tree: &FlameTree, lang: Lang) -> Option<Plot> {
    let words = words::of(lang);
    let name = |arm: usize| Some(report.arms.get(arm)?.name.as_str());
    let flame = Flame { names: [name(tree.baseline)?, name(tree.arm)?], nodes: &tree.nodes, words };
    let load = load_name(&tree.load, words);
    let values: [(&str, &dyn std::fmt::Display); 3] =
        [("base", &flame.names[0]), ("arm", &flame.names[1]), ("load", &load)];
    let title = fill(words.flame_title, &values);
    let mut canvas = Canvas::new(WIDTH);
    canvas.text("title", (12.0, 24.0), &title);
    let widths = fill(words.flame_widths, &[("arm", &flame.names[1])]);
    canvas.text("small widths", (12.0, 44.0), &widths);
    legend(&mut canvas, words);
    // The script tells here which call the reader looks at.
    canvas.text("small said", (12.0, TOP - 8.0), "");
    flame.draw(&mut canvas);
    canvas.flame = Some(flame.data());
    let level = match has_several_loads(report) {
        true => format!("-{}", stem(&load)),
        false => String::new(),
    };
    Some(Plot { name: format!("flame-{}{level}", stem(flame.names[1])), title, canvas })
}

/// What the shades mean.
fn legend(canvas: &mut Canvas, words: &Words) {
    let y = 68.0;
    let mut x = 12.0;
    for (sign, word, shades) in
        [("cheaper", words.flame_cheaper, [4, 3, 2, 1]), ("costlier", words.flame_costlier, [1, 2, 3, 4])]
    {
        for shade in shades {
            canvas.rect(&format!("{sign} much{shade}"), (x, y - 10.0), (14.0, 12.0));
            x += 15.0;
        }
        canvas.text("small", (x + 4.0, y), word);
        x += 24.0 + text_width(word);
    }
}

/// A flame graph that is being drawn.
struct Flame<'a> {
    /// The names of baseline and arm.
    names: [&'a str; 2],
    nodes: &'a [FlameNode],
    words: &'static Words,
}

impl Flame<'_> {
    /// Draws all calls, and sets the height of the canvas.
    fn draw(&self, canvas: &mut Canvas) {
        let places = places(self.nodes);
        canvas.body.push_str("<g class=\"calls\">");
        for (node, (x, width)) in self.nodes.iter().zip(places) {
            self.draw_call(&mut canvas.body, node, (x, width));
        }
        canvas.body.push_str("</g>");
        let rows = self.nodes.iter().map(|node| node.depth + 1).max().unwrap_or(0);
        canvas.height = TOP + ROW * rows as f64 + 10.0;
    }

    fn draw_call(&self, body: &mut String, node: &FlameNode, (x, width): (f64, f64)) {
        let [baseline, arm] = node.seconds.map(|seconds| seconds * 1e9);
        let (class, sign) = self.shade(node);
        let gone = if width < NARROWEST { " gone" } else { "" };
        let name = self.name(node);
        let title = escaped(&format!("{name}\n{}", self.figures(node)));
        let y = TOP + ROW * node.depth as f64;
        let data = format!("{} {baseline:.2} {arm:.2}", node.depth);
        let sign_data = match sign {
            "" => String::new(),
            sign => format!(" data-sign=\"{sign}\""),
        };
        let _ = write!(
            body,
            "<g class=\"call{class}{gone}\" data-call=\"{data}\"{sign_data}><title>{title}</title>\
             <rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{ROW}\"/>"
        );
        let label = label(&name, sign, width);
        if !label.is_empty() && gone.is_empty() {
            let (x, y) = (x + BESIDE / 2.0, y + BASELINE);
            let _ = write!(body, "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(&label));
        }
        body.push_str("</g>");
    }

    /// The classes of a call that differs, and the sign before its name.
    fn shade(&self, node: &FlameNode) -> (String, &'static str) {
        if !node.differs {
            return (String::new(), "");
        }
        let [baseline, arm] = node.seconds;
        let share = ((arm - baseline) / self.nodes[0].seconds[0].max(self.nodes[0].seconds[1])).abs();
        let shade = 1 + SHADES.iter().filter(|least| share >= **least).count();
        let (class, sign) = match arm > baseline {
            true => ("costlier", "+ "),
            false => ("cheaper", "− "),
        };
        (format!(" {class} much{shade}"), sign)
    }

    fn name(&self, node: &FlameNode) -> String {
        match node.depth {
            0 => self.words.flame_all.to_owned(),
            _ => say::text(&FrameName(&node.name), self.words.lang),
        }
    }

    /// The times of a call in both arms, and their difference.
    fn figures(&self, node: &FlameNode) -> String {
        let [baseline, arm] = node.seconds;
        let difference = Estimate { value: (arm - baseline).0, low: None, high: None };
        let values: [(&str, &dyn std::fmt::Display); 5] = [
            ("base", &self.names[0]),
            ("before", &units::seconds(baseline.0)),
            ("arm", &self.names[1]),
            ("after", &units::seconds(arm.0)),
            ("difference", &difference.as_signed_seconds()),
        ];
        let figures = fill(self.words.flame_figures, &values);
        match node.differs || node.depth == 0 {
            true => figures,
            false => format!("{figures} {}", self.words.flame_not_shown),
        }
    }

    /// What the script needs to know.
    fn data(&self) -> String {
        let data = json!({
            "box": {
                "left": LEFT,
                "width": SPAN,
                "baseline": BASELINE,
                "arms": self.names,
                "tools": { "x": WIDTH - LEFT - 600.0, "y": 52, "width": 600, "height": 30 },
            },
            "words": {
                "search": self.words.flame_search,
                "all": self.words.page_reset,
                "keys": self.words.flame_keys,
                "widths": self.words.flame_widths,
                "width": self.words.flame_width,
                "found": self.words.flame_found,
            },
        });
        data.to_string()
    }
}

/// The left end and the width of every call, where widths are the times of the arm.
fn places(nodes: &[FlameNode]) -> Vec<(f64, f64)> {
    let whole = nodes.first().map_or(0.0, |root| root.seconds[1].0);
    let scale = if whole > 0.0 { SPAN / whole } else { 0.0 };
    // Where the next call at each depth begins.
    let mut next = vec![LEFT];
    let mut place = |node: &FlameNode| {
        next.truncate(node.depth + 1);
        let (x, width) = (next[node.depth], scale * node.seconds[1].0);
        next[node.depth] = x + width;
        next.push(x);
        (x, width)
    };
    nodes.iter().map(&mut place).collect()
}

/// As much of a name as fits into a box.
fn label(name: &str, sign: &str, width: f64) -> String {
    let letters = ((width - BESIDE) / LETTER).floor().max(0.0) as usize;
    let short: Vec<&str> = name.rsplitn(3, '.').take(2).collect();
    let short: Vec<&str> = short.into_iter().rev().collect();
    let short = short.join(".");
    let fits = |name: &str| sign.chars().count() + name.chars().count() <= letters;
    match [name, short.as_str()].into_iter().find(|name| fits(name)) {
        Some(name) => format!("{sign}{name}"),
        None if letters < 3 => String::new(),
        None => units::truncated(&format!("{sign}{short}"), letters),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Seconds;

    fn node(depth: usize, seconds: [f64; 2]) -> FlameNode {
        let seconds = seconds.map(Seconds);
        FlameNode { name: "a.B.c".to_owned(), depth, seconds, differs: false }
    }

    #[test]
    fn calls_stand_below_their_caller_one_beside_the_other() {
        let nodes = [
            node(0, [8.0, 10.0]),
            node(1, [4.0, 6.0]),
            node(2, [4.0, 1.0]),
            node(2, [0.0, 2.0]),
            node(1, [4.0, 4.0]),
            node(2, [1.0, 3.0]),
        ];
        let tenth = SPAN / 10.0;
        let expected = [(0.0, 10.0), (0.0, 6.0), (0.0, 1.0), (1.0, 2.0), (6.0, 4.0), (6.0, 3.0)];
        for ((x, width), (at, times)) in places(&nodes).into_iter().zip(expected) {
            assert!((x - LEFT - at * tenth).abs() < 1e-9 && (width - times * tenth).abs() < 1e-9);
        }
    }

    #[test]
    fn a_label_loses_its_package_before_its_letters() {
        let name = "org.apache.coyote.Http11.parse";
        assert_eq!(label(name, "", 300.0), name);
        assert_eq!(label(name, "+ ", 120.0), "+ Http11.parse");
        assert_eq!(label(name, "+ ", 70.0), "+ Http11…");
        assert_eq!(label(name, "", 20.0), "");
    }
}
