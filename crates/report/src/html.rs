//! The report as one page that needs nothing else: no network, no script but for the time line. Styles, scripts and data are
//! inside it, and its policy lets a browser run these scripts only.

mod page;
mod policy;
mod timeline;

use crate::web;
use crate::words::Lang;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use model::outcome::Report;
use model::series::Series;

const TEMPLATE: &str = include_str!("../../../web/report.html");

/// The policy of every page, for a server that sends it: it names the page's own scripts and styles by their hashes.
pub fn policy() -> String {
    policy::of(&web::SCRIPTS, &web::STYLES)
}

/// `report.html`.
pub fn text(report: &Report, series: &Series, lang: Lang) -> String {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let page = page::of(report, series, lang);
    // The template is ours and part of the program; a test renders every part of it.
    environment
        .render_str(TEMPLATE, Serde(page))
        .unwrap_or_else(|error| format!("<!doctype html><title>prony</title><pre>{error:#}</pre>"))
}
