//! [`OtherServer`]: servers that people ask for and that prony does not configure. It starts them as their users do: as a jar, by a command,
//! or in an image.

/// A server that prony does not configure.
pub(crate) struct OtherServer {
    /// How people write its name in an arm.
    names: &'static [&'static str],
    /// Its name in a sentence.
    pub(crate) called: &'static str,
    /// An arm that starts it. `VERSION` stands for the version that was asked for.
    arm: &'static str,
}

/// The usual ways to start these servers, as their documentation describes them: the boot loaders of Payara Micro and of WildFly's
/// bootable jar, and the official images of Open Liberty and TomEE with the folders from which they deploy.
const OTHERS: [OtherServer; 7] = [
    OtherServer {
        names: &["payara", "payara-micro", "payara-server"],
        called: "Payara",
        arm: "{ name = \"payara\", server = \"command\", command = [\"java\", \"-jar\", \"payara-micro-VERSION.jar\", \"--deploy\", \
              \"target/app.war\", \"--port\", \"{port}\", \"--nocluster\"] }",
    },
    OtherServer {
        names: &["wildfly", "jboss", "jboss-eap", "eap"],
        called: "WildFly",
        arm: "{ name = \"wildfly\", server = \"jar\", jar = \"target/app-bootable.jar\", arguments = [\"-Djboss.http.port={port}\", \
              \"-b={host}\"] }",
    },
    OtherServer {
        names: &["open-liberty", "openliberty", "liberty", "wlp", "websphere-liberty"],
        called: "Open Liberty",
        arm: "{ name = \"open-liberty\", server = \"image\", image = \"open-liberty:VERSION\", port = 9080, \
              volumes = [\"./target/app.war:/config/dropins/app.war:ro\"] }",
    },
    OtherServer {
        names: &["tomee", "apache-tomee"],
        called: "TomEE",
        arm: "{ name = \"tomee\", server = \"image\", image = \"tomee:VERSION\", port = 8080, \
              volumes = [\"./target/app.war:/usr/local/tomee/webapps/app.war:ro\"] }",
    },
    OtherServer { names: &["armeria"], called: "Armeria", arm: EMBEDDED },
    OtherServer { names: &["netty", "reactor-netty"], called: "Netty", arm: EMBEDDED },
    OtherServer { names: &["grizzly"], called: "Grizzly", arm: EMBEDDED },
];

/// A server that the main class of an application starts.
const EMBEDDED: &str =
    "{ name = \"app\", server = \"jar\", jar = \"target/app.jar\", arguments = [\"--port={port}\"] }";

/// Returns the server that people call by this name.
pub(crate) fn find(name: &str) -> Option<&'static OtherServer> {
    let name = name.to_ascii_lowercase();
    OTHERS.iter().find(|other| other.names.contains(&name.as_str()))
}

impl OtherServer {
    /// Returns an arm that starts it in this version, as a file writes it.
    pub(crate) fn arm(&self, version: &str) -> String {
        let version = if version.is_empty() { "VERSION" } else { version };
        self.arm.replace("VERSION", version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::available::Available;
    use crate::experiment::Experiment;

    #[test]
    fn the_lines_to_paste_are_arms_that_prony_takes() {
        let known =
            Available { servers: vec![("jetty".to_owned(), vec!["12".to_owned()])], ..Available::default() };
        for other in &OTHERS {
            let text = format!("arms = [{}]", other.arm("7.1"));
            let read =
                Experiment::parse(&text, "f", &known).map_err(|rejected| rejected.render("f", &text, false));
            let arm = &read.unwrap_or_else(|refused| panic!("{}: {refused}", other.called)).arms[0];
            assert!(arm.is_the_users(), "{}", other.called);
        }
    }

    #[test]
    fn a_server_that_prony_does_not_configure_is_refused_with_the_way_to_start_it() {
        let known =
            Available { servers: vec![("jetty".to_owned(), vec!["12".to_owned()])], ..Available::default() };
        let refused = |arm: &str| {
            let text = format!("arms = [\"{arm}\"]");
            Experiment::parse(&text, "f", &known).expect_err(arm).render("f", &text, false)
        };
        for (arm, line) in [
            ("payara:6.2025.1", "\"payara-micro-6.2025.1.jar\""),
            ("WildFly", "jar = \"target/app-bootable.jar\""),
            ("open-liberty:25.0.0.9", "image = \"open-liberty:25.0.0.9\""),
            ("netty:4.2", "server = \"jar\""),
            ("armeria", "server = \"jar\""),
        ] {
            let told = refused(arm);
            assert!(told.contains("does not configure") && told.contains(line), "{arm}: {told}");
            assert!(!told.contains("did you mean"), "{arm}: {told}");
        }
        let told = refused("jety:12");
        assert!(told.contains("did you mean `jetty`?"), "{told}");
        let told = refused("resin:4");
        assert!(told.contains("server = \"command\"") && told.contains("\"jetty:12\""), "{told}");
    }
}
