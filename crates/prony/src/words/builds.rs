//! Errors of builds of the user's own say the same in both languages.

use super::{assert_golden, check, text, texts};

/// Builds of the user's own that fail.
#[rustfmt::skip]
fn sut_builds() -> [sut::BuildError; 23] {
    use sut::BuildError::*;
    use sut::GitTask;
    let (revision, lines) = (|| Some(text(1)), || vec![text(2)]);
    let unknown = |nearest, shallow| UnknownRevision { repository: text(1).into(), revision: text(2), nearest, shallow };
    [
        NoGit,
        Bare { folder: text(1).into() },
        Ambiguous { revision: text(1), meanings: vec![text(2), text(3)] },
        NoRepository { folder: text(1).into() },
        Git { task: GitTask::Open, lines: lines() },
        Git { task: GitTask::Read, lines: Vec::new() },
        Git { task: GitTask::CheckOut, lines: lines() },
        unknown(Some(text(3)), false),
        unknown(None, true),
        unknown(None, false),
        Uncommitted { revision: text(3), files: texts(), more: 0 },
        Uncommitted { revision: text(3), files: texts(), more: 12 },
        Submodules { revision: text(1), lines: lines() },
        NoBuildTool { revision: revision() },
        NoBuildTool { revision: None },
        Outside { file: text(1).into() },
        NotBelow { file: text(1).into(), folder: text(2).into() },
        Failed { revision: revision(), command: text(2), status: text(3), lines: Vec::new() },
        Failed { revision: None, command: text(2), status: text(3), lines: Vec::new() },
        NoFile { revision: revision(), file: text(2).into(), present: vec![text(3)] },
        NoFile { revision: None, file: text(2).into(), present: Vec::new() },
        SeveralFiles { revision: revision(), pattern: text(2).into(), found: vec![text(3)] },
        SeveralFiles { revision: None, pattern: text(1).into(), found: vec![text(2), text(3)] },
    ]
}

#[test]
fn errors_of_builds_say_the_same_in_both_languages() {
    for error in sut_builds() {
        check(sut::Error::Build(error));
    }
    assert_golden("errors_of_builds");
}
