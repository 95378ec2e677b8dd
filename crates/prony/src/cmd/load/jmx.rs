//! Runs JMeter plans with `prony load --jmx`.

use super::LoadArgs;
use super::LoadComplaint;
use crate::failure::Failure;
use crate::jmx;
use jmeter::CompiledPlan;
use load::Url;
use model::url::http_form;
use std::path::Path;
use traffic::plan::Arrivals;
use traffic::scenario::{GroupArrivals, Program, sessions_together};

/// What is loaded.
pub(super) struct Loaded {
    /// The URL of the command line, or the server of the JMeter plan.
    pub(super) url: Url,
    /// The JMeter plan, if users play one.
    pub(super) plan: Option<CompiledPlan>,
}

/// Reads what is to be loaded.
pub(super) fn loaded(args: &LoadArgs) -> Result<Loaded, Failure> {
    let parse = |text: &str| {
        Url::parse(&http_form(text).unwrap_or_else(|| text.to_owned()))
            .map_err(|error| Failure::usage(::load::Error::from(error)))
    };
    let Some(file) = &args.sessions.jmx else {
        let url = parse(&args.url)?;
        return Ok(Loaded { url, plan: None });
    };
    let given = (!args.url.is_empty()).then(|| parse(&args.url)).transpose()?;
    let plan = compiled(args, file, given.clone())?;
    let url = match (given, &plan.server) {
        (Some(url), _) => url,
        (None, Some(server)) => parse(&server.to_string())?,
        (None, None) => return Err(Failure::usage(LoadComplaint::NoServer)),
    };
    Ok(Loaded { url, plan: Some(plan) })
}

/// Returns how users arrive, if the program tells it itself.
pub(super) fn arrivals(program: &Program) -> Option<Arrivals> {
    if let Some(GroupArrivals::Sessions { stages, poisson, most }) = sessions_together(&program.groups) {
        return Some(Arrivals::Stages { stages, poisson, connections: most });
    }
    let users: u64 = program.groups.iter().map(|group| group.arrivals.users()).sum();
    let users = users as usize;
    (users > 0).then_some(Arrivals::Closed { users })
}

/// Compiles a plan; one with obstacles is refused, unless they are to be skipped.
fn compiled(args: &LoadArgs, file: &Path, server: Option<Url>) -> Result<CompiledPlan, Failure> {
    let properties = jmx::properties(&args.sessions.properties);
    let plan = jmx::compile(file, properties, server)?.map_err(Failure::usage)?;
    if args.sessions.skip_unsupported && !plan.program.groups.is_empty() {
        return Ok(plan);
    }
    jmx::without_obstacles(plan, file).map_err(Failure::usage)
}
