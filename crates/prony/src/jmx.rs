//! Reads JMeter plans, for `prony load --jmx` and for experiments.

use crate::failure::Failure;
use crate::files::{Given, unreadable};
use jmeter::{CompiledPlan, Error, Settings};
use load::Url;
use std::collections::BTreeMap;
use std::path::Path;
use traffic::scenario::{Program, Resources};

/// The properties that `-Jname=value` sets.
pub(crate) fn properties(given: &[String]) -> BTreeMap<String, String> {
    let pair = |text: &String| {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        (name.to_owned(), value.to_owned())
    };
    given.iter().map(pair).collect()
}

/// Compiles the plan in a file. `server` gets all requests in the place of the plan's own.
pub(crate) fn compile(
    file: &Path,
    properties: BTreeMap<String, String>,
    server: Option<Url>,
) -> Result<Result<CompiledPlan, Error>, Failure> {
    let bytes = std::fs::read(file).map_err(unreadable(Given::Jmx, file))?;
    Ok(compiled(&bytes, file, properties, server))
}

fn compiled(
    bytes: &[u8],
    file: &Path,
    properties: BTreeMap<String, String>,
    server: Option<Url>,
) -> Result<CompiledPlan, Error> {
    // Old plans may be in Latin-1.
    let text = String::from_utf8(bytes.to_vec())
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect());
    let folder = file.parent().unwrap_or(Path::new(""));
    // JMeter looks in the working folder first.
    let read = |path: &Path| {
        std::fs::read(path).or_else(|_| std::fs::read(folder.join(path))).map_err(|error| error.to_string())
    };
    jmeter::compile(&text, &settings(properties, server, &read))
}

/// The settings with which a plan is compiled to be run. `read` reads the files that it names.
pub(crate) fn settings<'a>(
    properties: BTreeMap<String, String>,
    server: Option<Url>,
    read: &'a dyn Fn(&Path) -> Result<Vec<u8>, String>,
) -> Settings<'a> {
    Settings {
        properties,
        resources: Resources { read, environment: &|name| std::env::var(name).ok() },
        server,
        now: jiff::Timestamp::now().as_millisecond(),
        marks_lines: false,
    }
}

/// Refuses a plan with a part that cannot run.
pub(crate) fn without_obstacles(plan: CompiledPlan, file: &Path) -> Result<CompiledPlan, Error> {
    match plan.obstacles.is_empty() {
        true => Ok(plan),
        false => Err(Error::Refused { file: file.display().to_string(), obstacles: plan.obstacles }),
    }
}

/// Compiles a plan for the arms of an experiment, which get all of its requests.
pub(crate) fn for_arms(file: &Path, properties: &BTreeMap<String, String>) -> Result<Program, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let server = Url::parse("http://arm/").map_err(|bad| bad.url)?;
    let plan = compiled(&bytes, file, properties.clone(), Some(server))
        .and_then(|plan| without_obstacles(plan, file))
        .map_err(|error| error.to_string())?;
    Ok(plan.program)
}
