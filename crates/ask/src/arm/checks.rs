//! Checks an arm against what its server can do: a key that the server cannot take is refused with its line and with what
//! would work, before anything is fetched.

mod configuration_slips;

use crate::ability::Ability;
use crate::arm::Arm;
use crate::arm::choices::{Connector, Http2Way, HttpVersion, JdkChoice, Package, Threads, TlsStack};
use crate::arm::heap_option::largest_heap;
use crate::arm::key::{Key, Taker};
use crate::arm::keys;
use crate::available::Available;
use crate::command::COMMAND;
use crate::deployment::{Migrate, Namespace};
use crate::diagnostic::Diagnostic;
use crate::image::IMAGE;
use crate::jar::{Boot, Embedded, JAR};
use crate::kind::Kind;
use crate::node::Node;
use crate::origin::{self, URL};
use crate::slip::{
    ArmAdvice, ArmHint, ArmSlip, Hint, JavaNeed, Listing, Misplacement, OwnServer, Owner, Present, Slip,
    UnfitSlip,
};
use crate::version_rules::Feature;

/// A key of an arm that its server cannot take.
struct Refusal {
    key: &'static str,
    slip: Slip,
    hint: Hint,
}

impl Refusal {
    fn new(key: &'static str, slip: impl Into<Slip>, hint: impl Into<Hint>) -> Self {
        Self { key, slip: slip.into(), hint: hint.into() }
    }
}

impl Arm {
    /// Returns the lowest Java that this arm needs on a release, and what needs it: a setting may need a newer one than the
    /// server itself.
    pub fn least_java(&self, release: &Ability) -> (u32, JavaNeed) {
        let server = (release.java, JavaNeed::Server);
        let is_virtual = self.settings.threads == Some(Threads::Virtual);
        let threads = is_virtual.then_some((21, JavaNeed::VirtualThreads));
        let is_ffm = self.settings.tls == Some(TlsStack::OpenSslFfm);
        let tls = is_ffm.then_some((22, JavaNeed::OpenSslFfm));
        let is_alpn = self.settings.tls == Some(TlsStack::Jsse) && self.settings.http2_way().is_some();
        let alpn = is_alpn.then_some((9, JavaNeed::Alpn));
        let asked = [Some(server), threads, tls, alpn].into_iter().flatten();
        // Of equal ones the first: `max_by_key` would give the last.
        asked.rev().max_by_key(|(java, _)| *java).unwrap_or(server)
    }

    /// Returns where its server comes from; both kinds of jar as long as nobody has looked into the jar.
    fn takers(&self, known: &Available) -> &'static [Taker] {
        match self.server.as_str() {
            COMMAND => &[Taker::Command],
            IMAGE => &[Taker::Image],
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

/// Returns what is wrong with the keys of an arm for its server. `node` is the table of the arm.
pub(super) fn refusals(arm: &Arm, node: &Node, known: &Available) -> Vec<Diagnostic> {
    let mut refused = misplaced(arm, node, known);
    refused.extend(memory(arm));
    refused.extend(heap_twice(arm, node));
    refused.extend(contained_elsewhere(arm, node));
    refused.extend(nothing_to_build(arm, node));
    refused.extend(configuration_slips::refusals(arm, node, known));
    refused.extend(by_kind(arm, node, known));
    refused.extend(unknown_settings(arm, node, known));
    refused.extend(own_encryption(arm, known));
    refused.extend(by_release(arm, known));
    let mut shown = Vec::new();
    for refusal in refused {
        let entry = node.entry(refusal.key);
        shown.push(entry.refuse(refusal.slip).hint(refusal.hint));
    }
    shown.extend(missing(arm, node));
    shown
}

/// Refuses keys that are for servers of another origin.
fn misplaced(arm: &Arm, node: &Node, known: &Available) -> Vec<Refusal> {
    let takers = arm.takers(known);
    let present = keys::all().filter(|key| node.get(key.name).is_some());
    let misplaced = present.filter(|key| !key.is_for(takers));
    let mut refused: Vec<Refusal> = misplaced.map(|key| refuse_misplaced(key, takers, &arm.server)).collect();
    let boot = known.boot(arm);
    // The launchers in apps/ have a property for it.
    let without_property = boot.and_then(|boot| match boot.embedded {
        Embedded::Jetty => Some("Jetty"),
        Embedded::Netty => Some("Netty"),
        Embedded::Tomcat | Embedded::Undertow => None,
    });
    if let (Some(inside), Some(_)) = (without_property, node.get("accept_count")) {
        let slip = UnfitSlip::AcceptCountInBoot(inside);
        refused.push(Refusal::new("accept_count", slip, ArmAdvice::KernelLength));
    }
    refused
}

/// Refuses a key that arms of this origin do not take, and says which arms do.
fn refuse_misplaced(key: &'static Key, takers: &[Taker], server: &str) -> Refusal {
    let key_name = key.name;
    let refuse = |why, hint: Hint| Refusal::new(key_name, UnfitSlip::Misplaced { key: key_name, why }, hint);
    let other_server = || Misplacement::NotForServer(server.to_owned());
    let write_for = |example: &str, server| {
        let example = example.to_owned();
        ArmHint::WriteFor { example, server }.into()
    };
    match (key.takers, takers) {
        ([Taker::BootJar, Taker::PlainJar], _) => {
            refuse(Misplacement::ForJars, write_for("server = \"jar\"", OwnServer::Jar))
        }
        ([Taker::Url], _) => refuse(other_server(), write_for("server = \"url\"", OwnServer::Url)),
        (_, [Taker::Url]) => refuse(Misplacement::NotForUrls, ArmAdvice::StartedWithIt.into()),
        ([Taker::Command, Taker::Image], _) => {
            refuse(other_server(), write_for("server = \"command\"", OwnServer::Command))
        }
        ([Taker::Image], _) => refuse(other_server(), write_for("server = \"image\"", OwnServer::Image)),
        (_, [Taker::Image]) => refuse(other_server(), ArmAdvice::OwnArguments.into()),
        (_, [Taker::Command]) => refuse(Misplacement::NotForCommands, ArmAdvice::OwnArguments.into()),
        ([Taker::Catalog, Taker::PlainJar], [Taker::BootJar]) => {
            refuse(Misplacement::NotForBootJars, ArmAdvice::BuildNative.into())
        }
        ([Taker::Catalog, Taker::BootJar], _) => {
            refuse(Misplacement::ForSpringBoot, ArmAdvice::OwnWay.into())
        }
        _ => refuse(Misplacement::NotForJars, ArmAdvice::TakeOut.into()),
    }
}

/// Refuses a heap as large as the memory limit: the kernel would kill the server as soon as the heap has filled.
fn memory(arm: &Arm) -> Option<Refusal> {
    let heap = arm.heap;
    let memory = arm.surroundings.limits.memory.filter(|memory| heap >= *memory)?;
    let slip = ArmSlip::HeapFillsMemory { heap, memory };
    Some(Refusal::new("memory", slip, ArmAdvice::SmallerHeap))
}

/// Refuses two sizes of the heap.
fn heap_twice(arm: &Arm, node: &Node) -> Option<Refusal> {
    let is_given = node.get("heap").is_some() && largest_heap(&arm.jvm_options).is_some();
    is_given.then(|| Refusal::new("heap", ArmSlip::HeapTwice, ArmAdvice::TakeOut))
}

/// Refuses a container on another host.
fn contained_elsewhere(arm: &Arm, node: &Node) -> Option<Refusal> {
    let is_both = arm.surroundings.container && arm.host.is_some() && node.get("host").is_some();
    is_both.then(|| Refusal::new("host", ArmSlip::ContainerElsewhere, ArmAdvice::TakeOut))
}

/// Refuses to build an arm that names no file: nothing tells what the build makes.
fn nothing_to_build(arm: &Arm, node: &Node) -> Option<Refusal> {
    let is_own = [COMMAND, IMAGE, URL, JAR].contains(&arm.server.as_str());
    if is_own || arm.users_file().is_some() {
        return None; // An own server that is not described is reported as such.
    }
    let key = ["git", "build"].into_iter().find(|key| node.get(key).is_some())?;
    let hint =
        Hint::write_one_of(["war = \"target/app.war\"", "server = \"jar\" with jar = \"target/app.jar\""]);
    Some(Refusal::new(key, UnfitSlip::NothingToBuild(key), hint))
}

/// Reports the key without which prony cannot find or start the server.
fn missing(arm: &Arm, node: &Node) -> Option<Diagnostic> {
    let (key, hint) = match arm.server.as_str() {
        COMMAND => (COMMAND, Hint::write("command = [\"./my-server\", \"--port\", \"{port}\"]")),
        IMAGE => match node.get(IMAGE) {
            Some(_) if has_port(arm) => return None,
            Some(_) => ("port", Hint::write("port = 8080")),
            None => (IMAGE, Hint::write("image = \"registry/app:1.2\"")),
        },
        URL => (URL, origin::hint_url()),
        JAR => (JAR, Hint::write("{ server = \"jar\", jar = \"target/app.jar\" }")),
        _ => return None,
    };
    let absent = node.get(key).is_none();
    absent.then(|| node.lacks(Owner::Arm, key).hint(hint))
}

/// Whether prony knows where the image listens: on the port of the arm, or on the one that its arguments get.
fn has_port(arm: &Arm) -> bool {
    let words = arm.command.iter().flat_map(|command| &command.command);
    arm.port.is_some() || words.into_iter().any(|word| word.contains("{port}"))
}

/// Refuses packages, further settings and access logs that servers of its kind do not have, whatever their version.
fn by_kind(arm: &Arm, node: &Node, known: &Available) -> Vec<Refusal> {
    let facts = match &arm.jar {
        Some(_) => return war_in_jar(arm),
        None => known.kind(&arm.server).map(Kind::facts),
    };
    let Some(facts) = facts else {
        return Vec::new();
    };
    let server = || arm.server.clone();
    let mut refused = Vec::new();
    if let Some(package) = arm.package.filter(|package| !facts.packages.contains(package)) {
        let ids = facts.packages.iter().map(|package| package.id());
        let slip = UnfitSlip::Package { server: server(), package: package.id() };
        refused.push(Refusal::new("package", slip, Hint::listed(Listing::Packages, ids)));
    }
    for key in ["attributes", "properties"] {
        if key != facts.further_settings && node.get(key).is_some() {
            let hint = ArmHint::FurtherSettings(facts.further_settings);
            let server = server();
            refused.push(Refusal::new(key, UnfitSlip::FurtherSettings { server, key }, hint));
        }
    }
    let log = arm.settings.access_log;
    if log.is_some_and(|log| !facts.access_logs.contains(&log)) {
        let hint = match facts.access_logs {
            [] => ArmAdvice::OwnProperties.into(),
            _ => Hint::write("access_log = true"),
        };
        refused.push(Refusal::new("access_log", UnfitSlip::AccessLog(server()), hint));
    }
    refused
}

/// Refuses to run a jar of the user's as a WAR: it is run as it is, or compiled.
fn war_in_jar(arm: &Arm) -> Vec<Refusal> {
    let refuse = || {
        let slip = UnfitSlip::Package { server: arm.server.clone(), package: Package::War.id() };
        let ids = [Package::Jar, Package::Native].map(Package::id);
        Refusal::new("package", slip, Hint::listed(Listing::Packages, ids))
    };
    let is_war = arm.package == Some(Package::War);
    is_war.then(refuse).into_iter().collect()
}

/// Refuses keys for settings that servers of its kind do not have.
fn unknown_settings(arm: &Arm, node: &Node, known: &Available) -> Vec<Refusal> {
    let boot = known.boot(arm);
    let Some(kind) = known.kind(&arm.server).or_else(|| boot.map(Boot::kind)) else {
        return Vec::new();
    };
    let present = keys::all().filter(|key| node.get(key.name).is_some());
    let refuse = |key: &'static Key| {
        let slip = UnfitSlip::NoSetting { server: arm.server.clone(), key: key.name };
        Refusal::new(key.name, slip, ArmAdvice::TakeOut)
    };
    // Virtual threads are no setting with a value: what the release can do decides about them.
    let is_set = |key: &&Key| key.is_unknown_to(kind) && (key.written)(&arm.settings).is_some();
    present.filter(is_set).map(refuse).collect()
}

/// Refuses TLS of a server of the user's own where the arm names a library for it, or no argument tells the server its certificate.
fn own_encryption(arm: &Arm, known: &Available) -> Option<Refusal> {
    let wanted = arm.settings.tls?;
    let (words, example) = match arm.takers(known) {
        [Taker::PlainJar] => {
            (&arm.jar.as_ref()?.arguments, "arguments = [\"{port}\", \"{certificate}\", \"{key}\"]")
        }
        [Taker::Command] => (
            &arm.command.as_ref()?.command,
            "command = [\"./my-server\", \"{port}\", \"{certificate}\", \"{key}\"]",
        ),
        _ => return None,
    };
    if wanted != TlsStack::Own {
        let slip = UnfitSlip::Tls { release: arm.server.clone(), tls: wanted.id() };
        return Some(Refusal::new("tls", slip, Hint::write("tls = \"own\"")));
    }
    let is_told = words.iter().any(|word| word.contains("{certificate}") || word.contains("{key_store}"));
    (!is_told).then(|| Refusal::new("tls", UnfitSlip::NoCertificate, Hint::write(example)))
}

/// Refuses what this release cannot do.
fn by_release(arm: &Arm, known: &Available) -> Vec<Refusal> {
    let boot = known.boot(arm);
    let of_boot = boot.map(Boot::ability);
    let Some(ability) = of_boot.or_else(|| known.ability(&arm.server, &arm.version)) else {
        return Vec::new();
    };
    let release = ReleaseCheck {
        server: &arm.server,
        name: format!("{}:{}", arm.server, arm.version),
        ability: &ability,
        known,
    };
    let mut refused = release.choices(arm);
    refused.extend(together(arm, &ability));
    refused.extend(release.deployment(arm));
    refused
}

/// The release of an arm's server, and what it can do.
struct ReleaseCheck<'a> {
    /// The server's name: `tomcat`.
    server: &'a str,
    /// With its version: `tomcat:10.1.29`.
    name: String,
    ability: &'a Ability,
    known: &'a Available,
}

impl ReleaseCheck<'_> {
    /// Returns the releases of the same server that can do something.
    fn others(&self, can: impl Fn(&Ability) -> bool) -> Vec<String> {
        self.known.able(self.server, can)
    }

    /// Refuses connectors, TLS stacks and threads that the release does not have.
    fn choices(&self, arm: &Arm) -> Vec<Refusal> {
        let (ability, settings) = (self.ability, &arm.settings);
        let release = || self.name.clone();
        let mut refused = Vec::new();
        let connector = settings.connector;
        if let Some(wanted) = connector.filter(|wanted| !ability.connectors.contains(wanted)) {
            let present = words(ability.connectors.iter().map(|connector| connector.id()));
            let others = self.others(|other| other.connectors.contains(&wanted));
            let slip = UnfitSlip::Connector { release: release(), connector: wanted.id() };
            refused.push(Refusal::new("connector", slip, ArmHint::Instead { present, others }));
        }
        if let Some(wanted) = settings.tls.filter(|wanted| !ability.tls.contains(wanted)) {
            let present = words(ability.tls.iter().map(|tls| tls.id()));
            let others = self.others(|other| other.tls.contains(&wanted));
            let slip = UnfitSlip::Tls { release: release(), tls: wanted.id() };
            refused.push(Refusal::new("tls", slip, ArmHint::Instead { present, others }));
        }
        refused.extend(self.http2(settings.http2_way()));
        if settings.threads == Some(Threads::Virtual) && !ability.virtual_threads {
            let hint = ArmHint::Instead {
                present: Present::PlatformThreads,
                others: self.others(|other| other.virtual_threads),
            };
            refused.push(Refusal::new("threads", UnfitSlip::VirtualThreads(release()), hint));
        }
        refused
    }

    /// Refuses HTTP/2 on a release that does not speak it in this way, with the source of that.
    fn http2(&self, way: Option<Http2Way>) -> Option<Refusal> {
        let way = way.filter(|way| !self.ability.http2.contains(way))?;
        let sources =
            self.known.rules(self.server).into_iter().flat_map(|rules| rules.sources_of(Feature::Http2(way)));
        let hint = ArmHint::OtherHttp2 {
            others: self.others(|other| other.http2.contains(&way)),
            sources: sources.map(str::to_owned).collect(),
        };
        let over_tls = way == Http2Way::Alpn;
        Some(Refusal::new("http", UnfitSlip::Http2 { release: self.name.clone(), over_tls }, hint))
    }

    /// Refuses deployments that the release cannot take.
    fn deployment(&self, arm: &Arm) -> Vec<Refusal> {
        let (ability, deployment) = (self.ability, &arm.deployment);
        let release = || self.name.clone();
        let mut refused = Vec::new();
        match (ability.namespace, deployment.namespace) {
            (None, _) if deployment.war.is_some() => {
                let slip = UnfitSlip::NoWar(release());
                refused.push(Refusal::new("war", slip, ArmAdvice::StandaloneServers));
            }
            (Some(Namespace::Javax), Some(Namespace::Jakarta)) => {
                let deploying = self.others(|other| other.namespace == Some(Namespace::Jakarta));
                let hint = Hint::listed(Listing::JakartaServers, deploying);
                refused.push(Refusal::new("war", UnfitSlip::JakartaOnJavax(release()), hint));
            }
            _ => {}
        }
        let Some(migrate) = deployment.migrate else {
            return refused;
        };
        if ability.namespace != Some(Namespace::Jakarta) || deployment.namespace == Some(Namespace::Jakarta) {
            let slip = UnfitSlip::NothingToMigrate(release());
            refused.push(Refusal::new("migrate", slip, ArmAdvice::OnlyJavaxOnJakarta));
        } else if migrate == Migrate::AtStart && !ability.webapps_javaee {
            let hint = ArmHint::Instead {
                present: words(["before"].into_iter()),
                others: self.others(|other| other.webapps_javaee),
            };
            refused.push(Refusal::new("migrate", UnfitSlip::DoesNotMigrate(release()), hint));
        }
        refused
    }
}

/// Refuses settings that the release has, but not in this combination.
fn together(arm: &Arm, ability: &Ability) -> Vec<Refusal> {
    let mut refused = Vec::new();
    let (connector, tls) = (arm.settings.connector, arm.settings.tls);
    if let (Some(Connector::Apr), Some(TlsStack::Jsse | TlsStack::OpenSslFfm)) = (connector, tls) {
        let hint = Hint::write_one_of(["tls = \"openssl\"", "connector = \"nio\""]);
        refused.push(Refusal::new("tls", UnfitSlip::AprWithoutOpenSsl, hint));
    }
    if arm.settings.max_streams.is_some() && arm.settings.http != Some(HttpVersion::Two) {
        let hint = Hint::write("http = \"2\"");
        refused.push(Refusal::new("max_streams", UnfitSlip::StreamsOfHttp1, hint));
    }
    let (least, need) = arm.least_java(ability);
    if let Some(asked) = arm.jdk.as_ref().and_then(JdkChoice::release)
        && asked < least
    {
        let slip = UnfitSlip::OldJava { need, least, asked };
        refused.push(Refusal::new("jdk", slip, ArmHint::Jdk(lts(least))));
    }
    refused
}

/// Returns the words that a release knows, in the quotes that a file needs.
fn words<'a>(ids: impl Iterator<Item = &'a str>) -> Present {
    let words: Vec<String> = ids.map(|id| format!("\"{id}\"")).collect();
    match words.is_empty() {
        true => Present::Nothing,
        false => Present::Words(words),
    }
}

/// Returns the first long-term release that is no older than this Java: most people have one of these installed.
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
            servers: vec![server("tomcat"), server("boot"), server("helidon")],
            apps: vec![
                ("hello".to_owned(), vec!["/json".to_owned()]),
                ("crud".to_owned(), vec!["/crud/first".to_owned()]),
            ],
            routed: vec!["hello".to_owned()],
            kinds: vec![
                ("tomcat".to_owned(), Kind::Tomcat),
                ("boot".to_owned(), Kind::SpringBootJetty),
                ("helidon".to_owned(), Kind::named("helidon").expect("known")),
            ],
            ..Available::default()
        }
    }

    /// What is wrong with an arm; empty where nothing is.
    fn refusal(arm: &str) -> String {
        refusal_in(&format!("arms = [\"tomcat:1\",\n{arm}]"))
    }

    fn refusal_in(text: &str) -> String {
        match Experiment::parse(text, "f", &known()) {
            Ok(_) => String::new(),
            Err(rejected) => rejected.render("f", text, false),
        }
    }

    #[test]
    fn the_heap_is_set_once() {
        assert_eq!(refusal("{ server = \"tomcat:1\", name = \"b\", jvm_options = \"-Xmx64m\" }"), "");
        let twice =
            refusal("{ server = \"tomcat:1\", name = \"b\", heap = \"64M\", jvm_options = \"-Xmx64m\" }");
        assert!(twice.contains("`heap` and `jvm_options` both set"), "{twice}");
        let text =
            "arms = [\"tomcat:1\", { server = \"tomcat:1\", name = \"b\", jvm_options = [\"-Xmx64m\"] }]";
        let experiment = Experiment::parse(text, "f", &known()).expect("a good file");
        assert_eq!(experiment.arms[1].heap, model::units::Bytes(64 << 20));
    }

    #[test]
    fn virtual_threads_are_no_setting_that_a_server_could_lack() {
        assert_eq!(refusal("{ server = \"helidon:1\", threads = \"virtual\" }"), "");
        let refused = refusal("{ server = \"helidon:1\", threads = 5 }");
        assert!(refused.contains("`helidon` has no setting for `threads`"), "{refused}");
    }

    #[test]
    fn an_application_of_servlets_is_refused_on_a_server_without_them() {
        let file = |app: &str, server: &str| {
            refusal_in(&format!("app = \"{app}\"\narms = [\"tomcat:1\", \"{server}:1\"]"))
        };
        assert_eq!(file("hello", "helidon"), "");
        assert_eq!(file("crud", "boot"), "");
        let refused = file("crud", "helidon");
        assert!(
            refused.contains("`helidon` runs no servlets, and the application `crud` needs them"),
            "{refused}"
        );
        assert!(refused.contains("without servlets: hello") && refused.contains("f:1:"), "{refused}");
    }

    #[test]
    fn what_a_server_does_not_take_is_refused_with_what_it_takes() {
        let refused = refusal("{ server = \"tomcat:1\", package = \"native\" }");
        assert!(refused.contains("`tomcat` does not run a `native`"), "{refused}");
        assert!(refused.contains("it takes: war") && refused.contains("f:2:"), "{refused}");
        let refused = refusal("{ server = \"boot:1\", attributes = { maxThreads = 5 } }");
        assert!(refused.contains("its settings are its `properties`"), "{refused}");
        let refused = refusal("{ server = \"boot:1\", package = \"natve\" }");
        assert!(refused.contains("did you mean \"native\"?"), "{refused}");
        let refused = refusal("{ server = \"boot:1\", properties = { \"server.port\" = 80 } }");
        assert!(refused.contains("`server.port` is set by prony"), "{refused}");
        let refused = refusal("{ server = \"boot:1\", properties = { a = 1.5 } }");
        assert!(refused.contains("expected a string, an integer, true or false"), "{refused}");
    }

    #[test]
    fn an_access_log_is_buffered_or_not_or_not_to_be_had() {
        assert_eq!(refusal("{ name = \"b\", server = \"tomcat:1\", access_log = \"unbuffered\" }"), "");
        assert_eq!(refusal("{ server = \"boot:1\", access_log = true }"), "");
        let refused = refusal("{ server = \"boot:1\", access_log = \"unbuffered\" }");
        assert!(refused.contains("prony cannot have `boot` write such an access log"), "{refused}");
        assert!(refused.contains("write access_log = true"), "{refused}");
        let refused = refusal("{ server = \"boot:1\", access_log = \"slow\" }");
        assert!(refused.contains("`slow` is not known here"), "{refused}");
        assert!(refusal("{ server = \"boot:1\", access_log = 1 }").contains("expected true, false or"));
    }

    #[test]
    fn what_it_takes_is_read() {
        let boot =
            "{ server = \"boot:1\", package = \"native\", properties = { a = 1, b = true, c = \"x\" } }";
        assert_eq!(refusal(boot), "");
        assert_eq!(
            refusal("{ name = \"b\", server = \"tomcat:1\", attributes = { a = 1 }, package = \"war\" }"),
            ""
        );
    }
}
