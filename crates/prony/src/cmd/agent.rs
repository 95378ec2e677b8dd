//! `prony agent`: makes shares of loads for `prony load --fleet`.

use crate::args;
use crate::failure::{Code, Failure};
use crate::language;
use crate::run_id;
use crate::say::complaint::LoadComplaint;
use crate::signals;
use fleet::{Agent, Allowed, Creds};
use model::patience::Patience;
use std::path::Path;
use sut::WorkFolder;

pub(crate) fn run(args: &args::AgentArgs, quiet: bool, patience: Patience) -> Result<(), Failure> {
    let lang = language::chosen(&args.language);
    let mut allowed = Allowed::default();
    for address in &args.allow {
        allowed.add(address).map_err(|source| {
            Failure::usage(LoadComplaint::NotAnAddress { text: address.clone(), said: source.to_string() })
        })?;
    }
    let agent = Agent {
        server: args.nats.clone(),
        creds: args.creds.as_deref().map(Creds::read).transpose().map_err(usage)?,
        id: args.id.clone().unwrap_or_else(default_id),
        allowed,
        once: args.once,
        patience,
    };
    let stop = signals::stop_flag()?;
    agent
        .serve(&stop, &mut |event| {
            if !quiet {
                eprintln!("{}: {}", agent.id, ::say::text(&event, lang));
            }
        })
        .map_err(usage)
}

/// Makes shares as the standard input orders; prony has started this process on a host of its fleet.
pub(crate) fn run_as_ordered(folder: &Path) -> Result<(), Failure> {
    let internal = |error| Failure::new(Code::Internal, error);
    sut::work::clean(folder).map_err(internal)?;
    let folder = WorkFolder::create(folder, run_id::seed()?).map_err(internal)?;
    fleet::serve_as_ordered(folder.path()).map_err(usage)
}

fn usage(error: fleet::Error) -> Failure {
    Failure::new(Code::Usage, error)
}

/// Returns the host's name and the process id, because several agents can run on a host.
fn default_id() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let allowed = |c: &char| c.is_ascii_alphanumeric() || *c == '-' || *c == '_';
    let name: String = name.chars().filter(allowed).take(48).collect();
    format!("{name}-{}", std::process::id())
}
