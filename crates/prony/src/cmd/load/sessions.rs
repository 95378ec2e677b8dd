//! Reads the sessions of steps that `prony load` plays.

use super::LoadArgs;
use super::plan::{header, tls};
use crate::failure::Failure;
use crate::files::{Given, unreadable};
use crate::mistakes;
use ask::scenario_file::{self, ScenarioFile};
use clap::Args;
use lab::Way;
use load::Url;
use std::path::{Path, PathBuf};
use traffic::plan::{OtherServer, Sessions, Target};
use traffic::scenario::{Program, Resources, Server};

/// Sessions of steps in the place of one request.
#[derive(Debug, Args)]
pub(super) struct SessionArgs {
    /// Play the sessions of this TOML file: weighted scenarios whose users log in, carry tokens, follow data and think.
    /// --connections is the number of users, --rate the number of sessions that begin per second, and --iterations the
    /// number of sessions of each user. Paths of the file come behind the path of the URL.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mix", "method", "body", "pool", "pipeline", "think"])]
    pub(super) scenario: Option<PathBuf>,
    /// Run this JMeter plan: its thread groups tell how many users there are, and when they come and go. A URL beside it
    /// gets all requests in the place of the plan's own server.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scenario", "mix", "method", "body", "pool", "pipeline", "think", "rate", "stages", "iterations", "requests", "ramp_up", "warm_up"])]
    pub(super) jmx: Option<PathBuf>,
    /// Give a property of the JMeter plan a value, as in JMeter: -Jusers=20; may be repeated.
    #[arg(short = 'J', value_name = "NAME=VALUE", requires = "jmx")]
    pub(super) properties: Vec<String>,
    /// Run the JMeter plan without its elements that are not supported; the report names them.
    #[arg(long, requires = "jmx")]
    pub(super) skip_unsupported: bool,
}

/// The sessions of a program, with what the flags add to all of its requests.
pub(super) fn of_program(
    args: &LoadArgs,
    way: &Way,
    url: &Url,
    mut program: Program,
) -> Result<Sessions, Failure> {
    let mut headers = Vec::new();
    for text in &args.headers {
        let (name, value) = header(text)?;
        headers.push((name.to_owned(), value.to_owned()));
    }
    if args.no_keepalive {
        headers.push(("Connection".to_owned(), "close".to_owned()));
    }
    let base_path = url.path.trim_end_matches('/').to_owned();
    let loaded = Server::from(url);
    // A step may name the server of the command line by its URL.
    if let Some(index) = program.servers.iter().position(|server| *server == loaded)
        && base_path.is_empty()
    {
        program.load_server(index + 1);
    }
    let others = program.servers.iter().map(|server| other_server(args, way, server, &program.hosts));
    let others = others.collect::<Result<_, _>>()?;
    Ok(Sessions {
        program,
        authority: url.authority(),
        base_path,
        others,
        headers,
        utc_offset: jiff::Zoned::now().offset().seconds(),
    })
}

/// Finds out where another server listens, which gets requests beside the server that is loaded.
fn other_server(
    args: &LoadArgs,
    way: &Way,
    server: &Server,
    hosts: &[(String, String)],
) -> Result<OtherServer, Failure> {
    let url = server.url();
    let route = way.to(&url, hosts).map_err(Failure::usage)?;
    let target = Target::Tcp(route.target);
    Ok(OtherServer {
        tls: url.tls.then(|| tls(args, way, &url, &target, route.tunnel.is_some())),
        authority: url.authority(),
        tunnel: route.tunnel,
        lookup: route.lookup,
        target,
    })
}

/// Reads a scenario file, and the files that it names.
pub(in crate::cmd) fn read(file: &Path) -> Result<ScenarioFile, Failure> {
    let text = std::fs::read_to_string(file).map_err(unreadable(Given::Scenario, file))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let resources = Resources {
        read: &|path| std::fs::read(folder.join(path)).map_err(|error| error.to_string()),
        environment: &|name| std::env::var(name).ok(),
    };
    scenario_file::parse_file(&text, &resources).map_err(mistakes::in_file(file, &text, false))
}
