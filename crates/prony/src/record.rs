//! The proxy of `prony record`: it passes a client's requests on to their servers, and keeps what was exchanged.
//!
//! Connections over https are passed on unread, unless the proxy has a certificate authority of its own that the client trusts.
//! It uses two of our crates: `load` tells whom a TLS client trusts, and `import` has the type [`Exchange`](import::Exchange).

pub(crate) mod authority;
pub(crate) mod browser;
mod proxy;
mod tape;
mod upstream;

pub(crate) use proxy::{Proxy, serve};
pub(crate) use tape::{Recording, Tape};
pub(crate) use upstream::Upstream;
