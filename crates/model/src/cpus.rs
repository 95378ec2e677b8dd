//! [`CpuSplit`]: the CPUs of the generator and the CPUs of the servers, which do not share a core.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A CPU that this process may use, and where it is in the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cpu {
    pub number: usize,
    /// The least number of the CPUs of its core: CPUs with the same least number are hardware threads of one core.
    pub core: usize,
    /// The socket of its core.
    pub package: usize,
    /// The NUMA node, whose memory is nearest to it.
    pub node: usize,
    /// The kind of its core: 0 for the fastest of the machine, and more for slower ones, such as efficiency cores.
    pub class: usize,
}

/// Fewest CPUs that are divided: the servers keep at least two, as many as a JVM needs for parallel collectors.
pub const LEAST: usize = 4;

/// More CPUs than any kernel has.
const MOST: usize = 8192;

/// The CPUs of the generator and the CPUs of the servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuSplit {
    /// The CPUs of the event loops, which take one each, from the first on.
    pub generator: Vec<usize>,
    /// The CPUs that servers and their services may use.
    pub servers: Vec<usize>,
}

impl CpuSplit {
    /// The name of the fact of each arm.
    pub const FACT: &str = "pinned_cpus";

    /// Returns how the CPUs of a run were divided, by its fingerprint; `None` where servers and generator shared them.
    pub fn of(fingerprint: &BTreeMap<String, String>) -> Option<Self> {
        let fact = fact_of_arms(fingerprint, Self::FACT)?;
        let (servers, generator) = fact.split_once(GENERATOR)?;
        Some(Self { generator: parse(generator)?, servers: parse(servers)? })
    }
}

/// The fact of this name of the first arm that has it: facts about CPUs are the same for all arms.
pub fn fact_of_arms<'a>(fingerprint: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    let is_wanted = |key: &str| {
        let of_arm = key.strip_prefix("arm/").and_then(|key| key.strip_suffix(name));
        of_arm.is_some_and(|arm| arm.ends_with('/'))
    };
    let mut facts = fingerprint.iter();
    facts.find(|(key, _)| is_wanted(key)).map(|(_, fact)| fact.as_str())
}

/// What stands between the CPUs of the servers and the CPUs of the generator in the fact.
const GENERATOR: &str = "; generator ";

/// The text of the fact: `0-2; generator 3`.
impl std::fmt::Display for CpuSplit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{GENERATOR}{}", listed(&self.servers), listed(&self.generator))
    }
}

/// The CPUs that a file gives to each side; empty where prony chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineCpus {
    /// CPUs of the event loops, which take one each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generator: Vec<usize>,
    /// CPUs of the servers and their services.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<usize>,
}

impl MachineCpus {
    /// Whether prony chooses for both sides.
    pub fn is_empty(&self) -> bool {
        self.generator.is_empty() && self.servers.is_empty()
    }

    /// The first CPU that is given to both sides.
    pub fn on_both_sides(&self) -> Option<usize> {
        let mut cpus = self.generator.iter().copied();
        cpus.find(|cpu| self.servers.contains(cpu))
    }
}

/// Divides CPUs between so many event loops and the servers. The generator gets the last cores, because interrupts
/// prefer the first CPU: slow cores before fast ones, then cores of the last NUMA node. Of a core with several hardware
/// threads the generator has all CPUs, and the loops take one thread of each core before they take a second one. `None`
/// with fewer CPUs than `least` ([`LEAST`]), or if the servers would keep less than half of the CPUs that are as fast
/// as their own.
pub fn split_cpus(allowed: &[Cpu], loops: usize, least: usize) -> Option<CpuSplit> {
    if allowed.len() < least || loops == 0 {
        return None;
    }
    let mut cores: BTreeMap<(usize, usize, usize), Vec<Cpu>> = BTreeMap::new();
    for cpu in allowed {
        let place = (cpu.class, cpu.node, cpu.core);
        cores.entry(place).or_default().push(*cpu);
    }
    let mut taken: Vec<Vec<Cpu>> = Vec::new();
    while taken.iter().map(Vec::len).sum::<usize>() < loops {
        taken.push(cores.pop_last()?.1);
    }
    let threads = taken.iter().map(Vec::len).max()?;
    let by_thread = (0..threads).flat_map(|thread| taken.iter().filter_map(move |core| core.get(thread)));
    let generator = by_thread.take(loops).map(|cpu| cpu.number).collect();
    let left: Vec<Cpu> = cores.into_values().flatten().collect();
    let taken = taken.concat();
    let servers = alike(&left, &taken);
    let wanted = match servers.iter().any(|cpu| cpu.class > 0) || taken.iter().any(|cpu| cpu.class == 0) {
        true => allowed.len().div_ceil(2),
        false => least.div_ceil(2),
    };
    let mut servers: Vec<usize> = servers.iter().map(|cpu| cpu.number).collect();
    servers.sort_unstable();
    (servers.len() >= wanted).then_some(CpuSplit { generator, servers })
}

/// Returns the CPUs that servers can use without surprises, out of the CPUs that the generator has left: on a machine
/// with several kinds of cores only the fast CPUs, if at least [`LEAST`] of them are left and the generator has none of
/// them; and only CPUs of NUMA nodes on which the generator is not, if these CPUs are at least half. A thread that
/// moves between unlike CPUs would be now fast, now slow.
fn alike(left: &[Cpu], taken: &[Cpu]) -> Vec<Cpu> {
    let fast: Vec<Cpu> = left.iter().copied().filter(|cpu| cpu.class == 0).collect();
    let alone = fast.len() >= LEAST && taken.iter().all(|cpu| cpu.class > 0);
    let kind = if alone { fast } else { left.to_vec() };
    let beside: BTreeSet<usize> = taken.iter().map(|cpu| cpu.node).collect();
    let apart = kind.iter().copied().filter(|cpu| !beside.contains(&cpu.node));
    let apart: Vec<Cpu> = apart.collect();
    let all = kind.len() + if alone { 0 } else { taken.len() };
    if 2 * apart.len() >= all { apart } else { kind }
}

/// The numbers as the kernel lists them: `0-2,5`.
pub fn listed(cpus: &[usize]) -> String {
    let follow = |one: &usize, next: &usize| *next == one + 1;
    let ranges = cpus.chunk_by(follow).map(|range| match range {
        [first, .., last] => format!("{first}-{last}"),
        _ => range[0].to_string(),
    });
    ranges.collect::<Vec<_>>().join(",")
}

/// The numbers of a list as the kernel writes it, `0-2,5`; `None` for anything else.
pub fn parse(list: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for range in list.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last || last >= MOST {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with `threads` CPUs on each core, numbered as Linux does: all first threads, then all second ones.
    fn machine(cores: usize, threads: usize) -> Vec<Cpu> {
        let cpus = 0..cores * threads;
        cpus.map(|number| Cpu { number, core: number % cores, ..Cpu::default() }).collect()
    }

    fn split(cpus: &[Cpu], loops: usize) -> Option<String> {
        split_cpus(cpus, loops, LEAST).map(|split| split.to_string())
    }

    #[test]
    fn the_generator_gets_the_last_cores_and_the_servers_at_least_half() {
        assert_eq!(split(&machine(4, 1), 1).as_deref(), Some("0-2; generator 3"));
        assert_eq!(split(&machine(4, 1), 2).as_deref(), Some("0-1; generator 3,2"));
        assert_eq!(split(&machine(4, 1), 3), None);
        assert_eq!(split(&machine(2, 1), 1), None);
        assert_eq!(split(&machine(3, 1), 1), None);
        assert_eq!(split(&machine(4, 1), 0), None);
        let two = split_cpus(&machine(2, 1), 1, 2).expect("two are enough for a test");
        assert_eq!(two.to_string(), "0; generator 1");
    }

    #[test]
    fn hardware_threads_of_a_core_stay_together() {
        assert_eq!(split(&machine(2, 2), 1).as_deref(), Some("0,2; generator 1"));
        assert_eq!(split(&machine(4, 2), 1).as_deref(), Some("0-2,4-6; generator 3"));
        assert_eq!(split(&machine(8, 2), 3).as_deref(), Some("0-5,8-13; generator 7,6,15"));
        assert_eq!(split(&machine(1, 4), 1), None);
    }

    #[test]
    fn only_allowed_cpus_are_divided() {
        let mut allowed = machine(8, 1);
        allowed.retain(|cpu| ![0, 7].contains(&cpu.number));
        assert_eq!(split(&allowed, 1).as_deref(), Some("1-5; generator 6"));
        allowed.truncate(3);
        assert_eq!(split(&allowed, 1), None);
    }

    #[test]
    fn a_split_is_read_as_it_was_written() {
        let split = split_cpus(&machine(8, 2), 3, LEAST).expect("enough");
        let facts = BTreeMap::from([
            ("arm/a/limit/cpus".to_owned(), "2".to_owned()),
            (format!("arm/a/{}", CpuSplit::FACT), split.to_string()),
        ]);
        assert_eq!(CpuSplit::of(&facts), Some(split));
        assert_eq!(CpuSplit::of(&BTreeMap::new()), None);
        assert_eq!((parse("0-1,x"), parse("3\n")), (None, Some(vec![3])));
        assert_eq!((parse("2-1"), parse("0-99999999999"), parse("")), (None, None, None));
    }
}
