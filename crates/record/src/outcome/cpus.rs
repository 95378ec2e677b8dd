//! How a run used the CPUs.

use super::Report;
use model::cpus::CpuSplit;

impl Report {
    /// Returns how the CPUs were divided; `None` where servers and generator shared them.
    pub fn cpu_split(&self) -> Option<CpuSplit> {
        CpuSplit::of(&self.fingerprint)
    }
}
