//! [`ArmDraft`]: an arm as a table in a file or its short form on the command line writes it, read as the table of keys says.

use crate::arm::Arm;
use crate::arm::checks;
use crate::arm::file_settings::FileSettings;
use crate::arm::heap_option::largest_heap;
use crate::arm::key::KeyReading;
use crate::arm::keys::{self, LONGEST_NAME};
use crate::arm::settings::Settings;
use crate::available::Available;
use crate::command::{COMMAND, OwnCommand};
use crate::configuration::OwnConfiguration;
use crate::deployment::Deployment;
use crate::diagnostic::Diagnostic;
use crate::image::{IMAGE, OwnImage};
use crate::jar::{JAR, OwnJar};
use crate::network::Network;
use crate::node::{Node, Table, Value};
use crate::observed::Observed;
use crate::origin::URL;
use crate::slip::{Hint, Owner, TableName};
use crate::surroundings::Surroundings;
use model::units::Bytes;

/// The default heap of an arm.
const HEAP: Bytes = Bytes(256 << 20);

/// An arm as it is written, with the places of its keys. What only Maven, a build or a look into its file can tell is still open.
#[derive(Clone, Debug)]
pub struct ArmDraft {
    arm: Arm,
    node: Node,
}

impl Arm {
    /// Reads an arm of the command line as far as `known` goes. The spans of the diagnostics refer to `spec`.
    pub fn from_command_line(spec: &str, known: &Available) -> Result<Self, Vec<Diagnostic>> {
        ArmDraft::from_parts(&spec.split(',').collect::<Vec<_>>(), known)?.resolve(known)
    }
}

impl ArmDraft {
    /// Reads an arm from its server and its keys as `key=value`. The spans of the diagnostics refer to the parts with a comma
    /// between them. Unlike in an arm of the command line, a value may have a comma.
    pub fn from_parts(parts: &[&str], known: &Available) -> Result<Self, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        let draft = Self::read_table(expand(parts, 0), known, &FileSettings::default(), &mut problems);
        if let Some(draft) = &draft {
            problems.extend(draft.resolve(known).err().into_iter().flatten());
        }
        match draft {
            Some(mut draft) if problems.is_empty() => {
                if !parts.iter().any(|part| part.starts_with("name=")) {
                    draft.arm.name = parts.join(",");
                }
                Ok(draft)
            }
            _ => Err(problems),
        }
    }

    /// Reads an arm from a table, or from the short form `tomcat:10.1.29,threads=200`.
    pub(crate) fn read(
        node: &Node,
        known: &Available,
        file: &FileSettings,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let Value::Text(spec) = &node.value else {
            return Self::read_table(node.clone(), known, file, problems);
        };
        // The text of a TOML string begins after its quote; a spec has no escapes, so offsets count from there.
        let parts: Vec<&str> = spec.split(',').collect();
        let mut draft = Self::read_table(expand(&parts, node.span.start + 1), known, file, problems)?;
        draft.arm.name.clone_from(spec);
        Some(draft)
    }

    fn read_table(
        node: Node,
        known: &Available,
        file: &FileSettings,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let mut table = match Table::open(&node, TableName::Arm) {
            Ok(table) => table,
            Err(problem) => {
                let examples = ["\"tomcat:10.1.29\"", "{ server = \"tomcat:10.1.29\", … }"];
                problems.push(problem.hint(Hint::write_one_of(examples)));
                return None;
            }
        };
        let mut arm = Arm::with_defaults(file);
        for key in keys::all() {
            let Some(node) = table.get(key.name) else {
                continue;
            };
            if let Err(problem) = (key.read)(&KeyReading { key, node, known, file }, &mut arm) {
                problems.push(problem.about(key.name));
            }
        }
        table.finish(problems);
        // A URL with a mistake names the server, too; the mistake is told already.
        let is_told = node.get(URL).is_some() && arm.origin.is_none();
        if node.get("server").is_none() && !is_told {
            let problem = node.lacks(Owner::ArmWithoutServer, "server");
            problems.push(problem.hint(keys::hint_servers(known)));
        }
        if arm.server.is_empty() || is_told {
            return None; // The reason has been reported.
        }
        if let Some(heap) = largest_heap(&arm.jvm_options).filter(|_| node.get("heap").is_none()) {
            arm.heap = heap;
        }
        arm.drop_unused(&node, file);
        let arm = arm.with_names(&node);
        Some(Self { arm, node })
    }

    /// The table in the file, or what the short form stands for.
    pub(crate) const fn node(&self) -> &Node {
        &self.node
    }

    /// The command that builds its file, where only this can tell it from an arm of the same name.
    fn unnamed_build(&self) -> Option<&str> {
        let build = self.arm.build.as_ref().filter(|_| self.node.get("name").is_none())?;
        build.command.as_deref()
    }

    /// Returns the arm as it is written, without what only a look can tell.
    pub fn as_written(&self) -> Arm {
        self.arm.clone()
    }

    /// Returns the arm as far as `known` goes: with the newest version of its line, with what was built for it, and with what is in its
    /// WAR.
    ///
    /// # Errors
    ///
    /// The keys that its server cannot take.
    pub fn resolve(&self, known: &Available) -> Result<Arm, Vec<Diagnostic>> {
        let mut arm = self.arm.clone();
        if let Some(newest) = known.newest_of(&arm.server, &arm.version) {
            arm.version = newest.to_owned();
        }
        if let (Some(build), Some(file)) = (&arm.build, arm.users_file())
            && let Some(built) = known.built_for(build, file)
        {
            arm.put_built(built.clone());
        }
        let deployment = &mut arm.deployment;
        let seen = known.wars.iter().find(|(war, _)| deployment.war.as_ref() == Some(war));
        deployment.namespace = deployment.namespace.or(seen.and_then(|(_, namespace)| *namespace));
        let refusals = checks::refusals(&arm, &self.node, known);
        if refusals.is_empty() { Ok(arm) } else { Err(refusals) }
    }
}

/// Names arms that have no name of their own and differ in their builds: each gets the words of its command that not all commands have
/// (`shop.jar -Pfast`).
pub(crate) fn name_by_build(drafts: &mut [ArmDraft]) {
    let commands: Vec<(String, String)> = drafts
        .iter()
        .filter_map(|draft| Some((draft.arm.name.clone(), draft.unnamed_build()?.to_owned())))
        .collect();
    for draft in drafts {
        let Some(own) = draft.unnamed_build() else {
            continue;
        };
        let others: Vec<&str> = commands
            .iter()
            .filter(|(name, command)| *name == draft.arm.name && command != own)
            .map(|(_, command)| command.as_str())
            .collect();
        let is_shared =
            |word: &&str| others.iter().all(|other| other.split_whitespace().any(|one| one == *word));
        let differing: Vec<&str> = own.split_whitespace().filter(|word| !is_shared(word)).collect();
        let name = [&[draft.arm.name.as_str()], differing.as_slice()].concat().join(" ");
        if !others.is_empty() && name.chars().count() <= LONGEST_NAME {
            draft.arm.name = name;
        }
    }
}

impl Arm {
    /// Returns an arm as it is before any key is read: all defaults.
    fn with_defaults(file: &FileSettings) -> Self {
        let services = file.services.iter().map(|service| service.name.clone());
        Self {
            name: String::new(),
            server: String::new(),
            version: String::new(),
            jdk: None,
            settings: Settings { http: file.http, ..Settings::default() },
            heap: HEAP,
            gc: None,
            processors: None,
            jvm_options: Vec::new(),
            path: None,
            package: None,
            port: None,
            host: file.host.clone(),
            command: None,
            image: None,
            origin: None,
            network: Network::default(),
            observed: Observed::default(),
            jar: None,
            surroundings: Surroundings { services: services.collect(), ..Surroundings::default() },
            deployment: file.deployment.clone(),
            configuration: OwnConfiguration::default(),
            build: None,
            telemetry: file.telemetry,
        }
    }

    /// Drops values that its kind of server does not use, and own servers that are not fully described.
    fn drop_unused(&mut self, node: &Node, file: &FileSettings) {
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
            self.deployment.namespace = file.deployment.namespace;
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
                .or_else(|| self.origin.as_ref().map(ToString::to_string))
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
