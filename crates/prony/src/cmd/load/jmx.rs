//! Runs JMeter plans with `prony load --jmx`.

use super::sessions::of_program;
use crate::args;
use crate::failure::{Code, Failure};
use crate::jmx;
use crate::say;
use crate::say::complaint::LoadComplaint;
use jmeter::CompiledPlan;
use load::Url;
use model::plan::{Arrivals, Sessions};
use model::scenario::{GroupArrivals, Program};
use report::Lang;
use std::path::Path;

/// The URL that is loaded: the one of the command line, or the server of a JMeter plan.
pub(super) fn url(args: &args::LoadArgs) -> Result<Url, Failure> {
    let parse =
        |text: &str| Url::parse(text).map_err(|error| Failure::new(Code::Usage, ::load::Error::from(error)));
    match &args.sessions.jmx {
        Some(file) if args.url.is_empty() => {
            let plan = compiled(args, file, None)?;
            let server = plan
                .server
                .ok_or_else(|| Failure::usage(LoadComplaint::NoServer))?;
            let host = if server.host.contains(':') {
                format!("[{}]", server.host)
            } else {
                server.host
            };
            let scheme = if server.tls { "https" } else { "http" };
            parse(&format!("{scheme}://{host}:{}", server.port))
        }
        _ => parse(&args.url),
    }
}

/// Says what prony does otherwise than the plan asks for.
pub(super) fn tell_remarks(args: &args::LoadArgs, url: &Url, lang: Lang) -> Result<(), Failure> {
    let Some(file) = &args.sessions.jmx else {
        return Ok(());
    };
    let given = (!args.url.is_empty()).then(|| url.clone());
    for remark in compiled(args, file, given)?.remarks {
        eprintln!("{}", say::jmeter::remark(remark, lang));
    }
    Ok(())
}

/// The sessions of a JMeter plan.
pub(super) fn sessions(args: &args::LoadArgs, url: &Url, file: &Path) -> Result<Sessions, Failure> {
    let given = (!args.url.is_empty()).then(|| url.clone());
    let plan = compiled(args, file, given)?;
    of_program(args, url, plan.program)
}

/// Returns how users arrive, if the program tells it itself.
pub(super) fn arrivals(program: &Program) -> Option<Arrivals> {
    if let [group] = program.groups.as_slice()
        && let GroupArrivals::Sessions {
            stages,
            poisson,
            most,
        } = &group.arrivals
    {
        return Some(Arrivals::Stages {
            stages: stages.clone(),
            poisson: *poisson,
            connections: *most,
        });
    }
    let waves = program.groups.iter().map(|group| match &group.arrivals {
        GroupArrivals::Users(waves) => waves.iter().map(|wave| wave.users as usize).sum(),
        GroupArrivals::Weight(_) | GroupArrivals::Sessions { .. } => 0,
    });
    let users: usize = waves.sum();
    (users > 0).then_some(Arrivals::Closed { users })
}

/// Compiles a plan; one with obstacles is refused, unless they are to be skipped.
fn compiled(args: &args::LoadArgs, file: &Path, server: Option<Url>) -> Result<CompiledPlan, Failure> {
    let properties = jmx::properties(&args.sessions.properties);
    let usage = |error| Failure::new(Code::Usage, error);
    let mut plan = jmx::compile(file, properties, server)?.map_err(usage)?;
    if !plan.obstacles.is_empty() && (!args.sessions.skip_unsupported || plan.program.groups.is_empty()) {
        return Err(usage(jmeter::Error::Refused {
            file: file.display().to_string(),
            obstacles: std::mem::take(&mut plan.obstacles),
        }));
    }
    Ok(plan)
}
