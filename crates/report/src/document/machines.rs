//! The machines of the arms, side by side, where not all ran beside the generator.

use super::by_arm::ArmRow;
use crate::units;
use crate::words::Words;
use model::units::BitRate;
use record::host_facts::HostSeen;
use record::outcome::{ArmResult, Report};

/// What is shown of another machine.
type HostText = fn(&HostSeen) -> String;

/// The rows about the machines of the arms; none where all ran beside the generator.
pub(super) fn rows(report: &Report, words: &Words) -> Vec<ArmRow> {
    let host = |arm: &ArmResult| HostSeen::of(&report.fingerprint, &arm.name);
    if report.arms.iter().all(|arm| host(arm).is_none()) {
        return Vec::new();
    }
    let fact = |name: &str| report.fingerprint.get(name).map(String::as_str);
    let [cpus, cpu, kernel] = ["cpus", "cpu", "kernel"].map(|name| fact(name).unwrap_or(words.unknown));
    let none = || words.none.to_owned();
    let rows: [(&str, HostText, String); 6] = [
        (words.host, |host| host.url.clone(), words.this_machine.to_owned()),
        (words.processor, |host| format!("{} x {}", host.cpus, host.processor), format!("{cpus} x {cpu}")),
        (words.kernel, |host| host.kernel.clone(), format!("Linux {kernel}")),
        (words.round_trip, |host| units::seconds(host.round_trip.0), none()),
        (words.link_rate, |host| BitRate(host.rate as u64).to_string(), none()),
        (words.host_clock, HostSeen::clock, none()),
    ];
    let row = |(title, there, here): (&str, HostText, String)| {
        ArmRow::new(report, title, |arm| host(arm).as_ref().map_or_else(|| here.clone(), there))
    };
    rows.into_iter().map(row).collect()
}
