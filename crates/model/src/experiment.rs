//! [`Experiment`]: a question, read from a TOML file: arms × workload × load profile × design.

use crate::arm::{Arm, Known};
use crate::diagnostic::{Diagnostic, Rejected, nearest};
use crate::measure::Measure;
use crate::node::{self, Node, Table, Value};
use crate::outcome::Load;
use crate::pattern;
use crate::service::{self, Service};
use crate::units::{Nanos, Rate};
use serde::{Deserialize, Serialize};

/// A question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// A short name; the file's own name when it gives none.
    pub name: String,
    /// What is asked, in words.
    pub question: String,
    /// The variants; at least two.
    pub arms: Vec<Arm>,
    /// What runs beside the arms that name it.
    #[serde(default)]
    pub services: Vec<Service>,
    /// What is asked of each.
    pub workload: Workload,
    /// How it arrives.
    pub load: LoadProfile,
    /// How the verdict is reached.
    pub design: Design,
}

/// What is asked of every arm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workload {
    /// The application that runs in every arm.
    pub app: String,
    /// The path requested.
    pub path: String,
}

/// How requests arrive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadProfile {
    /// Closed loop: so many users, one keep-alive connection each, no think time.
    pub connections: usize,
}

/// How the verdict is reached; all of it is fixed before the first start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// Index of the arm the others are compared with.
    pub baseline: usize,
    /// The measure that decides when to stop.
    pub headline: Measure,
    /// Cap of rounds: fresh starts of every arm. `None`: until sure, by intervals that hold at every look without a cap.
    pub starts: Option<u32>,
    /// Gate: the loss of the headline that is allowed. `None`: which is better, or are they the same within the margin?
    pub gate: Option<f64>,
    /// All arms are the same on purpose, to see what the measurement itself does.
    pub aa: bool,
    /// Pairs of slices per round; even, because two pairs make a quad.
    pub pairs: u32,
    /// Whether pairs are chosen anew, once, when four starts have shown what they are worth; not where a file says how many.
    pub tune: bool,
    /// Counted part of a slice.
    pub slice: Nanos,
    /// Part of a slice before it that is not counted.
    pub settle: Nanos,
    /// Pairs of slices per round at a fixed rate, for the response times; even; 0 leaves these out.
    pub latency_pairs: u32,
    /// Counted part of a slice at a fixed rate.
    pub latency_slice: Nanos,
    /// The fixed rate; `None` takes a share of what the slower arm reaches in the first round.
    pub latency_rate: Option<Rate>,
    /// Own load of an arm before it is measured, at least.
    pub warmup: Nanos,
    /// Own load of an arm before it is measured, at most, however unsteady it still is.
    pub warmup_cap: Nanos,
    /// Error rate of `faster` and `slower` over all looks, two-sided.
    pub alpha: f64,
    /// Differences that count as the same, by measure, in the order of [`Measure::ALL`].
    pub margins: [f64; Measure::ALL.len()],
    /// No new round begins when it would end later than this.
    pub budget: Option<Nanos>,
    /// Seed of everything random; `None` draws one and records it.
    pub seed: Option<u64>,
}

impl Default for Design {
    fn default() -> Self {
        Self {
            baseline: 0,
            headline: Measure::CpuPerRequest,
            starts: Some(30),
            gate: None,
            aa: false,
            pairs: 12,
            tune: true,
            slice: Nanos::from_millis(500),
            settle: Nanos::from_millis(100),
            latency_pairs: 2,
            latency_slice: Nanos::from_millis(2500),
            latency_rate: None,
            warmup: Nanos::from_secs(4),
            warmup_cap: Nanos::from_secs(20),
            alpha: 0.01,
            margins: Measure::ALL.map(Measure::default_margin),
            budget: None,
            seed: None,
        }
    }
}

impl Design {
    /// Whether `measure` is measured at all.
    pub fn measures(&self, measure: Measure) -> bool {
        self.latency_pairs > 0 || !measure.at_a_rate()
    }

    /// The difference that counts as the same for `measure`; for the headline of a gate the loss that it allows.
    pub fn margin(&self, measure: Measure) -> f64 {
        match self.gate {
            Some(loss) if measure == self.headline => loss,
            _ => self.margins[measure as usize],
        }
    }
}

impl LoadProfile {
    /// The closed loop as a level of a report.
    pub fn level(&self) -> Load {
        Load {
            users: Some(self.connections as u64),
            rate: None,
        }
    }
}

/// The default number of users: small enough that response time is the server's and not a queue.
pub const CONNECTIONS: usize = 32;

impl Experiment {
    /// Reads an experiment file; `name` is used where the file gives none.
    pub fn parse(text: &str, name: &str, known: &Known) -> Result<Self, Rejected> {
        let reject = |diagnostics| Rejected { diagnostics };
        let root = node::parse(text).map_err(|problem| reject(vec![problem]))?;
        let mut problems = Vec::new();
        let experiment = read(&root, name, known, &mut problems);
        match experiment {
            Some(experiment) if problems.is_empty() => Ok(experiment),
            _ => {
                problems.sort_by_key(|problem| problem.span.start);
                Err(reject(problems))
            }
        }
    }
}

fn read(root: &Node, name: &str, known: &Known, problems: &mut Vec<Diagnostic>) -> Option<Experiment> {
    let mut table = Table::open(root, "an experiment")
        .map_err(|problem| problems.push(problem))
        .ok()?;
    let name = table
        .read("name", problems, |node| node.text().map(str::to_owned))
        .unwrap_or(name.to_owned());
    let question = table.read("question", problems, |node| node.text().map(str::to_owned));
    let app = table.read("app", problems, |node| app(node, known));
    let known = &match table.get("service") {
        Some(node) => known.describing(service::read_all(node, known, problems)),
        None => known.clone(),
    };
    let arms = match table.get("arms") {
        Some(node) => arms(node, known, problems),
        None => {
            let hint = "write arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]";
            problems.push(Diagnostic::new(0..0, "this experiment has no `arms`").hint(hint));
            Vec::new()
        }
    };
    let app = app.unwrap_or_else(|| known.apps.first().map_or("", |(name, _)| name).to_owned());
    let path = table.read("path", problems, |node| path(node, &app, known));
    let load = table
        .get("load")
        .map(|node| load(node, problems))
        .unwrap_or(LoadProfile {
            connections: CONNECTIONS,
        });
    let names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
    let design = table
        .get("design")
        .map(|node| design(node, &names, problems))
        .unwrap_or_default();
    table.finish(problems);
    let path = path.or_else(|| {
        let (_, paths) = known.apps.iter().find(|(name, _)| *name == app)?;
        paths.first().cloned()
    })?;
    let question = question.unwrap_or_else(|| default_question(&arms, &path));
    Some(Experiment {
        name,
        question,
        services: service::used(&arms, known),
        arms,
        workload: Workload { app, path },
        load,
        design,
    })
}

/// The question behind arms that come without one.
pub fn default_question(arms: &[Arm], path: &str) -> String {
    let names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
    format!("Which is faster for GET {path}: {}?", names.join(" or "))
}

fn arms(node: &Node, known: &Known, problems: &mut Vec<Diagnostic>) -> Vec<Arm> {
    let items = match node.list() {
        Ok(items) => items,
        Err(problem) => {
            problems.push(problem);
            return Vec::new();
        }
    };
    if items.len() < 2 {
        let said = if items.is_empty() {
            "the list of arms is empty"
        } else {
            "one arm alone cannot be compared"
        };
        problems.push(Diagnostic::new(node.span.clone(), said).hint("name at least two arms"));
    }
    let mut arms: Vec<Arm> = Vec::new();
    for item in items {
        let Some(arm) = Arm::read(item, known, problems) else {
            continue;
        };
        if arms.iter().any(|other| other.name == arm.name) {
            let span = name_span(item);
            let hint = "give each arm a `name` of its own";
            problems.push(Diagnostic::new(span, format!("two arms are called `{}`", arm.name)).hint(hint));
        }
        arms.push(arm);
    }
    arms
}

/// Where an arm says its name, for the carets.
fn name_span(node: &Node) -> std::ops::Range<usize> {
    let Value::Table(entries) = &node.value else {
        return node.span.clone();
    };
    let named = entries
        .iter()
        .find(|(key, _)| matches!(&key.value, Value::Text(text) if text == "name"));
    named.map_or_else(|| node.span.clone(), |(_, value)| value.span.clone())
}

fn app(node: &Node, known: &Known) -> Result<String, Diagnostic> {
    let app = node.text()?;
    if known.apps.iter().any(|(name, _)| name == app) {
        return Ok(app.to_owned());
    }
    let names: Vec<&str> = known.apps.iter().map(|(name, _)| name.as_str()).collect();
    let hint = match nearest(app, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known applications: {}", names.join(", ")),
    };
    Err(Diagnostic::new(node.span.clone(), format!("unknown application `{app}`")).hint(hint))
}

fn path(node: &Node, app: &str, known: &Known) -> Result<String, Diagnostic> {
    let path = node.text()?;
    let answered = known
        .apps
        .iter()
        .find(|(name, _)| name == app)
        .map(|(_, paths)| paths);
    match answered {
        Some(paths)
            if !paths
                .iter()
                .any(|candidate| pattern::values(candidate, path).is_some()) =>
        {
            let hint = format!("`{app}` answers {}", paths.join(", "));
            Err(Diagnostic::new(node.span.clone(), format!("`{app}` does not answer `{path}`")).hint(hint))
        }
        _ => Ok(path.to_owned()),
    }
}

fn load(node: &Node, problems: &mut Vec<Diagnostic>) -> LoadProfile {
    let mut profile = LoadProfile {
        connections: CONNECTIONS,
    };
    match Table::open(node, "[load]") {
        Ok(mut table) => {
            if let Some(count) = table.read("connections", problems, |node| node.integer(1..=60_000)) {
                profile.connections = count as usize;
            }
            table.finish(problems);
        }
        Err(problem) => problems.push(problem),
    }
    profile
}

fn design(node: &Node, names: &[&str], problems: &mut Vec<Diagnostic>) -> Design {
    let mut design = Design::default();
    let mut table = match Table::open(node, "[design]") {
        Ok(table) => table,
        Err(problem) => {
            problems.push(problem);
            return design;
        }
    };
    let set = |slot: &mut Nanos, value: Option<Nanos>| *slot = value.unwrap_or(*slot);
    design.baseline = table
        .read("baseline", problems, |node| baseline(node, names))
        .unwrap_or(0);
    latency(&mut table, &mut design, problems);
    design.aa = table.read("aa", problems, Node::boolean).unwrap_or(false);
    let headline = table.read("headline", problems, |node| measure(node, &design));
    design.headline = headline.unwrap_or(design.headline);
    let pairs = table.read("pairs", problems, |node| even_pairs(node, 2));
    (design.pairs, design.tune) = (pairs.unwrap_or(design.pairs), pairs.is_none());
    set(
        &mut design.slice,
        table.read("slice", problems, between(0.1, 600.0)),
    );
    set(
        &mut design.settle,
        table.read("settle", problems, between(0.0, 60.0)),
    );
    let warmup = between(0.0, 600.0);
    set(&mut design.warmup, table.read("warmup", problems, warmup));
    set(&mut design.warmup_cap, table.read("warmup_cap", problems, warmup));
    design.budget = table.read("budget", problems, between(1.0, 1e6));
    design.seed = table.read("seed", problems, |node| node.integer(0..=u64::MAX));
    decision(&mut table, &mut design, problems);
    table.finish(problems);
    design
}

/// When the run is sure, and of what.
fn decision(table: &mut Table<'_>, design: &mut Design, problems: &mut Vec<Diagnostic>) {
    design.alpha = table.read("alpha", problems, Node::alpha).unwrap_or(design.alpha);
    let cap = table.get("starts");
    match cap.map(|node| node.integer(5..=40)) {
        Some(Ok(starts)) => design.starts = Some(starts as u32),
        Some(Err(problem)) => problems.push(problem.about("starts")),
        None => {}
    }
    if table.read("until_sure", problems, Node::boolean) == Some(true) {
        if let Some(cap) = cap {
            let problem = Diagnostic::new(cap.span.clone(), "`until_sure` knows no cap of `starts`");
            problems.push(problem.hint("leave one of the two out; `budget` limits the time of either"));
        }
        design.starts = None;
    }
    design.gate = table.read("gate", problems, Node::share);
    let Some(node) = table.get("margin") else { return };
    let of_headline = margins(node, design, problems);
    if design.gate.is_some() && of_headline {
        let problem = Diagnostic::new(node.span.clone(), TWO_MARGINS);
        problems.push(problem.hint("leave the margin of the headline out: the gate takes its place"));
    }
}

/// Why a gate and a margin of the headline cannot both be given.
pub const TWO_MARGINS: &str = "a gate and a margin of the headline would answer two questions with one rule";

/// The keys of the stage at a fixed rate.
fn latency(table: &mut Table<'_>, design: &mut Design, problems: &mut Vec<Diagnostic>) {
    if let Some(pairs) = table.read("latency_pairs", problems, |node| even_pairs(node, 0)) {
        design.latency_pairs = pairs;
    }
    if let Some(slice) = table.read("latency_slice", problems, between(0.1, 600.0)) {
        design.latency_slice = slice;
    }
    design.latency_rate = table.read("latency_rate", problems, Node::rate);
}

/// A span of so many seconds.
fn between(low: f64, high: f64) -> impl Fn(&Node) -> Result<Nanos, Diagnostic> + Copy {
    move |node| {
        let span = node.duration()?;
        let inside = (low..=high).contains(&span.as_secs_f64());
        let message = format!("expected {low} s to {high} s, found {} s", span.as_secs_f64());
        if inside {
            Ok(span)
        } else {
            Err(Diagnostic::new(node.span.clone(), message))
        }
    }
}

fn baseline(node: &Node, names: &[&str]) -> Result<usize, Diagnostic> {
    let name = node.text()?;
    names
        .iter()
        .position(|candidate| *candidate == name)
        .ok_or_else(|| {
            let hint = format!("the arms are: {}", names.join(", "));
            Diagnostic::new(node.span.clone(), format!("no arm is called `{name}`")).hint(hint)
        })
}

fn measure(node: &Node, design: &Design) -> Result<Measure, Diagnostic> {
    let id = node.text()?;
    let measure = Measure::from_id(id).ok_or_else(|| {
        let ids = Measure::ALL.map(Measure::id).join(", ");
        Diagnostic::new(node.span.clone(), format!("unknown measure `{id}`")).hint(format!("measures: {ids}"))
    })?;
    if design.measures(measure) {
        return Ok(measure);
    }
    let message = format!("with `latency_pairs = 0` there is no {}", measure.title());
    Err(Diagnostic::new(node.span.clone(), message).hint("leave `latency_pairs` out, or ask for at least 2"))
}

fn even_pairs(node: &Node, least: u64) -> Result<u32, Diagnostic> {
    let pairs = node.integer(least..=40)?;
    if pairs % 2 == 1 {
        let hint = "two pairs make one quad, ABBA or BAAB, which cancels drift";
        return Err(Diagnostic::new(node.span.clone(), "the number of pairs must be even").hint(hint));
    }
    Ok(pairs as u32)
}

/// One margin for the headline, or a table by measure; says whether the headline's was among them.
fn margins(node: &Node, design: &mut Design, problems: &mut Vec<Diagnostic>) -> bool {
    let headline = design.headline;
    if !matches!(node.value, Value::Table(_)) {
        match node.share() {
            Ok(margin) => design.margins[headline as usize] = margin,
            Err(problem) => problems.push(
                problem
                    .about("margin")
                    .hint("write margin = \"3%\" for the headline, or margin = { throughput = \"2%\" }"),
            ),
        }
        return true;
    }
    let mut of_headline = false;
    if let Ok(mut table) = Table::open(node, "`margin`") {
        for measure in Measure::ALL {
            if let Some(margin) = table.read(measure.id(), problems, Node::share) {
                design.margins[measure as usize] = margin;
                of_headline |= measure == headline;
            }
        }
        table.finish(problems);
    }
    of_headline
}
