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

/// What is shown of another machine; `None` where it is unknown.
type HostText = fn(&HostSeen) -> Option<String>;

/// The rows about the machines of the arms; none where all ran beside the generator.
pub(super) fn rows(report: &Report, language: Language) -> Vec<ArmRow> {
    let host = |arm: &ArmResult| HostSeen::of(&report.fingerprint, &arm.name);
    if report.arms.iter().all(|arm| host(arm).is_none()) {
        return Vec::new();
    }
    let unknown = || text(&Label::Unknown, language);
    let fact = |name: &str| report.fingerprint.get(name).map(String::as_str);
    let [cpus, cpu, kernel] =
        ["cpus", "cpu", "kernel"].map(|name| fact(name).map_or_else(unknown, str::to_owned));
    let none = || text(&Label::None, language);
    let rows: [(MachineText, HostText, String); 6] = [
        (MachineText::Host, |host| Some(host.url.clone()), text(&MachineText::ThisMachine, language)),
        (
            MachineText::Processor,
            |host| Some(format!("{} x {}", host.cpus, host.processor)),
            format!("{cpus} x {cpu}"),
        ),
        (MachineText::Kernel, |host| Some(host.kernel.clone()), format!("Linux {kernel}")),
        (MachineText::RoundTrip, |host| host.round_trip.map(|trip| units::seconds(trip.0)), none()),
        (MachineText::LinkRate, |host| host.rate.map(|rate| BitRate(rate as u64).to_string()), none()),
        (MachineText::Clock, |host| Some(host.clock()), none()),
    ];
    let row = |(title, there, here): (MachineText, HostText, String)| {
        ArmRow::new(report, text(&title, language), |arm| {
            let shown = |host: &HostSeen| there(host).unwrap_or_else(unknown);
            host(arm).as_ref().map_or_else(|| here.clone(), shown)
        })
    };
    rows.into_iter().map(row).collect()
}
