//! Whether the answers of the arms can be compared: as often right as the baseline's, and of the same size.

use model::reason::{AnswerFault, Reason};
use model::units::Share;
use record::note::ArmNote;
use record::outcome::Counts;
use record::rounds::{SliceRecord, VoidArm};
use stats::distribution::fisher_exact;

/// Largest share of wrong answers at a level: a server that fails fast is not fast.
const FAULTS: Share = Share(1e-4);
/// Largest share of wrong answers of an arm in a round with which the generator has to keep up. An arm that gives more of them is invalid by
/// that ([`check_errors`]), and errors that are answered at once make the generator busy.
const FAILING: f64 = 0.01;
/// Significance level at which two arms fail with different frequency.
const UNLIKE: f64 = 1e-3;
/// Share by which the bodies of two arms' answers may differ in size: a page may hold a date or a number.
const BODIES: f64 = 0.05;
/// Bytes per answer by which the headers of two arms may differ; usual headers (server, date, keep-alive) account for these.
const HEADERS: f64 = 128.0;

/// The arms that gave no right answer in these slices, each with its reason; `name` gives the name of an arm by its index. A slice without
/// one is a pause of the server, which counts as zero answers.
pub fn void_arms<'a>(slices: &[SliceRecord], name: impl Fn(usize) -> &'a str) -> Vec<VoidArm> {
    let arms = slices.iter().map(|slice| slice.arm + 1).max().unwrap_or(0);
    let void = |arm: usize| {
        let Counts { ok, faults, first_wrong, .. } = counts_of(slices, arm);
        let said = first_wrong.and_then(|first| first.said());
        let reason = Box::new(Reason::Answers(AnswerFault::NoneRight { faults, said }));
        (ok == 0).then(|| VoidArm { arm, reason: Reason::OfArm { arm: name(arm).to_owned(), reason } })
    };
    (0..arms).filter_map(void).collect()
}

/// Whether nearly all answers of an arm in these slices are right; an arm without any answer does not answer rightly.
pub(super) fn answers_rightly(slices: &[SliceRecord], arm: usize) -> bool {
    let counts = counts_of(slices, arm);
    let wrong = counts.requests.saturating_sub(counts.ok) as f64;
    counts.ok > 0 && wrong <= FAILING * counts.requests as f64
}

fn counts_of(slices: &[SliceRecord], arm: usize) -> Counts {
    let mut all = Counts::default();
    slices.iter().filter(|slice| slice.arm == arm).for_each(|slice| all.add(&slice.counts));
    all
}

/// Why the whole level is invalid, although its rounds count: the arm answers too many requests wrongly.
pub(crate) fn check_errors(name: &str, counts: &Counts) -> Option<Reason> {
    let requests = counts.requests;
    let wrong = requests.saturating_sub(counts.ok);
    let share = Share(wrong as f64 / requests.max(1) as f64);
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

/// The answers of an arm at a level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answers<'a> {
    /// The arm's name.
    pub(crate) name: &'a str,
    /// What was counted of its answers.
    pub(crate) counts: &'a Counts,
}

/// Why an arm and the baseline cannot be compared at a level: one of them fails more often than chance explains, by
/// Fisher's exact test (Fisher 1922).
pub(crate) fn compare_errors(baseline: Answers<'_>, arm: Answers<'_>) -> Option<Reason> {
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

/// Why an arm and the baseline cannot be compared at a level: the bodies of their answers differ in size, so they do not do
/// the same work. An error page with status 200, for example, is sent quickly.
pub(crate) fn compare_bodies(baseline: Answers<'_>, arm: Answers<'_>) -> Option<Reason> {
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

/// A note on an arm whose headers are of another size than the baseline's; it voids nothing.
pub(crate) fn note_on_headers(baseline: Answers<'_>, arm: Answers<'_>) -> Option<ArmNote> {
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

#[cfg(test)]
mod tests {
    use super::super::tests::{AROUND, name, slices};
    use super::*;
    use crate::validity::check_closed_loop;
    use model::units::Seconds;
    use traffic::scenario::{FirstFailure, StepFailure};

    #[test]
    fn an_arm_that_fails_voids_itself_alone() {
        let nine = |change: fn(&mut SliceRecord)| {
            let mut all = slices(None, |slice| slice.why_invalid = None);
            all.iter_mut().filter(|slice| slice.arm == 0).for_each(change);
            all
        };
        let dead = nine(|slice| {
            slice.counts = Counts {
                requests: 32,
                faults: [("wrong_status".to_owned(), 32)].into(),
                first_wrong: Some(FirstFailure {
                    why: StepFailure::Status(500),
                    request: "GET / HTTP/1.1".to_owned(),
                    answer: "HTTP/1.1 500\n\npool is dry".to_owned(),
                }),
                ..Counts::default()
            };
            (slice.in_flight, slice.lag_p99_ns) = (Seconds(1.0), 1_000_000);
        });
        assert_eq!(check_closed_loop(&dead, AROUND, name), None);
        let [void] = &void_arms(&dead, name)[..] else { panic!("one arm") };
        let Reason::OfArm { arm, reason } = &void.reason else { panic!("{void:?}") };
        let Reason::Answers(AnswerFault::NoneRight { faults, said }) = &**reason else {
            panic!("{reason:?}")
        };
        assert_eq!((void.arm, arm.as_str(), faults["wrong_status"]), (0, "nine", 64));
        assert_eq!(said.as_deref(), Some("HTTP/1.1 500: pool is dry"));
        let all: Vec<SliceRecord> = dead.iter().filter(|slice| slice.arm == 0).cloned().collect();
        assert!(check_closed_loop(&all, AROUND, name).is_some(), "it is alone");
        let throws = nine(|slice| {
            slice.counts.ok /= 2;
            slice.why_invalid = Some(crate::testing::saturated());
        });
        assert_eq!(check_closed_loop(&throws, AROUND, name), None, "errors keep the generator busy");
        let saturated = nine(|slice| slice.why_invalid = Some(crate::testing::saturated()));
        assert!(check_closed_loop(&saturated, AROUND, name).is_some());
    }

    #[test]
    fn an_arm_that_fails_fast_is_not_fast() {
        let counts = |wrong: u64| Counts {
            requests: 1_000_000,
            ok: 1_000_000 - wrong,
            faults: [("reset".to_owned(), wrong)].into(),
            ..Counts::default()
        };
        assert_eq!(check_errors("a", &counts(50)), None);
        let why = check_errors("a", &counts(1000)).expect("a reason");
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
    fn arms_that_fail_with_different_frequency_are_not_compared() {
        let counts = |wrong: u64, bytes: u64| Counts {
            requests: 1_000_000,
            ok: 1_000_000 - wrong,
            bytes,
            ..Counts::default()
        };
        let why = compare_errors(nine(&counts(0, 0)), ten(&counts(30, 0))).expect("a reason");
        assert!(
            matches!(&why, Reason::Answers(AnswerFault::UnlikeErrors { arm, wrong: 30, baseline, baseline_wrong: 0, p, .. })
                if arm == "ten" && baseline == "nine" && *p < UNLIKE),
            "{why:?}"
        );
        assert_eq!(compare_errors(nine(&counts(2, 0)), ten(&counts(5, 0))), None);
        assert_eq!(compare_errors(nine(&Counts::default()), ten(&counts(5, 0))), None);
    }

    #[test]
    fn arms_whose_answers_differ_in_size_are_not_compared() {
        let counts = |body_bytes: u64| Counts {
            ok: 1_000,
            bytes: body_bytes + 150_000,
            body_bytes,
            ..Counts::default()
        };
        let unlike = |ours, theirs| compare_bodies(nine(&counts(theirs)), ten(&counts(ours)));
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
    fn headers_of_another_size_get_a_note() {
        let counts = |bytes: u64| Counts { ok: 1_000, bytes, ..Counts::default() };
        let note = note_on_headers(nine(&counts(150_000)), ten(&counts(400_000)));
        let expected = ArmNote::UnlikeHeaders {
            arm: "ten".to_owned(),
            bytes: 400.0,
            baseline: "nine".to_owned(),
            baseline_bytes: 150.0,
        };
        assert_eq!(note, Some(expected));
        assert_eq!(note_on_headers(nine(&counts(150_000)), ten(&counts(200_000))), None);
    }
}
