//! The way to the server: its link, TLS.

use super::Finding;
use super::evidence::Evidence;
use super::remedy::Remedy;
use super::words::{percent, three};
use crate::validity;
use model::cause::Cause;

/// Handshakes per request from which on they are what is measured: one costs as much CPU as ten to a hundred requests.
const EACH: f64 = 0.5;
/// Share of the server's CPU from which on a group of threads is told.
const SOME: f64 = 0.05;

/// The way to the server is full: whatever is behind it could do more.
pub(super) fn link(evidence: &Evidence<'_>) -> Option<Finding> {
    let rate = evidence.link?;
    let bits = evidence.wire;
    let says = validity::full_link(bits, rate)?;
    Some(
        Finding::new(Cause::LinkSaturated, bits / rate.0 as f64, says)
            .with("bits of answers per second, headers of segments included", bits)
            .with("bits per second that the link passes", rate.0 as f64)
            .with("share of the CPUs in use", evidence.busy())
            .with("requests in flight", evidence.in_flight)
            .cure(Remedy::advice(
                "a wider link, or smaller answers (compression); servers are compared where it is not full",
            )),
    )
}

/// A handshake for every request: HTTPS looks slow, and it is the connections that are not kept.
pub(super) fn handshakes(evidence: &Evidence<'_>) -> Option<Finding> {
    let counts = &evidence.counts;
    let each = evidence.per_request(counts.tls_handshakes);
    if each < EACH {
        return None;
    }
    let resumed = counts.tls_resumed as f64 / counts.tls_handshakes.max(1) as f64;
    let says = format!(
        "{} TLS handshakes per request ({} of them resumed): handshakes were measured, not requests",
        three(each),
        percent(resumed)
    );
    let remedy = match evidence.profile.keepalive {
        true => "keep connections open: the server closes them, see keepalive-not-effective",
        false => "keep connections open (`keepalive = true`), as browsers and proxies do",
    };
    let cpu = evidence.cpu / (counts.requests as f64 / evidence.seconds);
    let mut finding = Finding::new(Cause::TlsHandshakePerRequest, 1.0, says)
        .with("TLS handshakes per request", each)
        .with("share of them resumed", resumed)
        .with("CPU seconds per request", cpu);
    // Which threads pay for them: workers, or those that only pass connections on.
    for (group, share) in evidence.groups().filter(|(_, share)| *share > SOME) {
        finding = finding.with(&format!("CPU seconds per request of {group}"), share * cpu);
    }
    Some(
        finding
            .with("handshakes", counts.tls_handshakes as f64)
            .cure(Remedy::advice(remedy)),
    )
}
