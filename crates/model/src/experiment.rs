//! [`Experiment`]: a question, read from a TOML file: arms × workload × load profile × design.

use crate::arm::Arm;
use crate::arm::Telemetry;
use crate::available::Available;
use crate::command;
use crate::cpus::MachineCpus;
use crate::deployment::Deployment;
use crate::diagnostic::{Diagnostic, Rejected, near_or};
use crate::host::ArmHost;
use crate::link::Link;
use crate::load::Load;
use crate::load_machines::LoadMachines;
use crate::measure::Measure;
use crate::mix::Mix;
use crate::mix_file;
use crate::node::{self, Node, Table};
use crate::pace::Think;
use crate::pattern;
use crate::question::Question;
use crate::reference::Reference;
use crate::require::{self, Requirement};
use crate::scenario::Program;
use crate::service::{self, Service};
use crate::slip::{Advice, Hint, Listing, NameSlip, Owner, RequestSlip, ShapeSlip, TableName};
use crate::tunable::Tunable;
use quick::Quick;
use serde::{Deserialize, Serialize};
use std::path::Path;

mod alone;
mod asked;
pub(crate) mod design;
mod elsewhere;
mod error_rate;
mod find;
mod headline;
mod jmx;
pub mod keys;
mod load;
mod machine;
mod quick;
mod reference;
mod sessions;
mod tune;

pub use crate::earlier::{KeptRate, LearntPrior};
pub use design::{Design, LATENCY_SETTLE, Pacing, SETTLE};
pub use error_rate::{GATE_ALPHA, secondary_alpha};
pub use find::{Find, Objective, Steps};
pub use headline::Headline;
pub use load::{CONNECTIONS, LoadProfile};

/// A question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// A short name; the file's own name when it gives none.
    pub name: String,
    /// The question in words.
    #[serde(flatten)]
    pub question: Question,
    /// The variants. One alone is not compared: the question is what limits it.
    pub arms: Vec<Arm>,
    /// The services that its arms use.
    pub services: Vec<Service>,
    /// The requests that every arm is sent.
    pub workload: Workload,
    /// How these requests arrive.
    pub load: LoadProfile,
    /// The link between load and servers; `None` is this machine's loopback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// The CPUs that the file gives to the generator and to the servers.
    #[serde(default, skip_serializing_if = "MachineCpus::is_empty")]
    pub machine: MachineCpus,
    /// How the verdict is reached.
    pub design: Design,
    /// The profile of the file that this is.
    pub profile: Profile,
    /// Figures that somebody else measured; reports show them next to the run's own.
    pub reference: Option<Reference>,
    /// How far the run goes to find causes.
    pub explain: Explain,
    /// Requirements on the arms, without the gate, which belongs to the design.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<Requirement>,
    /// Settings of the application that trials may change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tune: Vec<Tunable>,
}

/// How far a run goes to find causes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Explain {
    /// Reports name what can be seen while arms are measured; no server is looked into.
    Off,
    /// After all measurements, servers are looked into, and reports name what was seen.
    #[default]
    Name,
    /// Trials test the changes that diagnoses suggest, too.
    Prove,
}

impl Explain {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Off, Self::Name, Self::Prove];

    /// The name in files.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Name => "name",
            Self::Prove => "prove",
        }
    }
}

/// One file, two sizes of the same question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// The whole experiment.
    #[default]
    Full,
    /// The smaller one that `[quick]` describes.
    Quick,
}

/// The requests that every arm is sent, and the right answers to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// The application that runs in every arm.
    pub app: String,
    /// The path that is requested; with a mix only the one that a server has to answer before it is loaded.
    pub path: String,
    /// Several kinds of request in the place of `path`.
    pub mix: Option<Mix>,
    /// Sessions of steps in the place of requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Box<Program>>,
    /// The body of a right answer of a WAR or a jar of the user's own; `None` takes the
    /// first answer for right.
    pub expect: Option<String>,
    /// Whether arms are compared even if their answers differ in size.
    pub unlike_answers: bool,
}

impl Experiment {
    /// An experiment that no file describes: these arms are sent these requests under this load, and everything else is as in a file
    /// that says nothing of it.
    pub fn without_file(
        name: &str,
        known: &Available,
        arms: Vec<Arm>,
        workload: Workload,
        load: LoadProfile,
    ) -> Self {
        Self {
            name: name.to_owned(),
            question: default_question(&arms, &workload.path),
            services: services_of(&arms, known),
            design: Design::for_arms(arms.len()),
            arms,
            workload,
            load,
            link: None,
            machine: MachineCpus::default(),
            profile: Profile::Full,
            reference: None,
            explain: Explain::Name,
            require: Vec::new(),
            tune: Vec::new(),
        }
    }

    /// Whether both experiments have the same name and send the same requests in the same way to the same arms. A fixed rate
    /// that was chosen for one of them then belongs to the other, too, however they reach their verdicts.
    pub fn is_same_question(&self, other: &Self) -> bool {
        let asked = |experiment: &Self| experiment.arms.iter().map(Arm::as_asked).collect::<Vec<_>>();
        self.name == other.name
            && asked(self) == asked(other)
            && self.services == other.services
            && self.workload == other.workload
            && self.load == other.load
            && self.link == other.link
            && self.machine == other.machine
    }

    /// Reads an experiment file; `name` is used where the file gives none.
    pub fn parse(text: &str, name: &str, known: &Available) -> Result<Self, Rejected> {
        Self::parse_as(text, name, known, Profile::Full)
    }

    /// Reads one of the profiles of an experiment file; `name` is used where the file gives none.
    pub fn parse_as(text: &str, name: &str, known: &Available, profile: Profile) -> Result<Self, Rejected> {
        let reject = |diagnostics| Rejected { diagnostics };
        let root = node::parse(text).map_err(|problem| reject(vec![problem]))?;
        let mut problems = Vec::new();
        let experiment = read(&root, name, profile, known, &mut problems);
        match experiment {
            Some(experiment) if problems.is_empty() => Ok(experiment),
            _ => {
                problems.sort_by_key(|problem| problem.span.start);
                Err(reject(problems))
            }
        }
    }

    /// Whether an arm is compared with the baseline in a measure. A server that ran already is not compared in start-up and
    /// peak memory, because prony does not start it.
    pub fn compares(&self, arm: usize, measure: Measure) -> bool {
        let started = |arm: usize| self.arms[arm].origin.is_none();
        let of_a_start = matches!(measure, Measure::StartUp | Measure::PeakMemory);
        self.design.measures(measure) && (!of_a_start || started(arm) && started(self.design.baseline))
    }

    /// Returns the arms whose servers are looked into after all measurements, by index.
    pub fn inspected_arms(&self) -> impl Iterator<Item = usize> {
        let arms = self.arms.iter().enumerate();
        let watched = arms.filter(|(_, arm)| self.explain != Explain::Off && arm.telemetry.is_on());
        watched.map(|(index, _)| index)
    }

    /// Whether users of the closed loop ever pause by themselves.
    pub fn has_pauses(&self) -> bool {
        let program = self.workload.sessions.as_ref();
        program.is_some_and(|program| program.has_pauses()) || self.load.think != Think::None
    }

    /// Returns how often a measure is compared in each start: at every level, or once.
    pub fn comparisons_per_start(&self, measure: Measure) -> usize {
        if self.design.compares_by_level(measure) { self.load.connections.len() } else { 1 }
    }

    /// Returns the load at which `measure` is compared: the fixed rate, or the level with the index `at`; `None` where it has one value in
    /// each start. `rate` is the stage's rate, which is not known before the first start that counts.
    pub fn load_of(&self, measure: Measure, at: usize, rate: Option<f64>) -> Option<Load> {
        if self.design.compares_at_a_rate(measure) {
            return Some(self.stage_load(measure, rate));
        }
        self.design.compares_by_level(measure).then(|| self.load.level(at))
    }

    /// Returns the load at which `measure` is compared at a fixed rate. Arms that are loaded at once only for this measure share the rate.
    fn stage_load(&self, measure: Measure, rate: Option<f64>) -> Load {
        let (pacing, arms) = (self.design.pacing, self.arms.len());
        let of_measure = pacing.of(measure);
        let parts = of_measure.arms_at_once(arms) as f64 / pacing.arms_at_once(arms) as f64;
        Load {
            rate: rate.map(|rate| rate / parts),
            together: of_measure.is_together(),
            sessions: self.workload.sessions.is_some(),
            ..Load::default()
        }
    }

    /// Removes all arms except the baseline and the arms with these names.
    pub fn keep(&mut self, wanted: &[String]) {
        let baseline = self.arms[self.design.baseline].name.clone();
        self.arms.retain(|arm| arm.name == baseline || wanted.contains(&arm.name));
        let kept = self.arms.iter().position(|arm| arm.name == baseline);
        self.design.baseline = kept.unwrap_or(0);
        let arms = &self.arms;
        let kept = |name: &String| arms.iter().any(|arm| arm.name == *name);
        self.require.retain(|asked| asked.arm.as_ref().is_none_or(kept));
    }

    /// Makes relative paths start from this folder, the one of the file.
    pub fn relative_to(&mut self, folder: &Path) {
        self.arms.iter_mut().for_each(|arm| arm.relative_to(folder));
        self.services.iter_mut().for_each(|service| service.relative_to(folder));
    }
}

fn read(
    root: &Node,
    name: &str,
    profile: Profile,
    known: &Available,
    problems: &mut Vec<Diagnostic>,
) -> Option<Experiment> {
    let mut table =
        Table::open(root, TableName::Experiment).map_err(|problem| problems.push(problem)).ok()?;
    let name = table.read("name", problems, |node| node.text().map(str::to_owned)).unwrap_or(name.to_owned());
    let question = Question::read(&mut table, problems);
    let app = table.read("app", problems, |node| app(node, known));
    let known = &with_settings_of_file(&mut table, known, problems);
    let arms = arms_or_none(&mut table, known, problems);
    let app = app.unwrap_or_else(|| known.apps.first().map_or("", |(name, _)| name).to_owned());
    problems.extend(app_slip(&mut table, &app, &arms, known));
    let workload = workload(&mut table, app, &arms, known, problems);
    let names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
    let link = Link::read(&mut table, &arms, problems);
    let (load, design, quick) = profiles(&mut table, &names, problems);
    let machine = machine::read(&mut table, &arms, &load, problems);
    let reference = table.get("reference").map(|node| reference::read(node, problems));
    let explain = table.read("explain", problems, explain);
    let require = table.get("require");
    let tune = table.get("tune");
    let tune = tune.map_or_else(Vec::new, |node| tune::read(node, &arms, problems));
    table.finish(problems);
    let all: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let full = Experiment {
        name,
        question: Question::default(),
        services: services_of(&arms, known),
        arms,
        workload: workload?,
        load,
        link,
        machine,
        design,
        profile: Profile::Full,
        reference,
        explain: explain.unwrap_or_default(),
        require: Vec::new(),
        tune,
    };
    let mut experiment = match profile {
        Profile::Full => full,
        Profile::Quick => quick::apply(full, quick, problems)?,
    };
    alone::adapt(&mut experiment, root);
    sessions::adapt(&experiment, root, problems);
    if let Some(node) = require {
        read_requirements(node, &all, &mut experiment, problems);
    }
    alone::refuse_comparisons(&experiment, root, problems);
    experiment.question =
        question.unwrap_or_else(|| default_question(&experiment.arms, &experiment.workload.path));
    Some(experiment)
}

/// What is wrong with the application: an arm that cannot run servlets.
fn app_slip(table: &mut Table<'_>, app: &str, arms: &[Arm], known: &Available) -> Option<Diagnostic> {
    let (node, arm) = (table.get("app")?, known.without_servlets(app, arms)?);
    Some(refuse_app(node, app, arm, known))
}

fn explain(node: &Node) -> Result<Explain, Diagnostic> {
    node.one_of(&Explain::ALL, Explain::id)
}

/// Returns what is known, together with the services, the WAR and the telemetry that the file sets for all of its arms.
fn with_settings_of_file(
    table: &mut Table<'_>,
    known: &Available,
    problems: &mut Vec<Diagnostic>,
) -> Available {
    let known = match table.get("service") {
        Some(node) => {
            Available { described: service::read_all(node, &known.built_in, problems), ..known.clone() }
        }
        None => known.clone(),
    };
    Available {
        deployment: Deployment::read(table, &known.wars, problems).unwrap_or_default(),
        telemetry: table.read("telemetry", problems, Telemetry::read).unwrap_or_default(),
        host: table.read("host", problems, ArmHost::read).flatten(),
        ..known
    }
}

/// Reads `arms`, without which there is no experiment.
fn arms_or_none(table: &mut Table<'_>, known: &Available, problems: &mut Vec<Diagnostic>) -> Vec<Arm> {
    if let Some(node) = table.get("arms") {
        return arms(node, known, problems);
    }
    let slip = ShapeSlip::Lacks { owner: Owner::Experiment, key: "arms" };
    problems.push(
        Diagnostic::new(0..0, slip).hint(Hint::write("arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]")),
    );
    Vec::new()
}

/// Reads the requests that every arm is sent, and the right answers to them.
fn workload(
    table: &mut Table<'_>,
    app: String,
    arms: &[Arm],
    known: &Available,
    problems: &mut Vec<Diagnostic>,
) -> Option<Workload> {
    // Only the user knows what servers and applications of his own answer.
    let own = !arms.is_empty() && arms.iter().all(Arm::is_the_users);
    let path = table.read("path", problems, |node| match own {
        true => command::path(node),
        false => path(node, &app, known),
    });
    let expect = table.read("expect", problems, |node| expect(node, arms));
    let unlike_answers = table.read("unlike_answers", problems, Node::boolean);
    let sessions = sessions::read_sessions(table, known, problems);
    let mix = table
        .get("request")
        .and_then(|node| mix_file::listed(node, problems).map_err(|p| problems.push(p)).ok());
    let first_get = || mix.as_ref().and_then(Mix::first_get);
    let path = path.or_else(|| own.then(|| first_get().unwrap_or_else(|| "/".to_owned())));
    let path = path.or_else(|| {
        let (_, paths) = known.apps.iter().find(|(name, _)| *name == app)?;
        paths.first().cloned()
    })?;
    Some(Workload { app, path, mix, sessions, expect, unlike_answers: unlike_answers.unwrap_or(false) })
}

/// Reads `[require]` for the arms and the design of the profile that was asked for.
fn read_requirements(
    node: &Node,
    all: &[String],
    experiment: &mut Experiment,
    problems: &mut Vec<Diagnostic>,
) {
    let kept: Vec<String> = experiment.arms.iter().map(|arm| arm.name.clone()).collect();
    let mut context = require::Context {
        all,
        kept: kept.len(),
        baseline: &kept[experiment.design.baseline],
        design: &mut experiment.design,
        steps: experiment.workload.sessions.as_ref().map_or(&[], |program| &program.steps),
    };
    let mut requirements = require::read(node, &mut context, problems);
    requirements.retain(|requirement| requirement.arm.as_ref().is_none_or(|arm| kept.contains(arm)));
    experiment.require = requirements;
}

/// Reads `[load]`, `[fleet]`, `[design]` and `[quick]`.
fn profiles(
    table: &mut Table<'_>,
    names: &[&str],
    problems: &mut Vec<Diagnostic>,
) -> (LoadProfile, Design, Option<Quick>) {
    let (mut load, mut find) = (LoadProfile::default(), None);
    if let Some(node) = table.get("load") {
        (load, find) = load::read(node, problems, load, find);
    }
    load.machines = LoadMachines::read(table, problems);
    let mut design = match find {
        Some(find) => Design::default().searching(find),
        None => Design::for_arms(names.len()),
    };
    if let Some(node) = table.get("design") {
        if let Some(find) = find {
            find::refuse_fixed_rate(node, find, problems);
        }
        design = design::read(node, names, problems, design);
    }
    let quick = quick::read(table.get("quick"), names, problems, &load, &design);
    (load, design, quick)
}

/// Returns the services that any of the arms needs.
pub fn services_of(arms: &[Arm], known: &Available) -> Vec<Service> {
    let needed =
        |service: &&Service| arms.iter().any(|arm| arm.surroundings.services.contains(&service.name));
    let mut used: Vec<Service> = Vec::new();
    for service in known.services().filter(needed) {
        if !used.iter().any(|earlier| earlier.name == service.name) {
            used.push(service.clone());
        }
    }
    used
}

/// Returns the question that arms without a question ask.
pub fn default_question(arms: &[Arm], path: &str) -> Question {
    if let [Arm { name, .. }] = arms {
        return Question::both(
            format!("What limits {name} for GET {path}?"),
            format!("处理 GET {path} 时，{name} 的瓶颈在哪里？"),
        );
    }
    let names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
    Question::both(
        format!("Which is faster for GET {path}: {}?", names.join(" or ")),
        format!("处理 GET {path} 时，{} 哪个更快？", names.join("、")),
    )
}

fn arms(node: &Node, known: &Available, problems: &mut Vec<Diagnostic>) -> Vec<Arm> {
    let items = match node.list() {
        Ok(items) => items,
        Err(problem) => {
            problems.push(problem);
            return Vec::new();
        }
    };
    if items.is_empty() {
        problems.push(node.refuse(NameSlip::NoArms).hint(Advice::TwoArms));
    }
    let mut arms: Vec<Arm> = Vec::new();
    for item in items {
        let Some(arm) = Arm::read(item, known, problems) else {
            continue;
        };
        if arms.iter().any(|other| other.name == arm.name) {
            let problem = item.entry("name").refuse(NameSlip::SameName(arm.name.clone()));
            problems.push(problem.hint(Advice::OwnNames));
        }
        arms.push(arm);
    }
    arms
}

fn app(node: &Node, known: &Available) -> Result<String, Diagnostic> {
    let app = node.text()?;
    if known.apps.iter().any(|(name, _)| name == app) {
        return Ok(app.to_owned());
    }
    let names = || known.apps.iter().map(|(name, _)| name.as_str());
    let hint = near_or(app, names(), || Hint::listed(Listing::Applications, names()));
    Err(node.refuse(NameSlip::UnknownApp(app.to_owned())).hint(hint))
}

/// Reports an application that the server of an arm cannot run.
fn refuse_app(node: &Node, app: &str, arm: &Arm, known: &Available) -> Diagnostic {
    let slip = NameSlip::NeedsServlets { app: app.to_owned(), server: arm.server.clone() };
    let hint = Hint::listed(Listing::RoutedApplications, known.routed.iter());
    node.refuse(slip).hint(hint)
}

fn path(node: &Node, app: &str, known: &Available) -> Result<String, Diagnostic> {
    let path = node.text()?;
    let answered = known.apps.iter().find(|(name, _)| name == app).map(|(_, paths)| paths);
    match answered {
        Some(paths) if !paths.iter().any(|candidate| pattern::values(candidate, path).is_some()) => {
            let (app, path) = (app.to_owned(), path.to_owned());
            let hint = Hint::listed(Listing::PathsOf(app.clone()), paths.clone());
            Err(node.refuse(NameSlip::UnknownPath { app, path }).hint(hint))
        }
        _ => Ok(path.to_owned()),
    }
}

fn expect(node: &Node, arms: &[Arm]) -> Result<String, Diagnostic> {
    let body = node.text()?.to_owned();
    if arms.iter().any(Arm::is_the_users) {
        return Ok(body);
    }
    Err(node.refuse(RequestSlip::AnswerKnown).hint(Hint::LeaveOut("expect")))
}
