//! [`Isolation`]: whether the generator and the servers have CPUs of their own, and if not, why.

use crate::cpus::{Cpu, CpuSplit, MachineCpus, fact_of_arms, listed, split_cpus};
use crate::units::Cpus;
use say::Say;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Why the generator and the servers do not have cores of their own.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotSeparated {
    /// There are too few CPUs to divide.
    #[say(
        en = "{share}: {restricted?prony may use {usable} of the {online} CPUs of this machine (`taskset` or a control group)|the machine \
              has {usable} {usable|CPU|CPUs}}, and from 4 on each side gets its own",
        zh = "{share}：本机有 {restricted?{online} 个 CPU，而 prony 只能使用 {usable} 个（`taskset` 或控制组的限制）|{usable} 个 CPU}；达到 4 \
              个时双方各有自己的 CPU",
        share = TheyShare,
        restricted = usable < online
    )]
    FewCpus {
        /// CPUs that prony may use.
        usable: usize,
        /// CPUs of the machine; more than `usable` where prony is restricted by `taskset` or a control group.
        online: usize,
    },
    /// Cores for the generator would leave the servers less than half of the CPUs.
    #[say(
        en = "{share}: cores for {loops} {loops|event loop|event loops} of the generator would leave the servers less than half of the \
              {usable} CPUs",
        zh = "{share}：若为压测端的 {loops} 个事件循环分出核心，服务器将只剩下 {usable} 个 CPU 中的不到一半",
        share = TheyShare
    )]
    FewCores {
        /// Event loops of the generator.
        loops: usize,
        /// CPUs that prony may use.
        usable: usize,
    },
    /// An arm is allowed more CPUs than would be left for the servers.
    #[say(
        en = "{share}: an arm is allowed {allowed} CPUs, and {left} would be left for the servers",
        zh = "{share}：有对象可用 {allowed} 个 CPU，而服务器只会剩下 {left} 个",
        share = TheyShare
    )]
    Limit {
        /// What the arm may use.
        allowed: Cpus,
        /// CPUs that would be left.
        left: usize,
    },
    /// The servers are behind a link of their own.
    #[say(
        en = "{share}: the servers are behind a link; `[machine]` divides the CPUs nevertheless",
        zh = "{share}：服务器位于独立链路之后；`[machine]` 仍可将 CPU 分开",
        share = TheyShare
    )]
    Link,
    /// A server ran already, so that its CPUs are not ours to choose.
    #[say(
        en = "{share}, if they are on this machine: a server ran already, so its CPUs are not prony's to choose",
        zh = "若服务器在本机，则{share}：有服务器早已在运行，prony 无法选择它的 CPU",
        share = TheyShare
    )]
    RanAlready,
    /// The file gives two hardware threads of one core to different sides.
    #[say(
        en = "generator and servers share a core: the CPUs {generator} and {server} are hardware threads of one, so that each slows the \
              other down",
        zh = "压测端与服务器共用一个核心：CPU {generator} 与 {server} 是同一核心的硬件线程，彼此拖慢对方"
    )]
    OneCore {
        /// The CPU of the generator.
        generator: usize,
        /// The CPU of the servers.
        server: usize,
    },
}

/// What it means that the generator and the servers share CPUs.
#[derive(Say)]
#[say(
    en = "generator and servers share their CPUs, so that each takes time from the other",
    zh = "压测端与服务器共用 CPU，彼此占用对方的时间"
)]
struct TheyShare;

impl NotSeparated {
    /// The name of the fact of each arm.
    pub const FACT: &str = "shared_cpus";

    /// Returns why the sides shared CPUs, by the fingerprint of a run; `None` where they did not, and where the file asked for
    /// it.
    pub fn of(fingerprint: &BTreeMap<String, String>) -> Option<Self> {
        let fact = fact_of_arms(fingerprint, Self::FACT)?;
        let (kind, numbers) = fact.split_once(": ").unwrap_or((fact, ""));
        let numbers: Vec<f64> = numbers.split(" of ").filter_map(|n| n.parse().ok()).collect();
        let pair = match numbers[..] {
            [one, other] => Some((one, other)),
            _ => None,
        };
        let whole = || pair.map(|(one, other)| (one as usize, other as usize));
        Some(match kind {
            FEW_CPUS => whole().map(|(usable, online)| Self::FewCpus { usable, online })?,
            FEW_CORES => whole().map(|(loops, usable)| Self::FewCores { loops, usable })?,
            LIMIT => {
                pair.map(|(allowed, left)| Self::Limit { allowed: Cpus(allowed), left: left as usize })?
            }
            ONE_CORE => whole().map(|(generator, server)| Self::OneCore { generator, server })?,
            LINK => Self::Link,
            RAN_ALREADY => Self::RanAlready,
            _ => return None,
        })
    }
}

const FEW_CPUS: &str = "usable CPUs";
const FEW_CORES: &str = "event loops on CPUs";
const LIMIT: &str = "CPUs allowed and left";
const ONE_CORE: &str = "one core, generator and server";
const LINK: &str = "link";
const RAN_ALREADY: &str = "server ran already";

/// The text of the fact: `usable CPUs: 2 of 8`.
impl std::fmt::Display for NotSeparated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::FewCpus { usable, online } => write!(f, "{FEW_CPUS}: {usable} of {online}"),
            Self::FewCores { loops, usable } => write!(f, "{FEW_CORES}: {loops} of {usable}"),
            Self::Limit { allowed, left } => write!(f, "{LIMIT}: {allowed} of {left}"),
            Self::OneCore { generator, server } => write!(f, "{ONE_CORE}: {generator} of {server}"),
            Self::Link => f.write_str(LINK),
            Self::RanAlready => f.write_str(RAN_ALREADY),
        }
    }
}

/// How the CPUs are used in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Isolation {
    /// The CPUs of both sides; `None` where they share all.
    pub split: Option<CpuSplit>,
    /// What they share although nobody asked for it.
    pub shared: Option<NotSeparated>,
}

/// What decides whether CPUs are divided, beside the machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IsolationRequest {
    /// Event loops of the generator.
    pub loops: usize,
    /// Whether the file asks for shared CPUs.
    pub shared: bool,
    /// Why they cannot be divided, whatever the machine.
    pub obstacle: Option<NotSeparated>,
    /// The most CPUs that an arm is allowed; 0 where none is limited.
    pub limit: Cpus,
}

/// Divides the usable CPUs of a machine that has `online` ones; fewer than `least` are not divided.
pub fn isolate(request: IsolationRequest, usable: &[Cpu], online: usize, least: usize) -> Isolation {
    if request.shared {
        return Isolation::default();
    }
    let because = |why| Isolation { split: None, shared: Some(why) };
    if let Some(why) = request.obstacle {
        return because(why);
    }
    let (loops, limit) = (request.loops, request.limit);
    let (few, online) = (usable.len(), online.max(usable.len()));
    if few < least {
        return because(NotSeparated::FewCpus { usable: few, online });
    }
    match split_cpus(usable, loops, least) {
        None => because(NotSeparated::FewCores { loops, usable: few }),
        Some(split) if limit.0 > split.servers.len() as f64 => {
            because(NotSeparated::Limit { allowed: limit, left: split.servers.len() })
        }
        split => Isolation { split, shared: None },
    }
}

/// Why the CPUs that a file names cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(error)]
pub enum CpuRefusal {
    /// Prony may not use one of them.
    #[say(
        en = "the CPU {cpu} was asked for, and prony may use {usable} only",
        zh = "所要求的 CPU {cpu} 不可用：prony 只能使用 {usable}"
    )]
    NotUsable {
        cpu: usize,
        /// The list of CPUs that may be used.
        usable: String,
    },
    /// One is given to both sides.
    #[say(
        en = "the CPU {cpu} cannot belong to both the generator and the servers",
        zh = "CPU {cpu} 不能既属于压测端又属于服务器"
    )]
    BothSides { cpu: usize },
    /// A server ran already, so that its CPUs cannot be chosen.
    #[say(
        en = "`{arm}` runs already, so its CPUs cannot be chosen",
        zh = "`{arm}` 已在运行，无法选择它的 CPU"
    )]
    RanAlready {
        /// The name of its arm.
        arm: String,
    },
    /// One side is given all, and nothing is left for the other one.
    #[say(
        en = "no CPU is left for the {generator?generator|servers}",
        zh = "没有给{generator?压测端|服务器}留下 CPU"
    )]
    NothingLeft {
        /// Whether it is the generator that has none.
        generator: bool,
    },
    /// The generator has more event loops than CPUs.
    #[say(
        en = "the generator has {loops} event loops, and {cpus} {cpus|CPU|CPUs} of its own",
        zh = "压测端有 {loops} 个事件循环，而它自己的 CPU 只有 {cpus} 个"
    )]
    FewForLoops {
        /// The event loops.
        loops: usize,
        cpus: usize,
    },
}

/// The CPUs as a file asks for them, for so many event loops. A side that the file does not name gets the CPUs that are left, without
/// those whose core the other side uses, as far as there are others.
pub fn asked_isolation(asked: &MachineCpus, usable: &[Cpu], loops: usize) -> Result<Isolation, CpuRefusal> {
    check_usable(&asked.servers, usable)?;
    if let Some(cpu) = asked.on_both_sides() {
        return Err(CpuRefusal::BothSides { cpu });
    }
    let servers = match asked.servers.is_empty() {
        true => left_by(&asked.generator, usable),
        false => asked.servers.clone(),
    };
    let generator = match asked.generator.is_empty() {
        // The last ones, as without a wish.
        true => left_by(&servers, usable).into_iter().rev().take(loops).collect(),
        false => asked.generator.clone(),
    };
    for (cpus, generator) in [(&servers, false), (&generator, true)] {
        if cpus.is_empty() {
            return Err(CpuRefusal::NothingLeft { generator });
        }
    }
    check_generator(&generator, usable, loops)?;
    let split = CpuSplit { generator, servers };
    Ok(Isolation { shared: common_core(&split, usable), split: Some(split) })
}

/// Checks that there is a usable CPU for each event loop.
pub fn check_generator(cpus: &[usize], usable: &[Cpu], loops: usize) -> Result<(), CpuRefusal> {
    check_usable(cpus, usable)?;
    let cpus = cpus.len();
    if cpus < loops {
        return Err(CpuRefusal::FewForLoops { loops, cpus });
    }
    Ok(())
}

fn check_usable(cpus: &[usize], usable: &[Cpu]) -> Result<(), CpuRefusal> {
    let numbers: Vec<usize> = usable.iter().map(|cpu| cpu.number).collect();
    match cpus.iter().copied().find(|cpu| !numbers.contains(cpu)) {
        None => Ok(()),
        Some(cpu) => Err(CpuRefusal::NotUsable { cpu, usable: listed(&numbers) }),
    }
}

/// The CPUs that the other side leaves: those on other cores, or if there are none, the other threads of its cores.
fn left_by(other: &[usize], usable: &[Cpu]) -> Vec<usize> {
    let is_others = |cpu: &&Cpu| other.contains(&cpu.number);
    let cores: BTreeSet<usize> = usable.iter().filter(is_others).map(|cpu| cpu.core).collect();
    let free = usable.iter().filter(|cpu| !is_others(cpu));
    let apart = free.clone().filter(|cpu| !cores.contains(&cpu.core));
    let apart: Vec<usize> = apart.map(|cpu| cpu.number).collect();
    match apart.is_empty() {
        true => free.map(|cpu| cpu.number).collect(),
        false => apart,
    }
}

/// The first core that both sides have threads of.
fn common_core(split: &CpuSplit, usable: &[Cpu]) -> Option<NotSeparated> {
    let core = |number: usize| usable.iter().find(|cpu| cpu.number == number).map(|cpu| cpu.core);
    let both = |generator: usize| {
        let other = split.servers.iter().copied();
        let mut other = other.filter(|server| core(*server) == core(generator));
        other.next().map(|server| NotSeparated::OneCore { generator, server })
    };
    split.generator.iter().copied().find_map(both)
}

#[cfg(test)]
#[path = "isolation_tests.rs"]
mod tests;
