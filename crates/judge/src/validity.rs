//! Was it the server that we measured? Gates see all arms alike, so they cannot bias the sign of a verdict. A round that
//! fails one is stored with its reason and repeated.

use crate::slow::SLOW;
use model::note::ArmNote;
use model::outcome::Counts;
use model::reason::{AnswerFault, FullLink, GeneratorLimit, Reason};
use model::record::SliceRecord;
use model::units::BitRate;
use stats::distribution::fisher_exact;

/// Largest share of wrong answers: a server that fails fast is not fast.
const FAULTS: f64 = 1e-4;
/// Largest share of a round's CPU time that the hypervisor may have taken.
const STEAL: f64 = 0.10;
/// Share of the machine that is left idle, whatever the hypervisor takes, where requests wait for something else than a CPU.
const LEFT: f64 = 0.30;
/// Largest CPU of the arms that are not loaded, as a share of one core, median over slices.
pub const IDLE_ARMS: f64 = 0.02;
/// Largest share of the users' time spent between an answer and the next request: there is no think time, so it is ours.
const TURNAROUND: f64 = 0.10;
/// Users that connect within a counted part, as a share of all: beyond it that is what they wait for.
const CONNECTING: f64 = 0.02;
/// Largest share of the requests due in a slice at a fixed rate that may be unanswered at its end.
const BACKLOG: f64 = 0.05;
/// Largest step of the wall clock against the monotonic one, seconds.
const CLOCK_STEP: f64 = 0.05;
/// Below this chance two arms do not fail alike.
const UNLIKE: f64 = 1e-3;
/// Share by which the bodies of two arms' answers may differ: a date or a number in a page.
const BODIES: f64 = 0.05;
/// Bytes per answer that usual headers (server, date, keep-alive) account for.
const HEADERS: f64 = 128.0;
/// Largest share of what the link passes.
const LINK: f64 = 0.90;
/// Bytes of a full segment of TCP, and of the headers in front of any (Ethernet, IP, TCP with timestamps).
const SEGMENT: (f64, f64) = (1448.0, 66.0);
/// Share of rounds that may fail before the level itself is invalid.
pub(crate) const VOID_ROUNDS: f64 = 0.25;

/// What the gates need to know besides the slices.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// Users of the closed loop who always have a request in flight but for what the generator takes between an answer
    /// and the next; `None` where they think, or connect for each request.
    pub users: Option<usize>,
    /// CPUs of this machine.
    pub cpus: usize,
    /// Clock ticks per second of `/proc/stat`.
    pub ticks_per_second: f64,
    /// What the link to the servers passes; `None` where there is no limit that we know of.
    pub link: Option<BitRate>,
}

/// Why the closed loop of a round, and so the round, does not count; `None` when it does.
pub fn closed(slices: &[SliceRecord], around: Circumstances) -> Option<Reason> {
    let steal = stolen(slices, around).filter(|_| !waits(slices, around));
    let found = silent(slices).or_else(|| link(slices, around)).or(steal);
    let found = found.or_else(|| idle_arms(slices));
    found.or_else(|| generator(slices)).or_else(|| {
        let users = around.users?;
        let share = median(slices, |slice| turnaround(slice, users));
        let connects: u64 = slices.iter().map(|slice| slice.counts.connects).sum();
        let lost = connects as f64 / (users * slices.len()).max(1) as f64;
        let limit = TURNAROUND;
        (share > TURNAROUND).then_some(match lost > CONNECTING {
            true => Reason::NoSteadyState { share, limit },
            false => Reason::GeneratorSaturated(GeneratorLimit::UsersWaited { share, limit }),
        })
    })
}

/// Why CPU per request does not count where the rest of a closed loop does; `None` when it does: a server that shares its
/// caches pays for that, even where its requests do not wait for a CPU.
pub fn cpu(slices: &[SliceRecord], around: Circumstances) -> Option<Reason> {
    stolen(slices, around)
}

/// Why nothing of a round's stage at a fixed rate counts; `None` when it does. `name` is that of an arm. A generator that was
/// late voids response times only ([`generator`]): the server did the same work.
pub fn stage<'a>(
    slices: &[SliceRecord],
    around: Circumstances,
    name: impl Fn(usize) -> &'a str,
) -> Option<Reason> {
    let found = overloaded(slices, name).or_else(|| silent(slices));
    let found = found.or_else(|| link(slices, around));
    found
        .or_else(|| stolen(slices, around))
        .or_else(|| idle_arms(slices))
}

/// Why a round does not count when the wall clock moved by so many seconds against the monotonic one.
pub fn clock(step: f64) -> Option<Reason> {
    (step.abs() > CLOCK_STEP).then_some(Reason::ClockSet { seconds: step })
}

/// Every slice has answers.
fn silent(slices: &[SliceRecord]) -> Option<Reason> {
    let slice = slices.iter().find(|slice| slice.counts.ok == 0)?;
    Some(Reason::Answers(AnswerFault::NoneRight {
        faults: slice.counts.faults.clone(),
    }))
}

/// The machine was not ours.
fn stolen(slices: &[SliceRecord], around: Circumstances) -> Option<Reason> {
    let all: f64 = slices.iter().map(|slice| machine(slice, around)).sum();
    let stolen: f64 = slices.iter().map(|slice| taken(slice, around)).sum();
    let share = stolen / all.max(1e-9);
    (share > STEAL).then_some(Reason::NoisyNeighbour { share, limit: STEAL })
}

/// CPU seconds that this machine has in a slice.
fn machine(slice: &SliceRecord, around: Circumstances) -> f64 {
    slice.elapsed_ns as f64 / 1e9 * around.cpus as f64
}

/// CPU seconds that the hypervisor took in a slice.
fn taken(slice: &SliceRecord, around: Circumstances) -> f64 {
    slice.steal_ticks as f64 / around.ticks_per_second
}

/// Whether requests wait for something else than a CPU, a tenth of a second and more each: in every slice much of the machine
/// was idle, although the hypervisor took of it. Then how many are answered does not hang on what it took.
fn waits(slices: &[SliceRecord], around: Circumstances) -> bool {
    slices.iter().all(|slice| {
        let used = slice.cpu_ns_arm + slice.cpu_ns_other_arms + slice.cpu_ns_generator;
        let busy = used as f64 / 1e9 + taken(slice, around);
        let service = slice.service_sum / slice.counts.ok.max(1) as f64;
        service >= SLOW && busy <= (1.0 - LEFT) * machine(slice, around)
    })
}

/// Arms that are not loaded are to be idle.
fn idle_arms(slices: &[SliceRecord]) -> Option<Reason> {
    let share = median(slices, |slice| {
        slice.cpu_ns_other_arms as f64 / slice.elapsed_ns.max(1) as f64
    });
    (share > IDLE_ARMS).then_some(Reason::UnloadedArmBusy {
        share,
        limit: IDLE_ARMS,
    })
}

/// The link, when it passed nearly all that it can for any of the arms: they are then limited alike, whatever they could and
/// whatever the hypervisor took meanwhile.
fn link(slices: &[SliceRecord], around: Circumstances) -> Option<Reason> {
    let rate = around.link?;
    let arms = slices.iter().map(|slice| slice.arm).max()?;
    let of_arm = |arm: usize| wire(slices.iter().filter(|slice| slice.arm == arm));
    let most = (0..=arms).map(of_arm).fold(0.0, f64::max);
    full_link(most, rate).map(Reason::LinkSaturated)
}

/// A link that passes so many bits per second, when that is nearly all that it can.
pub(crate) fn full_link(bits: f64, rate: BitRate) -> Option<FullLink> {
    (bits > LINK * rate.0 as f64).then_some(FullLink {
        used: BitRate(bits as u64),
        rate,
        limit: LINK,
    })
}

/// Bits per second of the answers, headers of their segments included, in the median slice.
pub(crate) fn wire<'a>(slices: impl Iterator<Item = &'a SliceRecord>) -> f64 {
    middle(slices.map(|slice| {
        let bytes = slice.counts.bytes as f64;
        let segments = (bytes / SEGMENT.0).max(slice.counts.requests as f64);
        8.0 * (bytes + SEGMENT.1 * segments) / (slice.elapsed_ns.max(1) as f64 / 1e9)
    }))
}

/// The generator's own reason, when it has one in more than half of the slices: one descheduled slice voids no round.
pub fn generator(slices: &[SliceRecord]) -> Option<Reason> {
    let reasons: Vec<&Reason> = slices
        .iter()
        .filter_map(|slice| slice.why_invalid.as_ref())
        .collect();
    let reason = *reasons.get(reasons.len() / 2)?;
    (2 * reasons.len() > slices.len()).then(|| Reason::InSlices {
        reason: Box::new(reason.clone()),
        slices: reasons.len() as u64,
        all: slices.len() as u64,
    })
}

/// Whether the generator cannot keep up with an arm at a rate; where the hypervisor took of the machine that is not known.
pub fn late(slices: &[SliceRecord], around: Circumstances) -> bool {
    generator(slices).is_some() && stolen(slices, around).is_none()
}

/// An arm that cannot hold the rate: in more than half of its slices too many requests were open at the end.
fn overloaded<'a>(slices: &[SliceRecord], name: impl Fn(usize) -> &'a str) -> Option<Reason> {
    let arms = slices.iter().map(|slice| slice.arm).max()?;
    (0..=arms).find_map(|arm| {
        let own = || slices.iter().filter(|slice| slice.arm == arm);
        let late = own().map(backlog).filter(|share| *share > BACKLOG);
        if 2 * late.clone().count() <= own().count() {
            return None;
        }
        Some(Reason::Overloaded {
            arm: name(arm).to_owned(),
            rate: own().next()?.rate?,
            share: late.fold(0.0, f64::max),
            limit: BACKLOG,
        })
    })
}

/// Share of the requests due in a slice that were not answered in it, but for those that are under way at any moment.
fn backlog(slice: &SliceRecord) -> f64 {
    let seconds = slice.elapsed_ns as f64 / 1e9;
    let due = slice.rate.unwrap_or(0.0) * seconds;
    let under_way = slice.in_flight / seconds.max(1e-9);
    (slice.backlog as f64 - under_way).max(0.0) / due.max(1.0)
}

fn median(slices: &[SliceRecord], value: impl Fn(&SliceRecord) -> f64) -> f64 {
    middle(slices.iter().map(value))
}

fn middle(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Why the whole level is invalid, whatever its rounds say: an arm that answers wrongly.
pub(crate) fn errors(name: &str, counts: &Counts) -> Option<Reason> {
    let requests = counts.requests;
    let wrong = requests.saturating_sub(counts.ok);
    let share = wrong as f64 / requests.max(1) as f64;
    (share > FAULTS).then(|| {
        Reason::Answers(AnswerFault::TooManyWrong {
            arm: name.to_owned(),
            wrong,
            requests,
            limit: FAULTS,
            faults: counts.faults.clone(),
        })
    })
}

/// What an arm answered at a level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answers<'a> {
    /// The arm's name.
    pub(crate) name: &'a str,
    /// What was counted of its answers.
    pub(crate) counts: &'a Counts,
}

/// Why an arm and the baseline cannot be compared at a level: one of them fails more often than chance explains, by
/// Fisher's exact test.
pub(crate) fn unlike_errors(baseline: Answers<'_>, arm: Answers<'_>) -> Option<Reason> {
    let wrong = |counts: &Counts| counts.requests.saturating_sub(counts.ok);
    let (ours, theirs) = (arm.counts, baseline.counts);
    if ours.requests == 0 || theirs.requests == 0 {
        return None;
    }
    let p = fisher_exact(wrong(ours), ours.requests, wrong(theirs), theirs.requests);
    (p < UNLIKE).then(|| {
        Reason::Answers(AnswerFault::UnlikeErrors {
            arm: arm.name.to_owned(),
            wrong: wrong(ours),
            requests: ours.requests,
            baseline: baseline.name.to_owned(),
            baseline_wrong: wrong(theirs),
            baseline_requests: theirs.requests,
            p,
            limit: UNLIKE,
        })
    })
}

/// Arms whose answers have bodies of unlike size do not do the same work: an error page with status 200 is quickly sent.
pub(crate) fn unlike_bodies(baseline: Answers<'_>, arm: Answers<'_>) -> Option<Reason> {
    let size = |counts: &Counts| counts.body_bytes as f64 / counts.ok.max(1) as f64;
    let (theirs, ours) = (size(baseline.counts), size(arm.counts));
    ((ours - theirs).abs() > BODIES * theirs.max(ours)).then(|| {
        Reason::Answers(AnswerFault::UnlikeBodies {
            arm: arm.name.to_owned(),
            bytes: ours,
            baseline: baseline.name.to_owned(),
            baseline_bytes: theirs,
        })
    })
}

/// What is told, though it voids nothing, of arms whose headers are not of one size.
pub(crate) fn unlike_headers(baseline: Answers<'_>, arm: Answers<'_>) -> Option<ArmNote> {
    let size =
        |counts: &Counts| counts.bytes.saturating_sub(counts.body_bytes) as f64 / counts.ok.max(1) as f64;
    let (theirs, ours) = (size(baseline.counts), size(arm.counts));
    ((ours - theirs).abs() > HEADERS).then(|| ArmNote::UnlikeHeaders {
        arm: arm.name.to_owned(),
        bytes: ours,
        baseline: baseline.name.to_owned(),
        baseline_bytes: theirs,
    })
}

/// Share of the users' time in which they had no request in flight.
fn turnaround(slice: &SliceRecord, users: usize) -> f64 {
    1.0 - slice.in_flight / (users as f64 * slice.elapsed_ns as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::saturated;

    /// Slices of two arms in turn.
    fn slices(rate: Option<f64>, change: impl Fn(&mut SliceRecord)) -> Vec<SliceRecord> {
        let slice = |arm: usize| {
            let mut slice = SliceRecord {
                round: 1,
                arm,
                rate,
                elapsed_ns: 500_000_000,
                counts: Counts {
                    requests: 10_000,
                    ok: 10_000,
                    ..Counts::default()
                },
                cpu_ns_other_arms: 100_000,
                steal_ticks: 1,
                in_flight: 16.0,
                ..SliceRecord::default()
            };
            change(&mut slice);
            slice
        };
        [0, 1, 1, 0].map(slice).into()
    }

    const AROUND: Circumstances = Circumstances {
        users: Some(32),
        cpus: 2,
        ticks_per_second: 100.0,
        link: None,
    };

    fn name(arm: usize) -> &'static str {
        ["nine", "ten"][arm]
    }

    #[test]
    fn a_healthy_round_counts() {
        assert_eq!(closed(&slices(None, |_| ()), AROUND), None);
        let nearly_all = |s: &mut SliceRecord| (s.counts.ok, s.backlog) = (9_900, 100);
        assert_eq!(stage(&slices(Some(20_000.0), nearly_all), AROUND, name), None);
        assert_eq!(clock(0.01), None);
        let thinking = Circumstances {
            users: None,
            ..AROUND
        };
        assert_eq!(closed(&slices(None, |s| s.in_flight = 1.0), thinking), None);
    }

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 0.005
    }

    #[test]
    fn each_gate_says_why() {
        let why = |change: fn(&mut SliceRecord)| closed(&slices(None, change), AROUND).expect("a reason");
        let taken = why(|s| s.steal_ticks = 30);
        assert!(
            matches!(taken, Reason::NoisyNeighbour { share, limit } if near(share, 0.3) && limit == STEAL),
            "{taken:?}"
        );
        let busy = why(|s| s.cpu_ns_other_arms = 20_000_000);
        assert_eq!(
            busy,
            Reason::UnloadedArmBusy {
                share: 0.04,
                limit: IDLE_ARMS
            }
        );
        let waited = why(|s| s.in_flight = 13.0);
        assert!(
            matches!(waited.generator_limit(), Some(GeneratorLimit::UsersWaited { share, .. }) if near(*share, 0.1875)),
            "{waited:?}"
        );
        let connecting = why(|s| (s.in_flight, s.counts.connects) = (13.0, 9));
        assert!(
            matches!(connecting, Reason::NoSteadyState { share, .. } if near(share, 0.1875)),
            "{connecting:?}"
        );
        let silent = why(|s| s.counts.ok = 0);
        assert!(
            matches!(&silent, Reason::Answers(AnswerFault::NoneRight { faults }) if faults.is_empty()),
            "{silent:?}"
        );
        let late = |s: &mut SliceRecord| s.why_invalid = Some(saturated());
        assert_eq!(
            closed(&slices(None, late), AROUND),
            Some(Reason::InSlices {
                reason: Box::new(saturated()),
                slices: 4,
                all: 4
            })
        );
        assert_eq!(clock(-1.0), Some(Reason::ClockSet { seconds: -1.0 }));
    }

    #[test]
    fn a_generator_is_late_by_itself_only() {
        let of = |late: usize, steal: u64| {
            let mut slices = slices(Some(20_000.0), move |s| s.steal_ticks = steal);
            for slice in slices.iter_mut().take(late) {
                slice.why_invalid = Some(saturated());
            }
            super::late(&slices, AROUND)
        };
        assert_eq!([of(2, 0), of(3, 0), of(3, 30)], [false, true, false]);
    }

    #[test]
    fn what_the_hypervisor_takes_spoils_no_throughput_that_waits_for_something_else() {
        let busy = |cores: f64, service: f64| {
            slices(None, move |s| {
                s.steal_ticks = 30;
                s.cpu_ns_arm = (cores * 0.5e9) as u64;
                s.service_sum = service * s.counts.ok as f64;
            })
        };
        let waiting = busy(0.7, 1.0);
        assert_eq!(closed(&waiting, AROUND), None);
        assert!(cpu(&waiting, AROUND).is_some_and(|why| why.is_noisy_neighbour()));
        assert!(stage(&waiting, AROUND, name).is_some(), "its times would show it");
        assert!(closed(&busy(0.7, 0.01), AROUND).is_some(), "quick requests");
        assert!(
            closed(&busy(0.9, 1.0), AROUND).is_some(),
            "little of the machine was left"
        );
        assert_eq!(cpu(&slices(None, |_| ()), AROUND), None);
    }

    #[test]
    fn what_the_machine_did_is_told_from_what_the_load_met() {
        let said = |change: fn(&mut SliceRecord)| closed(&slices(None, change), AROUND).expect("a reason");
        assert!(said(|s| s.steal_ticks = 30).is_of_machine());
        assert!(said(|s| s.in_flight = 13.0).is_of_machine());
        assert!(!said(|s| s.counts.ok = 0).is_of_machine());
        assert!(!said(|s| s.cpu_ns_other_arms = 20_000_000).is_of_machine());
    }

    #[test]
    fn a_full_link_is_measured_and_not_what_is_behind_it() {
        let around = Circumstances {
            link: Some(BitRate(45_000_000)),
            ..AROUND
        };
        // Of one arm: 230 pages of 11.6 kB in half a second, with the headers of eight segments each.
        let pages = |count: u64| {
            move |s: &mut SliceRecord| {
                let count = if s.arm == 1 { count } else { count / 4 };
                (s.counts.requests, s.counts.bytes) = (count, 11_600 * count);
            }
        };
        let why = closed(&slices(None, pages(230)), around).expect("a reason");
        assert!(
            matches!(why, Reason::LinkSaturated(link)
                if link.used.to_string() == "44.6 Mbit/s" && link.rate == BitRate(45_000_000)),
            "{why:?}"
        );
        assert_eq!(closed(&slices(None, pages(200)), around), None);
        assert_eq!(closed(&slices(None, pages(230)), AROUND), None);
    }

    #[test]
    fn the_generator_may_fail_in_half_of_the_slices() {
        let mut half = slices(None, |_| ());
        half[0].why_invalid = Some(saturated());
        half[2].why_invalid = half[0].why_invalid.clone();
        assert_eq!(closed(&half, AROUND), None);
    }

    #[test]
    fn a_late_generator_leaves_the_stage_its_cpu() {
        let late = slices(Some(20_000.0), |s| {
            s.why_invalid = Some(saturated());
        });
        assert_eq!(stage(&late, AROUND, name), None);
        assert_eq!(
            generator(&late),
            Some(Reason::InSlices {
                reason: Box::new(saturated()),
                slices: 4,
                all: 4
            })
        );
    }

    #[test]
    fn an_arm_that_cannot_hold_the_rate_is_named() {
        let mut late = slices(Some(20_000.0), |_| ());
        for slice in late.iter_mut().filter(|slice| slice.arm == 1) {
            slice.backlog = 1_000;
        }
        let why = stage(&late, AROUND, name).expect("a reason");
        assert!(
            matches!(&why, Reason::Overloaded { arm, rate, share, .. }
                if arm == "ten" && *rate == 20_000.0 && near(*share, 0.1)),
            "{why:?}"
        );
        late[1].backlog = 0;
        assert_eq!(stage(&late, AROUND, name), None, "one slice of two is a burst");
        // A service of a second has a second's requests under way at any moment.
        let slow = |s: &mut SliceRecord| (s.backlog, s.in_flight) = (10_000, 5_000.0);
        assert_eq!(stage(&slices(Some(20_000.0), slow), AROUND, name), None);
    }

    #[test]
    fn an_arm_that_fails_fast_is_not_fast() {
        let counts = |wrong: u64| Counts {
            requests: 1_000_000,
            ok: 1_000_000 - wrong,
            faults: [("reset".to_owned(), wrong)].into(),
            ..Counts::default()
        };
        assert_eq!(errors("a", &counts(50)), None);
        let why = errors("a", &counts(1000)).expect("a reason");
        assert!(
            matches!(&why, Reason::Answers(AnswerFault::TooManyWrong { wrong: 1000, requests: 1_000_000, faults, .. })
                if faults["reset"] == 1000),
            "{why:?}"
        );
    }

    fn nine(counts: &Counts) -> Answers<'_> {
        Answers { name: "nine", counts }
    }

    fn ten(counts: &Counts) -> Answers<'_> {
        Answers { name: "ten", counts }
    }

    #[test]
    fn arms_that_fail_unlike_are_not_compared() {
        let counts = |wrong: u64, bytes: u64| Counts {
            requests: 1_000_000,
            ok: 1_000_000 - wrong,
            bytes,
            ..Counts::default()
        };
        let why = unlike_errors(nine(&counts(0, 0)), ten(&counts(30, 0))).expect("a reason");
        assert!(
            matches!(&why, Reason::Answers(AnswerFault::UnlikeErrors { arm, wrong: 30, baseline, baseline_wrong: 0, p, .. })
                if arm == "ten" && baseline == "nine" && *p < UNLIKE),
            "{why:?}"
        );
        assert_eq!(unlike_errors(nine(&counts(2, 0)), ten(&counts(5, 0))), None);
        assert_eq!(unlike_errors(nine(&Counts::default()), ten(&counts(5, 0))), None);
    }

    #[test]
    fn arms_that_answer_unlike_are_not_compared() {
        let counts = |body_bytes: u64| Counts {
            ok: 1_000,
            bytes: body_bytes + 150_000,
            body_bytes,
            ..Counts::default()
        };
        let unlike = |ours, theirs| unlike_bodies(nine(&counts(theirs)), ten(&counts(ours)));
        let why = unlike(230_000, 11_600_000).expect("a reason");
        let expected = Reason::Answers(AnswerFault::UnlikeBodies {
            arm: "ten".to_owned(),
            bytes: 230.0,
            baseline: "nine".to_owned(),
            baseline_bytes: 11_600.0,
        });
        assert_eq!(why, expected);
        assert_eq!(unlike(11_610_000, 11_600_000), None, "a date in it");
        assert!(unlike(0, 27_000).is_some(), "nothing at all");
        assert_eq!(unlike(0, 0), None);
    }

    #[test]
    fn answers_of_unlike_size_are_told() {
        let counts = |bytes: u64| Counts {
            ok: 1_000,
            bytes,
            ..Counts::default()
        };
        let note = unlike_headers(nine(&counts(150_000)), ten(&counts(400_000)));
        let expected = ArmNote::UnlikeHeaders {
            arm: "ten".to_owned(),
            bytes: 400.0,
            baseline: "nine".to_owned(),
            baseline_bytes: 150.0,
        };
        assert_eq!(note, Some(expected));
        assert_eq!(
            unlike_headers(nine(&counts(150_000)), ten(&counts(200_000))),
            None
        );
    }
}
