//! Findings about the CPU: how much there is, who else takes it, and what the server does with it.

use serde::{Deserialize, Serialize};

/// The quota of CPU time is used up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuotaUsed {
    /// CPUs that the server used.
    pub used: f64,
    /// CPUs that it may use.
    pub quota: f64,
    /// Share of the quota's periods in which it had to wait, 0 to 1; absent where the kernel does not tell.
    pub waited: Option<f64>,
    /// CPUs of the machine.
    pub cpus: f64,
}

/// Somebody else took CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Neighbour {
    /// Programs on this machine that are no part of the run.
    Programs {
        /// Share of the machine's CPU time, 0 to 1.
        share: f64,
    },
    /// The hypervisor, for another guest.
    Hypervisor {
        /// Share of the machine's CPU time, 0 to 1.
        share: f64,
    },
    /// The hypervisor took so much that starts did not count.
    SpoiltStarts {
        /// Share of the starts, 0 to 1.
        share: f64,
    },
    /// The hypervisor took little of all CPU time, but much of what was wanted, and made the generator late.
    LateGenerator {
        /// Share of the CPU time that was wanted, 0 to 1.
        share: f64,
    },
}

/// The JVM still compiles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compiling {
    /// Share of the server's CPU time that its compilers use, 0 to 1.
    pub share: f64,
}

/// The CPU is full, mostly of the server's own work.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuFull {
    /// CPUs that the server used.
    pub used: f64,
    /// CPUs of the machine.
    pub cpus: f64,
    /// What the server's CPU time went to; absent where that was not read.
    pub shares: Option<CpuShares>,
    /// CPU seconds of the server per request.
    pub per_request: f64,
    /// CPUs that the generator used.
    pub generator: f64,
}

/// Whether a share is 0, as it is for nearly all servers.
fn is_none(share: &f64) -> bool {
    *share == 0.0
}

/// What the server's CPU time goes to, as shares of it, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuShares {
    /// The application and the server's own code.
    pub application: f64,
    /// The processes that the server has started.
    #[serde(default, skip_serializing_if = "is_none")]
    pub children: f64,
    /// The kernel, which works for the server.
    pub kernel: f64,
    /// The JVM's compilers.
    pub jit: f64,
    /// The JVM's collector.
    pub gc: f64,
}
