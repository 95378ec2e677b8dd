//! [`Catalog`]: which servers exist. This is data in `catalog/*.toml`, embedded; a new version is a line there and no
//! code.

use crate::error::Error;
use assembly::Recipe;
use include_dir::{Dir, include_dir};
use model::ability::Ability;
use model::diagnostic::nearest;
use model::jar::Boot;
use model::service::Service;
use serde::Deserialize;
use since::Since;
use std::collections::BTreeMap;

mod assembly;
mod since;

pub use assembly::Assembly;
pub use model::deployment::Namespace;
pub use model::kind::Kind;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../catalog");

/// Every server and version that an arm can name.
#[derive(Clone, Debug)]
pub struct Catalog {
    servers: Vec<CatalogServer>,
}

/// One server of the catalog.
#[derive(Clone, Debug)]
struct CatalogServer {
    name: String,
    title: String,
    releases: Vec<Release>,
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
    /// SHA-512 in lower-case hexadecimal digits.
    pub sha512: String,
}

/// How Maven builds an application together with a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// Profiles of `apps/pom.xml`.
    pub profiles: Vec<String>,
    /// Maven properties; one of them is the version of the server.
    pub properties: BTreeMap<String, String>,
    /// Whether the result is a folder and not a jar.
    pub folder: bool,
}

/// A file of the catalog: one server.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogFile {
    name: String,
    title: String,
    kind: Kind,
    source: FileSource,
    series: BTreeMap<String, ReleaseSeries>,
}

/// Where all releases of a catalog file come from.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FileSource {
    /// Maven coordinates of an archive, with `{version}` in them.
    Archive(String),
    /// Profiles of `apps/pom.xml`, the name of the property that holds the version, and whether the result is a folder.
    Build {
        profiles: Vec<String>,
        version: String,
        #[serde(default)]
        folder: bool,
    },
}

/// Versions that differ in nothing but their files.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReleaseSeries {
    /// The file leaves it out for a server without servlets.
    namespace: Option<Namespace>,
    java: u32,
    /// The file leaves it out where there is nothing to choose.
    #[serde(default)]
    since: Since,
    /// The lowest accepted versions of tcnative (one for each major version), by the first release that needs them.
    #[serde(default)]
    tcnative: BTreeMap<String, Vec<String>>,
    /// Versions that are assembled by the recipe in the file `SERVER/VERSION.toml`.
    #[serde(default)]
    assembled: Vec<String>,
    /// Versions that are published as archives, each with its SHA-512.
    #[serde(default)]
    sha512: BTreeMap<String, String>,
    /// Versions that Maven builds.
    #[serde(default)]
    versions: Vec<String>,
    /// Further Maven properties of such a build.
    #[serde(default)]
    properties: BTreeMap<String, String>,
}

impl Catalog {
    /// The catalog that is embedded in the program.
    ///
    /// # Panics
    /// Panics when a file of the catalog is wrong; the tests of this crate would find that first.
    pub fn embedded() -> Self {
        let files = FILES
            .files()
            .filter(|file| file.path().extension().is_some_and(|end| end == "toml"));
        let read = |file: &include_dir::File<'_>| {
            let text = file.contents_utf8().unwrap_or_default();
            CatalogServer::parse(text)
                .unwrap_or_else(|error| panic!("catalog/{}: {error}", file.path().display()))
        };
        Self {
            servers: files.map(read).collect(),
        }
    }

    /// The names of all servers.
    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.servers.iter().map(|server| server.name.as_str())
    }

    /// The name of a server in prose: `Apache Tomcat`.
    pub fn title(&self, server: &str) -> Option<&str> {
        self.servers
            .iter()
            .find(|known| known.name == server)
            .map(|known| known.title.as_str())
    }

    /// The releases of a server, oldest first; empty for an unknown one.
    pub fn releases(&self, server: &str) -> &[Release] {
        self.servers
            .iter()
            .find(|known| known.name == server)
            .map_or(&[], |known| &known.releases)
    }

    /// The versions of a server, oldest first.
    pub fn versions(&self, server: &str) -> impl Iterator<Item = &str> {
        self.releases(server)
            .iter()
            .map(|release| release.version.as_str())
    }

    /// All servers with their versions, as plain data for `model`.
    pub fn known(&self) -> Vec<(String, Vec<String>)> {
        self.servers()
            .map(|server| {
                (
                    server.to_owned(),
                    self.versions(server).map(str::to_owned).collect(),
                )
            })
            .collect()
    }

    /// All servers with their kinds.
    pub fn kinds(&self) -> Vec<(String, Kind)> {
        let kind = |server: &CatalogServer| Some((server.name.clone(), server.releases.first()?.kind));
        self.servers.iter().filter_map(kind).collect()
    }

    /// What each release (server and version) can do, as plain data for `model`.
    pub fn abilities(&self) -> Vec<((String, String), Ability)> {
        let releases = self.servers.iter().flat_map(|server| &server.releases);
        releases
            .map(|release| {
                (
                    (release.server.clone(), release.version.clone()),
                    release.ability.clone(),
                )
            })
            .collect()
    }

    /// The release of this server and version. The error suggests the nearest name.
    pub fn release(&self, server: &str, version: &str) -> Result<&Release, Error> {
        let releases = self.releases(server);
        let found = releases.iter().find(|release| release.version == version);
        found.ok_or_else(|| Error::Unknown {
            asked: format!("{server}:{version}"),
            nearest: match nearest(server, self.servers()) {
                Some(near) if near != server => Some(near.to_owned()),
                _ => nearest(version, self.versions(server)).map(|near| format!("{server}:{near}")),
            },
        })
    }

    /// The release with this short name: `tomcat:10.1.29`.
    pub fn lookup(&self, spec: &str) -> Result<&Release, Error> {
        let (server, version) = spec.split_once(':').unwrap_or((spec, ""));
        self.release(server, version)
    }
}

impl CatalogServer {
    fn parse(text: &str) -> Result<Self, String> {
        let file: CatalogFile = toml::from_str(text).map_err(|error| error.to_string())?;
        if let Some(name) = file.series.values().find_map(|series| series.since.unknown()) {
            return Err(format!("`{name}` is nothing that a server can do"));
        }
        let mut releases = Vec::new();
        for series in file.series.values() {
            releases.extend(series.releases(&file));
            releases.extend(series.assembled(&file)?);
        }
        releases.sort_by_key(|release| numbers(&release.version));
        Ok(Self {
            name: file.name,
            title: file.title,
            releases,
        })
    }
}

impl ReleaseSeries {
    fn releases(&self, file: &CatalogFile) -> Vec<Release> {
        let release = |version: &String, source| self.release(file, version, source);
        match &file.source {
            FileSource::Archive(artifact) => {
                let archive = |(version, sha512): (&String, &String)| {
                    let archive = Archive {
                        artifact: artifact.replace("{version}", version),
                        sha512: sha512.clone(),
                    };
                    release(version, Source::Archive(archive))
                };
                self.sha512.iter().map(archive).collect()
            }
            FileSource::Build {
                profiles,
                version: key,
                folder,
            } => {
                let build = |version: &String| {
                    let mut properties = self.properties.clone();
                    properties.insert(key.clone(), version.clone());
                    let build = Build {
                        profiles: profiles.clone(),
                        properties,
                        folder: *folder,
                    };
                    release(version, Source::Built(build))
                };
                self.versions.iter().map(build).collect()
            }
        }
    }
}

impl ReleaseSeries {
    /// The releases that are assembled because no archive of them is published.
    fn assembled(&self, file: &CatalogFile) -> Result<Vec<Release>, String> {
        let read = |version: &String| {
            let text = template(&format!("{}/{version}.toml", file.name));
            let recipe: Recipe = toml::from_str(text).map_err(|error| format!("{version}.toml: {error}"))?;
            let assembly = recipe.for_version(version);
            let lacks = assembly.lacks.clone();
            let mut release = self.release(file, version, Source::Assembled(assembly));
            release.ability = release.ability.without(&lacks);
            Ok(release)
        };
        self.assembled.iter().map(read).collect()
    }

    fn release(&self, file: &CatalogFile, version: &str, source: Source) -> Release {
        let deploys = self.namespace.filter(|_| !matches!(source, Source::Built(_)));
        Release {
            server: file.name.clone(),
            version: version.to_owned(),
            kind: file.kind,
            namespace: self.namespace,
            ability: self.since.ability(version, self.java, deploys),
            tcnative: self.tcnative(version),
            source,
        }
    }

    fn tcnative(&self, version: &str) -> Vec<String> {
        let reached = self
            .tcnative
            .iter()
            .filter(|(first, _)| numbers(first) <= numbers(version));
        let last = reached.max_by_key(|(first, _)| numbers(first));
        last.map(|(_, lowest)| lowest.clone()).unwrap_or_default()
    }
}

impl Release {
    /// `tomcat:10.1.29`.
    pub fn spec(&self) -> String {
        format!("{}:{}", self.server, self.version)
    }

    /// What identifies the release beyond its name: a checksum, or how it is built.
    pub fn origin(&self) -> String {
        match &self.source {
            Source::Archive(archive) => format!("SHA-512 {}", archive.sha512),
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
        let part = |(place, jar): (&String, &Archive)| (place.clone(), format!("SHA-512 {}", jar.sha512));
        assembly.jars.iter().map(part).collect()
    }

    /// The name of its folder in the cache: `tomcat-10.1.29`.
    pub(crate) fn slug(&self) -> String {
        format!("{}-{}", self.server, self.version)
    }
}

/// The numbers in a version, for ordering: 9.0.117 comes after 9.0.95.
fn numbers(version: &str) -> Vec<u32> {
    version
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|part| part.parse().ok())
        .collect()
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
mod tests {
    use super::*;
    use model::arm::{Connector, TlsStack};

    #[test]
    fn every_release_has_a_checksum_and_coordinates() {
        let catalog = Catalog::embedded();
        assert!(catalog.servers().any(|server| server == "tomcat"));
        for server in catalog.servers() {
            assert!(catalog.title(server).is_some());
            for release in catalog.releases(server) {
                assert!((7..=25).contains(&release.ability.java));
                let runs_servlets = release.kind.facts().runs_servlets;
                assert_eq!(release.namespace.is_some(), runs_servlets, "{}", release.spec());
                match &release.source {
                    Source::Archive(archive) => check_archive(release, archive),
                    Source::Assembled(assembly) => check_assembly(release, assembly),
                    Source::Built(build) => {
                        assert!(build.properties.values().any(|value| *value == release.version));
                    }
                    Source::OwnJar(_) => panic!("{} cannot be a jar of the user", release.spec()),
                }
            }
        }
    }

    fn check_archive(release: &Release, archive: &Archive) {
        let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        assert!(
            archive.sha512.bytes().all(hex) && archive.sha512.len() == 128,
            "{}",
            release.spec()
        );
        assert!(
            archive.artifact.contains(&format!(":{}:", release.version)),
            "{}",
            archive.artifact
        );
    }

    /// Checks that the donor is an archive and a lower version, and that every jar has a checksum.
    fn check_assembly(release: &Release, assembly: &Assembly) {
        let donor = Catalog::embedded()
            .release(&release.server, &assembly.donor)
            .cloned();
        assert!(
            donor.is_ok_and(|donor| matches!(donor.source, Source::Archive(_))),
            "{}",
            release.spec()
        );
        assert!(numbers(&assembly.donor) < numbers(&release.version));
        assert!(assembly.jars.len() > 10);
        for archive in assembly.jars.values() {
            check_archive(release, archive);
        }
    }

    #[test]
    fn versions_are_in_the_order_of_their_numbers() {
        let catalog = Catalog::embedded();
        let versions: Vec<&str> = catalog.versions("tomcat").collect();
        let place = |version| {
            versions
                .iter()
                .position(|known| *known == version)
                .expect("in the catalog")
        };
        assert!(place("8.5.100") < place("9.0.12"));
        assert!(place("9.0.98") < place("9.0.117"));
        assert!(place("9.0.117") < place("10.1.29"));
    }

    #[test]
    fn a_release_is_found_by_its_short_name() {
        let catalog = Catalog::embedded();
        let release = catalog.lookup("tomcat:10.1.29").expect("known");
        assert_eq!(release.namespace, Some(Namespace::Jakarta));
        assert_eq!(release.ability.java, 11);
        let Source::Archive(archive) = &release.source else {
            panic!("an archive")
        };
        assert_eq!(archive.artifact, "org.apache.tomcat:tomcat:10.1.29:tar.gz");
        assert_eq!(
            catalog.lookup("tomcat:9.0.95").expect("known").namespace,
            Some(Namespace::Javax)
        );
    }

    #[test]
    fn every_service_can_be_told_where_to_listen() {
        let services = services();
        assert!(services.iter().any(|service| service.name == "memcached"));
        for service in services {
            let names = |what: &str| service.command.iter().any(|word| word.contains(what));
            assert!(names("{port}") && names("{host}"), "{}", service.name);
            assert!(service.package.is_some(), "{}", service.name);
        }
    }

    #[test]
    fn what_a_release_can_do_begins_with_a_version() {
        let catalog = Catalog::embedded();
        let ability = |spec| &catalog.lookup(spec).expect("known").ability;
        assert!(ability("tomcat:9.0.12").connectors.contains(&Connector::Apr));
        assert!(!ability("tomcat:10.1.29").connectors.contains(&Connector::Apr));
        assert!(!ability("tomcat:9.0.12").virtual_threads);
        assert!(ability("tomcat:9.0.95").virtual_threads);
        assert!(!ability("tomcat:8.5.100").tls.contains(&TlsStack::OpenSslFfm));
        assert!(ability("tomcat:11.0.24").tls.contains(&TlsStack::OpenSslFfm));
    }

    #[test]
    fn an_unknown_release_names_the_nearest() {
        let catalog = Catalog::embedded();
        let hint = |spec| catalog.lookup(spec).expect_err("unknown").hint();
        assert_eq!(
            hint("tomcat:10.1.28").as_deref(),
            Some("did you mean tomcat:10.1.29?")
        );
        assert_eq!(hint("tomkat:10.1.29").as_deref(), Some("did you mean tomcat?"));
        assert!(hint("nginx:1").is_some_and(|hint| hint.contains("prony catalog")));
    }
}
