//! The fixture server of `testkit` as an arm: it takes the place of a JVM wherever a test asserts nothing of one.

use crate::home::Home;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// What an arm says for the fixture server.
const FIXTURE: &str = r#"server = "command", command = ["./fixture", "{host}", "{port}"]"#;
/// What an arm beside [`FIXTURE`] says: its server behaves like that one, and its words differ, because two arms may not be equal.
const OTHER: &str = r#"server = "command", command = ["./fixture", "{host}", "{port}", "--"]"#;

/// Puts the keys of arms into an experiment: `FIXTURE` and `OTHER_FIXTURE` stand for them. Its home has to be made
/// [`with_fixture`](Home::with_fixture).
pub(crate) fn with_arms(text: &str) -> String {
    text.replace("OTHER_FIXTURE", OTHER).replace("FIXTURE", FIXTURE)
}

/// Like [`with_arms`], with servers that wait for 5 ms before each answer, so that the load takes little CPU however many tests run.
pub(crate) fn with_slow_arms(text: &str) -> String {
    let fixture = r#""./fixture", "{host}", "{port}""#;
    with_arms(text).replace(fixture, &(fixture.to_owned() + r#", "--delay", "5""#))
}

impl Home {
    /// Creates an empty home with the fixture server beside the experiments.
    #[track_caller]
    pub(crate) fn with_fixture() -> Self {
        let home = Self::empty();
        home.add_fixture();
        home
    }

    /// Puts the fixture server beside the experiments of this home. The folder of the home is part of the command lines of its servers.
    pub(crate) fn add_fixture(&self) {
        put_fixture(self.path());
    }
}

/// Puts the fixture server into a folder.
pub(crate) fn put_fixture(folder: &Path) {
    let here = folder.join("fixture");
    if std::fs::hard_link(program(), &here).is_err() {
        // Another program copies it: a child that another test starts would hold a file open that this process writes, and a file that is
        // open for writing cannot be executed.
        let copied = Command::new("cp").arg(program()).arg(here).status();
        assert!(copied.expect("cp runs").success(), "the fixture server cannot be copied");
    }
}

/// The program, which lies beside `prony`. `./test` has built it; a test that is run by itself builds it.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let program = Path::new(env!("CARGO_BIN_EXE_prony")).with_file_name("fixture");
        if !program.exists() {
            // The whole workspace, because with other features all that it needs would be compiled anew.
            let built = Command::new(env!("CARGO"))
                .args(["build", "--locked", "--workspace", "--bin", "fixture"])
                .current_dir(env!("CARGO_MANIFEST_DIR"))
                .status();
            assert!(built.expect("cargo runs").success(), "the fixture server cannot be built");
        }
        program
    })
}
