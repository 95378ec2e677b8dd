//! Executable jars of the reader's own: told by what is in them, started by path.

use crate::common::{GO_ON, effective, jdk, site, start};
use model::arm::Threads;
use model::arm::settings::Settings;
use model::jar::{Boot, Embedded};
use model::outcome::Limit;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use sut::{App, Catalog, Error, Expected, Package, Program, ServerSpec, jar};

/// `hello` in this server, under a name of its own, as a reader would have it.
fn built(server: &str, folder: &Path) -> PathBuf {
    let catalog = Catalog::embedded();
    let release = catalog.lookup(server).expect("in the catalog");
    let app = App::find("hello").expect("known");
    let file = app.build(&Package::of(release), &site(), &GO_ON).expect("built");
    let own = folder.join("my own.jar");
    fs::copy(file, &own).expect("copied");
    own
}

/// A start of this jar with all limits set.
fn spec(own: &Path) -> ServerSpec {
    let release = jar::release(own).expect("a jar");
    let program = Program::serving(&release, own.to_owned(), &site(), &GO_ON, &mut |_| {}).expect("there");
    let ready = Expected {
        path: "/json".to_owned(),
        body: None,
    };
    ServerSpec {
        settings: Settings {
            threads: Some(Threads::Platform(25)),
            max_connections: Some(300),
            accept_count: Some(20),
            ..Settings::default()
        },
        patience: Duration::from_secs(180),
        ..ServerSpec::new(release.spec(), program, jdk(), ready)
    }
}

#[test]
fn a_spring_boot_jar_is_known_by_its_manifest_and_takes_every_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = built("spring-boot-tomcat:4.0.1", folder.path());
    let (version, embedded) = ("4.0.1".to_owned(), Embedded::Tomcat);
    assert_eq!(jar::look(&own).expect("a jar"), Some(Boot { version, embedded }));
    let server = start(&spec(&own)).expect("started");
    assert_eq!(server.spec().server, "jar:my own.jar");
    let hello = App::find("hello").expect("known");
    assert_eq!(server.body(), Some(hello.default_answer().body.as_slice()));
    let effective = effective(&server);
    assert_eq!(
        effective.server.as_deref(),
        Some("Tomcat/11.0.15 in Spring Boot 4.0.1")
    );
    assert_eq!(
        (effective.max_threads, effective.accept_count),
        (Some(25), Some(20))
    );
    assert_eq!(effective.max_connections, Some(Limit::At(300)));
    server.stop().expect("stopped");
}

#[test]
fn the_jetty_in_a_spring_boot_jar_is_seen() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = built("spring-boot-jetty:4.0.8", folder.path());
    let boot = jar::look(&own).expect("a jar").expect("with Boot");
    assert_eq!(boot.embedded, Embedded::Jetty);
}

/// Listens where its first argument or the environment says, and answers with its second.
const PLAIN: &str = r#"
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

public class Plain {
    public static void main(String[] words) throws Exception {
        String port = words.length > 0 ? words[0] : System.getenv("PORT");
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(port)), 0);
        byte[] body = ("told " + words.length).getBytes();
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }
}
"#;

/// Runs a program of the JDK in a folder.
fn tool(name: &str, words: &[&str], folder: &Path) {
    let program = jdk().home.join("bin").join(name);
    let output = Command::new(program)
        .args(words)
        .current_dir(folder)
        .output()
        .expect("runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn any_other_jar_hears_its_port_from_its_arguments_or_the_environment() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("Plain.java"), PLAIN).expect("written");
    tool("javac", &["Plain.java"], folder.path());
    tool(
        "jar",
        &["-cfe", "plain.jar", "Plain", "Plain.class"],
        folder.path(),
    );
    let own = folder.path().join("plain.jar");
    assert_eq!(jar::look(&own).expect("a jar"), None);
    let mut spec = spec(&own);
    for words in [vec![], vec!["{port}".to_owned(), "x".to_owned()]] {
        let body = format!("told {}", words.len());
        let Program::Jar(jar) = &mut spec.program else {
            panic!("a jar of its own kind")
        };
        jar.arguments = words;
        let server = start(&spec).expect("started");
        assert_eq!(server.body(), Some(body.as_bytes()));
        let effective = effective(&server);
        assert_eq!(
            effective.heap,
            Some(spec.jvm.heap.0),
            "a JVM is asked, whatever runs in it"
        );
        server.stop().expect("stopped");
    }
    spec.ready.body = Some(b"else".to_vec());
    spec.patience = Duration::from_secs(20); // Of what it logs nothing tells that it is up.
    let error = start(&spec).expect_err("wrong");
    assert!(
        matches!(&error, Error::WrongAnswer { answer, .. } if answer == "status 200, 6 bytes of body: \"told 2\""),
        "{error}"
    );
}

#[test]
fn what_is_no_executable_jar_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |file: &str| jar::look(&folder.path().join(file)).expect_err(file).to_string();
    assert!(
        refused("missing.jar").contains("No such file"),
        "{}",
        refused("missing.jar")
    );
    fs::write(folder.path().join("text.jar"), "no jar").expect("written");
    assert!(refused("text.jar").contains("text.jar cannot be started as a jar"));
    fs::write(folder.path().join("A.java"), "class A {}").expect("written");
    tool("jar", &["-cf", "library.jar", "A.java"], folder.path());
    assert!(refused("library.jar").contains("no Main-Class"));
}
