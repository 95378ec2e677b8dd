//! The CPU time of a request call by call, as a flame graph with its first call on top. Boxes are as wide as the arm's time; a script
//! (`web/flame.js`) zooms, searches, and shows the widths of the baseline instead.

use super::canvas::{Canvas, escaped, text_width};
use super::{Plot, stem};
use crate::loads::{has_several_loads, load_name};
use crate::units;
use crate::words::Label;
use model::units::Seconds;
use record::cpu_profile::{FlameNode, FlameTree, FrameName};
use record::outcome::{Estimate, Report};
use say::{Language, Say, text};
use serde_json::json;
use std::fmt::Write;

/// The words of flame graphs.
#[derive(Say)]
enum FlameText<'a> {
    #[say(
        en = "CPU per request of {arm} against {base}, call by call, {load}",
        zh = "{arm} 对比 {base} 的每请求 CPU，逐层调用，{load}"
    )]
    Title { arm: &'a str, base: &'a str, load: &'a str },
    #[say(
        en = "Each box is a call with all that it calls; its width is the CPU time per request of {arm}.",
        zh = "每个方框是一次调用（含其下的所有调用），宽度为 {arm} 的每请求 CPU 时间。"
    )]
    Widths { arm: &'a str },
    #[say(en = "widths of {arm}", zh = "按 {arm} 的宽度")]
    OtherWidths { arm: &'a str },
    #[say(en = "cheaper (−)", zh = "更省（−）")]
    Cheaper,
    #[say(en = "costlier (+)", zh = "更费（+）")]
    Costlier,
    #[say(en = "all requests", zh = "全部请求")]
    AllRequests,
    #[say(
        en = "{base} {before}, {arm} {after}: {difference} per request{not_shown? (not shown to differ)}",
        zh = "{base} {before}，{arm} {after}：每请求 {difference}{not_shown? （未证明有差异）}"
    )]
    Figures {
        base: &'a str,
        before: &'a str,
        arm: &'a str,
        after: &'a str,
        difference: &'a str,
        not_shown: bool,
    },
    #[say(en = "search: class, method", zh = "搜索：类、方法")]
    Search,
    #[say(en = "{share} % of the CPU time of {arm} matches", zh = "匹配部分占 {arm} CPU 时间的 {share} %")]
    Found { share: &'a str, arm: &'a str },
    #[say(
        en = "Keys: Tab into the drawing, arrows move, Enter zooms, − zooms out, Esc shows all, / searches, n next match, w \
              other widths.",
        zh = "按键：Tab 进入图中，方向键移动，回车放大，− 缩小，Esc 显示全部，/ 搜索，n 下一个匹配，w 切换宽度。"
    )]
    Keys,
}

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
pub(super) fn plots(report: &Report, flames: &[FlameTree], language: Language) -> Vec<Plot> {
    let drawn = flames.iter().filter(|tree| !tree.nodes.is_empty());
    drawn.filter_map(|tree| plot(report, tree, language)).collect()
}

fn plot(report: &Report, tree: &FlameTree, language: Language) -> Option<Plot> {
    let name = |arm: usize| Some(report.arms.get(arm)?.name.as_str());
    let flame = Flame { names: [name(tree.baseline)?, name(tree.arm)?], nodes: &tree.nodes, language };
    let load = load_name(&tree.load, language);
    let [base, arm] = flame.names;
    let title = text(&FlameText::Title { arm, base, load: &load }, language);
    let mut canvas = Canvas::new(WIDTH);
    canvas.text("title", (12.0, 24.0), &title);
    let widths = text(&FlameText::Widths { arm: flame.names[1] }, language);
    canvas.text("small widths", (12.0, 44.0), &widths);
    legend(&mut canvas, language);
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
fn legend(canvas: &mut Canvas, language: Language) {
    let y = 68.0;
    let mut x = 12.0;
    for (sign, word, shades) in
        [("cheaper", FlameText::Cheaper, [4, 3, 2, 1]), ("costlier", FlameText::Costlier, [1, 2, 3, 4])]
    {
        for shade in shades {
            canvas.rect(&format!("{sign} much{shade}"), (x, y - 10.0), (14.0, 12.0));
            x += 15.0;
        }
        let word = text(&word, language);
        canvas.text("small", (x + 4.0, y), &word);
        x += 24.0 + text_width(&word);
    }
}

/// A flame graph that is being drawn.
struct Flame<'a> {
    /// The names of baseline and arm.
    names: [&'a str; 2],
    nodes: &'a [FlameNode],
    language: Language,
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
        let [baseline, arm] = node.seconds.map(Seconds::as_nanos);
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
            0 => text(&FlameText::AllRequests, self.language),
            _ => text(&FrameName(&node.name), self.language),
        }
    }

    /// The times of a call in both arms, and their difference.
    fn figures(&self, node: &FlameNode) -> String {
        let [baseline, arm] = node.seconds;
        let difference = Estimate { value: (arm - baseline).0, low: None, high: None };
        let [base, arm] = self.names;
        let figures = FlameText::Figures {
            base,
            before: &units::seconds(node.seconds[0].0),
            arm,
            after: &units::seconds(node.seconds[1].0),
            difference: &difference.as_signed_seconds(),
            not_shown: !node.differs && node.depth > 0,
        };
        text(&figures, self.language)
    }

    /// What the script needs to know.
    fn data(&self) -> String {
        // The script fills in what stands between braces.
        let language = self.language;
        let data = json!({
            "box": {
                "left": LEFT,
                "width": SPAN,
                "baseline": BASELINE,
                "arms": self.names,
                "tools": { "x": WIDTH - LEFT - 600.0, "y": 52, "width": 600, "height": 30 },
            },
            "words": {
                "search": text(&FlameText::Search, language),
                "all": text(&Label::SeeAll, language),
                "keys": text(&FlameText::Keys, language),
                "widths": text(&FlameText::Widths { arm: "{arm}" }, language),
                "width": text(&FlameText::OtherWidths { arm: "{arm}" }, language),
                "found": text(&FlameText::Found { share: "{share}", arm: "{arm}" }, language),
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
