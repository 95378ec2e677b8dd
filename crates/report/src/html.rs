//! A report as one page that needs no network, and no script except for sorting tables, for the time line and for flame graphs. Styles,
//! scripts and data are inside it, and its content security policy lets a browser run only these scripts.

mod policy;

use crate::document::{self, ContentBlock, Document, PAGE, Region, Section};
use crate::web;
use crate::words::Label;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, HtmlEscape};
use record::outcome::Report;
use record::series::Series;
use say::{Language, Say};
use serde::Serialize;

/// What stands in place of the plot over time where scripts do not run.
#[derive(Say)]
#[say(
    en = "This plot needs JavaScript; without it, tables do not sort, and everything else is as it is.",
    zh = "此图需要 JavaScript；没有它时表格不能排序，本页其余部分不受影响。"
)]
struct TimelineWithoutScript;

/// The words of the frame around a report.
#[derive(Say)]
enum PageFrame {
    #[say(en = "On this page", zh = "本页内容")]
    Menu,
    /// The link to a header that has the answer, and to any other one.
    #[say(en = "The answer", zh = "结论")]
    ToAnswer,
    #[say(en = "Top", zh = "页首")]
    ToTop,
    /// What the keys do on the overview of the time line.
    #[say(
        en = "Select a span of time: drag, or use the arrow keys, plus and minus; Escape shows all",
        zh = "选择一段时间：拖动，或使用方向键与加减键；按 Esc 显示全部"
    )]
    Brush,
}

const TEMPLATE: &str = include_str!("../../../web/report.html");

/// What the page's template fills in.
#[derive(Serialize)]
struct PageTemplate<'a> {
    lang: &'static str,
    policy: String,
    styles: Vec<&'static str>,
    /// The name of the menu, and of its link to the begin of the page.
    menu: String,
    to_top: String,
    /// What the overview of the time line is for.
    brush: String,
    /// The script of every report.
    script: &'static str,
    /// The scripts of the time line.
    scripts: [&'static str; 3],
    /// The script of flame graphs; `None` on a page without one.
    flame: Option<&'static str>,
    timeline_without_script: String,
    see_all: String,
    title: &'a str,
    /// Sections of the header.
    top: Vec<&'a Section>,
    /// The main part: each group is a section with a heading, and the sections that continue it.
    body: Vec<Vec<&'a Section>>,
    /// Sections of the footer.
    end: Vec<&'a Section>,
    /// The data for the script of the time line; `None` without a time line.
    timeline_data: Option<String>,
}

/// The content security policy of every page, for a server that sends it as a header. It allows the scripts and styles of pages by
/// their hashes.
pub fn policy() -> String {
    policy_of(true)
}

/// The policy of a page with or without a flame graph.
fn policy_of(has_flame: bool) -> String {
    policy::of(&scripts(has_flame), &styles(has_flame))
}

fn scripts(has_flame: bool) -> Vec<&'static str> {
    let flame = has_flame.then_some(web::FLAME);
    std::iter::once(web::REPORT).chain(web::SCRIPTS).chain(flame).collect()
}

fn styles(has_flame: bool) -> Vec<&'static str> {
    let flame = has_flame.then_some(web::FLAME_STYLE);
    web::STYLES.into_iter().chain(flame).collect()
}

/// `report.html`.
pub fn text(report: &Report, series: &Series, language: Language) -> String {
    write(&document::build(report, Some(series), language, &PAGE), language)
}

pub(crate) fn write(document: &Document, language: Language) -> String {
    let region = |region: Region| {
        let sections = document.sections.iter();
        sections.filter(move |section| section.region == region)
    };
    let mut body: Vec<Vec<&Section>> = Vec::new();
    for section in region(Region::Body) {
        match body.last_mut().filter(|_| section.heading.is_none()) {
            Some(part) => part.push(section),
            None => body.push(vec![section]),
        }
    }
    let has_flame = has_flame(document);
    let page = PageTemplate {
        lang: language.tag(),
        policy: policy_of(has_flame),
        styles: styles(has_flame),
        menu: say::text(&PageFrame::Menu, language),
        to_top: say::text(&link_to_top(document), language),
        brush: say::text(&PageFrame::Brush, language),
        script: web::REPORT,
        scripts: web::SCRIPTS,
        flame: has_flame.then_some(web::FLAME),
        timeline_without_script: say::text(&TimelineWithoutScript, language),
        see_all: say::text(&Label::SeeAll, language),
        title: &document.title,
        top: region(Region::Top).collect(),
        body,
        end: region(Region::End).collect(),
        timeline_data: timeline_data(document),
    };
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_filter("with_code", with_code);
    // The template is a part of the program, and a test renders all of it, so this does not fail.
    environment
        .render_str(TEMPLATE, Serde(page))
        .unwrap_or_else(|error| format!("<!doctype html><title>prony</title><pre>{error:#}</pre>"))
}

/// A sentence as HTML: what stands between two backticks is code.
fn with_code(text: &str) -> Value {
    let parts: Vec<&str> = text.split('`').collect();
    // A backtick without a second one is itself.
    if parts.len().is_multiple_of(2) {
        return Value::from_safe_string(HtmlEscape(text).to_string());
    }
    let escaped = parts.iter().enumerate().map(|(index, part)| {
        let escaped = HtmlEscape(part).to_string();
        if index % 2 == 1 { format!("<code>{escaped}</code>") } else { escaped }
    });
    Value::from_safe_string(escaped.collect())
}

/// The words of the link to the header.
fn link_to_top(document: &Document) -> PageFrame {
    let header = document.sections.iter().filter(|section| section.region == Region::Top);
    let mut blocks = header.flat_map(|section| &section.blocks);
    match blocks.any(|block| matches!(block, ContentBlock::Answer(_))) {
        true => PageFrame::ToAnswer,
        false => PageFrame::ToTop,
    }
}

/// Whether the document has a flame graph.
fn has_flame(document: &Document) -> bool {
    let mut blocks = document.sections.iter().flat_map(|section| &section.blocks);
    blocks.any(|block| matches!(block, ContentBlock::Figure(plot) if plot.is_flame()))
}

/// The data of the time line, escaped for a `<script>` element.
fn timeline_data(document: &Document) -> Option<String> {
    let mut blocks = document.sections.iter().flat_map(|section| &section.blocks);
    blocks.find_map(|block| match block {
        ContentBlock::Timeline(json) => Some(json.replace('<', "\\u003c")),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_backticks_is_code() {
        let html = |text: &str| with_code(text).to_string();
        assert_eq!(html("raise `acceptCount` to <330>"), "raise <code>acceptCount</code> to &lt;330&gt;");
        assert_eq!(html("`a & b`"), "<code>a &amp; b</code>");
        assert_eq!(html("one ` alone"), "one ` alone");
    }
}
