//! `prony compare ARM ARM…`: runs an experiment that is described by arguments instead of a file.

use crate::args;
use crate::available::{self, Audience, Inquiry};
use crate::experiment::{self, RunOptions};
use crate::failure::Failure;
use crate::language;
use crate::output::Colour;
use crate::repeat;
use crate::say::Mistakes;
use crate::say::complaint::ArmsComplaint;
use model::arm::Arm;
use model::arm::draft::ArmDraft;
use model::available::Available;
use model::deployment::Namespace;
use model::diagnostic::Rejected;
use model::experiment::{Experiment, LoadProfile, Workload};
use model::jar::JAR;
use model::patience::Patience;
use model::pattern;

pub(crate) fn run(
    args: &args::CompareArgs,
    colour: Colour,
    quiet: bool,
    patience: Patience,
) -> Result<(), Failure> {
    let known = available::in_catalog();
    let audience =
        Audience { colour: colour.stderr, quiet, lang: language::chosen(&args.execution.output.language) };
    let are_revisions = !args.built.revisions.is_empty();
    if are_revisions && args.arms.len() > 1 {
        return Err(Failure::usage(ArmsComplaint::SeveralServers));
    }
    let count = if are_revisions { args.built.revisions.len() } else { args.arms.len() };
    if count < 2 {
        return Err(Failure::usage(ArmsComplaint::OneAlone));
    }
    let arms = match are_revisions {
        false => {
            let specs: Vec<Vec<&str>> = args.arms.iter().map(|spec| spec.split(',').collect()).collect();
            parse_arms(&specs, &known, audience)?
        }
        true => revisions(args, &known, audience)?,
    };
    let count = |name: &str| arms.iter().filter(|arm| arm.name == name).count();
    if let Some(first) = arms.iter().find(|arm| count(&arm.name) > 1) {
        return Err(Failure::usage(ArmsComplaint::SameName { name: first.name.clone() }));
    }
    let workload = workload(&args.app, args.path.clone(), &arms, &known)?;
    let load = LoadProfile::of(args.connections as usize);
    let experiment = Experiment::without_file("compare", &known, arms, workload, load);
    let options = RunOptions {
        args: &args.execution,
        colour: colour.stdout,
        quiet,
        patience,
        lock: None,
        command_line: None,
    };
    experiment::run(experiment, &repeat::command_line(), options)
}

/// Returns an arm for each revision of `--git`. The WARs run on the server that is named, or else on the newest Tomcat of the series
/// that most people run with such a WAR.
fn revisions(args: &args::CompareArgs, known: &Available, audience: Audience) -> Result<Vec<Arm>, Failure> {
    let read = |server: &str| revision_arms(server, &args.built, known, audience);
    let server = match (args.arms.first(), &args.built.jar) {
        (Some(server), _) => return read(server),
        (None, Some(_)) => return read(JAR),
        (None, None) => available::newest_tomcat(known, "10.1"),
    };
    let arms = read(&server)?;
    let is_javax = |arm: &Arm| arm.deployment.namespace == Some(Namespace::Javax);
    match arms.iter().all(is_javax) {
        true => read(&available::newest_tomcat(known, "9.0")),
        false => Ok(arms),
    }
}

/// Returns the arms for the revisions, which are called after them unless the server has a name.
fn revision_arms(
    server: &str,
    built: &args::BuiltArgs,
    known: &Available,
    audience: Audience,
) -> Result<Vec<Arm>, Failure> {
    let key = |name: &str, value: &Option<String>| value.as_ref().map(|value| format!("{name}={value}"));
    let common = [key("war", &built.war), key("jar", &built.jar), key("build", &built.build)];
    let revisions: Vec<String> = built.revisions.iter().map(|revision| format!("git={revision}")).collect();
    let spec = |revision| {
        let common = common.iter().flatten().map(String::as_str);
        server.split(',').chain(common).chain([revision]).collect()
    };
    let specs: Vec<Vec<&str>> = revisions.iter().map(String::as_str).map(spec).collect();
    let mut arms = parse_arms(&specs, known, audience)?;
    if !server.split(',').any(|part| part.starts_with("name=")) {
        for (arm, revision) in arms.iter_mut().zip(&built.revisions) {
            arm.name.clone_from(revision);
        }
    }
    Ok(arms)
}

/// Parses an arm as it is written on a command line.
pub(crate) fn parse_arm(spec: &str, known: &Available, audience: Audience) -> Result<Arm, Failure> {
    let parts = spec.split(',').collect();
    parse_arms(&[parts], known, audience).map(|mut arms| arms.remove(0))
}

/// Parses arms from their parts, each with its server first.
fn parse_arms(specs: &[Vec<&str>], known: &Available, audience: Audience) -> Result<Vec<Arm>, Failure> {
    let refuse = |parts: &Vec<&str>, diagnostics| {
        Failure::usage(Mistakes {
            rejected: Rejected { diagnostics },
            name: "argument".to_owned(),
            text: parts.join(","),
            colour: audience.colour,
        })
    };
    let draft =
        |parts: &Vec<&str>| ArmDraft::from_parts(parts, known).map_err(|problems| refuse(parts, problems));
    let drafts = specs.iter().map(draft).collect::<Result<Vec<_>, Failure>>()?;
    let resolve = |arms: &mut [Arm], known: &Available| {
        for ((arm, draft), parts) in arms.iter_mut().zip(&drafts).zip(specs) {
            *arm = draft.resolve(known).map_err(|problems| refuse(parts, problems))?;
        }
        Ok(())
    };
    let folder = std::env::current_dir().unwrap_or_default();
    let mut arms: Vec<Arm> = drafts.iter().map(ArmDraft::as_written).collect();
    let inquiry = Inquiry { folder: &folder, audience };
    inquiry.find_out(&mut known.clone(), &mut arms, None, resolve)?;
    arms.iter_mut().for_each(|arm| arm.relative_to(&folder));
    Ok(arms)
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
            sessions: None,
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
    Ok(Workload { app: app.clone(), path, mix: None, sessions: None, expect: None, unlike_answers: false })
}
