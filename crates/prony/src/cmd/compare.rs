//! `prony compare ARM ARM…`: an experiment without a file.

use crate::args;
use crate::experiment::{self, How};
use crate::failure::{Code, Failure};
use crate::output::Colour;
use crate::repeat;
use model::arm::{Arm, Known, from_command_line};
use model::diagnostic::Rejected;
use model::experiment::{Design, Experiment, Explain, LoadProfile, Profile, Workload, default_question};

pub(crate) fn run(args: &args::Compare, colour: Colour, quiet: bool) -> Result<(), Failure> {
    let known = experiment::known();
    let arms = args
        .arms
        .iter()
        .map(|spec| arm(spec, &known, colour.stderr))
        .collect::<Result<Vec<_>, _>>()?;
    if arms.len() < 2 {
        return Err(Failure::usage("one arm alone cannot be compared")
            .hint("name at least two: the first is the baseline"));
    }
    let named = |name: &str| arms.iter().filter(|arm| arm.name == name).count();
    if let Some(first) = arms.iter().find(|arm| named(&arm.name) > 1) {
        return Err(Failure::usage(format!("two arms are called `{}`", first.name))
            .hint("give each a name: tomcat:10.1.29,name=one tomcat:10.1.29,name=two"));
    }
    let workload = workload(args, &arms, &known)?;
    let experiment = Experiment {
        name: "compare".to_owned(),
        question: default_question(&arms, &workload.path),
        services: model::service::used(&arms, &known),
        arms,
        workload,
        load: LoadProfile::of(args.connections as usize),
        link: None,
        design: Design::default(),
        profile: Profile::Full,
        reference: None,
        explain: Explain::Name,
        require: Vec::new(),
    };
    let how = How {
        flags: &args.how,
        colour: colour.stdout,
        quiet,
    };
    experiment::run(experiment, &repeat::command_line(), how)
}

/// An arm as it is written on a command line.
pub(crate) fn arm(spec: &str, known: &Known, colour: bool) -> Result<Arm, Failure> {
    let parse = |known: &Known| {
        from_command_line(spec, known).map_err(|diagnostics| {
            let rejected = Rejected { diagnostics };
            Failure::new(
                Code::Usage,
                anyhow::anyhow!(rejected.render("argument", spec, colour)),
            )
        })
    };
    let folder = std::env::current_dir().unwrap_or_default();
    let mut arm = parse(known)?;
    if let Some(known) = experiment::knowing_own(known, std::slice::from_ref(&arm), &folder)? {
        arm = parse(&known)?;
    }
    arm.relative_to(&folder);
    Ok(arm)
}

fn workload(args: &args::Compare, arms: &[Arm], known: &Known) -> Result<Workload, Failure> {
    if arms.iter().all(Arm::is_the_readers) {
        // What a WAR or a jar of the reader's own answers, only the reader knows.
        return Ok(Workload {
            app: args.app.clone(),
            path: args.path.clone().unwrap_or_else(|| "/".to_owned()),
            mix: None,
            expect: None,
            unlike_answers: false,
        });
    }
    let Some((app, paths)) = known.apps.iter().find(|(name, _)| *name == args.app) else {
        let names: Vec<&str> = known.apps.iter().map(|(name, _)| name.as_str()).collect();
        let hint = format!("applications: {}", names.join(", "));
        return Err(Failure::usage(format!("unknown application `{}`", args.app)).hint(hint));
    };
    let path = args.path.clone().unwrap_or_else(|| paths[0].clone());
    if !paths.contains(&path) {
        let hint = format!("`{app}` answers {}", paths.join(", "));
        return Err(Failure::usage(format!("`{app}` does not answer `{path}`")).hint(hint));
    }
    Ok(Workload {
        app: app.clone(),
        path,
        mix: None,
        expect: None,
        unlike_answers: false,
    })
}
