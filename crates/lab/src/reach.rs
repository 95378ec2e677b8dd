//! Where agents of a fleet reach the servers of a [`Bench`].

use crate::bench::Bench;
use std::net::IpAddr;
use sut::Program;

impl Bench {
    /// Lets the servers that are started on this machine listen on this address of it, in the place of the loopback. Servers in images of
    /// the user choose their addresses themselves.
    #[must_use]
    pub fn listening_on(mut self, address: IpAddr) -> Self {
        for arm in self.arms.iter_mut().filter(|arm| arm.host.is_none()) {
            if !matches!(arm.spec.program, Program::Image(_)) {
                arm.spec.listen = address;
            }
        }
        self
    }

    /// What the generators of load have to reach, as `HOST:PORT`, or `HOST:*` where the port is chosen at each start.
    pub fn targets(&self) -> Vec<String> {
        let any_port = |address: IpAddr| match address {
            IpAddr::V4(address) => format!("{address}:*"),
            IpAddr::V6(address) => format!("[{address}]:*"),
        };
        let of_arm = self.arms.iter().filter_map(|arm| match (&arm.spec.program, &arm.host) {
            (Program::Running(origin), _) => {
                arm.way.to(&origin.url("/"), &[]).ok().map(|route| route.target.to_string())
            }
            (_, Some(host)) => host.address.map(any_port),
            (_, None) => Some(any_port(arm.spec.listen)),
        });
        let mut targets: Vec<String> = of_arm.collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }
}
