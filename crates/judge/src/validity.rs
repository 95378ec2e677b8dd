//! Did we measure the server? The checks treat all arms alike, so they cannot bias the sign of a verdict. A
//! round that fails one is stored with its reason and repeated. Each check returns the reason why something
//! does not count, or `None` when it counts.

mod answers;
mod generator;

pub use answers::void_arms;
pub(crate) use answers::{Answers, check_errors, compare_bodies, compare_errors, note_on_headers};
pub(crate) use generator::held_back;
pub use generator::{
    check_fleet, check_generator, check_generator_at_rate, check_send_delay, generator_is_late,
};

use crate::slow::SLOW;
use answers::answers_rightly;
use model::reason::{FullLink, GeneratorLimit, LinkWay, Reason};
use model::units::{BitRate, Seconds, Share};
use record::rounds::SliceRecord;
use std::collections::BTreeSet;

/// Largest share of a round's CPU time that the hypervisor may have taken.
const STEAL: Share = Share(0.10);
/// Share of the machine that has to be idle, besides the hypervisor's part, before requests are taken to wait
/// for something other than a CPU.
const LEFT: f64 = 0.30;
/// Largest share of the machine that the arms that are not loaded may take from one arm and not from another, as a part of the margin of
/// throughput: what they take, the loaded arm has not.
const IDLE_ARMS: f64 = 1.0 / 3.0;
/// The same as a share of one core, which is allowed however small the margin is.
const IDLE_ARMS_ALWAYS: f64 = 0.02;
/// Largest share of the machine that the arms that are not loaded may take from every arm alike. The arms are compared on what is left of
/// the machine then.
const IDLE_ARMS_ALIKE: f64 = 0.15;
/// Largest share of the users' time between an answer and the next request. Users without think time owe it to the generator.
const TURNAROUND: Share = Share(0.10);
/// Longest time from an answer to the next request of a generator that has seen it late, as a multiple of the 99th percentile of its
/// lag; and a time that any generator may take, in nanoseconds.
const TURN: f64 = 10.0;
const TURN_NS: f64 = 100_000.0;
/// Largest share of the users that connect within a counted part; if more do, users wait for their connections.
const CONNECTING: f64 = 0.02;
/// Connections of an arm per user in all slices of a level above which its server closes them all the time.
const RECONNECTING: u64 = 3;
/// Largest share of the requests due in a slice at a fixed rate that may be unanswered at its end.
const BACKLOG: Share = Share(0.05);
/// Largest step of the wall clock against the monotonic one.
const CLOCK_STEP: f64 = 0.05;
/// Largest share of the link's rate that answers may use.
const LINK: Share = Share(0.90);
/// Bytes of payload in a full TCP segment.
const SEGMENT: f64 = 1448.0;
/// Bytes of headers in front of each segment (Ethernet, IP, TCP with timestamps).
const SEGMENT_HEADERS: f64 = 66.0;
/// Largest share of the rounds that may be void before the level itself is invalid.
pub(crate) const VOID_ROUNDS: f64 = 0.25;

/// What the checks need to know besides the slices.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// Users of the closed loop who always have a request in flight, except while the generator gets from an answer to the
    /// next request; `None` where users think, or connect for each request.
    pub users: Option<usize>,
    /// CPUs of this machine.
    pub cpus: usize,
    /// The relative difference in throughput that counts as the same.
    pub margin: f64,
    /// Clock ticks per second of `/proc/stat`.
    pub ticks_per_second: f64,
    /// The rate of the link to the servers; `None` where no limit is known.
    pub link: Option<BitRate>,
}

impl Circumstances {
    /// How much more CPU time the arms that are not loaded may take from one arm than from another, as a share of one core.
    fn idle_arms(&self) -> Share {
        Share((IDLE_ARMS * self.margin * self.cpus as f64).max(IDLE_ARMS_ALWAYS))
    }
}

/// Checks the closed loop of a round at one level; `name` gives the name of an arm by its index. [`void_arms`] tells which arms do not
/// count where the round does. Arms that fail do so for themselves: what the generator could not do with them voids no other arm.
pub fn check_closed_loop<'a>(
    slices: &[SliceRecord],
    around: Circumstances,
    name: impl Fn(usize) -> &'a str,
) -> Option<Reason> {
    let steal = check_steal(slices, around).filter(|_| !waits_for_other_than_cpu(slices, around));
    let of_right = slices.iter().filter(|slice| answers_rightly(slices, slice.arm));
    let of_right: Vec<SliceRecord> = of_right.cloned().collect();
    let has_any = slices.iter().any(|slice| slice.counts.ok > 0);
    check_fleet(slices)
        .or_else(|| check_answers(slices, &name).filter(|_| !has_any))
        .or_else(|| check_link(slices, around))
        .or(steal)
        .or_else(|| check_idle_arms(slices, around, &name))
        .or_else(|| check_generator(&of_right, name))
        .or_else(|| check_turnaround(&of_right, around.users?))
}

/// Checks CPU per request where the rest of the closed loop counts. Steal voids it even where requests do not wait for a CPU,
/// because a server whose caches are shared with a neighbour needs more CPU time.
pub fn check_cpu_time(slices: &[SliceRecord], around: Circumstances) -> Option<Reason> {
    check_steal(slices, around)
}

/// Checks a round's stage at a fixed rate; `name` gives the name of an arm by its index. A generator that was late voids
/// response times only ([`check_generator`]), because the server did the same work.
pub fn check_fixed_rate<'a>(
    slices: &[SliceRecord],
    around: Circumstances,
    name: impl Fn(usize) -> &'a str,
) -> Option<Reason> {
    check_fleet(slices)
        .or_else(|| check_backlog(slices, &name))
        .or_else(|| check_answers(slices, &name))
        .or_else(|| check_link(slices, around))
        .or_else(|| check_steal(slices, around))
        .or_else(|| check_idle_arms(slices, around, &name))
}

/// Checks by how much the wall clock was set during a round, measured against the monotonic clock.
pub fn check_clock(step: Seconds) -> Option<Reason> {
    (step.0.abs() > CLOCK_STEP).then_some(Reason::ClockSet { seconds: step })
}

/// Checks that every arm gave a right answer. A slice without one is a pause of the server, which counts as zero answers.
fn check_answers<'a>(slices: &[SliceRecord], name: impl Fn(usize) -> &'a str) -> Option<Reason> {
    void_arms(slices, name).into_iter().next().map(|void| void.reason)
}

/// Checks which share of the machine's CPU time the hypervisor took.
fn check_steal(slices: &[SliceRecord], around: Circumstances) -> Option<Reason> {
    let all: f64 = slices.iter().map(|slice| machine_seconds(slice, around)).sum();
    let stolen: f64 = slices.iter().map(|slice| stolen_seconds(slice, around)).sum();
    let share = Share(stolen / all.max(1e-9));
    (share > STEAL).then_some(Reason::NoisyNeighbour { share, limit: STEAL })
}

/// CPU seconds that this machine has during a slice.
fn machine_seconds(slice: &SliceRecord, around: Circumstances) -> f64 {
    slice.elapsed_ns as f64 / 1e9 * around.cpus as f64
}

/// CPU seconds that the hypervisor took during a slice.
fn stolen_seconds(slice: &SliceRecord, around: Circumstances) -> f64 {
    slice.steal_ticks as f64 / around.ticks_per_second
}

/// Whether requests wait for something other than a CPU, for a tenth of a second or more each: in every slice much of the
/// machine was idle, although the hypervisor took a part of it. Throughput then does not depend on what it took.
fn waits_for_other_than_cpu(slices: &[SliceRecord], around: Circumstances) -> bool {
    slices.iter().all(|slice| {
        let busy = slice.cpu_ns() as f64 / 1e9 + stolen_seconds(slice, around);
        let service = slice.service_sum / slice.counts.ok.max(1) as f64;
        service >= Seconds(SLOW) && busy <= (1.0 - LEFT) * machine_seconds(slice, around)
    })
}

/// Checks that the arms that were not loaded took little from the machine, and as much from each arm: a server that ran before has work of
/// its own, which its users do not pay for, and which all arms suffer from alike. Where all arms were loaded together there are none. The busy
/// arm is told where it is known: all others are loaded while it works, and nobody works while it is loaded itself.
fn check_idle_arms<'a>(
    slices: &[SliceRecord],
    around: Circumstances,
    name: impl Fn(usize) -> &'a str,
) -> Option<Reason> {
    let taken = taken_by_idle_arms(slices);
    let [least, most] = [Share::min, Share::max].map(|of| taken.iter().map(|(_, share)| *share).reduce(of));
    let (least, share) = (least?, most?);
    let alike = Share(IDLE_ARMS_ALIKE * around.cpus as f64);
    let limit = Share(least.0 + around.idle_arms().0).min(alike);
    let quiet: Vec<usize> = taken.iter().filter(|(_, share)| *share <= limit).map(|(arm, _)| *arm).collect();
    let why = Reason::UnloadedArmBusy { share, limit };
    match quiet.as_slice() {
        _ if share <= limit => None,
        [busy] if taken.len() > 1 => {
            Some(Reason::OfArm { arm: name(*busy).to_owned(), reason: Box::new(why) })
        }
        _ => Some(why),
    }
}

/// The CPU time that the arms that are not loaded take while an arm is loaded, as a share of one core, median over the slices of the arm; for
/// each arm that was loaded alone.
pub(crate) fn taken_by_idle_arms(slices: &[SliceRecord]) -> Vec<(usize, Share)> {
    let alone = || slices.iter().filter(|slice| !slice.together);
    let used = |slice: &SliceRecord| slice.cpu_ns_other_arms as f64 / slice.elapsed_ns.max(1) as f64;
    let arms: BTreeSet<usize> = alone().map(|slice| slice.arm).collect();
    let beside = |arm: usize| Share(median(alone().filter(|slice| slice.arm == arm).map(used)));
    arms.into_iter().map(|arm| (arm, beside(arm))).collect()
}

/// Checks that the answers of no arm filled the link. A full link limits all arms alike, whatever they could do, and whatever
/// the hypervisor took meanwhile.
fn check_link(slices: &[SliceRecord], around: Circumstances) -> Option<Reason> {
    let rate = around.link?;
    let last_arm = slices.iter().map(|slice| slice.arm).max()?;
    let of_arm = |arm: usize| bits_per_second(slices.iter().filter(|slice| slice.arm == arm));
    let each = (0..=last_arm).map(of_arm);
    // Arms that are loaded together share the link.
    let most = match slices.iter().any(|slice| slice.together) {
        true => each.sum(),
        false => each.fold(0.0, f64::max),
    };
    full_link(most, rate).map(Reason::LinkSaturated)
}

/// The state of a link of this rate that passes so many bits per second; `None` where it is not full.
pub(crate) fn full_link(bits: f64, rate: BitRate) -> Option<FullLink> {
    (bits > LINK.0 * rate.0 as f64).then_some(FullLink {
        way: LinkWay::Answers,
        used: BitRate(bits as u64),
        rate,
        limit: LINK,
    })
}

/// Bits per second that the answers take on the link in the median slice, including the headers of their segments.
pub(crate) fn bits_per_second<'a>(slices: impl Iterator<Item = &'a SliceRecord>) -> f64 {
    median(slices.map(|slice| {
        let bytes = slice.counts.bytes as f64;
        let segments = (bytes / SEGMENT).max(slice.counts.requests as f64);
        8.0 * (bytes + SEGMENT_HEADERS * segments) / (slice.elapsed_ns.max(1) as f64 / 1e9)
    }))
}

/// Checks that every arm holds the rate: an arm does not if too many requests were open at the end of more than half of its
/// slices.
fn check_backlog<'a>(slices: &[SliceRecord], name: impl Fn(usize) -> &'a str) -> Option<Reason> {
    let last_arm = slices.iter().map(|slice| slice.arm).max()?;
    (0..=last_arm).find_map(|arm| {
        let of_arm = || slices.iter().filter(|slice| slice.arm == arm);
        let late = of_arm().map(backlog_share).filter(|share| *share > BACKLOG);
        if 2 * late.clone().count() <= of_arm().count() {
            return None;
        }
        Some(Reason::Overloaded {
            arm: name(arm).to_owned(),
            rate: of_arm().next()?.rate?,
            share: late.fold(Share(0.0), Share::max),
            limit: BACKLOG,
        })
    })
}

/// Share of the requests due in a slice that were not answered in it, except the usual number under way.
fn backlog_share(slice: &SliceRecord) -> Share {
    let seconds = slice.elapsed_ns as f64 / 1e9;
    // The rate of sessions does not count requests; each request after the first is due when the one before is answered.
    let due = match slice.steps.is_empty() {
        true => slice.rate.map_or(0.0, |rate| rate.0 * seconds),
        false => slice.counts.requests as f64,
    };
    let under_way = slice.in_flight.0 / seconds.max(1e-9);
    Share((slice.backlog as f64 - under_way).max(0.0) / due.max(1.0))
}

/// The median of the values; the upper of the two in the middle of an even number, 0 without any.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Whether nearly all users had connected before the counted part of a slice began: who connects in it does so again.
fn had_connected(slice: &SliceRecord, users: usize) -> bool {
    slice.connects_settling as f64 >= (1.0 - TURNAROUND.0) * users as f64
}

/// Checks that users without think time nearly always had a request in flight. Where many of them connected within the
/// counted parts, that is what they waited for; otherwise they waited for the generator, if it was so slow with anything. If it was
/// not, the server keeps some users out all the time: that is how it is, and no fault of the measurement. Nor is it one where a server closes
/// connections, so that users connect again and again.
fn check_turnaround(slices: &[SliceRecord], users: usize) -> Option<Reason> {
    let share = Share(median(slices.iter().map(|slice| idle_user_share(slice, users))));
    let connects: u64 = slices.iter().map(|slice| slice.counts.connects).sum();
    let connecting = connects as f64 / (users * slices.len()).max(1) as f64;
    let of_arm = |arm: usize| slices.iter().filter(move |slice| slice.arm == arm);
    let closes = |arm: usize| {
        of_arm(arm).map(|slice| slice.counts.connects).sum::<u64>() > RECONNECTING * users as u64
    };
    if slices.iter().any(|slice| closes(slice.arm) || had_connected(slice, users)) {
        return None;
    }
    let limit = TURNAROUND;
    let by_generator = 2 * slices.iter().filter(|slice| turns_slowly(slice, users)).count() > slices.len();
    let why = match connecting > CONNECTING {
        true => Reason::NoSteadyState { share, limit },
        false if by_generator => Reason::GeneratorSaturated(GeneratorLimit::UsersWaited { share, limit }),
        false => return None,
    };
    (share > TURNAROUND).then_some(why)
}

/// Whether the generator was so late to see answers that it may also have been as late to send the next requests as users had
/// none in flight.
fn turns_slowly(slice: &SliceRecord, users: usize) -> bool {
    let idle = idle_user_share(slice, users) * users as f64 * slice.elapsed_ns as f64;
    let each = idle / slice.counts.requests.max(1) as f64;
    each <= TURN * slice.lag_p99_ns as f64 + TURN_NS
}

/// Share of the users' time in which they had no request in flight, and none that waited until the server allowed another stream.
fn idle_user_share(slice: &SliceRecord, users: usize) -> f64 {
    1.0 - (slice.in_flight + slice.counts.http2.stream_waited).0
        / (users as f64 * slice.elapsed_ns as f64 / 1e9)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing::saturated;
    use model::reason::AnswerFault;
    use model::units::{Number, Rate};
    use record::outcome::Counts;

    /// Slices of two arms in turn.
    pub(super) fn slices(rate: Option<f64>, change: impl Fn(&mut SliceRecord)) -> Vec<SliceRecord> {
        let slice = |arm: usize| {
            let mut slice = SliceRecord {
                round: 1,
                arm,
                rate: rate.map(Rate),
                elapsed_ns: 500_000_000,
                counts: Counts { requests: 10_000, ok: 10_000, ..Counts::default() },
                cpu_ns_other_arms: 100_000,
                steal_ticks: 1,
                in_flight: Seconds(16.0),
                ..SliceRecord::default()
            };
            change(&mut slice);
            slice
        };
        [0, 1, 1, 0].map(slice).into()
    }

    pub(super) const AROUND: Circumstances =
        Circumstances { users: Some(32), cpus: 2, margin: 0.03, ticks_per_second: 100.0, link: None };

    pub(super) fn name(arm: usize) -> &'static str {
        ["nine", "ten", "eleven"][arm]
    }

    /// The reason that the generator was at its limit in so many of an arm's slices.
    pub(crate) fn saturated_in(arm: &str, slices: u64, all: u64) -> Reason {
        Reason::OfArm {
            arm: arm.to_owned(),
            reason: Box::new(Reason::InSlices { reason: Box::new(saturated()), slices, all }),
        }
    }

    #[test]
    fn a_healthy_round_counts() {
        assert_eq!(check_closed_loop(&slices(None, |_| ()), AROUND, name), None);
        let nearly_all = |s: &mut SliceRecord| (s.counts.ok, s.backlog) = (9_900, 100);
        assert_eq!(check_fixed_rate(&slices(Some(20_000.0), nearly_all), AROUND, name), None);
        assert_eq!(check_clock(Seconds(0.01)), None);
        let thinking = Circumstances { users: None, ..AROUND };
        assert_eq!(check_closed_loop(&slices(None, |s| s.in_flight = Seconds(1.0)), thinking, name), None);
    }

    #[test]
    fn users_who_wait_for_a_stream_wait_for_the_server() {
        // Only 8 of 32 users have a stream at a time, and the generator sees answers late.
        let late = |waited: f64| {
            slices(None, move |s| {
                (s.in_flight, s.lag_p99_ns) = (Seconds(4.0), 1_000_000);
                s.counts.http2.stream_waited = Seconds(waited);
            })
        };
        assert!(check_closed_loop(&late(0.0), AROUND, name).is_some());
        assert_eq!(check_closed_loop(&late(12.0), AROUND, name), None);
    }

    #[test]
    fn users_whom_the_server_keeps_out_do_not_wait_for_the_generator() {
        // 20 of 32 users have a request in flight all the time, and the generator sees every answer at once.
        let kept_out = slices(None, |s| (s.in_flight, s.lag_p99_ns) = (Seconds(10.0), 20_000));
        assert_eq!(check_closed_loop(&kept_out, AROUND, name), None);
        let slow = slices(None, |s| (s.in_flight, s.lag_p99_ns) = (Seconds(10.0), 1_000_000));
        let why = check_closed_loop(&slow, AROUND, name).expect("a reason");
        assert!(why.is_of_generator(), "{why:?}");
    }

    #[test]
    fn users_whose_connections_a_server_closes_are_in_a_steady_state() {
        let connecting = |before: u64, connects: u64| {
            let slices = slices(None, |s| {
                s.in_flight = Seconds(8.0);
                (s.connects_settling, s.counts.connects) = (before, connects);
            });
            check_closed_loop(&slices, AROUND, name)
        };
        assert_eq!(connecting(0, 1000), None, "each request has a connection of its own");
        assert_eq!(connecting(32, 30), None, "all users had connected before");
        assert!(
            matches!(connecting(2, 30), Some(Reason::NoSteadyState { .. })),
            "users connect for the first time"
        );
    }

    pub(super) fn near(one: impl Number, other: f64) -> bool {
        let one = one.number();
        (one - other).abs() < 0.005
    }

    #[test]
    fn arms_that_are_not_loaded_may_use_a_third_of_the_margin() {
        let limit = |cpus, margin| Circumstances { cpus, margin, ..AROUND }.idle_arms();
        assert!(near(limit(2, 0.03), 0.02) && near(limit(2, 0.01), 0.02));
        assert!(near(limit(2, 0.05), 0.033) && near(limit(8, 0.03), 0.08));
    }

    #[test]
    fn each_gate_says_why() {
        let why = |change: fn(&mut SliceRecord)| {
            check_closed_loop(&slices(None, change), AROUND, name).expect("a reason")
        };
        let taken = why(|s| s.steal_ticks = 30);
        assert!(
            matches!(taken, Reason::NoisyNeighbour { share, limit } if near(share, 0.3) && limit == STEAL),
            "{taken:?}"
        );
        let busy = why(|s| s.cpu_ns_other_arms = 200_000_000);
        assert_eq!(busy, Reason::UnloadedArmBusy { share: Share(0.4), limit: Share(0.3) });
        let alike = |s: &mut SliceRecord| s.cpu_ns_other_arms = 115_000_000;
        assert_eq!(check_closed_loop(&slices(None, alike), AROUND, name), None, "both have as much left");
        let one_busy = why(|s| s.cpu_ns_other_arms = if s.arm == 0 { 30_000_000 } else { 0 });
        let busy = Reason::UnloadedArmBusy { share: Share(0.06), limit: Share(0.02) };
        assert_eq!(one_busy, Reason::OfArm { arm: "ten".to_owned(), reason: Box::new(busy) });
        let waited = why(|s| (s.in_flight, s.lag_p99_ns) = (Seconds(13.0), 50_000));
        assert!(
            matches!(waited.generator_limit(), Some(GeneratorLimit::UsersWaited { share, .. }) if near(*share, 0.1875)),
            "{waited:?}"
        );
        let connecting = why(|s| (s.in_flight, s.counts.connects) = (Seconds(13.0), 9));
        assert!(
            matches!(connecting, Reason::NoSteadyState { share, .. } if near(share, 0.1875)),
            "{connecting:?}"
        );
        let silent = why(|s| s.counts.ok = 0);
        let no_answer = Reason::Answers(AnswerFault::NoneRight { faults: Default::default(), said: None });
        assert!(
            matches!(&silent, Reason::OfArm { arm, reason } if arm == "nine" && **reason == no_answer),
            "{silent:?}"
        );
        let late = |s: &mut SliceRecord| s.why_invalid = Some(saturated());
        assert_eq!(check_closed_loop(&slices(None, late), AROUND, name), Some(saturated_in("nine", 2, 2)));
        assert_eq!(check_clock(Seconds(-1.0)), Some(Reason::ClockSet { seconds: Seconds(-1.0) }));
    }

    #[test]
    fn steal_voids_no_throughput_of_requests_that_wait_for_something_else() {
        let busy = |cores: f64, service: f64| {
            slices(None, move |s| {
                s.steal_ticks = 30;
                s.cpu_ns_arm = (cores * 0.5e9) as u64;
                s.service_sum = Seconds(service * s.counts.ok as f64);
            })
        };
        let waiting = busy(0.7, 1.0);
        assert_eq!(check_closed_loop(&waiting, AROUND, name), None);
        assert!(check_cpu_time(&waiting, AROUND).is_some_and(|why| why.is_noisy_neighbour()));
        assert!(check_fixed_rate(&waiting, AROUND, name).is_some(), "its times would show it");
        assert!(check_closed_loop(&busy(0.7, 0.01), AROUND, name).is_some(), "quick requests");
        assert!(check_closed_loop(&busy(0.9, 1.0), AROUND, name).is_some(), "little of the machine was left");
        assert_eq!(check_cpu_time(&slices(None, |_| ()), AROUND), None);
    }

    #[test]
    fn a_server_that_pauses_voids_nothing() {
        // The server stood still during one slice: no answers, all users in flight, all requests of the rate left open.
        let mut closed = slices(None, |_| ());
        (closed[1].counts, closed[1].cpu_ns_arm, closed[1].service_sum) =
            (Counts::default(), 0, Seconds(16.0));
        assert_eq!(check_closed_loop(&closed, AROUND, name), None);
        let mut staged = slices(Some(20_000.0), |_| ());
        (staged[1].counts, staged[1].backlog) = (Counts::default(), 10_000);
        assert_eq!(check_fixed_rate(&staged, AROUND, name), None);
        // An arm that answers nothing in the whole level has no value; the other arm has.
        closed[2].counts = Counts::default();
        assert_eq!(check_closed_loop(&closed, AROUND, name), None);
        assert_eq!(void_arms(&closed, name).iter().map(|void| void.arm).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn reasons_of_the_machine_differ_from_those_of_the_load() {
        let why = |change: fn(&mut SliceRecord)| {
            check_closed_loop(&slices(None, change), AROUND, name).expect("a reason")
        };
        assert!(why(|s| s.steal_ticks = 30).is_of_machine());
        assert!(why(|s| (s.in_flight, s.lag_p99_ns) = (Seconds(13.0), 50_000)).is_of_machine());
        assert!(!why(|s| s.counts.ok = 0).is_of_machine());
        assert!(!why(|s| s.cpu_ns_other_arms = 200_000_000).is_of_machine());
    }

    #[test]
    fn a_full_link_voids_the_round() {
        let around = Circumstances { link: Some(BitRate(45_000_000)), ..AROUND };
        // One arm sends 230 pages of 11.6 kB in half a second, each with the headers of eight segments.
        let pages = |count: u64| {
            move |s: &mut SliceRecord| {
                let count = if s.arm == 1 { count } else { count / 4 };
                (s.counts.requests, s.counts.bytes) = (count, 11_600 * count);
            }
        };
        let why = check_closed_loop(&slices(None, pages(230)), around, name).expect("a reason");
        assert!(
            matches!(why, Reason::LinkSaturated(link)
                if link.used.to_string() == "44.6 Mbit/s" && link.rate == BitRate(45_000_000)),
            "{why:?}"
        );
        assert_eq!(check_closed_loop(&slices(None, pages(200)), around, name), None);
        assert_eq!(check_closed_loop(&slices(None, pages(230)), AROUND, name), None);
    }

    #[test]
    fn the_generator_may_fail_in_half_of_the_slices() {
        let mut half = slices(None, |_| ());
        half[0].why_invalid = Some(saturated());
        half[2].why_invalid = half[0].why_invalid.clone();
        assert_eq!(check_closed_loop(&half, AROUND, name), None);
    }

    #[test]
    fn a_late_generator_leaves_the_stage_its_cpu() {
        let late = slices(Some(20_000.0), |s| {
            s.why_invalid = Some(saturated());
        });
        assert_eq!(check_fixed_rate(&late, AROUND, name), None);
        assert_eq!(check_generator(&late, name), Some(saturated_in("nine", 2, 2)));
    }

    #[test]
    fn an_arm_that_cannot_hold_the_rate_is_named() {
        let mut late = slices(Some(20_000.0), |_| ());
        for slice in late.iter_mut().filter(|slice| slice.arm == 1) {
            slice.backlog = 1_000;
        }
        let why = check_fixed_rate(&late, AROUND, name).expect("a reason");
        assert!(
            matches!(&why, Reason::Overloaded { arm, rate, share, .. }
                if arm == "ten" && *rate == Rate(20_000.0) && near(*share, 0.1)),
            "{why:?}"
        );
        late[1].backlog = 0;
        assert_eq!(check_fixed_rate(&late, AROUND, name), None, "one slice of two is a burst");
        // A service of a second has a second's requests under way at any moment.
        let slow = |s: &mut SliceRecord| (s.backlog, s.in_flight) = (10_000, Seconds(5_000.0));
        assert_eq!(check_fixed_rate(&slices(Some(20_000.0), slow), AROUND, name), None);
    }
}
