//! Reads the sessions of steps that `prony load` plays.

use super::plan::{header, tls, unreadable, usage};
use crate::args;
use crate::failure::Failure;
use crate::say::Mistakes;
use crate::say::complaint::Given;
use load::Url;
use model::plan::{OtherServer, Sessions, Target};
use model::scenario::{Program, Resources, Server};
use model::scenario_file;
use std::path::Path;

/// The sessions of a program, with what the flags add to all of its requests.
pub(super) fn of_program(
    args: &args::LoadArgs,
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
    let others = program.servers.iter().map(|server| other_server(args, server));
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

/// Finds out where a server listens that gets requests beside the one that is loaded.
fn other_server(args: &args::LoadArgs, server: &Server) -> Result<OtherServer, Failure> {
    let url = server.url();
    let target = Target::Tcp(load::resolve(&url).map_err(usage)?);
    Ok(OtherServer {
        tls: url.tls.then(|| tls(args, &url, &target)).transpose()?,
        authority: url.authority(),
        target,
    })
}

/// Reads a scenario file, and the files that it names.
pub(in crate::cmd) fn read(file: &Path) -> Result<Program, Failure> {
    let text = std::fs::read_to_string(file).map_err(unreadable(Given::Scenario, file))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let resources = Resources {
        read: &|path| std::fs::read(folder.join(path)).map_err(|error| error.to_string()),
        environment: &|name| std::env::var(name).ok(),
    };
    scenario_file::parse(&text, &resources).map_err(|rejected| {
        Failure::usage(Mistakes { rejected, name: file.display().to_string(), text, colour: false })
    })
}
