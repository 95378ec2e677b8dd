//! What serves requests inside the server: its pool of threads, a limit of tasks on virtual threads.

use super::Finding;
use super::evidence::Evidence;
use super::remedy::{Kind, Remedy, release, room_for};
use super::words::{count, percent, seconds, three};
use model::arm::Threads;
use model::cause::Cause;
use model::outcome::Limit;

/// So many requests in flight, as a multiple of what can run at once, are a queue; less is the scatter of a full pool.
const QUEUE: f64 = 1.1;

/// Of the threads so many are all, where the server tells how many are busy: some change between two requests.
const TAKEN: f64 = 0.9;

/// All worker threads are taken while the CPU is not.
///
/// By Little's law a pool of T threads that hold a request for S seconds answers T / S a second. More requests in flight
/// than threads, and CPU to spare: then requests wait for a thread, and S is what T and the throughput make of it. On a full
/// CPU more threads would only share it, so that is no limit of threads.
pub(super) fn pool(evidence: &Evidence<'_>) -> Option<Finding> {
    if evidence.effective.virtual_threads.is_some() {
        return None;
    }
    let threads = evidence.effective.max_threads? as f64;
    let waiting = queue(evidence, threads)?;
    let busy = evidence
        .inspection
        .and_then(|inspection| inspection.most(|pool| pool.busy));
    if busy.is_some_and(|busy| (busy as f64) < TAKEN * threads) {
        return None;
    }
    let wanted = room_for(evidence.in_flight);
    let kind = Kind::of(evidence.arm, evidence.effective);
    let remedy = format!("raise {} to {wanted} (`threads = {wanted}`)", kind.threads());
    Some(
        ceiling(evidence, Cause::ThreadPoolLimit, (threads, "threads"), waiting)
            .cure(Remedy::set(remedy, "threads", wanted)),
    )
}

/// A limit of requests that virtual threads serve at once: where nobody set it, it is easily taken for their speed.
pub(super) fn concurrency(evidence: &Evidence<'_>) -> Option<Finding> {
    let Limit::At(tasks) = evidence.effective.virtual_threads? else {
        return None;
    };
    let waiting = queue(evidence, tasks as f64)?;
    let property = Kind::of(evidence.arm, evidence.effective).tasks();
    let set = property.and_then(|property| evidence.arm.properties.get(property));
    // Set and not heeded is no choice.
    let chosen = set.is_some_and(|set| *set == tasks.to_string());
    let cause = match chosen {
        true => Cause::ThreadPoolLimit,
        false => Cause::ConcurrencyLimitDefault,
    };
    let what = match chosen {
        true => "requests at once on virtual threads",
        false => "requests at once, its default on virtual threads",
    };
    Some(ceiling(evidence, cause, (tasks as f64, what), waiting).cure(more_tasks(evidence)))
}

/// Requests that wait for one of `slots`; `None` where there are none, or where the CPU is what they wait for.
fn queue(evidence: &Evidence<'_>, slots: f64) -> Option<f64> {
    let held = evidence.connections().unwrap_or(f64::INFINITY);
    let inside = evidence.in_flight.min(held);
    let full = inside >= QUEUE * slots && !evidence.cpu_full() && evidence.counts.ok > 0;
    full.then_some(inside - slots)
}

fn ceiling(evidence: &Evidence<'_>, cause: Cause, (slots, what): (f64, &str), waiting: f64) -> Finding {
    let rate = evidence.counts.requests as f64 / evidence.seconds;
    let each = slots / rate;
    let says = format!(
        "ceiling {}/s = {} {what} / {}: of {} requests in flight {} wait for their turn, and the CPU is {} in use",
        three(rate),
        count(slots),
        seconds(each),
        count(evidence.in_flight),
        count(waiting),
        percent(evidence.busy())
    );
    let weight = waiting / evidence.users().unwrap_or(evidence.in_flight).max(1.0);
    Finding::new(cause, weight, says)
        .with("run at once at most", slots)
        .with("requests in flight", evidence.in_flight)
        .with("requests per second", rate)
        .with("seconds that each is held (Little)", each)
        .with("share of the CPUs in use", evidence.busy())
}

/// Releases of Spring Boot from which on its Jetty takes the property.
const BOOT_TAKES_IT: [u32; 3] = [4, 0, 3];
/// One of them, where an older one has to be left.
const BOOT: &str = "4.0.8";

fn more_tasks(evidence: &Evidence<'_>) -> Remedy {
    let wanted = room_for(evidence.in_flight);
    let kind = Kind::of(evidence.arm, evidence.effective);
    let Some(property) = kind.tasks() else {
        return match evidence.arm.threads {
            Some(Threads::Virtual) => Remedy::advice("raise the limit of tasks of its virtual threads"),
            _ => Remedy::advice(format!("raise {}", kind.threads())),
        };
    };
    let says = format!("set `{property}` to {wanted}");
    let mut remedy = Remedy::set(says, &format!("properties.{property}"), wanted);
    if kind == Kind::BootJetty && release(&evidence.arm.version) < BOOT_TAKES_IT.to_vec() {
        remedy.says.push_str(&format!(
            "; Spring Boot {} ignores it, 4.0.3 and newer do not",
            evidence.arm.version
        ));
        let newer = format!("{}:{BOOT}", evidence.arm.server);
        remedy.change.push(super::change("server", newer));
    }
    remedy
}
