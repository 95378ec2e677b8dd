//! Reads a service of a compose file. Keys that change nothing of a service that runs alone are passed over; every other key that is not
//! read is refused by its name.

use super::{Ready, ServiceImage};
use crate::slip::ComposeFlaw;
use saphyr::{LoadableYamlNode, MarkedYaml, Scalar, YamlData};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A service as a compose file describes it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ComposedService {
    pub(super) image: ServiceImage,
    pub(super) command: Vec<String>,
    pub(super) user: Option<String>,
    pub(super) ready: Ready,
    /// The ports of its container that are published.
    ports: Vec<u16>,
}

/// Keys that say how a service lives beside others, or when it is started again.
const PASSED_OVER: [&str; 14] = [
    "container_name",
    "hostname",
    "restart",
    "depends_on",
    "networks",
    "labels",
    "annotations",
    "logging",
    "profiles",
    "pull_policy",
    "platform",
    "stop_grace_period",
    "stop_signal",
    "expose",
];

/// What a service says, with its variables put in and with what it takes over from others.
#[derive(Debug)]
enum Tree {
    Nothing,
    Text(String),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

/// Reads the service of this name; `port` is where it listens, if its user says so. Relative folders begin in the folder of the compose file, whose path is relative to the experiment.
pub(super) fn read(
    file: &Path,
    text: &str,
    name: &str,
    port: Option<u16>,
    environment: &BTreeMap<String, String>,
) -> Result<ComposedService, ComposeFlaw> {
    let documents =
        MarkedYaml::load_from_str(text).map_err(|error| ComposeFlaw::Unreadable(error.to_string()))?;
    let source = Source { text, environment };
    let services = documents.first().and_then(|root| source.value_of(root, "services"));
    let Some(service) = services.and_then(|services| source.value_of(services, name)) else {
        let known = services.map_or_else(Vec::new, |services| source.keys(services));
        return Err(ComposeFlaw::NoService { name: name.to_owned(), known });
    };
    let Tree::Map(entries) = source.tree(service)? else {
        return Err(ComposeFlaw::NoImage);
    };
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut read = ComposedService {
        image: ServiceImage::default(),
        command: Vec::new(),
        user: None,
        ready: Ready::Tcp,
        ports: Vec::new(),
    };
    for (key, value) in &entries {
        read.take(key, value, folder)?;
    }
    if read.image.name.is_empty() {
        return Err(ComposeFlaw::NoImage);
    }
    read.image.port = match (port, read.ports.as_slice()) {
        (Some(port), _) => Some(port),
        (None, [port]) => Some(*port),
        (None, []) => None,
        _ => {
            let ports = read.ports.iter().map(u16::to_string).collect();
            return Err(ComposeFlaw::SeveralPorts { ports });
        }
    };
    Ok(read)
}

impl ComposedService {
    /// Takes over what a key says.
    fn take(&mut self, key: &str, value: &Tree, folder: &Path) -> Result<(), ComposeFlaw> {
        let bad = || ComposeFlaw::Value(key.to_owned());
        match key {
            "image" => self.image.name = value.text().ok_or_else(bad)?.to_owned(),
            "user" => self.user = Some(value.text().ok_or_else(bad)?.to_owned()),
            "command" => self.command = words(value).ok_or_else(bad)?,
            "environment" => self.image.environment = variables(value).ok_or_else(bad)?,
            "ports" => {
                let ports = value.items().ok_or_else(bad)?.iter().map(container_port);
                let mut ports = ports.collect::<Option<Vec<u16>>>().ok_or_else(bad)?;
                ports.dedup();
                self.ports = ports;
            }
            "volumes" => {
                let volumes = value.items().ok_or_else(bad)?.iter().map(|volume| mounted(volume, folder));
                self.image.volumes = volumes.collect::<Option<_>>().ok_or_else(bad)?;
            }
            "healthcheck" => self.ready = health(value).ok_or_else(bad)?,
            key if PASSED_OVER.contains(&key) || key.starts_with("x-") => {}
            key => return Err(ComposeFlaw::Unsupported(key.to_owned())),
        }
        Ok(())
    }
}

/// The text of a file, and the variables that it may name.
struct Source<'a> {
    text: &'a str,
    environment: &'a BTreeMap<String, String>,
}

impl Source<'_> {
    /// Puts the variables into a value, and what it takes over from others by `<<`.
    fn tree(&self, of: &MarkedYaml<'_>) -> Result<Tree, ComposeFlaw> {
        let mapping = match &of.data {
            YamlData::Sequence(items) => {
                return items.iter().map(|item| self.tree(item)).collect::<Result<_, _>>().map(Tree::List);
            }
            YamlData::Mapping(mapping) => mapping,
            YamlData::Tagged(_, inner) => return self.tree(inner),
            _ => {
                let text = self.scalar(of).map(|text| interpolated(&text, self.environment)).transpose()?;
                return Ok(text.map_or(Tree::Nothing, Tree::Text));
            }
        };
        let (mut all, mut taken_over) = (Vec::new(), Vec::new());
        for (key, value) in mapping {
            let key = self.scalar(key).unwrap_or_default();
            match (key.as_str(), self.tree(value)?) {
                ("<<", Tree::Map(entries)) => taken_over.extend(entries),
                ("<<", Tree::List(others)) => {
                    taken_over.extend(others.into_iter().flat_map(|other| match other {
                        Tree::Map(entries) => entries,
                        _ => Vec::new(),
                    }));
                }
                (_, value) => all.push((key, value)),
            }
        }
        for (key, value) in taken_over {
            if !all.iter().any(|(own, _): &(String, Tree)| *own == key) {
                all.push((key, value));
            }
        }
        Ok(Tree::Map(all))
    }

    fn keys(&self, of: &MarkedYaml<'_>) -> Vec<String> {
        match &of.data {
            YamlData::Mapping(mapping) => mapping.iter().filter_map(|(key, _)| self.scalar(key)).collect(),
            _ => Vec::new(),
        }
    }

    fn value_of<'a>(&self, of: &'a MarkedYaml<'a>, name: &str) -> Option<&'a MarkedYaml<'a>> {
        let YamlData::Mapping(mapping) = &of.data else {
            return None;
        };
        let mut entries = mapping.iter();
        entries.find(|(key, _)| self.scalar(key).as_deref() == Some(name)).map(|(_, value)| value)
    }

    /// A scalar as it is written: a number would lose its zeros.
    fn scalar(&self, of: &MarkedYaml<'_>) -> Option<String> {
        let YamlData::Value(scalar) = &of.data else {
            return None;
        };
        let number = match scalar {
            Scalar::String(text) => return Some(text.to_string()),
            Scalar::Boolean(truth) => return Some(truth.to_string()),
            Scalar::Integer(number) => number.to_string(),
            Scalar::FloatingPoint(number) => number.to_string(),
            Scalar::Null => return None,
        };
        let (start, end) = (of.span.start.index(), of.span.end.index());
        let written: String = self.text.chars().skip(start).take(end.saturating_sub(start)).collect();
        // The place of a value that another one stands for is that of its alias.
        let is_alias = written.starts_with('*');
        Some(if is_alias { number } else { written.trim().to_owned() })
    }
}

impl Tree {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    fn items(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    fn entries(&self) -> Option<&[(String, Self)]> {
        match self {
            Self::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The text of a key of a map.
    fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    fn get(&self, key: &str) -> Option<&Self> {
        self.entries()?.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

/// A command as a list, or as a text that is split as a shell does.
fn words(of: &Tree) -> Option<Vec<String>> {
    match of.items() {
        Some(items) => items.iter().map(|item| item.text().map(str::to_owned)).collect(),
        None => split(of.text()?),
    }
}

/// Splits a text into words at blanks that are not quoted; `None` where a quote is not closed.
fn split(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), letter) if letter == open => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(letters.next()),
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// Variables as a map, or as a list of `NAME=value`.
fn variables(of: &Tree) -> Option<BTreeMap<String, String>> {
    let owned = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    if let Some(items) = of.items() {
        let pair = |item: &Tree| item.text()?.split_once('=').map(|(name, value)| owned(name, value));
        return items.iter().map(pair).collect();
    }
    of.entries()?.iter().map(|(name, value)| Some(owned(name, value.text()?))).collect()
}

/// The port in the container: of `8080`, `5432:5432`, `127.0.0.1:1:5432/tcp`, or of a map with `target`.
fn container_port(of: &Tree) -> Option<u16> {
    let text = of.text_of("target").or(of.text())?;
    text.strip_suffix("/tcp").unwrap_or(text).rsplit(':').next()?.parse().ok()
}

/// A volume as an engine writes it. What a named volume holds would pass from one start to the next: each start gets an empty one.
fn mounted(of: &Tree, folder: &Path) -> Option<String> {
    let (source, target, options) = match of.text() {
        None => {
            let options = (of.text_of("read_only") == Some("true")).then_some("ro");
            match of.text_of("type")? {
                "bind" => (of.text_of("source")?, of.text_of("target")?, options),
                "volume" => ("", of.text_of("target")?, None),
                _ => return None,
            }
        }
        Some(text) => {
            let mut parts = text.splitn(3, ':');
            match (parts.next()?, parts.next(), parts.next()) {
                (target, None, _) => ("", target, None),
                (source, Some(target), options) => (source, target, options),
            }
        }
    };
    if !target.starts_with('/') || source.starts_with('~') {
        return None;
    }
    if !source.starts_with(['.', '/']) {
        return Some(target.to_owned());
    }
    let source = match source.starts_with('.') {
        true => Path::new(".").join(folder).join(source),
        false => PathBuf::from(source),
    };
    let options = options.map_or_else(String::new, |options| format!(":{options}"));
    Some(format!("{}:{target}{options}", source.display()))
}

/// When a service is ready by its health check.
fn health(of: &Tree) -> Option<Ready> {
    if of.text_of("disable") == Some("true") {
        return Some(Ready::Tcp);
    }
    let in_shell = |text: &str| Some(Ready::Exec(["/bin/sh", "-c", text].map(str::to_owned).into()));
    let test = of.get("test")?;
    if let Some(text) = test.text() {
        return in_shell(text);
    }
    let words = words(test)?;
    match words.split_first()? {
        (kind, _) if kind == "NONE" => Some(Ready::Tcp),
        (kind, [text]) if kind == "CMD-SHELL" => in_shell(text),
        (kind, words) if kind == "CMD" && !words.is_empty() => Some(Ready::Exec(words.to_vec())),
        _ => None,
    }
}

/// Puts variables in the place of `$NAME`, `${NAME}` and `${NAME:-default}`; `$$` is a dollar.
fn interpolated(text: &str, environment: &BTreeMap<String, String>) -> Result<String, ComposeFlaw> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            out.push('$');
            rest = after;
            continue;
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, default) = match rest.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            Some((inner, after)) => {
                rest = after;
                let end = inner.find(|c| !is_name(c)).unwrap_or(inner.len());
                let (name, default) = inner.split_at(end);
                (name, default.strip_prefix(":-").or(default.strip_prefix('-')))
            }
            None => {
                let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                rest = after;
                (name, None)
            }
        };
        let value = environment.get(name).map(String::as_str).filter(|value| !value.is_empty()).or(default);
        out.push_str(value.ok_or_else(|| ComposeFlaw::Unset(name.to_owned()))?);
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
x-defaults: &defaults
  restart: always
  environment: { LANG: C }
services:
  web:
    build: .
  db:
    <<: *defaults
    image: "postgres:${PG:-16}"
    command: postgres -c 'shared_buffers=64 MB' -c max_connections=$MOST
    environment:
      POSTGRES_PASSWORD: pa$$s
      PGPORT: 5432
      RATIO: 1.50
    ports: ["127.0.0.1:15432:5432/tcp"]
    volumes:
      - ./init:/docker-entrypoint-initdb.d:ro
      - data:/var/lib/postgresql/data
      - { type: bind, source: /etc/hosts, target: /hosts, read_only: true }
    healthcheck: { test: ["CMD-SHELL", "pg_isready -U postgres"], interval: 5s }
volumes: { data: {} }
"#;

    fn read_db(text: &str) -> Result<ComposedService, ComposeFlaw> {
        let environment = BTreeMap::from([("MOST".to_owned(), "50".to_owned())]);
        read(Path::new("../deploy/docker-compose.yml"), text, "db", None, &environment)
    }

    #[test]
    fn a_service_is_read_with_its_variables_and_what_it_takes_over() {
        let db = read_db(FILE).expect("read");
        assert_eq!(db.image.name, "postgres:16");
        assert_eq!(db.image.port, Some(5432));
        assert_eq!(db.command, ["postgres", "-c", "shared_buffers=64 MB", "-c", "max_connections=50"]);
        let variables: Vec<(&str, &str)> =
            db.image.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(variables, [("PGPORT", "5432"), ("POSTGRES_PASSWORD", "pa$s"), ("RATIO", "1.50")]);
        assert_eq!(
            db.image.volumes,
            [
                "./../deploy/./init:/docker-entrypoint-initdb.d:ro",
                "/var/lib/postgresql/data",
                "/etc/hosts:/hosts:ro"
            ]
        );
        let health = ["/bin/sh", "-c", "pg_isready -U postgres"].map(str::to_owned);
        assert_eq!(db.ready, Ready::Exec(health.into()));
    }

    #[test]
    fn what_is_not_supported_is_refused_by_its_name() {
        let flaw = |from: &str, to: &str| read_db(&FILE.replace(from, to)).expect_err(to);
        let key = flaw("    command:", "    shm_size: 1g\n    command:");
        assert_eq!(key, ComposeFlaw::Unsupported("shm_size".to_owned()));
        assert_eq!(flaw("$MOST", "$LEAST"), ComposeFlaw::Unset("LEAST".to_owned()));
        assert_eq!(
            flaw("/tcp\"]", "/tcp\", 80]"),
            ComposeFlaw::SeveralPorts { ports: ["5432", "80"].map(str::to_owned).into() }
        );
        assert_eq!(flaw("5432/tcp", "5432/udp"), ComposeFlaw::Value("ports".to_owned()));
        assert_eq!(flaw("image:", "x-image:"), ComposeFlaw::NoImage);
        let known = ["web", "database"].map(str::to_owned).into();
        assert_eq!(flaw("  db:", "  database:"), ComposeFlaw::NoService { name: "db".to_owned(), known });
        assert!(matches!(flaw("services:", "services: ["), ComposeFlaw::Unreadable(_)));
    }

    #[test]
    fn a_command_is_split_as_a_shell_does() {
        assert_eq!(split("a  'b c' d\\ e \"f \\\" g\"").expect("closed"), ["a", "b c", "d e", "f \" g"]);
        assert_eq!(split("a '").as_deref(), None);
        assert_eq!(split("a ''").expect("closed"), ["a", ""]);
    }
}
