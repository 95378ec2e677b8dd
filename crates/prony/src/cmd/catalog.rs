//! `prony catalog`: what can be asked for, and the JDKs that could run it.

use crate::args;
use crate::experiment;
use crate::failure::Failure;
use crate::output::print;
use model::arm::{Connector, Known, TlsStack};
use model::service::Service;
use model::takes::Package;
use serde_json::{Value, json};
use std::fmt::Write;
use sut::{Catalog, Jdk, Release, jdk};

/// Keys of an arm; what a server does not take is refused with its line.
const KEYS: &str = "
keys of an arm
  any server     name, server, port, memory, cpus, services, environment, open_files, telemetry
  of the catalog jdk, heap, jvm_options, threads, min_threads, accept_count, max_connections, package, and where it has
                 them connector, tls, attributes, properties, access_log, war, namespace, migrate
  jar            jar, arguments, heap, jvm_options, jdk; one with Spring Boot takes what the spring-boot servers take
  command        command, ready
  url            url, telemetry
  on the command line: tomcat:10.1.29,connector=nio2,threads=virtual
";

pub(crate) fn run(args: &args::Catalog) -> Result<(), Failure> {
    let known = experiment::known();
    if args.json {
        return print(&format!("{}\n", serde_json::to_string_pretty(&data(&known))?));
    }
    let mut out = String::from("servers: server = \"NAME:VERSION\"\n");
    servers(&mut out, &known);
    out.push_str("\napplications: app = \"NAME\", and the paths they answer\n");
    for (name, paths) in &known.apps {
        let _ = writeln!(out, "  {name:<20} {}", paths.join(" "));
    }
    out.push_str("\nservices: [service.NAME], or any other with its `command`\n");
    for service in &known.built_in {
        let _ = writeln!(
            out,
            "  {:<20} found by the application in {}",
            service.name,
            service.variable()
        );
    }
    out.push_str("\nJDKs: jdk = N, or the path of one\n");
    for jdk in jdk::jdks() {
        let _ = writeln!(out, "  {:<20} {} ({})", jdk.major, jdk.version, jdk.vendor);
    }
    let fetched: Vec<String> = jdk::fetched::releases().iter().map(u32::to_string).collect();
    let _ = writeln!(out, "  {:<20} {}", "fetched when missing", fetched.join(" "));
    out.push_str(KEYS);
    print(&out)
}

fn servers(out: &mut String, known: &Known) {
    let catalog = Catalog::embedded();
    for server in catalog.servers() {
        let title = catalog.title(server).unwrap_or_default();
        let packages = packages(server, known).join(" or ");
        let _ = writeln!(out, "  {server:<20} {title}; runs a {packages}");
        // Versions that can do the same stand together.
        for releases in catalog
            .releases(server)
            .chunk_by(|one, next| can(one) == can(next))
        {
            let versions: Vec<&str> = releases.iter().map(|release| release.version.as_str()).collect();
            let _ = writeln!(out, "    {}\n      {}", versions.join(" "), can(&releases[0]));
        }
    }
    let any = "any program: command = [\"./serve\", \"{port}\"]";
    let _ = writeln!(out, "  {:<20} {any}", model::foreign::COMMAND);
    let jar = "an executable jar of your own: jar = \"target/app.jar\"";
    let _ = writeln!(out, "  {:<20} {jar}", model::jar::JAR);
    let running = "one that runs already: url = \"http://127.0.0.1:8080\" or https";
    let _ = writeln!(out, "  {:<20} {running}", model::origin::URL);
}

/// What a release can do, in a line.
fn can(release: &Release) -> String {
    let ability = &release.ability;
    let mut parts = vec![format!("{}, Java {}+", release.namespace.id(), ability.java)];
    let mut list = |what: &str, ids: Vec<&str>| {
        if !ids.is_empty() {
            parts.push(format!("{what} {}", ids.join(" ")));
        }
    };
    list("connector", connectors(release));
    list("tls", tls(release));
    if ability.virtual_threads {
        parts.push("virtual threads".to_owned());
    }
    parts.join("; ")
}

fn connectors(release: &Release) -> Vec<&'static str> {
    let connectors = release.ability.connectors.iter();
    connectors.map(|connector| Connector::id(*connector)).collect()
}

fn tls(release: &Release) -> Vec<&'static str> {
    release.ability.tls.iter().map(|tls| TlsStack::id(*tls)).collect()
}

fn packages(server: &str, known: &Known) -> Vec<&'static str> {
    let takes = known.takes.iter().find(|(name, _)| name == server);
    let packages = takes.iter().flat_map(|(_, takes)| &takes.packages);
    packages.map(|package| Package::id(*package)).collect()
}

/// The same for programs.
fn data(known: &Known) -> Value {
    let catalog = Catalog::embedded();
    let server = |name: &str| {
        let versions: Vec<Value> = catalog.releases(name).iter().map(version).collect();
        json!({
            "name": name,
            "title": catalog.title(name),
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
        "namespace": release.namespace.id(),
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
