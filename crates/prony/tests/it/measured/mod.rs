//! What judges the figures of real servers: each test has the machine to itself. `./test --all` runs them all, `./test` a sixth.

pub(crate) mod answers;
pub(crate) mod causes;
pub(crate) mod find;
pub(crate) mod hosts;
pub(crate) mod posts;
pub(crate) mod why;
