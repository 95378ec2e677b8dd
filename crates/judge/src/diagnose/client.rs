//! Causes on the side of the clients: what the generator lacked, and wrong answers.

use super::connections::served_users;
use super::evidence::{ArmEvidence, BUSY};
use super::{Candidate, CauseRule};
use model::reason::{GeneratorLimit, Reason};
use model::units::{Count, Cpus, Seconds, Share};
use record::finding::{
    AnswersWrong, DescriptorsExhausted, FastErrors, Finding, Lacking, LateGenerator, PortsExhausted,
    Quantity, Rank, Remedy, Starved,
};
use traffic::scenario::StepFailure;

/// Smallest share of the slices, or of the starts, in which the generator could not keep up.
const SPOILT: f64 = 0.5;
/// Largest share of requests that may fail, as in `validity`.
const FAULTS: f64 = 1e-4;
/// Errors are fast when they take less than this share of the time of right answers.
const FAST: f64 = 0.5;
/// The seconds from which on errors are not fast, where there is no right answer.
const LATE: f64 = 1.0;
/// Share of its descriptors from which on a server has none left, because it closes and opens some all the time.
const ALL_OPEN: f64 = 0.97;
/// Smallest share of the users that are left out; fewer may just be between two connections.
const LEFT_OUT: f64 = 0.05;

/// The generator could not keep up, with the reason that it gave.
impl CauseRule for LateGenerator {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let slices = evidence.saturated as f64 / evidence.slices.max(1) as f64;
        let is_of_other =
            |why: &Reason| matches!(why, Reason::OfArm { arm, .. } if *arm != evidence.arm.name);
        let is_own =
            |why: &Reason| why.is_of_generator() && !is_of_other(why) && !keeps_users_out(evidence, why);
        let voids = || evidence.voids.iter().filter(|why| is_own(why));
        let starts = voids().count() as f64 / evidence.starts.max(1) as f64;
        if slices <= SPOILT && starts < SPOILT {
            return None;
        }
        let starved = evidence.starved().then(|| Starved {
            cpus: Cpus(evidence.cpu_generator),
            idle: evidence.idle().then(|| Share(1.0 - evidence.busy())),
        });
        let finding = Finding::GeneratorSaturated(LateGenerator {
            share_of_slices: Share(slices),
            share_of_starts: Share(starts),
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
            Some(_) => candidate.ranked_as_effect(),
            None => candidate,
        })
    }
}

/// Whether users had no request in flight for another reason than the generator, which had time for them: the server keeps them
/// out.
fn keeps_users_out(evidence: &ArmEvidence<'_>, why: &Reason) -> bool {
    let users_waited = matches!(why.generator_limit(), Some(GeneratorLimit::UsersWaited { .. }));
    users_waited && evidence.cpu_generator < BUSY
}

/// The generator had no local port left.
impl CauseRule for PortsExhausted {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let failed = evidence.fault_count("ports_exhausted");
        if failed as f64 <= FAULTS * evidence.counts.requests as f64 {
            return None;
        }
        let share = evidence.per_request(failed);
        let finding = Finding::EphemeralPortsExhausted(PortsExhausted { failed, share: Share(share) });
        Some(
            Candidate::new(share, finding, Remedy::SparePorts)
                .with(Quantity::ConnectionsWithoutPort, failed as f64)
                .with(Quantity::ConnectionsOpened, evidence.counts.connects as f64),
        )
    }
}

/// The generator or the server has no file descriptor left.
impl CauseRule for DescriptorsExhausted {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        generator_descriptors(evidence).or_else(|| server_descriptors(evidence))
    }
}

/// The generator had no file descriptor left.
fn generator_descriptors(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let failed = evidence.fault_count("descriptors_exhausted");
    if failed as f64 <= FAULTS * evidence.counts.requests as f64 {
        return None;
    }
    let share = evidence.per_request(failed);
    let finding =
        Finding::FileDescriptorLimit(DescriptorsExhausted::OfGenerator { failed, share: Share(share) });
    let candidate = Candidate::new(share, finding, Remedy::RaiseGeneratorFiles)
        .with(Quantity::ConnectionsWithoutDescriptor, failed as f64);
    Some(Candidate { rank: Rank::Voids, ..candidate })
}

/// The server has as many files and sockets open as it may. It cannot accept further connections, which wait until they are
/// given up.
fn server_descriptors(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let holdings = evidence.passed.as_ref()?.holdings;
    let limit = holdings.open_files_limit? as f64;
    let open = holdings.open_files as f64;
    // A user who waits to be accepted gives up after a time-out, which may be longer than a slice.
    let users = evidence.users().unwrap_or(0.0);
    let left_out = (users - served_users(evidence)).max(0.0);
    let waits = evidence.profile.keepalive && left_out > LEFT_OUT * users;
    if open < ALL_OPEN * limit || evidence.wrong() == 0 && !waits {
        return None;
    }
    let lacking = match evidence.wrong() {
        0 => Lacking::Users { left_out: Count(left_out), users: Count(users) },
        wrong => Lacking::Requests { failed: Share(evidence.per_request(wrong)) },
    };
    let seen = DescriptorsExhausted::OfServer { open: Count(open), limit: Count(limit), lacking };
    let finding = Finding::FileDescriptorLimit(seen);
    let failed = evidence.per_request(evidence.wrong());
    let explains = failed.max(left_out / users.max(1.0));
    let candidate = Candidate::new(explains, finding, Remedy::RaiseServerFiles)
        .with(Quantity::FilesOpen, open)
        .with(Quantity::FilesMost, limit)
        .with(Quantity::RequestsFailed, evidence.wrong() as f64)
        .with(Quantity::UsersNotServed, left_out);
    // Where requests fail, the figures are about that.
    let rank = match evidence.wrong() {
        0 => Rank::Explains,
        _ => Rank::Voids,
    };
    Some(Candidate { rank, ..candidate })
}

/// Kinds of answers that are wrong, and connections that end without one.
const ANSWERED: [&str; 11] = [
    "wrong_status",
    "wrong_body",
    "wrong_status_and_body",
    "wrong_grpc_status",
    "not_websocket",
    "websocket_closed",
    "reset",
    "closed_early",
    "connect_refused",
    "stream_reset",
    "stream_refused",
];

/// Answers are wrong, though no faster than right ones. Where they are no HTTP, or bytes follow them, the figures are about that; other
/// errors may be the effect of what requests wait for. Where no answer is right, what was given up counts, too: the server is ill, and
/// whatever else is seen of it comes first.
impl CauseRule for AnswersWrong {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let silent = evidence.is_silent();
        let malformed = evidence.fault_count("malformed");
        let failed = match silent {
            true => evidence.wrong(),
            false => malformed + ANSWERED.iter().map(|kind| evidence.fault_count(kind)).sum::<u64>(),
        };
        let share = if silent { 1.0 } else { evidence.per_request(failed) };
        if share <= FAULTS || FastErrors::check(evidence).is_some() {
            return None;
        }
        let faults = evidence.counts.faults.clone();
        let late = || evidence.inspection.filter(|_| silent)?.first_wrong.clone();
        let first = evidence.counts.first_wrong.clone().or_else(late);
        let has_more = first.as_ref().is_some_and(|first| matches!(first.why, StepFailure::Surplus(_)));
        let remedy = if has_more { Remedy::EndAnswers } else { Remedy::ReadServerLog };
        let finding = Finding::WrongAnswers(Self { share: Share(share), faults, first, silent });
        let candidate = Candidate::new(share, finding, remedy)
            .with(Quantity::FailureShare, share)
            .with(Quantity::RequestsFailed, failed as f64);
        let rank = if 2 * malformed >= failed && failed > 0 { Rank::Voids } else { candidate.rank };
        Some(Candidate { rank, is_second: silent, ..candidate })
    }
}

/// The server fails fast, which looks like a fast server: its CPU goes into errors, and a closed loop sends the more requests the
/// faster they fail.
impl CauseRule for FastErrors {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let failed: u64 = ANSWERED.iter().map(|kind| evidence.fault_count(kind)).sum();
        let share = evidence.per_request(failed);
        if share <= FAULTS {
            return None;
        }
        // Requests that were given up are not among these: they took their whole time-out, and are among the times of right answers.
        let each = evidence.failed_seconds / failed as f64;
        let right = evidence.mean.filter(|_| evidence.counts.ok > 0);
        if each > right.map_or(LATE, |right| FAST * right) {
            return None;
        }
        let (faults, first) = (evidence.counts.faults.clone(), evidence.counts.first_wrong.clone());
        let finding = Finding::ErrorsFast(FastErrors {
            share: Share(share),
            each: Seconds(each),
            right: right.map(Seconds),
            faults,
            first,
        });
        Some(
            Candidate::new(share, finding, Remedy::ReadServerLog)
                .with(Quantity::FailureShare, share)
                .with(Quantity::FailureTime, each),
        )
    }
}
