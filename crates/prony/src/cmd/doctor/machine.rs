//! What `prony doctor` has found out about the CPUs: who uses which, and what changes their speed.

use super::check::CheckStatus;
use model::cpus::listed;
use model::isolation::{Isolation, NotSeparated};
use probe::topology::Turbo;
use record::note::RunNote;
use say::{Say, Writer};

/// One thing about the CPUs. Only what the machine shows is checked.
#[derive(Debug, Say)]
pub(super) enum MachineCheck {
    /// Which CPUs a run with one event loop gives to each side.
    #[say(
        en = "{split?servers get {servers}, the generator {generator}|{shared}}",
        zh = "{split?服务器用 {servers}，压测端用 {generator}|{shared}}",
        hint(
            en = "give each side its own: [machine] generator_cpus = \"0\", server_cpus = \"1\", or --generator-cpus and --server-cpus",
            zh = "可为双方分别指定：[machine] generator_cpus = \"0\", server_cpus = \"1\"，或用 --generator-cpus 和 --server-cpus"
        ),
        split = _0.split.is_some(),
        servers = _0.split.as_ref().map(|split| listed(&split.servers)),
        generator = _0.split.as_ref().map(|split| listed(&split.generator)),
        shared = Shared(_0.shared)
    )]
    Isolation(Isolation),
    /// Hardware threads share cores.
    #[say(
        en = "{separated?is on; no core has a thread of the generator and one of a server|is on, and generator and servers use hardware threads of the same cores}",
        zh = "{separated?已开启；压测端与服务器的线程不在同一核心上|已开启，压测端与服务器使用同一批核心的硬件线程}",
        hint(
            en = "while you measure: echo off | sudo tee /sys/devices/system/cpu/smt/control",
            zh = "测量期间请运行：echo off | sudo tee /sys/devices/system/cpu/smt/control"
        )
    )]
    Smt {
        /// Whether generator and servers have cores of their own nevertheless.
        separated: bool,
    },
    /// The governor of the frequency, or several.
    #[say(
        en = "{0}",
        zh = "{0}",
        hint(
            en = "while you measure: echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
            zh = "测量期间请运行：echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
        )
    )]
    Governor(String),
    /// Whether CPUs exceed their base frequency while they are cool and few are busy.
    #[say(
        en = "{on?is on: the clock changes with heat and with the number of busy cores|is off}",
        zh = "{on?已开启：主频随温度和繁忙核心数而变|已关闭}",
        hint(
            en = "while you measure: echo {command}",
            zh = "测量期间请运行：echo {command}"
        ),
        on = _0.is_on(),
        command = match _0 {
            Turbo::Intel { .. } => "1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo",
            Turbo::Boost { .. } => "0 | sudo tee /sys/devices/system/cpu/cpufreq/boost",
        }
    )]
    Turbo(Turbo),
    /// This is a virtual machine, whose firmware may give it a name.
    #[say(
        en = "a virtual machine{0? ({})}: its host decides about clocks and may take CPU time, which every slice watches",
        zh = "本机是虚拟机{0?（{}）}：主频由宿主机决定，CPU 时间可能被挪用，每个切片都会监测"
    )]
    Virtual(Option<String>),
}

impl MachineCheck {
    pub(super) fn mark(&self) -> CheckStatus {
        let bad = match self {
            Self::Isolation(isolation) => isolation.shared.is_some(),
            Self::Smt { separated } => !separated,
            Self::Governor(governor) => governor != "performance",
            Self::Turbo(turbo) => turbo.is_on(),
            Self::Virtual(_) => false,
        };
        if bad { CheckStatus::Warn } else { CheckStatus::Ok }
    }

    /// Its title in English and in Chinese.
    pub(super) const fn title(&self) -> (&'static str, &'static str) {
        match self {
            Self::Isolation(_) => ("own CPUs", "CPU 分配"),
            Self::Smt { .. } => ("SMT", "超线程"),
            Self::Governor(_) => ("governor", "调频策略"),
            Self::Turbo(_) => ("turbo", "睿频"),
            Self::Virtual(_) => ("virtual", "虚拟机"),
        }
    }
}

/// Why both sides share CPUs.
struct Shared(Option<NotSeparated>);

impl Say for Shared {
    fn say(&self, out: &mut Writer) {
        if let Some(why) = self.0 {
            RunNote::SharedCores(why).say(out);
        }
    }
}
