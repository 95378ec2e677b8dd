//! `prony compare ARM ARM…`: runs an experiment that is described by arguments instead of a file.

use crate::args;
use crate::available;
use crate::experiment::{self, RunOptions};
use crate::failure::Failure;
use crate::output::Colour;
use crate::repeat;
use crate::say::Mistakes;
use crate::say::complaint::ArmsComplaint;
use model::arm::Arm;
use model::available::Available;
use model::diagnostic::Rejected;
use model::experiment::{Experiment, LoadProfile, Workload};
use model::pattern;

pub(crate) fn run(args: &args::CompareArgs, colour: Colour, quiet: bool) -> Result<(), Failure> {
    let known = available::in_catalog();
    let arms = args
        .arms
        .iter()
        .map(|spec| parse_arm(spec, &known, colour.stderr))
        .collect::<Result<Vec<_>, _>>()?;
    if arms.len() < 2 {
        return Err(Failure::usage(ArmsComplaint::OneAlone));
    }
    let count = |name: &str| arms.iter().filter(|arm| arm.name == name).count();
    if let Some(first) = arms.iter().find(|arm| count(&arm.name) > 1) {
        return Err(Failure::usage(ArmsComplaint::SameName {
            name: first.name.clone(),
        }));
    }
    let workload = workload(&args.app, args.path.clone(), &arms, &known)?;
    let load = LoadProfile::of(args.connections as usize);
    let experiment = Experiment::without_file("compare", &known, arms, workload, load);
    let options = RunOptions {
        args: &args.execution,
        colour: colour.stdout,
        quiet,
        lock: None,
    };
    experiment::run(experiment, &repeat::command_line(), options)
}

/// Parses an arm as it is written on a command line. `colour` is for the drawing of a mistake.
pub(crate) fn parse_arm(spec: &str, known: &Available, colour: bool) -> Result<Arm, Failure> {
    let parse = |known: &Available| {
        Arm::from_command_line(spec, known).map_err(|diagnostics| {
            Failure::usage(Mistakes {
                rejected: Rejected { diagnostics },
                name: "argument".to_owned(),
                text: spec.to_owned(),
                colour,
            })
        })
    };
    let folder = std::env::current_dir().unwrap_or_default();
    let mut arm = parse(known)?;
    let resolved = available::with_newest(known, std::slice::from_ref(&arm), None)?;
    let known = resolved.as_ref().unwrap_or(known);
    if !known.newest.is_empty() {
        arm = parse(known)?;
    }
    if let Some(known) = available::with_users_files(known, std::slice::from_ref(&arm), &folder)? {
        arm = parse(&known)?;
    }
    arm.relative_to(&folder);
    Ok(arm)
}

/// Returns the requests to send. Fails if the application or the path is not in the catalog.
pub(crate) fn workload(
    app: &str,
    path: Option<String>,
    arms: &[Arm],
    known: &Available,
) -> Result<Workload, Failure> {
    if arms.iter().all(Arm::is_the_users) {
        // Only the user knows which paths a WAR or a jar of the user answers.
        return Ok(Workload {
            app: app.to_owned(),
            path: path.unwrap_or_else(|| "/".to_owned()),
            mix: None,
            expect: None,
            unlike_answers: false,
        });
    }
    let Some((app, paths)) = known.apps.iter().find(|(name, _)| name == app) else {
        return Err(Failure::usage(ArmsComplaint::UnknownApp {
            app: app.to_owned(),
            known: known.apps.iter().map(|(name, _)| name.clone()).collect(),
        }));
    };
    if let Some(arm) = known.without_servlets(app, arms) {
        return Err(Failure::usage(ArmsComplaint::NeedsServlets {
            app: app.clone(),
            server: arm.server.clone(),
            routed: known.routed.clone(),
        }));
    }
    let path = path.unwrap_or_else(|| paths[0].clone());
    let answers = |pattern: &String| pattern::values(pattern, &path).is_some();
    if !paths.iter().any(answers) {
        return Err(Failure::usage(ArmsComplaint::OtherPath {
            app: app.clone(),
            path,
            paths: paths.clone(),
        }));
    }
    Ok(Workload {
        app: app.clone(),
        path,
        mix: None,
        expect: None,
        unlike_answers: false,
    })
}
