//! The way to the server: its link, TLS.

use super::Candidate;
use super::evidence::Evidence;
use crate::validity;
use model::finding::{ClosedBy, Finding, Handshakes, Quantity, Remedy};

/// Handshakes per request from which on they are what is measured: one costs as much CPU as ten to a hundred requests.
const EACH: f64 = 0.5;
/// Share of the server's CPU from which on a group of threads is told.
const SOME: f64 = 0.05;

/// The way to the server is full: whatever is behind it could do more.
pub(super) fn link(evidence: &Evidence<'_>) -> Option<Candidate> {
    let rate = evidence.link?;
    let bits = evidence.wire;
    let full = validity::full_link(bits, rate)?;
    Some(
        Candidate::new(
            bits / rate.0 as f64,
            Finding::LinkSaturated(full),
            Remedy::WidenLink,
        )
        .with(Quantity::AnswerBits, bits)
        .with(Quantity::LinkBits, rate.0 as f64)
        .with(Quantity::CpusInUse, evidence.busy())
        .with(Quantity::RequestsInFlight, evidence.in_flight),
    )
}

/// A handshake for every request: HTTPS looks slow, and it is the connections that are not kept.
pub(super) fn handshakes(evidence: &Evidence<'_>) -> Option<Candidate> {
    let counts = &evidence.counts;
    let each = evidence.per_request(counts.tls_handshakes);
    if each < EACH {
        return None;
    }
    let resumed = counts.tls_resumed as f64 / counts.tls_handshakes.max(1) as f64;
    let closed_by = match evidence.profile.keepalive {
        true => ClosedBy::Server,
        false => ClosedBy::Load,
    };
    let finding = Finding::TlsHandshakePerRequest(Handshakes {
        per_request: each,
        resumed,
    });
    let cpu = evidence.cpu / (counts.requests as f64 / evidence.seconds);
    let mut candidate = Candidate::new(1.0, finding, Remedy::SpareHandshakes { closed_by })
        .with(Quantity::HandshakesPerRequest, each)
        .with(Quantity::HandshakesResumed, resumed)
        .with(Quantity::CpuPerRequest, cpu);
    // Which threads pay for them: workers, or those that only pass connections on.
    for (group, share) in evidence.groups().filter(|(_, share)| *share > SOME) {
        candidate = candidate.with(Quantity::GroupCpuPerRequest(group.to_owned()), share * cpu);
    }
    Some(candidate.with(Quantity::Handshakes, counts.tls_handshakes as f64))
}
