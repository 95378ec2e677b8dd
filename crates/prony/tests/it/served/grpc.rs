//! Calls of gRPC to a server of grpc-java, which Maven builds: by `prony load`, and in a run that compares two of them.
//!
//! Real servers: what encodes, streams and refuses here is not ours.

use crate::home::{BRIEF_JVM, Ended, Home, counts, wait_for};
use serde_json::Value;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use testkit::{Started, count_started};

/// The sources of the server, as paths in its folder.
const SOURCES: [&str; 3] = ["pom.xml", "src/main/proto/shop.proto", "src/main/java/shop/Main.java"];
/// The set of descriptors that protoc has written.
const DESCRIPTORS: &str = "target/generated-resources/protobuf/descriptor-sets/orders.binpb";

/// Returns the folder of the server with its jar, which is built when its sources have changed.
fn built(home: &Home) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/served/grpc");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("grpc");
    let is_current = |name: &&str| fs::read(sources.join(name)).ok() == fs::read(folder.join(name)).ok();
    if folder.join("target/orders.jar").is_file() && SOURCES.iter().all(is_current) {
        return folder;
    }
    fs::remove_dir_all(&folder).ok();
    for name in SOURCES {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        fs::copy(sources.join(name), file).expect("copied");
    }
    let maven = std::env::var("PRONY_MVN").unwrap_or_else(|_| "mvn".to_owned());
    let output = home.command(&maven, &["-q", "-B", "package"]).current_dir(&folder).output();
    let ended = Ended::from(output.expect("Maven runs"));
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    folder
}

/// A server that ends with the test.
struct Shop {
    process: Child,
    url: String,
}

impl Shop {
    /// `secured` are the arguments for TLS: a certificate and its key.
    fn start(folder: &Path, secured: &[String]) -> Self {
        count_started(file!(), Started::Server, 1);
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port().to_string();
        drop(free);
        let jdk = sut::jdk::jdks().into_iter().rfind(|jdk| jdk.major >= 17).expect("a JDK");
        let process = Command::new(jdk.java())
            .args(BRIEF_JVM)
            .args(["-jar", "target/orders.jar", "127.0.0.1", &port])
            .args(secured)
            .current_dir(folder)
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

/// The counts of a load that was right, and its events.
fn right(ended: &Ended) -> (u64, Value) {
    assert!(matches!(ended.code, Some(0 | 7)), "{:?}: {}", ended.code, ended.stderr);
    let report: Value = serde_json::from_str(&ended.stdout).expect("report.json");
    let level = &report["arms"][0]["levels"][0];
    assert_eq!(level["counts"]["faults"], serde_json::json!({}), "{level}");
    (level["counts"]["ok"].as_u64().expect("a count"), level["events"].clone())
}

#[test]
fn a_server_of_grpc_java_is_called_and_compared() {
    let home = Home::with_downloads();
    let folder = built(&home);
    let shop = Shop::start(&folder, &[]);
    let proto = folder.join("src/main/proto/shop.proto");
    let proto = proto.to_str().expect("UTF-8");
    let load = |method: &str, message: &str, more: &[&str]| {
        let call = ["load", &shop.url, "--grpc", method, "--message", message, "-c", "4", "--json"];
        home.run(&[&call[..], more].concat())
    };
    let proto = ["--proto", proto, "-n", "200"];

    let place = "shop.Orders/Place";
    let tea = r#"{"item": "tea", "count": 1}"#;
    assert_eq!(right(&load(place, tea, &proto)).0, 200);
    let descriptors = folder.join(DESCRIPTORS);
    let descriptors = ["--descriptors", descriptors.to_str().expect("UTF-8"), "-n", "200"];
    assert_eq!(right(&load(place, tea, &descriptors)).0, 200);

    let refused = load(place, "{}", &proto);
    assert_eq!(refused.code, Some(7), "{}", refused.stderr);
    let status = "the status of gRPC was 3 INVALID_ARGUMENT: an order has an item";
    assert!(refused.stderr.contains("200 wrong_grpc_status"), "{}", refused.stderr);
    assert!(refused.stderr.contains(status), "{}", refused.stderr);
    let expected = [&proto[..], &["--grpc-status", "INVALID_ARGUMENT"]].concat();
    assert_eq!(right(&load(place, "{}", &expected)).0, 200);
    let unknown = load("shop.Orders/Plaice", tea, &proto);
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("did you mean `Place`?"), "{}", unknown.stderr);

    let five = [&proto[..], &["--events", "5"]].concat();
    let (answers, events) = right(&load("shop.Orders/Watch", r#"{"count": 5}"#, &five));
    assert_eq!((answers, events["events"].as_u64()), (200, Some(1000)), "{events}");

    // The server knows the deadline, too, and may end the stream before prony does.
    let late = [&proto[..2], &["-n", "4", "--deadline", "200ms"]].concat();
    let late = load(place, r#"{"item": "tea", "patience": "2s"}"#, &late);
    assert_eq!(late.code, Some(7), "{}", late.stderr);
    let ends = ["response_timeout", "stream_reset"];
    assert!(ends.iter().any(|word| late.stderr.contains(word)), "{}", late.stderr);
    let agents = [&proto[..], &["--fleet", "local", "--agents", "2"]].concat();
    assert_eq!(right(&load(place, tea, &agents)).0, 200);
    drop(shop);

    is_called_over_tls(&home, &folder);
    compares(&home, &folder);
}

/// Calls a server that speaks HTTP/2 by ALPN, and whose certificate is checked.
fn is_called_over_tls(home: &Home, folder: &Path) {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let strange = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let strange = home.file("strange.pem", &strange.cert.pem());
    let certificate = home.file("certificate.pem", &made.cert.pem());
    let key = home.file("key.pem", &made.signing_key.serialize_pem());
    let shop = Shop::start(folder, &[certificate.clone(), key]);
    let proto = folder.join("src/main/proto/shop.proto");
    let call = [
        &[
            "load",
            shop.url.as_str(),
            "--grpc",
            "shop.Orders/Place",
            "--proto",
            proto.to_str().expect("UTF-8"),
        ][..],
        &["--message", r#"{"item": "tea"}"#, "-c", "4", "-n", "200", "--json"],
    ]
    .concat();
    assert_eq!(right(&home.run(&[&call[..], &["--cacert", &certificate]].concat())).0, 200);
    let unknown = home.run(&[&call[..], &["--cacert", &strange]].concat());
    assert_eq!(unknown.code, Some(7), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("certificate"), "{}", unknown.stderr);
}

/// Compares two starts of the server: it speaks no HTTP/1.1, and is ready when it speaks HTTP/2.
fn compares(home: &Home, folder: &Path) {
    let file = FILE.replace("FOLDER", folder.to_str().expect("UTF-8"));
    let ended = home.run(&["run", &home.file("calls.toml", &file), "--json"]);
    let report = ended.report();
    assert_eq!(report["question"], "Which is faster for gRPC shop.Orders/Place: one or other?");
    for arm in report["arms"].as_array().expect("arms") {
        let counted = &arm["levels"][0]["counts"];
        assert!(!counts(&report) || counted["ok"].as_u64() > Some(0), "{arm}");
        assert!(counted["faults"].as_object().is_none_or(serde_json::Map::is_empty), "{arm}");
    }
    let old = home.run(&["check", &home.file("old.toml", &file.replace("http = \"2\"", ""))]);
    assert_eq!(old.code, Some(2), "{}", old.stderr);
    assert!(old.stderr.contains("gRPC needs HTTP/2, and the arm `one` speaks HTTP/1.1"), "{}", old.stderr);
}

const FILE: &str = r#"
explain = "off"
arms = [
  { name = "one", server = "jar", jar = "FOLDER/target/orders.jar", arguments = ["{host}", "{port}"], jvm_options = "-XX:TieredStopAtLevel=1" },
  { name = "other", server = "jar", jar = "FOLDER/target/orders.jar", arguments = ["{host}", "{port}"], jvm_options = "-XX:TieredStopAtLevel=1", heap = "64M" },
]
[[request]]
grpc = "shop.Orders/Place"
proto = "FOLDER/src/main/proto/shop.proto"
message = { item = "tea", count = 1 }
[[request]]
grpc = "shop.Orders/Watch"
proto = "FOLDER/src/main/proto/shop.proto"
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
