//! [`App`]: an application under test, built from `apps/` on first use.
//!
//! The file `answers.txt` of an application holds its answers. The application serves them from it, and the readiness
//! check and the load's body check read the same file.

use crate::error::{Error, FileAct, MavenTask};
use crate::files::catalog::{LAUNCHER, Namespace, Release, Source};
use crate::files::lock::Lock;
use crate::files::work::WorkFolder;
use crate::tools::site::{Job, Site};
use ask::arm::{HttpVersion, Threads};
use ask::pattern;
use include_dir::{Dir, DirEntry, include_dir};
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The first Java with virtual threads.
const VIRTUAL_THREADS_JAVA: u32 = 21;

/// The Java that compiles a WAR: the applications themselves are written for Java 8.
const ANY_JAVA: u32 = 8;

/// The application that is used when none is named. It needs no side service.
const DEFAULT: &str = "hello";

static SOURCES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../apps");

/// An application under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    /// The name of the application and of its module in `apps/`.
    pub name: String,
    /// Its answers, the default first; never empty.
    pub answers: Vec<AppAnswer>,
}

/// The answer of an application to one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppAnswer {
    /// The path of the request, which may have `{name}` placeholders.
    pub path: String,
    /// Content-Type of the answer.
    pub content_type: String,
    /// The exact body.
    pub body: Vec<u8>,
}

/// How Maven packages an application: as a WAR, an executable jar, a folder with such a jar and its libraries, or a native program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packaging {
    /// The name among the packagings of the application: `javax`.
    pub label: String,
    /// The extension of the file, with its dot; empty for a folder and for a native program.
    extension: &'static str,
    /// The lowest Java that compiles it.
    java: u32,
    /// The arguments for Maven besides `package`.
    arguments: Vec<String>,
}

impl AppAnswer {
    /// The answer to this path with placeholders filled in; `None` if the path does not match.
    fn to(&self, path: &str) -> Option<Self> {
        let values = pattern::values(&self.path, path)?;
        let mut body = self.body.clone();
        for (name, value) in values {
            let text = String::from_utf8_lossy(&body);
            body = text.replace(&format!("{{{name}}}"), value).into_bytes();
        }
        Some(Self { path: path.to_owned(), content_type: self.content_type.clone(), body })
    }
}

impl Packaging {
    /// A WAR for this Servlet API.
    pub fn war(namespace: Namespace) -> Self {
        Self {
            label: namespace.id().to_owned(),
            extension: ".war",
            java: ANY_JAVA,
            arguments: vec![format!("-P{},war", namespace.id())],
        }
    }

    /// What this release serves: a WAR, or an executable jar with the server in it.
    pub fn for_release(release: &Release) -> Self {
        let Source::Built(build) = &release.source else {
            return Self::war(release.namespace.unwrap_or(Namespace::Jakarta));
        };
        let namespace = release.namespace.map(Namespace::id);
        let profiles = namespace.into_iter().chain(build.profiles.iter().map(String::as_str));
        let mut arguments = vec![format!("-P{}", profiles.collect::<Vec<_>>().join(","))];
        let properties = build.properties.iter();
        arguments.extend(properties.map(|(name, value)| format!("-D{name}={value}")));
        Self {
            label: release.slug(),
            extension: if build.folder { "" } else { ".jar" },
            java: release.ability.java,
            arguments,
        }
    }

    /// The same with these threads, where they are chosen when the application is built.
    #[must_use]
    pub fn with_threads(mut self, release: &Release, threads: Option<Threads>) -> Self {
        let given = match &release.source {
            Source::Built(build) if threads == Some(Threads::Virtual) => &build.virtual_threads,
            _ => return self,
        };
        if !given.is_empty() {
            self.label.push_str("-virtual");
            self.java = self.java.max(VIRTUAL_THREADS_JAVA);
        }
        for (name, value) in given {
            let option = format!("-D{name}=");
            self.arguments.retain(|argument| !argument.starts_with(&option));
            self.arguments.push(option + value);
        }
        self
    }

    /// Adds the library that the server needs for HTTP/2, if the load speaks that.
    #[must_use]
    pub fn with_http(mut self, release: &Release, http: Option<HttpVersion>) -> Self {
        let profiles = match &release.source {
            Source::Built(build) if http == Some(HttpVersion::Two) => build.http2.as_slice(),
            _ => &[],
        };
        if !profiles.is_empty() {
            self.label.push_str("-http2");
            self.arguments[0] = format!("{},{}", self.arguments[0], profiles.join(","));
        }
        self
    }

    /// The names of the folders with launchers: the names of the Maven profiles, and the folder that a property names.
    /// Each launcher is compiled only where it is needed.
    fn launchers(&self) -> impl Iterator<Item = &str> {
        let profiles = self.arguments.first().and_then(|first| first.strip_prefix("-P"));
        let option = format!("-D{LAUNCHER}=");
        let property =
            self.arguments.iter().filter_map(move |argument| argument.strip_prefix(option.as_str()));
        profiles.unwrap_or_default().split(',').chain(property)
    }

    /// A native program, compiled by this native-image; `None` for a release that Maven does not build into the
    /// application.
    pub(crate) fn native(release: &Release, compiler: &Path, virtual_threads: bool) -> Option<Self> {
        let Source::Built(_) = &release.source else {
            return None;
        };
        let mut package = Self::for_release(release);
        package.label.push_str("-native");
        if virtual_threads {
            package.label.push_str("-virtual");
            let option = "-Dspring-boot.aot.jvmArguments=-Dspring.threads.virtual.enabled=true";
            package.arguments.push(option.to_owned());
        }
        package.extension = "";
        package.arguments[0].push_str(",native");
        // Maven does not read this. It is part of the cache key: another compiler makes another program.
        package.arguments.push(format!("-Dprony.compiler={}", compiler.display()));
        Some(package)
    }
}

impl App {
    /// All applications, the default one first.
    pub fn all() -> Vec<Self> {
        let mut apps: Vec<Self> = SOURCES.dirs().filter_map(Self::read).collect();
        apps.sort_by_key(|app| app.name != DEFAULT);
        apps
    }

    /// The names of the applications that have routes, so that servers without servlets run them, too.
    pub fn routed() -> Vec<String> {
        let has_routes = |app: &Self| SOURCES.get_dir(format!("{}/src/main/routes", app.name)).is_some();
        let routed = Self::all().into_iter().filter(has_routes);
        routed.map(|app| app.name).collect()
    }

    /// The names of the applications that take a library from the server into which they are deployed. A server in an executable jar provides
    /// none, so that it cannot run them.
    pub fn deployed() -> Vec<String> {
        let pom = |app: &Self| SOURCES.get_file(format!("{}/pom.xml", app.name))?.contents_utf8();
        let takes = |app: &Self| pom(app).is_some_and(|pom| pom.contains("<scope>provided</scope>"));
        Self::all().into_iter().filter(takes).map(|app| app.name).collect()
    }

    /// The application with this name.
    pub fn find(name: &str) -> Result<Self, Error> {
        let mut apps = Self::all();
        match apps.iter().position(|app| app.name == name) {
            Some(index) => Ok(apps.swap_remove(index)),
            None => Err(Error::UnknownApp {
                asked: name.to_owned(),
                known: apps.into_iter().map(|app| app.name).collect(),
            }),
        }
    }

    /// All applications with the paths that they answer, the default first, as plain data for `model`.
    pub fn known() -> Vec<(String, Vec<String>)> {
        let paths = |app: &Self| app.answers.iter().map(|answer| answer.path.clone()).collect();
        Self::all().into_iter().map(|app| (app.name.clone(), paths(&app))).collect()
    }

    /// The answer to the default path.
    pub fn default_answer(&self) -> &AppAnswer {
        &self.answers[0]
    }

    /// The answer to a path, or that to the default path where the application has none for it.
    pub fn answer_or_default(&self, path: &str) -> AppAnswer {
        self.answer(path).unwrap_or_else(|| self.default_answer().clone())
    }

    /// The answer to a path. A `{name}` in the path of an answer matches any value, and its body repeats that value.
    pub fn answer(&self, path: &str) -> Option<AppAnswer> {
        self.answers.iter().find_map(|answer| answer.to(path))
    }

    /// The file of this packaging, if it has been built already.
    pub fn built(&self, package: &Packaging, site: &Site) -> Option<PathBuf> {
        let path = self.path_of(package, site);
        path.exists().then_some(path)
    }

    /// The file of this packaging; Maven builds it on first use.
    pub fn build(&self, package: &Packaging, site: &Site, stop: &AtomicBool) -> Result<PathBuf, Error> {
        if let Some(path) = self.built(package, site) {
            return Ok(path);
        }
        let path = self.path_of(package, site);
        let _alone = Lock::wait(&site.lock(&format!("{}-{}", self.name, package.label)), stop)?;
        if let Some(path) = self.built(package, site) {
            return Ok(path); // Another prony has built it in the meantime.
        }
        let work = WorkFolder::create(&site.cache, 0)?;
        let sources = work.folder("apps")?;
        self.copy_sources(package, &sources)?;
        let pom = sources.join(&self.name).join("pom.xml");
        let task = MavenTask::Build { application: self.name.clone(), packaging: package.label.clone() };
        let mut arguments = vec![OsStr::new("-f"), pom.as_os_str(), OsStr::new("package")];
        arguments.extend(package.arguments.iter().map(OsStr::new));
        let job = Job { site, work: &work, stop };
        site.maven.for_java(package.java)?.run(task, &arguments, &job)?;
        let target = sources.join(&self.name).join("target");
        keep(&target.join(format!("{}{}", self.name, package.extension)), &path)?;
        Ok(path)
    }

    fn read(dir: &Dir<'_>) -> Option<Self> {
        let name = dir.path().to_str()?.to_owned();
        let listed = dir.get_file(dir.path().join("src/main/resources/answers.txt"));
        let mut answers = listed.and_then(|file| file.contents_utf8()).map(parse_answers).unwrap_or_default();
        let pages = dir.get_dir(dir.path().join("src/main/webapp"));
        answers.extend(pages.into_iter().flat_map(Dir::files).filter_map(page));
        (!answers.is_empty()).then_some(Self { name, answers })
    }

    /// The source files that this packaging is built from, with the pom of the parent, in the order of their paths. A
    /// `target` folder from a developer's build is no source.
    fn sources(&self, package: &Packaging) -> Vec<(&'static Path, &'static [u8])> {
        let mut files = Vec::new();
        if let Some(pom) = SOURCES.get_file("pom.xml") {
            files.push((pom.path(), pom.contents()));
        }
        let launchers = package.launchers().map(|name| format!("launchers/{name}"));
        let folders = [self.name.clone(), "shared".to_owned()].into_iter().chain(launchers);
        for dir in folders.filter_map(|folder| SOURCES.get_dir(folder)) {
            collect(dir, &mut files);
        }
        files.sort_unstable_by_key(|(path, _)| *path);
        files
    }

    /// The path in the cache, whose name has a hash of everything that determines the build: sources and Maven's
    /// arguments.
    fn path_of(&self, package: &Packaging, site: &Site) -> PathBuf {
        let mut hash = Sha256::new();
        // Hash the lengths too: else moving bytes from one part to the next would not change the hash.
        let mut add = |part: &[u8]| {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        };
        for (path, contents) in self.sources(package) {
            add(path.as_os_str().as_encoded_bytes());
            add(contents);
        }
        for argument in &package.arguments {
            add(argument.as_bytes());
        }
        let hash = crate::tools::fetch::hex(&hash.finalize()[..6]);
        let name = format!("{}-{hash}-{}{}", self.name, package.label, package.extension);
        site.cache.join("apps").join(name)
    }

    fn copy_sources(&self, package: &Packaging, folder: &Path) -> Result<(), Error> {
        for (path, contents) in self.sources(package) {
            let path = folder.join(path);
            let made = path.parent().map_or(Ok(()), fs::create_dir_all);
            made.and_then(|()| fs::write(&path, contents))
                .map_err(|error| Error::io(FileAct::Write, &path, error))?;
        }
        Ok(())
    }
}

/// Moves a finished file or folder into the cache by one rename, after its bytes are on the disk.
fn keep(fresh: &Path, kept: &Path) -> Result<(), Error> {
    let made = kept.parent().map_or(Ok(()), fs::create_dir_all);
    let synced = made.and_then(|()| sync(fresh));
    synced.and_then(|()| fs::rename(fresh, kept)).map_err(|error| Error::io(FileAct::Keep, kept, error))
}

/// Waits until a file, or everything in a folder, is on the disk.
fn sync(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            sync(&entry?.path())?;
        }
    }
    File::open(path)?.sync_all()
}

fn collect(dir: &'static Dir<'static>, files: &mut Vec<(&'static Path, &'static [u8])>) {
    for entry in dir.entries() {
        match entry {
            DirEntry::File(file) => files.push((file.path(), file.contents())),
            DirEntry::Dir(dir) if dir.path().file_name().is_some_and(|name| name == "target") => {}
            DirEntry::Dir(dir) => collect(dir, files),
        }
    }
}

/// The answer to the path of a static file, which the server serves unchanged.
fn page(file: &include_dir::File<'_>) -> Option<AppAnswer> {
    Some(AppAnswer {
        path: format!("/{}", file.path().file_name()?.to_str()?),
        content_type: "text/html".to_owned(),
        body: file.contents().to_vec(),
    })
}

/// Parses lines of `PATH TYPE BODY`; `#` begins a comment. The application reads the file by the same rules.
fn parse_answers(text: &str) -> Vec<AppAnswer> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let parse = |line: &str| {
        let mut fields = line.splitn(3, ' ').map(str::to_owned);
        let (path, content_type, body) = (fields.next()?, fields.next()?, fields.next()?.into_bytes());
        Some(AppAnswer { path, content_type, body })
    };
    lines.filter_map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hello_answers_json_first() {
        let app = App::find("hello").expect("known");
        let answer = app.default_answer();
        assert_eq!(answer.path, "/json");
        assert_eq!(answer.content_type, "application/json");
        assert_eq!(answer.body, br#"{"message":"Hello, World!"}"#);
        assert_eq!(app.answer("/hello").expect("answered").body, b"Hello, World!");
        assert!(app.answer("/other").is_none());
        let routed = App::routed();
        assert_eq!(routed, ["hello", "json", "page", "pay"], "the default one is among them");
        assert!(App::known().contains(&("hello".to_owned(), vec!["/json".to_owned(), "/hello".to_owned()])));
    }

    #[test]
    fn values_in_the_path_are_repeated_in_the_answer() {
        let app = App::find("pay").expect("known");
        assert_eq!(app.default_answer().body, b"Order 1 paid via card");
        let answer = app.answer("/pay?orderId=7&millis=20").expect("answered");
        assert_eq!(answer.body, b"Order 7 paid via card");
        assert_eq!(answer.path, "/pay?orderId=7&millis=20");
        assert!(app.answer("/pay").is_none());
    }

    #[test]
    fn a_page_is_answered_unchanged() {
        let app = App::find("page").expect("known");
        let answer = app.default_answer();
        assert_eq!(answer.path, "/index.html");
        assert!(answer.body.starts_with(b"<!DOCTYPE html>") && (11_000..12_000).contains(&answer.body.len()));
    }

    #[test]
    fn every_module_is_an_application_with_a_default_path() {
        let pom = SOURCES.get_file("pom.xml").and_then(|pom| pom.contents_utf8()).expect("there");
        let module =
            |line: &str| Some(line.trim().strip_prefix("<module>")?.strip_suffix("</module>")?.to_owned());
        let modules: Vec<String> = pom.lines().filter_map(module).collect();
        let mut names: Vec<String> = App::all().into_iter().map(|app| app.name).collect();
        names.sort_unstable();
        assert_eq!(names, ["crud", "faults", "hello", "json", "orders", "page", "pay", "socket"]);
        assert_eq!(App::deployed(), ["socket"]);
        for name in &names {
            assert!(modules.contains(name), "{name} is not built");
            assert!(!App::find(name).expect("known").default_answer().path.contains('{'), "{name}");
        }
        assert_eq!(modules.len(), names.len());
    }

    #[test]
    fn an_unknown_application_names_the_known() {
        let error = App::find("helo").expect_err("unknown");
        assert_eq!(
            error.hint().as_deref(),
            Some("there is: hello, crud, faults, json, orders, page, pay, socket")
        );
    }

    #[test]
    fn a_package_is_named_by_its_sources_and_form() {
        let app = App::find("hello").expect("known");
        let site = Site::new("/c");
        let path = |namespace| app.path_of(&Packaging::war(namespace), &site);
        let (javax, jakarta) = (path(Namespace::Javax), path(Namespace::Jakarta));
        assert_ne!(javax, jakarta);
        assert!(jakarta.starts_with("/c/apps"));
        let sources = app.sources(&Packaging::war(Namespace::Javax));
        assert!(sources.iter().any(|(path, _)| path.ends_with("hello/src/main/java/prony/app/Burn.java")));
        assert!(!sources.iter().any(|(path, _)| path.iter().any(|part| part == "target")));
    }

    #[test]
    fn threads_that_are_chosen_at_build_time_make_another_package() {
        let catalog = crate::files::catalog::Catalog::embedded();
        let labels = |server: &str| {
            let release = catalog.lookup(server).expect("known");
            let package = Packaging::for_release(&release);
            let other = package.clone().with_threads(&release, Some(Threads::Virtual));
            (package == other, other.label)
        };
        assert_eq!(labels("quarkus:3.38.2"), (false, "quarkus-3.38.2-virtual".to_owned()));
        assert!(labels("undertow:2.3.26.Final").0, "chosen when it starts");
    }

    #[test]
    fn a_package_is_built_with_its_own_launchers_and_no_other() {
        let app = App::find("hello").expect("known");
        let catalog = crate::files::catalog::Catalog::embedded();
        let launchers = |package: &Packaging| {
            let launcher = |(path, _): &(&Path, &[u8])| {
                let below = path.strip_prefix("launchers").ok()?;
                Some(below.iter().next()?.to_string_lossy().into_owned())
            };
            app.sources(package).iter().filter_map(launcher).collect::<Vec<_>>()
        };
        let of_release = |server| launchers(&Packaging::for_release(&catalog.lookup(server).expect("known")));
        assert!(launchers(&Packaging::war(Namespace::Jakarta)).is_empty());
        assert_eq!(of_release("undertow:2.3.26.Final"), ["undertow"]);
        assert_eq!(of_release("spring-boot-tomcat:2.7.18"), ["spring-boot"]);
        assert_eq!(of_release("spring-boot-jetty:4.0.8"), ["spring-boot", "spring-boot-jetty"]);
        assert_eq!(of_release("vertx:5.1.6"), ["vertx"]);
    }
}
