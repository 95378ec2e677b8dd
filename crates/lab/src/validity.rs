//! Was it the server that we measured? Gates see all arms alike, so they cannot bias the sign of a verdict. A round that
//! fails one is stored with its reason and repeated.

use model::record::{RoundRecord, SliceRecord};

/// Largest share of wrong answers: a server that fails fast is not fast.
const FAULTS: f64 = 1e-4;
/// Largest share of a round's CPU time that the hypervisor may have taken.
const STEAL: f64 = 0.10;
/// Largest CPU of the arms that are not loaded, as a share of one core, median over slices.
const IDLE_ARMS: f64 = 0.02;
/// Largest CPU of the generator as a share of its core.
const GENERATOR: f64 = 0.80;
/// Largest deviation from Little's law.
const LITTLE: f64 = 0.02;
/// Largest share of the users' time spent between an answer and the next request: there is no think time, so it is ours.
const TURNAROUND: f64 = 0.10;
/// Share of rounds that may fail before the level itself is invalid.
pub(crate) const VOID_ROUNDS: f64 = 0.25;

/// What the gates need to know besides the slices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstances {
    /// Users of the closed loop.
    pub(crate) users: usize,
    /// CPUs of this machine.
    pub(crate) cpus: usize,
    /// Clock ticks per second of `/proc/stat`.
    pub(crate) ticks_per_second: f64,
    /// How much the wall clock moved against the monotonic one during the round, seconds.
    pub(crate) clock_step: f64,
}

/// Why a round does not count; `None` when it does.
pub(crate) fn void(round: &RoundRecord, around: Circumstances) -> Option<String> {
    let slices = &round.slices;
    if let Some(slice) = slices.iter().find(|slice| slice.counts.ok == 0) {
        return Some(format!("no right answer in a slice ({})", faults(slice)));
    }
    let median = |value: &dyn Fn(&SliceRecord) -> f64| {
        let mut values: Vec<f64> = slices.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    let seconds = |slice: &SliceRecord| slice.elapsed_ns as f64 / 1e9;
    let elapsed: f64 = slices.iter().map(seconds).sum();
    let steal: u64 = slices.iter().map(|slice| slice.steal_ticks).sum();
    let steal = steal as f64 / around.ticks_per_second / (elapsed * around.cpus as f64).max(1e-9);
    let idle = median(&|slice| slice.cpu_ns_other_arms as f64 / slice.elapsed_ns.max(1) as f64);
    let generator = median(&|slice| slice.cpu_ns_generator as f64 / slice.elapsed_ns.max(1) as f64);
    let little = median(&little);
    let turnaround = median(&|slice| turnaround(slice, around.users));
    let fails = |value: f64, limit: f64| value > limit;
    if fails(steal, STEAL) {
        Some(format!(
            "noisy-neighbour: the hypervisor took {:.0} % of the CPU time (limit 10 %)",
            100.0 * steal
        ))
    } else if fails(idle, IDLE_ARMS) {
        Some(format!(
            "an arm that was not loaded used {:.1} % of a core (limit 2 %)",
            100.0 * idle
        ))
    } else if fails(generator, GENERATOR) {
        Some(format!(
            "generator-saturated: the generator used {:.0} % of its core (limit 80 %)",
            100.0 * generator
        ))
    } else if fails(turnaround, TURNAROUND) {
        let percent = 100.0 * turnaround;
        Some(format!(
            "generator-saturated: users waited for the generator {percent:.0} % of the time (limit 10 %)"
        ))
    } else if fails(little, LITTLE) {
        Some(format!(
            "Little's law is off by {:.1} % (limit 2 %): requests or times were lost",
            100.0 * little
        ))
    } else if around.clock_step.abs() > 0.05 {
        Some(format!(
            "the wall clock was set by {:+.2} s during the round",
            around.clock_step
        ))
    } else {
        None
    }
}

/// Why the whole level is invalid, whatever its rounds say: an arm that answers wrongly, or differently often.
pub(crate) fn errors(name: &str, requests: u64, ok: u64, kinds: &str) -> Option<String> {
    let wrong = requests.saturating_sub(ok);
    let share = wrong as f64 / requests.max(1) as f64;
    (share > FAULTS).then(|| {
        format!(
            "{name} answered {wrong} of {requests} requests wrongly ({:.2} %, limit 0.01 %): {kinds}",
            100.0 * share
        )
    })
}

/// Little's law: requests in flight = throughput × time in the system, both sides measured apart. The relative deviation.
fn little(slice: &SliceRecord) -> f64 {
    (slice.service_sum / slice.in_flight - 1.0).abs()
}

/// Share of the users' time in which they had no request in flight.
fn turnaround(slice: &SliceRecord, users: usize) -> f64 {
    1.0 - slice.in_flight / (users as f64 * slice.elapsed_ns as f64 / 1e9)
}

fn faults(slice: &SliceRecord) -> String {
    let kinds: Vec<String> = slice
        .counts
        .faults
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    if kinds.is_empty() {
        "no answer at all".to_owned()
    } else {
        kinds.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::outcome::Counts;

    fn round(change: impl Fn(&mut SliceRecord)) -> RoundRecord {
        let mut slice = SliceRecord {
            round: 1,
            against: 1,
            elapsed_ns: 500_000_000,
            counts: Counts {
                requests: 10_000,
                ok: 10_000,
                ..Counts::default()
            },
            cpu_ns_arm: 400_000_000,
            cpu_ns_other_arms: 100_000,
            cpu_ns_generator: 100_000_000,
            steal_ticks: 1,
            in_flight: 16.0,
            service_sum: 16.0,
            lag_p99_ns: 10_000,
            ..SliceRecord::default()
        };
        change(&mut slice);
        let slices = vec![slice.clone(), slice.clone(), slice.clone(), slice];
        RoundRecord {
            round: 1,
            void: None,
            trials: Vec::new(),
            slices,
            elapsed: 20.0,
        }
    }

    const AROUND: Circumstances = Circumstances {
        users: 32,
        cpus: 2,
        ticks_per_second: 100.0,
        clock_step: 0.0,
    };

    #[test]
    fn a_healthy_round_counts() {
        assert_eq!(void(&round(|_| ()), AROUND), None);
    }

    #[test]
    fn each_gate_says_why() {
        let said = |change: fn(&mut SliceRecord)| void(&round(change), AROUND).expect("a reason");
        assert!(said(|s| s.steal_ticks = 30).starts_with("noisy-neighbour"));
        assert!(said(|s| s.cpu_ns_other_arms = 20_000_000).contains("not loaded"));
        assert!(said(|s| s.cpu_ns_generator = 450_000_000).starts_with("generator-saturated"));
        assert!(said(|s| s.service_sum = 15.0).contains("Little"));
        assert!(said(|s| s.in_flight = 13.0).contains("users waited for the generator 19 %"));
        assert!(said(|s| s.counts.ok = 0).contains("no right answer"));
        let stepped = Circumstances {
            clock_step: -1.0,
            ..AROUND
        };
        assert!(void(&round(|_| ()), stepped).expect("a reason").contains("clock"));
    }

    #[test]
    fn an_arm_that_fails_fast_is_not_fast() {
        assert_eq!(errors("a", 1_000_000, 999_950, ""), None);
        assert!(
            errors("a", 1_000_000, 999_000, "1000 reset")
                .expect("a reason")
                .contains("1000 reset")
        );
    }
}
