//! What `prony doctor` has found out about the CPUs: who uses which, and what changes their speed.

use super::CheckStatus;
use model::cpus::listed;
use model::isolation::{Isolation, NotSeparated};
use model::note::RunNote;
use probe::topology::Turbo;
use report::Lang;

/// One thing about the CPUs. Only what the machine shows is checked.
#[derive(Debug)]
pub(crate) enum MachineCheck {
    /// Which CPUs a run with one event loop gives to each side.
    Isolation(Isolation),
    /// Hardware threads share cores.
    Smt {
        /// Whether generator and servers have cores of their own nevertheless.
        separated: bool,
    },
    /// The governor of the frequency, or several.
    Governor(String),
    /// Whether CPUs exceed their base frequency while they are cool and few are busy.
    Turbo(Turbo),
    /// This is a virtual machine, whose firmware may give it a name.
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

    pub(super) const fn title(&self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::Isolation(_), Lang::En) => "own CPUs",
            (Self::Isolation(_), Lang::Zh) => "CPU 分配",
            (Self::Smt { .. }, Lang::En) => "SMT",
            (Self::Smt { .. }, Lang::Zh) => "超线程",
            (Self::Governor(_), Lang::En) => "governor",
            (Self::Governor(_), Lang::Zh) => "调频策略",
            (Self::Turbo(_), Lang::En) => "turbo",
            (Self::Turbo(_), Lang::Zh) => "睿频",
            (Self::Virtual(_), Lang::En) => "virtual",
            (Self::Virtual(_), Lang::Zh) => "虚拟机",
        }
    }

    pub(super) fn english(&self) -> String {
        match self {
            Self::Isolation(isolation) => match &isolation.split {
                Some(split) => format!(
                    "servers get {}, the generator {}",
                    listed(&split.servers),
                    listed(&split.generator)
                ),
                None => why(isolation.shared, Lang::En),
            },
            Self::Smt { separated: true } => {
                "is on; no core has a thread of the generator and one of a server".to_owned()
            }
            Self::Smt { separated: false } => {
                "is on, and generator and servers use hardware threads of the same cores".to_owned()
            }
            Self::Governor(governor) => governor.clone(),
            Self::Turbo(turbo) if turbo.is_on() => {
                "is on: the clock changes with heat and with the number of busy cores".to_owned()
            }
            Self::Turbo(_) => "is off".to_owned(),
            Self::Virtual(product) => {
                let product = product.as_ref().map(|name| format!(" ({name})"));
                format!(
                    "a virtual machine{}: its host decides about clocks and may take CPU time, which every slice watches",
                    product.unwrap_or_default()
                )
            }
        }
    }

    pub(super) fn chinese(&self) -> String {
        match self {
            Self::Isolation(isolation) => match &isolation.split {
                Some(split) => format!(
                    "服务器用 {}，压测端用 {}",
                    listed(&split.servers),
                    listed(&split.generator)
                ),
                None => why(isolation.shared, Lang::Zh),
            },
            Self::Smt { separated: true } => "已开启；压测端与服务器的线程不在同一核心上".to_owned(),
            Self::Smt { separated: false } => "已开启，压测端与服务器使用同一批核心的硬件线程".to_owned(),
            Self::Governor(governor) => governor.clone(),
            Self::Turbo(turbo) if turbo.is_on() => "已开启：主频随温度和繁忙核心数而变".to_owned(),
            Self::Turbo(_) => "已关闭".to_owned(),
            Self::Virtual(product) => {
                let product = product.as_ref().map(|name| format!("（{name}）"));
                format!(
                    "本机是虚拟机{}：主频由宿主机决定，CPU 时间可能被挪用，每个切片都会监测",
                    product.unwrap_or_default()
                )
            }
        }
    }

    /// What to do where it is not as it should be.
    pub(super) const fn hint(&self, lang: Lang) -> Option<&'static str> {
        Some(match (self, lang) {
            (Self::Isolation(_), Lang::En) => {
                "give each side its own: [machine] generator_cpus = \"0\", server_cpus = \"1\", or --generator-cpus and --server-cpus"
            }
            (Self::Isolation(_), Lang::Zh) => {
                "可为双方分别指定：[machine] generator_cpus = \"0\", server_cpus = \"1\"，或用 --generator-cpus 和 --server-cpus"
            }
            (Self::Smt { .. }, Lang::En) => {
                "while you measure: echo off | sudo tee /sys/devices/system/cpu/smt/control"
            }
            (Self::Smt { .. }, Lang::Zh) => {
                "测量期间请运行：echo off | sudo tee /sys/devices/system/cpu/smt/control"
            }
            (Self::Governor(_), Lang::En) => {
                "while you measure: echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
            }
            (Self::Governor(_), Lang::Zh) => {
                "测量期间请运行：echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
            }
            (Self::Turbo(Turbo::Intel { .. }), Lang::En) => {
                "while you measure: echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
            }
            (Self::Turbo(Turbo::Intel { .. }), Lang::Zh) => {
                "测量期间请运行：echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
            }
            (Self::Turbo(Turbo::Boost { .. }), Lang::En) => {
                "while you measure: echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"
            }
            (Self::Turbo(Turbo::Boost { .. }), Lang::Zh) => {
                "测量期间请运行：echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"
            }
            (Self::Virtual(_), _) => return None,
        })
    }
}

/// Why both sides share CPUs.
fn why(shared: Option<NotSeparated>, lang: Lang) -> String {
    shared.map_or_else(String::new, |why| {
        report::say::note(&RunNote::SharedCores(why).into(), lang)
    })
}
