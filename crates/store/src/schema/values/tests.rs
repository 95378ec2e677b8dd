use super::*;
use model::finding::{Cause, Finding, Legacy, Quantity, Remedy};
use model::note::{Note, Part, RunNote};
use model::outcome::{Change, Diagnosis, Evidence, Load};
use model::reason::{AnswerFault, Contradiction, FullLink, GeneratorLimit, LinkWay, NoRate, Reason};
use model::search::{CapacityEnd, NoCurve};
use model::units::BitRate;

fn read_reason(text: &str) -> Reason {
    serde_json::from_value(reason(text)).expect("a reason")
}

fn limit(text: &str) -> GeneratorLimit {
    match read_reason(&format!("generator-saturated: {text}")) {
        Reason::GeneratorSaturated(limit) => limit,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_late_generator_is_read_with_its_numbers() {
    let (delay, tenth) = (0.001, 0.1);
    let expected = [
        (
            "an event loop used 93 % of its core (limit 80 %); use more shards or less load",
            GeneratorLimit::EventLoopBusy {
                share: 0.93,
                limit: 0.8,
            },
        ),
        (
            "2.0 % of the requests left more than 1.0 ms after they could have (limit 1 %), 99 % of them within 3.5 ms",
            GeneratorLimit::SentLate {
                share: 0.02,
                delay,
                p99: 0.0035,
                limit: 0.01,
            },
        ),
        (
            "for 11 % of the time requests were in flight, answers lay unseen for more than 1.0 ms (limit 10 %)",
            GeneratorLimit::AnswersUnseen {
                share: 0.11,
                delay,
                limit: tenth,
            },
        ),
        (
            "for 11 % of the time, answers may have lain unseen in turns of the event loop for more than 1.0 ms (limit 10 %)",
            GeneratorLimit::LongTurns {
                share: 0.11,
                delay,
                limit: tenth,
            },
        ),
    ];
    for (text, expected) in expected {
        assert_eq!(limit(text), expected);
    }
}

#[test]
fn other_limits_of_the_generator_are_read_with_their_numbers() {
    let tenth = 0.1;
    let expected = [
        (
            "for 12 % of the time requests were in flight the send buffer was too small (limit 10 %)",
            GeneratorLimit::SendBufferFull {
                share: 0.12,
                limit: tenth,
            },
        ),
        (
            "the kernel dropped 11 segments on their way into the receive queues (limit 1 % of 1000 requests)",
            GeneratorLimit::SegmentsDropped {
                segments: 11,
                requests: 1000,
                limit: 0.01,
            },
        ),
        (
            "7 connects found no free local port (limit 0)",
            GeneratorLimit::NoLocalPort { connections: 7 },
        ),
        (
            "8 connects found no free file descriptor (limit 0)",
            GeneratorLimit::NoDescriptor { connections: 8 },
        ),
        (
            "users waited for the generator 19 % of the time (limit 10 %)",
            GeneratorLimit::UsersWaited {
                share: 0.19,
                limit: tenth,
            },
        ),
        ("it slept", GeneratorLimit::Legacy("it slept".to_owned())),
    ];
    for (text, expected) in expected {
        assert_eq!(limit(text), expected);
    }
}

#[test]
fn a_contradiction_is_read_with_its_numbers() {
    let phases =
        "waiting, first byte and body add up to 12000000 ns, the response time is 11000000 ns (limit 1 %)";
    let expected = [
        (
            "inconsistent: by Little's law the number in flight is off by a factor of 1.030 (limit 2 %)",
            Reason::Inconsistent(Contradiction::LittlesLaw {
                factor: 1.03,
                limit: 0.02,
            }),
        ),
        (
            &format!("inconsistent: {phases}"),
            Reason::Inconsistent(Contradiction::ResponsePhases {
                sum: 0.012,
                mean: 0.011,
                limit: 0.01,
            }),
        ),
    ];
    for (text, expected) in expected {
        assert_eq!(read_reason(text), expected, "{text}");
    }
}

#[test]
fn a_reason_is_read_with_its_numbers() {
    let expected = [
        (
            "noisy-neighbour: the hypervisor took 12 % of the CPU time (limit 10 %)",
            Reason::NoisyNeighbour {
                share: 0.12,
                limit: 0.1,
            },
        ),
        (
            "link-saturated: 44.6 Mbit/s of the 45 Mbit/s that the link passes were used (limit 90 %): it was the link that \
             was measured",
            Reason::LinkSaturated(FullLink {
                way: LinkWay::Answers,
                used: BitRate(44_600_000),
                rate: BitRate(45_000_000),
                limit: 0.9,
            }),
        ),
        (
            "no steady state: users had no request in flight 19 % of the time (limit 10 %), connections were still being \
             opened; a longer `settle` or a `connect_rate` may help",
            Reason::NoSteadyState {
                share: 0.19,
                limit: 0.1,
            },
        ),
        (
            "overloaded: of 20000 requests per second ten left 10 % unanswered at the end of a slice (limit 5 %); a lower \
             `latency_rate` may do",
            Reason::Overloaded {
                arm: "ten".to_owned(),
                rate: 20_000.0,
                share: 0.1,
                limit: 0.05,
            },
        ),
        (
            "an arm that was not loaded used 4.0 % of a core (limit 2 %)",
            Reason::UnloadedArmBusy {
                share: 0.04,
                limit: 0.02,
            },
        ),
        (
            "the wall clock was set by +1.25 s during the round",
            Reason::ClockSet { seconds: 1.25 },
        ),
        ("a measure has no value in it", Reason::NoValue),
        ("it was dark", Reason::Legacy("it was dark".to_owned())),
    ];
    for (text, expected) in expected {
        assert_eq!(read_reason(text), expected, "{text}");
    }
}

#[test]
fn what_is_wrong_with_answers_is_read_with_the_counts() {
    let faults = || [("reset".to_owned(), 2), ("wrong_body".to_owned(), 1)].into();
    let (arm, baseline) = ("ten".to_owned(), "nine".to_owned());
    let expected = [
        (
            "no right answer in a slice (no answer at all)",
            AnswerFault::NoneRight {
                faults: Default::default(),
            },
        ),
        (
            "no right answer in a slice (2 reset, 1 wrong_body)",
            AnswerFault::NoneRight { faults: faults() },
        ),
        (
            "ten answered 3 of 1000 requests wrongly (0.30 %, limit 0.01 %): 2 reset, 1 wrong_body",
            AnswerFault::TooManyWrong {
                arm: arm.clone(),
                wrong: 3,
                requests: 1000,
                limit: 1e-4,
                faults: faults(),
            },
        ),
        (
            "ten answered 30 of 1000 requests wrongly, nine 0 of 900: more than chance explains (Fisher's exact p = 1.2e-8, \
             limit 0.001)",
            AnswerFault::UnlikeErrors {
                arm: arm.clone(),
                wrong: 30,
                requests: 1000,
                baseline: baseline.clone(),
                baseline_wrong: 0,
                baseline_requests: 900,
                p: 1.2e-8,
                limit: 1e-3,
            },
        ),
        (
            "an answer of ten has a body of 230 bytes, of nine 11600: they do not answer alike; where that is meant, write \
             `unlike_answers = true`",
            AnswerFault::UnlikeBodies {
                arm,
                bytes: 230.0,
                baseline,
                baseline_bytes: 11_600.0,
            },
        ),
    ];
    for (text, expected) in expected {
        assert_eq!(read_reason(text), Reason::Answers(expected), "{text}");
    }
}

#[test]
fn a_reason_inside_another_is_read_too() {
    let stolen = "noisy-neighbour: the hypervisor took 12 % of the CPU time (limit 10 %)";
    let boxed = |text: &str| Box::new(read_reason(text));
    let late = "generator-saturated: users waited for the generator 19 % of the time (limit 10 %)";
    let in_slices = Reason::InSlices {
        reason: boxed(late),
        slices: 3,
        all: 4,
    };
    assert_eq!(read_reason(&format!("{late}, in 3 of 4 slices")), in_slices);
    assert!(in_slices.is_of_generator());
    assert_eq!(
        read_reason(&format!("the only start did not count: {late}, in 3 of 4 slices")),
        Reason::OnlyStart {
            reason: Box::new(in_slices)
        }
    );
    assert_eq!(
        read_reason(&format!("2 of 5 starts did not count; the last: {stolen}")),
        Reason::StartsVoid {
            starts: 2,
            all: 5,
            last: boxed(stolen)
        }
    );
    let never = "in 2 of 3 starts the objective was not kept at the lowest rate that was tried";
    let in_starts = |reason: NoRate| Reason::InStarts {
        reason: Box::new(Reason::NoRate(reason)),
        starts: 2,
        all: 3,
    };
    assert_eq!(read_reason(never), in_starts(NoRate::NeverKept));
    let ceiling =
        format!("in 2 of 3 starts the generator could do no more than 900 requests per second: {late}");
    let ceiling_read = in_starts(NoRate::Generator {
        rate: 900.0,
        reason: boxed(late),
    });
    assert_eq!(read_reason(&ceiling), ceiling_read);
    assert_eq!(
        read_reason(&format!("ten: {ceiling}")),
        Reason::OfArm {
            arm: "ten".to_owned(),
            reason: Box::new(ceiling_read)
        }
    );
}

#[test]
fn what_ended_a_search_is_read() {
    let end = |text: &str| -> CapacityEnd {
        serde_json::from_value(read(&texts::CAPACITY_END, text)).expect("an end")
    };
    assert_eq!(
        end("up to 48 users were tried: more of them brought no more"),
        CapacityEnd::Flat { tried: 48 }
    );
    assert_eq!(
        end("64 users are the most that were asked for"),
        CapacityEnd::AllTried { tried: 64 }
    );
    assert_eq!(
        end("64 users were too many for the generator: it was dark"),
        CapacityEnd::Generator {
            tried: 64,
            reason: Reason::Legacy("it was dark".to_owned())
        }
    );
    let curve = |text: &str| -> NoCurve {
        serde_json::from_value(read(&texts::NO_CURVE, text)).expect("a curve that is not there")
    };
    assert_eq!(
        curve("the steps lie off any such curve: so few runs of residuals have a chance of 2.5e-3"),
        NoCurve::LackOfFit { p: 2.5e-3 }
    );
    assert_eq!(curve("bent"), NoCurve::Legacy("bent".to_owned()));
}

#[test]
fn notes_and_remarks_on_reasons_are_read() {
    let read_note = |text: &str| -> Note { serde_json::from_value(note(text)).expect("a note") };
    let not_counted = |part: Part| {
        Note::Run(RunNote::NotCounted {
            start: 3,
            part,
            reason: Reason::NoValue,
        })
    };
    let why = "a measure has no value in it";
    assert_eq!(
        read_note(&format!("start 3 did not count at 8 connections: {why}")),
        not_counted(Part::Level { users: 8 })
    );
    assert_eq!(
        read_note(&format!("start 3 did not count and was repeated: {why}")),
        not_counted(Part::Whole)
    );
    assert_eq!(
        read_note(&format!("response times of start 3 did not count: {why}")),
        not_counted(Part::ResponseTimes)
    );
    assert_eq!(
        read_note("it was dark"),
        Note::Run(RunNote::Legacy("it was dark".to_owned()))
    );
    let remark =
        |text: &str| -> model::remark::Remark { serde_json::from_value(remark(text)).expect("a remark") };
    assert_eq!(remark(why), model::remark::Remark::Invalid(Reason::NoValue));
    assert_eq!(
        remark("who knows"),
        model::remark::Remark::Legacy("who knows".to_owned())
    );
}

#[test]
fn a_diagnosis_keeps_its_cause_its_numbers_and_its_sentences() {
    let mut stored = json!({"arms": [{"diagnoses": [{
        "cause": "connection-limit",
        "level": {"users": 9000},
        "says": "the server holds 8192 connections",
        "evidence": [{"what": "connections at most", "value": 8192.0}],
        "try": "raise the Connector's `maxConnections`",
        "change": [{"key": "max_connections", "value": "9900"}],
    }]}]});
    report(&mut stored);
    let diagnosis = stored["arms"][0]["diagnoses"][0].take();
    let expected = Diagnosis {
        finding: Finding::Legacy(Legacy {
            cause: Cause::ConnectionLimit,
            says: "the server holds 8192 connections".to_owned(),
        }),
        level: Load {
            users: Some(9000),
            ..Load::default()
        },
        explains: None,
        evidence: vec![Evidence {
            what: Quantity::Legacy("connections at most".to_owned()),
            value: 8192.0,
        }],
        remedy: Remedy::Legacy("raise the Connector's `maxConnections`".to_owned()),
        change: vec![Change {
            key: "max_connections".to_owned(),
            value: "9900".to_owned(),
        }],
        proved: None,
        expected: false,
    };
    assert_eq!(
        serde_json::from_value::<Diagnosis>(diagnosis).expect("a diagnosis"),
        expected
    );
}
