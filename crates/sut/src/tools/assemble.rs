//! Assembles a Tomcat that is not published as an archive. The next lower version that is (the donor) supplies the tree,
//! and the jars of the wanted version, which are published one by one, replace the donor's.
//!
//! The result runs the code of the wanted version with the donor's scripts, configuration and JSP compiler. It is not
//! byte for byte the release, and every report says so.

use crate::error::{ArchiveFlaw, Error, FileAct, MavenTask};
use crate::files::catalog::{Archive, Assembly};
use crate::files::unpack;
use crate::tools::fetch;
use crate::tools::site::Job;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// The jar that starts Tomcat. It is no published artifact, but a selection of classes from other jars.
const BOOTSTRAP: &str = "bin/bootstrap.jar";
/// The jars that hold its classes; the first one that has a class supplies it.
const BOOTSTRAP_SOURCES: [&str; 3] = ["lib/catalina.jar", "lib/tomcat-util.jar", "lib/tomcat-coyote.jar"];
/// The line of a manifest that holds the version.
const VERSION: &str = "Implementation-Version: ";

/// Fills the empty folder `into` with the tree of a release. `donor` is the folder of the donor's unpacked distribution.
pub(crate) fn assemble(assembly: &Assembly, donor: &Path, into: &Path, job: &Job<'_>) -> Result<(), Error> {
    copy_tree(donor, into, &|path| !assembly.leaves_out(path))?;
    let jars = job.work.folder("jars")?;
    download(assembly, &jars, job)?;
    for (path, archive) in &assembly.jars {
        let jar = jars.join(file_name(path));
        fetch::verify(archive, &jar)?;
        let place = into.join(path);
        fs::copy(&jar, &place).map_err(|error| Error::io(FileAct::Write, &place, error))?;
    }
    bootstrap(into, &assembly.version).map_err(|error| Error::Archive {
        what: format!("tomcat:{}", assembly.version),
        problem: match unpack::flaw(&error) {
            ArchiveFlaw::Unreadable(problem) => ArchiveFlaw::Unreadable(format!("{BOOTSTRAP}: {problem}")),
            flaw => flaw,
        },
    })
}

/// Downloads all jars by one call of Maven, without their dependencies, each under the name that it has in the tree.
fn download(assembly: &Assembly, into: &Path, job: &Job<'_>) -> Result<(), Error> {
    let pom = job.work.path().join("pom.xml");
    fs::write(&pom, pom_xml(assembly, into)).map_err(|error| Error::io(FileAct::Write, &pom, error))?;
    // -C makes a wrong checksum an error; by default it is a warning.
    let arguments = ["-C".as_ref(), "-f".as_ref(), pom.as_os_str(), crate::tools::maven::COPY.as_ref()];
    let task =
        MavenTask::FetchJars { count: assembly.jars.len(), release: format!("tomcat:{}", assembly.version) };
    job.site.maven.run(task, &arguments, job)
}

/// A Maven project that does nothing but copy these jars into a folder.
fn pom_xml(assembly: &Assembly, into: &Path) -> String {
    let mut items = String::new();
    for (path, Archive { artifact, .. }) in &assembly.jars {
        let mut parts = artifact.split(':');
        let mut part = || parts.next().unwrap_or_default();
        let _ = write!(
            items,
            "<artifactItem><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>\
             <destFileName>{}</destFileName></artifactItem>",
            part(),
            part(),
            part(),
            file_name(path)
        );
    }
    let into = into.display().to_string().replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>prony</groupId><artifactId>jars</artifactId>\
         <version>1</version><packaging>pom</packaging><build><plugins><plugin>\
         <groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId>\
         <version>{}</version><configuration><outputDirectory>{into}</outputDirectory>\
         <artifactItems>{items}</artifactItems></configuration></plugin></plugins></build></project>",
        crate::tools::maven::COPY_VERSION
    )
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Copies a tree of files with their modes. `wanted` selects the files, by their path relative to `from`.
fn copy_tree(from: &Path, to: &Path, wanted: &dyn Fn(&Path) -> bool) -> Result<(), Error> {
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let place = to.join(&folder);
        fs::create_dir_all(&place).map_err(|error| Error::io(FileAct::Make, &place, error))?;
        let here = from.join(&folder);
        let entries = fs::read_dir(&here).map_err(|error| Error::io(FileAct::Read, &here, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| Error::io(FileAct::Read, &here, error))?;
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(path);
            } else if wanted(&path) {
                let place = to.join(&path);
                fs::copy(entry.path(), &place).map_err(|error| Error::io(FileAct::Write, &place, error))?;
            }
        }
    }
    Ok(())
}

/// Rebuilds `bin/bootstrap.jar` with the donor's list of entries and the classes of the new jars.
fn bootstrap(tree: &Path, version: &str) -> io::Result<()> {
    let old = tree.join(BOOTSTRAP);
    let mut donor = open(&old)?;
    let mut sources =
        BOOTSTRAP_SOURCES.iter().map(|jar| open(&tree.join(jar))).collect::<io::Result<Vec<_>>>()?;
    let mut made = ZipWriter::new(io::Cursor::new(Vec::new()));
    for index in 0..donor.len() {
        let mut entry = donor.by_index(index)?;
        let name = entry.name()?.into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        if name.ends_with(".class") || name.ends_with(".properties") {
            bytes = first_of(&mut sources, &name)?;
        } else if name == "META-INF/MANIFEST.MF" {
            bytes = manifest(&bytes, version);
        }
        if name.ends_with('/') {
            made.add_directory(name, SimpleFileOptions::default())?;
        } else {
            made.start_file(name, SimpleFileOptions::default())?;
            made.write_all(&bytes)?;
        }
    }
    let bytes = made.finish()?.into_inner();
    fs::write(&old, bytes)
}

fn open(jar: &Path) -> io::Result<ZipArchive<File>> {
    let file = File::open(jar).map_err(|error| io::Error::other(format!("{}: {error}", jar.display())))?;
    Ok(ZipArchive::new(file)?)
}

fn first_of(jars: &mut [ZipArchive<File>], name: &str) -> io::Result<Vec<u8>> {
    for jar in jars {
        if let Ok(mut entry) = jar.by_name(name) {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            return Ok(bytes);
        }
    }
    Err(io::Error::other(ArchiveFlaw::NoClass(name.to_owned())))
}

/// The donor's manifest with the version in it replaced.
fn manifest(bytes: &[u8], version: &str) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let line = |line: &str| match line.starts_with(VERSION) {
        true => format!("{VERSION}{version}\r\n"),
        false => format!("{line}\r\n"),
    };
    text.lines().map(line).collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jar(path: &Path, entries: &[(&str, &str)]) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        let mut jar = ZipWriter::new(File::create(path).expect("made"));
        for (name, text) in entries {
            jar.start_file(*name, SimpleFileOptions::default()).expect("begun");
            jar.write_all(text.as_bytes()).expect("written");
        }
        jar.finish().expect("written");
    }

    fn text(path: &Path, entry: &str) -> String {
        let mut archive = open(path).expect("a jar");
        let mut text = String::new();
        let mut entry = archive.by_name(entry).expect("there");
        entry.read_to_string(&mut text).expect("read");
        text
    }

    #[test]
    fn a_bootstrap_has_the_donors_entries_and_the_new_classes() {
        let tree = tempfile::tempdir().expect("a folder");
        let place = |path: &str| tree.path().join(path);
        let manifest = "Manifest-Version: 1.0\r\nImplementation-Version: 9.0.93\r\nMain-Class: B\r\n\r\n";
        jar(
            &place(BOOTSTRAP),
            &[("META-INF/MANIFEST.MF", manifest), ("a/B.class", "old"), ("a/C.class", "old")],
        );
        jar(&place("lib/catalina.jar"), &[("a/B.class", "new B"), ("a/Other.class", "x")]);
        jar(&place("lib/tomcat-util.jar"), &[("a/C.class", "new C"), ("a/B.class", "later")]);
        jar(&place("lib/tomcat-coyote.jar"), &[]);
        bootstrap(tree.path(), "9.0.94").expect("made");
        let made = place(BOOTSTRAP);
        assert_eq!(text(&made, "a/B.class"), "new B");
        assert_eq!(text(&made, "a/C.class"), "new C");
        assert_eq!(text(&made, "META-INF/MANIFEST.MF"), manifest.replace("9.0.93", "9.0.94"));
        assert_eq!(open(&made).expect("a jar").len(), 3);
    }

    #[test]
    fn a_class_that_no_new_jar_has_is_an_error() {
        let tree = tempfile::tempdir().expect("a folder");
        jar(&tree.path().join(BOOTSTRAP), &[("a/B.class", "old")]);
        for name in BOOTSTRAP_SOURCES {
            jar(&tree.path().join(name), &[("a/Other.class", "x")]);
        }
        let error = bootstrap(tree.path(), "9.0.94").expect_err("missing").to_string();
        assert_eq!(error, "bin/bootstrap.jar: none of the new jars has a/B.class");
    }
}
