//! What can be wrong with the machines that make a load.

/// `[fleet]` asks for what cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FleetSlip {
    #[error("`{0}` is not the address of a NATS server")]
    NotAServer(String),
    #[error("`{0}` is not a host on which agents can be started")]
    NotAHost(String),
    #[error("`{0}` is not the address of an interface of this machine")]
    NotAnAddress(String),
    #[error("[fleet] does not say where its agents are")]
    NoPlace,
    #[error("agents either wait at a NATS server, or prony starts them on hosts")]
    TwoPlaces,
    #[error("the link of [link] is in this machine, and agents of a fleet are outside of it")]
    BehindLink,
}
