//! Errors of containers, and of the user's own configurations.

use super::{text, texts};

/// Servers that cannot run in a container.
#[rustfmt::skip]
pub(super) fn sut_containers() -> [sut::ContainerError; 6] {
    use sut::ContainerError::*;
    [
        NoEngine { tried: vec![text(1), text(2)] },
        NoImage { engine: text(1), image: text(2), lines: vec![text(3)] },
        NoDigest { engine: text(1), image: text(2) },
        NoPort { image: text(1), exposed: texts() },
        NoPort { image: text(1), exposed: Vec::new() },
        BehindLink { engine: text(1) },
    ]
}

/// Configurations of the user's own with which no server can be started.
#[rustfmt::skip]
pub(super) fn sut_configurations() -> [sut::ConfigurationError; 11] {
    use sut::ConfigurationError::*;
    let attribute = |nearest| NoAttribute { server: text(1), attribute: text(2), nearest };
    [
        Unreadable { path: text(1).into(), why: text(2) },
        NotXml { path: text(1).into(), why: text(2) },
        NoHttp { path: text(1).into() },
        NoHost { path: text(1).into() },
        SeveralContexts { path: text(3).into(), contexts: texts() },
        attribute(Some(text(3))),
        attribute(None),
        NoAgent { path: text(1).into() },
        Setenv { path: text(1).into(), why: text(2) },
        SecondJvm { path: text(1).into(), line: text(2) },
        SeveralContexts { path: text(3).into(), contexts: vec![text(1)] },
    ]
}
