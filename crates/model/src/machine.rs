//! The class of a machine: the facts that decide how noisy measurements are on it. Machines of one class
//! share calibrations; runs on machines of different classes are never compared. And the priority that a machine gives the
//! generator.

use say::Say;
use std::collections::BTreeMap;

/// Returns the class of the machine with this fingerprint, as one line for people and as a key:
/// `x86_64, Intel(R) Xeon(R) CPU @ 2.80GHz, 2 CPUs, 32 GiB, Linux 6.18, virtual`.
///
/// It holds the processor, the CPUs that prony may use, the memory (rounded up to a power of two, because what the kernel
/// keeps for itself differs from boot to boot), the series of the kernel and whether there is a hypervisor. Patch levels
/// and settings are left out: a class that splits at every update never learns anything.
pub fn class(fingerprint: &BTreeMap<String, String>) -> String {
    let fact = |key: &str| fingerprint.get(key).map_or("unknown", String::as_str);
    let virtualised = match fact("hypervisor") {
        "true" => "virtual",
        "false" => "bare metal",
        _ => "unknown",
    };
    format!(
        "{}, {}, {} CPUs, {}, Linux {}, {virtualised}",
        fact("arch"),
        fact("cpu"),
        fact("cpus"),
        memory(fact("memory_bytes")),
        series(fact("kernel")),
    )
}

fn memory(bytes: &str) -> String {
    match bytes.parse::<u64>() {
        Ok(bytes) => format!("{} GiB", bytes.div_ceil(1 << 30).next_power_of_two()),
        Err(_) => "unknown memory".to_owned(),
    }
}

/// `6.18`, from `6.18.44-1-amd64`.
fn series(kernel: &str) -> String {
    kernel.split('.').take(2).collect::<Vec<_>>().join(".")
}

/// The scheduling priority that the threads of the generator had. It is a fact of the fingerprint, because a generator that has to
/// wait for a CPU sends late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum GeneratorPriority {
    /// The generator lowered its nice value.
    #[say(en = "nice {nice}", zh = "nice {nice}")]
    Raised {
        /// The nice value.
        nice: i32,
    },
    /// The generator takes a real-time priority while requests are due at a rate, and lowers its nice value in closed loops.
    #[say(
        en = "real-time priority {priority} at a rate, else nice {nice}",
        zh = "固定速率下实时优先级 {priority}，其余 nice {nice}"
    )]
    RealTimeAtRates {
        /// From 1, the lowest, to 99.
        priority: u32,
        /// The nice value.
        nice: i32,
    },
    /// prony was started with a real-time priority, and the generator kept it.
    #[say(en = "real-time priority {priority}", zh = "实时优先级 {priority}")]
    RealTime {
        /// From 1, the lowest, to 99.
        priority: u32,
    },
    /// The system did not permit to lower the nice value.
    #[say(
        en = "nice {nice} (a higher priority is not permitted)",
        zh = "nice {nice}（系统不允许更高的优先级）"
    )]
    Usual {
        /// The nice value.
        nice: i32,
    },
}

impl GeneratorPriority {
    /// The name of the fact.
    pub const FACT: &str = "generator_priority";

    /// Returns the priority from a fingerprint; `None` where it has none.
    pub fn of(fingerprint: &BTreeMap<String, String>) -> Option<Self> {
        let fact = fingerprint.get(Self::FACT)?;
        let number = |before: &str, after: &str| fact.strip_prefix(before)?.strip_suffix(after);
        let nice = |after: &str| number("nice ", after)?.parse().ok();
        let real_time = || number("real-time ", "")?.parse().ok();
        let at_rates = || {
            let (priority, nice) = number("real-time ", "")?.split_once(AT_RATES)?;
            let (priority, nice) = (priority.parse().ok()?, nice.parse().ok()?);
            Some(Self::RealTimeAtRates { priority, nice })
        };
        real_time()
            .map(|priority| Self::RealTime { priority })
            .or_else(at_rates)
            .or_else(|| nice(NOT_PERMITTED).map(|nice| Self::Usual { nice }))
            .or_else(|| nice("").map(|nice| Self::Raised { nice }))
    }

    /// The priority during one load: at a fixed rate if `at_rate`, else in a closed loop.
    pub fn during(self, at_rate: bool) -> Self {
        match self {
            Self::RealTimeAtRates { priority, .. } if at_rate => Self::RealTime { priority },
            Self::RealTimeAtRates { nice, .. } => Self::Raised { nice },
            other => other,
        }
    }
}

/// How the fact ends if a higher priority was refused.
const NOT_PERMITTED: &str = ", not permitted";

/// What stands between the two priorities of the fact if the generator has a real-time priority at fixed rates only.
const AT_RATES: &str = " at a rate, else nice ";

/// The text of the fact: `real-time 1 at a rate, else nice -15`, `nice -15`, `real-time 1` or `nice 0, not permitted`.
impl std::fmt::Display for GeneratorPriority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Raised { nice } => write!(f, "nice {nice}"),
            Self::RealTimeAtRates { priority, nice } => write!(f, "real-time {priority}{AT_RATES}{nice}"),
            Self::RealTime { priority } => write!(f, "real-time {priority}"),
            Self::Usual { nice } => write!(f, "nice {nice}{NOT_PERMITTED}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(facts: &[(&str, &str)]) -> BTreeMap<String, String> {
        let usual = [
            ("arch", "x86_64"),
            ("cpu", "Xeon"),
            ("cpus", "2"),
            ("hypervisor", "true"),
            ("kernel", "6.18.44-1-amd64"),
            ("memory_bytes", "25229377536"),
        ];
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        usual.iter().chain(facts).map(owned).collect()
    }

    #[test]
    fn a_class_is_what_decides_about_noise() {
        let class = class(&fingerprint(&[]));
        assert_eq!(class, "x86_64, Xeon, 2 CPUs, 32 GiB, Linux 6.18, virtual");
    }

    #[test]
    fn updates_and_settings_do_not_split_a_class_and_hardware_does() {
        let usual = class(&fingerprint(&[]));
        for same in [("kernel", "6.18.50"), ("memory_bytes", "25229000000"), ("vm/swappiness", "1")] {
            assert_eq!(class(&fingerprint(&[same])), usual, "{same:?}");
        }
        for other in [
            ("kernel", "6.1.0"),
            ("memory_bytes", "68719476736"),
            ("cpus", "4"),
            ("cpu", "EPYC"),
            ("hypervisor", "false"),
            ("arch", "aarch64"),
        ] {
            assert_ne!(class(&fingerprint(&[other])), usual, "{other:?}");
        }
    }

    #[test]
    fn the_priority_of_the_generator_is_read_as_it_was_written() {
        for priority in [
            GeneratorPriority::Raised { nice: -15 },
            GeneratorPriority::RealTimeAtRates { priority: 1, nice: -15 },
            GeneratorPriority::RealTime { priority: 1 },
            GeneratorPriority::Usual { nice: 0 },
        ] {
            let facts = fingerprint(&[(GeneratorPriority::FACT, &priority.to_string())]);
            assert_eq!(GeneratorPriority::of(&facts), Some(priority));
        }
        assert_eq!(GeneratorPriority::of(&fingerprint(&[])), None);
    }

    #[test]
    fn what_is_not_known_is_said() {
        let class = class(&BTreeMap::new());
        assert_eq!(class, "unknown, unknown, unknown CPUs, unknown memory, Linux unknown, unknown");
    }
}
