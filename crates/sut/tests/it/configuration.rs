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

/// A key store of the user, whose certificate names another host.
fn key_store(folder: &Path) -> PathBuf {
    let file = folder.join("keys.p12");
    let words = [
        "-genkeypair",
        "-alias",
        "own",
        "-keyalg",
        "EC",
        "-dname",
        "CN=shop.example",
        "-storepass",
        "changeit",
    ];
    let made = Command::new("keytool").args(words).arg("-keystore").arg(&file).output().expect("keytool");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    file
}

#[test]
fn a_tomcat_without_plain_http_keeps_the_certificate_of_its_user() {
    let mut spec = spec("9.0.95");
    let folder = tempfile::tempdir().expect("a folder");
    let store = key_store(folder.path());
    let connector = format!(
        r#"<Server port="8005" shutdown="SHUTDOWN"><Service name="Catalina">
        <Connector port="8443" SSLEnabled="true" scheme="https" secure="true"><SSLHostConfig>
        <Certificate certificateKeystoreFile="{}" certificateKeystorePassword="changeit" type="EC"/>
        </SSLHostConfig></Connector>
        <Engine name="Catalina" defaultHost="localhost"><Host name="localhost" appBase="webapps"/></Engine>
        </Service></Server>"#,
        store.display()
    );
    let Program::Tomcat(tomcat) = &mut spec.program else { panic!("a Tomcat") };
    let server_xml = folder.path().join("server.xml");
    fs::write(&server_xml, connector).expect("written");
    tomcat.own.server_xml = Some(server_xml);
    tomcat.context_path = Some("/a/b".to_owned());
    below(&mut spec, "/a/b");
    let server = start(&spec).expect("started");
    assert!(server.log().contains("[\"https-jsse-nio-"), "{}", server.log());
    server.stop().expect("stopped");
}

/// Starts a Jetty with the base folder of a user that has these modules and the application at `/shop`. Returns its log.
#[track_caller]
pub(crate) fn jetty_with_base(release: &str, modules: &str) -> String {
    let mut spec = spec_of(release, "hello");
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("base");
    fs::create_dir_all(base.join("webapps")).expect("made");
    let settings = format!("--module={modules}\njetty.http.port=8080\njetty.threadPool.maxThreads=33\n");
    fs::write(base.join("start.ini"), settings).expect("written");
    fs::write(base.join("webapps/shop.war"), "an older one").expect("written");
    let Program::Jetty(jetty) = &mut spec.program else { panic!("a Jetty") };
    jetty.base = Some(base);
    below(&mut spec, "/shop");
    let server = start(&spec).expect("started");
    let log = server.log();
    server.stop().expect("stopped");
    log
}

#[test]
fn a_jetty_keeps_the_base_folder_of_its_user() {
    let log = jetty_with_base("jetty:12.1.12", "http,ee11-deploy,ee11-annotations");
    assert!(log.contains("{/shop,/shop,"), "{log}");
}
