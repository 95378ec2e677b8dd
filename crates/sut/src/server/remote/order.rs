//! [`StartOrder`]: a server as another host is told to start it. Its files are named by the places where they were put there.

use super::piece::Piece;
use crate::error::{Error, HostTrouble, Startable};
use crate::programs::Program;
use crate::programs::command::CommandLine;
use crate::programs::spec::ServerSpec;
use crate::programs::spring_boot::Form;
use crate::server::attach::ProcessAt;
use crate::tools::tool;
use model::patience::Patience;
use serde::{Deserialize, Serialize};
use std::mem;
use std::path::{Path, PathBuf};

/// What stands for the folder with the pieces in paths and words, until the other host puts its own in.
const PLACE: &str = "{pieces}";

/// A server to start, or one that runs already and is to be looked at.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StartOrder {
    pub(super) spec: ServerSpec,
    /// The process of a server that runs already.
    pub(super) process: Option<ProcessAt>,
    /// The profiler's library.
    pub(super) profiler: Option<PathBuf>,
    pub(super) seed: u64,
    /// How long the two hosts wait for each other.
    pub(super) patience: Patience,
}

/// Why a server cannot run on another host; `None` if it can.
pub(super) fn refusal(spec: &ServerSpec) -> Option<HostTrouble> {
    let has_images = spec.surroundings.services.iter().any(|service| service.image.is_some());
    let is_contained =
        has_images || spec.surroundings.container.is_some() || matches!(spec.program, Program::Image(_));
    if is_contained {
        return Some(HostTrouble::Container);
    }
    spec.surroundings.network.is_some().then_some(HostTrouble::Link)
}

/// Whether a server needs files that run on one architecture only.
pub(super) fn has_native_files(spec: &ServerSpec) -> bool {
    let native = match &spec.program {
        Program::SpringBoot(boot) => matches!(boot.form, Form::Native(_)),
        Program::Jar(jar) => matches!(jar.form, Form::Native(_)),
        _ => false,
    };
    native || spec.tcnative.is_some()
}

/// Names the files of a server by the places where another host has them, and returns the pieces with these files.
pub(super) fn pack(spec: &mut ServerSpec) -> Result<Vec<Piece>, Error> {
    let mut pieces = Vec::new();
    for path in files(spec) {
        *path = place(Piece::of(path)?, &mut pieces).into();
    }
    if let Program::Command(CommandLine { program, folder: Some(folder), .. }) = &mut spec.program
        && program.starts_with(folder)
    {
        *program = place(Piece::of(program)?, &mut pieces).into();
    }
    for (folder, words) in commands(spec) {
        let folder = mem::take(folder).unwrap_or_default();
        for word in words {
            let name = word.strip_prefix("{folder}/").unwrap_or(word);
            let file = folder.join(name);
            if Path::new(name).is_relative() && file.is_file() {
                *word = place(Piece::of(&file)?, &mut pieces);
            }
        }
    }
    Ok(pieces)
}

/// The place of the file or folder of a piece, which is added to the pieces.
pub(super) fn place(piece: Piece, pieces: &mut Vec<Piece>) -> String {
    let place = format!("{PLACE}/{}/{}", piece.hash, piece.file);
    pieces.push(piece);
    place
}

/// Puts the folder of this host into the paths and words of a server that was packed.
pub(super) fn unpack(spec: &mut ServerSpec, folder: &Path) -> Result<(), Error> {
    for path in files(spec) {
        *path = unpacked(path, folder);
    }
    let place = folder.display().to_string();
    for (_, words) in commands(spec) {
        for word in words {
            *word = word.replace(PLACE, &place);
        }
    }
    if let Program::Command(command) = &mut spec.program {
        let program = unpacked(&command.program, folder);
        command.program = tool::find(&program).ok_or_else(|| Error::NoProgram {
            what: Startable::Command,
            program: program.display().to_string(),
            package: None,
        })?;
    }
    Ok(())
}

/// A path with the folder of this host.
pub(super) fn unpacked(path: &Path, folder: &Path) -> PathBuf {
    let folder = folder.display().to_string();
    path.display().to_string().replace(PLACE, &folder).into()
}

/// The files and folders that make up a server, as far as prony knows them.
fn files(spec: &mut ServerSpec) -> Vec<&mut PathBuf> {
    let mut files = match &mut spec.program {
        Program::Tomcat(tomcat) => {
            let program = [&mut tomcat.home, &mut tomcat.war];
            program.into_iter().chain(tomcat.own.paths_mut()).collect()
        }
        Program::Jetty(jetty) => {
            let program = [&mut jetty.home, &mut jetty.war];
            program.into_iter().chain(jetty.base.as_mut()).collect()
        }
        Program::SpringBoot(boot) => vec![form(&mut boot.form)],
        Program::Row(row) => vec![&mut row.path],
        Program::Jar(jar) => vec![form(&mut jar.form)],
        Program::Command(_) | Program::Image(_) | Program::Running(_) => Vec::new(),
    };
    files.extend(spec.tcnative.as_mut().map(|tcnative| &mut tcnative.library));
    files
}

fn form(form: &mut Form) -> &mut PathBuf {
    match form {
        Form::Jar(file) | Form::Native(file) => file,
    }
}

/// The folders and the words of the commands of a server and its services.
fn commands(spec: &mut ServerSpec) -> Vec<(&mut Option<PathBuf>, &mut Vec<String>)> {
    let services = spec.surroundings.services.iter_mut();
    let mut commands: Vec<_> = services.map(|service| (&mut service.folder, &mut service.command)).collect();
    if let Program::Command(command) = &mut spec.program {
        commands.push((&mut command.folder, &mut command.arguments));
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::spec::Expected;
    use crate::tools::jdk::Jdk;
    use ask::service::{Ready, Service};
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn service(folder: &Path) -> Service {
        Service {
            name: "numbers".to_owned(),
            command: ["sh", "{folder}/numbers.sh", "--port={port}"].map(str::to_owned).into(),
            image: None,
            folder: Some(folder.to_owned()),
            ready: Ready::Tcp,
            user: None,
            package: None,
            stats: None,
            statements: None,
        }
    }

    #[test]
    fn files_beside_the_experiment_go_along_and_other_words_stay() {
        let (here, there) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        for name in ["serve", "numbers.sh", "pages.txt"] {
            let file = here.path().join(name);
            fs::write(&file, name).expect("written");
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("executable");
        }
        let words = ["./serve", "pages.txt", "absent.txt", "{port}"].map(str::to_owned);
        let program = Program::Command(CommandLine::elsewhere(&words, Some(here.path().to_owned())));
        let mut spec = spec_of(program);
        spec.surroundings.services.push(service(here.path()));
        let pieces = pack(&mut spec).expect("packed");
        // As ssh carries it there, and tar unpacks it.
        let sent = serde_json::to_string(&StartOrder {
            spec,
            process: None,
            profiler: None,
            seed: 1,
            patience: Patience::default(),
        });
        let mut order: StartOrder = serde_json::from_str(&sent.expect("JSON")).expect("an order");
        for piece in &pieces {
            piece.unpack_into(there.path());
        }
        unpack(&mut order.spec, there.path()).expect("all is there");
        let Program::Command(command) = &order.spec.program else {
            panic!("{:?}", order.spec.program);
        };
        let content = |path: &Path| fs::read_to_string(path).expect("a file");
        assert!(command.program.starts_with(there.path()));
        assert_eq!(content(&command.program), "serve");
        assert_eq!(content(command.arguments[0].as_ref()), "pages.txt");
        assert_eq!(command.arguments[1..], ["absent.txt", "{port}"]);
        let words = &order.spec.surroundings.services[0].command;
        assert_eq!((words[0].as_str(), words[2].as_str()), ("sh", "--port={port}"));
        assert_eq!(content(words[1].as_ref()), "numbers.sh");
    }

    #[test]
    fn a_native_program_runs_on_its_own_architecture_only() {
        let program = |form| Program::Jar(crate::programs::jar::Jar { form, arguments: Vec::new() });
        assert!(has_native_files(&spec_of(program(Form::Native("app".into())))));
        assert!(!has_native_files(&spec_of(program(Form::Jar("app.jar".into())))));
    }

    fn spec_of(program: Program) -> ServerSpec {
        let jdk = Jdk {
            home: "/opt/jdk".into(),
            version: "17.0.1".to_owned(),
            major: 17,
            vendor: "Anyone".to_owned(),
        };
        let right = Expected {
            path: "/".to_owned(),
            headers: Vec::new(),
            body: None,
            any_answer: false,
            greets: false,
        };
        ServerSpec::new("app", program, jdk, right)
    }
}
