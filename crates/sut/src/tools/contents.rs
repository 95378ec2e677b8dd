//! [`Pins`]: the files that releases are made of, each with its SHA-512; what a lock file holds.

use crate::error::{ChecksumSource, Error, FileAct};
use crate::files::catalog::{Archive, Catalog, Checksum, Release, Source};
use crate::tools::fetch::{self, hex};
use sha2::{Digest, Sha512};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use zip::ZipArchive;

/// Files with their SHA-512: Maven coordinates, or names of jars within an executable jar.
pub type Files = BTreeMap<String, String>;

/// The files that releases (`tomcat:10.1.59`) are made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pins(pub BTreeMap<String, Files>);

/// The name in a lock file for the classes in an executable jar that are in no jar of their own.
const LOOSE_CLASSES: &str = "classes";
/// The folders with the libraries of an application that Maven builds into a folder.
const LIBRARIES: [&str; 2] = ["lib", "libs"];
/// What an error shows in the place of the checksum of a file that is not there.
const ABSENT: &str = "no such file";

impl Pins {
    /// The release, whose archive must have the checksum that is written here. The catalog's own checksum comes first.
    pub fn applied_to(&self, mut release: Release) -> Release {
        let files = self.0.get(&release.spec());
        if let Source::Archive(Archive { artifact, sha512 }) = &mut release.source
            && sha512.is_none()
        {
            let pinned = files.and_then(|files| files.get(artifact));
            *sha512 = pinned.map(|hex| Checksum { hex: hex.clone(), written: ChecksumSource::LockFile });
        }
        release
    }

    /// Refuses a release that is made of other files than those written here. One that is not written here may be made of any.
    pub fn check(&self, release: &Release, files: &Files) -> Result<(), Error> {
        let spec = release.spec();
        let Some(pinned) = self.0.get(&spec) else {
            return Ok(());
        };
        let other = |name: &&String| pinned.get(*name) != files.get(*name);
        let Some(name) = pinned.keys().chain(files.keys()).find(other) else {
            return Ok(());
        };
        let shown = |files: &Files| files.get(name).map_or(ABSENT, String::as_str).to_owned();
        Err(Error::Checksum {
            what: format!("{name} of {spec}"),
            expected: shown(pinned),
            written: ChecksumSource::LockFile,
            found: shown(files),
            copy: None,
        })
    }
}

/// The files that a release is made of. `application` is the file that Maven has built with it, if it has.
pub fn files_of(release: &Release, application: &Path) -> Result<Files, Error> {
    match &release.source {
        Source::Archive(archive) => Ok(checksum_of(archive).into_iter().collect()),
        Source::Assembled(assembly) => {
            let donor = Catalog::embedded().release(&release.server, &assembly.donor)?;
            let mut files = files_of(&donor, application)?;
            files.extend(assembly.jars.values().filter_map(checksum_of));
            Ok(files)
        }
        Source::Built(_) => {
            libraries(application).map_err(|error| Error::io(FileAct::Read, application, error))
        }
        Source::OwnJar(_) => Ok(Files::new()),
    }
}

fn checksum_of(archive: &Archive) -> Option<(String, String)> {
    let checksum = archive.sha512.as_ref()?;
    Some((archive.artifact.clone(), checksum.hex.clone()))
}

/// The files of others in an application that Maven has built. In a folder, these are the jars among its libraries; in an executable jar,
/// the jars in it and the classes that are not the application's. The application's own classes are left out, because another compiler
/// makes other bytes of them. Empty for a file that is no jar, such as a native program.
fn libraries(jar: &Path) -> io::Result<Files> {
    let mut files = Files::new();
    if jar.is_dir() {
        let folders = LIBRARIES.map(|name| jar.join(name));
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            jars_below(folder, &mut files)?;
        }
        return Ok(files);
    }
    let Ok(mut archive) = ZipArchive::new(File::open(jar)?) else {
        return Ok(files);
    };
    let mut names: Vec<String> = archive.file_names().flatten().map(|name| name.into_owned()).collect();
    names.sort_unstable();
    let mut loose = Sha512::new();
    let mut has_loose = false;
    for name in names {
        let is_jar = name.ends_with(".jar");
        if !is_jar && !is_loose_class(&name) {
            continue;
        }
        let mut bytes = Vec::new();
        archive.by_name(&name)?.read_to_end(&mut bytes)?;
        let digest = Sha512::digest(&bytes);
        if is_jar {
            let name = name.rsplit('/').next().unwrap_or(&name);
            files.insert(name.to_owned(), hex(&digest));
        } else {
            loose.update(name.as_bytes());
            loose.update(digest);
            has_loose = true;
        }
    }
    if has_loose {
        files.insert(LOOSE_CLASSES.to_owned(), hex(&loose.finalize()));
    }
    Ok(files)
}

/// The jars in a folder and in those below it.
fn jars_below(folder: &Path, files: &mut Files) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            jars_below(&path, files)?;
        } else if path.extension().is_some_and(|end| end == "jar") {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            files.insert(name.into_owned(), fetch::sha512(&path)?);
        }
    }
    Ok(())
}

/// Whether an entry of an executable jar is a class that is not of the application.
fn is_loose_class(name: &str) -> bool {
    let ours = ["prony/", "BOOT-INF/classes/", "META-INF/"];
    name.ends_with(".class") && !ours.iter().any(|folder| name.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    #[test]
    fn the_libraries_of_a_folder_are_its_jars_but_not_the_application() {
        let folder = tempfile::tempdir().expect("a folder");
        for (place, name) in [("lib/main", "a.jar"), ("app", "hello.jar"), ("lib", "notes.txt")] {
            let place = folder.path().join(place);
            fs::create_dir_all(&place).expect("made");
            fs::write(place.join(name), "x").expect("written");
        }
        let files = libraries(folder.path()).expect("read");
        assert_eq!(files.keys().collect::<Vec<_>>(), ["a.jar"]);
    }
    fn jar(folder: &Path, entries: &[(&str, &str)]) -> Files {
        let path = folder.join("app.jar");
        let mut zip = ZipWriter::new(File::create(&path).expect("made"));
        for (name, content) in entries {
            zip.start_file(*name, SimpleFileOptions::default()).expect("an entry");
            zip.write_all(content.as_bytes()).expect("written");
        }
        zip.finish().expect("finished");
        libraries(&path).expect("a jar")
    }

    #[test]
    fn a_jar_is_made_of_its_libraries_and_not_of_our_classes() {
        let folder = tempfile::tempdir().expect("a folder");
        let boot = jar(
            folder.path(),
            &[
                ("BOOT-INF/lib/tomcat-embed-core-11.0.15.jar", "a"),
                ("BOOT-INF/classes/prony/app/Endpoints.class", "ours"),
                ("org/springframework/boot/loader/Launcher.class", "b"),
                ("META-INF/MANIFEST.MF", "c"),
            ],
        );
        let names: Vec<&String> = boot.keys().collect();
        assert_eq!(names, ["classes", "tomcat-embed-core-11.0.15.jar"]);
        let shaded = |ours, theirs| {
            let entries = [("io/undertow/Undertow.class", theirs), ("prony/app/Endpoints.class", ours)];
            jar(folder.path(), &entries)
        };
        assert_eq!(shaded("x", "a"), shaded("y", "a"));
        assert_ne!(shaded("x", "a"), shaded("x", "b"));
        std::fs::write(folder.path().join("native"), "\u{7f}ELF").expect("written");
        assert_eq!(libraries(&folder.path().join("native")).expect("read"), Files::new());
    }

    #[test]
    fn a_pinned_release_is_made_of_the_same_files_or_refused_with_the_one_that_differs() {
        let catalog = Catalog::embedded();
        let release = catalog.lookup("tomcat:9.0.99").expect("known");
        let artifact = "org.apache.tomcat:tomcat:9.0.99:tar.gz".to_owned();
        let files = |hex: &str| Files::from([(artifact.clone(), hex.repeat(64))]);
        let pins = Pins(BTreeMap::from([(release.spec(), files("ab"))]));
        let pinned = pins.applied_to(release.clone());
        assert_eq!(files_of(&pinned, Path::new("")).expect("known"), files("ab"));
        pins.check(&release, &files("ab")).expect("the same");
        let error = pins.check(&release, &files("cd")).expect_err("another");
        assert_eq!(
            error.to_string(),
            format!(
                "{artifact} of tomcat:9.0.99 has the wrong SHA-512: cdcdcdcdcdcdcdcd… instead of abababababababab…"
            )
        );
        assert!(pins.check(&release, &Files::new()).is_err(), "it is not there");
        Pins::default().check(&release, &files("cd")).expect("nothing is pinned");
        let known = catalog.lookup("tomcat:10.1.29").expect("known");
        let pins = Pins(BTreeMap::from([(known.spec(), files("ab"))]));
        assert_eq!(pins.applied_to(known.clone()), known, "the catalog has its own checksum");
    }
}
