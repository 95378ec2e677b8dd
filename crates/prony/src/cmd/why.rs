//! `prony why ARM|URL`: runs an experiment with one arm, which asks what limits it.

use super::SubCommand;
use super::compare::{parse_arm, workload};
use crate::args::{DesignArgs, ExecutionArgs, LiveArgs, MachineArgs, NetworkArgs, OutputArgs};
use crate::available::{self, Audience};
use crate::call::Call;
use crate::experiment::{self, RunOptions};
use crate::failure::Failure;
use crate::language;
use ask::arm::Arm;
use ask::arm::Telemetry;
use ask::experiment::{Experiment, LoadProfile};
use ask::origin;
use clap::Args;
use model::url::Url;
use std::net::IpAddr;

/// Find out what limits one server: prony why tomcat:10.1.29 -c 200, or the URL of one that runs on this machine.
#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// The server: SERVER:VERSION[,key=value...], which prony starts, or the URL of one that runs on this machine.
    #[arg(value_name = "ARM|URL")]
    server: String,
    /// The application that the server runs.
    #[arg(long, default_value = "hello")]
    app: String,
    /// The path to request [default: the path of the URL, or the application's first]
    #[arg(long)]
    path: Option<String>,
    /// Keep-alive connections, which are reached in steps; each sends its next request when the previous one is answered.
    #[arg(short, long, value_name = "N", default_value_t = ask::experiment::CONNECTIONS as u32,
          value_parser = clap::value_parser!(u32).range(1..=60_000))]
    connections: u32,
    /// Then try the change that the first diagnosis suggests: three more starts with and without it.
    #[arg(long)]
    prove: bool,
    /// Seed of everything random [default: drawn, and recorded with the run]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The way to a server that runs.
    #[command(flatten)]
    network: Box<NetworkArgs>,
    /// Which CPUs are used.
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    live: LiveArgs,
    /// Where results go.
    #[command(flatten)]
    output: OutputArgs,
}

impl WhyArgs {
    /// Returns them as the options of an experiment.
    fn execution(&self) -> ExecutionArgs {
        ExecutionArgs {
            design: DesignArgs { prove: self.prove, seed: self.seed, ..DesignArgs::default() },
            machine: self.machine.clone(),
            live: self.live.clone(),
            output: self.output.clone(),
        }
    }
}

impl SubCommand for WhyArgs {
    fn run(&self, call: &Call) -> Result<(), Failure> {
        let known = available::in_catalog();
        let url = url(&self.server);
        let audience = Audience {
            colour: call.colour.stderr,
            quiet: call.quiet,
            lang: language::chosen(&self.output.language),
        };
        let arm = match &url {
            // The address that was typed is a better name than the arm that is made of it. Whoever asks why the server is slow lets
            // prony look inside, which it does not otherwise do with a server that ran already.
            Some(url) => Arm {
                name: self.server.clone(),
                telemetry: Telemetry::Jfr,
                network: self.network.network(),
                ..parse_arm(&running(url), &known, audience)?
            },
            None => parse_arm(&self.server, &known, audience)?,
        };
        let arms = vec![arm];
        let path = self.path.clone().or_else(|| Some(url?.path));
        let workload = workload(&self.app, path, &arms, &known)?;
        let mut experiment = Experiment::without_file("why", &known, arms, workload, LoadProfile::default());
        experiment.find_limit(self.connections as usize);
        let options = RunOptions { args: &self.execution(), call, lock: None };
        experiment::run(experiment, &call.typed.command(), options)
    }
}

/// Returns the address of a server that runs; `None` for an arm. An address without a scheme is known by its host, because
/// `tomcat:9` could be one, too.
fn url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_here = url.host == "localhost" || url.host.parse::<IpAddr>().is_ok();
    (text.contains("://") || is_here).then_some(url)
}

/// Returns the arm for a server that runs.
fn running(url: &Url) -> String {
    let scheme = if url.tls { "https" } else { "http" };
    format!("{},url={scheme}://{}", origin::URL, url.authority())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_arms() {
        let arm = |text: &str| url(text).as_ref().map(running);
        for (text, expected) in [
            ("http://localhost:8080/shop?x=1", "url,url=http://localhost:8080"),
            ("https://127.0.0.1:8443", "url,url=https://127.0.0.1:8443"),
            ("localhost:8080/shop", "url,url=http://localhost:8080"),
            ("127.0.0.1", "url,url=http://127.0.0.1"),
        ] {
            assert_eq!(arm(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["tomcat:10.1.29", "tomcat:9", "tomcat:10.1.29,threads=20", "jar,jar=shop.jar"] {
            assert_eq!(arm(text), None, "{text}");
        }
        assert_eq!(url("localhost:8080/shop?x=1").expect("an address").path, "/shop?x=1");
    }
}
