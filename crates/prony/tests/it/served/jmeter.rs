//! JMeter's dashboard generator reads a stored run.
//!
//! Real servers: none is started, a stored run names one.

use crate::home::{BRIEF_JVM, Home};
use crate::plain::stored::{record, stored};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The parts of JMeter that run plans with HTTP requests and write the dashboard.
const MODULES: [&str; 6] = ["core", "config", "http", "java", "functions", "components"];

/// Returns the home of JMeter, which the user's Maven fetches once: `lib/`, and `bin/` with its settings and the template of the
/// dashboard.
pub(crate) fn jmeter(jdk: &sut::jdk::Jdk) -> &'static Path {
    static HOME: OnceLock<PathBuf> = OnceLock::new();
    HOME.get_or_init(|| fetched(jdk))
}

fn fetched(jdk: &sut::jdk::Jdk) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("jmeter-http-5.6.3");
    if folder.join("bin/report-template").is_dir() {
        return folder;
    }
    let module = |name: &str| {
        format!(
            "<dependency><groupId>org.apache.jmeter</groupId><artifactId>ApacheJMeter_{name}</artifactId>\
             <version>5.6.3</version></dependency>"
        )
    };
    let modules: String = MODULES.into_iter().map(module).collect();
    let pom = format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>prony</groupId><artifactId>jmeter</artifactId>\
         <version>1</version><packaging>pom</packaging><dependencies>{modules}</dependencies></project>"
    );
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("pom.xml"), pom).expect("a file");
    let maven = std::env::var_os("PRONY_MVN").unwrap_or_else(|| "mvn".into());
    let copied = Command::new(maven)
        .args(["-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"])
        .arg("-DoutputDirectory=lib")
        .current_dir(&folder)
        .status();
    assert!(copied.expect("Maven").success());
    let unpacked = Command::new(jdk.home.join("bin/jar"))
        .args(["xf", "lib/ApacheJMeter_config-5.6.3.jar", "bin"])
        .current_dir(&folder)
        .status();
    assert!(unpacked.expect("a JDK").success());
    folder
}

/// Returns the figures of the dashboard for each label.
fn dashboard(home: &Home, jtl: &str) -> Value {
    let jdks = sut::jdk::jdks();
    let jdk = jdks.iter().rfind(|jdk| jdk.is_full() && jdk.major >= 17);
    let jdk = jdk.expect("the tests need a JDK 17 or newer");
    let jmeter = jmeter(jdk);
    let out = home.data().join("dashboard");
    let output = Command::new(jdk.java())
        .args(BRIEF_JVM)
        .arg("-cp")
        .arg(jmeter.join("lib/*"))
        .arg(format!("-Djmeter.home={}", jmeter.display()))
        .args(["org.apache.jmeter.NewDriver", "-g", jtl, "-o"])
        .arg(&out)
        .args(["-j", &home.file("jmeter.log", "")])
        .output()
        .expect("a JVM");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && out.join("index.html").is_file(), "{stdout}");
    let statistics = std::fs::read(out.join("statistics.json")).expect("the dashboard's figures");
    serde_json::from_slice(&statistics).expect("JSON")
}

#[test]
fn the_dashboard_of_jmeter_shows_a_stored_run() {
    let home = Home::empty();
    stored(&home, &record(&[]));
    let jtl = home.run(&["report", "--format", "jtl"]);
    assert_eq!(jtl.code, Some(0), "{}", jtl.stderr);
    let figures = dashboard(&home, &home.file("run.jtl", &jtl.stdout));
    // Seven starts count, each with two quads of two slices of the arm, and a slice has a hundred requests in its histogram.
    let closed = &figures["tomcat:9.0.95, 32 connections"];
    assert_eq!((&closed["sampleCount"], &closed["errorCount"]), (&2800.into(), &0.into()), "{figures}");
    assert_eq!(figures["tomcat:10.1.29, 12000 per second"]["sampleCount"], 1400, "{figures}");
    // The times of a slice are 0.02 to 2 ms; rounded to milliseconds, their mean is 1.
    let mean = closed["meanResTime"].as_f64().expect("a number");
    assert!((0.9..=1.1).contains(&mean) && closed["maxResTime"] == 2.0, "{closed}");
    assert_eq!(figures["Total"]["sampleCount"], 8400);
}
