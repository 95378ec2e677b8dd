//! What sessions of real traffic are made of. A scenario is compiled once, before the load starts, into plain data that the
//! generator executes without looking up a name.

pub mod template;
