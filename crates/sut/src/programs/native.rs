//! An application as a native program, compiled by GraalVM's native-image where that is installed.

use crate::error::{Error, FileAct};
use crate::files::catalog::{Kind, Release};
use crate::files::lock::Lock;
use crate::files::work::WorkFolder;
use crate::programs::Program;
use crate::programs::spring_boot::{Embedded, Form, SpringBoot};
use crate::tools::app::{App, Packaging};
use crate::tools::fetch;
use crate::tools::site::Site;
use crate::tools::tool;
use record::step::Step;
use sha2::{Digest, Sha256};
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The installed native-image: in the folder of GRAALVM_HOME, of JAVA_HOME, or on the PATH.
pub fn compiler() -> Result<PathBuf, Error> {
    let program = Path::new("native-image");
    let below = |variable| {
        let home = PathBuf::from(env::var_os(variable)?);
        tool::find(&home.join("bin").join(program))
    };
    let in_home = ["GRAALVM_HOME", "JAVA_HOME"].into_iter().find_map(below);
    in_home.or_else(|| tool::find(program)).ok_or(Error::NoNativeImage)
}

/// What a native-image says of its version, in one line.
pub fn version(compiler: &Path, site: &Site, stop: &AtomicBool) -> Result<String, Error> {
    let work = WorkFolder::create(&site.cache, 0)?;
    let mut command = site.guard.command(compiler);
    command.arg("--version");
    let finished = tool::run(command, &work, stop, None)?;
    let lines = finished.output.lines().map(str::trim);
    Ok(lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", "))
}

/// The native program of a jar. It is compiled on first use, which takes minutes, and kept under the checksum of the jar and the version
/// of the compiler; `on_step` is called before.
pub fn of_jar(
    jar: &Path,
    site: &Site,
    stop: &AtomicBool,
    on_step: &mut dyn FnMut(Step),
) -> Result<PathBuf, Error> {
    let compiler = compiler()?;
    let bytes = fs::read(jar).map_err(|error| Error::io(FileAct::Read, jar, error))?;
    let mut hash = Sha256::new_with_prefix(&bytes);
    hash.update(version(&compiler, site, stop)?);
    let name = format!("native-{}", fetch::hex(&hash.finalize()[..8]));
    let kept = site.cache.join("apps").join(&name);
    let _alone = Lock::wait(&site.lock(&name), stop)?;
    if kept.is_file() {
        return Ok(kept);
    }
    on_step(Step::CompilingNative {
        application: jar.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        label: "native-image".to_owned(),
    });
    let work = WorkFolder::create(&site.cache, 0)?;
    let fresh = work.path().join("program");
    let mut command = site.guard.command(&compiler);
    // A fallback would be a program that starts a JVM.
    command.args(["--no-fallback", "-jar"]).arg(jar).arg("-o").arg(&fresh);
    command.current_dir(work.path());
    let finished = tool::run(command, &work, stop, None)?;
    if !finished.status.success() || !fresh.is_file() {
        let is_relevant = |line: &&str| line.contains("Error") || line.contains("Exception");
        let lines = finished.output.lines().filter(is_relevant);
        return Err(Error::NotCompiled {
            jar: jar.to_owned(),
            lines: lines.take(3).map(str::to_owned).collect(),
        });
    }
    fs::create_dir_all(site.cache.join("apps"))
        .and_then(|()| File::open(&fresh)?.sync_all())
        .and_then(|()| fs::rename(&fresh, &kept))
        .map_err(|error| Error::io(FileAct::Keep, &kept, error))?;
    Ok(kept)
}

/// How an application is compiled to a native program.
#[derive(Clone, Copy, Debug)]
pub struct Compilation<'a> {
    /// The native-image program.
    pub compiler: &'a Path,
    /// Whether it serves by virtual threads: Spring Boot decides that when it is compiled.
    pub virtual_threads: bool,
}

/// The application with this release in it, compiled on first use. That takes minutes; `on_step` is called before it.
pub fn obtain(
    release: &Release,
    app: &App,
    compilation: Compilation<'_>,
    site: &Site,
    stop: &AtomicBool,
    on_step: &mut dyn FnMut(Step),
) -> Result<Program, Error> {
    let Compilation { compiler, virtual_threads } = compilation;
    let embedded = match release.kind {
        Kind::SpringBootTomcat => Some(Embedded::Tomcat),
        Kind::SpringBootJetty => Some(Embedded::Jetty),
        _ => None,
    };
    let packaging = Packaging::native(release, compiler, virtual_threads);
    let (Some(embedded), Some(packaging)) = (embedded, packaging) else {
        return Err(Error::Unknown { asked: format!("native image of {}", release.spec()), nearest: None });
    };
    if app.built(&packaging, site).is_none() {
        on_step(Step::CompilingNative { application: app.name.clone(), label: packaging.label.clone() });
    }
    let program = fs::canonicalize(compiler).map_err(|error| Error::io(FileAct::Find, compiler, error))?;
    let home = program.ancestors().nth(2).unwrap_or(&program);
    let site = Site { maven: site.maven.with_graalvm(home), ..site.clone() };
    let form = Form::Native(app.build(&packaging, &site, stop)?);
    Ok(Program::SpringBoot(SpringBoot { form, embedded, arguments: Vec::new() }))
}
