//! The user's own base folder of a Jetty: a copy of it, in which the arm's WAR takes the place of the application. The ports are
//! properties of the command line, which come before those of its files.

use crate::error::{ConfigurationError, Error, FileAct};
use crate::files::tree;
use record::configuration::ConfigurationChange;
use roxmltree::{Document, ParsingOptions};
use std::collections::BTreeSet;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// What the files of a base folder say.
#[derive(Debug)]
pub(super) struct OwnBase<'a> {
    folder: &'a Path,
    /// The lines of `start.ini` and of the files in `start.d`, without comments.
    lines: Vec<String>,
    /// The modules that these lines name, with those on which they depend.
    modules: BTreeSet<String>,
}

/// Entries of a base folder that belong to the runs of the user.
const OF_RUNS: [&str; 3] = ["logs", "work", "temp"];
/// The modules whose connector `jetty.http.port` configures, or which depend on such a module.
const PLAIN: [&str; 4] = ["http", "http2c", "http-forwarded", "demo"];
/// The modules whose connector `jetty.ssl.port` configures.
const ENCRYPTED: [&str; 3] = ["ssl", "https", "http2"];
/// Jetty's defaults.
const PLAIN_PORT: &str = "8080";
const ENCRYPTED_PORT: &str = "8443";
/// The folder of applications.
const WEBAPPS: &str = "webapps";

/// An application in the folder of applications.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Deployed {
    /// A WAR, an exploded WAR, or a file that describes a context.
    file: PathBuf,
    /// The path of its context, without a slash at its end.
    path: String,
    /// The place of the WAR's path in a file that describes a context.
    war: Option<(std::ops::Range<usize>, String)>,
}

impl<'a> OwnBase<'a> {
    /// Reads the files of a base folder. `home` is the folder of the distribution, or empty where that is not here.
    pub(super) fn read(folder: &'a Path, home: &Path) -> Result<Self, ConfigurationError> {
        let mut files = vec![folder.join("start.ini")];
        files.extend(entries(&folder.join("start.d")).into_iter().filter(|file| has_end(file, "ini")));
        files.retain(|file| file.is_file());
        if files.is_empty() {
            let why = "it has neither start.ini nor start.d".to_owned();
            return Err(ConfigurationError::Unreadable { path: folder.to_owned(), why });
        }
        let mut lines = Vec::new();
        for file in files {
            let text = text(&file)?;
            let own = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
            for line in own {
                if line == "--exec" || line == "--jpms" || line.starts_with("-X") {
                    return Err(ConfigurationError::SecondJvm { path: file, line: line.to_owned() });
                }
                lines.push(line.to_owned());
            }
        }
        let mut folders = vec![folder.join("modules")];
        folders.extend((!home.as_os_str().is_empty()).then(|| home.join("modules")));
        let modules = with_dependencies(named_modules(&lines), &folders)?;
        let base = Self { folder, lines, modules };
        if !base.has_module(&PLAIN) && !base.has_module(&ENCRYPTED) {
            return Err(ConfigurationError::NoHttp { path: folder.to_owned() });
        }
        Ok(base)
    }

    /// Whether the connector that is loaded speaks TLS, because there is no other.
    pub(super) fn is_encrypted(&self) -> bool {
        !self.has_module(&PLAIN)
    }

    /// What is changed in it. An application is only looked for where the arm brings one.
    pub(super) fn changes(
        &self,
        war: Option<&Path>,
        context_path: Option<&str>,
    ) -> Result<Vec<ConfigurationChange>, ConfigurationError> {
        let port = |name: &str, default: &str| self.property(name).unwrap_or(default).to_owned();
        let encrypted = port("jetty.ssl.port", ENCRYPTED_PORT);
        let mut changes = Vec::new();
        if self.is_encrypted() {
            changes.push(ConfigurationChange::LoadedPort { port: encrypted });
            changes.push(ConfigurationChange::NameCheck);
        } else {
            changes.push(ConfigurationChange::LoadedPort { port: port("jetty.http.port", PLAIN_PORT) });
            if self.has_module(&ENCRYPTED) {
                let what = "HTTPS".to_owned();
                changes.push(ConfigurationChange::OtherPort { port: encrypted, what });
            }
        }
        if let Some(war) = war {
            let replaced = self.replaced(war, context_path)?;
            let path = replaced.as_ref().map_or(context_path.unwrap_or_default(), |old| &old.path);
            let was = replaced.as_ref().and_then(|old| old.file.file_name());
            changes.push(ConfigurationChange::Application {
                path: if path.is_empty() { "/".to_owned() } else { path.to_owned() },
                was: was.map(|name| name.to_string_lossy().into_owned()),
            });
        }
        Ok(changes)
    }

    /// The properties by which it listens there.
    pub(super) fn properties(&self, at: SocketAddr) -> Vec<String> {
        let listens = |scheme: &str, port: u16| {
            [format!("jetty.{scheme}.host={}", at.ip()), format!("jetty.{scheme}.port={port}")]
        };
        if self.is_encrypted() {
            // Certificates name the server that is measured elsewhere, and Jetty answers 400 to any other name.
            let mut properties = listens("ssl", at.port()).to_vec();
            properties.push("jetty.ssl.sniHostCheck=false".to_owned());
            return properties;
        }
        let mut properties = listens("http", at.port()).to_vec();
        if self.has_module(&ENCRYPTED) {
            properties.extend(listens("ssl", 0));
        }
        properties
    }

    /// Copies it, with this WAR in the place of the application.
    pub(super) fn write(
        &self,
        base: &Path,
        war: Option<&Path>,
        context_path: Option<&str>,
    ) -> Result<(), Error> {
        tree::copy_without(self.folder, base, &OF_RUNS)
            .map_err(|error| Error::io(FileAct::Copy, self.folder, error))?;
        // Jetty writes logs only into a folder that is there, and unpacks applications where there is one for them.
        for name in OF_RUNS.iter().filter(|name| self.folder.join(name).is_dir()) {
            let folder = base.join(name);
            fs::create_dir_all(&folder).map_err(|error| Error::io(FileAct::Make, &folder, error))?;
        }
        let Some(war) = war else {
            return Ok(());
        };
        let copy = |to: &Path| tree::copy(war, to).map_err(|error| Error::io(FileAct::Copy, war, error));
        let applications = base.join(WEBAPPS);
        let Some(old) = self.replaced(war, context_path)? else {
            return copy(&applications.join(deployed_name(context_path.unwrap_or_default(), war)));
        };
        let name = old.file.file_name().unwrap_or_default();
        let there = applications.join(name);
        if let Some((range, _)) = &old.war {
            let place = base.join("application").join(war.file_name().unwrap_or_default());
            copy(&place)?;
            let mut changed = text(&old.file)?;
            changed.replace_range(range.clone(), &escaped(&place.display().to_string()));
            return fs::write(&there, changed).map_err(|error| Error::io(FileAct::Write, &there, error));
        }
        let removed = if there.is_dir() { fs::remove_dir_all(&there) } else { fs::remove_file(&there) };
        removed.map_err(|error| Error::io(FileAct::Remove, &there, error))?;
        copy(&applications.join(deployed_name(&old.path, war)))
    }

    /// The application whose place this WAR takes: the one of `context_path`, else the only one, else the one of its name.
    fn replaced(
        &self,
        war: &Path,
        context_path: Option<&str>,
    ) -> Result<Option<Deployed>, ConfigurationError> {
        let folder = self.folder.join(WEBAPPS);
        let mut all = Vec::new();
        for file in entries(&folder) {
            all.extend(deployed(&file)?);
        }
        // A WAR that a context describes is no application of its own.
        let described: Vec<String> = all.iter().filter_map(|one| Some(one.war.as_ref()?.1.clone())).collect();
        all.retain(|one| {
            let name = one.file.file_name().unwrap_or_default().to_string_lossy();
            one.war.is_some() || !described.iter().any(|war| war.ends_with(&*name))
        });
        if let Some(path) = context_path {
            return Ok(all.into_iter().find(|one| one.path == path));
        }
        let is_called = |one: &Deployed| one.file.file_stem() == war.file_stem();
        let called = all.iter().filter(|one| is_called(one)).count();
        match (all.len(), called) {
            (0 | 1, _) => Ok(all.pop()),
            (_, 1) => Ok(all.into_iter().find(is_called)),
            _ => {
                let shown = |one: Deployed| if one.path.is_empty() { "/".to_owned() } else { one.path };
                let contexts = all.into_iter().map(shown).collect();
                Err(ConfigurationError::SeveralContexts { path: folder, contexts })
            }
        }
    }

    fn has_module(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.modules.contains(*name))
    }

    /// The value of a property; the last one counts.
    fn property(&self, name: &str) -> Option<&str> {
        let values = self.lines.iter().filter_map(|line| line.split_once('='));
        let mut values = values.filter(|(key, _)| key.trim() == name).map(|(_, value)| value.trim());
        values.next_back()
    }
}

/// The modules that lines of a base folder name.
fn named_modules(lines: &[String]) -> Vec<String> {
    let lists = lines.iter().filter_map(|line| {
        let begins = ["--module=", "--modules=", "--add-module=", "--add-modules="];
        begins.iter().find_map(|begin| line.strip_prefix(begin))
    });
    lists.flat_map(|list| list.split(',')).map(|module| module.trim().to_owned()).collect()
}

/// These modules, and those on which they depend by the files in these folders. Options of a JVM in such a file make Jetty start another one.
fn with_dependencies(
    mut open: Vec<String>,
    folders: &[PathBuf],
) -> Result<BTreeSet<String>, ConfigurationError> {
    let mut all = BTreeSet::new();
    while let Some(module) = open.pop() {
        if !all.insert(module.clone()) {
            continue;
        }
        let files = folders.iter().map(|folder| folder.join(format!("{module}.mod")));
        let Some(path) = files.into_iter().find(|file| file.is_file()) else {
            continue;
        };
        let text = text(&path)?;
        if let Some(line) = section(&text, &["[exec]"]).next() {
            return Err(ConfigurationError::SecondJvm { line: line.to_owned(), path });
        }
        open.extend(section(&text, &["[depend]", "[depends]"]).map(ToOwned::to_owned));
    }
    Ok(all)
}

/// The lines of a section in the file of a module, without comments.
fn section<'t>(text: &'t str, names: &'t [&str]) -> impl Iterator<Item = &'t str> {
    let mut is_inside = false;
    text.lines().map(str::trim).filter(move |line| {
        let is_head = line.starts_with('[');
        is_inside = if is_head { names.contains(line) } else { is_inside };
        is_inside && !is_head && !line.is_empty() && !line.starts_with('#')
    })
}

/// The name by which Jetty deploys a WAR at a path of one part.
pub(super) fn deployed_name(path: &str, war: &Path) -> String {
    let end = if war.is_dir() { "" } else { ".war" };
    let name = match path.trim_start_matches('/') {
        "" => "ROOT",
        name => name,
    };
    format!("{name}{end}")
}

/// The application of an entry of the folder of applications; `None` for any other file.
fn deployed(file: &Path) -> Result<Option<Deployed>, ConfigurationError> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let by_name = || {
        let path = if stem.eq_ignore_ascii_case("root") { String::new() } else { format!("/{stem}") };
        Some(Deployed { file: file.to_owned(), path, war: None })
    };
    if has_end(file, "xml") {
        return described(file);
    }
    let is_application = has_end(file, "war") || file.is_dir() && !stem.ends_with(".d");
    Ok(is_application.then(by_name).flatten())
}

/// The application of a file that describes a context; `None` where it names no WAR.
fn described(file: &Path) -> Result<Option<Deployed>, ConfigurationError> {
    let text = text(file)?;
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(&text, options)
        .map_err(|error| ConfigurationError::NotXml { path: file.to_owned(), why: error.to_string() })?;
    let set = |name: &str| {
        let mut elements = document.descendants().filter(|node| node.has_tag_name("Set"));
        elements.find(|node| node.attribute("name") == Some(name))
    };
    // The path may be in an element of its own, as `<Property name="jetty.webapps"/>/shop.war`: all of it is replaced.
    let Some(war) = set("war") else {
        return Ok(None);
    };
    let (first, last) = (war.first_child(), war.last_child());
    let (Some(first), Some(last)) = (first, last) else {
        return Ok(None);
    };
    let range = first.range().start..last.range().end;
    let written: String = war.descendants().filter_map(|node| node.is_text().then(|| node.text())?).collect();
    let path = set("contextPath").and_then(|node| node.text()).unwrap_or_default();
    let path = path.trim().trim_end_matches('/').to_owned();
    Ok(Some(Deployed { file: file.to_owned(), path, war: Some((range, written.trim().to_owned())) }))
}

/// The entries of a folder, in the order of their names, without hidden ones.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let shown = entries.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
    let mut paths: Vec<PathBuf> = shown.map(|entry| entry.path()).collect();
    paths.sort_unstable();
    paths
}

fn has_end(file: &Path, end: &str) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(end))
}

fn text(path: &Path) -> Result<String, ConfigurationError> {
    let read = fs::read_to_string(path);
    read.map_err(|error| ConfigurationError::Unreadable { path: path.to_owned(), why: error.to_string() })
}

fn escaped(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A base folder with these files.
    fn base(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (file, text) in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        folder
    }

    const HTTP: (&str, &str) = ("start.d/http.ini", "# a connector\n--module=http\njetty.http.port=9090\n");

    /// What is in a copy of a base folder, in which this WAR is put.
    fn written(folder: &Path, war: Option<&Path>, path: Option<&str>) -> tempfile::TempDir {
        let copy = tempfile::tempdir().expect("a folder");
        OwnBase::read(folder, Path::new("")).expect("read").write(copy.path(), war, path).expect("written");
        copy
    }

    #[test]
    fn the_war_takes_the_place_of_the_application_of_the_user() {
        let shop = ("webapps/shop.war", "old");
        let folder = base(&[HTTP, shop, ("logs/x", ""), ("target/shop-2.war", "new")]);
        let war = folder.path().join("target/shop-2.war");
        let copy = written(folder.path(), Some(&war), None);
        let read = |file: &str| fs::read_to_string(copy.path().join(file)).expect(file);
        assert_eq!(read("webapps/shop.war"), "new");
        assert!(copy.path().join("logs").is_dir() && !copy.path().join("logs/x").exists());
        let own = OwnBase::read(folder.path(), Path::new("")).expect("read");
        let changes = own.changes(Some(&war), None).expect("known");
        let says: Vec<String> = changes.iter().map(|change| say::text(change, say::Language::En)).collect();
        assert_eq!(
            says,
            [
                "port 9090 is loaded, on a port of prony's",
                "/shop serves the application of the arm, in the place of shop.war"
            ]
        );
        assert_eq!(
            own.properties(([127, 0, 0, 1], 5).into()),
            ["jetty.http.host=127.0.0.1", "jetty.http.port=5"]
        );
        let other = written(folder.path(), Some(&war), Some("/v2"));
        assert!(
            other.path().join("webapps/v2.war").is_file() && other.path().join("webapps/shop.war").is_file()
        );
        let as_it_is = written(folder.path(), None, None);
        assert_eq!(fs::read_to_string(as_it_is.path().join("webapps/shop.war")).expect("read"), "old");
    }

    #[test]
    fn a_file_that_describes_a_context_names_the_war_of_the_arm() {
        let xml = "<Configure class='c'><Set name='contextPath'>/shop/v2</Set>\
                   <Set name=\"war\"><Property name='jetty.webapps'/>/shop.war</Set><Set name='x'>1</Set></Configure>";
        let folder = base(&[HTTP, ("webapps/shop.xml", xml), ("webapps/shop.war", "old"), ("a.war", "new")]);
        let copy = written(folder.path(), Some(&folder.path().join("a.war")), None);
        let place = copy.path().join("application/a.war");
        let expected = format!(
            "<Configure class='c'><Set name='contextPath'>/shop/v2</Set><Set name=\"war\">{}</Set><Set name='x'>1</Set></Configure>",
            place.display()
        );
        assert_eq!(fs::read_to_string(copy.path().join("webapps/shop.xml")).expect("read"), expected);
        assert_eq!(fs::read_to_string(place).expect("read"), "new");
    }

    #[test]
    fn without_plain_http_https_is_loaded() {
        let folder = base(&[("start.ini", "--modules=server,https\njetty.ssl.port=9443\n")]);
        let own = OwnBase::read(folder.path(), Path::new("")).expect("read");
        assert!(own.is_encrypted());
        assert_eq!(
            own.properties(([127, 0, 0, 1], 5).into()),
            ["jetty.ssl.host=127.0.0.1", "jetty.ssl.port=5", "jetty.ssl.sniHostCheck=false"]
        );
        let changes = own.changes(None, None).expect("known");
        let says: Vec<String> = changes.iter().map(|change| say::text(change, say::Language::En)).collect();
        let check = "the check of the certificate's name (sniHostCheck) is off";
        assert_eq!(says, ["port 9443 is loaded, on a port of prony's", check]);
    }

    #[test]
    fn modules_bring_those_on_which_they_depend() {
        let own = ("modules/shop.mod", "[depend]\nserver\nfront\n\n[ini]\nx=1\n");
        let folder = base(&[("start.ini", "--module=shop\n"), own]);
        let home = base(&[("modules/front.mod", "[tags]\nx\n\n[depends]\n# the connector\nhttp\n")]);
        let read = |home: &Path| OwnBase::read(folder.path(), home);
        assert!(!read(home.path()).expect("read").is_encrypted());
        assert!(matches!(read(Path::new("")), Err(ConfigurationError::NoHttp { .. })));
    }

    #[test]
    fn what_cannot_be_loaded_is_refused() {
        let refused = |files: &[(&str, &str)]| {
            let folder = base(files);
            OwnBase::read(folder.path(), Path::new("")).expect_err("refused")
        };
        assert!(matches!(refused(&[("webapps/a.war", "")]), ConfigurationError::Unreadable { .. }));
        let none = ("start.ini", "--modules=server, deploy\n");
        assert!(matches!(refused(&[none]), ConfigurationError::NoHttp { .. }));
        let second = ("start.d/jvm.ini", "--exec\n-Xmx1g\n");
        assert!(matches!(refused(&[HTTP, second]), ConfigurationError::SecondJvm { .. }));
        let named = ("start.d/gc.ini", "--module=gc\n");
        let forks = ("modules/gc.mod", "[description]\nsets a collector\n[exec]\n# one\n-XX:+UseZGC\n");
        assert!(matches!(refused(&[HTTP, named, forks]), ConfigurationError::SecondJvm { .. }));
        let folder = base(&[HTTP, ("webapps/a.war", ""), ("webapps/b.war", ""), ("c.war", "")]);
        let own = OwnBase::read(folder.path(), Path::new("")).expect("read");
        let several = own.changes(Some(&folder.path().join("c.war")), None).expect_err("two");
        assert!(several.to_string().contains("several applications: /a, /b"), "{several}");
    }
}
