//! [`Ability`]: what a release of a server can do. An arm that asks for more is refused with its line, before anything is
//! fetched, and told what would work.

use crate::arm::{Arm, Connector, JdkChoice, Known, Threads, TlsStack};
use crate::deployment::Namespace;
use crate::diagnostic::Diagnostic;
use crate::jar::Boot;
use crate::node::Node;

/// What one release of a server can do; data of the catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ability {
    /// Lowest Java that it runs on.
    pub java: u32,
    /// The ways to its sockets that it has; empty where there is no choice.
    pub connectors: Vec<Connector>,
    /// What can encrypt its connections; empty where prony cannot set that up.
    pub tls: Vec<TlsStack>,
    /// Whether it can serve each request by a virtual thread.
    pub virtual_threads: bool,
    /// The Servlet API of the WARs that it deploys; `None` where it deploys none.
    pub namespace: Option<Namespace>,
    /// Whether it migrates the javax WARs in a folder of that name whenever it starts.
    pub webapps_javaee: bool,
}

/// A key of an arm that asks for what there is not.
pub(crate) struct Refusal {
    pub(crate) key: &'static str,
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl Ability {
    /// The same without connectors and TLS of these names.
    #[must_use]
    pub fn without(mut self, names: &[String]) -> Self {
        let named = |id: &str| names.iter().any(|name| name == id);
        self.connectors.retain(|connector| !named(connector.id()));
        self.tls.retain(|tls| !named(tls.id()));
        self
    }

    /// Lowest Java for an arm: what it asks for may need a newer one than the server itself; and why it is needed.
    pub fn java(&self, arm: &Arm) -> (u32, &'static str) {
        let own = (self.java, "this server needs");
        let threads = (arm.threads == Some(Threads::Virtual)).then_some((21, "virtual threads need"));
        let tls = (arm.tls == Some(TlsStack::OpenSslFfm)).then_some((22, "OpenSSL by FFM needs"));
        let asked = [Some(own), threads, tls].into_iter().flatten();
        // Of equal ones the first: `max_by_key` would give the last.
        asked.rev().max_by_key(|(java, _)| *java).unwrap_or(own)
    }
}

impl Known {
    /// What a release can do, where that is known.
    pub fn ability(&self, server: &str, version: &str) -> Option<&Ability> {
        let mut abilities = self.abilities.iter();
        let found = abilities.find(|((name, number), _)| name == server && number == version);
        found.map(|(_, ability)| ability)
    }

    /// The releases of a server that can do something, as `tomcat:9.0.95`.
    pub(crate) fn able(&self, server: &str, can: impl Fn(&Ability) -> bool) -> Vec<String> {
        let releases = self.abilities.iter().filter(|((name, _), _)| name == server);
        releases
            .filter(|(_, ability)| can(ability))
            .map(|((name, version), _)| format!("{name}:{version}"))
            .collect()
    }
}

/// What an arm asks of its release in vain. `node` is where it stands.
pub(crate) fn lacks(arm: &Arm, node: &Node, known: &Known) -> Vec<Diagnostic> {
    let boot = arm.jar.as_ref().and_then(|jar| known.boot(&jar.path));
    let of_boot = boot.map(Boot::ability);
    let Some(ability) = of_boot
        .as_ref()
        .or_else(|| known.ability(&arm.server, &arm.version))
    else {
        return Vec::new();
    };
    let release = format!("{}:{}", arm.server, arm.version);
    let mut refused = choices(arm, &release, ability, known);
    refused.extend(together(arm, ability));
    refused.extend(arm.deployment.refused((&arm.server, &release), ability, known));
    let show = |refusal: Refusal| {
        let span = node.entry(refusal.key).span.clone();
        Diagnostic::new(span, refusal.message).hint(refusal.hint)
    };
    refused.into_iter().map(show).collect()
}

/// Connectors, TLS and threads that the release does not have.
fn choices(arm: &Arm, release: &str, ability: &Ability, known: &Known) -> Vec<Refusal> {
    let mut refused = Vec::new();
    let mut refuse = |key, message, hint| refused.push(Refusal { key, message, hint });
    if let Some(wanted) = arm
        .connector
        .filter(|wanted| !ability.connectors.contains(wanted))
    {
        let has = quoted(ability.connectors.iter().map(|connector| connector.id()));
        let others = known.able(&arm.server, |other| other.connectors.contains(&wanted));
        let message = format!("{release} has no connector `{}`", wanted.id());
        refuse("connector", message, instead(&has, &others));
    }
    if let Some(wanted) = arm.tls.filter(|wanted| !ability.tls.contains(wanted)) {
        let has = quoted(ability.tls.iter().map(|tls| tls.id()));
        let others = known.able(&arm.server, |other| other.tls.contains(&wanted));
        let message = format!("{release} cannot encrypt by `{}`", wanted.id());
        refuse("tls", message, instead(&has, &others));
    }
    if arm.threads == Some(Threads::Virtual) && !ability.virtual_threads {
        let others = known.able(&arm.server, |other| other.virtual_threads);
        let message = format!("{release} has no virtual threads");
        refuse(
            "threads",
            message,
            instead("platform threads, as threads = 200", &others),
        );
    }
    refused
}

/// What the release has, but not with what else is asked for.
fn together(arm: &Arm, ability: &Ability) -> Vec<Refusal> {
    let mut refused = Vec::new();
    if let (Some(Connector::Apr), Some(TlsStack::Jsse | TlsStack::OpenSslFfm)) = (arm.connector, arm.tls) {
        refused.push(Refusal {
            key: "tls",
            message: "the connector `apr` encrypts by OpenSSL only".to_owned(),
            hint: "write tls = \"openssl\", or connector = \"nio\"".to_owned(),
        });
    }
    let (least, why) = ability.java(arm);
    if let Some(JdkChoice::Release(major)) = arm.jdk
        && major < least
    {
        refused.push(Refusal {
            key: "jdk",
            message: format!("{why} JDK {least} or newer, and not {major}"),
            hint: format!("write jdk = {}, or leave it out", lts(least)),
        });
    }
    refused
}

/// What would work: on this release, or on which other.
pub(crate) fn instead(has: &str, others: &[String]) -> String {
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
