//! Turns traffic that others have written down into scenarios: command lines of curl, archives of browsers (HAR), OpenAPI documents,
//! targets of vegeta, what `prony record` has seen, and JMeter plans.
//!
//! ```text
//! curl, vegeta, OpenAPI ──────────────────────────► Draft ─► write ─► a scenario file
//! HAR, a recording ─► Exchange ─► session ─► vary ──┘
//! a JMeter plan ─► (crate jmeter) ─► Program ─► plan ─► a scenario file
//! ```
//!
//! It promises: everything in the source that cannot become a part of a scenario is an [`Obstacle`] with its place, and nothing of
//! the source is changed or left out without a [`Remark`] in the file. Secrets become variables of the environment, unless that is
//! not wanted. A text from outside is never taken for a template.
//!
//! [`figures`] reads what other tools have measured.
//!
//! It does no I/O. Of our crates it uses `traffic` and `model`, of `traffic` the [`Program`](traffic::scenario::Program).

mod address;
mod curl;
mod draft;
mod exchange;
pub mod figures;
mod har;
mod headers;
mod html;
mod json_text;
mod multipart;
mod openapi;
mod plan;
mod remark;
mod request;
mod secrets;
mod session;
mod vary;
mod vegeta;
mod write;

pub use address::{Address, NoAddress};
pub use draft::{Authorization, Draft, Extraction, Part, Source, Step, StepBody, Variable, literal};
pub use exchange::{Answer, Exchange, SentBody};
pub use plan::{PlanFile, PlanSource, WrittenPlan, plan};
pub use remark::{Format, Obstacle, Place, PlanPart, PlanRemark, Remark, Unsupported, Wave};
pub use session::session;
pub use write::{comments, write};

/// How a source is imported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The name of the scenario.
    pub name: String,
    /// Whether secrets stay in the scenario as they are.
    pub keeps_secrets: bool,
    /// Whether requests for files that do not change are left out.
    pub leaves_static_out: bool,
}

/// A scenario, and what could not become a part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The scenario without what is not supported.
    pub draft: Draft,
    /// What is not supported, in the order of the source.
    pub obstacles: Vec<Obstacle>,
}

impl Imported {
    /// Nothing but obstacles.
    fn refused(place: Option<Place>, what: Unsupported) -> Self {
        Self { draft: Draft::default(), obstacles: vec![Obstacle { place, what }] }
    }
}

/// Imports command lines of curl, as a terminal or the developer tools of a browser have them.
pub fn curl(text: &str, options: &Options) -> Imported {
    curl::import(text, options)
}

/// Imports an HTTP Archive (HAR), as browsers export it.
pub fn har(text: &str, options: &Options) -> Imported {
    match har::exchanges(text) {
        Ok((exchanges, obstacles)) => {
            let mut imported = session(&exchanges, options);
            imported.obstacles.splice(0..0, obstacles);
            imported
        }
        Err(Obstacle { place, what }) => Imported::refused(place, what),
    }
}

/// Imports targets of vegeta, in its `http` or its `json` format.
pub fn vegeta(text: &str, options: &Options) -> Imported {
    vegeta::import(text, options)
}

/// Imports an OpenAPI document of version 3.0 or 3.1, in JSON or YAML.
pub fn openapi(text: &str, options: &Options) -> Imported {
    openapi::import(text, options)
}

/// Tells which format a text has; `None` if it has none of them.
pub fn format_of(text: &str) -> Option<Format> {
    let begin = text.trim_start();
    let mut lines = text.lines().map(str::trim);
    let has_key = |key: &str| text.contains(&format!("\"{key}\""));
    let is_target = |line: &str| {
        line.split_once(' ').is_some_and(|(method, url)| {
            method.bytes().all(|byte| byte.is_ascii_uppercase()) && url.trim().starts_with("http")
        })
    };
    if text.contains("<jmeterTestPlan") {
        return Some(Format::Jmx);
    }
    if begin.starts_with('{') {
        return match (has_key("log") && has_key("entries"), has_key("openapi"), has_key("url")) {
            (true, ..) => Some(Format::Har),
            (_, true, _) => Some(Format::OpenApi),
            (.., true) => Some(Format::Vegeta),
            _ => None,
        };
    }
    if lines.clone().any(|line| line.starts_with("openapi:")) {
        return Some(Format::OpenApi);
    }
    if lines.clone().any(|line| line.trim_start_matches("$ ").starts_with("curl ")) {
        return Some(Format::Curl);
    }
    lines.any(is_target).then_some(Format::Vegeta)
}
