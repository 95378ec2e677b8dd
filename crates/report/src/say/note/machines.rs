//! Sentences about arms that ran on other machines than the generator.

use crate::units;
use model::host_facts::HostSeen;

pub(super) fn elsewhere_english(arms: &[String], host: &HostSeen) -> String {
    format!(
        "{} ran on {}: {} x {}, {}; the round trip on a connection to it was {}, it could send {}, and its clock differed by {}; \
         nothing was computed from times of both clocks",
        arms.join(", "),
        host.url,
        host.cpus,
        host.processor,
        host.kernel,
        units::seconds(host.round_trip),
        units::bit_rate(host.rate),
        units::clock_ahead(host)
    )
}

pub(super) fn elsewhere_chinese(arms: &[String], host: &HostSeen) -> String {
    format!(
        "{} 运行在 {} 上：{} 个 {}，{}；与其连接的往返时间为 {}，其发送速率可达 {}，其时钟与本机相差 {}；没有任何计算同时使用两个时钟的时间",
        arms.join("、"),
        host.url,
        host.cpus,
        host.processor,
        host.kernel,
        units::seconds(host.round_trip),
        units::bit_rate(host.rate),
        units::clock_ahead(host)
    )
}

pub(super) fn several_english(machines: &[Vec<String>]) -> String {
    format!(
        "the arms ran on {} machines ({}): the machines and the ways to them are part of every difference between these arms. Noise \
         of this machine met all of them; noise of another machine or of the way there met only its own arms, so that slices in \
         turn do not cancel it, and only the differences between starts show it. CPU per request by group of threads tells where \
         a difference comes from",
        machines.len(),
        by_machine(machines, ", ", "; ")
    )
}

pub(super) fn several_chinese(machines: &[Vec<String>]) -> String {
    format!(
        "各对象运行在 {} 台机器上（{}）：机器及其线路是这些对象之间每个差异的一部分。本机的噪声影响所有对象；另一台机器或其线路的噪声只影响\
         该机器上的对象，轮流测量的切片无法抵消它，只有各次启动之间的差异能显示它。按线程组划分的每请求 CPU 说明差异从何而来",
        machines.len(),
        by_machine(machines, "、", "；")
    )
}

/// The arms of each machine, with these words between the arms and between the machines.
fn by_machine(machines: &[Vec<String>], between_arms: &str, between_machines: &str) -> String {
    let each: Vec<String> = machines.iter().map(|arms| arms.join(between_arms)).collect();
    each.join(between_machines)
}
