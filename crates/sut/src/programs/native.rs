//! An application as a native program, compiled by GraalVM's native-image where that is installed.

use crate::error::{Error, FileAct};
use crate::files::catalog::{Kind, Release};
use crate::programs::Program;
use crate::programs::spring_boot::{Embedded, Form, SpringBoot};
use crate::tools::app::{App, Packaging};
use crate::tools::site::Site;
use crate::tools::tool;
use model::step::Step;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The installed native-image: on the PATH, or in GRAALVM_HOME.
pub fn compiler() -> Result<PathBuf, Error> {
    let program = Path::new("native-image");
    let in_graalvm = || {
        tool::find(
            &PathBuf::from(env::var_os("GRAALVM_HOME")?)
                .join("bin")
                .join(program),
        )
    };
    tool::find(program)
        .or_else(in_graalvm)
        .ok_or(Error::NoNativeImage)
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
    let Compilation {
        compiler,
        virtual_threads,
    } = compilation;
    let embedded = match release.kind {
        Kind::SpringBootTomcat => Some(Embedded::Tomcat),
        Kind::SpringBootJetty => Some(Embedded::Jetty),
        _ => None,
    };
    let packaging = Packaging::native(release, compiler, virtual_threads);
    let (Some(embedded), Some(packaging)) = (embedded, packaging) else {
        return Err(Error::Unknown {
            asked: format!("native image of {}", release.spec()),
            nearest: None,
        });
    };
    if app.built(&packaging, site).is_none() {
        on_step(Step::CompilingNative {
            application: app.name.clone(),
            label: packaging.label.clone(),
        });
    }
    let program = fs::canonicalize(compiler).map_err(|error| Error::io(FileAct::Find, compiler, error))?;
    let home = program.ancestors().nth(2).unwrap_or(&program);
    let site = Site {
        maven: site.maven.with_graalvm(home),
        ..site.clone()
    };
    let form = Form::Native(app.build(&packaging, &site, stop)?);
    Ok(Program::SpringBoot(SpringBoot {
        form,
        embedded,
        arguments: Vec::new(),
    }))
}
