//! A jar of the user's as a native program. GraalVM is not needed: in its place stands a script that takes the arguments of native-image
//! and makes a server in Python, which answers as the compiled program would. What GraalVM itself does with a jar is not seen here.

use crate::fixture::with_arms;
use crate::home::{Ended, Home, counts};
use crate::served::users_apps::tool;
use std::path::Path;
use std::sync::OnceLock;

/// A Java server that answers every request with `mine`, on the port in its argument.
const JAR: &str = r#"
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

class Mine {
    public static void main(String[] words) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(words[0])), 100);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 4);
            exchange.getResponseBody().write("mine".getBytes());
            exchange.close();
        });
        server.start();
    }
}
"#;

/// The stand-in for native-image. It counts how often it compiles, and fails for a jar whose name says so.
const COMPILER: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then
    echo "native-image 25.0.1 2025-10-21 (stand-in)"
    exit
fi
[ "$1 $2 $4" = "--no-fallback -jar -o" ] || exit 2
case $3 in
    *bad.jar) echo "Error: Unsupported features in 3 methods"; exit 1 ;;
esac
echo compiled >> "$(dirname "$0")/count"
cat > "$5" <<'END'
#!/usr/bin/env python3
import http.server, sys

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"mine")

    def log_message(self, *words):
        pass

assert sys.argv[1].startswith("-Xms") and sys.argv[2].startswith("-Xmx"), sys.argv
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[3])), Handler).serve_forever()
END
chmod +x "$5"
"#;

const FILE: &str = r#"
path = "/mine.txt"
expect = "mine"
unlike_answers = true
explain = "off"
arms = [
  { name = "jvm", server = "jar", jar = "mine.jar", arguments = ["{port}"], jvm_options = "-XX:TieredStopAtLevel=1" },
  { name = "native", server = "jar", jar = "mine.jar", arguments = ["{port}"], package = "native" },
]
[load]
connections = 2
[design]
starts = 5
budget = "1s"
pairs = 2
slice = "200ms"
warmup = "200ms"
warmup_cap = "200ms"
latency_pairs = 0
"#;

/// Two native programs of the same jar.
const NATIVES: &str = r#"
  { name = "native", server = "jar", jar = "mine.jar", arguments = ["{port}"], package = "native" },
  { name = "other", server = "jar", jar = "mine.jar", arguments = ["{port}"], package = "native", heap = "100M" },
"#;

/// A home with the jar, and a folder `graalvm` in it with the stand-in.
fn home() -> Home {
    let home = Home::with_fixture();
    for name in ["mine.jar", "bad.jar"] {
        std::fs::write(home.path().join(name), jar()).expect("written");
    }
    std::fs::create_dir_all(home.path().join("graalvm/bin")).expect("a folder");
    home.executable("graalvm/bin/native-image", COMPILER);
    home
}

/// The compiled jar.
fn jar() -> &'static [u8] {
    static COMPILED: OnceLock<Vec<u8>> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("Mine.java"), JAR).expect("written");
        tool("javac", &["--release", "17", "Mine.java"], folder.path());
        let words = ["cfe", "mine.jar", "Mine", "Mine.class"];
        tool("jar", &words, folder.path());
        std::fs::read(folder.path().join("mine.jar")).expect("a jar")
    })
}

/// The experiment with these arms.
fn with(arms: &str) -> String {
    let (before, rest) = FILE.split_once("arms = [\n").expect("arms");
    let (_, after) = rest.split_once("]\n[load]").expect("an end");
    format!("{before}arms = [\n{arms}]\n[load]{after}")
}

/// Runs a file with the GraalVM in this folder, if it is given.
fn run(home: &Home, file: &str, graalvm: Option<&Path>) -> Ended {
    let mut command = home.prony(&["run", file, "--json"]);
    command.env_remove("GRAALVM_HOME").env_remove("JAVA_HOME");
    if let Some(graalvm) = graalvm {
        command.env("GRAALVM_HOME", graalvm);
    }
    Ended::from(command.output().expect("prony runs"))
}

#[test]
fn a_native_program_is_compiled_once_and_measured_as_any_process() {
    let home = home();
    let file = home.file("native.toml", FILE);
    let graalvm = Path::new(&file).with_file_name("graalvm");
    let report = run(&home, &file, Some(&graalvm)).report();
    let facts = &report["fingerprint"];
    assert_eq!(facts["arm/native/native_image"], "native-image 25.0.1 2025-10-21 (stand-in)");
    assert!(facts["arm/native/jdk"].is_null() && facts["arm/jvm/native_image"].is_null());
    if counts(&report) {
        let native = &report["arms"][1];
        assert!(native["startup"]["value"].as_f64() > Some(0.0), "{native}");
        assert!(native["peak_memory"]["value"].as_f64() > Some(0.0), "{native}");
        let cpu = &native["levels"][0]["measures"]["cpu_per_request"]["value"];
        assert!(cpu.as_f64() > Some(0.0), "{native}");
    }
    let shown = home.run(&["report", "--format", "md"]).stdout;
    for part in [
        "native has none (a native program, compiled by native-image 25.0.1 2025-10-21 (stand-in))",
        "| not available (native program) |",
    ] {
        assert!(shown.contains(part), "`{part}` is missing in:\n{shown}");
    }
    run(&home, &home.file("two.toml", &with(NATIVES)), Some(&graalvm)).report();
    let count = std::fs::read_to_string(graalvm.join("bin/count")).expect("a count");
    assert_eq!(count, "compiled\n");
}

#[test]
fn a_program_that_does_not_compile_is_an_error_with_the_words_of_the_compiler() {
    let home = home();
    let bad = FILE.replace(
        "\"mine.jar\", arguments = [\"{port}\"], package",
        "\"bad.jar\", arguments = [\"{port}\"], package",
    );
    let file = home.file("bad.toml", &bad);
    let graalvm = Path::new(&file).with_file_name("graalvm");
    let ended = run(&home, &file, Some(&graalvm));
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    let said = "bad.jar could not be compiled by native-image: Error: Unsupported features in 3 methods";
    assert!(ended.stderr.contains(said) && ended.stderr.contains("hint: "), "{}", ended.stderr);
}

#[test]
fn without_native_image_the_arm_is_left_out_if_two_others_remain() {
    let home = home();
    let two = run(&home, &home.file("two.toml", FILE), None);
    if two.code != Some(3) {
        return eprintln!("skipped: native-image is installed here");
    }
    let missing = "native-image is not installed: it is neither in GRAALVM_HOME/bin nor in JAVA_HOME/bin nor on the PATH";
    assert!(two.stderr.contains(missing) && two.stderr.contains("hint: "), "{}", two.stderr);
    let native = NATIVES.lines().nth(1).expect("an arm");
    let arms = with_arms(&format!(
        "{{ name = \"one\", FIXTURE }},\n{{ name = \"other\", OTHER_FIXTURE }},\n{native}\n"
    ));
    let three = with(&arms).replace("expect = \"mine\"", "expect = \"ok\"");
    let report = run(&home, &home.file("three.toml", &three), None).report();
    let names = report["arms"].as_array().expect("arms").iter();
    let names: Vec<&str> = names.filter_map(|arm| arm["name"].as_str()).collect();
    assert_eq!(names, ["one", "other"]);
    let notes = report["notes"].to_string();
    assert!(notes.contains(missing), "{notes}");
}
