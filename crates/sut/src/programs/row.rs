//! [`RowProgram`]: a server that needs no code. The table `server` of its file of the catalog says how it is started and what its log
//! tells.

use crate::error::Error;
use crate::files::certificate::Certificate;
use crate::files::log::Trouble;
use crate::programs::command::port_taken;
use crate::programs::launcher;
use crate::programs::system::{
    StartContext, System, filled, fresh, java, release_after, system_properties, with_own,
};
use ask::arm::Threads;
use ask::arm::settings::Settings;
use ask::catalog::row::{Channel, Given, LogWords, Row};
use ask::kind::{Kind, RowKind};
use record::outcome::{Effective, Limit};
use serde::{Deserialize, Deserializer, Serialize};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An application with a server that a file of the catalog describes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowProgram {
    /// The kind of server.
    #[serde(serialize_with = "by_name", deserialize_with = "named")]
    pub kind: &'static RowKind,
    /// The executable jar of the application with its server, or the folder of the application and its libraries.
    pub path: PathBuf,
}

fn by_name<S: serde::Serializer>(kind: &&'static RowKind, to: S) -> Result<S::Ok, S::Error> {
    Kind::Row(kind).serialize(to)
}

fn named<'de, D: Deserializer<'de>>(from: D) -> Result<&'static RowKind, D::Error> {
    match Kind::deserialize(from)? {
        Kind::Row(kind) => Ok(kind),
        other => Err(serde::de::Error::custom(format!("`{}` has code", other.id()))),
    }
}

impl System for RowProgram {
    fn prepare(&self, start: &StartContext<'_>) -> Result<Command, Error> {
        let base = fresh(start.work, "base", &["temp"])?;
        let mut command = java(start, &base)?;
        let settings = self.settings(start.settings, start.address(), start.certificate);
        let jar = self.row().start.jar.as_ref();
        let jar = jar.map_or_else(|| self.path.clone(), |jar| self.path.join(jar));
        match self.row().start.settings {
            Channel::SystemProperties => {
                command.args(system_properties(settings)).arg("-jar").arg(jar);
            }
            Channel::Arguments => {
                let arguments = settings.into_iter().map(|(name, value)| format!("{name}={value}"));
                command.arg("-jar").arg(jar).args(arguments);
            }
        }
        Ok(command)
    }

    fn trouble(&self, line: &str) -> Option<Trouble> {
        let says = |words: &[String]| words.iter().any(|word| line.contains(word.as_str()));
        let taken = || says(&self.log().port_taken).then_some(Trouble::PortTaken);
        let failed = || says(&self.log().failed).then_some(Trouble::Failed);
        port_taken(line).or_else(taken).or_else(failed)
    }

    fn is_up(&self, line: &str) -> bool {
        self.log().up.iter().all(|words| line.contains(words.as_str()))
    }

    fn effective(&self, log: &str) -> Effective {
        let words = self.log();
        let version = release_after(log, &words.version_after);
        Effective {
            server: version.map(|version| format!("{}/{version}", words.called)),
            protocol_handler: self.scheme(log),
            virtual_threads: match &words.virtual_tasks_after {
                Some(words) => limit(log, words),
                None => launcher::virtual_threads(log),
            },
            max_connections: words.connections_after.as_ref().and_then(|words| limit(log, words)),
            ..Effective::default()
        }
    }

    fn check(&self, server: &str, settings: &Settings, log: &str) -> Result<(), Error> {
        launcher::check_scheme(server, settings, self.scheme(log))
    }

    fn application(&self) -> &Path {
        &self.path
    }
}

impl RowProgram {
    const fn row(&self) -> &'static Row {
        self.kind.row
    }

    const fn log(&self) -> &'static LogWords {
        &self.row().log
    }

    /// The scheme that the server speaks, from the words that its log has before it or before an address.
    fn scheme(&self, log: &str) -> Option<String> {
        let word = release_after(log, &self.log().scheme_after)?;
        word.split("://").next().map(str::to_owned)
    }

    /// The settings of the arm by their names on the server, and those that say where it listens and how it encrypts.
    pub(super) fn settings(
        &self,
        settings: &Settings,
        at: SocketAddr,
        certificate: Option<&Certificate>,
    ) -> Vec<(String, String)> {
        let start = &self.row().start;
        let mut groups: Vec<&[Given]> = vec![&start.always];
        groups.extend((!at.ip().is_loopback()).then_some(start.elsewhere.as_slice()));
        groups.push(if certificate.is_some() { &start.tls } else { &start.plain });
        groups.extend(settings.http2_way().map(|_| start.http2.as_slice()));
        let is_virtual = settings.threads == Some(Threads::Virtual);
        groups.extend(is_virtual.then_some(start.virtual_threads.as_slice()));
        let given = groups.into_iter().flatten();
        let mut known: Vec<(&str, String)> =
            given.map(|given| (given.name.as_str(), filled(&given.value, at, certificate))).collect();
        known.extend(settings.named(Kind::Row(self.kind)));
        with_own(known, settings)
    }
}

/// A limit that a launcher has read back from its server; -1 is none.
fn limit(log: &str, words: &str) -> Option<Limit> {
    let most: i64 = release_after(log, words)?.parse().ok()?;
    Some(u64::try_from(most).map_or(Limit::None, Limit::At))
}

#[cfg(test)]
#[path = "row/tests.rs"]
mod tests;
