//! Findings as sentences: what limits a load. There is a function for each cause, in the same files as in `judge::diagnose`. The
//! texts of remedies are in the files of the causes.

pub(super) mod client;
pub(super) mod connections;
pub(super) mod cpu;
pub(super) mod memory;
pub(super) mod network;
mod place;
pub(super) mod pools;
pub(super) mod queue;
pub(super) mod threads;
pub(super) mod unknown;
pub(super) mod waits;

use crate::words::Lang;
use ::say::numbers::percent;
use ::say::spaced;
use model::finding::{Finding, Rank};
use model::outcome::Diagnosis;

/// A diagnosis as a sentence: the finding, and how much it explains.
pub fn diagnosis(diagnosis: &Diagnosis, lang: Lang) -> String {
    let says = finding(&diagnosis.finding, lang);
    let is_ranked = diagnosis.cause().rank() == Rank::Explains && !diagnosis.expected;
    match (diagnosis.explains.filter(|_| is_ranked).map(percent), lang) {
        (Some(explains), Lang::En) => format!("{says} (explains {explains})"),
        (Some(explains), Lang::Zh) => format!("{says}（可解释 {explains}）"),
        (None, _) => says,
    }
}

/// A finding as a sentence.
pub fn finding(finding: &Finding, lang: Lang) -> String {
    let sentence = match finding {
        Finding::GeneratorSaturated(generator) => client::late_generator(generator, lang),
        Finding::NoisyNeighbour(neighbour) => cpu::neighbour(*neighbour, lang),
        Finding::EphemeralPortsExhausted(ports) => client::ports(*ports, lang),
        Finding::FileDescriptorLimit(descriptors) => client::descriptors(*descriptors, lang),
        Finding::ConnectionLimit(full) => connections::full(*full, lang),
        Finding::AcceptQueueOverflow(overflow) => queue::overflow(overflow, lang),
        Finding::ErrorsFast(errors) => client::fast_errors(errors, lang),
        Finding::MemoryLimit(short) => memory::short(*short, lang),
        Finding::LinkSaturated(link) => ::say::text(link, lang),
        Finding::CpuQuotaThrottled(quota) => cpu::quota(*quota, lang),
        Finding::BackendSlow(wait) => waits::backend(wait, lang),
        Finding::LockContention(wait) => waits::lock(wait, lang),
        Finding::ApplicationPoolLimit(pool) => pools::used_up(pool, lang),
        Finding::RateLimited(limit) => pools::limited(limit, lang),
        Finding::VirtualThreadPinning(pinning) => waits::pinning(pinning, lang),
        Finding::ConcurrencyLimitDefault(tasks) => threads::default_tasks(*tasks, lang),
        Finding::ThreadPoolLimit(pool) => threads::pool(pool, lang),
        Finding::TlsHandshakePerRequest(handshakes) => network::handshakes(*handshakes, lang),
        Finding::KeepaliveNotEffective(not_kept) => connections::not_kept(*not_kept, lang),
        Finding::KeepaliveLimit(requests) => connections::requests_each(*requests, lang),
        Finding::GcPressure(collections) => memory::collections(*collections, lang),
        Finding::AllocationStall(stalls) => memory::stalls(stalls, lang),
        Finding::HeapNearlyFull(full) => memory::full(*full, lang),
        Finding::JitWarmingUp(compiling) => cpu::compiling(*compiling, lang),
        Finding::DiskLogging(wait) => waits::disk(wait, lang),
        Finding::DiskSync(wait) => waits::sync(wait, lang),
        Finding::ServerCpuSaturated(full) => cpu::full(*full, lang),
        Finding::LimitNotFound(not_found) => unknown::not_found(not_found, lang),
        Finding::Legacy(legacy) => legacy.says.clone(),
    };
    match lang {
        Lang::En => sentence,
        Lang::Zh => spaced(&sentence),
    }
}

#[cfg(test)]
mod tests;
