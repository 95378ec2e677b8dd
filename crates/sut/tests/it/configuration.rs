//! Servers with the user's own configuration, in which only ports and folders are changed.

use crate::common::{spec, spec_of, start};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use sut::{Program, ServerSpec};

/// What a user has added to the server.xml of the distribution.
const CONNECTORS: &str = r#"<Connector protocol="AJP/1.3" address="::1" port="8009" secretRequired="false"/>
    <Connector port="8081" maxThreads="7"/>
    <Engine name="Catalina" defaultHost="localhost">"#;
/// What the distribution has there.
const ENGINE: &str = "<Engine name=\"Catalina\" defaultHost=\"localhost\">";

/// A copy of the folder `conf` of a distribution, as a user may have changed it.
fn changed_conf(home: &Path, to: &Path) -> PathBuf {
    let conf = to.join("conf");
    let copied = Command::new("cp").arg("-r").args([&home.join("conf"), &conf]).status();
    assert!(copied.expect("cp").success());
    let server = conf.join("server.xml");
    let text = fs::read_to_string(&server).expect("read");
    let text = text.replacen(ENGINE, CONNECTORS, 1);
    let text = text.replace("appBase=\"webapps\"", "appBase=\"/srv/no/such/folder\"");
    fs::write(&server, text).expect("written");
    let descriptors = conf.join("Catalina/localhost");
    fs::create_dir_all(&descriptors).expect("made");
    let context = "<Context docBase=\"/srv/shop-1.war\"><Parameter name=\"a\" value=\"b\"/></Context>";
    fs::write(descriptors.join("shop.xml"), context).expect("written");
    conf
}

/// Has the server answer the same below this path.
fn below(spec: &mut ServerSpec, path: &str) {
    spec.ready.path = format!("{path}{}", spec.ready.path);
}

#[test]
fn a_tomcat_keeps_the_configuration_of_its_user() {
    let mut spec = spec("11.0.24");
    let folder = tempfile::tempdir().expect("a folder");
    let Program::Tomcat(tomcat) = &mut spec.program else { panic!("a Tomcat") };
    tomcat.own.conf = Some(changed_conf(&tomcat.home, folder.path()));
    let setenv = folder.path().join("setenv.sh");
    fs::write(&setenv, "JAVA_OPTS='-Xmx48m -Dshop.mark=1'\nJAVA_HOME=/no/such/jdk\n").expect("written");
    tomcat.own.setenv = Some(setenv);
    // The WAR, exploded.
    let exploded = folder.path().join("exploded");
    let unzip = Command::new("python3").args(["-m", "zipfile", "-e"]).args([&tomcat.war, &exploded]).status();
    assert!(unzip.expect("python3").success());
    tomcat.war = exploded;
    below(&mut spec, "/shop");
    let server = start(&spec).expect("started");
    let log = server.log();
    for part in ["-Xmx48m", "-Dshop.mark=1", "[\"ajp-nio-", "Catalina/localhost/shop.xml"] {
        assert!(log.contains(part), "`{part}` is missing in:\n{log}");
    }
    assert_eq!(log.matches("Starting ProtocolHandler [\"http-nio-").count(), 2, "{log}");
    assert!(!log.contains("shutdown port"), "{log}");
    server.stop().expect("stopped");
}

#[test]
fn a_jetty_keeps_the_base_folder_of_its_user() {
    let mut spec = spec_of("jetty:12.1.12", "hello");
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("base");
    fs::create_dir_all(base.join("webapps")).expect("made");
    fs::write(
        base.join("start.ini"),
        "--modules=http,ee11-deploy,ee11-annotations\njetty.http.port=8080\njetty.threadPool.maxThreads=33\n",
    )
    .expect("written");
    fs::write(base.join("webapps/shop.war"), "an older one").expect("written");
    let Program::Jetty(jetty) = &mut spec.program else { panic!("a Jetty") };
    jetty.base = Some(base);
    below(&mut spec, "/shop");
    let server = start(&spec).expect("started");
    assert!(server.log().contains("{/shop,/shop,"), "{}", server.log());
    server.stop().expect("stopped");
}
