//! The runs of one experiment in sequence: which of them can be compared with the newest, how they drift, and whether the newest one shows a
//! change for the worse.

use crate::decided;
use crate::drift::{SEED, Series, drift, series};
use crate::pair::{differences, why_left_out};
use record::decision::Decision;
use record::history::{ChangedFacts, Drift, Gate, LeftOut, WhyLeftOut, Worsening};
use record::outcome::Report;
use stats::changepoint::{FEWEST_NIGHTS, newest};
use std::collections::BTreeMap;

/// What the runs of an experiment show in sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The runs that cannot be compared with the newest one.
    pub left_out: Vec<LeftOut>,
    /// How the others drift, comparison by comparison.
    pub drift: Vec<Drift>,
    /// What differs from run to run.
    pub facts: Vec<ChangedFacts>,
    /// Whether the newest run shows a change for the worse in its headline that nobody has accepted or dismissed.
    pub gate: Gate,
}

/// Follows the results of an experiment from run to run; `reports` are in order, the oldest first. Every figure is a ratio to the baseline of its run, which met
/// the same noise, so that the drift of the machine cancels. The baseline has to be the same build in all runs. `decisions` are about changes of this experiment.
pub fn sequence(reports: &[Report], decisions: &[Decision]) -> Sequence {
    let (comparable, left_out) = comparable(reports);
    let series = series(&comparable);
    let left_out = left_out.into_iter().map(|(why, runs)| LeftOut { why, runs });
    Sequence {
        left_out: left_out.collect(),
        drift: drift(&series, decisions),
        facts: changed_facts(&comparable),
        gate: gate(reports.last(), &series, decisions),
    }
}

/// Returns the gate of the newest run, only with changes for the worse that no earlier run has shown. Every
/// run of the nights after a change shows it, but people want to be told once.
pub fn news(reports: &[Report], decisions: &[Decision]) -> Gate {
    let mut found = gate_of(reports, decisions);
    if found.worse.is_empty() {
        return found;
    }
    // A run without a valid figure shows nothing, also when the run before it did.
    let mut earlier = (1..reports.len()).rev().map(|end| gate_of(&reports[..end], decisions));
    let known = earlier.find(|gate| gate.series > 0);
    let place = |run: &str| reports.iter().position(|report| report.run == run);
    let is_same = |one: &Worsening, other: &Worsening| {
        let series = |worse: &Worsening| (worse.arm.clone(), worse.measure, users(worse));
        // With every night, the place of a change is found anew; a new level takes two nights.
        let [one_at, other_at] = [one, other].map(|worse| place(&worse.change.run).unwrap_or(0));
        series(one) == series(other) && one_at.abs_diff(other_at) < 2
    };
    found.worse.retain(|new| {
        let mut known = known.iter().flat_map(|gate| &gate.worse);
        !known.any(|known| is_same(new, known))
    });
    found
}

fn users(worse: &Worsening) -> Option<u64> {
    worse.level.as_ref().and_then(|level| level.users)
}

fn gate_of(reports: &[Report], decisions: &[Decision]) -> Gate {
    gate(reports.last(), &series(&comparable(reports).0), decisions)
}

/// What differs between each run and the one before it.
fn changed_facts(reports: &[&Report]) -> Vec<ChangedFacts> {
    let pairs = reports.windows(2).map(|pair| ChangedFacts {
        run: pair[1].run.clone(),
        before: pair[0].run.clone(),
        differs: differences(pair[0], pair[1]),
    });
    pairs.filter(|changed| !changed.differs.is_empty()).collect()
}

/// The runs that can be compared with the newest one, and how many cannot, by their reason.
fn comparable(reports: &[Report]) -> (Vec<&Report>, BTreeMap<WhyLeftOut, usize>) {
    let mut left_out: BTreeMap<WhyLeftOut, usize> = BTreeMap::new();
    let mut comparable: Vec<&Report> = Vec::new();
    let newest = reports.last();
    for report in reports {
        match newest.and_then(|newest| why_left_out(report, newest)) {
            Some(why) => *left_out.entry(why).or_default() += 1,
            None => comparable.push(report),
        }
    }
    (comparable, left_out)
}

/// Looks for a change for the worse in every series of the headline that the newest run continues; together they keep the error rate.
fn gate(run: Option<&Report>, series: &[Series<'_>], decisions: &[Decision]) -> Gate {
    let continued = |series: &&Series<'_>| {
        let last = series.points.last();
        run.zip(last).is_some_and(|(run, last)| {
            last.report.run == run.run && run.design.has_headline(series.key.measure)
        })
    };
    let headline: Vec<&Series<'_>> = series.iter().filter(continued).collect();
    let worse = headline.iter().filter_map(|series| worsening(series, headline.len(), decisions));
    Gate {
        newest: run.map(|run| run.run.clone()),
        anchor: run.map(|run| run.design.baseline.clone()),
        series: headline.len(),
        runs: headline.iter().map(|series| series.points.len()).min().unwrap_or(0),
        needed: FEWEST_NIGHTS,
        worse: worse.collect(),
    }
}

fn worsening(series: &Series<'_>, of: usize, decisions: &[Decision]) -> Option<Worsening> {
    let decided = decided::nights(series, decisions);
    let change = newest(&series.nights(), of, &decided, SEED).filter(|change| change.change < 0.0)?;
    Some(Worsening {
        arm: series.key.arm.clone(),
        measure: series.key.measure,
        level: series.level(),
        change: series.change(&change, decisions),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, record, round};
    use record::decision::DecisionKind;
    use record::rounds::RunRecord;

    /// A run of three starts in which `ten` is better by about `factor`, with these facts and the usual ones.
    fn report(number: usize, factor: f64, facts: &[(&str, &str)]) -> Report {
        let usual = [("kernel", "6.1"), ("prony", "1"), ("arm/nine/build", "v1"), ("arm/ten/build", "v2")];
        let facts = usual.iter().chain(facts);
        let record = RunRecord {
            run: format!("run-{number:02}"),
            fingerprint: facts.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            ..record(experiment())
        };
        let wave = |start: u32| 1.0 + 0.001 * f64::from((start * 7 + number as u32 * 3) % 5);
        let rounds: Vec<_> =
            (1..=3).map(|start| round(start, &[PLAIN, PLAIN.better(factor * wave(start))])).collect();
        crate::report(&record, &rounds)
    }

    fn worse(gate: &Gate) -> Vec<&str> {
        gate.worse.iter().map(|worse| worse.measure.id()).collect()
    }

    #[test]
    fn a_change_for_the_worse_fails_the_gate_with_what_changed() {
        let later = 16 + stats::changepoint::ALARM_NIGHTS;
        // A report takes far longer to make than a sequence of reports to follow, so each night is made once.
        let changed = |factor: f64| {
            move |number| report(number, factor, &[("arm/ten/build", "v3"), ("arm/nine/jdk", "25")])
        };
        let before: Vec<Report> = (0..16).map(|number| report(number, 1.0, &[])).collect();
        let nights: Vec<Report> =
            before.iter().cloned().chain((16..=later).map(changed(1.0 / 1.05))).collect();
        let sequence_of = |last: usize| sequence(&nights[..last], &[]);
        let found = sequence_of(19).gate;
        assert!(!found.worse.is_empty() && found.series == found.worse.len(), "{found:?}");
        for worse in &found.worse {
            assert_eq!(worse.arm, "ten");
            assert_eq!((worse.change.before.as_str(), worse.change.run.as_str()), ("run-15", "run-16"));
            let names: Vec<&str> = worse.change.differs.iter().map(|fact| fact.name.as_str()).collect();
            assert_eq!(names, ["arm/nine/jdk", "arm/ten/build"]);
        }
        let better: Vec<Report> = before.into_iter().chain((16..19).map(changed(1.05))).collect();
        assert_eq!(worse(&sequence(&better, &[]).gate), [""; 0], "it got better");
        assert_eq!(worse(&sequence_of(17).gate), [""; 0], "one night shows nothing");
        assert_eq!(worse(&sequence_of(later).gate).len(), found.worse.len());
        assert_eq!(worse(&sequence_of(later + 1).gate), [""; 0], "it is the usual level by now");
    }

    #[test]
    fn a_change_is_news_on_the_first_night_that_shows_it() {
        let nights: Vec<Report> = (0..24)
            .map(|number| match number {
                0..16 => report(number, 1.0, &[]),
                16..20 => report(number, 1.0 / 1.05, &[]),
                _ => report(number, 1.0 / 1.12, &[]),
            })
            .collect();
        let told: Vec<usize> =
            (1..=nights.len()).filter(|end| !news(&nights[..*end], &[]).worse.is_empty()).collect();
        assert!(told.len() == 2 && (18..20).contains(&told[0]) && told[1] > 21, "{told:?}");
        let mut voided = nights[..told[0]].to_vec();
        let last = voided.last_mut().expect("a night");
        for comparison in &mut last.comparisons {
            comparison.verdict = record::outcome::Verdict::Invalid;
        }
        assert_eq!(news(&voided, &[]).series, 0);
        let mut held = nights[..=told[0]].to_vec();
        assert_eq!(worse(&news(&held, &[])), [""; 0], "it is known");
        held[told[0] - 1] = voided.pop().expect("a night");
        assert_ne!(worse(&news(&held, &[])), [""; 0], "nobody was told on the night without a figure");
    }

    #[test]
    fn runs_that_cannot_be_compared_with_the_newest_are_counted_by_their_reason() {
        let mut reports: Vec<Report> = (0..6).map(|number| report(number, 1.0, &[])).collect();
        reports[0] = report(0, 1.0, &[("kernel", "5.10")]);
        reports[1] = report(1, 1.0, &[("prony", "0")]);
        reports[2] = report(2, 1.0, &[("arm/nine/build", "v0")]);
        reports[3] = report(3, 1.0, &[("arm/ten/build", "v0"), ("kernel", "6.1.3")]);
        let found = sequence(&reports, &[]);
        let reasons: Vec<(WhyLeftOut, usize)> =
            found.left_out.iter().map(|out| (out.why, out.runs)).collect();
        let expected = [WhyLeftOut::MachineClass, WhyLeftOut::Method, WhyLeftOut::Anchor].map(|why| (why, 1));
        assert_eq!(reasons, expected);
        assert!(found.drift.iter().all(|series| series.points.len() == 3), "{:?}", found.drift);
        assert_eq!((found.gate.runs, found.gate.anchor.as_deref()), (3, Some("nine")));
        assert_eq!(sequence(&[], &[]).gate.newest, None);
    }

    /// A decision about the change that begins with the run of this number.
    fn decision(number: usize, kind: DecisionKind) -> Decision {
        Decision {
            run: format!("run-{number:02}"),
            kind,
            comment: "the new parser".to_owned(),
            by: String::new(),
            at: String::new(),
        }
    }

    #[test]
    fn an_accepted_change_fails_no_gate_and_a_further_one_does() {
        let nights: Vec<Report> = (0..28)
            .map(|number| match number {
                0..16 => report(number, 1.0, &[]),
                16..23 => report(number, 1.0 / 1.05, &[]),
                _ => report(number, 1.0 / 1.12, &[("arm/ten/build", "v3")]),
            })
            .collect();
        for kind in [DecisionKind::Accepted, DecisionKind::Dismissed] {
            let decisions = [decision(16, kind)];
            let found = sequence(&nights[..20], &decisions);
            assert_eq!(worse(&found.gate), [""; 0], "{kind:?}");
            assert_eq!(worse(&news(&nights[..20], &decisions)), [""; 0]);
            let changes = || found.drift.iter().flat_map(|series| &series.changes);
            assert!(changes().count() > 0, "it is shown nevertheless");
            assert!(changes().all(|change| change.decision.as_ref() == Some(&decisions[0])));
        }
        let accepted = [decision(16, DecisionKind::Accepted)];
        let later = sequence(&nights, &accepted);
        assert!(!later.gate.worse.is_empty());
        for worse in &later.gate.worse {
            assert_eq!((worse.change.run.as_str(), &worse.change.decision), ("run-23", &None));
            let percent = worse.change.ratio.ln().abs();
            assert!(percent < 0.09, "beside the accepted level: {percent}");
        }
        let [changed] = later.facts.as_slice() else { panic!("{:?}", later.facts) };
        assert_eq!((changed.before.as_str(), changed.run.as_str()), ("run-22", "run-23"));
        // It was accepted on a run without a figure in some series: the next one begins the level there.
        let mut holed = nights[..20].to_vec();
        for comparison in &mut holed[16].comparisons {
            comparison.verdict = record::outcome::Verdict::Invalid;
        }
        assert_eq!(worse(&sequence(&holed, &accepted).gate), [""; 0]);
    }
}
