//! [`Build`]: how the WAR or jar of an arm is built, and from which revision of the user's repository.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Value};
use crate::slip::{ArmAdvice, ArmSlip};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// How the WAR or jar of an arm is built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The command that builds it; `None` is the usual command of the project's build tool.
    pub command: Option<String>,
    /// The revision that is built; `None` builds the user's folder as it is.
    pub git: Option<String>,
    /// What was built; `None` until it has been.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built: Option<Built>,
}

/// A file that was built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Built {
    /// The folder in which the arm's paths begin.
    pub folder: PathBuf,
    /// The file as the arm names it.
    pub asked: PathBuf,
    /// The copy of the file that is kept.
    pub file: PathBuf,
    /// The command that was run.
    pub command: String,
    /// The revision that it was built from; `None` where the user's folder was built as it is.
    pub revision: Option<Revision>,
}

/// A revision of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// The id of the commit.
    pub commit: String,
    /// The id of its tree: all files and folders that it holds.
    pub tree: String,
}

/// The number of digits by which messages name a commit, which are enough in the largest repositories.
const SHORT: usize = 12;

impl Build {
    /// Whether this is the result of building a file as `asked` says.
    pub(crate) fn answers(&self, asked: &Self, file: &Path) -> bool {
        let built = self.built.as_ref().is_some_and(|built| built.asked == file);
        built && self.command == asked.command && self.git == asked.git
    }

    /// What was built, as a fact of a run; `None` until it has been built.
    pub fn fact(&self) -> Option<String> {
        let built = self.built.as_ref()?;
        let asked = self.git.as_deref().unwrap_or_default();
        Some(match &built.revision {
            None => format!("`{}`", built.command),
            Some(Revision { commit, tree }) => {
                format!("`{}`, {asked} = commit {commit}, tree {tree}", built.command)
            }
        })
    }
}

impl Revision {
    /// The beginning of the commit's id, by which people know it.
    pub fn short(&self) -> &str {
        self.commit.get(..SHORT).unwrap_or(&self.commit)
    }
}

/// Reads the key `build`.
pub(crate) fn command(node: &Node) -> Result<String, Diagnostic> {
    let command = node.text()?.trim();
    match command.is_empty() {
        true => Err(node.refuse(ArmSlip::NoBuildCommand).hint(ArmAdvice::BuildForms)),
        false => Ok(command.to_owned()),
    }
}

/// Reads the key `git`. The short id of a commit may consist of digits.
pub(crate) fn revision(node: &Node) -> Result<String, Diagnostic> {
    if let Value::Integer(digits) = node.value {
        return Ok(digits.to_string());
    }
    let revision = node.text()?;
    // Git would take such a word for an option.
    let is_option = revision.starts_with('-');
    if is_option || revision.is_empty() || revision.contains(|c: char| c.is_whitespace() || c.is_control()) {
        let problem = node.refuse(ArmSlip::NotARevision(revision.to_owned()));
        return Err(problem.hint(ArmAdvice::RevisionForms));
    }
    Ok(revision.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::available::Available;
    use crate::deployment::Namespace;
    use crate::experiment::Experiment;
    use crate::jar::{Boot, Embedded};

    fn built(git: &str, file: &str) -> Build {
        Build {
            command: None,
            git: Some(git.to_owned()),
            built: Some(Built {
                folder: "/repo".into(),
                asked: file.into(),
                file: format!("/cache/{git}/{file}").into(),
                command: "mvn".to_owned(),
                revision: Some(Revision { commit: "0123456789abcdef".to_owned(), tree: "fedcba".to_owned() }),
            }),
        }
    }

    fn known() -> Available {
        Available { servers: vec![("tomcat".to_owned(), vec!["1".to_owned()])], ..Available::default() }
    }

    fn parsed(arms: &str, known: &Available) -> Result<Experiment, String> {
        let text = format!("arms = [\n{arms}\n]");
        Experiment::parse(&text, "f", known).map_err(|rejected| rejected.render("f", &text, false))
    }

    const JARS: &str = "{ server = \"jar\", jar = \"app.jar\", git = \"main\" },\n\
                        { server = \"jar\", jar = \"app.jar\", git = \"HEAD\" },";

    #[test]
    fn revisions_are_names_of_arms_and_what_was_built_takes_the_place_of_the_file() {
        let before = parsed(JARS, &known()).expect("possible");
        let names: Vec<&str> = before.arms.iter().map(|arm| arm.name.as_str()).collect();
        assert_eq!(names, ["main", "HEAD"]);
        let boot = Boot { version: "3.5.6".to_owned(), embedded: Embedded::Tomcat };
        let seen = Available {
            built: vec![built("main", "app.jar"), built("HEAD", "app.jar")],
            jars: vec![("/cache/main/app.jar".into(), Some(boot)), ("/cache/HEAD/app.jar".into(), None)],
            ..known()
        };
        let mut after = parsed(JARS, &seen).expect("possible");
        after.relative_to(Path::new("/repo"));
        let files = after.arms.iter().map(|arm| &arm.jar.as_ref().expect("a jar").path);
        let files: Vec<&Path> = files.map(PathBuf::as_path).collect();
        assert_eq!(files, [Path::new("/cache/main/app.jar"), Path::new("/cache/HEAD/app.jar")]);
        assert!(after.is_same_question(&after) && !after.is_same_question(&before.clone_named("x")));
        // Only the first is Spring Boot, so only the second cannot have its threads set.
        let threads = JARS.replace("git =", "threads = 5, git =");
        let refused = parsed(&threads, &seen).expect_err("no Spring Boot");
        assert!(refused.contains("f:3:") && !refused.contains("f:2:"), "{refused}");
    }

    #[test]
    fn arms_that_differ_in_their_builds_are_named_by_the_difference() {
        let arms = |builds: [&str; 3]| {
            let arm = |build: &str| format!("{{ server = \"jar\", jar = \"app.jar\", build = \"{build}\" }}");
            parsed(&builds.map(arm).join(",\n"), &known())
        };
        let names = |builds| -> Vec<String> {
            arms(builds).expect("possible").arms.into_iter().map(|arm| arm.name).collect()
        };
        let maven = ["mvn -q package", "mvn -q -Pfast package", "mvn -q -Dlevel=2 package"];
        assert_eq!(names(maven), ["app.jar", "app.jar -Pfast", "app.jar -Dlevel=2"]);
        let same = arms(["mvn package", "mvn -Pfast package", "mvn package"]).expect_err("twice the same");
        assert!(same.contains("two arms are called `app.jar`") && same.contains("f:4:"), "{same}");
    }

    #[test]
    fn the_war_of_the_file_is_built_by_the_arms() {
        let arms = "{ server = \"tomcat:1\", git = \"main\" },\n{ server = \"tomcat:1\", git = \"HEAD\" }";
        let text = format!("war = \"app.war\"\narms = [{arms}]");
        let seen = Available {
            built: vec![built("main", "app.war"), built("HEAD", "app.war")],
            wars: vec![
                ("/cache/main/app.war".into(), Some(Namespace::Javax)),
                ("/cache/HEAD/app.war".into(), Some(Namespace::Jakarta)),
            ],
            ..known()
        };
        let experiment = Experiment::parse(&text, "f", &seen).expect("possible");
        let namespaces = experiment.arms.iter().map(|arm| arm.deployment.namespace);
        assert!(namespaces.eq([Some(Namespace::Javax), Some(Namespace::Jakarta)]));
    }

    #[test]
    fn a_new_commit_of_a_branch_asks_the_same_question() {
        let of = |commit: &str| {
            let mut main = built("main", "app.jar");
            let file = main.built.as_mut().expect("built");
            file.file = format!("/cache/{commit}/app.jar").into();
            file.revision.as_mut().expect("a revision").commit = commit.to_owned();
            let seen = Available { built: vec![main], ..known() };
            parsed(JARS, &seen).expect("possible")
        };
        let (one, other) = (of("1"), of("2"));
        assert_ne!(one.arms, other.arms);
        assert!(one.is_same_question(&other));
    }

    #[test]
    fn what_cannot_be_built_is_refused_with_what_would_work() {
        for (arm, message, hint) in [
            ("server = \"tomcat:1\", git = \"main\"", "`git` builds a `war` or `jar`", "war ="),
            ("server = \"tomcat:1\", build = \"make\"", "`build` builds a `war` or `jar`", "war ="),
            ("server = \"jar\", jar = \"a.jar\", build = \" \"", "command is empty", "mvn"),
            ("server = \"jar\", jar = \"a.jar\", git = \"-x\"", "`-x` is not a revision", "git = \"main\""),
            (
                "server = \"command\", command = [\"x\", \"{port}\"], git = \"main\"",
                "`git` does not apply to a command",
                "out",
            ),
        ] {
            let refused = parsed(&format!("{{ {arm} }}"), &known()).expect_err(arm);
            assert!(refused.contains(message) && refused.contains(hint), "{arm}: {refused}");
        }
    }

    #[test]
    fn a_commit_may_be_named_by_digits() {
        let arms = |first: &str| format!("\"jar,jar=a.jar,git={first}\", \"jar,jar=a.jar,git=main\"");
        for digits in ["1234567", "0012345"] {
            let read = parsed(&arms(digits), &known()).expect("possible");
            let git = read.arms[0].build.as_ref().and_then(|build| build.git.clone());
            assert_eq!(git.as_deref(), Some(digits));
        }
    }

    impl Experiment {
        fn clone_named(&self, name: &str) -> Self {
            Self { name: name.to_owned(), ..self.clone() }
        }
    }
}
