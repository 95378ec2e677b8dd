//! Executable jars of the user: recognised by their content, started by their path.

use crate::common::{GO_ON, TIMEOUT, effective, jdk, light, site, start};
use ask::arm::Threads;
use ask::arm::settings::Settings;
use ask::jar::{Boot, Embedded};
use record::outcome::Limit;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use sut::{App, Catalog, Error, Expected, Packaging, Program, ServerSpec, jar};

/// A jar of `hello` in this server, with a name that a user might give it.
fn user_jar(server: &str, folder: &Path) -> PathBuf {
    let catalog = Catalog::embedded();
    let release = catalog.lookup(server).expect("in the catalog");
    let app = App::find("hello").expect("known");
    let file = app.build(&Packaging::for_release(&release), &site(), &GO_ON).expect("built");
    let own = folder.join("my own.jar");
    fs::copy(file, &own).expect("copied");
    own
}

/// The specification of this jar with all limits set.
fn spec(own: &Path) -> ServerSpec {
    let release = jar::release(own).expect("a jar");
    let program =
        Program::obtain_with(&release, own.to_owned(), &site(), &GO_ON, &mut |_| {}).expect("there");
    let ready = Expected {
        headers: Vec::new(),
        any_answer: false,
        greets: false,
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
        jvm: light(),
        timeout: TIMEOUT,
        ..ServerSpec::new(release.spec(), program, jdk(), ready)
    }
}

#[test]
fn a_spring_boot_jar_is_recognised_by_its_manifest_and_accepts_every_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = user_jar("spring-boot-tomcat:4.0.1", folder.path());
    let (version, embedded) = ("4.0.1".to_owned(), Embedded::Tomcat);
    assert_eq!(jar::find_boot(&own).expect("a jar"), Some(Boot { version, embedded }));
    let server = start(&spec(&own)).expect("started");
    assert_eq!(server.spec().server, "jar:my own.jar");
    let hello = App::find("hello").expect("known");
    assert_eq!(server.body(), Some(hello.default_answer().body.as_slice()));
    let effective = effective(&server);
    assert_eq!(effective.server.as_deref(), Some("Tomcat/11.0.15 in Spring Boot 4.0.1"));
    assert_eq!((effective.max_threads, effective.accept_count), (Some(25), Some(20)));
    assert_eq!(effective.max_connections, Some(Limit::At(300)));
    server.stop().expect("stopped");
}

#[test]
fn the_jetty_in_a_spring_boot_jar_is_recognised() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = user_jar("spring-boot-jetty:4.1.1", folder.path());
    let boot = jar::find_boot(&own).expect("a jar").expect("with Boot");
    assert_eq!(boot.embedded, Embedded::Jetty);
}

/// A server that listens on the port in its first argument or the environment, and answers the number of its arguments.
const PLAIN: &str = r#"
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

public class Plain {
    public static void main(String[] words) throws Exception {
        String port = words.length > 0 ? words[0] : System.getenv("PORT");
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(port)), 0);
        byte[] body = ("arguments: " + words.length).getBytes();
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
    let output = Command::new(program).args(words).current_dir(folder).output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn any_other_jar_gets_its_port_by_its_arguments_or_the_environment() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("Plain.java"), PLAIN).expect("written");
    tool("javac", &["Plain.java"], folder.path());
    tool("jar", &["-cfe", "plain.jar", "Plain", "Plain.class"], folder.path());
    let own = folder.path().join("plain.jar");
    assert_eq!(jar::find_boot(&own).expect("a jar"), None);
    let mut spec = spec(&own);
    for words in [vec![], vec!["{port}".to_owned(), "x".to_owned()]] {
        let body = format!("arguments: {}", words.len());
        let Program::Jar(jar) = &mut spec.program else { panic!("a jar of its own kind") };
        jar.arguments = words;
        let server = start(&spec).expect("started");
        assert_eq!(server.body(), Some(body.as_bytes()));
        let effective = effective(&server);
        assert_eq!(effective.heap, Some(spec.jvm.heap), "a JVM is asked, whatever runs in it");
        server.stop().expect("stopped");
    }
    spec.ready.body = Some(b"else".to_vec());
    // Its log does not tell when it is up, so the wait ends by time: the wait for its start after a long time, the wait
    // for another answer at once.
    spec.wrong_answers = Some(Duration::from_millis(100));
    let error = start(&spec).expect_err("wrong");
    assert!(
        matches!(&error, Error::WrongAnswer { answer, .. } if answer.to_string() == "status 200, 12 bytes of body: \"arguments: 2\""),
        "{error}"
    );
}

#[test]
fn a_file_that_is_no_executable_jar_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |file: &str| jar::find_boot(&folder.path().join(file)).expect_err(file).to_string();
    assert!(refused("missing.jar").contains("No such file"), "{}", refused("missing.jar"));
    fs::write(folder.path().join("text.jar"), "no jar").expect("written");
    assert!(refused("text.jar").contains("text.jar cannot be started as a jar"));
    fs::write(folder.path().join("A.java"), "class A {}").expect("written");
    tool("jar", &["-cf", "library.jar", "A.java"], folder.path());
    assert!(refused("library.jar").contains("no Main-Class"));
}
