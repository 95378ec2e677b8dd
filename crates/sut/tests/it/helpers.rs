//! The Java programs that attach to a server: they are compiled once, and say the same where they cannot be compiled.

use crate::common::{GO_ON, files, guard, jdk, spec, start};
use model::units::Bytes;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
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
    spec.jvm.heap = Bytes(16 << 20);
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
        assert_eq!(seen.keeper, None, "nothing keeps more than half of what lives in a Tomcat");
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

/// A program that keeps 4 MiB in a map, writes a dump of its heap, and tells what keeps most.
const KEPT: &str = r#"
import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

class Kept {
    static final Map<Integer, byte[]> PAGES = new HashMap<>();

    public static void main(String[] arguments) throws Exception {
        for (int page = 0; page < 1024; page++) {
            PAGES.put(page, new byte[4096]);
        }
        Path file = Path.of(arguments[0]);
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(file.toString(), true);
        Keepers.tell(file);
    }
}
"#;

#[test]
fn what_keeps_a_heap_is_found_in_its_dump() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    fs::write(here.join("Kept.java"), KEPT).expect("written");
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/server");
    let home = jdk().home;
    let ran = Command::new(home.join("bin/javac"))
        .args(["-d", "classes", "Kept.java", "--source-path"])
        .arg(&programs)
        .current_dir(here)
        .status()
        .expect("javac");
    assert!(ran.success());
    let told = Command::new(home.join("bin/java"))
        .args(["-Xmx32m", "-cp", "classes", "Kept", "heap.hprof"])
        .current_dir(here)
        .output()
        .expect("java");
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let keeper: Vec<&str> =
        told.lines().find(|line| line.starts_with("keeper")).expect(&told).split('\t').collect();
    let number = |at: usize| keeper[at].parse::<u64>().expect("bytes");
    assert!(number(1) > 4 << 20 && 2 * number(1) > number(2), "{told}");
    assert!(keeper.contains(&"Kept.PAGES"), "{told}");
    assert!(told.contains("kept\tbyte[]\t1024\t"), "{told}");
}
