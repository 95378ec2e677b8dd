//! Tests of the generator as a cause, and as the effect of another one.

use super::Diagnosis;
use super::tests::{NONE, Scene, numbers};
use model::reason::{GeneratorLimit, Reason};
use model::units::{Seconds, Share};
use record::finding::{Neighbour, Remedy};
use record::rounds::SliceRecord;
use traffic::scenario::{FirstFailure, StepFailure};

#[test]
fn a_saturated_generator_gives_its_own_reason() {
    let why = crate::testing::saturated;
    let mut slow = Scene::healthy().slices(|slice| slice.why_invalid = Some(why()));
    let in_slices = Reason::InSlices { reason: Box::new(why()), slices: 8, all: 8 };
    slow.rounds[0].void = Some(in_slices.clone());
    let found = slow.first();
    assert_eq!(found.cause().id(), "generator-saturated");
    assert_eq!(numbers!(found, GeneratorSaturated).why, Some(in_slices));
    let mut once = Scene::healthy();
    once.rounds[0].slices[0].why_invalid = Some(why());
    assert_eq!(once.causes(), NONE, "one slice of many");
    let mut kept_out = Scene::healthy().load(20, 100, 0.02);
    let (share, limit) = (0.9, 0.1);
    let waited =
        Reason::GeneratorSaturated(GeneratorLimit::UsersWaited { share: Share(share), limit: Share(limit) });
    kept_out.rounds[0].void = Some(waited);
    assert_eq!(kept_out.causes(), NONE, "it had time for them");
}

#[test]
fn a_generator_without_a_cpu_is_the_effect_of_what_took_it() {
    let late = |slice: &mut SliceRecord| {
        slice.why_invalid = Some(Reason::GeneratorSaturated(GeneratorLimit::SentLate {
            share: Share(0.029),
            delay: Seconds(0.001),
            p99: Seconds(0.002),
            limit: Share(0.01),
        }));
    };
    let alone = Scene::healthy().slices(late).first();
    assert_eq!(alone.cause().id(), "generator-saturated");
    let starved =
        |diagnosis: &Diagnosis| numbers!(diagnosis, GeneratorSaturated).starved.expect("a CPU missed");
    let of_others = starved(&alone);
    assert!((of_others.cpus.0 - 0.2).abs() < 1e-3 && of_others.idle.is_none(), "{of_others:?}");
    let idle = starved(&Scene::healthy().load(16, 1_000, 0.05).slices(late).first());
    assert!(idle.idle.is_some_and(|share| (share.0 - 0.85).abs() < 1e-3), "{idle:?}");
    let stolen = |scene: Scene| {
        scene.slices(|slice| {
            late(slice);
            slice.steal_ticks = 20;
        })
    };
    assert_eq!(stolen(Scene::healthy()).causes(), ["noisy-neighbour", "generator-saturated"]);
    assert_eq!(
        stolen(Scene::healthy().load(500, 100, 0.02)).causes(),
        ["thread-pool-limit", "noisy-neighbour", "generator-saturated"],
        "no neighbour makes requests wait while CPUs are idle"
    );
    let a_little = Scene::healthy().slices(|slice| {
        late(slice);
        slice.steal_ticks = 5;
    });
    let found = a_little.first();
    assert_eq!(found.cause().id(), "noisy-neighbour", "little in all, and much of what was wanted");
    let Neighbour::LateGenerator { share } = numbers!(found, NoisyNeighbour) else { panic!("{found:?}") };
    assert!((share.0 - 1.0 / 11.0).abs() < 1e-3, "{share}");
    let full = Scene::healthy().load(500, 10_000, 0.80).slices(late);
    assert_eq!(full.causes(), ["server-cpu-saturated", "generator-saturated"]);
}

#[test]
fn bytes_behind_answers_are_shown_and_slow_errors_explain_their_share() {
    let wrong = |kind: &'static str, failed: u64| {
        Scene::healthy().slices(move |slice| {
            slice.counts.requests += failed;
            slice.counts.faults.insert(kind.to_owned(), failed);
            slice.service_sum = Seconds(10.0 + 0.001 * failed as f64);
            slice.counts.first_wrong = Some(FirstFailure {
                why: StepFailure::Surplus(5),
                request: "GET / HTTP/1.1".to_owned(),
                answer: "!!".to_owned(),
            });
        })
    };
    let found = wrong("malformed", 100).first();
    let answers = numbers!(found, WrongAnswers);
    assert!((answers.share.0 - 100.0 / 10_100.0).abs() < 1e-3, "{answers:?}");
    assert_eq!(answers.first.map(|first| first.answer).as_deref(), Some("!!"));
    assert_eq!(found.remedy, Remedy::EndAnswers);
    assert_eq!(wrong("malformed", 1).causes(), NONE, "one in ten thousand");
    assert_eq!(wrong("wrong_status", 100).causes(), NONE, "an effect of something else");
    assert_eq!(wrong("wrong_status", 5000).causes(), ["wrong-answers"]);
}
