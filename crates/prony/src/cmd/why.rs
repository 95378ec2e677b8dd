//! `prony why ARM|URL`: runs an experiment with one arm, which asks what limits it.

use crate::args;
use crate::available::{self, Audience};
use crate::cmd::compare::{parse_arm, workload};
use crate::experiment::{self, RunOptions};
use crate::failure::Failure;
use crate::language;
use crate::output::Colour;
use crate::repeat;
use model::arm::Arm;
use model::experiment::{Experiment, LoadProfile};
use model::origin;
use model::patience::Patience;
use model::telemetry::Telemetry;
use model::url::Url;
use std::net::IpAddr;

pub(crate) fn run(
    args: &args::WhyArgs,
    colour: Colour,
    quiet: bool,
    patience: Patience,
) -> Result<(), Failure> {
    let known = available::in_catalog();
    let url = url(&args.server);
    let audience = Audience { colour: colour.stderr, quiet, lang: language::chosen(&args.output.language) };
    let arm = match &url {
        // The address that was typed is a better name than the arm that is made of it. Whoever asks why the server is slow lets
        // prony look inside, which it does not otherwise do with a server that ran already.
        Some(url) => Arm {
            name: args.server.clone(),
            telemetry: Telemetry::Jfr,
            ..parse_arm(&running(url), &known, audience)?
        },
        None => parse_arm(&args.server, &known, audience)?,
    };
    let arms = vec![arm];
    let path = args.path.clone().or_else(|| Some(url?.path));
    let workload = workload(&args.app, path, &arms, &known)?;
    let mut experiment = Experiment::without_file("why", &known, arms, workload, LoadProfile::default());
    experiment.find_limit(args.connections as usize);
    let options = RunOptions {
        args: &args.execution(),
        colour: colour.stdout,
        quiet,
        patience,
        lock: None,
        command_line: None,
    };
    experiment::run(experiment, &repeat::command_line(), options)
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
