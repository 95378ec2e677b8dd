//! What is shown in a browser: the page of a run while it lasts ([`live`]), stored runs ([`stored`]). Promises: the run never waits for it, nothing
//! is read from the disk because a request names it, and no script comes from elsewhere.

mod access;
mod files;
pub(crate) mod live;
mod server;
pub(crate) mod stored;

pub(crate) use server::Address;
