//! `prony catalog`: lists what an experiment can use, and the JDKs of this machine.

mod schema;
mod server;

use super::SubCommand;
use crate::available;
use crate::call::Call;
use crate::failure::Failure;
use crate::language;
use crate::output::print;
use crate::say::catalog::{CatalogWords, words};
use clap::Args;
use model::arm::key::{Key, Taker};
use model::arm::{Connector, Package, TlsStack, keys};
use model::available::Available;
use model::service::Service;
use serde_json::{Value, json};
use std::fmt::Write;
use sut::{Catalog, Jdk, Namespace, Release, jdk};

/// List the servers, versions, applications and services that an experiment can use.
#[derive(Debug, Args)]
pub(crate) struct CatalogArgs {
    /// Only this server: every version that Maven knows, and the rules by which prony knows what each can do.
    #[arg(value_name = "SERVER", conflicts_with = "schema")]
    server: Option<String>,
    /// Print the catalog as JSON.
    #[arg(long)]
    json: bool,
    /// Print the JSON Schema of the arms of an experiment file instead, for use in an editor.
    #[arg(long, conflicts_with = "json")]
    schema: bool,
}

impl SubCommand for CatalogArgs {
    fn run(&self, _: &Call) -> Result<(), Failure> {
        if self.schema {
            return print(&format!(
                "{}\n",
                serde_json::to_string_pretty(&schema::schema()).map_err(Failure::foreign)?
            ));
        }
        if let Some(server) = &self.server {
            return server::run(server, self.json);
        }
        let known = available::in_catalog();
        if self.json {
            return print(&format!(
                "{}\n",
                serde_json::to_string_pretty(&data(&known)).map_err(Failure::foreign)?
            ));
        }
        print(&text(&known, words(language::from_locale())))
    }
}

fn text(known: &Available, words: &CatalogWords) -> String {
    let mut out = format!("{}\n", words.servers);
    servers(&mut out, known, words);
    let _ = writeln!(out, "\n{}", words.applications);
    for (name, paths) in &known.apps {
        row(&mut out, name, &paths.join(" "));
    }
    let _ = writeln!(out, "\n{}", words.services);
    for service in &known.built_in {
        row(&mut out, &service.name, &format!("{}{}", words.found_in, service.variable()));
    }
    let _ = writeln!(out, "\n{}", words.jdks);
    for jdk in jdk::jdks() {
        row(&mut out, &jdk.major.to_string(), &format!("{} ({})", jdk.version, jdk.vendor));
    }
    let fetched: Vec<String> = jdk::fetched::releases().iter().map(u32::to_string).collect();
    row(&mut out, words.fetched, &fetched.join(" "));
    keys(&mut out, words);
    out
}

/// Appends a line with a name and its description.
fn row(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, "  {} {text}", report::padded(name, 20));
}

fn servers(out: &mut String, known: &Available, words: &CatalogWords) {
    let catalog = Catalog::embedded();
    for server in catalog.servers() {
        let title = catalog.title(server).unwrap_or_default();
        let packages = packages(server, known).join(words.or);
        row(out, server, &format!("{title}{}{packages}", words.runs_a));
        let range = catalog.rules(server).map(|rules| rules.supported.to_string());
        let _ = writeln!(out, "    {}{}", words.every_version, range.unwrap_or_default());
        // Versions with the same abilities share a line.
        for releases in
            tested(&catalog, server).chunk_by(|one, next| abilities(one, words) == abilities(next, words))
        {
            let versions: Vec<&str> = releases.iter().map(|release| release.version.as_str()).collect();
            let _ = writeln!(out, "    {}\n      {}", versions.join(" "), abilities(&releases[0], words));
        }
    }
    row(out, model::command::COMMAND, words.any_program);
    row(out, model::image::IMAGE, words.own_image);
    row(out, model::jar::JAR, words.own_jar);
    row(out, model::origin::URL, words.running);
}

/// Returns the releases of a server that prony's own tests start, oldest first.
fn tested(catalog: &Catalog, server: &str) -> Vec<Release> {
    let versions = catalog.tested(server).iter();
    versions.filter_map(|version| catalog.release(server, version).ok()).collect()
}

/// Describes in a line what a release can do.
fn abilities(release: &Release, words: &CatalogWords) -> String {
    let ability = &release.ability;
    let namespace = release.namespace.map_or(words.no_servlets, Namespace::id);
    let mut parts = vec![format!("{namespace}, Java {}+", ability.java)];
    let mut list = |what: &str, ids: Vec<&str>| {
        if !ids.is_empty() {
            parts.push(format!("{what} {}", ids.join(" ")));
        }
    };
    list("connector", connectors(release));
    list("tls", tls(release));
    if ability.virtual_threads {
        parts.push(words.virtual_threads.to_owned());
    }
    parts.join(words.separator)
}

fn connectors(release: &Release) -> Vec<&'static str> {
    let connectors = release.ability.connectors.iter();
    connectors.map(|connector| Connector::id(*connector)).collect()
}

fn tls(release: &Release) -> Vec<&'static str> {
    release.ability.tls.iter().map(|tls| TlsStack::id(*tls)).collect()
}

fn packages(server: &str, known: &Available) -> Vec<&'static str> {
    let kind = known.kind(server);
    let packages = kind.iter().flat_map(|kind| kind.facts().packages);
    packages.map(|package| Package::id(*package)).collect()
}

/// Appends the keys of an arm, by where its server comes from. An arm with a key that its server does not take is refused.
fn keys(out: &mut String, words: &CatalogWords) {
    let names = |wanted: &dyn Fn(&Key) -> bool| -> Vec<&str> {
        let keys = keys::all().filter(|key| wanted(key));
        keys.map(|key| key.name).collect()
    };
    let any = |key: &Key| Taker::STARTED.iter().all(|taker| key.takers.contains(taker));
    let catalog = |key: &Key| key.is_for(&[Taker::Catalog]) && !any(key);
    let everywhere = names(&|key| catalog(key) && key.everywhere).join(", ");
    let some = names(&|key| catalog(key) && !key.everywhere).join(", ");
    // Keys that only jars take come first.
    let jar = |of_catalog: bool| {
        names(&move |key| key.is_for(&[Taker::PlainJar]) && !any(key) && catalog(key) == of_catalog)
    };
    let jar = [jar(false), jar(true)].concat().join(", ");
    let _ = writeln!(out, "\n{}", words.keys);
    for (server, keys) in [
        (words.any_server, names(&any).join(", ")),
        (words.of_catalog, format!("{everywhere}{}{some}", words.where_it_has_them)),
        ("jar", format!("{jar}{}", words.spring_boot_jar)),
        ("command", names(&|key| key.is_for(&[Taker::Command]) && !any(key)).join(", ")),
        ("image", names(&|key| key.is_for(&[Taker::Image]) && !any(key)).join(", ")),
        ("url", [names(&|key| key.takers == [Taker::Url]), vec!["telemetry"]].concat().join(", ")),
    ] {
        let _ = writeln!(out, "  {} {}", report::padded(server, 14), wrapped(&keys));
    }
    let _ = writeln!(out, "  {}tomcat:10.1.29,connector=nio2,threads=virtual", words.on_command_line);
}

/// Wraps a text into lines of at most 120 characters, indented below the first.
fn wrapped(text: &str) -> String {
    const INDENT: usize = 17;
    const LONGEST: usize = 120;
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.len() - 1;
        if lines[line].is_empty() {
            lines[line].push_str(word);
        } else if INDENT + lines[line].len() + 1 + word.len() > LONGEST {
            lines.push(word.to_owned());
        } else {
            lines[line].push(' ');
            lines[line].push_str(word);
        }
    }
    lines.join(&format!("\n{:INDENT$}", ""))
}

/// Returns the catalog as JSON.
fn data(known: &Available) -> Value {
    let catalog = Catalog::embedded();
    let server = |name: &str| {
        let versions: Vec<Value> = tested(&catalog, name).iter().map(version).collect();
        json!({
            "name": name,
            "title": catalog.title(name),
            "runs": catalog.rules(name).map(|rules| rules.supported.to_string()),
            "packages": packages(name, known),
            "versions": versions,
        })
    };
    let app = |(name, paths): &(String, Vec<String>)| json!({ "name": name, "paths": paths });
    let jdks = jdk::jdks();
    json!({
        "servers": catalog.servers().map(server).collect::<Vec<_>>(),
        "applications": known.apps.iter().map(app).collect::<Vec<_>>(),
        "services": known.built_in.iter().map(service).collect::<Vec<_>>(),
        "jdks": jdks.iter().map(installed).collect::<Vec<_>>(),
        "jdks_fetched": jdk::fetched::releases(),
    })
}

fn version(release: &Release) -> Value {
    json!({
        "version": release.version,
        "namespace": release.namespace.map(Namespace::id),
        "java": release.ability.java,
        "connectors": connectors(release),
        "tls": tls(release),
        "virtual_threads": release.ability.virtual_threads,
        "origin": release.origin(),
    })
}

fn service(service: &Service) -> Value {
    json!({
        "name": service.name,
        "variable": service.variable(),
        "command": service.command,
        "package": service.package,
    })
}

fn installed(jdk: &Jdk) -> Value {
    json!({ "release": jdk.major, "version": jdk.version, "vendor": jdk.vendor, "home": jdk.home })
}
