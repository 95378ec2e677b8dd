//! [`App`]: an application under test, built from `apps/` on first use.
//!
//! What it answers stands in its `answers.txt`, which the application serves from; readiness and the load's body check
//! read the same file.

use crate::catalog::Namespace;
use crate::error::Error;
use crate::lock::Lock;
use crate::site::Site;
use crate::work::WorkFolder;
use include_dir::{Dir, DirEntry, include_dir};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

static SOURCES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../apps");

/// An application under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    /// Its name, and that of its module in `apps/`.
    pub name: String,
    /// What it answers, the default first; never empty.
    pub answers: Vec<Answer>,
}

/// What an application answers to one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The path of the request.
    pub path: String,
    /// Content-Type of the answer.
    pub content_type: String,
    /// Its exact body.
    pub body: Vec<u8>,
}

impl App {
    /// Every application there is.
    pub fn all() -> Vec<Self> {
        SOURCES.dirs().filter_map(Self::read).collect()
    }

    /// The application of this name.
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

    /// Applications and the paths they answer, the default first, as plain data.
    pub fn known() -> Vec<(String, Vec<String>)> {
        let paths = |app: &Self| app.answers.iter().map(|answer| answer.path.clone()).collect();
        Self::all()
            .into_iter()
            .map(|app| (app.name.clone(), paths(&app)))
            .collect()
    }

    /// What it answers when nothing else is asked.
    pub fn default_answer(&self) -> &Answer {
        &self.answers[0]
    }

    /// What it answers to a path.
    pub fn answer(&self, path: &str) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.path == path)
    }

    /// Its WAR for this Servlet API, if it has been built already.
    pub fn built(&self, namespace: Namespace, site: &Site) -> Option<PathBuf> {
        let war = self.war_path(namespace, site);
        war.is_file().then_some(war)
    }

    /// Its WAR for this Servlet API; built on first use, by Maven.
    pub fn war(&self, namespace: Namespace, site: &Site, stop: &AtomicBool) -> Result<PathBuf, Error> {
        if let Some(war) = self.built(namespace, site) {
            return Ok(war);
        }
        let war = self.war_path(namespace, site);
        let _alone = Lock::wait(&site.lock(&format!("{}-{}", self.name, namespace.id())), stop)?;
        if let Some(war) = self.built(namespace, site) {
            return Ok(war); // Another prony has built it meanwhile.
        }
        let work = WorkFolder::create(&site.cache, 0)?;
        let sources = work.folder("apps")?;
        self.copy_sources(&sources)?;
        let pom = sources.join(&self.name).join("pom.xml");
        let task = format!("build the application {} ({})", self.name, namespace.id());
        let profile = format!("-P{}", namespace.id());
        let arguments = [
            "-f".as_ref(),
            pom.as_os_str(),
            "package".as_ref(),
            profile.as_ref(),
        ];
        site.maven.run(&task, &arguments, &work, &site.guard, stop)?;
        let fresh = sources.join(&self.name).join(format!("target/{}.war", self.name));
        keep(&fresh, &war)?;
        Ok(war)
    }

    fn read(dir: &Dir<'_>) -> Option<Self> {
        let name = dir.path().to_str()?.to_owned();
        let file = dir.get_file(dir.path().join("src/main/resources/answers.txt"))?;
        let answers = parse_answers(file.contents_utf8()?);
        (!answers.is_empty()).then_some(Self { name, answers })
    }

    /// Its sources and the parent's pom, by path. A `target` folder that a developer's build left there is none.
    fn sources(&self) -> Vec<(&'static Path, &'static [u8])> {
        let mut files = Vec::new();
        if let Some(pom) = SOURCES.get_file("pom.xml") {
            files.push((pom.path(), pom.contents()));
        }
        if let Some(dir) = SOURCES.get_dir(&self.name) {
            collect(dir, &mut files);
        }
        files.sort_unstable_by_key(|(path, _)| *path);
        files
    }

    fn war_path(&self, namespace: Namespace, site: &Site) -> PathBuf {
        let mut hash = Sha256::new();
        for (path, contents) in self.sources() {
            // Lengths keep files apart: moving bytes from one to the next changes the hash.
            for part in [path.as_os_str().as_encoded_bytes(), contents] {
                hash.update((part.len() as u64).to_le_bytes());
                hash.update(part);
            }
        }
        let hash = crate::fetch::hex(&hash.finalize()[..6]);
        site.cache
            .join("apps")
            .join(format!("{}-{hash}-{}.war", self.name, namespace.id()))
    }

    fn copy_sources(&self, folder: &Path) -> Result<(), Error> {
        for (path, contents) in self.sources() {
            let path = folder.join(path);
            let made = path.parent().map_or(Ok(()), fs::create_dir_all);
            made.and_then(|()| fs::write(&path, contents))
                .map_err(|error| Error::io("write", &path, error))?;
        }
        Ok(())
    }
}

/// Puts a finished file where it is looked for, all at once and only when its bytes are on the disk.
fn keep(fresh: &Path, kept: &Path) -> Result<(), Error> {
    let made = kept.parent().map_or(Ok(()), fs::create_dir_all);
    let synced = made
        .and_then(|()| File::open(fresh))
        .and_then(|file| file.sync_all());
    synced
        .and_then(|()| fs::rename(fresh, kept))
        .map_err(|error| Error::io("keep", kept, error))
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

/// `PATH TYPE BODY` a line; `#` begins a comment. The application reads it by the same rules.
fn parse_answers(text: &str) -> Vec<Answer> {
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let parse = |line: &str| {
        let mut fields = line.splitn(3, ' ').map(str::to_owned);
        let (path, content_type, body) = (fields.next()?, fields.next()?, fields.next()?.into_bytes());
        Some(Answer {
            path,
            content_type,
            body,
        })
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
        assert_eq!(
            App::known(),
            [("hello".to_owned(), vec!["/json".to_owned(), "/hello".to_owned()])]
        );
    }

    #[test]
    fn every_module_is_an_application() {
        let pom = SOURCES
            .get_file("pom.xml")
            .and_then(|pom| pom.contents_utf8())
            .expect("there");
        for dir in SOURCES.dirs() {
            let name = dir.path().display();
            assert!(pom.contains(&format!("<module>{name}</module>")), "{name}");
            assert!(App::read(dir).is_some(), "{name} has no answers.txt");
        }
    }

    #[test]
    fn an_unknown_application_names_the_known() {
        let error = App::find("helo").expect_err("unknown");
        assert_eq!(error.hint().as_deref(), Some("there is: hello"));
    }

    #[test]
    fn a_war_is_named_by_its_sources_and_namespace() {
        let app = App::find("hello").expect("known");
        let site = Site::new("/c");
        let javax = app.war_path(Namespace::Javax, &site);
        let jakarta = app.war_path(Namespace::Jakarta, &site);
        assert_ne!(javax, jakarta);
        assert!(jakarta.starts_with("/c/apps"));
        let sources = app.sources();
        assert!(
            sources
                .iter()
                .any(|(path, _)| path.ends_with("HelloServlet.java"))
        );
        assert!(
            !sources
                .iter()
                .any(|(path, _)| path.iter().any(|part| part == "target"))
        );
    }
}
