//! Causes in the network: a full link, TLS handshakes.

use super::connections::effect_of_handshakes;
use super::evidence::ArmEvidence;
use super::{Candidate, CauseRule};
use crate::validity;
use model::reason::{FullLink, LinkWay};
use model::units::{Count, Share};
use record::finding::{ClosedBy, Finding, Handshakes, Quantity, Remedy};

/// Fewest TLS handshakes per request at which handshakes are what is measured: a handshake costs as much CPU as ten to a hundred
/// requests.
const EACH: f64 = 0.5;
/// The interface over which a machine talks to itself.
const LOOPBACK: &str = "lo";
/// Smallest share of the server's CPU with which a group of threads is listed in the evidence.
const SOME: f64 = 0.05;

/// The link to the server is full in one direction, and the server could do more.
impl CauseRule for FullLink {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let rate = evidence.link?;
        let full =
            |bits: f64, way: LinkWay| Some((bits, FullLink { way, ..validity::full_link(bits, rate)? }));
        let answers = full(evidence.answer_bits, LinkWay::Answers);
        let (bits, full) = answers.or_else(|| full(request_bits(evidence)?, LinkWay::Requests))?;
        let quantity = match full.way {
            LinkWay::Answers => Quantity::AnswerBits,
            LinkWay::Requests => Quantity::RequestBits,
        };
        Some(
            Candidate::new(bits / rate.0 as f64, Finding::LinkSaturated(full), Remedy::WidenLink)
                .with(quantity, bits)
                .with(Quantity::LinkBits, rate.0 as f64)
                .with(Quantity::CpusInUse, evidence.busy())
                .with(Quantity::RequestsInFlight, evidence.in_flight),
        )
    }
}

/// Bits per second that came over the link to the server, including headers; `None` without telemetry. Where the link is limited,
/// the server has a network of its own.
fn request_bits(evidence: &ArmEvidence<'_>) -> Option<f64> {
    let passed = evidence.passed.as_ref()?;
    let outside = passed.interfaces.iter().filter(|(name, _)| *name != LOOPBACK);
    let received = outside.map(|(_, interface)| interface.received).max()?;
    Some(8.0 * received as f64 / passed.seconds.max(1e-9))
}

/// Most requests need a TLS handshake: HTTPS looks slow because connections are not kept.
impl CauseRule for Handshakes {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
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
        let finding =
            Finding::TlsHandshakePerRequest(Handshakes { per_request: Count(each), resumed: Share(resumed) });
        let cpu = evidence.cpu / (counts.requests as f64 / evidence.seconds);
        let explains = effect_of_handshakes(evidence);
        let mut candidate = Candidate::new(explains, finding, Remedy::SpareHandshakes { closed_by })
            .with(Quantity::HandshakesPerRequest, each)
            .with(Quantity::HandshakesResumed, resumed)
            .with(Quantity::CpuPerRequest, cpu);
        // The evidence shows which threads do the handshakes: workers, or threads that only pass connections on.
        for (group, share) in evidence.group_shares().filter(|(_, share)| *share > SOME) {
            candidate = candidate.with(Quantity::GroupCpuPerRequest(group.to_owned()), share * cpu);
        }
        Some(candidate.with(Quantity::Handshakes, counts.tls_handshakes as f64))
    }
}
