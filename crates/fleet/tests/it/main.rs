//! Fleets over a real `nats-server` on a free port of the loopback, with agents in threads of the test.

mod corpus;
mod nats;
mod rights;
mod runs;
mod strangers;
