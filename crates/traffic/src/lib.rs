//! What a load generator is given: a [`Plan`](plan::Plan), and the [`Program`](scenario::Program) of its users with the
//! [expressions](scenario::Expr) that they evaluate. Promises: plain data, no I/O, no clock; all that changes while users act is asked of
//! a [host](scenario::ExprHost).

pub mod grpc;
pub mod load_note;
pub mod mix;
pub mod pace;
pub mod plan;
pub mod scenario;
pub mod streaming;
mod tunnel;
pub mod web_socket;
