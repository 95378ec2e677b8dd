//! A fleet on machines of its own: three load machines, a server, a coordinator and the NATS server, each a network namespace.

mod clocks;
mod faults;
mod machines;
