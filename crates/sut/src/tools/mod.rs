//! The second layer: the programs that prony uses as tools (Maven, pip, JDKs, the C compiler, `ip`), and what they make:
//! distributions, applications, migrated WARs, tcnative.

pub mod app;
pub(crate) mod assemble;
pub mod build;
pub mod container;
pub mod contents;
pub mod fetch;
pub(crate) mod git;
pub mod guard;
pub mod jdk;
pub mod maven;
pub(crate) mod namespace;
pub(crate) mod network;
pub(crate) mod parent;
pub(crate) mod pip;
pub mod profiler;
pub(crate) mod setenv;
pub(crate) mod site;
pub mod tcnative;
pub(crate) mod tool;
pub mod versions;
pub mod war;
pub(crate) mod watcher;
