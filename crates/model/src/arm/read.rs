//! Reads an arm from a table in a file, or from its short form on the command line, as the table of keys says.

use crate::arm::Arm;
use crate::arm::checks;
use crate::arm::heap_option::largest_heap;
use crate::arm::key::KeyReading;
use crate::arm::keys;
use crate::arm::settings::Settings;
use crate::available::Available;
use crate::command::{COMMAND, OwnCommand};
use crate::deployment::Deployment;
use crate::diagnostic::Diagnostic;
use crate::image::{IMAGE, OwnImage};
use crate::jar::{JAR, OwnJar};
use crate::node::{Node, Table, Value};
use crate::origin::URL;
use crate::slip::{Hint, Owner, TableName};
use crate::surroundings::Surroundings;
use crate::units::Bytes;

/// The default heap of an arm.
const HEAP: Bytes = Bytes(256 << 20);

impl Arm {
    /// Reads an arm of the command line. The spans of the diagnostics refer to `spec`.
    pub fn from_command_line(spec: &str, known: &Available) -> Result<Self, Vec<Diagnostic>> {
        Self::from_parts(&spec.split(',').collect::<Vec<_>>(), known)
    }

    /// Reads an arm from its server and its keys as `key=value`. The spans of the diagnostics refer to the parts with a comma
    /// between them. Unlike in an arm of the command line, a value may have a comma.
    pub fn from_parts(parts: &[&str], known: &Available) -> Result<Self, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        let arm = Self::read_table(&expand(parts, 0), known, &mut problems);
        match arm {
            Some(arm) if problems.is_empty() => {
                let named = parts.iter().any(|part| part.starts_with("name="));
                Ok(Self { name: if named { arm.name } else { parts.join(",") }, ..arm })
            }
            _ => Err(problems),
        }
    }

    /// Reads an arm from a table, or from the short form `tomcat:10.1.29,threads=200`.
    pub(crate) fn read(node: &Node, known: &Available, problems: &mut Vec<Diagnostic>) -> Option<Self> {
        if let Value::Text(spec) = &node.value {
            // The text of a TOML string begins after its quote; a spec has no escapes, so offsets count from there.
            let parts: Vec<&str> = spec.split(',').collect();
            let table = expand(&parts, node.span.start + 1);
            return Self::read_table(&table, known, problems).map(|arm| Self { name: spec.clone(), ..arm });
        }
        Self::read_table(node, known, problems)
    }

    fn read_table(node: &Node, known: &Available, problems: &mut Vec<Diagnostic>) -> Option<Self> {
        let mut table = match Table::open(node, TableName::Arm) {
            Ok(table) => table,
            Err(problem) => {
                let examples = ["\"tomcat:10.1.29\"", "{ server = \"tomcat:10.1.29\", … }"];
                problems.push(problem.hint(Hint::write_one_of(examples)));
                return None;
            }
        };
        let mut arm = Self::with_defaults(known);
        for key in keys::all() {
            let Some(node) = table.get(key.name) else {
                continue;
            };
            let reading = KeyReading { key, node, known };
            if let Err(problem) = (key.read)(&reading, &mut arm) {
                problems.push(problem.about(key.name));
            }
        }
        table.finish(problems);
        if node.get("server").is_none() {
            let problem = node.lacks(Owner::ArmWithoutServer, "server");
            problems.push(problem.hint(keys::hint_servers(known)));
        }
        if arm.server.is_empty() {
            return None; // The reason has been reported.
        }
        if let Some(heap) = largest_heap(&arm.jvm_options).filter(|_| node.get("heap").is_none()) {
            arm.heap = heap;
        }
        arm.drop_unused(node, known);
        let mut arm = arm.with_names(node);
        arm.take_built(known);
        problems.extend(checks::refusals(&arm, node, known));
        Some(arm)
    }

    /// Returns an arm as it is before any key is read: all defaults.
    fn with_defaults(known: &Available) -> Self {
        let described = known.described.iter().map(|service| service.name.clone());
        Self {
            name: String::new(),
            server: String::new(),
            version: String::new(),
            jdk: None,
            settings: Settings::default(),
            heap: HEAP,
            jvm_options: Vec::new(),
            package: None,
            port: None,
            host: known.host.clone(),
            command: None,
            image: None,
            origin: None,
            jar: None,
            surroundings: Surroundings { services: described.collect(), ..Surroundings::default() },
            deployment: known.deployment.clone(),
            build: None,
            telemetry: known.telemetry,
        }
    }

    /// Puts what was built for the arm into the place of the file that it names.
    fn take_built(&mut self, known: &Available) {
        let (Some(build), Some(file)) = (&self.build, self.users_file()) else {
            return;
        };
        let Some(built) = known.built_for(build, file).cloned() else {
            return;
        };
        self.put_built(built);
        let seen = known.wars.iter().find(|(war, _)| self.deployment.war.as_ref() == Some(war));
        if let Some((_, namespace)) = seen {
            self.deployment.namespace = *namespace;
        }
    }

    /// Drops values that its kind of server does not use, and own servers that are not fully described.
    fn drop_unused(&mut self, node: &Node, known: &Available) {
        let is_described = match self.server.as_str() {
            COMMAND => !self.command.as_ref().is_some_and(OwnCommand::is_empty),
            IMAGE => true,
            _ => false,
        };
        if !is_described {
            self.command = None;
        }
        if self.server != IMAGE || self.image.as_ref().is_some_and(OwnImage::is_empty) {
            self.image = None;
        }
        if self.server != URL {
            self.origin = None;
        }
        // The host of the file is for the arms that can be there.
        let stays = [IMAGE, URL].contains(&self.server.as_str()) || self.surroundings.container;
        if stays && node.get("host").is_none() {
            self.host = None;
        }
        if self.server != JAR || self.jar.as_ref().is_some_and(OwnJar::is_empty) {
            self.jar = None;
        }
        if [COMMAND, IMAGE, URL].contains(&self.server.as_str()) && node.get("heap").is_none() {
            self.heap = Bytes(0);
        }
        if self.jar.is_some() {
            self.deployment = Deployment::default();
        } else if node.get("war").is_none() {
            self.deployment.namespace = known.deployment.namespace;
        }
    }

    /// Returns the arm with a version where its server is a jar of the user's, and with a name where the file gives none: the
    /// server as the file names it, so that an arm of a line is called the same when its newest version is known.
    fn with_names(mut self, node: &Node) -> Self {
        let jar = self.jar.as_ref().map(OwnJar::name);
        self.version.extend(jar.clone());
        if self.name.is_empty() {
            let image = self.image.as_ref().map(|image| image.image.clone());
            let command = || Some(self.command.as_ref()?.name());
            let revision = self.build.as_ref().and_then(|build| build.git.clone());
            self.name = image
                .or_else(command)
                .or(revision)
                .or_else(|| self.origin.map(|origin| origin.to_string()))
                .or(jar)
                .or_else(|| Some(node.get("server")?.text().ok()?.to_owned()))
                .unwrap_or_default();
        }
        self
    }
}

/// Expands the parts of `tomcat:10.1.29,connector=nio2,threads=virtual` to the table that they stand for. `at` is the place of
/// its first byte in the source.
fn expand(parts: &[&str], at: usize) -> Node {
    let mut entries = Vec::new();
    let mut offset = at;
    for (index, part) in parts.iter().enumerate() {
        let (key, value) =
            if index == 0 { ("server", *part) } else { part.split_once('=').unwrap_or((part, "")) };
        let start = offset + part.len() - value.len();
        // Digits that begin with a zero are no number: they may be the id of a commit.
        let number = value.parse::<i64>().ok();
        let number = number.filter(|number| number.to_string() == value);
        let parsed = number.map_or_else(|| Value::Text(value.to_owned()), Value::Integer);
        let name = Node { span: offset..offset + key.len(), value: Value::Text(key.to_owned()) };
        entries.push((name, Node { span: start..offset + part.len(), value: parsed }));
        offset += part.len() + 1;
    }
    Node { span: at..offset.saturating_sub(1).max(at), value: Value::Table(entries) }
}
