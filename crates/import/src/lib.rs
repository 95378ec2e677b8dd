//! Turns traffic that others have written down into scenarios: command lines of curl, archives of browsers (HAR), OpenAPI documents,
//! targets of vegeta, collections of Postman, `.http` files, access logs, what `prony record` has seen, and JMeter plans.
//!
//! ```text
//! curl, vegeta, OpenAPI, Postman, .http, logs ────► Draft ─► write ─► a scenario file
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

mod access_log;
mod address;
mod clients;
mod curl;
mod draft;
mod exchange;
pub mod figures;
mod har;
mod headers;
mod html;
mod http_file;
mod json_text;
mod marks;
mod multipart;
mod names;
mod openapi;
mod plan;
mod postman;
mod recognize;
mod remark;
mod request;
mod script;
mod secrets;
mod session;
mod vary;
mod vegeta;
mod write;

pub use address::{Address, NoAddress};
pub use draft::{
    Authorization, Draft, Extraction, Part, Source, Step, StepBody, UserSteps, Variable, Weighted, literal,
};
pub use exchange::{Answer, Exchange, SentBody};
pub use multipart::SentPart;
pub use plan::{PlanFile, PlanSource, WrittenPlan, plan};
pub use recognize::{OtherFormat, Recognized, recognize};
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
    /// The environment whose values variables have: its name beside a `.http` file, or its file for Postman.
    pub environment: Option<String>,
    /// How a line of an access log is made; `None` for the usual formats.
    pub pattern: Option<String>,
    /// Whether an access log becomes what each client did at its times, instead of a mix.
    pub replays: bool,
    /// Values of variables, which go before the values that the source gives them.
    pub variables: Vec<(String, String)>,
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
        Self { draft: Draft::default(), obstacles: vec![Obstacle::new(place, what)] }
    }
}

/// Reads a file that a source names, relative to the source.
pub type Files<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// Imports a source of this format. A plan of JMeter is none: crate `jmeter` compiles it, and [`plan`] writes it.
pub fn import(format: Format, text: &str, options: &Options, files: Files<'_>) -> Imported {
    match format {
        Format::Curl => curl::import(text, options),
        Format::Har | Format::Record => har_session(text, options),
        Format::OpenApi => openapi::import(text, options, files),
        Format::Vegeta => vegeta::import(text, options),
        Format::Postman => postman::import(text, options, files),
        Format::Http => http_file::import(text, options, files),
        Format::AccessLog => access_log::import(text, options),
        Format::Jmx => Imported::refused(None, Unsupported::Nothing),
    }
}

/// Imports an HTTP Archive (HAR).
fn har_session(text: &str, options: &Options) -> Imported {
    match har::exchanges(text) {
        Ok((exchanges, obstacles)) => {
            let mut imported = session(&exchanges, options);
            // Where nothing else is wrong, it is told why there is no request.
            if !obstacles.is_empty() {
                imported.obstacles.retain(|obstacle| obstacle.what != Unsupported::Nothing);
            }
            imported.obstacles.splice(0..0, obstacles);
            imported
        }
        Err(Obstacle { place, what, .. }) => Imported::refused(place, what),
    }
}
