//! `prony agent`: makes shares of loads for `prony load --fleet`.

use super::SubCommand;
use crate::args::LanguageArgs;
use crate::call::Call;
use crate::failure::Failure;
use crate::language;
use crate::signals;
use clap::Args;
use fleet::{Agent, Allowed, Creds};
use say::Say;
use std::path::PathBuf;

/// Make this machine a load machine: it waits for `prony load --fleet`, and makes its share of the load.
#[derive(Debug, Args)]
pub(crate) struct AgentArgs {
    /// The NATS server, such as nats://10.0.0.1:4222; the agent connects to it and needs no open port.
    #[arg(long, value_name = "URL")]
    nats: String,
    /// A TOML file of mode 0600 with user, password, and optionally ca (a PEM file) and inbox.
    #[arg(long, value_name = "FILE")]
    creds: Option<PathBuf>,
    /// A target that may be loaded, besides those on this machine; HOST:* is all ports of a host; may be repeated.
    #[arg(long, value_name = "HOST:PORT")]
    allow: Vec<String>,
    /// The name of this agent: letters, digits, - and _ [default: the host's name and the process id]
    #[arg(long, value_name = "NAME")]
    id: Option<String>,
    /// End after one load.
    #[arg(long)]
    once: bool,
    /// The language of what it reports.
    #[command(flatten)]
    language: LanguageArgs,
}

/// A target of `--allow` that is no address.
#[derive(Debug, Say)]
#[say(
    error,
    en = "`{text}` is not an address: {said}",
    zh = "`{text}` 不是地址：{said}",
    hint(en = "write HOST:PORT, such as 10.0.0.5:8080", zh = "请写 HOST:PORT，例如 10.0.0.5:8080")
)]
pub(crate) struct NotAnAddress {
    /// What was given.
    pub(crate) text: String,
    /// What the system says.
    pub(crate) said: String,
}

impl SubCommand for AgentArgs {
    fn run(&self, call: &Call) -> Result<(), Failure> {
        let lang = language::chosen(&self.language);
        let mut allowed = Allowed::default();
        for address in &self.allow {
            allowed.add(address).map_err(|source| {
                Failure::usage(NotAnAddress { text: address.clone(), said: source.to_string() })
            })?;
        }
        let agent = Agent {
            server: self.nats.clone(),
            creds: self.creds.as_deref().map(Creds::read).transpose().map_err(Failure::usage)?,
            id: self.id.clone().unwrap_or_else(default_id),
            allowed,
            once: self.once,
            patience: call.patience,
        };
        let stop = signals::stop_flag()?;
        agent
            .serve(&stop, &mut |event| {
                if !call.quiet {
                    eprintln!("{}: {}", agent.id, say::text(&event, lang));
                }
            })
            .map_err(Failure::usage)
    }
}

/// Returns the host's name and the process id, because several agents can run on a host.
fn default_id() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let allowed = |c: &char| c.is_ascii_alphanumeric() || *c == '-' || *c == '_';
    let name: String = name.chars().filter(allowed).take(48).collect();
    format!("{name}-{}", std::process::id())
}
