//! The side of the clients: what the generator lacked, and answers that were wrong.

use super::Candidate;
use super::connections::served;
use super::evidence::Evidence;
use model::finding::{
    DescriptorsExhausted, FastErrors, Finding, Lacking, LateGenerator, PortsExhausted, Quantity, Remedy,
    Starved,
};

/// Share of the slices, or of the starts, that the generator has to have spoilt.
const SPOILT: f64 = 0.5;
/// Share of requests that may fail: the gate of validity.
const FAULTS: f64 = 1e-4;
/// Errors are fast when they take less than this share of the time of right answers.
const FAST: f64 = 0.5;
/// Of the descriptors that a server may have so many are all: it closes and opens some all the time.
const ALL_OPEN: f64 = 0.97;
/// Share of the users that have to be left out: less are between two connections.
const LEFT_OUT: f64 = 0.05;

/// The generator could not keep up, in its own words.
pub(super) fn generator(evidence: &Evidence<'_>) -> Option<Candidate> {
    let slices = evidence.saturated as f64 / evidence.slices.max(1) as f64;
    let voids = || evidence.voids.iter().filter(|why| why.is_of_generator());
    let starts = voids().count() as f64 / evidence.starts.max(1) as f64;
    if slices <= SPOILT && starts < SPOILT {
        return None;
    }
    let starved = evidence.starved().then(|| Starved {
        cpus: evidence.cpu_generator,
        idle: evidence.idle().then(|| 1.0 - evidence.busy()),
    });
    let finding = Finding::GeneratorSaturated(LateGenerator {
        share_of_slices: slices,
        why: voids().next_back().map(|why| (*why).clone()),
        starved,
    });
    let remedy = match starved {
        Some(Starved { idle: Some(_), .. }) => Remedy::MeasureAgain,
        Some(Starved { idle: None, .. }) => Remedy::FreeCpusForGenerator,
        None => Remedy::EnlargeGenerator,
    };
    let candidate = Candidate::new(slices.max(starts), finding, remedy)
        .with(Quantity::SlicesSpoilt, slices)
        .with(Quantity::StartsOverloaded, starts)
        .with(Quantity::GeneratorCpus, evidence.cpu_generator);
    Some(match starved {
        Some(_) => candidate.last(),
        None => candidate,
    })
}

/// No local port was left.
pub(super) fn ports(evidence: &Evidence<'_>) -> Option<Candidate> {
    let failed = evidence.fault("ports_exhausted");
    if failed as f64 <= FAULTS * evidence.counts.requests as f64 {
        return None;
    }
    let share = evidence.per_request(failed);
    let finding = Finding::EphemeralPortsExhausted(PortsExhausted { failed, share });
    Some(
        Candidate::new(share, finding, Remedy::SparePorts)
            .with(Quantity::ConnectionsWithoutPort, failed as f64)
            .with(Quantity::ConnectionsOpened, evidence.counts.connects as f64),
    )
}

/// No descriptor was left, on our side.
pub(super) fn descriptors(evidence: &Evidence<'_>) -> Option<Candidate> {
    let failed = evidence.fault("descriptors_exhausted");
    if failed as f64 <= FAULTS * evidence.counts.requests as f64 {
        return None;
    }
    let share = evidence.per_request(failed);
    let finding = Finding::FileDescriptorLimit(DescriptorsExhausted::OfGenerator { failed, share });
    Some(
        Candidate::new(share, finding, Remedy::RaiseGeneratorFiles)
            .with(Quantity::ConnectionsWithoutDescriptor, failed as f64),
    )
}

/// The server has as many files and sockets open as it may: connections that it cannot accept wait until they give up.
pub(super) fn server_descriptors(evidence: &Evidence<'_>) -> Option<Candidate> {
    let holdings = evidence.passed.as_ref()?.holdings;
    let limit = holdings.open_files_limit? as f64;
    let open = holdings.open_files as f64;
    // Who waits to be accepted gives up after a time-out, which may be longer than what is counted at a time.
    let users = evidence.users().unwrap_or(0.0);
    let left_out = (users - served(evidence)).max(0.0);
    let waits = evidence.profile.keepalive && left_out > LEFT_OUT * users;
    if open < ALL_OPEN * limit || evidence.wrong() == 0 && !waits {
        return None;
    }
    let lacking = match evidence.wrong() {
        0 => Lacking::Users { left_out, users },
        wrong => Lacking::Requests {
            failed: evidence.per_request(wrong),
        },
    };
    let finding = Finding::FileDescriptorLimit(DescriptorsExhausted::OfServer { open, limit, lacking });
    Some(
        Candidate::new(1.0, finding, Remedy::RaiseServerFiles)
            .with(Quantity::FilesOpen, open)
            .with(Quantity::FilesMost, limit)
            .with(Quantity::RequestsFailed, evidence.wrong() as f64)
            .with(Quantity::UsersNotServed, left_out),
    )
}

/// A server that fails fast looks fast: its CPU goes into errors, and a closed loop gives it more of them than of work.
pub(super) fn errors(evidence: &Evidence<'_>) -> Option<Candidate> {
    let answered = [
        "wrong_status",
        "wrong_body",
        "wrong_status_and_body",
        "reset",
        "closed_early",
        "connect_refused",
    ];
    let failed: u64 = answered.iter().map(|kind| evidence.fault(kind)).sum();
    let share = evidence.per_request(failed);
    if share <= FAULTS {
        return None;
    }
    // What was given up took its whole time-out, and stands among the times of right answers.
    let each = evidence.failed_seconds / failed as f64;
    let right = evidence.mean;
    if each > FAST * right.unwrap_or(f64::INFINITY) {
        return None;
    }
    let finding = Finding::ErrorsFast(FastErrors {
        share,
        each,
        right,
        faults: evidence.counts.faults.clone(),
    });
    Some(
        Candidate::new(share, finding, Remedy::ReadServerLog)
            .with(Quantity::FailureShare, share)
            .with(Quantity::FailureTime, each),
    )
}
