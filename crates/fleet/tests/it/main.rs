//! Fleets over a real `nats-server` on a free port of the loopback, with agents in threads of the test.

mod crew;
mod nats;
mod runs;
