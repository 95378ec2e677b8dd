//! The highest layer: a server from its start to its stop, its surroundings, and what it can be asked while it runs.

pub(crate) mod attach;
pub mod effective;
pub(crate) mod http;
pub(crate) mod inspect;
mod java_helper;
mod java_program;
mod port;
pub(crate) mod profile;
mod ready;
pub mod remote;
pub(crate) mod running;
pub(crate) mod service;
pub(crate) mod slowness;
mod started;
pub(crate) mod surroundings;
