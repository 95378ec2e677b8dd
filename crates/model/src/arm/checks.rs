//! Whether an arm can be: what it asks of its server in vain is refused with its line, before anything is fetched, and told
//! what would work.

use crate::ability::Ability;
use crate::arm::Arm;
use crate::arm::choices::{Connector, JdkChoice, Threads, TlsStack};
use crate::arm::key::{Key, Taker};
use crate::arm::keys;
use crate::available::Available;
use crate::command::COMMAND;
use crate::deployment::{Migrate, Namespace};
use crate::diagnostic::Diagnostic;
use crate::jar::{Boot, Embedded, JAR};
use crate::kind::Kind;
use crate::node::Node;
use crate::origin::URL;

/// A key of an arm that asks for what there is not.
struct Refusal {
    key: &'static str,
    message: String,
    hint: String,
}

impl Refusal {
    fn new(key: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            key,
            message: message.into(),
            hint: hint.into(),
        }
    }
}

impl Arm {
    /// Lowest Java for this arm on a release: what it asks for may need a newer one than the server itself; and why it is
    /// needed.
    pub fn least_java(&self, release: &Ability) -> (u32, &'static str) {
        let server = (release.java, "this server needs");
        let threads =
            (self.settings.threads == Some(Threads::Virtual)).then_some((21, "virtual threads need"));
        let tls = (self.settings.tls == Some(TlsStack::OpenSslFfm)).then_some((22, "OpenSSL by FFM needs"));
        let asked = [Some(server), threads, tls].into_iter().flatten();
        // Of equal ones the first: `max_by_key` would give the last.
        asked.rev().max_by_key(|(java, _)| *java).unwrap_or(server)
    }

    /// Where its server comes from; both kinds of jar where nobody has looked into it.
    fn takers(&self, known: &Available) -> &'static [Taker] {
        match self.server.as_str() {
            COMMAND => &[Taker::Command],
            URL => &[Taker::Url],
            JAR => match self.jar.as_ref().and_then(|jar| known.jar(&jar.path)) {
                None => Taker::JARS,
                Some(None) => &[Taker::PlainJar],
                Some(Some(_)) => &[Taker::BootJar],
            },
            _ => &[Taker::Catalog],
        }
    }
}

/// What an arm asks for in vain, and what it lacks. `node` is where it stands.
pub(super) fn refusals(arm: &Arm, node: &Node, known: &Available) -> Vec<Diagnostic> {
    let mut refused = misplaced(arm, node, known);
    refused.extend(memory(arm));
    refused.extend(by_kind(arm, node, known));
    refused.extend(unknown_settings(arm, node, known));
    refused.extend(by_release(arm, known));
    let mut shown = Vec::new();
    for refusal in refused {
        let span = node.entry(refusal.key).span.clone();
        shown.push(Diagnostic::new(span, refusal.message).hint(refusal.hint));
    }
    shown.extend(missing(arm, node));
    shown
}

/// Keys that belong to servers from elsewhere.
fn misplaced(arm: &Arm, node: &Node, known: &Available) -> Vec<Refusal> {
    let takers = arm.takers(known);
    let present = keys::all().filter(|key| node.get(key.name).is_some());
    let misplaced = present.filter(|key| !key.is_for(takers));
    let mut refused: Vec<Refusal> = misplaced.map(|key| elsewhere(key, takers, &arm.server)).collect();
    let boot = arm.jar.as_ref().and_then(|jar| known.jar(&jar.path).flatten());
    // Its launcher in apps/ has a property for it.
    if boot.is_some_and(|boot| boot.embedded == Embedded::Jetty) && node.get("accept_count").is_some() {
        let hint = "take it out: the report shows the length that the kernel has";
        let message = "`accept_count` has no property in Spring Boot with Jetty";
        refused.push(Refusal::new("accept_count", message, hint));
    }
    refused
}

/// Says of a key to whom it belongs.
fn elsewhere(key: &'static Key, takers: &[Taker], server: &str) -> Refusal {
    let refuse = |says: &str, hint: &str| Refusal::new(key.name, format!("`{}` {says}", key.name), hint);
    let unheard = format!("says nothing to `{server}`");
    match (key.takers, takers) {
        ([Taker::PlainJar], [Taker::BootJar]) => refuse(
            "is for jars without Spring Boot",
            "write properties = { \"name\" = \"value\" }",
        ),
        ([Taker::PlainJar] | [Taker::BootJar, Taker::PlainJar], _) => refuse(
            "belongs to server = \"jar\"",
            "write server = \"jar\" for an executable jar of your own",
        ),
        ([Taker::Url], _) => refuse(&unheard, "write server = \"url\" for a server that runs already"),
        (_, [Taker::Url]) => refuse(
            "says nothing to a server that runs already",
            "take it out: the server was started with what it has",
        ),
        ([Taker::Command], _) => refuse(&unheard, "write server = \"command\" for a server of your own"),
        (_, [Taker::Command]) => refuse(
            "says nothing to a command",
            "take it out, or put it into the command's own arguments",
        ),
        ([Taker::Catalog, Taker::BootJar], _) => refuse(
            "is for Spring Boot, which this jar is not",
            "say it in the jar's own words: in `arguments`, `environment` or `jvm_options`",
        ),
        _ => refuse("says nothing to a jar", "take it out"),
    }
}

/// A heap that leaves nothing of the memory: the kernel would kill the server as soon as it has filled.
fn memory(arm: &Arm) -> Option<Refusal> {
    let memory = arm
        .surroundings
        .limits
        .memory
        .filter(|memory| arm.heap >= *memory)?;
    let message = format!(
        "`memory`: a heap of {} leaves nothing of {memory} for the JVM itself",
        arm.heap
    );
    let hint = "give the arm a smaller `heap` (two thirds of `memory` are usual), or more `memory`";
    Some(Refusal::new("memory", message, hint))
}

/// The key without which there is no server.
fn missing(arm: &Arm, node: &Node) -> Option<Diagnostic> {
    let (key, hint) = match arm.server.as_str() {
        COMMAND => (
            COMMAND,
            "write command = [\"./my-server\", \"--port\", \"{port}\"]",
        ),
        URL => (
            URL,
            "write url = \"http://127.0.0.1:8080\" or \"https://127.0.0.1:8443\"",
        ),
        JAR => (JAR, "write { server = \"jar\", jar = \"target/app.jar\" }"),
        _ => return None,
    };
    let message = format!("this arm has no `{key}`");
    let absent = node.get(key).is_none();
    absent.then(|| Diagnostic::new(node.span.clone(), message).hint(hint))
}

/// Packages, further settings and access logs that servers of its kind do not have, whatever their version.
fn by_kind(arm: &Arm, node: &Node, known: &Available) -> Vec<Refusal> {
    let Some(facts) = known.kind(&arm.server).map(Kind::facts) else {
        return Vec::new();
    };
    let server = &arm.server;
    let mut refused = Vec::new();
    if let Some(package) = arm.package.filter(|package| !facts.packages.contains(package)) {
        let ids: Vec<&str> = facts.packages.iter().map(|package| package.id()).collect();
        let message = format!("`{server}` does not run a `{}`", package.id());
        refused.push(Refusal::new(
            "package",
            message,
            format!("it takes: {}", ids.join(", ")),
        ));
    }
    for key in ["attributes", "properties"] {
        if key != facts.further_settings && node.get(key).is_some() {
            let hint = format!("its settings are its `{}`", facts.further_settings);
            refused.push(Refusal::new(key, format!("`{server}` has no `{key}`"), hint));
        }
    }
    let log = arm.settings.access_log;
    if log.is_some_and(|log| !facts.access_logs.contains(&log)) {
        let hint = match facts.access_logs {
            [] => "leave it out, or set it by the server's own `properties`",
            _ => "write access_log = true",
        };
        let message = format!("prony cannot have `{server}` write such an access log");
        refused.push(Refusal::new("access_log", message, hint));
    }
    refused
}

/// Keys for settings that servers of its kind do not have.
fn unknown_settings(arm: &Arm, node: &Node, known: &Available) -> Vec<Refusal> {
    let boot = arm.jar.as_ref().and_then(|jar| known.jar(&jar.path).flatten());
    let Some(kind) = known.kind(&arm.server).or_else(|| boot.map(Boot::kind)) else {
        return Vec::new();
    };
    let present = keys::all().filter(|key| node.get(key.name).is_some());
    let refuse = |key: &'static Key| {
        let message = format!("`{}` has no setting for `{}`", arm.server, key.name);
        Refusal::new(key.name, message, "take it out")
    };
    present
        .filter(|key| key.is_unknown_to(kind))
        .map(refuse)
        .collect()
}

/// What this release cannot do.
fn by_release(arm: &Arm, known: &Available) -> Vec<Refusal> {
    let boot = arm.jar.as_ref().and_then(|jar| known.jar(&jar.path).flatten());
    let of_boot = boot.map(Boot::ability);
    let Some(ability) = of_boot
        .as_ref()
        .or_else(|| known.ability(&arm.server, &arm.version))
    else {
        return Vec::new();
    };
    let release = Release {
        server: &arm.server,
        name: format!("{}:{}", arm.server, arm.version),
        ability,
        known,
    };
    let mut refused = release.choices(arm);
    refused.extend(together(arm, ability));
    refused.extend(release.deployment(arm));
    refused
}

/// A release that an arm asks for something.
struct Release<'a> {
    /// The server's name: `tomcat`.
    server: &'a str,
    /// With its version: `tomcat:10.1.29`.
    name: String,
    ability: &'a Ability,
    known: &'a Available,
}

impl Release<'_> {
    /// The other releases of the server that can do something.
    fn others(&self, can: impl Fn(&Ability) -> bool) -> Vec<String> {
        self.known.able(self.server, can)
    }

    /// Connectors, TLS and threads that the release does not have.
    fn choices(&self, arm: &Arm) -> Vec<Refusal> {
        let Self { name, ability, .. } = self;
        let settings = &arm.settings;
        let mut refused = Vec::new();
        let connector = settings.connector;
        if let Some(wanted) = connector.filter(|wanted| !ability.connectors.contains(wanted)) {
            let has = quoted(ability.connectors.iter().map(|connector| connector.id()));
            let others = self.others(|other| other.connectors.contains(&wanted));
            let message = format!("{name} has no connector `{}`", wanted.id());
            refused.push(Refusal::new("connector", message, instead(&has, &others)));
        }
        if let Some(wanted) = settings.tls.filter(|wanted| !ability.tls.contains(wanted)) {
            let has = quoted(ability.tls.iter().map(|tls| tls.id()));
            let others = self.others(|other| other.tls.contains(&wanted));
            let message = format!("{name} cannot encrypt by `{}`", wanted.id());
            refused.push(Refusal::new("tls", message, instead(&has, &others)));
        }
        if settings.threads == Some(Threads::Virtual) && !ability.virtual_threads {
            let others = self.others(|other| other.virtual_threads);
            let message = format!("{name} has no virtual threads");
            let hint = instead("platform threads, as threads = 200", &others);
            refused.push(Refusal::new("threads", message, hint));
        }
        refused
    }

    /// What cannot be deployed on it.
    fn deployment(&self, arm: &Arm) -> Vec<Refusal> {
        let Self { name, ability, .. } = self;
        let deployment = &arm.deployment;
        let mut refused = Vec::new();
        match (ability.namespace, deployment.namespace) {
            (None, _) if deployment.war.is_some() => {
                let hint = "WARs are deployed by standalone servers, as tomcat:VERSION";
                refused.push(Refusal::new("war", format!("{name} deploys no WAR"), hint));
            }
            (Some(Namespace::Javax), Some(Namespace::Jakarta)) => {
                let message = format!("{name} speaks javax, and this WAR jakarta");
                let deploying = self.others(|other| other.namespace == Some(Namespace::Jakarta));
                let hint = format!("jakarta runs on {}", deploying.join(", "));
                refused.push(Refusal::new("war", message, hint));
            }
            _ => {}
        }
        let Some(migrate) = deployment.migrate else {
            return refused;
        };
        if ability.namespace != Some(Namespace::Jakarta) || deployment.namespace == Some(Namespace::Jakarta) {
            let message = format!("there is nothing to migrate for {name}");
            let hint = "leave it out: only a javax WAR on a server that speaks jakarta is migrated";
            refused.push(Refusal::new("migrate", message, hint));
        } else if migrate == Migrate::AtStart && !ability.webapps_javaee {
            let others = self.others(|other| other.webapps_javaee);
            let message = format!("{name} does not migrate WARs itself");
            refused.push(Refusal::new("migrate", message, instead("\"before\"", &others)));
        }
        refused
    }
}

/// What the release has, but not with what else is asked for.
fn together(arm: &Arm, ability: &Ability) -> Vec<Refusal> {
    let mut refused = Vec::new();
    let (connector, tls) = (arm.settings.connector, arm.settings.tls);
    if let (Some(Connector::Apr), Some(TlsStack::Jsse | TlsStack::OpenSslFfm)) = (connector, tls) {
        let message = "the connector `apr` encrypts by OpenSSL only";
        let hint = "write tls = \"openssl\", or connector = \"nio\"";
        refused.push(Refusal::new("tls", message, hint));
    }
    let (least, why) = arm.least_java(ability);
    if let Some(JdkChoice::Release(major)) = arm.jdk
        && major < least
    {
        let message = format!("{why} JDK {least} or newer, and not {major}");
        let hint = format!("write jdk = {}, or leave it out", lts(least));
        refused.push(Refusal::new("jdk", message, hint));
    }
    refused
}

/// What would work: on this release, or on which other.
fn instead(has: &str, others: &[String]) -> String {
    let here = if has.is_empty() {
        "leave it out".to_owned()
    } else {
        format!("it has {has}")
    };
    match others {
        [] => here,
        others => format!("{here}; what is asked for works on {}", others.join(", ")),
    }
}

fn quoted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words
        .map(|word| format!("\"{word}\""))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The long-term release from which on this Java is there: what most people have.
const fn lts(java: u32) -> u32 {
    match java {
        ..=8 => 8,
        9..=11 => 11,
        12..=17 => 17,
        18..=21 => 21,
        _ => 25,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;

    fn known() -> Available {
        let server = |name: &str| (name.to_owned(), vec!["1".to_owned()]);
        Available {
            servers: vec![server("tomcat"), server("boot")],
            apps: vec![("hello".to_owned(), vec!["/json".to_owned()])],
            kinds: vec![
                ("tomcat".to_owned(), Kind::Tomcat),
                ("boot".to_owned(), Kind::SpringBootJetty),
            ],
            ..Available::default()
        }
    }

    /// What is said of an arm.
    fn said(arm: &str) -> String {
        let text = format!("arms = [\"tomcat:1\",\n{arm}]");
        match Experiment::parse(&text, "f", &known()) {
            Ok(_) => String::new(),
            Err(rejected) => rejected.render("f", &text, false),
        }
    }

    #[test]
    fn what_a_server_does_not_take_is_refused_with_what_it_takes() {
        let refused = said("{ server = \"tomcat:1\", package = \"native\" }");
        assert!(refused.contains("`tomcat` does not run a `native`"), "{refused}");
        assert!(
            refused.contains("it takes: war") && refused.contains("f:2:"),
            "{refused}"
        );
        let refused = said("{ server = \"boot:1\", attributes = { maxThreads = 5 } }");
        assert!(refused.contains("its settings are its `properties`"), "{refused}");
        let refused = said("{ server = \"boot:1\", package = \"natve\" }");
        assert!(refused.contains("did you mean \"native\"?"), "{refused}");
        let refused = said("{ server = \"boot:1\", properties = { \"server.port\" = 80 } }");
        assert!(refused.contains("`server.port` is set by prony"), "{refused}");
        let refused = said("{ server = \"boot:1\", properties = { a = 1.5 } }");
        assert!(
            refused.contains("expected a string, an integer, true or false"),
            "{refused}"
        );
    }

    #[test]
    fn an_access_log_is_buffered_or_not_or_not_to_be_had() {
        assert_eq!(
            said("{ name = \"b\", server = \"tomcat:1\", access_log = \"unbuffered\" }"),
            ""
        );
        assert_eq!(said("{ server = \"boot:1\", access_log = true }"), "");
        let refused = said("{ server = \"boot:1\", access_log = \"unbuffered\" }");
        assert!(
            refused.contains("prony cannot have `boot` write such an access log"),
            "{refused}"
        );
        assert!(refused.contains("write access_log = true"), "{refused}");
        let refused = said("{ server = \"boot:1\", access_log = \"slow\" }");
        assert!(refused.contains("`slow` is not known here"), "{refused}");
        assert!(said("{ server = \"boot:1\", access_log = 1 }").contains("expected true, false or"));
    }

    #[test]
    fn what_it_takes_is_read() {
        let boot =
            "{ server = \"boot:1\", package = \"native\", properties = { a = 1, b = true, c = \"x\" } }";
        assert_eq!(said(boot), "");
        assert_eq!(
            said("{ name = \"b\", server = \"tomcat:1\", attributes = { a = 1 }, package = \"war\" }"),
            ""
        );
    }
}
