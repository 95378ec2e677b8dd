//! Helpers of the tests: a cache that lasts between runs, an empty cache with a scripted Maven, and starts of servers.

use ask::arm::settings::Settings;
use model::units::Bytes;
use record::outcome::Effective;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use sut::programs::package;
use sut::{
    App, Catalog, CommandLine, Expected, Gc, Guard, Jdk, JvmOptions, Maven, Packaging, Pip, Program, Server,
    ServerSpec, Site, WorkFolder, jdk,
};
use testkit::{Started, count_started};

/// The time that a server may take to start: other tests start servers at the same time, on few cores.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(180);

/// A stop flag that is never raised.
pub(crate) static GO_ON: AtomicBool = AtomicBool::new(false);

/// The program that is the guard in these tests.
pub(crate) fn guard() -> Guard {
    Guard::new(env!("CARGO_BIN_EXE_sut-helper"), ["guard"])
}

/// A site with a Maven that starts quickly, and a cache that is kept, whose downloads and builds the tests of other crates use, too. Its name
/// has a space, so that code which cannot cope with one fails.
pub(crate) fn site() -> Site {
    static LINKED: Once = Once::new();
    let target = env!("CARGO_TARGET_TMPDIR");
    let cache = Path::new(target).join("sut cache");
    LINKED.call_once(|| testkit::link_downloads(&cache, target).expect("a cache"));
    let maven = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/counted-mvn");
    Site { guard: guard(), maven: Maven::at(maven), ..Site::new(cache) }
}

/// The settings in effect of a running server; the length of its accept queue comes from the kernel.
#[track_caller]
pub(crate) fn effective(server: &Server) -> Effective {
    count_started(Location::caller().file(), Started::Look, 1);
    let queue = probe::listener::accept_queue(server.addr().port());
    Effective {
        accept_count: queue.map(|queue| queue.limit.into()),
        ..sut::effective(server, &site(), &GO_ON).expect("asked")
    }
}

/// An empty cache, and a script as Maven; `$OUT` is the folder to copy to.
pub(crate) struct Stub {
    pub(crate) site: Site,
    folder: tempfile::TempDir,
}

impl Stub {
    pub(crate) fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("mvn");
        let parse = "for word; do case $word in -DoutputDirectory=*) OUT=${word#*=};; esac; done";
        let here = folder.path().display();
        fs::write(&program, format!("#!/bin/sh\nHERE='{here}'\n{parse}\n{script}\n")).expect("written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("set");
        let site = Site {
            maven: Maven::at(&program),
            pip: Pip::at(program),
            guard: guard(),
            ..Site::new(folder.path().join("cache"))
        };
        Self { site, folder }
    }

    /// A file next to the script, which knows the folder as `$HERE`.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Checks that the cache has nothing but empty folders and locks.
    pub(crate) fn assert_nothing_kept(&self) {
        let kept = files(&self.site.cache);
        let locks = [self.site.cache.join("locks"), self.site.cache.join("work/.lock")];
        let kept: Vec<_> =
            kept.iter().filter(|file| !locks.iter().any(|lock| file.starts_with(lock))).collect();
        assert!(kept.is_empty(), "{kept:?}");
        assert!(!self.site.cache.join("servers/tomcat-10.1.29").exists());
    }
}

/// All files below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.flatten().flat_map(|entry| below(entry.path())).collect()
}

/// Options of a JVM that starts quickly and takes little from the tests beside it.
pub(crate) fn light() -> JvmOptions {
    JvmOptions {
        gc: Some(Gc::Serial),
        extra: vec!["-XX:TieredStopAtLevel=1".to_owned()],
        ..JvmOptions::new(Bytes(64 << 20))
    }
}

/// A small server of ours that needs no JVM, for tests of what is the same for every program. It spends CPU time before it listens, and
/// then answers every request with this many bytes.
pub(crate) fn small_server(bytes: usize, cpu: Duration) -> ServerSpec {
    let words = [bytes.to_string(), cpu.as_millis().to_string()];
    let arguments = ["answer".to_owned(), "{port}".to_owned()].into_iter().chain(words);
    let program = Program::Command(CommandLine {
        program: env!("CARGO_BIN_EXE_sut-helper").into(),
        arguments: arguments.collect(),
        folder: None,
    });
    let ready = Expected {
        headers: Vec::new(),
        path: "/".to_owned(),
        body: Some(vec![b'x'; bytes]),
        any_answer: false,
        greets: false,
    };
    ServerSpec { timeout: TIMEOUT, ..ServerSpec::new("command", program, jdk(), ready) }
}

/// The specification of this version of Tomcat with its defaults, serving `hello`.
pub(crate) fn spec(version: &str) -> ServerSpec {
    spec_of(&format!("tomcat:{version}"), "hello")
}

/// The specification of this server with its defaults, serving this application.
pub(crate) fn spec_of(server: &str, app: &str) -> ServerSpec {
    spec_with(server, app, Settings::default())
}

/// Like [`spec_of`], with these settings. The options of its JVM make it start quickly; a test of options sets its own.
pub(crate) fn spec_with(server: &str, app: &str, settings: Settings) -> ServerSpec {
    let site = site();
    let catalog = Catalog::embedded();
    let release = catalog.lookup(server).expect("in the catalog");
    let app = App::find(app).expect("known");
    let packaging = Packaging::for_release(&release)
        .with_threads(&release, settings.threads)
        .with_http(&release, settings.http);
    let program = package(&packaging, &app, &site, &GO_ON, &mut |_| {})
        .and_then(|built| Program::obtain_with(&release, built, &site, &GO_ON, &mut |_| {}))
        .unwrap_or_else(|error| panic!("{error}: {:#?}", error.log()));
    let mut spec = ServerSpec::new(release.spec(), program, jdk(), app.default_answer().clone());
    spec.settings = settings;
    spec.jvm = light();
    spec.timeout = TIMEOUT;
    spec
}

/// The Java that tests run servers with.
pub(crate) fn jdk() -> Jdk {
    jdk::newest_lts(&jdk::jdks(), 17).expect("the tests need a JDK 17 or newer").clone()
}

/// A JDK of this feature release, installed or fetched.
pub(crate) fn java(release: u32) -> Jdk {
    let installed = jdk::newest_of(&jdk::jdks(), release).cloned();
    installed.unwrap_or_else(|_| jdk::fetched::fetch(release, &site(), &GO_ON).expect("fetched"))
}

/// Starts a server in a new work folder.
#[track_caller]
pub(crate) fn start(spec: &ServerSpec) -> Result<Server, sut::Error> {
    static SEED: AtomicU64 = AtomicU64::new(0);
    start_with(spec, SEED.fetch_add(1, Ordering::Relaxed), &GO_ON)
}

/// Starts a server in a new work folder of this seed, and counts it for the file of the test.
#[track_caller]
pub(crate) fn start_with(spec: &ServerSpec, seed: u64, stop: &AtomicBool) -> Result<Server, sut::Error> {
    let kind = match spec.program {
        Program::Command(_) => Started::Process,
        _ => Started::Server,
    };
    count_started(Location::caller().file(), kind, 1);
    let work = WorkFolder::create(&site().cache, seed).expect("made");
    Server::start(spec, work, &guard(), stop)
}

/// Whether the process is alive.
pub(crate) fn lives(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// Waits for something that happens soon.
pub(crate) fn eventually(what: &str, mut done: impl FnMut() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}
