//! Tests of the ledger: duplicates, gaps, and the merge of histograms.

use super::*;
use crate::message::Totals;
use crate::wire::{IntervalWire, SliceWire};
use load::Histogram;

/// A delta with its parts.
type Sent = (Delta, Vec<Vec<u8>>);

fn interval(second: u64, values: &[u64]) -> Interval {
    let mut histogram: Histogram = load::new_histogram();
    values.iter().for_each(|&value| histogram.saturating_record(value));
    Interval {
        start: Nanos::from_secs(second),
        elapsed: Nanos::from_secs(1),
        requests: values.len() as u64,
        ok: values.len() as u64,
        response: (&histogram).into(),
        service: (&histogram).into(),
        ..Interval::default()
    }
}

/// The deltas of an agent that measures these values, a second each; the last one has the summary.
fn deltas(agent: &str, seconds: &[Vec<u64>]) -> Vec<Sent> {
    let mut all = Slice::empty();
    let mut sent = Vec::new();
    for (number, values) in seconds.iter().enumerate() {
        let interval = interval(number as u64, values);
        all.merge(sum_of([&interval].into_iter()));
        let mut parts = Vec::new();
        let last = number + 1 == seconds.len();
        let delta = Delta {
            agent: agent.to_owned(),
            seq: number as u64 + 1,
            totals: Totals { count: interval.requests, total: all.requests },
            last,
            intervals: vec![IntervalWire::new(&interval, &mut parts)],
            summary: last.then(|| SliceWire::new(&mut all, &mut parts)),
            ..Delta::default()
        };
        sent.push((delta, parts));
    }
    sent
}

fn add(ledger: &mut Ledger, sent: &Sent) -> Result<bool, Refused> {
    let parts: Vec<&[u8]> = sent.1.iter().map(Vec::as_slice).collect();
    ledger.add(&sent.0, &parts)
}

fn seconds() -> Vec<Vec<u64>> {
    vec![vec![1_000, 2_000], vec![3_000], vec![4_000, 5_000, 6_000]]
}

#[test]
fn a_delta_counts_once_whatever_the_order() {
    let mut ledger = Ledger::new(&["a".to_owned()]);
    let sent = deltas("a", &seconds());
    for number in [2, 0, 2, 1, 0] {
        add(&mut ledger, &sent[number]).unwrap();
    }
    assert_eq!(add(&mut ledger, &sent[1]), Ok(false));
    assert!(ledger.is_whole());
    let result = ledger.results().remove(0);
    assert_eq!((result.slice.requests, result.slice.intervals.len()), (6, 3));
    assert_eq!(result.lost, None);
}

#[test]
fn a_gap_is_named_although_all_that_came_is_counted() {
    let mut ledger = Ledger::new(&["a".to_owned(), "b".to_owned()]);
    let sent = deltas("a", &seconds());
    add(&mut ledger, &sent[0]).unwrap();
    add(&mut ledger, &sent[2]).unwrap();
    assert!(!ledger.is_complete("a") && !ledger.is_complete("b"));
    let results = ledger.results();
    assert_eq!(results[0].lost, Some(Lost { seq: 1, seconds: 2 }));
    assert_eq!(results[0].slice.requests, 5);
    assert_eq!(results[1].lost, Some(Lost { seq: 0, seconds: 0 }));
}

#[test]
fn an_agent_that_dies_is_incomplete_although_counted_is_what_it_claimed() {
    let mut ledger = Ledger::new(&["a".to_owned()]);
    for sent in &deltas("a", &seconds())[..2] {
        add(&mut ledger, sent).unwrap();
    }
    assert!(!ledger.is_whole());
    assert_eq!(ledger.results()[0].lost, Some(Lost { seq: 2, seconds: 2 }));
}

#[test]
fn a_number_with_other_content_and_a_stranger_are_refused() {
    let mut ledger = Ledger::new(&["a".to_owned()]);
    let mut sent = deltas("a", &seconds()).remove(0);
    add(&mut ledger, &sent).unwrap();
    sent.0.totals.count += 1;
    assert_eq!(add(&mut ledger, &sent), Err(Refused::Replayed));
    assert_eq!(add(&mut ledger, &deltas("b", &seconds())[0]), Err(Refused::Replayed));
    let mut short = deltas("a", &seconds()).remove(1);
    short.1.pop();
    assert_eq!(add(&mut ledger, &short), Err(Refused::Garbage));
}
