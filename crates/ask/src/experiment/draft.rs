//! [`Draft`]: an experiment file that has been parsed. It tells which files a run has to read ([`Draft::needs`]), and with these it becomes
//! an [`Experiment`] together with the drafts of its arms ([`Draft::read`]). What [`Available::needs`] names for the arms is found out
//! then, and [`ArmDrafts::resolve`] puts it into them.

use super::design::{self, Design};
use super::quick::{self, Quick};
use super::{Experiment, Explain, LoadProfile, Profile, Workload, default_question, services_of};
use super::{alone, find, jmx, load, machine, reference, sessions, tune};
use crate::arm::draft::{self, ArmDraft};
use crate::arm::file_settings::FileSettings;
use crate::arm::settings::http_version;
use crate::arm::{Arm, HttpVersion, Telemetry};
use crate::available::Available;
use crate::command;
use crate::deployment::Deployment;
use crate::diagnostic::{Diagnostic, Rejected, near_or};
use crate::grpc::SchemaFile;
use crate::grpc_keys;
use crate::host::ArmHost;
use crate::link::Link;
use crate::load_machines::LoadMachines;
use crate::mix_file;
use crate::node::{self, Node, Table, Value};
use crate::pattern;
use crate::question::Question;
use crate::require;
use crate::service::{self, ServiceFacts};
use crate::slip::{
    Advice, ArmAdvice, ArmSlip, Hint, Listing, NameSlip, Owner, RequestSlip, ShapeSlip, TableName,
};
use crate::web_socket_keys;
use std::collections::BTreeMap;
use std::path::PathBuf;
use traffic::mix::Mix;

/// An experiment file that has been parsed: a tree in which every key and value knows its place in the text.
#[derive(Clone, Debug)]
pub struct Draft {
    root: Node,
    /// The name of the experiment where the file gives none.
    name: String,
}

/// The files that an experiment file names and that have to be read before it can be understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileNeeds {
    /// The files of its scenarios and of its services, as it names them.
    pub files: Vec<PathBuf>,
    /// The files that describe the methods of gRPC that it calls, as it names them.
    pub schemas: Vec<SchemaFile>,
    pub plan: Option<PlanNeed>,
}

/// A JMeter plan that has to be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanNeed {
    pub file: PathBuf,
    /// The properties that the experiment file sets.
    pub properties: BTreeMap<String, String>,
}

/// All arms of a file as it writes them.
#[derive(Clone, Debug)]
pub struct ArmDrafts(Vec<ArmDraft>);

impl Draft {
    /// Parses the text of a file; `name` is the name of the experiment where the file gives none.
    ///
    /// # Errors
    ///
    /// It is no TOML.
    pub fn parse(text: &str, name: &str) -> Result<Self, Rejected> {
        match node::parse(text) {
            Ok(root) => Ok(Self { root, name: name.to_owned() }),
            Err(problem) => Err(Rejected { diagnostics: vec![problem] }),
        }
    }

    /// Returns the files that it names and that [`Draft::read`] needs.
    pub fn needs(&self) -> FileNeeds {
        let files = sessions::files(&self.root).into_iter().chain(service::files(&self.root));
        FileNeeds {
            files: files.collect(),
            schemas: grpc_keys::schema_files(&self.root),
            plan: jmx::plan(&self.root),
        }
    }

    /// Reads a profile of the experiment. Its arms are resolved as far as `known` goes; their drafts know the rest of the way.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the file, as far as `known` shows it.
    pub fn read(&self, known: &Available, profile: Profile) -> Result<(Experiment, ArmDrafts), Rejected> {
        let mut problems = Vec::new();
        let read = read(&self.root, &self.name, profile, known, &mut problems);
        match read {
            Some(read) if problems.is_empty() => Ok(read),
            _ => Err(rejected(problems)),
        }
    }
}

impl ArmDrafts {
    /// Resolves arms that were read from these drafts with what is known by now.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the arms of the file, also with those that are not among `arms`.
    pub fn resolve(&self, arms: &mut [Arm], known: &Available) -> Result<(), Rejected> {
        let mut problems = Vec::new();
        for draft in &self.0 {
            match draft.resolve(known) {
                Ok(resolved) => {
                    let asked = arms.iter_mut().find(|arm| arm.name == resolved.name);
                    asked.into_iter().for_each(|arm| *arm = resolved.clone());
                }
                Err(refusals) => problems.extend(refusals),
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(rejected(problems)) }
    }
}

/// Problems in the order of the text.
fn rejected(mut problems: Vec<Diagnostic>) -> Rejected {
    problems.sort_by_key(|problem| problem.span.start);
    Rejected { diagnostics: problems }
}

/// Reads a profile of the experiment and the drafts of all arms of the file.
fn read(
    root: &Node,
    name: &str,
    profile: Profile,
    known: &Available,
    problems: &mut Vec<Diagnostic>,
) -> Option<(Experiment, ArmDrafts)> {
    let mut table = Table::open_or_tell(root, TableName::Experiment, problems)?;
    let name = table.read("name", problems, Node::owned_text).unwrap_or(name.to_owned());
    let question = Question::read(&mut table, problems);
    let app = table.read("app", problems, |node| app(node, known));
    let app = app.unwrap_or_else(|| known.apps.first().map_or("", |(name, _)| name).to_owned());
    let settings = file_settings(&mut table, known, problems);
    let ReadArms { drafts, arms, unread } = read_arms(&mut table, known, &settings, problems);
    problems.extend(app_slip(&mut table, &app, &arms, known));
    let workload = workload(&mut table, app, &arms, unread.is_empty(), known, problems);
    let slips = |workload: &Workload| -> Vec<_> {
        drafts.iter().filter_map(|draft| path_slip(draft, workload, known)).collect()
    };
    problems.extend(workload.iter().flat_map(slips));
    let names = names_of(&arms, &unread);
    let link = Link::read(&mut table, &arms, problems);
    let (load, design, quick) = profiles(&mut table, &names, &arms, workload.as_ref(), problems);
    let machine = machine::read(&mut table, &arms, &load, problems);
    let reference = table.get("reference").map(|node| reference::read(node, problems));
    let explain = table.read("explain", problems, |node| node.one_of(&Explain::ALL, Explain::id));
    let require = table.get("require");
    let tune = table.get("tune").map_or_else(Vec::new, |node| tune::read(node, &arms, problems));
    table.finish(problems);
    // What else is wrong may only follow from the arms that are missing.
    if !unread.is_empty() {
        return None;
    }
    let all: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let full = Experiment {
        name,
        question: Question::default(),
        services: services_of(&arms, settings.all_services(known)),
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
    let mut experiment = adapted(full, profile, quick, root, problems)?;
    if let Some(node) = require {
        read_requirements(node, &all, &mut experiment, problems);
    }
    alone::refuse_comparisons(&experiment, root, problems);
    experiment.question =
        question.unwrap_or_else(|| default_question(&experiment.arms, &experiment.workload));
    Some((experiment, ArmDrafts(drafts)))
}

/// Returns the profile of an experiment that is asked for, with what follows from its arms and users.
fn adapted(
    full: Experiment,
    profile: Profile,
    quick: Option<Quick>,
    root: &Node,
    problems: &mut Vec<Diagnostic>,
) -> Option<Experiment> {
    let mut experiment = match profile {
        Profile::Full => full,
        Profile::Quick => quick::apply(full, quick, problems)?,
    };
    alone::adapt(&mut experiment, root);
    load::refuse_closing(&experiment, root, problems);
    sessions::adapt(&experiment, root, problems);
    Some(experiment)
}

/// The names of the arms that could be read, and then of the others.
fn names_of<'a>(arms: &'a [Arm], unread: &'a [String]) -> Vec<&'a str> {
    let read = arms.iter().map(|arm| arm.name.as_str());
    read.chain(unread.iter().map(String::as_str)).collect()
}

/// What is wrong with the application: an arm that cannot run servlets, or that deploys no WAR.
fn app_slip(table: &mut Table<'_>, app: &str, arms: &[Arm], known: &Available) -> Option<Diagnostic> {
    let node = table.get("app")?;
    let Some(arm) = known.without_servlets(app, arms) else {
        let arm = known.without_deployment(app, arms)?;
        let slip = NameSlip::NeedsDeployment { app: app.to_owned(), server: arm.server.clone() };
        return Some(node.refuse(slip).hint(ArmAdvice::StandaloneServers));
    };
    let slip = NameSlip::NeedsServlets { app: app.to_owned(), server: arm.server.clone() };
    let hint = Hint::listed(Listing::RoutedApplications, known.routed.iter());
    Some(node.refuse(slip).hint(hint))
}

/// Reads what the file sets for all of its arms.
fn file_settings(table: &mut Table<'_>, known: &Available, problems: &mut Vec<Diagnostic>) -> FileSettings {
    let described = table.get("service");
    let services = described.map(|node| service::read_all(node, &service_facts(known), problems));
    let services = services.unwrap_or_default();
    let mut unread_services = described.map(service::names_in).unwrap_or_default();
    unread_services.retain(|name| services.iter().all(|service| service.name != *name));
    let of_plan = || match &known.plan {
        Some(Ok(program)) if program.http2 => Some(HttpVersion::Two),
        _ => None,
    };
    FileSettings {
        services,
        unread_services,
        deployment: Deployment::read(table, problems),
        telemetry: table.read("telemetry", problems, Telemetry::read).unwrap_or_default(),
        host: table.read("host", problems, ArmHost::read).flatten(),
        // What is wrong with it is told where the table is read.
        http: table.get("load").and_then(|load| http_version(load.get("http")?).ok()).or_else(of_plan),
    }
}

/// What is known about services and the files that describe them.
fn service_facts(known: &Available) -> ServiceFacts<'_> {
    ServiceFacts { built_in: &known.built_in, files: &known.files, environment: &known.environment }
}

/// The arms of a file.
#[derive(Default)]
struct ReadArms {
    /// As they are written.
    drafts: Vec<ArmDraft>,
    /// As far as is known.
    arms: Vec<Arm>,
    /// Names of arms that cannot be read, which other keys may name rightly.
    unread: Vec<String>,
}

/// Reads `arms`, without which there is no experiment.
fn read_arms(
    table: &mut Table<'_>,
    known: &Available,
    file: &FileSettings,
    problems: &mut Vec<Diagnostic>,
) -> ReadArms {
    let Some(node) = table.get("arms") else {
        let slip = ShapeSlip::Lacks { owner: Owner::Experiment, key: "arms" };
        let hint = Hint::write("arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]");
        problems.push(Diagnostic::new(0..0, slip).hint(hint));
        return ReadArms::default();
    };
    let items = node.list().unwrap_or_else(|problem| {
        problems.push(problem);
        &[]
    });
    if matches!(&node.value, Value::List(items) if items.is_empty()) {
        problems.push(node.refuse(NameSlip::NoArms).hint(Advice::TwoArms));
    }
    let (mut drafts, mut unread) = (Vec::new(), Vec::new());
    for item in items {
        let Some(draft) = ArmDraft::read(item, known, file, problems) else {
            let name = item.get("name").unwrap_or(item).text().map(str::to_owned);
            unread.push(name.unwrap_or_default());
            continue;
        };
        drafts.push(draft);
    }
    draft::name_by_build(&mut drafts);
    let mut arms: Vec<Arm> = Vec::new();
    for draft in &drafts {
        let arm = draft.resolve(known).unwrap_or_else(|refusals| {
            problems.extend(refusals);
            draft.as_written()
        });
        if arms.iter().any(|other| other.name == arm.name) {
            let problem = draft.node().entry("name").refuse(NameSlip::SameName(arm.name.clone()));
            problems.push(problem.hint(Advice::OwnNames));
        }
        arms.push(arm);
    }
    ReadArms { drafts, arms, unread }
}

/// Reads the requests that every arm is sent, and the right answers to them.
fn workload(
    table: &mut Table<'_>,
    app: String,
    arms: &[Arm],
    are_all_read: bool,
    known: &Available,
    problems: &mut Vec<Diagnostic>,
) -> Option<Workload> {
    // Only the user knows what servers and applications of his own answer.
    let own = !arms.is_empty() && arms.iter().all(Arm::is_the_users);
    let path = table.read("path", problems, |node| match own || !are_all_read {
        true => command::path(node),
        false => app_path(node, &app, known),
    });
    let expect = table.read("expect", problems, |node| expect(node, arms));
    let unlike_answers = table.read("unlike_answers", problems, Node::boolean);
    let sessions = sessions::read_sessions(table, known, problems);
    if let (Some(_), Some(node)) =
        (sessions.as_ref().filter(|program| program.uses_web_socket()), table.get("scenario"))
    {
        problems.extend(web_socket_keys::misfit_of_arms(node, arms));
    }
    let mix = table.get("request").and_then(|node| requests(node, arms, known, problems));
    let first_get = || Some(mix.as_ref().and_then(Mix::first_get)?.0);
    let path = path.or_else(|| own.then(|| first_get().unwrap_or_else(|| "/".to_owned())));
    let path = path.or_else(|| known.paths(&app)?.first().cloned())?;
    Some(Workload { app, path, mix, sessions, expect, unlike_answers: unlike_answers.unwrap_or(false) })
}

/// Reads the kinds of request that take the place of the path. What they call has to fit the arms.
fn requests(node: &Node, arms: &[Arm], known: &Available, problems: &mut Vec<Diagnostic>) -> Option<Mix> {
    let mix =
        mix_file::listed(node, &known.schemas, problems).map_err(|problem| problems.push(problem)).ok()?;
    problems.extend(grpc_keys::misfit(node, &mix, arms));
    if mix.is_of_messages() {
        problems.extend(web_socket_keys::misfit_of_arms(node, arms));
    }
    Some(mix)
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
    arms: &[Arm],
    workload: Option<&Workload>,
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
    }
    .adapted_to(arms)
    .streaming(workload.is_some_and(Workload::has_streams));
    if let Some(node) = table.get("design") {
        if let Some(find) = find {
            find::refuse_fixed_rate(node, find, problems);
        }
        design = design::file::read(node, names, problems, design);
    }
    let quick = quick::read(table.get("quick"), names, problems, &load, &design);
    (load, design, quick)
}

fn app(node: &Node, known: &Available) -> Result<String, Diagnostic> {
    let app = node.text()?;
    if known.paths(app).is_some() {
        return Ok(app.to_owned());
    }
    let names = || known.apps.iter().map(|(name, _)| name.as_str());
    let hint = near_or(app, names(), || Hint::listed(Listing::Applications, names()));
    Err(node.refuse(NameSlip::UnknownApp(app.to_owned())).hint(hint))
}

/// What is wrong with the path of an arm of its own: the file has to say that answers differ, and an application of prony's has to answer it.
fn path_slip(draft: &ArmDraft, workload: &Workload, known: &Available) -> Option<Diagnostic> {
    let arm = draft.as_written();
    let node = draft.node().get("path").filter(|_| arm.path.is_some())?;
    if workload.mix.is_some() || workload.sessions.is_some() {
        return Some(node.refuse(ArmSlip::OwnPathBesideRequests).hint(Hint::LeaveOut("path")));
    }
    if !workload.unlike_answers {
        return Some(node.refuse(ArmSlip::OwnPath).hint(Hint::write("unlike_answers = true")));
    }
    let ours = !arm.is_the_users();
    ours.then(|| app_path(node, &workload.app, known).err()).flatten()
}

/// Reads a path that an application of prony's answers.
fn app_path(node: &Node, app: &str, known: &Available) -> Result<String, Diagnostic> {
    let path = node.text()?;
    match known.paths(app) {
        Some(paths) if !paths.iter().any(|candidate| pattern::values(candidate, path).is_some()) => {
            let (app, path) = (app.to_owned(), path.to_owned());
            let hint = Hint::listed(Listing::PathsOf(app.clone()), paths.iter().cloned());
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
