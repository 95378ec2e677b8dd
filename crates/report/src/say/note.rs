//! Notes as sentences: what a reader has to know before trusting a report.

mod chinese;
mod english;
mod layout;
mod machines;
mod priors;

use super::{Lang, spaced};
use model::note::Note;

/// A note as a sentence.
pub fn note(note: &Note, lang: Lang) -> String {
    match (note, lang) {
        (Note::Run(note), Lang::En) => english::run(note),
        (Note::Run(note), Lang::Zh) => spaced(&chinese::run(note)),
        (Note::Arm(note), Lang::En) => english::arm(note),
        (Note::Arm(note), Lang::Zh) => spaced(&chinese::arm(note)),
        (Note::Load(note), Lang::En) => english::load(note),
        (Note::Load(note), Lang::Zh) => spaced(&chinese::load(note)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::testing::{assert_said_in_both_languages, assert_told_apart};
    use model::finding::{Cause, Remedy};
    use model::host_facts::HostSeen;
    use model::isolation::NotSeparated;
    use model::note::{ArmNote, LeftOut, Part, RunNote, TunedValue, Unavailable};
    use model::outcome::Estimate;
    use model::reason::Reason;

    fn not_counted(part: Part) -> Note {
        let reason = Reason::ClockSet { seconds: 1.5 };
        Note::Run(RunNote::NotCounted {
            start: 3,
            part,
            reason,
        })
    }

    #[test]
    fn a_start_that_was_not_repeated_is_not_said_to_be() {
        let said = |part| note(&not_counted(part), Lang::En);
        assert!(said(Part::Whole).starts_with("start 3 did not count and was repeated: "));
        assert!(said(Part::LastStart).starts_with("start 3 did not count and was not repeated: "));
    }

    #[test]
    fn notes_on_shared_cores_are_said_in_both_languages() {
        let notes = [
            NotSeparated::FewCpus { usable: 2, online: 2 },
            NotSeparated::FewCpus { usable: 2, online: 8 },
            NotSeparated::FewCores { loops: 3, usable: 4 },
            NotSeparated::Limit {
                allowed: 3.5,
                left: 3,
            },
            NotSeparated::Link,
            NotSeparated::RanAlready,
            NotSeparated::OneCore {
                generator: 0,
                server: 1,
            },
        ]
        .map(|why| Note::Run(RunNote::SharedCores(why)));
        for one in &notes {
            assert_said_in_both_languages(&note(one, Lang::En), &note(one, Lang::Zh));
        }
        assert_told_apart(notes.iter(), note);
    }

    #[test]
    fn notes_on_other_machines_are_said_in_both_languages() {
        let host = HostSeen {
            url: "ssh://box".to_owned(),
            processor: "aarch64, Neoverse-N1".to_owned(),
            cpus: 8,
            kernel: "Linux 6.1".to_owned(),
            clock_ahead: 3600.0,
            clock_error: 2e-5,
            round_trip: 51e-6,
            rate: 941e6,
        };
        let machines = [["box-9", "box-10"].as_slice(), ["box-arm"].as_slice()]
            .map(|arms| arms.iter().map(|arm| (*arm).to_owned()).collect());
        let left_out = LeftOut {
            arm: "box-arm".to_owned(),
            why: Unavailable::HostNotGiven {
                host: "arm64".to_owned(),
            },
        };
        let notes = [
            ArmNote::Elsewhere {
                arms: vec!["box-arm".to_owned()],
                host,
            },
            ArmNote::OnSeveralMachines {
                machines: machines.into(),
            },
            ArmNote::LeftOut(left_out),
        ]
        .map(Note::Arm);
        for one in &notes {
            assert_said_in_both_languages(&note(one, Lang::En), &note(one, Lang::Zh));
        }
        assert_told_apart(notes.iter(), note);
        assert!(note(&notes[1], Lang::En).contains("2 machines (box-9, box-10; box-arm)"));
    }

    #[test]
    fn notes_on_trials_and_starts_are_said_in_both_languages() {
        let arm = || "tomcat-9".to_owned();
        let (cause, remedy) = (Cause::ThreadPoolLimit, Remedy::RaiseTasks);
        let value = |value: &str, factor: Option<f64>| TunedValue {
            value: value.to_owned(),
            throughput: factor.map(|value| Estimate {
                value,
                low: Some(0.9 * value),
                high: Some(1.1 * value),
            }),
        };
        let tuned = Note::Arm(ArmNote::Tuned {
            arm: arm(),
            cause,
            setting: "pool.size".to_owned(),
            values: vec![value("16", Some(1.94)), value("32", None)],
        });
        let to_tune = Note::Arm(ArmNote::NothingToTune {
            arm: arm(),
            cause,
            remedy,
        });
        let notes = [
            tuned,
            to_tune,
            not_counted(Part::Whole),
            not_counted(Part::LastStart),
        ];
        for one in &notes {
            assert_said_in_both_languages(&note(one, Lang::En), &note(one, Lang::Zh));
        }
        assert_told_apart(notes.iter(), note);
        assert!(
            note(&notes[0], Lang::En).ends_with(": 1.94 [1.75, 2.13] with 16, not known with 32"),
            "{}",
            note(&notes[0], Lang::En)
        );
    }
}
