//! Arms with a server of the user, which is not in the catalog: how it is started, and its right answer.

use crate::containers::Containers;
use crate::deployment;
use ask::arm::Arm;
use ask::command::OwnCommand;
use ask::experiment::Workload;
use model::secret;
use record::step::Step;
use sut::{CommandLine, Expected, ImageProgram, Jdk, Program, ServerSpec};

/// Checks that the program of an arm's command exists, before anything is downloaded.
pub(crate) fn check(arm: &Arm) -> Result<(), sut::Error> {
    let command = arm.command.as_ref().filter(|_| arm.image.is_none());
    command.map(find).transpose().map(drop)
}

/// The specification of an arm with a command or an image, or with a server that runs already.
pub(crate) fn resolve(
    arm: &Arm,
    jdk: Jdk,
    workload: &Workload,
    containers: &Containers<'_>,
    on_step: &mut dyn FnMut(Step),
) -> Result<ServerSpec, sut::Error> {
    let path = workload.path_of(arm);
    if let Some(origin) = &arm.origin {
        let program = Program::Running(origin.clone());
        let right = deployment::user_answer(arm, workload, on_step);
        return Ok(ServerSpec::new(origin.to_string(), program, jdk, right));
    }
    let image = containers.image(arm)?;
    let without = image.is_some().then(OwnCommand::default);
    let command = arm.command.as_ref().or(without.as_ref());
    let command = command.ok_or_else(|| sut::Error::Unknown { asked: arm.server.clone(), nearest: None })?;
    let separate = command.ready_path.as_deref().is_some_and(|ready| ready != path);
    let right =
        (separate || command.ready_body.is_none()).then(|| deployment::user_answer(arm, workload, on_step));
    let right_body = right.as_ref().filter(|_| !separate).and_then(|right| right.body.clone());
    let ready = Expected {
        path: command.ready_path.clone().unwrap_or_else(|| path.to_owned()),
        headers: right.as_ref().filter(|_| !separate).map(|right| right.headers.clone()).unwrap_or_default(),
        body: command.ready_body.clone().map(String::into_bytes).or(right_body),
        any_answer: command.ready_path.is_none() && right.as_ref().is_some_and(|right| right.any_answer),
        greets: command.ready_path.is_none() && right.as_ref().is_some_and(|right| right.greets),
    };
    let loaded = right.filter(|_| separate);
    let (name, program) = match image {
        None if arm.host.is_some() => {
            let line = CommandLine::elsewhere(&command.command, command.folder.clone());
            (command.name(), Program::Command(line))
        }
        None => (command.name(), Program::Command(find(command)?)),
        Some(image) => {
            (image.name.clone(), Program::Image(ImageProgram { image, arguments: command.command.clone() }))
        }
    };
    Ok(ServerSpec { port: arm.port, loaded, ..ServerSpec::new(name, program, jdk, ready) })
}

/// Where the server comes from, for the fingerprint.
pub(crate) fn origin(arm: &Arm) -> String {
    if arm.origin.is_some() {
        return "ran already".to_owned();
    }
    if arm.image.is_some() {
        return "an image".to_owned();
    }
    let words = arm.command.as_ref().map(|command| command.command.join(" "));
    let words = secret::without_secrets(&words.unwrap_or_default());
    format!("started by `{words}`")
}

fn find(command: &OwnCommand) -> Result<CommandLine, sut::Error> {
    CommandLine::find(&command.command, command.folder.clone())
}
