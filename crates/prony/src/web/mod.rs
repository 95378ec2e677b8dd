//! The pages for browsers: a run while it lasts ([`live`]) and stored runs ([`stored`]). A run never waits for its page, no request can
//! name a file to be read from the disk, and no script comes from another host.

mod access;
mod files;
pub(crate) mod live;
mod server;
pub(crate) mod stored;

pub(crate) use server::{Address, CannotListen, PageServer};
