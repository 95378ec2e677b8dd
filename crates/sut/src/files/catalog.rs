//! [`Catalog`]: which servers exist. This is data in `catalog/*.toml`, which `model` reads: where the versions of a server come from,
//! and rules that tell what each of them can do. A version needs no entry there.

pub use crate::error::ChecksumSource;
use crate::error::Error;
use ask::ability::Ability;
use ask::catalog::{self, BuildSource, CatalogFile, FILES, FileSource};
use ask::diagnostic::nearest;
use ask::jar::Boot;
use ask::service::Service;
use ask::version_rules::VersionRules;
use assembly::Recipe;
use include_dir::Dir;
use serde::Deserialize;
use std::collections::BTreeMap;

mod assembly;

pub use ask::deployment::Namespace;
pub use ask::kind::Kind;
pub use assembly::Assembly;

/// The Maven property that names the folder in `apps/launchers` with the class that starts a server.
pub(crate) const LAUNCHER: &str = "launcher";

/// The words before a checksum in the origin of a release.
pub(crate) const SHA512: &str = "SHA-512 ";

/// Every server that an arm can name, and what is known about its versions.
#[derive(Clone, Debug)]
pub struct Catalog {
    servers: &'static [CatalogFile],
}

/// One version of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// The server's name in experiment files: `tomcat`.
    pub server: String,
    /// The version: `10.1.29`.
    pub version: String,
    /// The kind of server, which decides how it is started and how its settings are read.
    pub kind: Kind,
    /// The Servlet API that it offers; `None` where it has no servlets.
    pub namespace: Option<Namespace>,
    /// What the release can do, and the lowest Java that it runs on.
    pub ability: Ability,
    /// The lowest versions of tcnative that it accepts, one for each major version; empty where it cannot use tcnative.
    pub tcnative: Vec<String>,
    /// The modules of its distribution, by what prony needs them for.
    pub modules: BTreeMap<String, String>,
    /// Where the release comes from.
    pub source: Source,
}

/// Where a release comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A Maven repository holds its distribution.
    Archive(Archive),
    /// No archive of it is published: prony assembles it from jars.
    Assembled(Assembly),
    /// Maven builds it into the executable jar of the application.
    Built(Build),
    /// It is part of the user's own jar; with the Spring Boot in that jar, where there is one.
    OwnJar(Option<Boot>),
}

/// A file of a Maven repository.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Archive {
    /// Maven coordinates: `org.apache.tomcat:tomcat:10.1.29:tar.gz`.
    pub artifact: String,
    /// The checksum that it must have; `None` where none is written anywhere. Maven compares the file with the repository's
    /// own checksum in any case.
    #[serde(default)]
    pub sha512: Option<Checksum>,
}

/// The SHA-512 of a file, and where it is written.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct Checksum {
    /// The SHA-512 in lower-case hexadecimal digits.
    pub hex: String,
    /// Where it is written.
    pub written: ChecksumSource,
}

impl From<String> for Checksum {
    /// A checksum of the catalog.
    fn from(hex: String) -> Self {
        Self { hex, written: ChecksumSource::Catalog }
    }
}

/// How Maven builds an application together with a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// Profiles of `apps/pom.xml`.
    pub profiles: Vec<String>,
    /// Maven properties; one of them is the version of the server.
    pub properties: BTreeMap<String, String>,
    /// Maven properties for virtual threads, where the build decides about them.
    pub virtual_threads: BTreeMap<String, String>,
    /// Further profiles for HTTP/2.
    pub http2: Vec<String>,
    /// Whether the result is a folder and not a jar.
    pub folder: bool,
}

impl Catalog {
    /// The catalog that is embedded in the program.
    ///
    /// # Panics
    /// Panics when a file of the catalog is wrong; the tests of this crate would find that first.
    pub fn embedded() -> Self {
        Self { servers: catalog::servers() }
    }

    /// The names of all servers.
    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.servers.iter().map(|server| server.name.as_str())
    }

    /// The name of a server in prose: `Apache Tomcat`.
    pub fn title(&self, server: &str) -> Option<&str> {
        self.server(server).map(|known| known.title.as_str())
    }

    /// The versions of a server that prony's own tests start, oldest first; empty for an unknown server.
    pub fn tested(&self, server: &str) -> &[String] {
        self.server(server).map_or(&[], |known| &known.tested)
    }

    /// What is known about the versions of a server.
    pub fn rules(&self, server: &str) -> Option<&VersionRules> {
        self.server(server).map(|known| &known.releases)
    }

    /// The artifact that has the same versions as a server: `org.apache.tomcat:tomcat`.
    pub fn artifact(&self, server: &str) -> Option<&str> {
        self.server(server).map(|known| known.source.artifact())
    }

    /// All servers with their tested versions, as plain data for `model`.
    pub fn known(&self) -> Vec<(String, Vec<String>)> {
        let known = |server: &CatalogFile| (server.name.clone(), server.tested.clone());
        self.servers.iter().map(known).collect()
    }

    /// All servers with their kinds.
    pub fn kinds(&self) -> Vec<(String, Kind)> {
        let kind = |server: &CatalogFile| Some((server.name.clone(), Kind::named(&server.name)?));
        self.servers.iter().filter_map(kind).collect()
    }

    /// All servers with what is known about their versions, as plain data for `model`.
    pub fn all_rules(&self) -> Vec<(String, VersionRules)> {
        let rules = |server: &CatalogFile| (server.name.clone(), server.releases.clone());
        self.servers.iter().map(rules).collect()
    }

    /// The release of this server and version; whether it exists shows when it is fetched. The error suggests the nearest name.
    pub fn release(&self, server: &str, version: &str) -> Result<Release, Error> {
        let known = self.server(server);
        let found = known.filter(|known| known.releases.supports(version));
        found.and_then(|known| release_of(known, version)).ok_or_else(|| Error::Unknown {
            asked: format!("{server}:{version}"),
            nearest: match nearest(server, self.servers()) {
                Some(near) if near != server => Some(near.to_owned()),
                _ => {
                    let tested = self.tested(server).iter().map(String::as_str);
                    nearest(version, tested).map(|near| format!("{server}:{near}"))
                }
            },
        })
    }

    /// The release with this short name: `tomcat:10.1.29`.
    pub fn lookup(&self, spec: &str) -> Result<Release, Error> {
        let (server, version) = spec.split_once(':').unwrap_or((spec, ""));
        self.release(server, version)
    }

    fn server(&self, name: &str) -> Option<&'static CatalogFile> {
        self.servers.iter().find(|known| known.name == name)
    }
}

/// The release of a version of a server; `None` where its kind is unknown.
fn release_of(server: &CatalogFile, version: &str) -> Option<Release> {
    let rules = &server.releases;
    let holding = || rules.holding(version);
    let modules = holding().flat_map(|rule| rule.modules.clone());
    let tcnative = holding().map(|rule| &rule.tcnative);
    Some(Release {
        server: server.name.clone(),
        version: version.to_owned(),
        kind: Kind::named(&server.name)?,
        namespace: holding().filter_map(|rule| rule.namespace).last(),
        ability: rules.ability(version),
        tcnative: tcnative.filter(|needed| !needed.is_empty()).last().cloned().unwrap_or_default(),
        modules: modules.collect(),
        source: source(server, version),
    })
}

fn source(server: &CatalogFile, version: &str) -> Source {
    if server.assembled.iter().any(|assembled| assembled == version) {
        return Source::Assembled(assembly(server, version));
    }
    match &server.source {
        FileSource::Archive(artifact) => {
            let sha512 = server.sha512.get(version).cloned();
            Source::Archive(Archive {
                artifact: artifact.replace("{version}", version),
                sha512: sha512.map(Checksum::from),
            })
        }
        FileSource::Build(build) => Source::Built(Build {
            profiles: build.profiles.clone(),
            properties: properties(server, build, version),
            virtual_threads: build.virtual_threads.clone(),
            http2: build.http2.clone(),
            folder: build.folder,
        }),
    }
}

/// The Maven properties of a build: the properties of the version, and the properties that name a launcher and its
/// artifact.
fn properties(server: &CatalogFile, build: &BuildSource, version: &str) -> BTreeMap<String, String> {
    let own = server.releases.holding(version).flat_map(|rule| &rule.properties);
    let mut properties: BTreeMap<_, _> = own.map(|(name, value)| (name.clone(), value.clone())).collect();
    properties.insert(build.version.clone(), version.to_owned());
    if let Some(class) = &build.launcher {
        let (group, artifact) = build.artifact.split_once(':').unwrap_or_default();
        for (name, value) in [
            (LAUNCHER, server.name.as_str()),
            ("launcher.class", class),
            ("server.group", group),
            ("server.artifact", artifact),
        ] {
            properties.insert(name.to_owned(), value.to_owned());
        }
    }
    properties
}

/// How a version is assembled.
///
/// # Panics
/// Panics when its recipe is wrong; the tests of this crate would find that first.
fn assembly(server: &CatalogFile, version: &str) -> Assembly {
    let path = format!("{}/{version}.toml", server.name);
    let recipe: Recipe =
        toml::from_str(template(&path)).unwrap_or_else(|error| panic!("catalog/{path}: {error}"));
    recipe.for_version(version)
}

impl Release {
    /// `tomcat:10.1.29`.
    pub fn spec(&self) -> String {
        format!("{}:{}", self.server, self.version)
    }

    /// What identifies the release beyond its name: a checksum, or how it is built.
    pub fn origin(&self) -> String {
        match &self.source {
            Source::Archive(archive) => archive
                .sha512
                .as_ref()
                .map_or_else(|| archive.artifact.clone(), |checksum| format!("{SHA512}{}", checksum.hex)),
            Source::Assembled(assembly) => assembly.label(),
            Source::Built(_) => "built by Maven".to_owned(),
            Source::OwnJar(Some(boot)) => format!("a jar of your own with Spring Boot {}", boot.version),
            Source::OwnJar(None) => "a jar of your own".to_owned(),
        }
    }

    /// The jars of an assembled release: path in its tree, and checksum. Empty for any other release.
    pub fn parts(&self) -> Vec<(String, String)> {
        let Source::Assembled(assembly) = &self.source else {
            return Vec::new();
        };
        let part = |(place, jar): (&String, &Archive)| {
            let checksum = jar.sha512.as_ref()?;
            Some((place.clone(), format!("{SHA512}{}", checksum.hex)))
        };
        assembly.jars.iter().filter_map(part).collect()
    }

    /// The name of its folder in the cache: `tomcat-10.1.29`.
    pub(crate) fn slug(&self) -> String {
        format!("{}-{}", self.server, self.version)
    }
}

/// The services that an experiment can name without describing them, from `catalog/services`.
///
/// # Panics
/// Panics when a file of the catalog is wrong; the tests of this crate would find that first.
pub fn services() -> Vec<Service> {
    let files = FILES.get_dir("services").map(Dir::files).into_iter().flatten();
    files
        .map(|file| {
            let text = file.contents_utf8().unwrap_or_default();
            toml::from_str(text).unwrap_or_else(|error| panic!("catalog/{}: {error}", file.path().display()))
        })
        .collect()
}

/// The text of a configuration template, or of another file of the catalog.
///
/// # Panics
/// Panics when there is no such file; names are constants, and a test renders each of them.
pub(crate) fn template(path: &str) -> &'static str {
    FILES
        .get_file(path)
        .and_then(|file| file.contents_utf8())
        .unwrap_or_else(|| panic!("catalog/{path} is missing"))
}

#[cfg(test)]
#[path = "catalog/tests.rs"]
mod tests;
