//! Compares the performance data of real JVMs with what these JVMs report through their management interface.

use model::units::{Bytes, Nanos};
use probe::jvm::{JvmTotals, PerfData};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use sut::Jdk;

/// A Java program. For each byte on stdin it makes garbage, and then prints the number of collections, their milliseconds,
/// and the milliseconds of the compiler.
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

/// A JVM that makes garbage on demand. It is killed when dropped.
struct GarbageJvm {
    child: Child,
    output: BufReader<ChildStdout>,
}

/// What the JVM reports about itself.
#[derive(Debug)]
struct JvmReport {
    collections: u64,
    /// Milliseconds in collections.
    gc_millis: u64,
    /// Milliseconds of the compilers; `None` without a compiler.
    jit_millis: Option<u64>,
}

impl GarbageJvm {
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
        let output = BufReader::new(child.stdout.take().expect("piped"));
        Self { child, output }
    }

    /// Makes garbage, and returns what the JVM reports after that.
    fn make_garbage(&mut self) -> JvmReport {
        let stdin = self.child.stdin.as_mut().expect("piped");
        stdin.write_all(b"\n").expect("a JVM that lives");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("an answer");
        let numbers: Vec<i64> = line.split_whitespace().map_while(|n| n.parse().ok()).collect();
        let [count, millis, compiled] = numbers[..] else {
            panic!("the JVM printed: {line:?}");
        };
        JvmReport {
            collections: count.unsigned_abs(),
            gc_millis: millis.unsigned_abs(),
            jit_millis: u64::try_from(compiled).ok(),
        }
    }
}

impl Drop for GarbageJvm {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Compiles the program with the oldest of these JDKs, so that all can run it. Returns the folder with its class.
fn compile(jdks: &[Jdk]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("Garbage.java");
    std::fs::write(&source, GARBAGE).expect("written");
    let javac = jdks[0].home.join("bin/javac");
    let status = Command::new(javac).arg("-d").arg(folder.path()).arg(source).status();
    assert!(status.expect("javac").success());
    folder
}

/// The JDKs of this machine from version 17 on.
fn jdks() -> Vec<Jdk> {
    let mut jdks = sut::jdk::jdks();
    jdks.retain(|jdk| jdk.major >= 17 && jdk.is_full());
    assert!(!jdks.is_empty(), "the tests need a JDK 17 or newer");
    jdks
}

/// True when both agree. They are sums of the same times, but a management bean truncates the time of each collection to
/// whole milliseconds.
fn agree(report: &JvmReport, totals: &JvmTotals) -> bool {
    let is_near = |millis: u64, time: Nanos, tolerance: f64| {
        let (millis, read) = (millis as f64, time.as_secs_f64() * 1e3);
        (read - millis).abs() <= tolerance + 0.1 * millis
    };
    let jit_agrees = match (report.jit_millis, totals.jit_time) {
        (Some(millis), Some(time)) => is_near(millis, time, 30.0),
        (None, None) => true,
        _ => false,
    };
    let tolerance = 2.0 * report.collections as f64;
    totals.gc_count == report.collections
        && is_near(report.gc_millis, totals.gc_time, tolerance)
        && jit_agrees
}

/// Repeats the comparison until report and totals agree, because a compiler or a collector may be active between the two.
fn assert_agreement(what: &str, jvm: &mut GarbageJvm) -> JvmTotals {
    let data = PerfData::of(jvm.child.id()).expect("readable").expect("a JVM has it");
    let began = Instant::now();
    loop {
        let (report, totals) = (jvm.make_garbage(), data.now().expect("a reading"));
        if agree(&report, &totals) && totals.gc_count > 0 && totals.gc_time > Nanos(0) {
            return totals;
        }
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{what}: it reports {report:?}, its performance data is {totals:?}"
        );
    }
}

#[test]
fn totals_agree_with_what_the_jvm_reports() {
    let jdks = jdks();
    let classes = compile(&jdks);
    for jdk in &jdks {
        for collector in ["Serial", "Parallel", "G1", "Z"] {
            let what = format!("JDK {}, {collector}", jdk.version);
            let mut jvm = GarbageJvm::start(jdk, classes.path(), &[&format!("-XX:+Use{collector}GC")]);
            jvm.make_garbage();
            let first = assert_agreement(&what, &mut jvm);
            let second = assert_agreement(&what, &mut jvm);
            assert!(second.gc_count > first.gc_count && second.gc_time > first.gc_time, "{what}");
            assert!(second.jit_time >= first.jit_time && first.jit_time > Some(Nanos(0)), "{what}");
            assert!(
                second.heap_capacity >= second.heap_used && second.heap_used > Some(Bytes(10_000)),
                "{what}: {second:?}"
            );
            assert!(second.classes > Some(300) && second.threads > Some(0), "{what}: {second:?}");
            // Every pause of a collection is a safepoint.
            assert!(second.safepoints.is_none_or(|points| points > 0), "{what}: {second:?}");
        }
    }
}

#[test]
fn a_jvm_without_performance_data_or_without_a_compiler_has_none() {
    let jdks = jdks();
    let classes = compile(&jdks);
    for option in ["-XX:-UsePerfData", "-XX:+PerfDisableSharedMem"] {
        let mut jvm = GarbageJvm::start(&jdks[0], classes.path(), &[option]);
        jvm.make_garbage();
        assert!(PerfData::of(jvm.child.id()).expect("readable").is_none(), "{option}");
    }
    let mut interpreted = GarbageJvm::start(&jdks[0], classes.path(), &["-Xint"]);
    interpreted.make_garbage();
    assert_eq!(assert_agreement("-Xint", &mut interpreted).jit_time, None);
}
