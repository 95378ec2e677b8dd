//! What the performance data says of real JVMs, against what these JVMs say themselves.

use model::units::{Bytes, Nanos};
use probe::jvm::{JvmTotals, PerfData};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use sut::Jdk;

/// For each line on stdin: makes garbage, then answers with collections, their milliseconds, and those of the compiler.
const GARBAGE: &str = r#"
import java.lang.management.*;

public class Garbage {
    static volatile byte[] kept;

    public static void main(String[] arguments) throws Exception {
        while (System.in.read() >= 0) {
            for (int i = 0; i < 10_000; i++) {
                kept = new byte[10_000];
            }
            System.gc();
            long count = 0, millis = 0;
            for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
                // ZGC has beans for whole cycles too; what it counts in its performance data are pauses.
                if (!bean.getName().endsWith("Cycles")) {
                    count += bean.getCollectionCount();
                    millis += bean.getCollectionTime();
                }
            }
            CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
            long compiled = compiler == null ? -1 : compiler.getTotalCompilationTime();
            System.out.println(count + " " + millis + " " + compiled);
        }
    }
}
"#;

/// A JVM that makes garbage on demand; killed when dropped.
struct Garbage {
    child: Child,
    says: BufReader<ChildStdout>,
}

/// What the JVM says of itself: collections, milliseconds in them, milliseconds of its compilers.
#[derive(Debug)]
struct Said(u64, u64, Option<u64>);

impl Garbage {
    fn start(jdk: &Jdk, classes: &Path, options: &[&str]) -> Self {
        let mut child = Command::new(jdk.java())
            .args(["-Xmx64m", "-cp"])
            .arg(classes)
            .args(options)
            .arg("Garbage")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a JVM");
        let says = BufReader::new(child.stdout.take().expect("piped"));
        Self { child, says }
    }

    fn ask(&mut self) -> Said {
        let stdin = self.child.stdin.as_mut().expect("piped");
        stdin.write_all(b"\n").expect("a JVM that lives");
        let mut line = String::new();
        self.says.read_line(&mut line).expect("an answer");
        let numbers: Vec<i64> = line.split_whitespace().map_while(|n| n.parse().ok()).collect();
        let [count, millis, compiled] = numbers[..] else {
            panic!("the JVM said: {line:?}");
        };
        Said(
            count.unsigned_abs(),
            millis.unsigned_abs(),
            u64::try_from(compiled).ok(),
        )
    }
}

impl Drop for Garbage {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Compiled by the oldest of these, so that all can run it.
fn compiled(jdks: &[Jdk]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("Garbage.java");
    std::fs::write(&source, GARBAGE).expect("written");
    let javac = jdks[0].home.join("bin/javac");
    let done = Command::new(javac)
        .arg("-d")
        .arg(folder.path())
        .arg(source)
        .status();
    assert!(done.expect("javac").success());
    folder
}

/// Every JDK of 17 or newer on this machine.
fn jdks() -> Vec<Jdk> {
    let mut jdks = sut::jdk::jdks();
    jdks.retain(|jdk| jdk.major >= 17 && jdk.is_full());
    assert!(!jdks.is_empty(), "the tests need a JDK 17 or newer");
    jdks
}

/// Both accounts are sums of the same times; a bean cuts each collection to whole milliseconds.
fn agree(said: &Said, read: &JvmTotals) -> bool {
    let near = |millis: u64, time: Nanos, slack: f64| {
        let (millis, read) = (millis as f64, time.as_secs_f64() * 1e3);
        (read - millis).abs() <= slack + 0.1 * millis
    };
    let jit = match (said.2, read.jit_time) {
        (Some(millis), Some(time)) => near(millis, time, 30.0),
        (None, None) => true,
        _ => false,
    };
    read.gc_count == said.0 && near(said.1, read.gc_time, 2.0 * said.0 as f64) && jit
}

/// Asks until both accounts agree: what runs beside the application, a compiler or a collector, may go on between them.
fn assert_agreement(what: &str, jvm: &mut Garbage) -> JvmTotals {
    let data = PerfData::of(jvm.child.id())
        .expect("readable")
        .expect("a JVM has it");
    let began = Instant::now();
    loop {
        let (said, read) = (jvm.ask(), data.now().expect("a reading"));
        if agree(&said, &read) && read.gc_count > 0 && read.gc_time > Nanos(0) {
            return read;
        }
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{what}: it says {said:?}, we read {read:?}"
        );
    }
}

#[test]
fn collections_and_compiler_are_read_as_the_jvm_counts_them() {
    let jdks = jdks();
    let classes = compiled(&jdks);
    for jdk in &jdks {
        for collector in ["Serial", "Parallel", "G1", "Z"] {
            let what = format!("JDK {}, {collector}", jdk.version);
            let mut jvm = Garbage::start(jdk, classes.path(), &[&format!("-XX:+Use{collector}GC")]);
            jvm.ask();
            let first = assert_agreement(&what, &mut jvm);
            let second = assert_agreement(&what, &mut jvm);
            assert!(
                second.gc_count > first.gc_count && second.gc_time > first.gc_time,
                "{what}"
            );
            assert!(
                second.jit_time >= first.jit_time && first.jit_time > Some(Nanos(0)),
                "{what}"
            );
            assert!(
                second.heap_capacity >= second.heap_used && second.heap_used > Some(Bytes(10_000)),
                "{what}: {second:?}"
            );
            assert!(
                second.classes > Some(300) && second.threads > Some(0),
                "{what}: {second:?}"
            );
            // Every collection takes one at least, but for those of ZGC, whose pauses only are counted.
            assert!(
                second.safepoints.is_none_or(|points| points > 0),
                "{what}: {second:?}"
            );
        }
    }
}

#[test]
fn a_jvm_without_performance_data_or_without_a_compiler_says_so() {
    let jdks = jdks();
    let classes = compiled(&jdks);
    for option in ["-XX:-UsePerfData", "-XX:+PerfDisableSharedMem"] {
        let mut jvm = Garbage::start(&jdks[0], classes.path(), &[option]);
        jvm.ask();
        assert!(
            PerfData::of(jvm.child.id()).expect("readable").is_none(),
            "{option}"
        );
    }
    let mut interpreted = Garbage::start(&jdks[0], classes.path(), &["-Xint"]);
    interpreted.ask();
    assert_eq!(assert_agreement("-Xint", &mut interpreted).jit_time, None);
}
