//! tcnative: the C library through which Tomcat uses APR and OpenSSL.
//!
//! The installed library is used where this Tomcat accepts its version. Else it is built from the source that every
//! distribution of Tomcat contains. That needs a compiler and the headers of APR, OpenSSL and Java, and takes some
//! seconds.

use crate::error::{Error, FileAct};
use crate::files::catalog::Release;
use crate::files::lock::Lock;
use crate::files::unpack;
use crate::files::work::WorkFolder;
use crate::tools::fetch::hex;
use crate::tools::jdk::{self, Jdk};
use crate::tools::site::Site;
use crate::tools::tool;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Folders in which systems keep libraries, the multiarch folders of Debian first.
const FOLDERS: [&str; 6] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
    "/usr/local/apr/lib",
];
/// Folders in which systems keep the headers of APR.
const APR_HEADERS: [&str; 3] = ["/usr/include/apr-1.0", "/usr/include/apr-1", "/usr/local/apr/include/apr-1"];
/// Folders in which systems keep the headers of OpenSSL.
const OPENSSL_HEADERS: [&str; 2] = ["/usr/include", "/usr/local/include"];

/// A library that a Tomcat can load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tcnative {
    pub library: PathBuf,
    /// Its version: `1.2.35`.
    pub version: String,
}

impl Tcnative {
    /// Links the library into a folder for `java.library.path`. Were the system's folder there, Tomcat would load the
    /// first version that it looks for, where two are installed.
    pub(crate) fn link(&self, folder: &Path) -> Result<(), Error> {
        let link = folder.join(self.file_name());
        symlink(&self.library, &link).map_err(|error| Error::io(FileAct::Link, &link, error))
    }

    /// The name under which Tomcat looks for it.
    fn file_name(&self) -> String {
        format!("libtcnative-{}.so", numbers(&self.version).first().unwrap_or(&1))
    }
}

/// What tcnative is needed for, and what it can be built with.
#[derive(Clone, Copy, Debug)]
pub struct TcnativeRequest<'a> {
    /// The release that loads it.
    pub release: &'a Release,
    /// The folder of the unpacked distribution, which holds the source; `None` where there is no distribution.
    pub home: Option<&'a Path>,
    /// The JDK whose headers a build uses.
    pub jdk: &'a Jdk,
}

/// The library for a Tomcat: the installed one, or one that was built before or is built now. Without a distribution there
/// is no source, and only the installed one will do.
pub fn tcnative(request: TcnativeRequest<'_>, site: &Site, stop: &AtomicBool) -> Result<Tcnative, Error> {
    let TcnativeRequest { release, home, jdk } = request;
    let needed = &release.tcnative;
    let folders = FOLDERS.iter().map(Path::new);
    if let Some(found) = folders.flat_map(installed).find(|found| suits(&found.version, needed)) {
        return Ok(found);
    }
    let Some(home) = home else {
        return Err(Error::NoTcnative {
            server: release.spec(),
            needed: needed.clone(),
            missing: Vec::new(),
        });
    };
    Builder { release, home, jdk, site, stop }.build()
}

/// The libraries in a folder. Their links point to names that hold the version: `libtcnative-1.so.0.2.35`.
fn installed(folder: &Path) -> impl Iterator<Item = Tcnative> {
    ["1", "2"].into_iter().filter_map(move |major| {
        let link = folder.join(format!("libtcnative-{major}.so"));
        let library = fs::canonicalize(link).ok()?;
        let (_, number) = library.file_name()?.to_str()?.split_once(".so.")?;
        let rest = number.split_once('.')?.1;
        Some(Tcnative { version: format!("{major}.{rest}"), library })
    })
}

/// Whether a needed version has the same major number as `version` and is not newer.
fn suits(version: &str, needed: &[String]) -> bool {
    let version = numbers(version);
    needed
        .iter()
        .map(|least| numbers(least))
        .any(|least| least.first() == version.first() && least <= version)
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').filter_map(|part| part.parse().ok()).collect()
}

/// Builds the library from the source in an unpacked distribution.
struct Builder<'a> {
    release: &'a Release,
    home: &'a Path,
    jdk: &'a Jdk,
    site: &'a Site,
    stop: &'a AtomicBool,
}

impl Builder<'_> {
    /// The library, built unless the cache has it under the checksum of its source.
    fn build(&self) -> Result<Tcnative, Error> {
        let archive = self.home.join("bin/tomcat-native.tar.gz");
        let bytes = fs::read(&archive).map_err(|error| Error::io(FileAct::Read, &archive, error))?;
        let name = hex(&Sha256::digest(&bytes)[..6]);
        let folder = self.site.cache.join("tcnative").join(&name);
        let _alone = Lock::wait(&self.site.lock(&format!("tcnative-{name}")), self.stop)?;
        if let Some(built) = installed(&folder).next() {
            return Ok(built);
        }
        let headers = self.headers()?;
        let work = WorkFolder::create(&self.site.cache, 0)?;
        let source = work.folder("source")?;
        unpack::tar_gz(&archive, &source, &format!("tcnative ({})", self.release.spec()))?;
        let native = source.join("native");
        let version = version_of(&native)?;
        let fresh = work.folder("library")?;
        self.compile(&native, &headers, &fresh, &version, &work)?;
        fs::create_dir_all(self.site.cache.join("tcnative"))
            .and_then(|()| fs::rename(&fresh, &folder))
            .map_err(|error| Error::io(FileAct::Keep, &folder, error))?;
        installed(&folder)
            .next()
            .ok_or_else(|| Error::io(FileAct::Find, &folder, std::io::ErrorKind::NotFound.into()))
    }

    /// The folders of headers for the compiler. The error names all missing packages at once.
    fn headers(&self) -> Result<Vec<PathBuf>, Error> {
        let with = |folders: &[&str], file: &str| {
            let found = folders.iter().map(PathBuf::from).find(|folder| folder.join(file).is_file());
            found.ok_or(())
        };
        let mut missing = Vec::new();
        let mut want = |found: Result<PathBuf, ()>, package: &'static str| {
            found.map_err(|()| missing.push(package)).ok()
        };
        let compiler = tool::find("gcc".as_ref()).ok_or(());
        want(compiler, "gcc");
        let apr = want(with(&APR_HEADERS, "apr.h"), "libapr1-dev");
        let openssl = want(with(&OPENSSL_HEADERS, "openssl/ssl.h"), "libssl-dev");
        let java = want(self.java_headers().ok_or(()), "default-jdk-headless");
        if let (true, Some(apr), Some(openssl), Some(java)) = (missing.is_empty(), apr, openssl, java) {
            return Ok(vec![apr, openssl, java.join("linux"), java]);
        }
        Err(Error::NoTcnative { server: self.release.spec(), needed: self.release.tcnative.clone(), missing })
    }

    /// The headers of this JDK, or of any other: the interface has been the same since Java 1.2.
    fn java_headers(&self) -> Option<PathBuf> {
        let others = jdk::jdks();
        let mut homes = std::iter::once(self.jdk).chain(&others).map(|jdk| jdk.home.join("include"));
        homes.find(|headers| headers.join("linux/jni_md.h").is_file())
    }

    fn compile(
        &self,
        native: &Path,
        headers: &[PathBuf],
        into: &Path,
        version: &str,
        work: &WorkFolder,
    ) -> Result<(), Error> {
        let (major, rest) = version.split_once('.').unwrap_or((version, "0"));
        let library = into.join(format!("libtcnative-{major}.so.0.{rest}"));
        let mut command = self.site.guard.command(tool::find("gcc".as_ref()).unwrap_or_else(|| "gcc".into()));
        command.args([
            "-O2",
            "-fPIC",
            "-shared",
            "-w",
            "-D_REENTRANT",
            "-D_GNU_SOURCE",
            "-DHAVE_OPENSSL",
            "-DLINUX",
        ]);
        for folder in std::iter::once(&native.join("include")).chain(headers) {
            let mut option = OsString::from("-I");
            option.push(folder);
            command.arg(option);
        }
        // tcnative 2 has no system-dependent code: its os/unix is missing.
        for folder in ["src", "os/unix"] {
            command.args(sources(&native.join(folder)));
        }
        command.arg("-o").arg(&library).args(["-lssl", "-lcrypto", "-lapr-1"]);
        let finished = tool::run(command, work, self.stop, None)?;
        if !finished.status.success() {
            let lines = finished.output.lines().filter(|line| line.contains("error"));
            return Err(Error::Compiler {
                what: format!("tcnative {version} ({})", self.release.spec()),
                lines: lines.take(5).map(str::to_owned).collect(),
            });
        }
        let link = into.join(format!("libtcnative-{major}.so"));
        let target = library.file_name().unwrap_or_default();
        symlink(target, &link).map_err(|error| Error::io(FileAct::Link, &link, error))
    }
}

/// The C files in a folder, in the order of their names.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "c"))
        .collect();
    files.sort_unstable();
    files
}

/// The version of the source, from lines like `#define TCN_MINOR_VERSION 2`.
fn version_of(native: &Path) -> Result<String, Error> {
    let header = native.join("include/tcn_version.h");
    let text = fs::read_to_string(&header).map_err(|error| Error::io(FileAct::Read, &header, error))?;
    let number = |which: &str| {
        let line = text.lines().find(|line| line.contains(&format!("define TCN_{which}_VERSION")));
        line.and_then(|line| line.split_whitespace().last()).unwrap_or("0").to_owned()
    };
    Ok(["MAJOR", "MINOR", "PATCH"].map(number).join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_suits_from_the_lowest_version_of_its_own_series_on() {
        let needed = ["1.2.34".to_owned(), "2.0.1".to_owned()];
        assert!(suits("1.2.35", &needed) && suits("1.3.1", &needed) && suits("2.0.8", &needed));
        assert!(!suits("1.2.14", &needed) && !suits("2.0.0", &needed) && !suits("3.0.0", &needed));
    }

    #[test]
    fn an_installed_library_says_its_version_by_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("libtcnative-1.so.0.2.35"), "").expect("written");
        assert_eq!(installed(folder.path()).count(), 0);
        let link = folder.path().join("libtcnative-1.so");
        std::os::unix::fs::symlink("libtcnative-1.so.0.2.35", link).expect("linked");
        let found = installed(folder.path()).next().expect("there");
        assert_eq!((found.version.as_str(), found.file_name().as_str()), ("1.2.35", "libtcnative-1.so"));
    }

    #[test]
    fn a_source_says_its_version() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("include")).expect("made");
        let header = "#define TCN_MAJOR_VERSION    1\n#define TCN_MINOR_VERSION    3\n#define TCN_PATCH_VERSION    1\n";
        fs::write(folder.path().join("include/tcn_version.h"), header).expect("written");
        assert_eq!(version_of(folder.path()).expect("read"), "1.3.1");
    }
}
