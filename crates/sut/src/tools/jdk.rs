//! JDKs: those that are installed, found by their `release` file without starting a process, and those that can be
//! [fetched] where no installed one fits.

use crate::error::Error;
use crate::tools::tool;
use model::jdk::JdkName;
use serde::{Deserialize, Serialize};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

pub mod fetched;
mod options;

pub use options::{check_options, warnings};

/// An installed Java.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jdk {
    /// Its folder, with links resolved.
    pub home: PathBuf,
    /// Its version: `17.0.15`.
    pub version: String,
    /// Its feature release: 17; 8 for a Java that calls itself 1.8.
    pub major: u32,
    /// Its vendor, as its `release` file names it.
    pub vendor: String,
}

impl Jdk {
    /// The Java in this folder; `None` if the folder is no JDK or JRE.
    pub fn at(home: &Path) -> Option<Self> {
        let home = fs::canonicalize(home).ok()?;
        tool::find(&home.join("bin/java"))?;
        let release = fs::read_to_string(home.join("release")).ok()?;
        let (version, vendor) = parse_release(&release)?;
        let major = major(&version)?;
        Some(Self { home, version, major, vendor })
    }

    /// The path of its `java` program.
    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }

    /// Whether it has a compiler.
    pub fn is_full(&self) -> bool {
        self.home.join("bin/javac").is_file()
    }
}

/// All installed Javas, oldest first. They are looked for in JAVA_HOME, the PATH, the system's folders, SDKMAN and Maven's
/// toolchains.xml.
pub fn jdks() -> Vec<Jdk> {
    let mut homes: Vec<PathBuf> = env::var_os("JAVA_HOME").map(PathBuf::from).into_iter().collect();
    if let Some(java) = tool::find("java".as_ref()).and_then(|java| fs::canonicalize(java).ok()) {
        homes.extend(java.ancestors().nth(2).map(Path::to_owned));
    }
    let user = env::var_os("HOME").map(PathBuf::from);
    if let Some(user) = &user {
        let toolchains = fs::read_to_string(user.join(".m2/toolchains.xml")).unwrap_or_default();
        homes.extend(toolchain_homes(&toolchains));
    }
    let sdkman = env::var_os("SDKMAN_DIR").map(PathBuf::from);
    let sdkman = sdkman.or_else(|| Some(user?.join(".sdkman")));
    let folders = [
        Some("/usr/lib/jvm".into()),
        Some("/usr/java".into()),
        sdkman.map(|dir| dir.join("candidates/java")),
    ];
    for folder in folders.into_iter().flatten() {
        homes.extend(fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()));
    }
    let mut jdks: Vec<Jdk> = homes.iter().filter_map(|home| Jdk::at(home)).collect();
    jdks.sort_by(|a, b| (order(&a.version), &a.home).cmp(&(order(&b.version), &b.home)));
    jdks.dedup_by(|a, b| a.home == b.home);
    jdks
}

/// The folders in Maven's toolchains.xml: `<jdkHome>/opt/jdk-17</jdkHome>`.
fn toolchain_homes(xml: &str) -> impl Iterator<Item = PathBuf> {
    let homes = xml.split("<jdkHome>").skip(1);
    homes.filter_map(|rest| Some(PathBuf::from(rest.split_once("</jdkHome>")?.0.trim())))
}

/// The newest Java of this feature release.
pub fn newest_of(jdks: &[Jdk], major: u32) -> Result<&Jdk, Error> {
    let newest = jdks.iter().rfind(|jdk| jdk.major == major);
    newest.ok_or_else(|| missing(jdks, major, false))
}

/// The newest Java of this version, and of this vendor if it names one.
pub fn newest_named<'a>(jdks: &'a [Jdk], name: &JdkName) -> Result<&'a Jdk, Error> {
    let newest = jdks.iter().rfind(|jdk| name.fits(&jdk.version, &jdk.vendor));
    newest.ok_or_else(|| missing(jdks, name, false))
}

/// The Java in the folder that an arm names.
pub fn in_folder(home: &Path) -> Result<Jdk, Error> {
    Jdk::at(home).ok_or_else(|| Error::NotAJdk { home: home.to_owned() })
}

/// The newest long-term release that is at least `minimum`; where there is none, the newest Java that is at least that.
pub fn newest_lts(jdks: &[Jdk], minimum: u32) -> Result<&Jdk, Error> {
    let fits = || jdks.iter().filter(|jdk| jdk.major >= minimum);
    let newest = fits().rfind(|jdk| is_lts(jdk.major)).or_else(|| fits().next_back());
    newest.ok_or_else(|| missing(jdks, minimum, true))
}

/// Whether this is a long-term release: 8, 11, and from 17 on every fourth.
const fn is_lts(major: u32) -> bool {
    matches!(major, 8 | 11) || (major >= 17 && (major - 17).is_multiple_of(4))
}

fn missing(jdks: &[Jdk], release: impl ToString, or_newer: bool) -> Error {
    Error::NoJdk {
        release: release.to_string(),
        or_newer,
        installed: jdks.iter().map(|jdk| jdk.version.clone()).collect(),
        fetched: fetched::releases(),
    }
}

/// The version and the vendor in lines like `JAVA_VERSION="17.0.15"`.
fn parse_release(text: &str) -> Option<(String, String)> {
    let value = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))?;
        Some(line.trim().trim_matches('"').to_owned())
    };
    Some((value("JAVA_VERSION")?, value("IMPLEMENTOR").unwrap_or_else(|| "unknown vendor".to_owned())))
}

fn major(version: &str) -> Option<u32> {
    let numbers = order(version);
    match numbers.as_slice() {
        [1, major, ..] | [major, ..] => Some(*major),
        [] => None,
    }
}

/// The numbers of a version, for ordering: `[1, 8, 0, 504]` of 1.8.0_504.
fn order(version: &str) -> Vec<u32> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn jdk(version: &str) -> Jdk {
        let major = major(version).expect("a version");
        Jdk {
            home: PathBuf::from("/jdk").join(version),
            version: version.to_owned(),
            major,
            vendor: "x".to_owned(),
        }
    }

    #[test]
    fn a_java_is_read_from_its_release_file() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(Jdk::at(folder.path()), None);
        fs::create_dir(folder.path().join("bin")).expect("made");
        fs::write(folder.path().join("bin/java"), "").expect("written");
        let release = "IMPLEMENTOR=\"Debian\"\nJAVA_VERSION_DATE=\"x\"\nJAVA_VERSION=\"1.8.0_504\"\n";
        fs::write(folder.path().join("release"), release).expect("written");
        assert_eq!(Jdk::at(folder.path()), None, "not a program");
        let runs = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path().join("bin/java"), runs).expect("set");
        let jdk = Jdk::at(folder.path()).expect("a Java");
        assert_eq!((jdk.major, jdk.version.as_str(), jdk.vendor.as_str()), (8, "1.8.0_504", "Debian"));
        assert!(!jdk.is_full());
    }

    #[test]
    fn toolchains_of_maven_name_their_folders() {
        let xml = "<toolchains><toolchain><type>jdk</type><configuration>\n<jdkHome> /opt/jdk-17 </jdkHome>\n\
                   </configuration></toolchain><toolchain><jdkHome>/opt/jdk-21</jdkHome></toolchain></toolchains>";
        let homes: Vec<PathBuf> = toolchain_homes(xml).collect();
        assert_eq!(homes, [PathBuf::from("/opt/jdk-17"), PathBuf::from("/opt/jdk-21")]);
        assert_eq!(toolchain_homes("<jdkHome>cut off").count(), 0);
    }

    #[test]
    fn the_newest_of_a_release_is_taken() {
        let jdks = [jdk("11.0.2"), jdk("17.0.9"), jdk("17.0.15"), jdk("24.0.1")];
        assert_eq!(newest_of(&jdks, 17).expect("there").version, "17.0.15");
        let error = newest_of(&jdks, 21).expect_err("missing").to_string();
        assert_eq!(error, "no JDK 21 is installed (found: 11.0.2, 17.0.9, 17.0.15, 24.0.1)");
    }

    #[test]
    fn the_newest_of_a_version_is_taken() {
        let jdks = [jdk("17.0.9"), jdk("17.0.15"), jdk("21.0.8")];
        let newest = |name: &str| {
            let name = JdkName::try_from(name.to_owned()).expect("a JDK");
            newest_named(&jdks, &name).map(|jdk| jdk.version.clone())
        };
        assert_eq!(newest("17").expect("there"), "17.0.15");
        assert_eq!(newest("17.0.9").expect("there"), "17.0.9");
        assert!(newest("temurin-21").is_err(), "it is of another vendor");
        let error = newest("21.0.7").expect_err("missing").to_string();
        assert_eq!(error, "no JDK 21.0.7 is installed (found: 17.0.9, 17.0.15, 21.0.8)");
    }

    #[test]
    fn long_term_releases_come_before_newer_ones() {
        let jdks = [jdk("11.0.2"), jdk("17.0.9"), jdk("24.0.1")];
        assert_eq!(newest_lts(&jdks, 11).expect("there").major, 17);
        assert_eq!(newest_lts(&jdks, 21).expect("there").major, 24);
        assert!(newest_lts(&jdks, 25).is_err());
        assert!(is_lts(21) && is_lts(25) && !is_lts(19) && !is_lts(10));
    }

    #[test]
    fn this_machines_are_found_once_each() {
        let jdks = jdks();
        let mut homes: Vec<&PathBuf> = jdks.iter().map(|jdk| &jdk.home).collect();
        homes.sort_unstable();
        homes.dedup();
        assert_eq!(homes.len(), jdks.len());
        assert!(jdks.iter().all(|jdk| jdk.java().is_file()));
    }
}
