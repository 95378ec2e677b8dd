//! Finds the Servlet API that a WAR was written for, and whether it uses WebSocket, by its classes, and migrates a WAR from javax to jakarta.

use crate::error::{Error, FileAct};
use crate::files::catalog::{Archive, Namespace, template};
use crate::files::lock::Lock;
use crate::files::work::WorkFolder;
use crate::tools::fetch;
use crate::tools::jdk::Jdk;
use crate::tools::site::{Job, Site};
use crate::tools::tool;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use zip::ZipArchive;

/// How many classes mention each Servlet API, and the API of WebSocket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Uses {
    javax: usize,
    jakarta: usize,
    web_socket: usize,
}

impl Uses {
    fn add(&mut self, class: &[u8]) {
        let names = |name: &[u8]| class.windows(name.len()).any(|window| window == name);
        self.javax += usize::from(names(b"javax/servlet/"));
        self.jakarta += usize::from(names(b"jakarta/servlet/"));
        self.web_socket += usize::from(names(b"javax/websocket/") || names(b"jakarta/websocket/"));
    }

    const fn only(self) -> Option<Namespace> {
        match (self.javax, self.jakarta) {
            (1.., 0) => Some(Namespace::Javax),
            (0, 1..) => Some(Namespace::Jakarta),
            _ => None,
        }
    }

    const fn none(self) -> bool {
        self.javax + self.jakarta == 0
    }
}

/// The Servlet API that a WAR was written for; `None` where no class mentions one, so that any server will do. The WAR's
/// own classes decide; where they do not, its libraries do. It is an error if libraries for both leave it open.
pub fn namespace(war: &Path) -> Result<Option<Namespace>, Error> {
    let (own, libraries) =
        uses(war).map_err(|problem| Error::NotAWar { war: war.to_owned(), problem: problem.to_string() })?;
    if own.none() && libraries.none() {
        return Ok(None);
    }
    let decided = own.only().or_else(|| libraries.only());
    decided.map(Some).ok_or_else(|| Error::EitherNamespace { war: war.to_owned() })
}

/// Whether a WAR uses WebSocket, itself or by its libraries. What cannot be read uses none.
pub(crate) fn uses_web_socket(war: &Path) -> bool {
    uses(war).is_ok_and(|(own, libraries)| own.web_socket + libraries.web_socket > 0)
}

/// The uses in the WAR's own classes, and those in its libraries.
fn uses(war: &Path) -> io::Result<(Uses, Uses)> {
    if war.is_dir() {
        return uses_in_folder(&war.join("WEB-INF"));
    }
    let mut archive = ZipArchive::new(File::open(war)?)?;
    let (mut own, mut libraries) = (Uses::default(), Uses::default());
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index)?;
        let name = entry.name()?.into_owned();
        let mut bytes = Vec::new();
        if name.starts_with("WEB-INF/classes/") && name.ends_with(".class") {
            entry.read_to_end(&mut bytes)?;
            own.add(&bytes);
        } else if name.starts_with("WEB-INF/lib/") && name.ends_with(".jar") {
            entry.read_to_end(&mut bytes)?;
            scan(ZipArchive::new(Cursor::new(bytes))?, &mut libraries)?;
        }
    }
    Ok((own, libraries))
}

/// The same of an exploded WAR, from its folder `WEB-INF`.
fn uses_in_folder(folder: &Path) -> io::Result<(Uses, Uses)> {
    if !folder.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "it has no folder WEB-INF"));
    }
    let (mut own, mut libraries) = (Uses::default(), Uses::default());
    add_classes(&folder.join("classes"), &mut own)?;
    for entry in fs::read_dir(folder.join("lib")).into_iter().flatten() {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "jar") {
            scan(ZipArchive::new(File::open(path)?)?, &mut libraries)?;
        }
    }
    Ok((own, libraries))
}

fn add_classes(folder: &Path, uses: &mut Uses) -> io::Result<()> {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry?.path();
        match path.is_dir() {
            true => add_classes(&path, uses)?,
            false if path.extension().is_some_and(|end| end == "class") => uses.add(&fs::read(&path)?),
            false => {}
        }
    }
    Ok(())
}

fn scan(mut jar: ZipArchive<impl Read + Seek>, uses: &mut Uses) -> io::Result<()> {
    for index in 0..jar.len() {
        let mut entry = jar.by_index(index)?;
        if entry.name_raw().ends_with(b".class") {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            uses.add(&bytes);
        }
    }
    Ok(())
}

/// The WAR migrated from javax to jakarta, exploded if it is. It is made on first use, and kept under the checksum of the WAR and the
/// tool.
pub fn migrated(war: &Path, jdk: &Jdk, site: &Site, stop: &AtomicBool) -> Result<PathBuf, Error> {
    // This is the migration tool of the Tomcat project.
    let migration: Archive = toml::from_str(template("tomcat/migration.toml"))
        .unwrap_or_else(|error| panic!("catalog/tomcat/migration.toml: {error}"));
    let checksum = fetch::sha512_of_all(war).map_err(|error| Error::io(FileAct::Read, war, error))?;
    let mut hash = Sha256::new_with_prefix(&checksum);
    hash.update(migration.sha512.as_ref().map_or("", |checksum| &checksum.hex));
    let name = fetch::hex(&hash.finalize()[..8]);
    let end = if war.is_dir() { "" } else { ".war" };
    let kept = site.cache.join("apps").join(format!("migrated-{name}{end}"));
    let _alone = Lock::wait(&site.lock(&format!("migrated-{name}")), stop)?;
    if kept.exists() {
        return Ok(kept);
    }
    let work = WorkFolder::create(&site.cache, 0)?;
    let job = Job { site, work: &work, stop };
    let tool = fetch::download(&migration, &job)?;
    let fresh = work.path().join(format!("migrated{end}"));
    let mut command = site.guard.command(jdk.java());
    command.arg("-jar").arg(tool).arg("-profile=EE").args([war, &fresh]);
    convert(command, war, &fresh, &job)?;
    fs::create_dir_all(site.cache.join("apps"))
        .and_then(|()| File::open(&fresh)?.sync_all())
        .and_then(|()| fs::rename(&fresh, &kept))
        .map_err(|error| Error::io(FileAct::Keep, &kept, error))?;
    Ok(kept)
}

/// Runs the command of the migration tool, which reads `from` and writes `to`.
fn convert(mut command: Command, from: &Path, to: &Path, job: &Job<'_>) -> Result<(), Error> {
    command.current_dir(job.work.path());
    let finished = tool::run(command, job.work, job.stop, None)?;
    if finished.status.success() && to.exists() {
        return Ok(());
    }
    let lines = finished.output.lines().filter(|line| line.contains("SEVERE") || line.contains("Exception"));
    Err(Error::NotMigrated { war: from.to_owned(), lines: lines.take(3).map(str::to_owned).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in entries {
            archive.start_file(*name, SimpleFileOptions::default()).expect("begun");
            archive.write_all(bytes).expect("written");
        }
        archive.finish().expect("written").into_inner()
    }

    fn read_namespace(entries: &[(&str, &[u8])]) -> Result<Option<Namespace>, Error> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), archive(entries)).expect("written");
        namespace(file.path())
    }

    const JAVAX: &[u8] = b"\xca\xfe\xba\xbe..javax/servlet/http/HttpServlet..";
    const JAKARTA: &[u8] = b"\xca\xfe\xba\xbe..jakarta/servlet/http/HttpServlet..";

    #[test]
    fn own_classes_decide_and_libraries_where_they_do_not() {
        let both = archive(&[("a/A.class", JAVAX), ("a/B.class", JAKARTA)]);
        let library = ("WEB-INF/lib/a.jar", both.as_slice());
        let class = |bytes| ("WEB-INF/classes/x/X.class", bytes);
        assert_eq!(read_namespace(&[library, class(JAVAX)]).expect("known"), Some(Namespace::Javax));
        assert_eq!(read_namespace(&[library, class(JAKARTA)]).expect("known"), Some(Namespace::Jakarta));
        let spring = archive(&[("s/S.class", JAKARTA)]);
        let library = ("WEB-INF/lib/s.jar", spring.as_slice());
        assert_eq!(read_namespace(&[library, class(b"none")]).expect("known"), Some(Namespace::Jakarta));
        assert_eq!(read_namespace(&[("index.html", b"javax/servlet/")]).expect("known"), None);
    }

    #[test]
    fn a_war_uses_websocket_itself_or_by_a_library() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let uses = |entries: &[(&str, &[u8])]| {
            fs::write(file.path(), archive(entries)).expect("written");
            uses_web_socket(file.path())
        };
        let endpoint: &[u8] = b"..javax/websocket/Endpoint..";
        let library = archive(&[("s/S.class", b"..jakarta/websocket/Session..")]);
        assert!(uses(&[("WEB-INF/classes/a/A.class", endpoint)]));
        assert!(uses(&[("WEB-INF/lib/s.jar", &library)]));
        assert!(!uses(&[("WEB-INF/classes/a/A.class", JAVAX), ("a.html", endpoint)]));
        assert!(!uses_web_socket(Path::new("/none.war")));
    }

    #[test]
    fn an_exploded_war_is_read_like_its_archive() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(namespace(folder.path()).expect_err("no WAR").to_string().contains("no folder WEB-INF"));
        let write = |file: &str, bytes: &[u8]| {
            let path = folder.path().join("WEB-INF").join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, bytes).expect("written");
        };
        write("lib/a.jar", &archive(&[("s/S.class", JAKARTA)]));
        assert_eq!(namespace(folder.path()).expect("known"), Some(Namespace::Jakarta));
        write("classes/x/y/X.class", JAVAX);
        assert_eq!(namespace(folder.path()).expect("known"), Some(Namespace::Javax));
    }

    #[test]
    fn a_war_for_both_apis_is_an_error_that_asks_for_the_namespace() {
        let both = archive(&[("a/A.class", JAVAX), ("a/B.class", JAKARTA)]);
        let error = read_namespace(&[("WEB-INF/lib/a.jar", &both)]).expect_err("either");
        assert!(matches!(error, Error::EitherNamespace { .. }), "{error}");
        assert!(error.hint().is_some_and(|hint| hint.contains("namespace = \"javax\"")));
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), "no archive").expect("written");
        assert!(matches!(namespace(file.path()), Err(Error::NotAWar { .. })));
    }
}
