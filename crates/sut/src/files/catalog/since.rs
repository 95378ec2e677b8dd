//! [`Since`]: what the releases of a series can do, each with the first version that can.

use super::numbers;
use model::ability::Ability;
use model::arm::{Connector, TlsStack};
use model::deployment::Namespace;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What encrypts, how requests come in and what serves them, by the names of experiment files.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Since(BTreeMap<String, String>);

/// Those that are neither a connector nor a kind of TLS.
const VIRTUAL_THREADS: &str = "virtual-threads";
const WEBAPPS_JAVAEE: &str = "webapps-javaee";

impl Since {
    /// The names that mean nothing.
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

    /// What one version can do, which runs on this Java or newer and deploys WARs of this kind.
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
