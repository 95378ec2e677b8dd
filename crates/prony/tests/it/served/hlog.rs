//! The Java HdrHistogram library reads `load.hlog`.

use crate::home::{BRIEF_JVM, Home};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testkit::{Reply, Script, ScriptedServer};

const LIBRARY: &str = "org.hdrhistogram:HdrHistogram:2.2.2";
/// A Java program that adds up all histograms of a tag and prints the figures that the report has, in seconds.
const READER: &str = r#"
import org.HdrHistogram.*;

public class Read {
    public static void main(String[] arguments) throws Exception {
        for (String tag : new String[] {"response", "service"}) {
            Histogram all = new Histogram(3_600_000_000_000L, 3);
            try (HistogramLogReader reader = new HistogramLogReader(arguments[0])) {
                for (EncodableHistogram one; (one = reader.nextIntervalHistogram()) != null; ) {
                    if (tag.equals(one.getTag())) {
                        all.add((AbstractHistogram) one);
                    }
                }
            }
            System.out.println(tag + "_count " + all.getTotalCount());
            System.out.println(tag + "_mean " + all.getMean() / 1e9);
            System.out.println(tag + "_max " + all.getMaxValue() / 1e9);
            for (String p : new String[] {"50", "75", "90", "95", "99", "99.9"}) {
                System.out.println(tag + "_p" + p + " " + all.getValueAtPercentile(Double.parseDouble(p)) / 1e9);
            }
        }
    }
}
"#;

/// Returns the path of the library, which the user's Maven fetches once.
fn library() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hdrhistogram");
    let jar = folder.join("HdrHistogram-2.2.2.jar");
    if !jar.is_file() {
        let maven = std::env::var_os("PRONY_MVN").unwrap_or_else(|| "mvn".into());
        let fetched = Command::new(maven)
            .args(["-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"])
            .arg(format!("-Dartifact={LIBRARY}"))
            .arg(format!("-DoutputDirectory={}", folder.display()))
            .current_dir(env!("CARGO_TARGET_TMPDIR"))
            .status();
        assert!(fetched.expect("Maven").success());
    }
    jar
}

/// Returns the figures that the Java program reads in the log.
fn read_by_java(home: &Home, log: &Path) -> BTreeMap<String, f64> {
    let jdks = sut::jdk::jdks();
    let jdk = jdks.iter().rfind(|jdk| jdk.is_full() && jdk.major >= 17);
    let output = Command::new(jdk.expect("the tests need a JDK 17 or newer").java())
        .args(BRIEF_JVM)
        .arg("-cp")
        .arg(library())
        .arg(home.file("Read.java", READER))
        .arg(log)
        .output()
        .expect("a JVM");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("ASCII");
    let values = text.lines().filter_map(|line| line.split_once(' '));
    values.map(|(name, value)| (name.to_owned(), value.parse().expect("a number"))).collect()
}

#[test]
fn java_reads_the_percentiles_of_the_report_in_the_log() {
    // The stall lasts beyond the end of the load: requests that were due before it and answered later must be in the log, too.
    let script = Script::new(Reply::ok("hi").after(Duration::from_millis(1)));
    let server =
        ScriptedServer::start(script.stall(Duration::from_millis(1200), Duration::from_millis(1200)))
            .expect("a server");
    let home = Home::empty();
    let out = home.cache().join("out");
    let (address, folder) = (server.address().to_string(), out.to_str().expect("UTF-8"));
    let ended = home.run(&[
        "load",
        &address,
        "-c",
        "8",
        "-R",
        "500",
        "--constant",
        "-d",
        "2s",
        "--json",
        "--out",
        folder,
    ]);
    let report: Value = serde_json::from_str(&ended.stdout).expect("report.json");
    let level = &report["arms"][0]["levels"][0];
    assert_eq!(level["counts"]["faults"], Value::Object(serde_json::Map::new()), "{}", ended.stdout);
    let read = read_by_java(&home, &out.join("load.hlog"));
    let measures = level["measures"].as_object().expect("measures");
    let mut compared = 0;
    for (name, value) in read.iter().filter(|(name, _)| !name.ends_with("_count")) {
        let ours = measures[name]["value"].as_f64().expect("a number");
        assert!((value / ours - 1.0).abs() < 1e-3, "{name}: Java reads {value} s, we report {ours} s");
        compared += 1;
    }
    // At least the median, the upper quartile, the mean and the maximum of both times.
    assert!(compared >= 8, "{measures:?}");
    assert_eq!(read["response_count"], read["service_count"]);
    let counted = level["counts"]["requests"].as_f64().expect("a number");
    assert!(read["response_count"] > counted, "{counted}: {read:?}");
    // All that were due: 500 a second for two seconds.
    assert!((998.0..=1002.0).contains(&read["response_count"]), "{read:?}");
    assert!(read["response_max"] > 0.5, "{read:?}");
}
