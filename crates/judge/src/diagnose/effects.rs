//! How much something explains: the share of user time, and so of throughput, that would be won without it.

use super::evidence::{ArmEvidence, FULL};
use crate::profile::Profile;
use model::units::Bytes;
use record::inspection::Inspection;

/// Share of the machine in use from which on locks are held longer than they need to be, because their holders wait for a CPU.
const CROWDED: f64 = 0.7;
/// Largest share of the requests in flight whose threads run or wait for a CPU where requests wait for something else.
const RUNNABLE: f64 = 0.1;
/// The group of threads of the programs that the server has started itself.
const CHILDREN: &str = "children";

impl<'a> ArmEvidence<'a> {
    /// The share of the users' time in which they wait for an answer; in the rest of it they think. Without
    /// users, requests come whatever happens to earlier ones, and all of their time counts.
    pub(super) fn time_in_requests(&self) -> f64 {
        match self.users().filter(|_| self.missed.is_none()) {
            Some(users) => (self.in_flight / users).min(1.0),
            None => 1.0,
        }
    }

    /// Converts a share of request time into a share of user time. With `users` that take `time` for a request and
    /// `think` between two, throughput is `users / (time + think)`; so this is also the share of throughput that is lost.
    pub(super) fn effect_of(&self, share: f64) -> f64 {
        share * self.time_in_requests()
    }

    /// The share of the throughput that is missing because this share of the requests' time is spent waiting for a turn. It is less
    /// the fuller the CPU is: on a nearly full one requests wait for turns without anything being wrong.
    pub(super) fn effect_of_turns(&self, share: f64) -> f64 {
        if self.cpu_full() && !self.is_short_of_cpu() {
            return self.effect_of(share);
        }
        let free = (FULL - self.busy()) / (FULL - CROWDED);
        self.effect_of(share) * free.clamp(0.0, 1.0)
    }

    /// Whether it matters what requests wait for: there are right answers, and the CPU is not what all of them wait for.
    pub(super) fn waits_matter(&self) -> bool {
        self.counts.ok > 0 && !self.is_short_of_cpu()
    }

    /// Whether it matters what requests wait for, where an arm may also have no right answer: then the waits are the reason.
    pub(super) fn waits_matter_or_silent(&self) -> bool {
        self.waits_matter() || self.is_silent() && !self.is_short_of_cpu()
    }

    /// Whether no answer is right, although there are requests.
    pub(super) fn is_silent(&self) -> bool {
        self.counts.ok == 0 && (self.counts.requests > 0 || self.in_flight > 0.0)
    }

    /// Whether it matters that requests wait for other programs: there are right answers, and the CPU is not
    /// full, or other programs fill it.
    pub(super) fn answers_matter(&self) -> bool {
        self.counts.ok > 0 && (!self.cpu_full() || self.is_full_of_others(self.own_cpu()))
    }

    /// Whether requests wait for a full CPU. They do not where other programs fill it, and the kernel's accounts say that few of
    /// the requests in flight run or wait to run: the others wait for something that more CPU would not bring sooner.
    pub(super) fn is_short_of_cpu(&self) -> bool {
        let runnable = self.cpu + self.waiting_for_cpu();
        let is_known = self.passed.as_ref().is_some_and(|passed| !passed.groups.is_empty());
        let waits_elsewhere =
            is_known && self.is_full_of_others(self.cpu) && runnable < RUNNABLE * self.in_flight;
        self.cpu_full() && !waits_elsewhere
    }

    /// Whether other programs use most of the full CPU; the server uses `own` CPUs.
    fn is_full_of_others(&self, own: f64) -> bool {
        let cpus = self.server_cpus.unwrap_or(self.cpus);
        self.quota().is_none() && own < 0.5 * FULL * cpus
    }

    /// CPUs that the server's own threads used, without the programs that it has started.
    fn own_cpu(&self) -> f64 {
        let Some(passed) = self.passed.as_ref().filter(|passed| !passed.groups.is_empty()) else {
            return self.cpu;
        };
        let own = passed.groups.iter().filter(|(name, _)| *name != CHILDREN);
        let seconds: f64 = own.map(|(_, group)| group.cpu.as_secs_f64()).sum();
        seconds / passed.seconds.max(1e-9)
    }

    /// Tasks of the server that waited for a CPU, mean.
    pub(super) fn waiting_for_cpu(&self) -> f64 {
        self.passed.as_ref().map_or(0.0, |passed| {
            let waited = passed.groups.values().map(|group| group.waited.as_secs_f64());
            waited.sum::<f64>() / passed.seconds.max(1e-9)
        })
    }

    /// The profile of the server's threads; `None` where only its connections were seen.
    pub(super) fn stacks(&self) -> Option<(&Profile<'a>, &'a Inspection)> {
        let inspection = self.inspection.filter(|seen| seen.loaded.is_some())?;
        Some((self.inside.as_ref()?, inspection))
    }

    /// The size of the heap: as the running server tells, or as it was asked for.
    pub(super) fn heap_size(&self) -> Bytes {
        self.effective.heap.unwrap_or(self.arm.heap)
    }

    /// The largest size that the heap of a server may grow to: as it was seen when the server was looked into, or else its size.
    pub(super) fn largest_heap(&self, seen: &Inspection) -> Bytes {
        seen.heap.map_or_else(|| self.heap_size(), |heap| heap.most)
    }

    /// Requests per second, right or wrong.
    pub(super) fn request_rate(&self) -> f64 {
        self.counts.requests as f64 / self.seconds
    }
}
