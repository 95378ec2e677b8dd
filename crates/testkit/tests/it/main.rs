//! The scripted server with a plain client.

mod script;
