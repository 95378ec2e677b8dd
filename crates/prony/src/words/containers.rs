//! Errors of containers.

use super::text;

/// Servers that cannot run in a container.
#[rustfmt::skip]
pub(super) fn sut_containers() -> [sut::ContainerError; 4] {
    use sut::ContainerError::*;
    [
        NoEngine { tried: vec![text(1), text(2)] },
        NoImage { engine: text(1), image: text(2), lines: vec![text(3)] },
        NoDigest { engine: text(1), image: text(2) },
        BehindLink { engine: text(1) },
    ]
}
