//! [`JavaProgram`]: the Java programs of ours that attach to the JVM of a server. They are compiled once, into the cache, because compiling
//! one takes longer than what it has to do.

use crate::error::{Error, FileAct};
use crate::files::lock::Lock;
use crate::files::work::WorkFolder;
use crate::tools::fetch::hex;
use crate::tools::jdk::Jdk;
use crate::tools::site::{Job, Site};
use crate::tools::tool;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The oldest Java that runs the programs.
pub(crate) const OLDEST_JAVA: u32 = 17;
/// The folder of compiled programs in the cache. The command that cleans the cache of another host has it, too.
pub(crate) const FOLDER: &str = "java-programs";
/// Far more time than the compiler needs.
const LIMIT: Duration = Duration::from_secs(120);

/// A Java program of ours.
#[derive(Debug)]
pub(crate) struct JavaProgram {
    /// The name of its main class.
    pub(crate) name: &'static str,
    /// The sources of its classes by file name; the first has the main class.
    sources: &'static [(&'static str, &'static str)],
}

/// Reads the settings in effect.
pub(crate) const MBEANS: JavaProgram =
    JavaProgram { name: "Mbeans", sources: &[("Mbeans.java", include_str!("Mbeans.java"))] };
/// Looks into a JVM while it is loaded.
pub(crate) const INSPECT: JavaProgram = JavaProgram {
    name: "Inspect",
    sources: &[
        ("Inspect.java", include_str!("Inspect.java")),
        ("Recorded.java", include_str!("Recorded.java")),
        ("Dumps.java", include_str!("Dumps.java")),
        ("Owners.java", include_str!("Owners.java")),
        ("Virtuals.java", include_str!("Virtuals.java")),
        ("Holdings.java", include_str!("Holdings.java")),
        ("Keepers.java", include_str!("Keepers.java")),
        ("HeapDump.java", include_str!("HeapDump.java")),
    ],
};
/// Gives orders to the profiler.
pub(crate) const PROFILE: JavaProgram =
    JavaProgram { name: "Profile", sources: &[("Profile.java", include_str!("Profile.java"))] };
/// All programs. They are compiled together.
const ALL: [&JavaProgram; 3] = [&MBEANS, &INSPECT, &PROFILE];

impl JavaProgram {
    /// The arguments of `java` that run the program: compiled, if this JDK can compile it, else from its source, which is written into
    /// `folder`.
    ///
    /// # Errors
    /// A file cannot be written, or the stop flag was raised.
    pub(crate) fn arguments(
        &self,
        jdk: &Jdk,
        folder: &Path,
        site: &Site,
        stop: &AtomicBool,
    ) -> Result<Vec<OsString>, Error> {
        if let Some(jar) = compiled(jdk, site, stop)? {
            return Ok(vec!["-cp".into(), jar.into(), self.name.into()]);
        }
        let source = folder.join(format!("{}.java", self.name));
        fs::write(&source, self.as_one_file()).map_err(|error| Error::io(FileAct::Write, &source, error))?;
        Ok(vec![source.into()])
    }

    /// The program as one file, because JDKs before 22 run a program from one file only. Imports come before everything else.
    fn as_one_file(&self) -> String {
        let lines = self.sources.iter().flat_map(|(_, text)| text.lines());
        let (mut program, rest): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("import "));
        program.extend(rest);
        program.join("\n")
    }
}

/// All sources by file name.
fn sources() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    ALL.iter().flat_map(|program| program.sources)
}

/// The jar of all programs, which this JDK compiles if it is not in the cache yet; `None` if it cannot. A jar serves every JDK that runs
/// the programs, so its name follows from the sources and the oldest release.
fn compiled(jdk: &Jdk, site: &Site, stop: &AtomicBool) -> Result<Option<PathBuf>, Error> {
    let mut hash = Sha256::new_with_prefix(OLDEST_JAVA.to_string());
    for (file, text) in sources() {
        hash.update(format!("\0{file}\0{text}"));
    }
    let name = hex(&hash.finalize()[..8]);
    let jar = site.cache.join(FOLDER).join(format!("{name}.jar"));
    if jar.as_os_str().as_encoded_bytes().contains(&b':') {
        return Ok(None); // Java would take it for two paths.
    }
    if jar.is_file() {
        return Ok(Some(jar));
    }
    let _alone = Lock::wait(&site.lock(&format!("{FOLDER}-{name}")), stop)?;
    if jar.is_file() {
        return Ok(Some(jar)); // Another prony has compiled it in the meantime.
    }
    let work = WorkFolder::create(&site.cache, 0)?;
    let job = Job { site, work: &work, stop };
    let Some(classes) = compile(jdk, &job)? else {
        return Ok(None);
    };
    keep(&classes, &work.path().join("programs.jar"), &jar)
        .map_err(|error| Error::io(FileAct::Keep, &jar, error))?;
    Ok(Some(jar))
}

/// The folder with the compiled classes; `None` if this JDK has no compiler, or none for the oldest release.
fn compile(jdk: &Jdk, job: &Job<'_>) -> Result<Option<PathBuf>, Error> {
    let (from, to) = (job.work.folder("sources")?, job.work.folder("classes")?);
    let mut command = job.site.guard.command(jdk.home.join("bin/javac"));
    command
        // One compiler and a small heap, as for the programs themselves.
        .args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-J-Xmx256m"])
        .args(["--release", &OLDEST_JAVA.to_string()])
        .args(["-proc:none", "-encoding", "UTF-8", "-d"])
        .arg(&to)
        .env_remove("JAVA_TOOL_OPTIONS")
        .env_remove("JDK_JAVAC_OPTIONS");
    for (file, text) in sources() {
        let path = from.join(file);
        fs::write(&path, text).map_err(|error| Error::io(FileAct::Write, &path, error))?;
        command.arg(path);
    }
    let finished = tool::run(command, job.work, job.stop, Some(LIMIT))?;
    Ok(finished.status.success().then_some(to))
}

/// Makes a jar of the files in a folder and moves it to its place, so that nobody ever sees a part of it.
fn keep(classes: &Path, fresh: &Path, jar: &Path) -> io::Result<()> {
    let mut archive = ZipWriter::new(File::create(fresh)?);
    for entry in fs::read_dir(classes)? {
        let entry = entry?;
        archive.start_file(entry.file_name().to_string_lossy(), SimpleFileOptions::default())?;
        archive.write_all(&fs::read(entry.path())?)?;
    }
    archive.finish()?.sync_all()?;
    jar.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::rename(fresh, jar)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::guard::Guard;
    use std::io::Read;
    use std::thread;
    use zip::ZipArchive;

    /// A compiler that notes its calls beside its JDK, takes a moment, and writes one class into the folder after `-d`.
    const COMPILER: &str = "here=${0%/bin/javac}; echo call >> \"$here/calls\"; sleep 0.2
        while [ \"$1\" != -d ]; do shift; done; echo code > \"$2/Mbeans.class\"";

    static GO_ON: AtomicBool = AtomicBool::new(false);

    /// A JDK with this script as its compiler, and a site with an empty cache of this name.
    fn jdk_and_site(folder: &Path, compiler: &str, cache: &str) -> (Jdk, Site) {
        fs::create_dir_all(folder.join("bin")).expect("made");
        fs::write(folder.join("bin/javac"), compiler).expect("written");
        let jdk =
            Jdk { home: folder.to_owned(), version: "17.0.15".to_owned(), major: 17, vendor: "x".to_owned() };
        let site =
            Site { guard: Guard::new("sh", ["-c", "exec sh \"$@\""]), ..Site::new(folder.join(cache)) };
        (jdk, site)
    }

    fn arguments(jdk: &Jdk, site: &Site, folder: &Path) -> Vec<OsString> {
        MBEANS.arguments(jdk, folder, site, &GO_ON).expect("arguments")
    }

    #[test]
    fn of_two_at_once_one_compiles_and_later_ones_need_no_compiler() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path();
        let (jdk, site) = jdk_and_site(here, COMPILER, "a cache");
        let (one, other) = thread::scope(|scope| {
            let other = scope.spawn(|| arguments(&jdk, &site, here));
            (arguments(&jdk, &site, here), other.join().expect("ended"))
        });
        assert_eq!(one, other);
        assert_eq!((&one[0], &one[2]), (&"-cp".into(), &"Mbeans".into()));
        let jar = File::open(&one[1]).expect("a jar");
        let mut jar = ZipArchive::new(jar).expect("a jar");
        let mut class = String::new();
        let mut entry = jar.by_name("Mbeans.class").expect("a class");
        entry.read_to_string(&mut class).expect("text");
        assert_eq!(class, "code\n");
        fs::remove_file(here.join("bin/javac")).expect("removed");
        let inspect = INSPECT.arguments(&jdk, here, &site, &GO_ON).expect("arguments");
        assert_eq!((&inspect[1], &inspect[2]), (&one[1], &"Inspect".into()));
        let calls = fs::read_to_string(here.join("calls")).expect("calls");
        assert_eq!(calls, "call\n");
        assert_eq!(fs::read_dir(site.cache.join(FOLDER)).expect("kept").count(), 1);
    }

    #[test]
    fn a_program_that_cannot_be_compiled_runs_from_its_source() {
        let folder = tempfile::tempdir().expect("a folder");
        let (here, source) = (folder.path(), folder.path().join("Mbeans.java"));
        let (jdk, site) =
            jdk_and_site(here, "echo 'error: release version 17 not supported'; exit 2", "cache");
        assert_eq!(arguments(&jdk, &site, here), [source.as_os_str()]);
        let text = fs::read_to_string(&source).expect("written");
        assert_eq!(text.trim_end(), include_str!("Mbeans.java").trim_end());
        fs::remove_file(here.join("bin/javac")).expect("removed");
        assert_eq!(arguments(&jdk, &site, here), [source.as_os_str()]);
        assert!(!site.cache.join(FOLDER).exists(), "nothing half done is kept");
        let (jdk, site) = jdk_and_site(here, COMPILER, "a:b");
        assert_eq!(arguments(&jdk, &site, here), [source.as_os_str()]);
    }

    #[test]
    fn a_program_as_one_file_has_its_imports_first_and_its_main_class_before_others() {
        for program in ALL {
            let text = program.as_one_file();
            let last_import = text.rfind("\nimport ").expect("imports");
            let first_class = text.find("\nclass ").expect("classes");
            assert!(last_import < first_class);
            assert!(text[first_class..].starts_with(&format!("\nclass {} {{", program.name)));
        }
    }

    #[test]
    fn no_two_programs_share_a_file() {
        let mut files: Vec<_> = sources().map(|(file, _)| file).collect();
        let all = files.len();
        files.sort_unstable();
        files.dedup();
        assert_eq!(files.len(), all);
    }
}
