//! [`Service`]: a program that the application of an arm needs, such as a cache or a database. Each start of an arm has its
//! own instance.

mod compose;
mod image;

pub use image::ServiceImage;

use crate::diagnostic::{Diagnostic, near_or};
use crate::node::{Node, Table, Value};
use crate::slip::{
    ArmAdvice, ArmHint, ComposeFlaw, ExpectedValue, Hint, NameSlip, Owner, ServiceSlip, TableName,
};
use crate::surroundings;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A side service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    /// Its name in files and reports; the application finds its address in the variable `NAME_ADDRESS`.
    pub name: String,
    /// Program and arguments; `{host}` and `{port}` stand for where it has to listen, `{folder}` for the folder of the
    /// experiment file. With an image, the words in the place of the image's own.
    pub command: Vec<String>,
    /// The image that a container runs; `None` for a program of this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ServiceImage>,
    /// The folder of the experiment file, in which relative paths of the command begin; `None` is the one in which prony was
    /// started. The service itself runs in a folder of its own, so that no start finds what an earlier one has written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// When it is ready.
    pub ready: Ready,
    /// The user that it runs as when prony is root, for programs that refuse to run as root.
    pub user: Option<String>,
    /// Debian's package of the program.
    pub package: Option<String>,
    /// How it is asked for its own counters.
    pub stats: Option<Stats>,
    /// The URL at which a PostgreSQL tells what it runs while the server is looked into, with `{host}` and `{port}`. Without it, a service
    /// that is a PostgreSQL is asked as its user `postgres`, without a password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statements: Option<String>,
}

/// When a service is ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ready {
    /// Its port is open.
    Tcp,
    /// It answers this path with status 200.
    Http(String),
    /// Its output has a line that contains this text.
    Line(String),
    /// This command ends well in its container.
    Exec(Vec<String>),
    /// It answers `send` with a text that begins with `begins`.
    Answer {
        send: String,
        /// How the answer begins.
        begins: String,
    },
}

/// Counters that a service reports: lines of `STAT NAME NUMBER`, as memcached prints them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    pub send: String,
    /// The line that ends the answer.
    pub end: String,
    /// Counters worth keeping, by their growth during the start.
    pub counters: Vec<String>,
    /// Levels worth keeping, as they are at the end of the start.
    pub levels: Vec<String>,
}

impl Service {
    /// Makes relative paths of its command start from this folder.
    pub(crate) fn relative_to(&mut self, folder: &Path) {
        self.folder = Some(folder.to_owned());
        if let Some(image) = &mut self.image {
            image.relative_to(folder);
        }
    }

    /// Whether its image itself is told where to listen. Otherwise the port of its container is published.
    pub fn is_told_its_port(&self) -> bool {
        let values = self.image.iter().flat_map(|image| image.environment.values());
        self.command.iter().chain(values).any(|word| word.contains("{port}"))
    }

    /// Returns the environment variable in which the application finds its address: `MEMCACHED_ADDRESS`.
    pub fn variable(&self) -> String {
        let upper = |c: char| {
            if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }
        };
        format!("{}_ADDRESS", self.name.chars().map(upper).collect::<String>())
    }
}

/// What is known about services and the files that describe them.
pub(crate) struct ServiceFacts<'a> {
    /// Services that need no description.
    pub(crate) built_in: &'a [Service],
    /// What was read of the compose files: the bytes, or why there are none.
    pub(crate) files: &'a BTreeMap<PathBuf, Result<Vec<u8>, String>>,
    /// The variables that a compose file may name.
    pub(crate) environment: &'a BTreeMap<String, String>,
}

/// Reads the tables `[service.NAME]` of a file; what a table does not say of a built-in service stays as it is built in.
pub(crate) fn read_all(
    node: &Node,
    known: &ServiceFacts<'_>,
    problems: &mut Vec<Diagnostic>,
) -> Vec<Service> {
    let Value::Table(entries) = &node.value else {
        problems.push(node.expected(ExpectedValue::TablesLike("[service.memcached]")));
        return Vec::new();
    };
    let read = |(name, node): &(Node, Node)| match &name.value {
        Value::Text(text) => read(text, name, node, known, problems),
        _ => None,
    };
    entries.iter().filter_map(read).collect()
}

/// Returns the names of the services that a file describes.
pub(crate) fn names_in(node: &Node) -> Vec<String> {
    let Value::Table(entries) = &node.value else {
        return Vec::new();
    };
    entries.iter().filter_map(|(name, _)| name.text().ok().map(str::to_owned)).collect()
}

/// Returns the compose files that the services of a file name.
pub(crate) fn files(root: &Node) -> impl Iterator<Item = PathBuf> {
    let services = match root.get("service").map(|node| &node.value) {
        Some(Value::Table(entries)) => entries.as_slice(),
        _ => &[],
    };
    let compose = services.iter().filter_map(|(_, service)| service.get(COMPOSE)?.text().ok());
    compose.map(PathBuf::from)
}

/// The key that names a compose file.
const COMPOSE: &str = "compose";

fn read(
    name: &str,
    key: &Node,
    node: &Node,
    known: &ServiceFacts<'_>,
    problems: &mut Vec<Diagnostic>,
) -> Option<Service> {
    let mut table = Table::open_or_tell(node, TableName::Service, problems)?;
    if let Some(node) = table.get(COMPOSE) {
        let composed = composed(name, node, &mut table, known, problems);
        misplaced(&mut table, &["image", "command", "volumes", "user", "package"], problems);
        table.finish(problems);
        return composed;
    }
    if table.get("image").is_some() {
        let service = of_image(name, &mut table, problems);
        misplaced(&mut table, &["package"], problems);
        table.finish(problems);
        return Some(service);
    }
    let all_built_in = known.built_in;
    let built_in = all_built_in.iter().find(|service| service.name == name);
    let given = table.get("command");
    let command = table.read("command", problems, command);
    let ready = table.read("ready", problems, ready_of_program);
    let package = table.read("package", problems, Node::owned_text);
    let user = table.read("user", problems, Node::owned_text);
    let statements = table.read("statements", problems, Node::owned_text);
    misplaced(&mut table, &["port", "environment", "volumes"], problems);
    table.finish(problems);
    let Some(command) = command.or_else(|| built_in.map(|service| service.command.clone())) else {
        if given.is_some() {
            return None; // The reason has been reported.
        }
        let problem = key.lacks(Owner::Service(name.to_owned()), "command");
        problems.push(problem.hint(hint_command(all_built_in)));
        return None;
    };
    // User and package belong to the built-in program: another program of that name may need others.
    let same = built_in.filter(|built_in| built_in.command.first() == command.first());
    Some(Service {
        name: name.to_owned(),
        command,
        image: None,
        folder: None,
        ready: ready.or_else(|| built_in.map(|service| service.ready.clone())).unwrap_or(Ready::Tcp),
        user: user.or_else(|| same?.user.clone()),
        package: package.or_else(|| same?.package.clone()),
        stats: built_in.and_then(|service| service.stats.clone()),
        statements,
    })
}

/// Refuses keys that are for services of another origin.
fn misplaced(table: &mut Table<'_>, keys: &[&'static str], problems: &mut Vec<Diagnostic>) {
    for key in keys {
        if let Some(node) = table.get(key) {
            problems.push(node.refuse(ServiceSlip::Misplaced(key)).hint(Hint::LeaveOut(key)));
        }
    }
}

/// Reads a service that a container runs.
fn of_image(name: &str, table: &mut Table<'_>, problems: &mut Vec<Diagnostic>) -> Service {
    Service {
        name: name.to_owned(),
        image: ServiceImage::read(table, problems),
        command: table.read("command", problems, words).unwrap_or_default(),
        folder: None,
        ready: table.read("ready", problems, ready).unwrap_or(Ready::Tcp),
        user: table.read("user", problems, Node::owned_text),
        package: None,
        stats: None,
        statements: table.read("statements", problems, Node::owned_text),
    }
}

/// Reads a service as a compose file describes it. What the table says itself comes before that.
fn composed(
    name: &str,
    node: &Node,
    table: &mut Table<'_>,
    known: &ServiceFacts<'_>,
    problems: &mut Vec<Diagnostic>,
) -> Option<Service> {
    let file = PathBuf::from(node.text().map_err(|problem| problems.push(problem)).ok()?);
    let own_port = table.read("port", problems, image::port);
    let read = match known.files.get(&file) {
        Some(Ok(bytes)) => {
            let text = String::from_utf8_lossy(bytes);
            compose::read(&file, &text, name, own_port, known.environment)
        }
        Some(Err(why)) => Err(ComposeFlaw::Unreadable(why.clone())),
        None => Err(ComposeFlaw::Unreadable("it was not read".to_owned())),
    };
    let environment = table.read("environment", problems, surroundings::environment);
    let own_ready = table.read("ready", problems, ready);
    let statements = table.read("statements", problems, Node::owned_text);
    let mut read = match read {
        Ok(read) => read,
        Err(flaw) => {
            problems.push(node.refuse(ServiceSlip::Compose { file: file.display().to_string(), flaw }));
            return None;
        }
    };
    read.image.environment.extend(environment.unwrap_or_default());
    Some(Service {
        name: name.to_owned(),
        command: read.command,
        image: Some(read.image),
        folder: None,
        ready: own_ready.unwrap_or(read.ready),
        user: read.user,
        package: None,
        stats: None,
        statements,
    })
}

fn words(node: &Node) -> Result<Vec<String>, Diagnostic> {
    node.list()?.iter().map(Node::owned_text).collect()
}

fn hint_command(built_in: &[Service]) -> ArmHint {
    let names = built_in.iter().map(|service| service.name.clone());
    ArmHint::WriteCommand(names.collect())
}

/// Reads a program and its arguments. One of these words has to contain the port.
pub(crate) fn command(node: &Node) -> Result<Vec<String>, Diagnostic> {
    let words = words(node)?;
    if words.first().is_none_or(|program| program.trim().is_empty()) {
        return Err(node.refuse(ServiceSlip::NoProgram));
    }
    if !words.iter().any(|word| word.contains("{port}")) {
        return Err(node.refuse(ServiceSlip::NoPort).hint(ArmAdvice::PutPort));
    }
    Ok(words)
}

/// Reads when a program of this machine is ready: nothing can be run in a container of it.
fn ready_of_program(node: &Node) -> Result<Ready, Diagnostic> {
    match ready(node)? {
        Ready::Exec(_) => {
            Err(node.refuse(ServiceSlip::Ready(node.owned_text()?)).hint(ArmAdvice::ReadyForms))
        }
        ready => Ok(ready),
    }
}

fn ready(node: &Node) -> Result<Ready, Diagnostic> {
    let text = node.text()?;
    let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
    match (kind, rest) {
        ("tcp", "") => Ok(Ready::Tcp),
        ("http", path) if path.starts_with('/') => Ok(Ready::Http(path.to_owned())),
        ("line", line) if !line.is_empty() => Ok(Ready::Line(line.to_owned())),
        ("exec", command) if !command.trim().is_empty() => {
            Ok(Ready::Exec(["/bin/sh", "-c", command].map(str::to_owned).into()))
        }
        _ => Err(node.refuse(ServiceSlip::Ready(text.to_owned())).hint(ArmAdvice::ReadyForms)),
    }
}

/// Reads the names of services of an arm; `known` are all that it can name.
pub(crate) fn names(node: &Node, known: &[&str]) -> Result<Vec<String>, Diagnostic> {
    let name = |node: &Node| {
        let text = node.text()?;
        if known.contains(&text) {
            return Ok(text.to_owned());
        }
        let describe = || ArmHint::DescribeService(text.to_owned()).into();
        let problem = node.refuse(NameSlip::UnknownService(text.to_owned()));
        Err(problem.hint(near_or(text, known.iter().copied(), describe)))
    };
    match node.value {
        Value::Text(_) => Ok(vec![name(node)?]), // An arm of the command line has no lists.
        _ => node.list()?.iter().map(name).collect(),
    }
}
