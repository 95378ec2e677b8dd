//! Fleets, other hosts and lost connections: these tests mostly wait, so many run at once.

pub(crate) mod fleet;
pub(crate) mod fleet_deploy;
pub(crate) mod fleet_hosts;
pub(crate) mod fleet_network;
pub(crate) mod fleet_resume;
pub(crate) mod fleet_run;
pub(crate) mod fleet_security;
pub(crate) mod fleet_sessions;
pub(crate) mod other_hosts;
