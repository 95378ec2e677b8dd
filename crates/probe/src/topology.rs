//! The CPUs of this machine: their cores, sockets, NUMA nodes and kinds, and what decides their frequency.

use crate::read;
use model::cpus::{self, Cpu};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the kernel describes the machine.
const SYS: &str = "/sys/devices";

/// A core is of a slower kind if its capacity is below this share of the fastest of a kind. The best cores of one kind differ by less.
const SAME_KIND: f64 = 0.80;

/// The CPUs that this process may use. What the kernel does not tell of one is as if it had a core of its own and were like all others.
pub fn usable_cpus() -> Vec<Cpu> {
    let status = read("/proc/self/status").unwrap_or_default();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let allowed = allowed.and_then(cpus::parse).unwrap_or_default();
    Topology::of(Path::new(SYS)).cpus(&allowed)
}

/// How many CPUs the machine has.
pub fn online() -> usize {
    let online = read(&format!("{SYS}/system/cpu/online")).ok();
    let online = online.and_then(|list| cpus::parse(&list));
    online.map_or(0, |online| online.len())
}

/// The kernel's description of the machine below a folder, which is `/sys/devices` except in tests.
struct Topology {
    devices: PathBuf,
}

impl Topology {
    fn of(devices: &Path) -> Self {
        Self { devices: devices.to_owned() }
    }

    fn list(&self, file: &str) -> Option<Vec<usize>> {
        cpus::parse(&read(self.devices.join(file).to_str()?).ok()?)
    }

    fn number(&self, file: &str) -> Option<usize> {
        read(self.devices.join(file).to_str()?).ok()?.trim().parse().ok()
    }

    /// The CPUs of these numbers, in that order.
    fn cpus(&self, numbers: &[usize]) -> Vec<Cpu> {
        let nodes = self.nodes();
        let classes = self.classes(numbers);
        let cpu = |number: usize| {
            let topology = format!("system/cpu/cpu{number}/topology");
            let siblings = self.list(&format!("{topology}/thread_siblings_list"));
            Cpu {
                number,
                core: siblings.and_then(|all| all.into_iter().min()).unwrap_or(number),
                package: self.number(&format!("{topology}/physical_package_id")).unwrap_or(0),
                node: nodes.get(&number).copied().unwrap_or(0),
                class: classes.get(&number).copied().unwrap_or(0),
            }
        };
        numbers.iter().copied().map(cpu).collect()
    }

    /// The node of each CPU.
    fn nodes(&self) -> BTreeMap<usize, usize> {
        let online = self.list("system/node/online").unwrap_or_default();
        let cpus = |node: usize| {
            let cpus = self.list(&format!("system/node/node{node}/cpulist"));
            cpus.unwrap_or_default().into_iter().map(move |cpu| (cpu, node))
        };
        online.into_iter().flat_map(cpus).collect()
    }

    /// The kind of each CPU, 0 for the fastest: by the performance counters of hybrid Intel processors (core
    /// or atom), or else by the capacity that the kernel gives each CPU.
    fn classes(&self, numbers: &[usize]) -> BTreeMap<usize, usize> {
        let slow = self.list("cpu_atom/cpus").filter(|_| self.list("cpu_core/cpus").is_some());
        if let Some(slow) = slow {
            return slow.into_iter().map(|cpu| (cpu, 1)).collect();
        }
        let capacity = |number: &usize| {
            let capacity = self.number(&format!("system/cpu/cpu{number}/cpu_capacity"))?;
            Some((*number, capacity))
        };
        let mut capacities: Vec<(usize, usize)> = numbers.iter().filter_map(capacity).collect();
        capacities.sort_by_key(|(_, capacity)| std::cmp::Reverse(*capacity));
        let (mut class, mut fastest) = (0, capacities.first().map_or(0, |(_, capacity)| *capacity));
        let ranked = capacities.into_iter().map(|(number, capacity)| {
            if (capacity as f64) < SAME_KIND * fastest as f64 {
                (class, fastest) = (class + 1, capacity);
            }
            (number, class)
        });
        ranked.collect()
    }
}

/// What decides the frequency of the CPUs; `None` where the machine does not show it, as most virtual ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrequencyControl {
    /// The governors of the CPUs, each once: `performance`, `powersave`, `schedutil`.
    pub governor: Option<String>,
    /// The driver: `intel_pstate`, `amd-pstate-epp`, `acpi-cpufreq`.
    pub driver: Option<String>,
    /// How a processor that chooses by itself weighs speed against energy: `performance`, `balance_power`.
    pub preference: Option<String>,
    /// Whether CPUs may exceed their base frequency while few of them are busy and cool.
    pub turbo: Option<Turbo>,
}

/// Whether turbo is on, by the file that says and sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turbo {
    /// By `intel_pstate/no_turbo`, which is 1 when turbo is off.
    Intel {
        /// Whether it is on.
        on: bool,
    },
    /// By `cpufreq/boost`, which is 1 when turbo is on.
    Boost {
        /// Whether it is on.
        on: bool,
    },
}

impl Turbo {
    /// Whether CPUs may exceed their base frequency.
    pub const fn is_on(self) -> bool {
        let (Self::Intel { on } | Self::Boost { on }) = self;
        on
    }
}

impl FrequencyControl {
    /// Reads the frequency control of this machine.
    pub fn read() -> Self {
        Self::of(Path::new(SYS))
    }

    fn of(devices: &Path) -> Self {
        let cpu = devices.join("system/cpu");
        let text = |file: &str| {
            let text = read(cpu.join(file).to_str()?).ok()?;
            Some(text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let online = text("online").and_then(|list| cpus::parse(&list)).unwrap_or_default();
        let all = |file: &str| {
            let values = online.iter().filter_map(|n| text(&format!("cpu{n}/cpufreq/{file}")));
            let values: std::collections::BTreeSet<String> = values.collect();
            let values: Vec<String> = values.into_iter().collect();
            (!values.is_empty()).then(|| values.join(", "))
        };
        let flag = |file: &str| text(file).map(|flag| flag == "1");
        let intel = flag("intel_pstate/no_turbo").map(|off| Turbo::Intel { on: !off });
        Self {
            governor: all("scaling_governor"),
            driver: all("scaling_driver"),
            preference: all("energy_performance_preference"),
            turbo: intel.or_else(|| flag("cpufreq/boost").map(|on| Turbo::Boost { on })),
        }
    }

    /// What is known, as facts for the fingerprint, without the governor, which is a fact by itself.
    pub fn facts(&self) -> impl Iterator<Item = (&'static str, String)> {
        let turbo = self.turbo.map(|turbo| if turbo.is_on() { "on" } else { "off" });
        let facts = [
            ("frequency_driver", self.driver.clone()),
            ("energy_preference", self.preference.clone()),
            ("turbo", turbo.map(str::to_owned)),
        ];
        facts.into_iter().filter_map(|(name, fact)| Some((name, fact?)))
    }
}

/// The name of the virtual machine's kind as its firmware tells it: `Amazon EC2 m7i.large`, `QEMU Standard PC`; `None` where nothing
/// tells it.
pub fn product() -> Option<String> {
    let text = |file: &str| read(&format!("/sys/class/dmi/id/{file}")).ok();
    let (vendor, product) = (text("sys_vendor")?, text("product_name")?);
    Some(format!("{} {}", vendor.trim(), product.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A description of a machine in a folder: files with their texts.
    fn machine(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (file, text) in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, format!("{text}\n")).expect("a file");
        }
        folder
    }

    fn cpus_of(files: &[(&str, &str)], numbers: &[usize]) -> Vec<Cpu> {
        Topology::of(machine(files).path()).cpus(numbers)
    }

    #[test]
    fn cores_sockets_and_nodes_are_read() {
        let files = [
            ("system/cpu/cpu0/topology/thread_siblings_list", "0,4"),
            ("system/cpu/cpu0/topology/physical_package_id", "0"),
            ("system/cpu/cpu5/topology/thread_siblings_list", "1,5"),
            ("system/cpu/cpu5/topology/physical_package_id", "1"),
            ("system/node/online", "0-1"),
            ("system/node/node0/cpulist", "0,2,4,6"),
            ("system/node/node1/cpulist", "1,3,5,7"),
        ];
        let cpu = |number, core, node| Cpu { number, core, package: node, node, class: 0 };
        assert_eq!(cpus_of(&files, &[0, 5]), [cpu(0, 0, 0), cpu(5, 1, 1)]);
        let unknown = Cpu { number: 3, core: 3, ..Cpu::default() };
        assert_eq!(cpus_of(&[], &[3]), [unknown]);
    }

    #[test]
    fn slow_cores_are_told_by_their_counters_or_capacities() {
        let classes = |files: &[(&str, &str)]| {
            let cpus = cpus_of(files, &[0, 1, 2, 3]);
            cpus.iter().map(|cpu| cpu.class).collect::<Vec<_>>()
        };
        let intel = [("cpu_core/cpus", "0-1"), ("cpu_atom/cpus", "2-3")];
        assert_eq!(classes(&intel), [0, 0, 1, 1]);
        let capacities = |capacities: [&str; 4]| {
            let files = ["0", "1", "2", "3"].map(|cpu| format!("system/cpu/cpu{cpu}/cpu_capacity"));
            let files: Vec<(&str, &str)> = files.iter().map(String::as_str).zip(capacities).collect();
            classes(&files)
        };
        assert_eq!(capacities(["370", "1024", "725", "370"]), [2, 0, 1, 2]);
        // Favoured cores of one kind are somewhat faster.
        assert_eq!(capacities(["1009", "1024", "1009", "990"]), [0, 0, 0, 0]);
    }

    #[test]
    fn frequency_control_is_read_where_the_machine_shows_it() {
        assert_eq!(FrequencyControl::of(machine(&[]).path()), FrequencyControl::default());
        let files = [
            ("system/cpu/online", "0-1"),
            ("system/cpu/cpu0/cpufreq/scaling_governor", "powersave"),
            ("system/cpu/cpu1/cpufreq/scaling_governor", "performance"),
            ("system/cpu/cpu0/cpufreq/scaling_driver", "intel_pstate"),
            ("system/cpu/intel_pstate/no_turbo", "0"),
        ];
        let control = FrequencyControl::of(machine(&files).path());
        assert_eq!(control.governor.as_deref(), Some("performance, powersave"));
        assert_eq!(control.turbo, Some(Turbo::Intel { on: true }));
        let facts: Vec<_> = control.facts().collect();
        assert_eq!(facts, [("frequency_driver", "intel_pstate".to_owned()), ("turbo", "on".to_owned())]);
        let boost = machine(&[("system/cpu/cpufreq/boost", "0")]);
        assert_eq!(FrequencyControl::of(boost.path()).turbo, Some(Turbo::Boost { on: false }));
    }

    #[test]
    fn the_usable_cpus_are_those_of_this_process() {
        let cpus = usable_cpus();
        assert_eq!(cpus.len(), rustix::thread::sched_getaffinity(None).expect("CPUs").count() as usize);
        assert!(online() >= cpus.len());
    }
}
