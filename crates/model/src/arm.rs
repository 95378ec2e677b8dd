//! [`Arm`]: one variant of the system under test, as written in a file or on the command line.

use crate::ability::{self, Ability};
use crate::deployment::{Deployment, Namespace};
use crate::diagnostic::{Diagnostic, nearest};
use crate::foreign::{self, Foreign};
use crate::jar::{self, Boot, OwnJar};
use crate::node::{Node, Table, Value};
use crate::origin::{self, Origin};
use crate::service::Service;
use crate::surroundings::Surroundings;
use crate::takes::{self, AccessLog, Package, Takes};
use crate::telemetry::Telemetry;
use crate::units::Bytes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One variant of the system under test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// What the reports call it; unique in its experiment.
    pub name: String,
    /// Which server, as the catalog calls it: `tomcat`.
    pub server: String,
    /// Which version of it: `10.1.29`.
    pub version: String,
    /// The JDK; `None` lets prony choose one that suits every arm.
    pub jdk: Option<JdkChoice>,
    /// How the server talks to its sockets; `None` is the server's default.
    pub connector: Option<Connector>,
    /// What encrypts its connections; `None` is plain HTTP.
    #[serde(default)]
    pub tls: Option<TlsStack>,
    /// Worker threads; `None` is the server's default.
    pub threads: Option<Threads>,
    /// Threads kept when idle.
    pub min_threads: Option<u32>,
    /// Connections that wait in the kernel while the server has no room.
    pub accept_count: Option<u32>,
    /// Connections the server holds at once.
    pub max_connections: Option<u32>,
    /// Java heap, fixed: start size = maximum size.
    pub heap: Bytes,
    /// Further options of the JVM, in order.
    pub jvm_options: Vec<String>,
    /// Further attributes of Tomcat's Connector.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
    /// Further properties of Spring Boot, Jetty or Undertow.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, String>,
    /// How its application is packaged; `None` is the server's usual way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<Package>,
    /// How it writes a line about each request; `None` leaves the server's own default, which is not to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_log: Option<AccessLog>,
    /// A fixed port on 127.0.0.1; `None` takes a free one.
    pub port: Option<u16>,
    /// How its server is started, where the catalog does not know it.
    #[serde(default)]
    pub foreign: Option<Foreign>,
    /// Where its server is, when that runs already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Its server and its application in one, where both are the reader's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jar: Option<OwnJar>,
    /// Limits, services and environment of its process.
    #[serde(default)]
    pub surroundings: Surroundings,
    /// What it deploys, where that is not simply its application.
    #[serde(default)]
    pub deployment: Deployment,
    /// How closely it is watched.
    #[serde(default)]
    pub telemetry: Telemetry,
}

/// How a server talks to its sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Connector {
    /// Java's selectors.
    Nio,
    /// Java's asynchronous channels.
    Nio2,
    /// The Apache Portable Runtime, a library in C.
    Apr,
}

impl Connector {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Nio, Self::Nio2, Self::Apr];

    /// The name in files and on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Nio => "nio",
            Self::Nio2 => "nio2",
            Self::Apr => "apr",
        }
    }
}

/// What encrypts a server's connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TlsStack {
    /// Java's own.
    Jsse,
    /// OpenSSL, called by the library tcnative.
    OpenSsl,
    /// OpenSSL, called by Java's foreign function interface.
    OpenSslFfm,
}

impl TlsStack {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Jsse, Self::OpenSsl, Self::OpenSslFfm];

    /// The name in files and on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Jsse => "jsse",
            Self::OpenSsl => "openssl",
            Self::OpenSslFfm => "openssl-ffm",
        }
    }
}

/// Which JDK runs an arm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum JdkChoice {
    /// One of this feature release: 17.
    Release(u32),
    /// The one in this folder.
    Home(PathBuf),
}

/// What serves requests inside the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Threads {
    /// A pool of at most so many platform threads.
    Platform(u32),
    /// A virtual thread for every request.
    Virtual,
}

/// The default heap of an arm.
const HEAP: Bytes = Bytes(256 << 20);

/// What can be asked for; plain data, so that a file is judged without I/O.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Servers and their versions.
    pub servers: Vec<(String, Vec<String>)>,
    /// Applications and the paths they answer, the default one first.
    pub apps: Vec<(String, Vec<String>)>,
    /// What servers take, whatever their version; one that is not here is not judged.
    pub takes: Vec<(String, Takes)>,
    /// What the releases of servers can do; one that is not here is not judged.
    pub abilities: Vec<((String, String), Ability)>,
    /// WARs as files name them, and the Servlet API that they were written for.
    pub wars: Vec<(PathBuf, Option<Namespace>)>,
    /// Executable jars as files name them, and the Spring Boot in them.
    pub jars: Vec<(PathBuf, Option<Boot>)>,
    /// What all arms of a file deploy that name nothing else.
    pub deployment: Deployment,
    /// Services that need no description.
    pub built_in: Vec<Service>,
    /// Services that the file describes.
    pub described: Vec<Service>,
    /// How closely a file's arms are watched that say nothing else.
    pub telemetry: Telemetry,
}

impl Known {
    /// The same with services that a file describes.
    #[must_use]
    pub(crate) fn describing(&self, services: Vec<Service>) -> Self {
        Self {
            described: services,
            ..self.clone()
        }
    }

    /// Every service that an arm can name; a description takes the place of what is built in.
    pub fn services(&self) -> impl Iterator<Item = &Service> {
        self.described.iter().chain(&self.built_in)
    }

    /// The Spring Boot in a jar.
    pub(crate) fn boot(&self, path: &Path) -> Option<&Boot> {
        let mut jars = self.jars.iter();
        jars.find(|(jar, _)| jar == path)?.1.as_ref()
    }
}

impl Arm {
    /// Reads an arm from a table, or from the short form `tomcat:10.1.29,threads=200`.
    pub(crate) fn read(node: &Node, known: &Known, problems: &mut Vec<Diagnostic>) -> Option<Self> {
        if let Value::Text(spec) = &node.value {
            // A string in TOML stands behind its quote; a spec has no escapes, so offsets count on from there.
            let table = expand(spec, node.span.start + 1);
            return Self::read_table(&table, known, problems).map(|arm| Self {
                name: spec.clone(),
                ..arm
            });
        }
        Self::read_table(node, known, problems)
    }

    fn read_table(node: &Node, known: &Known, problems: &mut Vec<Diagnostic>) -> Option<Self> {
        let mut table = match Table::open(node, "an arm") {
            Ok(table) => table,
            Err(problem) => {
                problems.push(problem.hint("write \"tomcat:10.1.29\" or { server = \"tomcat:10.1.29\", … }"));
                return None;
            }
        };
        let name = table.read("name", problems, name);
        let spec = table.read("server", problems, |node| server(node, known));
        name_a_server(spec.is_none(), node, known, problems);
        let kind = spec.as_ref().map(|(server, _)| server.as_str());
        let foreign = Foreign::read(&mut table, node, kind.unwrap_or_default(), problems);
        let origin = Origin::read(&mut table, node, kind.unwrap_or_default(), problems);
        let jar = OwnJar::read(&mut table, node, kind.unwrap_or_default(), known, problems);
        let heap = table.read("heap", problems, heap);
        let own_heap = foreign.is_none() && origin.is_none();
        let heap = heap.unwrap_or(if own_heap { HEAP } else { Bytes(0) });
        let whole = |node: &Node| node.integer(1..=1_000_000).map(|number| number as u32);
        let arm = Self {
            name: String::new(),
            server: String::new(),
            version: String::new(),
            jdk: table.read("jdk", problems, jdk),
            connector: table.read("connector", problems, connector),
            tls: table.read("tls", problems, tls),
            threads: table.read("threads", problems, threads),
            min_threads: table.read("min_threads", problems, whole),
            accept_count: table.read("accept_count", problems, whole),
            max_connections: table.read("max_connections", problems, whole),
            heap,
            jvm_options: table.read("jvm_options", problems, options).unwrap_or_default(),
            attributes: table.read("attributes", problems, settings).unwrap_or_default(),
            properties: table.read("properties", problems, settings).unwrap_or_default(),
            package: takes::read(&mut table, kind, known, problems),
            access_log: takes::access_log(&mut table, kind, known, problems),
            port: table
                .read("port", problems, |node| node.integer(1..=65535))
                .map(|port| port as u16),
            foreign,
            origin,
            surroundings: Surroundings::read(&mut table, heap, known, problems),
            deployment: match jar {
                Some(_) => Deployment::default(),
                None => Deployment::read(&mut table, known, problems),
            },
            jar,
            telemetry: table
                .read("telemetry", problems, Telemetry::read)
                .unwrap_or(known.telemetry),
        };
        table.finish(problems);
        let arm = arm.called(name, spec?);
        problems.extend(ability::lacks(&arm, node, known));
        Some(arm)
    }

    /// With its server, and its name where it was given one.
    fn called(self, name: Option<String>, (server, mut version): (String, String)) -> Self {
        let of_jar = self.jar.as_ref().map(OwnJar::name);
        version.extend(of_jar.clone());
        let name = name
            .or_else(|| self.foreign.as_ref().map(Foreign::name))
            .or_else(|| self.origin.map(|origin| origin.to_string()))
            .or(of_jar)
            .unwrap_or_else(|| format!("{server}:{version}"));
        Self {
            name,
            server,
            version,
            ..self
        }
    }

    /// Whether only the reader knows what it answers.
    pub const fn is_the_readers(&self) -> bool {
        self.foreign.is_some() || self.origin.is_some() || self.jar.is_some() || self.deployment.war.is_some()
    }

    /// Reads paths as from this folder.
    pub fn relative_to(&mut self, folder: &Path) {
        if let Some(JdkChoice::Home(home)) = &mut self.jdk {
            *home = folder.join(&*home);
        }
        if let Some(foreign) = &mut self.foreign {
            foreign.folder = Some(folder.to_owned());
        }
        if let Some(jar) = &mut self.jar {
            jar.relative_to(folder);
        }
        self.deployment.relative_to(folder);
    }
}

/// `tomcat:10.1.29,connector=nio2,threads=virtual` as the table it stands for; `at` is where the text begins.
fn expand(spec: &str, at: usize) -> Node {
    let mut entries = Vec::new();
    let mut offset = at;
    for (index, part) in spec.split(',').enumerate() {
        let (key, value) = if index == 0 {
            ("server", part)
        } else {
            part.split_once('=').unwrap_or((part, ""))
        };
        let start = offset + part.len() - value.len();
        let parsed = match value.parse::<i64>() {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::Text(value.to_owned()),
        };
        let name = Node {
            span: offset..offset + key.len(),
            value: Value::Text(key.to_owned()),
        };
        entries.push((
            name,
            Node {
                span: start..offset + part.len(),
                value: parsed,
            },
        ));
        offset += part.len() + 1;
    }
    Node {
        span: at..at + spec.len(),
        value: Value::Table(entries),
    }
}

/// An arm of the command line. The diagnostics' spans refer to `spec`.
pub fn from_command_line(spec: &str, known: &Known) -> Result<Arm, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let arm = Arm::read_table(&expand(spec, 0), known, &mut problems);
    match arm {
        Some(arm) if problems.is_empty() => {
            let named = spec.split(',').any(|part| part.starts_with("name="));
            Ok(Arm {
                name: if named { arm.name } else { spec.to_owned() },
                ..arm
            })
        }
        _ => Err(problems),
    }
}

fn name(node: &Node) -> Result<String, Diagnostic> {
    let name = node.text()?.trim();
    if name.is_empty() || name.chars().count() > 60 || name.chars().any(char::is_control) {
        return Err(Diagnostic::new(
            node.span.clone(),
            "an arm's name has 1 to 60 printable characters",
        ));
    }
    Ok(name.to_owned())
}

fn server(node: &Node, known: &Known) -> Result<(String, String), Diagnostic> {
    let spec = node.text()?;
    let wrong = |message: String| Diagnostic::new(node.span.clone(), message);
    if [foreign::COMMAND, origin::URL, jar::JAR].contains(&spec) {
        return Ok((spec.to_owned(), String::new()));
    }
    if spec.starts_with("http://") || spec.starts_with("https://") {
        let hint = format!("write {{ server = \"url\", url = \"{spec}\" }} for a server that runs already");
        return Err(wrong(format!("`{spec}` is not SERVER:VERSION")).hint(hint));
    }
    let Some((server, version)) = spec.split_once(':') else {
        let hint = match known.servers.iter().find(|(name, _)| name == spec) {
            Some((name, versions)) => format!("name a version: \"{name}:{}\"", newest(versions)),
            None => hint_servers(known),
        };
        return Err(wrong(format!("`{spec}` is not SERVER:VERSION")).hint(hint));
    };
    let Some((_, versions)) = known.servers.iter().find(|(name, _)| name == server) else {
        let hint = match nearest(server, known.servers.iter().map(|(name, _)| name.as_str())) {
            Some(near) => format!("did you mean `{near}`?"),
            None => hint_servers(known),
        };
        return Err(wrong(format!("unknown server `{server}`")).hint(hint));
    };
    if !versions.iter().any(|candidate| candidate == version) {
        let hint = format!("the catalog has {server} {}", versions.join(", "));
        return Err(wrong(format!("no {server} {version} in the catalog")).hint(hint));
    }
    Ok((server.to_owned(), version.to_owned()))
}

fn newest(versions: &[String]) -> &str {
    versions.last().map_or("", String::as_str)
}

/// Says that an arm has no server, where nothing else about it was wrong.
fn name_a_server(missing: bool, node: &Node, known: &Known, problems: &mut Vec<Diagnostic>) {
    let said = |problem: &Diagnostic| node.span.contains(&problem.span.start);
    if missing && !problems.iter().any(said) {
        let problem = Diagnostic::new(node.span.clone(), "this arm names no `server`");
        problems.push(problem.hint(hint_servers(known)));
    }
}

fn hint_servers(known: &Known) -> String {
    let servers: Vec<String> = known
        .servers
        .iter()
        .map(|(name, versions)| format!("\"{name}:{}\"", newest(versions)))
        .collect();
    format!("write for example {}", servers.join(" or "))
}

fn connector(node: &Node) -> Result<Connector, Diagnostic> {
    node.one_of(&Connector::ALL, Connector::id)
}

fn tls(node: &Node) -> Result<TlsStack, Diagnostic> {
    node.one_of(&TlsStack::ALL, TlsStack::id)
}

fn jdk(node: &Node) -> Result<JdkChoice, Diagnostic> {
    let Value::Text(text) = &node.value else {
        return node.integer(8..=99).map(|major| JdkChoice::Release(major as u32));
    };
    if text.contains('/') {
        return Ok(JdkChoice::Home(PathBuf::from(text)));
    }
    let message = format!("`{text}` is neither a release nor a folder");
    Err(Diagnostic::new(node.span.clone(), message)
        .hint("write jdk = 21, or the path of a JDK with its slashes"))
}

fn threads(node: &Node) -> Result<Threads, Diagnostic> {
    match &node.value {
        Value::Text(text) if text == "virtual" => Ok(Threads::Virtual),
        Value::Text(text) => Err(node
            .unknown_word(text, &["virtual"])
            .hint("write a number or \"virtual\"")),
        _ => node
            .integer(1..=100_000)
            .map(|count| Threads::Platform(count as u32)),
    }
}

fn heap(node: &Node) -> Result<Bytes, Diagnostic> {
    let heap = node.size()?;
    if heap < Bytes(16 << 20) {
        let message = format!("a heap of {heap} is too small for a server");
        return Err(
            Diagnostic::new(node.span.clone(), message).hint("at least 16M; sizes are 1024-based: \"256M\"")
        );
    }
    Ok(heap)
}

fn options(node: &Node) -> Result<Vec<String>, Diagnostic> {
    if let Value::Text(text) = &node.value {
        return Ok(text.split_whitespace().map(str::to_owned).collect());
    }
    node.list()?
        .iter()
        .map(|item| item.text().map(str::to_owned))
        .collect()
}

/// A table of settings in a server's own words.
fn settings(node: &Node) -> Result<BTreeMap<String, String>, Diagnostic> {
    let Value::Table(entries) = &node.value else {
        return Err(node.expected("a table as { \"server.tomcat.threads.max\" = 50 }"));
    };
    let read = |(name, value): &(Node, Node)| {
        let text = match &value.value {
            Value::Text(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            Value::Bool(set) => set.to_string(),
            _ => return Err(value.expected("a string, an integer, true or false")),
        };
        let name = name.text()?.to_owned();
        if OURS.contains(&name.as_str()) {
            let message = format!("`{name}` is set by prony");
            return Err(Diagnostic::new(value.span.clone(), message)
                .hint("an arm's `port` sets its port; the address is 127.0.0.1"));
        }
        Ok((name, text))
    };
    entries.iter().map(read).collect()
}

/// Settings that would put a server where prony does not look for it.
const OURS: [&str; 8] = [
    "address",
    "port",
    "server.address",
    "server.port",
    "jetty.http.host",
    "jetty.http.port",
    "jetty.ssl.host",
    "jetty.ssl.port",
];
