//! Prints how often the nightly job (`prony history --gate`) fails although nothing has changed, also where somebody decides about each alarm, and
//! after how many nights it finds a change. `bench/history` calls it.
//!
//! usage: history [HISTORIES [NIGHTS]]; by default 200 histories of 365 nights.

#[path = "../tests/it/nightly.rs"]
mod nightly;
#[allow(dead_code, reason = "it also simulates the slices of single runs")]
#[path = "../tests/it/noise_model.rs"]
mod noise_model;

use nightly::{CPU, FalseAlarms, MID, Reader, Scenario};
use stats::changepoint::ALARM_NIGHTS;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let mut next = |usual| arguments.next().unwrap_or(Ok(usual)).expect("a number");
    let (histories, nights) = (next(200), next(365));
    println!("{histories} simulated histories of {nights} nights; every night 12 starts of both arms");
    for (name, scenario) in [("CPU per request", CPU), ("throughput beside a neighbour", MID)] {
        for series in [1, 3] {
            show_false_alarms(name, scenario, histories, nights, series);
            show_alarms_after_decisions(name, scenario, histories, nights, series);
            for effect in [0.03, 0.05, 0.10] {
                show_delays(name, scenario, histories, series, effect);
            }
        }
    }
    let failing = |effect: f64| {
        let failing = (1..=histories).filter(|seed| nightly::fails_in_short_nights(effect, *seed as u64));
        100.0 * failing.count() as f64 / histories as f64
    };
    println!(
        "throughput, 5 to 7 starts a night: a change of 5 % found within 3 nights in {:.1} %, and failed in {:.1} % without a change",
        failing(0.05),
        failing(0.0)
    );
}

fn show_false_alarms(name: &str, scenario: Scenario, histories: usize, nights: usize, series: usize) {
    let of = |seed| nightly::false_alarms(scenario, nights, series, seed as u64);
    let found: Vec<FalseAlarms> = (1..=histories).map(of).collect();
    let years = (histories * nights) as f64 / 365.0;
    // Each of the series can fail the job, so that the job fails as often as all of them together.
    let a_year = |count: fn(&FalseAlarms) -> usize| {
        found.iter().map(count).sum::<usize>() as f64 / years * series as f64
    };
    let (alarms, failed) = (a_year(|found| found.alarms), a_year(|found| found.nights));
    println!("{name}, series: {series}: without a change {alarms:.2} alarms a year, on {failed:.2} nights");
}

/// Prints how often the job fails where a false alarm is dismissed on its first night, and where a change of 5 % is accepted on the first night on
/// which it is found. The first alarm of such a change is right and does not count.
fn show_alarms_after_decisions(
    name: &str,
    scenario: Scenario,
    histories: usize,
    nights: usize,
    series: usize,
) {
    let years = (histories * nights) as f64 / 365.0;
    let a_year = |effect, reader, right: usize| {
        let of = |seed| nightly::alarms(scenario, effect, reader, nights, series, seed as u64);
        let found = (1..=histories).map(of).map(|found| found.alarms.saturating_sub(right));
        found.sum::<usize>() as f64 / years * series as f64
    };
    println!(
        "{name}, series: {series}: {:.2} alarms a year where each is dismissed, {:.2} after a change of 5 % that is accepted",
        a_year(0.0, Reader::Dismisses, 0),
        a_year(0.05, Reader::Accepts, 1)
    );
}

fn show_delays(name: &str, scenario: Scenario, histories: usize, series: usize, effect: f64) {
    let of = |seed| nightly::delay(scenario, effect, ALARM_NIGHTS, series, seed as u64);
    let delays: Vec<Option<usize>> = (1..=histories).map(of).collect();
    let within = |nights: usize| {
        let found = delays.iter().flatten().filter(|delay| **delay <= nights).count();
        100.0 * found as f64 / histories as f64
    };
    println!(
        "{name}, series: {series}: a change of {:.0} % found within 3 nights in {:.1} %, 7 nights in {:.1} %, {ALARM_NIGHTS} nights in {:.1} %",
        100.0 * effect,
        within(3),
        within(7),
        within(ALARM_NIGHTS)
    );
}
