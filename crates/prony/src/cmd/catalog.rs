//! `prony catalog`: lists what an experiment can use, and the JDKs of this machine.

mod schema;
mod server;

use super::SubCommand;
use crate::available;
use crate::call::Call;
use crate::failure::Failure;
use crate::language;
use crate::output::{print, print_json};
use ask::arm::key::{Key, Taker};
use ask::arm::{Connector, Http2Way, Package, TlsStack, keys};
use ask::available::Available;
use ask::service::Service;
use clap::Args;
use say::{Language, Say};
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
            return print_json(&schema::schema());
        }
        if let Some(server) = &self.server {
            return server::run(server, self.json);
        }
        let known = available::in_catalog();
        if self.json {
            return print_json(&data(&known));
        }
        print(&text(&known, language::from_locale()))
    }
}

fn text(known: &Available, lang: Language) -> String {
    let mut out = format!("{}\n", word(lang, CatalogWord::Servers));
    servers(&mut out, known, lang);
    let _ = writeln!(out, "\n{}", word(lang, CatalogWord::Applications));
    for (name, paths) in &known.apps {
        row(&mut out, name, &paths.join(" "));
    }
    let _ = writeln!(out, "\n{}", word(lang, CatalogWord::Services));
    for service in &known.built_in {
        row(&mut out, &service.name, &format!("{}{}", word(lang, CatalogWord::FoundIn), service.variable()));
    }
    let _ = writeln!(out, "\n{}", word(lang, CatalogWord::Jdks));
    for jdk in jdk::jdks() {
        row(&mut out, &jdk.major.to_string(), &format!("{} ({})", jdk.version, jdk.vendor));
    }
    let fetched: Vec<String> = jdk::fetched::releases().iter().map(u32::to_string).collect();
    row(&mut out, &word(lang, CatalogWord::Fetched), &fetched.join(" "));
    keys(&mut out, lang);
    out
}

/// The words around names and versions.
#[derive(Clone, Copy, Say)]
enum CatalogWord {
    #[say(en = "servers: server = \"NAME:VERSION\"", zh = "服务器：server = \"名称:版本\"")]
    Servers,
    /// Before the range of versions that prony runs.
    #[say(en = "every version that Maven finds in ", zh = "Maven 能找到的所有版本，范围为 ")]
    EveryVersion,
    /// The title of the versions of one server.
    #[say(
        en = "versions that Maven knows; the beginning of one, as 10.1, stands for the newest of them",
        zh = "Maven 已知的版本；版本号的开头（如 10.1）表示其中最新的一个"
    )]
    Versions,
    /// The title of the same versions if Maven could not be asked; the reason follows it.
    #[say(
        en = "versions that prony's tests start; Maven could not list all: ",
        zh = "prony 的测试会启动的版本；Maven 未能列出全部版本："
    )]
    TestedVersions,
    /// The title of the rules about versions.
    #[say(
        en = "what a version can do, for which versions, and how that is known",
        zh = "各版本的能力、适用的版本及其依据"
    )]
    Rules,
    /// Between title and packages of a server.
    #[say(en = "; runs a ", zh = "；可运行 ")]
    RunsA,
    #[say(en = " or ", zh = " 或 ")]
    Or,
    #[say(
        en = "any program: command = [\"./serve\", \"{{port}}\"]",
        zh = "任意程序：command = [\"./serve\", \"{{port}}\"]"
    )]
    AnyProgram,
    #[say(
        en = "an image of your own in podman or docker: image = \"registry/app:1.2\", port = 8080",
        zh = "您自己的镜像，由 podman 或 docker 运行：image = \"registry/app:1.2\", port = 8080"
    )]
    OwnImage,
    #[say(
        en = "an executable jar of your own: jar = \"target/app.jar\"",
        zh = "自己的可执行 jar：jar = \"target/app.jar\""
    )]
    OwnJar,
    #[say(
        en = "one that runs already: url = \"http://127.0.0.1:8080\" or https",
        zh = "已在运行的服务器：url = \"http://127.0.0.1:8080\" 或 https"
    )]
    Running,
    #[say(en = "virtual threads", zh = "虚拟线程")]
    VirtualThreads,
    /// In the place of the Servlet API.
    #[say(en = "no servlets", zh = "不支持 servlet")]
    NoServlets,
    /// Between what a release can do.
    #[say(en = "; ", zh = "；")]
    Separator,
    #[say(
        en = "applications: app = \"NAME\", and the paths they answer",
        zh = "应用：app = \"名称\"，及其响应的路径"
    )]
    Applications,
    #[say(
        en = "services: [service.NAME], or any other with its `command`",
        zh = "服务：[service.名称]；其他服务请给出 `command`"
    )]
    Services,
    /// Before the variable by which an application finds a service.
    #[say(en = "found by the application in ", zh = "应用通过此变量找到它：")]
    FoundIn,
    #[say(
        en = "JDKs: jdk = N, \"N.0.8\", \"VENDOR-N\", or the path of one",
        zh = "JDK：jdk = N、\"N.0.8\"、\"厂商-N\"，或某个 JDK 的路径"
    )]
    Jdks,
    #[say(en = "fetched when missing", zh = "缺少时可下载")]
    Fetched,
    /// The title of the keys of an arm.
    #[say(en = "keys of an arm", zh = "对象的键")]
    Keys,
    #[say(en = "any server", zh = "任意服务器")]
    AnyServer,
    #[say(en = "of the catalog", zh = "目录中的服务器")]
    OfCatalog,
    /// Between the keys that every server of the catalog takes and those that only some take.
    #[say(en = ", and where it has them ", zh = "；视服务器而定还有 ")]
    WhereItHasThem,
    /// After the keys of a jar.
    #[say(
        en = "; one with Spring Boot takes what the spring-boot servers take",
        zh = "；含 Spring Boot 的 jar 可用 spring-boot 服务器的键"
    )]
    SpringBootJar,
    /// Before an arm as it is written on the command line.
    #[say(en = "on the command line: ", zh = "命令行写法：")]
    OnCommandLine,
}

/// Returns words in a language.
fn word(lang: Language, word: CatalogWord) -> String {
    say::text(&word, lang)
}

/// Appends a line with a name and its description.
fn row(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, "  {} {text}", report::padded(name, 20));
}

fn servers(out: &mut String, known: &Available, lang: Language) {
    let catalog = Catalog::embedded();
    for server in catalog.servers() {
        let title = catalog.title(server).unwrap_or_default();
        let packages = packages(server, known).join(&word(lang, CatalogWord::Or));
        row(out, server, &format!("{title}{}{packages}", word(lang, CatalogWord::RunsA)));
        let range = catalog.rules(server).map(|rules| rules.supported.to_string());
        let _ = writeln!(out, "    {}{}", word(lang, CatalogWord::EveryVersion), range.unwrap_or_default());
        // Versions with the same abilities share a line.
        for releases in
            tested(&catalog, server).chunk_by(|one, next| abilities(one, lang) == abilities(next, lang))
        {
            let versions: Vec<&str> = releases.iter().map(|release| release.version.as_str()).collect();
            let _ = writeln!(out, "    {}\n      {}", versions.join(" "), abilities(&releases[0], lang));
        }
    }
    row(out, ask::command::COMMAND, &word(lang, CatalogWord::AnyProgram));
    row(out, ask::image::IMAGE, &word(lang, CatalogWord::OwnImage));
    row(out, ask::jar::JAR, &word(lang, CatalogWord::OwnJar));
    row(out, ask::origin::URL, &word(lang, CatalogWord::Running));
}

/// Returns the releases of a server that prony's own tests start, oldest first.
fn tested(catalog: &Catalog, server: &str) -> Vec<Release> {
    let versions = catalog.tested(server).iter();
    versions.filter_map(|version| catalog.release(server, version).ok()).collect()
}

/// Describes in a line what a release can do.
fn abilities(release: &Release, lang: Language) -> String {
    let ability = &release.ability;
    let namespace = release
        .namespace
        .map_or_else(|| word(lang, CatalogWord::NoServlets), |namespace| namespace.id().to_owned());
    let mut parts = vec![format!("{namespace}, Java {}+", ability.java)];
    let mut list = |what: &str, ids: Vec<&str>| {
        if !ids.is_empty() {
            parts.push(format!("{what} {}", ids.join(" ")));
        }
    };
    list("connector", connectors(release));
    list("tls", tls(release));
    list("http", http2(release));
    if ability.virtual_threads {
        parts.push(word(lang, CatalogWord::VirtualThreads));
    }
    parts.join(&word(lang, CatalogWord::Separator))
}

fn connectors(release: &Release) -> Vec<&'static str> {
    let connectors = release.ability.connectors.iter();
    connectors.map(|connector| Connector::id(*connector)).collect()
}

fn tls(release: &Release) -> Vec<&'static str> {
    release.ability.tls.iter().map(|tls| TlsStack::id(*tls)).collect()
}

fn http2(release: &Release) -> Vec<&'static str> {
    release.ability.http2.iter().map(|way| Http2Way::id(*way)).collect()
}

fn packages(server: &str, known: &Available) -> Vec<&'static str> {
    let kind = known.kind(server);
    let packages = kind.iter().flat_map(|kind| kind.facts().packages);
    packages.map(|package| Package::id(*package)).collect()
}

/// Appends the keys of an arm, by where its server comes from. An arm with a key that its server does not take is refused.
fn keys(out: &mut String, lang: Language) {
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
    let _ = writeln!(out, "\n{}", word(lang, CatalogWord::Keys));
    for (server, keys) in [
        (word(lang, CatalogWord::AnyServer), names(&any).join(", ")),
        (
            word(lang, CatalogWord::OfCatalog),
            format!("{everywhere}{}{some}", word(lang, CatalogWord::WhereItHasThem)),
        ),
        ("jar".to_owned(), format!("{jar}{}", word(lang, CatalogWord::SpringBootJar))),
        ("command".to_owned(), names(&|key| key.is_for(&[Taker::Command]) && !any(key)).join(", ")),
        ("image".to_owned(), names(&|key| key.is_for(&[Taker::Image]) && !any(key)).join(", ")),
        ("url".to_owned(), [names(&|key| key.takers == [Taker::Url]), vec!["telemetry"]].concat().join(", ")),
    ] {
        let _ = writeln!(out, "  {} {}", report::padded(&server, 14), wrapped(&keys));
    }
    let _ = writeln!(
        out,
        "  {}tomcat:10.1.29,connector=nio2,threads=virtual",
        word(lang, CatalogWord::OnCommandLine)
    );
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
        "http2": http2(release),
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
