//! The highest layer: a server from its start to its stop, what is around it, and what can be asked of it while it runs.

pub(crate) mod around;
mod attach;
pub(crate) mod burn;
pub mod effective;
mod http;
pub(crate) mod inspect;
mod port;
mod ready;
pub(crate) mod running;
pub(crate) mod service;
