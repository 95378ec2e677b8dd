//! The machines of the arms, side by side, where not all ran beside the generator.

use super::by_arm::ArmRow;
use crate::units;
use crate::words::Label;
use model::units::BitRate;
use record::host_facts::HostSeen;
use record::outcome::{ArmResult, Report};
use say::{Language, Say, text};

/// The words of machines.
#[derive(Say)]
enum MachineText {
    #[say(en = "host", zh = "主机")]
    Host,
    #[say(en = "this machine", zh = "本机")]
    ThisMachine,
    #[say(en = "CPUs", zh = "CPU")]
    Processor,
    #[say(en = "kernel", zh = "内核")]
    Kernel,
    #[say(en = "round trip", zh = "往返时间")]
    RoundTrip,
    #[say(en = "rate of the link", zh = "线路速率")]
    LinkRate,
    #[say(en = "clock, against the one here", zh = "与本机时钟之差")]
    Clock,
}

/// What is shown of another machine.
type HostText = fn(&HostSeen) -> String;

/// The rows about the machines of the arms; none where all ran beside the generator.
pub(super) fn rows(report: &Report, language: Language) -> Vec<ArmRow> {
    let host = |arm: &ArmResult| HostSeen::of(&report.fingerprint, &arm.name);
    if report.arms.iter().all(|arm| host(arm).is_none()) {
        return Vec::new();
    }
    let fact = |name: &str| report.fingerprint.get(name).map(String::as_str);
    let [cpus, cpu, kernel] = ["cpus", "cpu", "kernel"]
        .map(|name| fact(name).map_or_else(|| text(&Label::Unknown, language), str::to_owned));
    let none = || text(&Label::None, language);
    let rows: [(MachineText, HostText, String); 6] = [
        (MachineText::Host, |host| host.url.clone(), text(&MachineText::ThisMachine, language)),
        (
            MachineText::Processor,
            |host| format!("{} x {}", host.cpus, host.processor),
            format!("{cpus} x {cpu}"),
        ),
        (MachineText::Kernel, |host| host.kernel.clone(), format!("Linux {kernel}")),
        (MachineText::RoundTrip, |host| units::seconds(host.round_trip.0), none()),
        (MachineText::LinkRate, |host| BitRate(host.rate as u64).to_string(), none()),
        (MachineText::Clock, HostSeen::clock, none()),
    ];
    let row = |(title, there, here): (MachineText, HostText, String)| {
        ArmRow::new(report, text(&title, language), |arm| {
            host(arm).as_ref().map_or_else(|| here.clone(), there)
        })
    };
    rows.into_iter().map(row).collect()
}
