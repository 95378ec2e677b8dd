//! Calls of gRPC to a server of grpc-java, which Maven builds: by `prony load`, and in a run that compares two of them. `measured::grpc` calls
//! the other servers.
//!
//! Real servers: what encodes, streams and refuses here is not ours.

use crate::home::{BRIEF_JVM, Ended, Home, counts, wait_for};
use serde_json::Value;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use testkit::{Started, count_started};

/// The servers, which have one proto and one service. Each is a folder of the sources, and a jar with its name.
pub(crate) const SERVERS: [&str; 3] = ["grpc-java", "armeria", "quarkus"];
/// The sources of the servers, as paths in their folder.
const SOURCES: [&str; 12] = [
    "pom.xml",
    "shop/pom.xml",
    "shop/src/main/proto/shop.proto",
    "shop/src/main/java/shop/ShopService.java",
    "grpc-java/pom.xml",
    "grpc-java/src/main/java/shop/java/Main.java",
    "armeria/pom.xml",
    "armeria/src/main/java/shop/armeria/Main.java",
    "quarkus/pom.xml",
    "quarkus/src/main/java/shop/quarkus/Main.java",
    "quarkus/src/main/java/shop/quarkus/Orders.java",
    "quarkus/src/main/resources/application.properties",
];
/// What describes the service.
const PROTO: &str = "shop/src/main/proto/shop.proto";
/// The set of descriptors that protoc has written.
const DESCRIPTORS: &str = "shop/target/generated-resources/protobuf/descriptor-sets/shop.binpb";

/// Returns the folder of the servers with the jars of these, which are built when the sources have changed.
pub(crate) fn built(home: &Home, servers: &[&str]) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/served/grpc");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("grpc");
    let is_current = |name: &&str| fs::read(sources.join(name)).ok() == fs::read(folder.join(name)).ok();
    let are_current = SOURCES.iter().all(is_current);
    if are_current && servers.iter().all(|server| jar(&folder, server).is_file()) {
        return folder;
    }
    if !are_current {
        fs::remove_dir_all(&folder).ok();
    }
    for name in SOURCES {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        fs::copy(sources.join(name), file).expect("copied");
    }
    let maven = std::env::var("PRONY_MVN").unwrap_or_else(|_| "mvn".to_owned());
    let profile: &[&str] = if servers == ["grpc-java"] { &[] } else { &["-P", "all"] };
    let arguments = [&["-q", "-B", "package"][..], profile].concat();
    let output = home.command(&maven, &arguments).current_dir(&folder).output();
    let ended = Ended::from(output.expect("Maven runs"));
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    folder
}

/// The jar of a server.
fn jar(folder: &Path, server: &str) -> PathBuf {
    folder.join(server).join("target").join(format!("{server}.jar"))
}

/// A server that ends with the test.
pub(crate) struct Shop {
    process: Child,
    pub(crate) url: String,
}

impl Shop {
    /// `secured` are the arguments for TLS: a certificate and its key.
    #[track_caller]
    pub(crate) fn start(folder: &Path, server: &str, secured: &[String]) -> Self {
        count_started(Location::caller().file(), Started::Server, 1);
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port().to_string();
        drop(free);
        let jdk = sut::jdk::jdks().into_iter().rfind(|jdk| jdk.major >= 17).expect("a JDK");
        let process = Command::new(jdk.java())
            .args(BRIEF_JVM)
            .arg("-jar")
            .arg(jar(folder, server))
            .args(["127.0.0.1", &port])
            .args(secured)
            .stderr(Stdio::null())
            .spawn();
        let address = format!("127.0.0.1:{port}");
        wait_for("the shop", 30, || TcpStream::connect(&address).is_ok());
        let scheme = if secured.is_empty() { "http" } else { "https" };
        Self { process: process.expect("a JVM"), url: format!("{scheme}://{address}") }
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Calls a method of a server, with further arguments.
pub(crate) fn load(home: &Home, folder: &Path, url: &str, call: (&str, &str), more: &[&str]) -> Ended {
    let proto = folder.join(PROTO);
    let described = ["--proto", proto.to_str().expect("UTF-8")];
    let (method, message) = call;
    let called = ["load", url, "--grpc", method, "--message", message, "-c", "4", "--json"];
    // A set of descriptors takes the place of the proto.
    let described = if more.contains(&"--descriptors") { &[][..] } else { &described[..] };
    home.run(&[&called[..], described, more].concat())
}

/// The counts of a load that was right, and its events.
pub(crate) fn right(ended: &Ended) -> (u64, Value) {
    assert!(matches!(ended.code, Some(0 | 7)), "{:?}: {}", ended.code, ended.stderr);
    let report: Value = serde_json::from_str(&ended.stdout).expect("report.json");
    let level = &report["arms"][0]["levels"][0];
    assert_eq!(level["counts"]["faults"], serde_json::json!({}), "{level}");
    (level["counts"]["ok"].as_u64().expect("a count"), level["events"].clone())
}

#[test]
fn a_server_of_grpc_java_is_called_and_compared() {
    let home = Home::with_downloads();
    let folder = built(&home, &SERVERS[..1]);
    let shop = Shop::start(&folder, SERVERS[0], &[]);
    answers(&home, &folder, &shop.url, &[]);

    let load = |call: (&str, &str), more: &[&str]| load(&home, &folder, &shop.url, call, more);
    let descriptors = folder.join(DESCRIPTORS);
    let descriptors = ["--descriptors", descriptors.to_str().expect("UTF-8"), "-n", "200"];
    assert_eq!(right(&load(TEA, &descriptors)).0, 200);
    let unknown = load(("shop.Orders/Plaice", TEA.1), &["-n", "200"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("did you mean `Place`?"), "{}", unknown.stderr);
    let agents = load(TEA, &["-n", "200", "--fleet", "local", "--agents", "2"]);
    assert_eq!(right(&agents).0, 200);
    drop(shop);

    is_called_over_tls(&home, &folder);
    compares(&home, &folder);
}

/// A call, with its message.
const TEA: (&str, &str) = ("shop.Orders/Place", r#"{"item": "tea", "count": 1}"#);

/// Asserts that a server answers calls rightly, refuses them with a status, streams, and is given up at a deadline. `trust` are the arguments
/// for its certificate.
pub(crate) fn answers(home: &Home, folder: &Path, url: &str, trust: &[&str]) {
    let load = |call: (&str, &str), more: &[&str]| load(home, folder, url, call, &[trust, more].concat());
    assert_eq!(right(&load(TEA, &["-n", "200"])).0, 200);

    let nothing = (TEA.0, "{}");
    let refused = load(nothing, &["-n", "200"]);
    assert_eq!(refused.code, Some(7), "{}", refused.stderr);
    let status = "the status of gRPC was 3 INVALID_ARGUMENT: an order has an item";
    assert!(refused.stderr.contains("200 wrong_grpc_status"), "{}", refused.stderr);
    assert!(refused.stderr.contains(status), "{}", refused.stderr);
    let expected = load(nothing, &["-n", "200", "--grpc-status", "INVALID_ARGUMENT"]);
    assert_eq!(right(&expected).0, 200);

    let five = load(("shop.Orders/Watch", r#"{"count": 5}"#), &["-n", "200", "--events", "5"]);
    let (answers, events) = right(&five);
    assert_eq!((answers, events["events"].as_u64()), (200, Some(1000)), "{events}");

    // The server knows the deadline, too, and may end the call in its own way before prony does.
    let patient = (TEA.0, r#"{"item": "tea", "patience": "1s"}"#);
    let late = load(patient, &["-n", "4", "--deadline", "200ms"]);
    assert_eq!(late.code, Some(7), "{}", late.stderr);
    assert!(late.stderr.contains("4 response_timeout"), "{}", late.stderr);
}

/// The files of a certificate for this machine, and of its key.
pub(crate) fn certificate(home: &Home) -> [String; 2] {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    [home.file("certificate.pem", &made.cert.pem()), home.file("key.pem", &made.signing_key.serialize_pem())]
}

/// Calls a server that speaks HTTP/2 by ALPN, and whose certificate is checked.
fn is_called_over_tls(home: &Home, folder: &Path) {
    let strange = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let strange = home.file("strange.pem", &strange.cert.pem());
    let secured = certificate(home);
    let shop = Shop::start(folder, SERVERS[0], &secured);
    let load = |trusted: &str| load(home, folder, &shop.url, TEA, &["-n", "200", "--cacert", trusted]);
    assert_eq!(right(&load(&secured[0])).0, 200);
    let unknown = load(&strange);
    assert_eq!(unknown.code, Some(7), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("certificate"), "{}", unknown.stderr);
}

/// Compares two starts of the server, in clear text and over TLS: it speaks no HTTP/1.1, and is ready when it speaks HTTP/2.
fn compares(home: &Home, folder: &Path) {
    let arms = [arm("one", SERVERS[0], false), arm("other", SERVERS[0], true)];
    let report = compared(home, folder, &arms);
    assert_eq!(report["question"], "Which is faster for gRPC shop.Orders/Place: one or other?");
    let old = experiment(folder, &arms).replace("http = \"2\"", "");
    let old = home.run(&["check", &home.file("old.toml", &old)]);
    assert_eq!(old.code, Some(2), "{}", old.stderr);
    assert!(old.stderr.contains("gRPC needs HTTP/2, and the arm `one` speaks HTTP/1.1"), "{}", old.stderr);
}

/// An arm with this server, in an experiment.
pub(crate) fn arm(name: &str, server: &str, is_encrypted: bool) -> String {
    let (files, tls) = match is_encrypted {
        true => (r#", "{certificate}", "{key}""#, r#", tls = "own""#),
        false => ("", ""),
    };
    format!(
        r#"  {{ name = "{name}", server = "jar", jar = "FOLDER/{server}/target/{server}.jar", arguments = ["{{host}}", "{{port}}"{files}], jvm_options = "-XX:TieredStopAtLevel=1"{tls} }},"#
    )
}

/// The file of an experiment with these arms.
fn experiment(folder: &Path, arms: &[String]) -> String {
    FILE.replace("ARMS", &arms.join("\n")).replace("FOLDER", folder.to_str().expect("UTF-8"))
}

/// Returns the report of a run with these arms, and checks that no arm has answered wrongly.
pub(crate) fn compared(home: &Home, folder: &Path, arms: &[String]) -> Value {
    let ended = home.run(&["run", &home.file("calls.toml", &experiment(folder, arms)), "--json"]);
    let report = ended.report();
    let told = report["arms"].as_array().expect("arms");
    assert_eq!(told.len(), arms.len());
    for arm in told {
        let counted = &arm["levels"][0]["counts"];
        assert!(!counts(&report) || counted["ok"].as_u64() > Some(0), "{arm}");
        assert!(counted["faults"].as_object().is_none_or(serde_json::Map::is_empty), "{arm}");
    }
    report
}

const FILE: &str = r#"
explain = "off"
arms = [
ARMS
]
[[request]]
grpc = "shop.Orders/Place"
proto = "FOLDER/shop/src/main/proto/shop.proto"
message = { item = "tea", count = 1 }
[[request]]
grpc = "shop.Orders/Watch"
proto = "FOLDER/shop/src/main/proto/shop.proto"
message = { count = 3 }
events = 3
[load]
connections = 2
http = "2"
[design]
starts = 5
budget = "1s"
pairs = 2
slice = "200ms"
warmup = "500ms"
warmup_cap = "500ms"
latency_pairs = 0
"#;
