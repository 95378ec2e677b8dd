//! Compiles a plan to a [`Program`].

mod body;
mod checks;
mod config;
mod controllers;
mod dates;
mod extractors;
mod fixed;
mod functions;
mod groups;
mod http;
mod includes;
mod links;
mod managers;
mod open_model;
mod plugins;
mod rewriting;
mod scope;
mod scripts;
mod servers;
mod text;
mod timers;
mod unsendable;

use crate::error::Error;
use crate::obstacle::{Obstacle, ObstacleKind};
use crate::tree::{Element, Object};
use model::url::Url;
use scope::Scope;
use std::collections::{BTreeMap, BTreeSet};
use traffic::scenario::{Action, PlanDifference, Program, Resources, Server, Template};

/// What a plan is compiled with.
#[derive(Debug)]
pub struct Settings<'a> {
    /// Properties, as `-Jname=value` sets them.
    pub properties: BTreeMap<String, String>,
    /// Files and the environment.
    pub resources: Resources<'a>,
    /// The server that gets all requests, whatever the plan says; `None` takes the plan's.
    pub server: Option<Url>,
    /// Milliseconds since 1970, for variables that tell when the test started.
    pub now: i64,
    /// Whether the program tells which line each part of it comes from, see [`CompiledPlan::lines`]. Such a program is made to be
    /// written down, and not to be run.
    pub marks_lines: bool,
}

/// The plan is compiled to be run, for its own servers; it gets no properties, files or environment.
impl Default for Settings<'_> {
    fn default() -> Self {
        Self {
            properties: BTreeMap::new(),
            resources: Resources::NONE,
            server: None,
            now: 0,
            marks_lines: false,
        }
    }
}

/// A plan that was compiled.
#[derive(Debug)]
pub struct CompiledPlan {
    /// What users do.
    pub program: Program,
    /// The server of most requests; `None` if a URL was given for all of them, or no request names one.
    pub server: Option<Server>,
    /// What cannot run here; the program leaves it out.
    pub obstacles: Vec<Obstacle>,
    /// The slot of a variable that is set, before each part of the program, to the line of the element from which the part comes.
    pub lines: Option<usize>,
}

/// Compiles a plan.
///
/// # Errors
///
/// [`Error`] for a text that is no plan. What is in a plan and cannot run here is in [`CompiledPlan::obstacles`].
pub fn compile(text: &str, settings: &Settings<'_>) -> Result<CompiledPlan, Error> {
    let mut root = Element::parse(text)?;
    let mut whole = text.to_owned();
    let refused = includes::expand(&mut root, &mut whole, settings);
    let mut compiler = Compiler::new(&root, &whole, settings);
    compiler.obstacles = refused;
    compiler.run();
    let Compiler { mut program, requests_by_server, mut obstacles, mut differences, lines, samplers, .. } =
        compiler;
    program.http2 = samplers.http2 > 0;
    if samplers.http1 > 0 && samplers.http2 > 0 {
        differences.insert(PlanDifference::OneVersion);
    }
    let server = load_busiest_server(&mut program, &requests_by_server);
    obstacles.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    let mut listed: Vec<Obstacle> = Vec::new();
    for obstacle in obstacles {
        if !listed.contains(&obstacle) {
            listed.push(obstacle);
        }
    }
    let mut obstacles = listed;
    if program.requests().is_empty() && obstacles.is_empty() {
        obstacles.push(Obstacle {
            file: None,
            line: 1,
            class: "TestPlan".to_owned(),
            name: String::new(),
            what: ObstacleKind::NothingToDo,
        });
    }
    program.properties = settings.properties.clone().into_iter().collect();
    program.left_out = obstacles.iter().map(Obstacle::place).collect();
    program.differences = differences.into_iter().collect();
    Ok(CompiledPlan { program, server, obstacles, lines })
}

impl Obstacle {
    /// Names the element and its line, such as `JDBCSampler "read" (line 12)`.
    pub fn place(&self) -> String {
        let file = self.file.as_ref().map(|file| format!("{file}, ")).unwrap_or_default();
        format!("{} \"{}\" ({file}line {})", self.class, self.name, self.line)
    }
}

/// Loads the server of most requests; among servers with the same number of requests, the first.
fn load_busiest_server(program: &mut Program, requests_by_server: &[usize]) -> Option<Server> {
    let most = requests_by_server.iter().max()?;
    let busiest = requests_by_server.iter().position(|count| count == most)?;
    Some(program.load_server(busiest + 1))
}

/// A plan that is being compiled.
struct Compiler<'a> {
    root: &'a Element,
    /// Disabled elements that Module Controllers have run.
    from_disabled: Vec<&'a Element>,
    /// The text of the plan, in which names are looked up to know whether anything uses them.
    text: &'a str,
    settings: &'a Settings<'a>,
    program: Program,
    /// The number of requests to each of [`Program::servers`]. Until the whole plan is compiled, the busiest server is one of these.
    requests_by_server: Vec<usize>,
    obstacles: Vec<Obstacle>,
    differences: BTreeSet<PlanDifference>,
    /// Variables whose value is known before the load starts.
    fixed: BTreeMap<String, String>,
    /// Those of them whose value has one of the environment in it, so that it must not be a part of the program.
    from_environment: BTreeSet<String>,
    /// Names of columns that stand in the first lines of data files, not in the plan.
    names_in_files: BTreeSet<String>,
    /// Whether a file of data that cannot be read would have named its columns, so that it is not known which variables it sets.
    lacks_names: bool,
    /// Variables that a file of data would have set that cannot be read.
    unread: BTreeSet<String>,
    /// Names of properties that the plan itself sets while it runs.
    set_properties: BTreeSet<String>,
    /// The name of the group, where the plan has several.
    group: Option<String>,
    /// The elements at which users wait for each other, by file and line.
    meetings: Vec<(Option<String>, u32)>,
    /// Which timers the pacers of the program belong to.
    pacers: Vec<timers::PacerKey>,
    /// The group that is compiled.
    present_group: Option<&'a Element>,
    /// The requests that follow links.
    followers: Vec<links::LinkFollower>,
    /// The steps of what pages embed.
    embedded_steps: BTreeSet<usize>,
    /// The number of samplers by the version of HTTP over which they send.
    samplers: SamplerVersions,
    /// How many Runtime Controllers are around the present place.
    runtimes: usize,
    /// How deep includes and modules are nested.
    depth: usize,
    /// The slot that tells the line, if lines are marked.
    lines: Option<usize>,
}

/// How many samplers send over which version of HTTP.
#[derive(Default)]
struct SamplerVersions {
    http1: usize,
    http2: usize,
}

/// Includes and modules are nested at most this deep.
const DEEPEST: usize = 10;

impl<'a> Compiler<'a> {
    fn new(root: &'a Element, text: &'a str, settings: &'a Settings<'a>) -> Self {
        let mut from_disabled = Vec::new();
        controllers::find_disabled(root, root, &mut from_disabled);
        Self {
            root,
            from_disabled,
            text,
            settings,
            program: Program::default(),
            requests_by_server: Vec::new(),
            obstacles: Vec::new(),
            differences: BTreeSet::new(),
            fixed: BTreeMap::new(),
            from_environment: BTreeSet::new(),
            names_in_files: BTreeSet::new(),
            lacks_names: false,
            unread: BTreeSet::new(),
            set_properties: scripts::set_properties(text),
            group: None,
            meetings: Vec::new(),
            pacers: Vec::new(),
            present_group: None,
            followers: Vec::new(),
            embedded_steps: BTreeSet::new(),
            samplers: SamplerVersions::default(),
            runtimes: 0,
            depth: 0,
            lines: None,
        }
    }

    fn run(&mut self) {
        // What was saved of a plan without its root is a plan of the same elements.
        let plan = self.root.children.iter().find(|element| element.object.class == "TestPlan");
        let plan = plan.unwrap_or(self.root);
        if self.settings.marks_lines {
            self.lines = Some(self.program.variables.define("line of the plan"));
        }
        self.program.serial = plan.object.text("TestPlan.serialize_threadgroups") == "true";
        self.define_lists(plan);
        for module in self.from_disabled.clone() {
            self.define_lists(module);
        }
        self.define_variables(plan);
        let trees: Vec<&Element> = self.trees().collect();
        for tree in trees {
            let names = self.find_names_in_files(tree);
            self.names_in_files.extend(names);
        }
        let names = &self.names_in_files;
        self.fixed.retain(|name, _| !names.contains(name));
        let groups: Vec<&Element> = plan.children.iter().filter(|child| groups::is_group(child)).collect();
        let above: Vec<&Element> = plan.children.iter().filter(|child| !groups::is_group(child)).collect();
        self.check_level(&above);
        for group in &groups {
            self.group = (groups.len() > 1).then(|| group.object.name.clone());
            self.present_group = Some(group);
            self.group(group, &above);
        }
        self.check_sessions(&groups);
        self.extract_links();
    }

    /// Returns the plan, and what Module Controllers have run although it is disabled.
    fn trees(&self) -> impl Iterator<Item = &'a Element> {
        std::iter::once(self.root).chain(self.from_disabled.clone())
    }

    /// Notes an obstacle in an element.
    fn refuse(&mut self, object: &Object, what: ObstacleKind) {
        let obstacle = self.obstacle(object, what);
        self.obstacles.push(obstacle);
    }

    /// Returns the number of a server, and counts a request to it. A server too many is refused.
    fn count_request(&mut self, object: &Object, server: &Server) -> Option<usize> {
        let Some(number) = self.program.server(server) else {
            self.refuse(object, ObstacleKind::TooManyServers(server.to_string()));
            return None;
        };
        self.requests_by_server.resize(self.program.servers.len(), 0);
        self.requests_by_server[number - 1] += 1;
        Some(number)
    }

    fn obstacle(&self, object: &Object, what: ObstacleKind) -> Obstacle {
        Obstacle {
            file: object.file.clone(),
            line: object.line,
            class: object.class.clone(),
            name: object.name.clone(),
            what,
        }
    }

    /// Compiles what is below an element, in order, with what happens at the begin of each of its passes.
    fn body(&mut self, children: &'a [Element], scope: &Scope<'a>) -> Vec<Action> {
        let mut actions = self.begin_of_pass(children);
        for child in children {
            actions.extend(self.element(child, scope));
        }
        actions
    }

    /// Puts the line of an element before what it does, if lines are marked.
    fn marked(&self, object: &Object, mut actions: Vec<Action>) -> Vec<Action> {
        if let Some(variable) = self.lines.filter(|_| !actions.is_empty()) {
            let value = Template::literal(&object.line.to_string());
            actions.insert(0, Action::Set { variable, value });
        }
        actions
    }

    /// Returns whether the plan's text has this name anywhere.
    fn mentions(&self, name: &str) -> bool {
        self.text.contains(name)
    }

    fn set(&mut self, name: &str, value: Template) -> Action {
        Action::Set { variable: self.program.variables.define(name), value }
    }
}
