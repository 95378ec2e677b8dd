//! The Java programs that attach to a server: they are compiled once, and say the same where they cannot be compiled.

use crate::common::{GO_ON, files, guard, jdk, spec, start};
use model::units::Bytes;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use sut::{Inspector, Jdk, Site, effective};

/// The JDK of the tests with a compiler that notes its calls in the file `calls` of this folder, and fails while there is a file `broken`.
fn watched(folder: &Path) -> Jdk {
    let (real, home) = (jdk(), folder.join("jdk"));
    fs::create_dir_all(home.join("bin")).expect("made");
    for file in ["bin/java", "release"] {
        symlink(real.home.join(file), home.join(file)).expect("linked");
    }
    let here = folder.display();
    let javac = real.home.join("bin/javac");
    let script = format!(
        "#!/bin/sh\necho call >> '{here}/calls'\ntest ! -e '{here}/broken' && exec '{}' \"$@\"\n",
        javac.display()
    );
    let path = home.join("bin/javac");
    fs::write(&path, script).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("set");
    Jdk { home, ..real }
}

#[test]
fn programs_are_compiled_once_and_say_the_same_where_they_cannot_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let mut spec = spec("10.1.29");
    spec.jdk = watched(here);
    // So small that much of it is live, and a heap dump is read.
    spec.jvm.heap = Bytes(24 << 20);
    let server = start(&spec).expect("started");
    let site = |cache: &str| Site { guard: guard(), ..Site::new(here.join(cache)) };
    let jars = |site: &Site| {
        let mut files = files(&site.cache);
        files.retain(|file| file.extension().is_some_and(|end| end == "jar"));
        files.len()
    };
    let calls = || fs::read_to_string(here.join("calls")).unwrap_or_default().lines().count();
    let look = |site: &Site| {
        let mut inspector = Inspector::attach(&server, site, &GO_ON).expect("attached").expect("a JVM");
        let idle = inspector.idle(&GO_ON).expect("answered");
        assert!(idle.threads.is_some_and(|threads| threads.dumps > 0) && idle.held.is_some());
        inspector.begin().expect("begun");
        inspector.end().expect("ended");
        let seen = inspector.results(&GO_ON).expect("answered");
        let keeper = seen.keeper.expect("a heap dump");
        let live = seen.held_after.and_then(|held| held.live).expect("the JVM's own count");
        let part = keeper.live.0 as f64 / live.0 as f64;
        assert!((0.7..1.4).contains(&part), "{live} {keeper:?}");
        assert!(2 * keeper.kept.0 > keeper.live.0 && keeper.kept <= keeper.live, "{keeper:?}");
        assert!(!keeper.classes.is_empty() && !keeper.fields.contains(&"-".to_owned()), "{keeper:?}");
    };

    let able = site("a cache");
    let compiled = effective(&server, &able, &GO_ON).expect("asked");
    assert_eq!((calls(), jars(&able)), (1, 1));
    assert_eq!(effective(&server, &able, &GO_ON).expect("asked"), compiled);
    look(&able);
    assert_eq!((calls(), jars(&able)), (1, 1), "one call compiles all programs");

    fs::write(here.join("broken"), "").expect("written");
    let unable = site("unable");
    assert_eq!(effective(&server, &unable, &GO_ON).expect("asked"), compiled);
    look(&unable);
    assert_eq!((calls(), jars(&unable)), (3, 0));
    // These come from no log, but from the program alone.
    assert_eq!((compiled.max_threads, compiled.gc.as_deref()), (Some(200), Some("Serial")));
    server.stop().expect("stopped");
}
