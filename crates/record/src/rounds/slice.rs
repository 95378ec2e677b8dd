//! [`SliceRecord`]: what is stored of one slice of load on one arm.

use crate::events::EventRecord;
use crate::histogram::SparseHistogram;
use crate::outcome::{Counts, SendDelay};
use model::load::Load;
use model::reason::Reason;
use model::units::{Count, Rate, Seconds};
use serde::{Deserialize, Serialize, Serializer};
use traffic::scenario::StepRecord;

/// One slice of load on one arm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SliceRecord {
    /// Round, from 1.
    pub round: u32,
    /// Quad within the round and its load, from 0: a row that holds every arm, and its mirror image.
    pub quad: u32,
    /// Place within the quad, from 0; the first half is the row.
    pub position: u32,
    /// Index of the arm.
    pub arm: usize,
    /// Index of the level among the experiment's; at a fixed rate, the index of the level from which the rate comes.
    pub level: usize,
    /// Open loop: requests due, or sessions where users play them. `None` is the closed loop.
    pub rate: Option<Rate>,
    /// Whether it is a probe in the search for the highest rate, with a rate of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub probe: bool,
    /// Whether it is a point of the curve over rates, with a rate of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub curve: bool,
    /// Whether the other arms were loaded at the same time: the slices of a row then have the same window.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub together: bool,
    /// Seed of the load: of two slices with one rate and one seed, the requests are due at the same times.
    pub seed: u64,
    /// Start on the wall clock, nanoseconds since the epoch.
    pub started_ns: u64,
    /// Length of the load before the counted window.
    pub settle_ns: u64,
    /// Time between the edges of the counted window.
    pub elapsed_ns: u64,
    /// What was counted.
    pub counts: Counts,
    /// Sessions of steps that began; 0 where requests are no sessions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sessions: u64,
    /// What was counted of each step of sessions; empty where requests are no sessions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepRecord>,
    /// What was counted of answers that stream; absent where none does.
    #[serde(default, skip_serializing_if = "EventRecord::is_empty")]
    pub events: EventRecord,
    /// CPU of the arm's process between the edges.
    pub cpu_ns_arm: u64,
    /// CPU of the other arms' processes between the edges, and of the event loops that loaded them meanwhile.
    pub cpu_ns_other_arms: u64,
    /// CPU of the event loops that loaded the arm between the edges.
    pub cpu_ns_generator: u64,
    /// CPU time stolen by the hypervisor, clock ticks of all CPUs.
    pub steal_ticks: u64,
    /// Time in which some task waited for a CPU, as the kernel counts it (PSI), microseconds.
    pub psi_cpu_some_us: Option<u64>,
    /// Tasks that ran or waited for a CPU, ours among them: mean of both edges.
    pub run_queue: Option<Count>,
    /// Garbage collections of the arm's JVM between the edges.
    pub gc_count: Option<u64>,
    /// Time they took, milliseconds.
    pub gc_ms: Option<f64>,
    /// Time of the arm's JIT compilers, milliseconds, counted as each compilation ends.
    pub jit_ms: Option<f64>,
    /// Connections opened before the counted window: all of them in the arm's first slice, later those that the server has
    /// closed since the arm's last slice.
    pub connects_settling: u64,
    /// Requests in flight, integrated over the window.
    pub in_flight: Seconds,
    /// Sum of the service times and lags of what was counted.
    pub service_sum: Seconds,
    /// 99th percentile of the generator's lag.
    pub lag_p99_ns: u64,
    /// Open loop: how late the generator sent requests that were due while a connection was free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_delay: Option<SendDelay>,
    /// Longest response time of the requests that ended in each tenth of a second.
    pub longest_ns: Vec<u64>,
    /// Open loop: requests due in the window that were not answered in it.
    pub backlog: u64,
    /// Why it does not count, if it does not.
    pub why_invalid: Option<Reason>,
    /// Response times. In the open loop they belong to the requests due in the window; a request without an answer counts with the
    /// time that it had waited. This and the next three are stored beside the JSON of the slice, which has nothing of them.
    #[serde(skip_deserializing, serialize_with = "empty_list")]
    pub response: Option<SparseHistogram>,
    /// Open loop: the same response times, each without the delay with which the generator sent the request.
    #[serde(skip)]
    pub undelayed: Option<SparseHistogram>,
    #[serde(skip_deserializing, serialize_with = "empty_list")]
    pub service: Option<SparseHistogram>,
    /// How long the connections opened between the edges took to be made; `None` where there were none.
    #[serde(skip_deserializing, serialize_with = "empty_list")]
    pub connect: Option<SparseHistogram>,
}

fn empty_list<S: Serializer>(_: &Option<SparseHistogram>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq::<[u8; 0]>([])
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub(super) const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl SliceRecord {
    /// Returns the CPU time of all arms and of the event loops that loaded them between the edges, in nanoseconds.
    pub fn cpu_ns(&self) -> u64 {
        self.cpu_ns_arm + self.cpu_ns_other_arms + self.cpu_ns_generator
    }

    /// Returns the load of a slice of the open loop; `None` in the closed loop.
    pub fn open_load(&self) -> Option<Load> {
        Some(Load {
            rate: Some(self.rate?),
            together: self.together,
            sessions: !self.steps.is_empty(),
            ..Load::default()
        })
    }
}
