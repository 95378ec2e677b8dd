//! Every reason has a distinct sentence with its numbers in both languages.

use super::*;
use crate::say::testing::{assert_said_in_both_languages, assert_told_apart};
use model::units::BitRate;

const LIMIT: f64 = 0.1;

/// Does not compile when there is a new kind of reason, of which [`reasons`] needs a value, too.
fn is_listed(reason: &Reason) {
    match reason {
        Reason::GeneratorSaturated(
            GeneratorLimit::EventLoopBusy { .. }
            | GeneratorLimit::SentLate { .. }
            | GeneratorLimit::DelayInPercentile(_)
            | GeneratorLimit::AnswersUnseen { .. }
            | GeneratorLimit::LongTurns { .. }
            | GeneratorLimit::SendBufferFull { .. }
            | GeneratorLimit::SegmentsDropped { .. }
            | GeneratorLimit::NoLocalPort { .. }
            | GeneratorLimit::NoDescriptor { .. }
            | GeneratorLimit::UsersWaited { .. }
            | GeneratorLimit::Legacy(_),
        )
        | Reason::Inconsistent(
            Contradiction::LittlesLaw { .. }
            | Contradiction::ServicePhases { .. }
            | Contradiction::ResponsePhases { .. },
        )
        | Reason::NoisyNeighbour { .. }
        | Reason::LinkSaturated(_)
        | Reason::NoSteadyState { .. }
        | Reason::Overloaded { .. }
        | Reason::UnloadedArmBusy { .. }
        | Reason::ClockSet { .. }
        | Reason::NoValue
        | Reason::CutShort
        | Reason::MeasuredAgain
        | Reason::Answers(
            AnswerFault::NoneRight { .. }
            | AnswerFault::TooManyWrong { .. }
            | AnswerFault::UnlikeErrors { .. }
            | AnswerFault::UnlikeBodies { .. },
        )
        | Reason::NoRate(NoRate::Generator { .. } | NoRate::NeverKept | NoRate::AlwaysKept)
        | Reason::InSlices { .. }
        | Reason::InStarts { .. }
        | Reason::OnlyStart { .. }
        | Reason::StartsVoid { .. }
        | Reason::AgentLost(_)
        | Reason::AgentStopped { .. }
        | Reason::AgentLate { .. }
        | Reason::OfArm { .. }
        | Reason::Legacy(_) => {}
    }
}

/// One reason of each kind.
fn reasons() -> Vec<Reason> {
    let limits = generator_limits().map(Reason::GeneratorSaturated);
    let all = limits
        .into_iter()
        .chain(contradictions().map(Reason::Inconsistent));
    all.chain(plain())
        .chain(answers().map(Reason::Answers))
        .chain(containing_others())
        .collect()
}

fn stolen() -> Reason {
    Reason::NoisyNeighbour {
        share: 0.12,
        limit: LIMIT,
    }
}

fn contradictions() -> [Contradiction; 3] {
    let (sum, mean, limit) = (0.012_345, 0.011_111, 0.01);
    [
        Contradiction::LittlesLaw {
            factor: 1.031,
            limit: 0.02,
        },
        Contradiction::ServicePhases { sum, mean, limit },
        Contradiction::ResponsePhases { sum, mean, limit },
    ]
}

/// Reasons that contain no other reason.
fn plain() -> [Reason; 11] {
    let (share, limit) = (0.19, LIMIT);
    [
        stolen(),
        Reason::LinkSaturated(FullLink {
            way: LinkWay::Answers,
            used: BitRate(44_600_000),
            rate: BitRate(45_000_000),
            limit: 0.9,
        }),
        Reason::NoSteadyState { share, limit },
        Reason::Overloaded {
            arm: "`ten`".to_owned(),
            rate: 20_000.0,
            share,
            limit: 0.05,
        },
        Reason::UnloadedArmBusy {
            share: 0.041,
            limit: 0.02,
        },
        Reason::ClockSet { seconds: -1.25 },
        Reason::NoValue,
        Reason::CutShort,
        Reason::MeasuredAgain,
        Reason::NoRate(NoRate::NeverKept),
        Reason::NoRate(NoRate::AlwaysKept),
    ]
}

fn containing_others() -> [Reason; 10] {
    let stolen = || Box::new(stolen());
    [
        Reason::NoRate(NoRate::Generator {
            rate: 9119.0,
            reason: stolen(),
        }),
        Reason::InSlices {
            reason: stolen(),
            slices: 3,
            all: 8,
        },
        Reason::InStarts {
            reason: Box::new(Reason::NoRate(NoRate::NeverKept)),
            starts: 2,
            all: 5,
        },
        Reason::OnlyStart { reason: stolen() },
        Reason::StartsVoid {
            starts: 2,
            all: 5,
            last: stolen(),
        },
        Reason::AgentLost(model::reason::LostShare {
            agent: "`m1`".to_owned(),
            share: 2,
            of: 3,
            seq: 7,
            seconds: 5,
        }),
        Reason::AgentStopped {
            agent: "`m1`".to_owned(),
            said: None,
        },
        Reason::AgentStopped {
            agent: "`m1`".to_owned(),
            said: Some("`it hurt`".to_owned()),
        },
        Reason::AgentLate {
            agent: "`m1`".to_owned(),
            late: 0.25,
            limit: LIMIT,
        },
        Reason::OfArm {
            arm: "`ten`".to_owned(),
            reason: stolen(),
        },
    ]
}

fn generator_limits() -> [GeneratorLimit; 10] {
    let (share, delay, limit) = (0.11, 0.0015, LIMIT);
    [
        GeneratorLimit::EventLoopBusy {
            share: 0.93,
            limit: 0.8,
        },
        GeneratorLimit::SentLate {
            share: 0.023,
            delay,
            p99: 0.0031,
            limit: 0.01,
        },
        GeneratorLimit::DelayInPercentile(DelayShare {
            percentile: 99.0,
            share,
            limit,
        }),
        GeneratorLimit::AnswersUnseen { share, delay, limit },
        GeneratorLimit::LongTurns { share, delay, limit },
        GeneratorLimit::SendBufferFull { share, limit },
        GeneratorLimit::SegmentsDropped {
            segments: 17,
            requests: 1000,
            limit: 0.01,
        },
        GeneratorLimit::NoLocalPort { connections: 7 },
        GeneratorLimit::NoDescriptor { connections: 8 },
        GeneratorLimit::UsersWaited { share, limit },
    ]
}

fn answers() -> [AnswerFault; 5] {
    let faults = || [("reset".to_owned(), 2), ("wrong_body".to_owned(), 1)].into();
    let (arm, baseline) = ("`ten`".to_owned(), "`nine`".to_owned());
    [
        AnswerFault::NoneRight {
            faults: Default::default(),
        },
        AnswerFault::NoneRight { faults: faults() },
        AnswerFault::TooManyWrong {
            arm: arm.clone(),
            wrong: 3,
            requests: 1000,
            limit: 1e-4,
            faults: faults(),
        },
        AnswerFault::UnlikeErrors {
            arm: arm.clone(),
            wrong: 30,
            requests: 1000,
            baseline: baseline.clone(),
            baseline_wrong: 4,
            baseline_requests: 900,
            p: 1.2e-8,
            limit: 1e-3,
        },
        AnswerFault::UnlikeBodies {
            arm,
            bytes: 230.0,
            baseline,
            baseline_bytes: 11_600.0,
        },
    ]
}

#[test]
fn every_reason_is_said_in_both_languages() {
    let reasons = reasons();
    reasons.iter().for_each(is_listed);
    for one in &reasons {
        assert_said_in_both_languages(&reason(one, Lang::En), &reason(one, Lang::Zh));
    }
    assert_told_apart(reasons.iter(), reason);
}

#[test]
fn every_reason_reads_back_as_it_was_stored() {
    for one in reasons() {
        let stored = serde_json::to_string(&one).expect("JSON");
        assert_eq!(serde_json::from_str::<Reason>(&stored).expect("a reason"), one);
    }
}

#[test]
fn a_reason_inside_another_is_said_in_the_same_language() {
    let late = Reason::InSlices {
        reason: Box::new(Reason::GeneratorSaturated(GeneratorLimit::EventLoopBusy {
            share: 0.93,
            limit: 0.8,
        })),
        slices: 3,
        all: 8,
    };
    assert_eq!(
        reason(&late, Lang::En),
        "generator-saturated: an event loop used 93 % of its core (limit 80 %); use more shards or less load, in 3 of 8 slices"
    );
    assert_eq!(
        reason(&late, Lang::Zh),
        "压测端饱和：一个事件循环占用了其核的 93 %（上限 80 %）；请增加 shards 或降低负载，见于 8 个切片中的 3 个"
    );
    assert_eq!(
        generator_limit(&late, Lang::En).expect("a limit of the generator"),
        "an event loop used 93 % of its core (limit 80 %); use more shards or less load, in 3 of 8 slices"
    );
    assert_eq!(generator_limit(&Reason::NoValue, Lang::En), None);
    let none = Reason::Answers(AnswerFault::NoneRight {
        faults: [("reset".to_owned(), 2)].into(),
    });
    assert_eq!(reason(&none, Lang::Zh), "没有任何正确应答（连接被重置 2）");
}

#[test]
fn what_an_earlier_prony_stored_is_said_as_it_is() {
    let text = "it was dark".to_owned();
    let all = [
        Reason::Legacy(text.clone()),
        Reason::GeneratorSaturated(GeneratorLimit::Legacy(text)),
    ];
    all.iter().for_each(is_listed);
    for lang in [Lang::En, Lang::Zh] {
        assert!(all.iter().all(|one| reason(one, lang).ends_with("it was dark")));
    }
}
