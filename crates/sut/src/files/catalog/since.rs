//! [`Since`]: the abilities of a series of releases, each with the first version that has it.

use super::numbers;
use model::ability::Ability;
use model::arm::{Connector, TlsStack};
use model::deployment::Namespace;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The first version that has an ability (a TLS stack, a connector, virtual threads, …), by its name in experiment files.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Since(BTreeMap<String, String>);

// Abilities that are neither a connector nor a TLS stack.
const VIRTUAL_THREADS: &str = "virtual-threads";
const WEBAPPS_JAVAEE: &str = "webapps-javaee";

impl Since {
    /// A name that is no known ability, if there is one.
    pub(super) fn unknown(&self) -> Option<&String> {
        let known = |name: &&String| {
            Connector::ALL
                .iter()
                .any(|connector| connector.id() == name.as_str())
                || TlsStack::ALL.iter().any(|tls| tls.id() == name.as_str())
                || [VIRTUAL_THREADS, WEBAPPS_JAVAEE].contains(&name.as_str())
        };
        self.0.keys().find(|name| !known(name))
    }

    /// What this version can do; it runs on `java` or newer and deploys WARs for `namespace`.
    pub(super) fn ability(&self, version: &str, java: u32, namespace: Option<Namespace>) -> Ability {
        let has = |name: &str| {
            self.0
                .get(name)
                .is_some_and(|first| numbers(first) <= numbers(version))
        };
        Ability {
            java,
            connectors: Connector::ALL
                .into_iter()
                .filter(|connector| has(connector.id()))
                .collect(),
            tls: TlsStack::ALL.into_iter().filter(|tls| has(tls.id())).collect(),
            virtual_threads: has(VIRTUAL_THREADS),
            namespace,
            webapps_javaee: has(WEBAPPS_JAVAEE),
        }
    }
}
