//! How many of something there should be: threads, tasks, connections, permits.

use super::evidence::{ArmEvidence, FULL};
use super::remedy::{room_for, rounded};
use model::units::{Count, Rate, Seconds, Share};
use record::finding::{Ceiling, SizeBound, Sizing};

/// Most times as many as there are that are suggested at once. What is behind them, a database say, was never asked for more than it
/// gave; the more is asked of it, the less it can be expected to take the same time.
const STEP: f64 = 5.0;
/// Fewest times as many that are worth a change. Fewer would also say that the number there is was not understood.
const WORTH: f64 = 1.1;

/// A suggested number, and what it brings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Suggested {
    pub(super) to: u64,
    pub(super) sizing: Sizing,
}

impl Suggested {
    /// Adds slots that the server keeps for itself: `kept` is how many of them serve no request.
    pub(super) fn beside(self, kept: u64) -> Self {
        Self { to: self.to + kept, sizing: Sizing { kept, ..self.sizing } }
    }
}

/// How many slots there should be where requests queue for a slot; `None` where more slots would bring hardly anything.
///
/// By Little's law each slot gives `rate / slots` requests per second, so throughput grows with the number of slots
/// until nobody asks for more, or something else is full. `N` users ask for `N / (S + Z)` (the law of a closed network
/// without queues; Denning, Buzen 1978): a request is in flight for `S`, the wait for a slot not counted, and its user
/// pauses for `Z` after it. What else will be full is known of the CPU only. So the number is the smallest of
/// three: what the demand needs with a tenth to spare, what fills the CPU, and [`STEP`] times what there is.
pub(super) fn suggested(evidence: &ArmEvidence<'_>, queue: Ceiling) -> Option<Suggested> {
    let (rate, slots) = (queue.rate.0, queue.slots.0);
    let bounds = [
        (demand(evidence, queue) / rate, SizeBound::Demand),
        (cpu_room(evidence), SizeBound::Cpu),
        // A demand of just so much is met.
        (STEP * (1.0 + 1e-9), SizeBound::Step),
    ];
    let (factor, bound) = bounds.into_iter().min_by(|one, other| one.0.total_cmp(&other.0))?;
    let factor = factor.min(STEP);
    let to = match bound {
        SizeBound::Demand => room_for(factor * slots),
        SizeBound::Cpu | SizeBound::Step => rounded(factor * slots),
    };
    let gives = match bound {
        SizeBound::Demand => factor * rate,
        SizeBound::Cpu | SizeBound::Step => to as f64 * rate / slots,
    };
    let sizing = sizing(queue, gives, bound);
    (slots > 0.0 && to as f64 > WORTH * slots).then_some(Suggested { to, sizing })
}

/// What room for all users brings where each of them needs a slot of its own, as a connection, whether it has a request in flight or
/// not.
pub(super) fn for_all_users(evidence: &ArmEvidence<'_>, users: f64, slots: f64) -> Sizing {
    let rate = evidence.throughput();
    let (more, room) = (users / slots, cpu_room(evidence));
    let queue = Ceiling {
        rate: Rate(rate),
        slots: Count(slots),
        each: Seconds(slots / rate.max(1e-9)),
        in_flight: Count(users),
        waiting: Count(users - slots),
        busy: Share(evidence.busy()),
    };
    match more <= room {
        true => sizing(queue, more * rate, SizeBound::Demand),
        false => sizing(queue, room * rate, SizeBound::Cpu),
    }
}

fn sizing(queue: Ceiling, gives: f64, bound: SizeBound) -> Sizing {
    Sizing { slots: queue.slots, rate: queue.rate, each: queue.each, gives: Rate(gives), bound, kept: 0 }
}

/// Requests per second that would be asked for if none had to wait for a slot. A search for the highest rate asks for as many as it can.
fn demand(evidence: &ArmEvidence<'_>, queue: Ceiling) -> f64 {
    if evidence.missed.is_some() {
        return f64::INFINITY;
    }
    let (rate, in_flight) = (queue.rate.0.max(1e-9), queue.in_flight.0);
    let without_wait = ((in_flight - queue.waiting.0) / rate).max(queue.each.0).max(1e-9);
    match (evidence.users(), evidence.level.rate) {
        (Some(users), _) => users / (without_wait + (users - in_flight).max(0.0) / rate),
        // The requests of a rate of sessions are not known.
        (None, Some(offered)) if !evidence.level.sessions => offered.0.max(rate),
        (None, _) => in_flight / without_wait,
    }
}

/// How many times as much the CPU can do. Of other programs it is not known whether they work for the server, and they are left out.
fn cpu_room(evidence: &ArmEvidence<'_>) -> f64 {
    let own = [evidence.server_cpus, evidence.quota()].into_iter().flatten();
    let of_server = own.map(|cpus| FULL * cpus / evidence.cpu.max(1e-9));
    of_server.fold(FULL / evidence.known_busy().max(1e-9), f64::min)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Scene, keys, sizing};
    use model::units::Nanos;
    use record::finding::SizeBound;

    #[test]
    fn more_threads_are_suggested_as_far_as_they_help() {
        let suggested = |users, threads, cpu, think: u64| {
            let mut scene = Scene::healthy()
                .load(users, 100, cpu)
                .running(|effective| effective.max_threads = Some(threads));
            scene.thinks(Nanos::from_millis(think));
            let found = scene.first();
            assert_eq!(found.cause().id(), "thread-pool-limit");
            let sizing = sizing(&found).map(|sizing| (sizing.gives.0.round(), sizing.bound));
            (keys(&found), sizing)
        };
        let with = |key: &str, gives, bound| (vec![key.to_owned()], Some((gives, bound)));
        // 20 threads give 200 a second, so that each request takes 0.1 s of the 2.5 s that 500 users wait.
        assert_eq!(suggested(500, 20, 0.02, 0), with("threads = 100", 1000.0, SizeBound::Step));
        assert_eq!(suggested(60, 20, 0.02, 0), with("threads = 66", 600.0, SizeBound::Demand));
        // A third of the machine is in use: it lasts for two and a half times as much.
        assert_eq!(suggested(500, 20, 0.23, 0), with("threads = 52", 520.0, SizeBound::Cpu));
        assert_eq!(suggested(500, 20, 0.72, 0), (Vec::new(), None), "the CPU is all but full");
    }
}
