//! An application as a program of its own: compiled by GraalVM's native-image, where that is installed.

use crate::error::Error;
use crate::files::catalog::{Kind, Release};
use crate::programs::Program;
use crate::programs::spring_boot::{Embedded, Form, SpringBoot};
use crate::tools::app::{App, Package};
use crate::tools::site::Site;
use crate::tools::tool;
use model::step::Step;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The native-image of this machine: on the PATH, or in GRAALVM_HOME.
pub fn compiler() -> Result<PathBuf, Error> {
    let program = Path::new("native-image");
    let of_home = || {
        tool::find(
            &PathBuf::from(env::var_os("GRAALVM_HOME")?)
                .join("bin")
                .join(program),
        )
    };
    tool::find(program).or_else(of_home).ok_or(Error::NoNativeImage)
}

/// The application with this release in it, compiled on first use by this native-image, which takes minutes; `tell` hears
/// of it. Spring Boot decides when it is compiled whether it serves by virtual threads.
pub fn obtain(
    release: &Release,
    app: &App,
    (compiler, virtual_threads): (&Path, bool),
    site: &Site,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Step),
) -> Result<Program, Error> {
    let embedded = match release.kind {
        Kind::SpringBootTomcat => Some(Embedded::Tomcat),
        Kind::SpringBootJetty => Some(Embedded::Jetty),
        _ => None,
    };
    let package = Package::native(release, compiler, virtual_threads);
    let (Some(embedded), Some(package)) = (embedded, package) else {
        return Err(Error::Unknown {
            asked: format!("native image of {}", release.spec()),
            nearest: None,
        });
    };
    if app.built(&package, site).is_none() {
        tell(Step::CompilingNative {
            application: app.name.clone(),
            label: package.label.clone(),
        });
    }
    let program = fs::canonicalize(compiler).map_err(|error| Error::io("find", compiler, error))?;
    let home = program.ancestors().nth(2).unwrap_or(&program);
    let site = Site {
        maven: site.maven.with_graalvm(home),
        ..site.clone()
    };
    let form = Form::Native(app.build(&package, &site, stop)?);
    Ok(Program::SpringBoot(SpringBoot { form, embedded }))
}
