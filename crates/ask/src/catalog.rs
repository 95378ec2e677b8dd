//! [`CatalogFile`]: what is known about a server, as a file of `catalog/` says it. The files are embedded, so reading them is no I/O.
//! A key that no file can have, or a word that stands for nothing, is a [`Flaw`] with its line.

pub mod row;

use crate::diagnostic::nearest;
use crate::version_rules::VersionRules;
use include_dir::{Dir, include_dir};
use row::{Frames, Row};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

/// The files of the catalog, and the templates in its folders.
pub static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../catalog");

static SERVERS: LazyLock<Vec<CatalogFile>> = LazyLock::new(|| {
    let files = FILES.files().filter(|file| file.path().extension().is_some_and(|end| end == "toml"));
    let read = |file: &include_dir::File<'static>| {
        let text = file.contents_utf8().unwrap_or_default();
        read(&file.path().to_string_lossy(), text).unwrap_or_else(|flaw| panic!("{flaw}"))
    };
    files.map(read).collect()
});

/// Returns the files of all servers, in the order of their names.
///
/// # Panics
/// Panics when a file of the catalog is wrong; the tests of this crate would find that first.
pub fn servers() -> &'static [CatalogFile] {
    &SERVERS
}

/// A file of the catalog: one server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogFile {
    /// As an arm names the server: `tomcat`. It is the name of its kind, too.
    pub name: String,
    /// Its name in prose: `Apache Tomcat`.
    pub title: String,
    /// Where its releases come from.
    pub source: FileSource,
    /// The SHA-512 of archives, by version.
    #[serde(default)]
    pub sha512: BTreeMap<String, String>,
    /// Versions that have no published archive. Each has a recipe in the file `SERVER/VERSION.toml`.
    #[serde(default)]
    pub assembled: Vec<String>,
    /// Versions that prony's own tests start, and that messages and lists name as examples; oldest first.
    pub tested: Vec<String>,
    /// Which versions prony runs, and what each can do.
    pub releases: VersionRules,
    /// How it is started and read; `None` where code of its own does that.
    #[serde(default)]
    pub server: Option<Row>,
    /// What the methods on the stacks of its threads tell.
    #[serde(default)]
    pub frames: Frames,
}

/// Where all releases of a server come from.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileSource {
    /// Maven coordinates of an archive, with `{version}` in them.
    Archive(String),
    /// A build by Maven, together with the application.
    Build(BuildSource),
}

/// How Maven builds the application together with a server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildSource {
    /// Profiles of `apps/pom.xml`.
    pub profiles: Vec<String>,
    /// The Maven property that holds the version.
    pub version: String,
    /// The artifact that has this version: `io.undertow:undertow-servlet`.
    pub artifact: String,
    /// The class that starts the server, where the profile `embedded` takes the artifact and `launchers/SERVER`.
    #[serde(default)]
    pub launcher: Option<String>,
    /// Whether the result is a folder and not a jar.
    #[serde(default)]
    pub folder: bool,
    /// Maven properties for virtual threads, where the build decides about them.
    #[serde(default)]
    pub virtual_threads: BTreeMap<String, String>,
    /// Further profiles for HTTP/2, where the server needs a library for it.
    #[serde(default)]
    pub http2: Vec<String>,
}

impl FileSource {
    /// Returns the artifact that has the same versions as the server.
    pub fn artifact(&self) -> &str {
        match self {
            Self::Archive(coordinates) => coordinates.split(":{version}").next().unwrap_or_default(),
            Self::Build(build) => &build.artifact,
        }
    }
}

/// What is wrong in a file of the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The file's name: `undertow.toml`.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: String,
    /// What was probably meant.
    pub nearest: Option<String>,
}

impl fmt::Display for Flaw {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "catalog/{}:{}: {}", self.file, self.line, self.problem)?;
        match &self.nearest {
            Some(near) => write!(out, "; did you mean `{near}`?"),
            None => Ok(()),
        }
    }
}

/// Reads a file of the catalog.
pub fn read(file: &str, text: &str) -> Result<CatalogFile, Flaw> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let problem = error.message().to_owned();
        Flaw { file: file.to_owned(), line: line_of(text, at), nearest: meant(&problem), problem }
    })
}

/// Checks that the keys in the table `server.keys` are keys of an arm that set something.
pub fn check_keys(file: &str, text: &str, known: &[&str]) -> Result<(), Flaw> {
    let read = read(file, text)?;
    let keys = read.server.iter().flat_map(|row| row.keys.keys());
    let unknown = keys.into_iter().find(|key| !known.contains(&key.get_ref().as_str()));
    unknown.map_or(Ok(()), |key| {
        Err(Flaw {
            file: file.to_owned(),
            line: line_of(text, key.span().start),
            problem: format!("no key of an arm that sets something is called `{}`", key.get_ref()),
            nearest: nearest(key.get_ref(), known.iter().copied()).map(str::to_owned),
        })
    })
}

fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().iter().take(offset);
    1 + before.filter(|byte| **byte == b'\n').count()
}

/// Finds the name that was probably meant in a message of serde: it has the unknown word and all known ones, each in backquotes.
fn meant(problem: &str) -> Option<String> {
    let mut words = problem.split('`').skip(1).step_by(2);
    let unknown = words.next()?;
    nearest(unknown, words).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file of Helidon after this change of a text in it.
    fn changed(from: &str, to: &str) -> Result<(), Flaw> {
        let text = FILES.get_file("helidon.toml").and_then(|file| file.contents_utf8()).expect("there");
        assert!(text.contains(from), "{from}");
        check_keys(
            "helidon.toml",
            &text.replacen(from, to, 1),
            &["threads", "accept_count", "max_connections"],
        )
    }

    #[test]
    fn what_is_misspelt_is_refused_with_file_and_line_and_the_nearest_name() {
        assert_eq!(changed("name", "name"), Ok(()));
        for (from, to, near) in [
            ("tested =", "testde =", "tested"),
            ("folder = true", "foldre = true", "folder"),
            ("[server.log]", "[server.logs]", "log"),
            ("failed =", "faield =", "failed"),
            ("always =", "alway =", "always"),
            ("port={port}", "port={prt}", "port"),
            ("accept_count =", "acept_count =", "accept_count"),
            ("idle =", "idles =", "idle"),
            ("source =", "sourec =", "source"),
        ] {
            let flaw = changed(from, to).expect_err(to);
            let text = FILES.get_file("helidon.toml").and_then(|file| file.contents_utf8()).expect("there");
            let line = line_of(text, text.find(from).expect("there"));
            assert_eq!(flaw.nearest.as_deref(), Some(near), "{flaw}");
            assert!(
                flaw.line.abs_diff(line) <= usize::from(to.contains("prt")) * 4,
                "{flaw}: it is in {line}"
            );
            assert!(flaw.to_string().starts_with("catalog/helidon.toml:"), "{flaw}");
        }
    }
}
