//! Sessions of real traffic: users who log in, carry a token, follow data and think.
//!
//! A scenario file (TOML) and a JMeter plan are compiled into one form, the [`Program`]. It is plain data: files were read and
//! names were resolved when it was made, so that the generator looks up nothing. A `Program` is a list of [`UserGroup`]s, and
//! what a user of a group does is a tree of [`Action`]s.
//!
//! ```text
//! scenario.toml ── scenario_file ───┐
//!                                   ├──► Program ──► load: one program counter and one set of variables per user
//! plan.jmx ─────── (its importer) ──┘
//! ```

mod action;
mod answer;
mod clock_text;
mod css;
mod data;
mod environment;
mod expr;
mod failure;
mod group;
mod html_entity;
mod java_path;
mod plan_difference;
mod record;
mod request;
mod resources;
mod server;
mod time_part;
mod xpath;

pub use action::{Action, Branches, Meeting, Pause, PauseTerm, ShareOf, StopWhat, Times, Transaction};
pub use answer::{
    AnswerCheck, AnswerPart, AnswerSize, DocumentForm, ExtractFrom, Extractor, Found, GroupText, IfMissing,
    TextTest, Which,
};
pub use clock_text::{cookie_date, push_number, read_time, write_time};
pub use css::{AttributeTest, CssChain, CssRelation, CssSelector, CssTest};
pub use data::{AtEnd, DataSource, RowSharing, Rows, RowsMistake};
pub use environment::EnvironmentVariable;
pub use expr::{
    AnswerParts, BinaryOperator, Comparison, Conversion, Decimal, Dialect, DigestAlgorithm, Expr, ExprHost,
    Function, JsonPath, JsonPathMistake, LONGEST_LOOP, NumberKind, PathPart, ResponsePart, ScriptEffects,
    ScriptFailure, ScriptRun, ScriptValue, Slots, Snippet, Statement, Template, UnaryOperator, push_percent,
    values_of_format,
};
pub use failure::{FirstFailure, StepFailure};
pub use group::{
    Cookie, Cookies, GroupArrivals, GroupPhase, OnFailure, UserGroup, UserWave, sessions_together,
};
pub use html_entity::{escape_html, unescape_html};
pub use java_path::java_path;
pub use plan_difference::PlanDifference;
pub use record::StepRecord;
pub use request::{BodyPart, DigestUser, RequestBody, SessionRequest, UrlInPath};
pub use resources::Resources;
pub use server::{MOST_SERVERS, Server};
pub use time_part::TimePart;
pub use xpath::{
    NAMESPACES_OF_DOCUMENT, NO_DEFAULT_NAMESPACE, NodeTest, Space, XPath, XPathFunction, XPathOperator,
    XPathStep, declared_namespace,
};

use crate::pace::Stage;
use model::units::Nanos;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The traffic that a load makes: what TOML and JMeter plans compile to.
///
/// All indices in it (slots of variables and lists, steps, data sources, counters, pacers) are valid: the maker of a
/// program takes care of that, and the generator relies on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The groups of users; at least one. The groups of one [`GroupPhase`] run side by side unless `serial` says
    /// otherwise.
    pub groups: Vec<UserGroup>,
    /// Whether groups of a phase run one after the other, in their order.
    pub serial: bool,
    /// The variables. Each user has its own value of each, which is unset until something sets it.
    pub variables: Slots,
    /// The lists: variables with several values, from extractors that take all matches.
    pub lists: Slots,
    /// Values that variables have from the start; they are rendered once, before the first user starts, and are the same for all
    /// users. A later one may use an earlier one.
    pub initial: Vec<(usize, Template)>,
    /// Texts that all users share, by name; scripts read and set them.
    pub properties: Vec<(String, String)>,
    /// Variables of prony's environment that texts use, see [`Expr::Environment`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<EnvironmentVariable>,
    /// Tables of data, from which users take rows.
    pub data: Vec<DataSource>,
    /// Counters, see [`Action::Count`] and [`Function::Next`].
    pub counters: Vec<SharedCounter>,
    /// Limits of how often something happens, see [`PauseTerm::Pace`].
    pub pacers: Vec<Pacer>,
    /// The servers beside the one that is loaded, see [`SessionRequest::server`]; fewer than [`MOST_SERVERS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<Server>,
    /// The addresses of hosts, by their names, where they are not to be looked up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<(String, String)>,
    /// What measures are kept of: requests and transactions. Several requests may have the same step.
    pub steps: Vec<ProgramStep>,
    /// What is said in reports about parts that were left out when the program was made, one short text for each.
    pub left_out: Vec<String>,
    /// What is done otherwise than the plan asks for from which the program was made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<PlanDifference>,
    /// Whether the plan from which the program was made sends over HTTP/2, so that a load does unless it is told otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub http2: bool,
}

/// Something whose requests, failures and times are counted on their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramStep {
    /// The name in reports.
    pub name: String,
    /// Whether it is a transaction, which is a group of steps, and not a request.
    pub transaction: bool,
    /// The name of the group of users, where a program has several groups.
    pub group: Option<String>,
}

/// The name of a step in reports, with the name of its users where there are several kinds: `buyers: pay`.
pub fn full_name_of_step(name: &str, group: Option<&String>) -> String {
    match group {
        Some(group) => format!("{group}: {name}"),
        None => name.to_owned(),
    }
}

impl ProgramStep {
    /// The name in reports, see [`full_name_of_step`].
    pub fn full_name(&self) -> String {
        full_name_of_step(&self.name, self.group.as_ref())
    }

    /// Whether a text names this step, with or without its users.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.full_name() == name
    }
}

/// A counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedCounter {
    /// Its first value.
    pub start: i64,
    /// What is added each time.
    pub step: i64,
    /// After a value of this size or above it starts again; `None` is without end.
    pub end: Option<i64>,
    /// Whether each user has a counter of its own. A counter that users share gives every value once, also across event loops
    /// and load machines; there, values need not be in order.
    pub per_user: bool,
    /// Whether a counter of a user starts again with every iteration of the user.
    pub restarts: bool,
}

/// A limit of how often something happens; it delays users and never hurries them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pacer {
    /// Times per second; rendered when it is needed, and per minute, as JMeter has it, if `per_minute` is set.
    pub rate: Template,
    /// Whether `rate` is per minute.
    pub per_minute: bool,
    /// Whether the rate is for all users together and not for each user.
    pub shared: bool,
    /// Whether the moments are drawn, with exponential gaps. One that has passed is then taken at once, and none is lost.
    #[serde(default)]
    pub random: bool,
    /// The course of the rate per second from the begin of the load on, in the place of `rate`; the load ends behind the last
    /// stage. Empty where the rate stays the same.
    #[serde(default)]
    pub stages: Vec<Stage>,
}

impl Program {
    /// The step of this name and kind, which is new if there was none.
    pub fn step(&mut self, name: &str, transaction: bool, group: Option<&str>) -> usize {
        let wanted = ProgramStep { name: name.to_owned(), transaction, group: group.map(str::to_owned) };
        self.steps.iter().position(|step| *step == wanted).unwrap_or_else(|| {
            self.steps.push(wanted);
            self.steps.len() - 1
        })
    }

    /// The number of another server, see [`SessionRequest::server`]; `None` if there are too many servers.
    pub fn server(&mut self, server: &Server) -> Option<usize> {
        let known = self.servers.iter().position(|known| known == server);
        let index = known.or_else(|| {
            (self.servers.len() + 1 < MOST_SERVERS).then(|| {
                self.servers.push(server.clone());
                self.servers.len() - 1
            })
        })?;
        Some(index + 1)
    }

    /// Makes another server, by its number, the one that is loaded. Requests to the one that was loaded go there, too.
    pub fn load_server(&mut self, number: usize) -> Server {
        for group in &mut self.groups {
            Action::change_requests(&mut group.body, &mut |request| {
                request.server = match request.server.cmp(&number) {
                    Ordering::Less => request.server,
                    Ordering::Equal => 0,
                    Ordering::Greater => request.server - 1,
                };
            });
        }
        self.servers.remove(number - 1)
    }

    /// Whether the users and their numbers are all given by the program, so that the load profile adds none.
    pub fn has_own_arrivals(&self) -> bool {
        self.groups.iter().any(|group| !matches!(group.arrivals, GroupArrivals::Weight(_)))
    }

    /// Whether users of some groups begin when the users of other groups have ended.
    pub fn runs_in_stages(&self) -> bool {
        let has_users = |group: &&UserGroup| matches!(group.arrivals, GroupArrivals::Users(_));
        let groups = self.groups.iter().filter(has_users);
        let mut pairs = groups.clone().zip(groups.skip(1));
        pairs.any(|(one, next)| self.serial || one.phase != next.phase)
    }

    /// Whether users ever wait by themselves.
    pub fn has_pauses(&self) -> bool {
        let mut found = false;
        for group in &self.groups {
            Action::visit_all(&group.body, &mut |action| found |= matches!(action, Action::Pause(_)));
        }
        found
    }

    /// The pauses in one session of a user, as far as their mean length is known from the start, mean over the groups. A pause in a loop
    /// counts once.
    pub fn pauses_per_session(&self) -> Nanos {
        let mut sum = Nanos(0);
        for group in &self.groups {
            Action::visit_all(&group.body, &mut |action| {
                let Action::Pause(pause) = action else { return };
                for term in &pause.terms {
                    if let PauseTerm::Think(think) = term {
                        sum = sum + think.mean();
                    }
                }
            });
        }
        Nanos(sum.0 / self.groups.len().max(1) as u64)
    }

    /// Whether users open connections of WebSocket.
    pub fn uses_web_socket(&self) -> bool {
        self.requests().iter().any(|request| request.web_socket.is_some())
    }

    /// All requests, in the order in which they stand.
    pub fn requests(&self) -> Vec<&SessionRequest> {
        let mut found = Vec::new();
        for group in &self.groups {
            Action::visit_all(&group.body, &mut |action| {
                if let Action::Request(request) = action {
                    found.push(&**request);
                }
            });
        }
        found
    }
}
