//! How often a nightly job fails although nothing has changed, and how soon it finds a change. `bench/history` measures both at length.

use crate::nightly::{self, CPU, FalseAlarms, MID, Reader, Scenario};

/// Simulated histories.
const HISTORIES: u64 = 200;

/// The share of histories in which a change of `effect` is found within three nights.
fn found_in_time(scenario: Scenario, effect: f64) -> f64 {
    let delays = (1..=HISTORIES).map(|seed| nightly::delay(scenario, effect, 3, 1, seed));
    let in_time = delays.flatten().count();
    in_time as f64 / HISTORIES as f64
}

#[test]
fn a_nightly_job_fails_at_most_once_a_year_without_a_change() {
    // 200 histories of 22 nights are twelve years.
    const NIGHTS: usize = 22;
    let years = HISTORIES as f64 * NIGHTS as f64 / 365.0;
    let found: Vec<FalseAlarms> =
        (1..=HISTORIES).map(|seed| nightly::false_alarms(MID, NIGHTS, 1, seed)).collect();
    let alarms: usize = found.iter().map(|found| found.alarms).sum();
    let nights: usize = found.iter().map(|found| found.nights).sum();
    println!("{alarms} alarms on {nights} nights in {years:.1} years without a change");
    assert!(nights as f64 <= years, "{nights} nights in {years:.1} years");
    assert!(alarms > 0, "the simulation is too quiet to test anything");
}

#[test]
fn a_change_of_five_per_cent_is_found_within_three_short_nights_and_no_more_is_alarmed() {
    let failing = |effect: f64| {
        let histories = 1..=2 * HISTORIES;
        histories.filter(|seed| nightly::fails_in_short_nights(effect, *seed)).count()
    };
    let (share, wrong) = (failing(0.05) as f64 / (2 * HISTORIES) as f64, failing(0.0));
    println!("found within three nights: {share}, alarms in as many flat histories: {wrong}");
    // With weights by the standard errors of the nights, 62 % were found, and 3 flat histories alarmed.
    assert!(share >= 0.70, "{share}");
    assert!(wrong <= 3, "{wrong}");
}

#[test]
fn decisions_about_changes_do_not_make_the_job_fail_more_often() {
    const NIGHTS: usize = 22;
    const READERS: u64 = 50;
    let years = READERS as f64 * NIGHTS as f64 / 365.0;
    // The first alarm of the change is right.
    for (effect, reader, right) in [(0.0, Reader::Dismisses, 0), (0.10, Reader::Accepts, 1)] {
        let found: Vec<usize> =
            (1..=READERS).map(|seed| nightly::alarms(MID, effect, reader, NIGHTS, 1, seed).alarms).collect();
        let missed = found.iter().filter(|alarms| **alarms < right).count();
        let wrong: usize = found.iter().map(|alarms| alarms.saturating_sub(right)).sum();
        println!("{wrong} wrong alarms in {years:.1} years, {missed} changes missed");
        assert!(wrong as f64 <= years, "{wrong} in {years:.1} years");
        assert_eq!(missed, 0);
    }
}

#[test]
fn a_change_of_five_per_cent_of_cpu_is_found_within_three_nights() {
    let share = found_in_time(CPU, 0.05);
    println!("found within three nights: {share}");
    assert!(share >= 0.99, "{share}");
}

#[test]
fn a_change_of_five_per_cent_of_throughput_is_found_within_three_nights_beside_a_neighbour() {
    let share = found_in_time(MID, 0.05);
    println!("found within three nights: {share}");
    assert!(share >= 0.90, "{share}");
}
