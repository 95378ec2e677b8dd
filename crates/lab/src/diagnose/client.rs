//! The side of the clients: what the generator lacked, and answers that were wrong.

use super::Finding;
use super::connections::served;
use super::evidence::Evidence;
use super::remedy::Remedy;
use super::words::{count, percent, seconds, three};
use model::cause::Cause;

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
/// How the generator's own reason begins.
const SATURATED: &str = "generator-saturated";

/// The generator could not keep up, in its own words.
pub(super) fn generator(evidence: &Evidence<'_>) -> Option<Finding> {
    let slices = evidence.unlike.get(SATURATED).copied().unwrap_or(0) as f64;
    let slices = slices / evidence.slices.max(1) as f64;
    let said = || evidence.voids.iter().filter(|why| why.starts_with(SATURATED));
    let starts = said().count() as f64 / evidence.starts.max(1) as f64;
    if slices <= SPOILT && starts < SPOILT {
        return None;
    }
    let why = said().next_back().map(|why| why.trim_start_matches(SATURATED));
    let starved = evidence.starved();
    let says = format!(
        "the generator could not keep up in {} of the slices{}{}",
        percent(slices),
        why.unwrap_or_default(),
        match starved {
            true if evidence.idle() => format!(
                "; it used {} CPUs only and was woken too late, though {} of the CPU time was idle",
                three(evidence.cpu_generator),
                percent(1.0 - evidence.busy())
            ),
            true => format!(
                "; it used {} CPUs only and got none when it needed one: others had them",
                three(evidence.cpu_generator)
            ),
            false => String::new(),
        }
    );
    let found = Finding::new(Cause::GeneratorSaturated, slices.max(starts), says)
        .with("share of slices", slices)
        .with("share of starts", starts)
        .with("CPUs that the generator used", evidence.cpu_generator);
    Some(match starved {
        true if evidence.idle() => found.last().cure(Remedy::advice(
            "measure again: so does a hypervisor that lets this machine wait, and a CPU that saves power; or use a machine \
             of its own",
        )),
        true => found.last().cure(Remedy::advice(
            "CPUs of its own for the generator, less load, or a machine that nobody else uses",
        )),
        false => found.cure(Remedy::advice(
            "more event loops (`shards`), CPUs of its own for the generator, or fewer connections",
        )),
    })
}

/// No local port was left.
pub(super) fn ports(evidence: &Evidence<'_>) -> Option<Finding> {
    let failed = evidence.fault("ports_exhausted");
    if failed as f64 <= FAULTS * evidence.counts.requests as f64 {
        return None;
    }
    let says = format!(
        "{} connections could not be opened for want of a local port ({} of the requests): each port rests for a minute \
         after its connection was closed",
        count(failed as f64),
        percent(evidence.per_request(failed))
    );
    Some(
        Finding::new(Cause::EphemeralPortsExhausted, evidence.per_request(failed), says)
            .with("connections without a port", failed as f64)
            .with("connections opened", evidence.counts.connects as f64)
            .cure(Remedy::advice(
                "keep connections (`keepalive = true`), widen net.ipv4.ip_local_port_range, or limit `connect_rate`",
            )),
    )
}

/// No descriptor was left, on our side.
pub(super) fn descriptors(evidence: &Evidence<'_>) -> Option<Finding> {
    let failed = evidence.fault("descriptors_exhausted");
    if failed as f64 <= FAULTS * evidence.counts.requests as f64 {
        return None;
    }
    let says = format!(
        "{} connections could not be opened, because the generator had no descriptor left ({} of the requests)",
        count(failed as f64),
        percent(evidence.per_request(failed))
    );
    Some(
        Finding::new(Cause::FileDescriptorLimit, evidence.per_request(failed), says)
            .with("connections without a descriptor", failed as f64)
            .cure(Remedy::advice(
                "raise the limit of open files of prony (`ulimit -n`)",
            )),
    )
}

/// The server has as many files and sockets open as it may: connections that it cannot accept wait until they give up.
pub(super) fn server_descriptors(evidence: &Evidence<'_>) -> Option<Finding> {
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
        0 => format!("{} of {} users are not served", count(left_out), count(users)),
        wrong => format!("{} of the requests failed", percent(evidence.per_request(wrong))),
    };
    let says = format!(
        "the server has {} of {} files and sockets open, and {lacking}: it accepts no connection more",
        count(open),
        count(limit)
    );
    Some(
        Finding::new(Cause::FileDescriptorLimit, 1.0, says)
            .with("files open", open)
            .with("files that may be open", limit)
            .with("requests that failed", evidence.wrong() as f64)
            .with("users that are not served (Little)", left_out)
            .cure(Remedy::advice(
                "raise its limit of open files (`open_files` of the arm; LimitNOFILE of a unit, `ulimit -n`)",
            )),
    )
}

/// A server that fails fast looks fast: its CPU goes into errors, and a closed loop gives it more of them than of work.
pub(super) fn errors(evidence: &Evidence<'_>) -> Option<Finding> {
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
    let right = evidence.mean.unwrap_or(f64::INFINITY);
    if each > FAST * right {
        return None;
    }
    let slower = match right.is_finite() {
        true => format!("; right answers took {}", seconds(right)),
        false => String::new(),
    };
    let says = format!(
        "{} of the requests failed, in {} each{slower}: {}",
        percent(share),
        seconds(each),
        evidence.counts.faults_in_words().unwrap_or_default()
    );
    Some(
        Finding::new(Cause::ErrorsFast, share, says)
            .with("share of requests that failed", share)
            .with("seconds that each took", each)
            .cure(Remedy::advice(
                "look into the server's log for what fails; no throughput counts before it is right",
            )),
    )
}
