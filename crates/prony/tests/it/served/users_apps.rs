//! Applications of the user: a run that compares a WAR on a Tomcat with an executable jar.
//!
//! Real servers: a WAR runs on one.

use crate::home::{Home, counts};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A Java server that answers every request with `mine`, on the port in its argument.
const JAR: &str = r#"
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

class Mine {
    public static void main(String[] words) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(words[0])), 100);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 4);
            exchange.getResponseBody().write("mine".getBytes());
            exchange.close();
        });
        server.start();
    }
}
"#;

const FILE: &str = r#"
path = "/mine.txt"
expect = "mine"
explain = "off"
arms = [
  { name = "war", server = "tomcat:10.1.29", war = "mine.war", tls = "jsse", jvm_options = "-XX:TieredStopAtLevel=1" },
  { name = "jar", server = "jar", jar = "mine.jar", arguments = ["{port}"], jvm_options = "-XX:TieredStopAtLevel=1" },
]
[load]
connections = 2
[design]
starts = 5
budget = "1s"
pairs = 2
slice = "200ms"
warmup = "500ms"
warmup_cap = "500ms"
latency_pairs = 0
"#;

/// Runs a program of the JDK in a folder.
pub(crate) fn tool(name: &str, words: &[&str], folder: &Path) {
    let jdk = sut::jdk::jdks().into_iter().rfind(sut::Jdk::is_full).expect("a JDK");
    let mut command = Command::new(jdk.home.join("bin").join(name));
    let output = command.args(words).current_dir(folder).output().expect("it runs");
    assert!(output.status.success(), "{name}: {output:?}");
}

#[test]
fn a_war_and_a_jar_of_the_user_are_compared() {
    let home = Home::with_downloads();
    let source = home.file("Mine.java", JAR);
    let folder = Path::new(&source).parent().expect("a folder");
    tool("javac", &["--release", "17", "Mine.java"], folder);
    tool("jar", &["-cfe", "mine.jar", "Mine", "Mine.class"], folder);
    fs::write(folder.join("mine.txt"), "mine").expect("written");
    tool("jar", &["-cfM", "mine.war", "mine.txt"], folder);

    // Prony knows when Tomcat is up. A jar that answers wrongly may still be starting, so prony waits for a minute.
    let jar = r#"server = "jar", jar = "mine.jar", arguments = ["{port}"]"#;
    let war = r#"server = "tomcat:10.1.29", war = "mine.war""#;
    let wrong = FILE.replace("expect = \"mine\"", "expect = \"yours\"").replace(jar, war);
    let refused = home.run(&["run", &home.file("wrong.toml", &wrong)]);
    assert_eq!(refused.code, Some(3), "{}", refused.stderr);
    let message = "does not give the right answer to GET /mine.txt";
    assert!(refused.stderr.contains(message), "{}", refused.stderr);

    let ended = home.run(&["run", &home.file("own.toml", FILE), "--json"]);
    let report = ended.report();
    let arms = &report["arms"];
    assert_eq!(arms[0]["effective"]["protocol_handler"], "https-jsse-nio", "{arms}");
    assert!(arms[1]["effective"]["jdk"].is_string(), "{arms}");
    for arm in arms.as_array().expect("arms") {
        let ok = &arm["levels"][0]["counts"]["ok"];
        assert!(!counts(&report) || ok.as_u64() > Some(0), "{arm}");
    }
}
