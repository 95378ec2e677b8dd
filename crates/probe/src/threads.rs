//! The CPU time of a process by groups of threads. It shows which threads of a server do the work and which wait for a
//! CPU.

use crate::Error;
use model::units::Nanos;
use record::telemetry::GroupTotals;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

/// The threads of one process by group. The totals of threads that have ended remain in their group, so that totals never
/// decrease.
#[derive(Debug)]
pub struct ThreadGroups {
    /// The folder `/proc/PID/task`.
    folder: String,
    /// The threads of the last reading, by their id.
    alive: HashMap<u32, ThreadReading>,
    /// The totals of ended threads by group.
    ended: BTreeMap<String, GroupTotals>,
}

/// The last reading of one thread.
#[derive(Debug)]
struct ThreadReading {
    group: String,
    /// True when two readings found the same group. A JVM names a thread shortly after its start and never again, so the
    /// name need not be read any more.
    is_final: bool,
    used: GroupTotals,
}

impl ThreadGroups {
    /// For process `pid`; reads nothing yet.
    pub fn of(pid: u32) -> Self {
        Self { folder: format!("/proc/{pid}/task"), alive: HashMap::new(), ended: BTreeMap::new() }
    }

    /// The totals of the threads by the name of their group. A thread that has ended counts as it was at its last reading.
    ///
    /// # Errors
    /// [`Error::Proc`] when the process has ended or belongs to another user.
    pub fn by_group(&mut self) -> Result<BTreeMap<String, GroupTotals>, Error> {
        let entries =
            fs::read_dir(&self.folder).map_err(|source| Error::Proc { path: self.folder.clone(), source })?;
        let mut before = std::mem::take(&mut self.alive);
        for entry in entries.flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            // A thread may end after it was listed.
            if let Some(thread) = ThreadReading::take(&entry.path(), before.remove(&id)) {
                self.alive.insert(id, thread);
            }
        }
        for thread in before.into_values() {
            add(self.ended.entry(thread.group).or_default(), thread.used);
        }
        let mut groups = self.ended.clone();
        for thread in self.alive.values() {
            let group = groups.entry(thread.group.clone()).or_default();
            add(group, thread.used);
            group.threads += 1;
        }
        Ok(groups)
    }

    /// The ids of the threads of a group at the last reading.
    pub(crate) fn members(&self, group: &str) -> impl Iterator<Item = u32> {
        let of_group = self.alive.iter().filter(move |(_, thread)| thread.group == group);
        of_group.map(|(id, _)| *id)
    }
}

/// Adds what a thread has used to a sum.
fn add(sum: &mut GroupTotals, used: GroupTotals) {
    sum.cpu = sum.cpu + used.cpu;
    sum.waited = sum.waited + used.waited;
    sum.switches += used.switches;
}

impl ThreadReading {
    /// Reads a thread whose folder is `task` and whose last reading was `before`; `None` when it has ended.
    fn take(task: &Path, before: Option<Self>) -> Option<Self> {
        let used = parse_totals(&fs::read_to_string(task.join("schedstat")).ok()?)?;
        if let Some(known) = before.as_ref().filter(|known| known.is_final) {
            let group = known.group.clone();
            return Some(Self { group, is_final: true, used });
        }
        let name = fs::read_to_string(task.join("comm")).ok()?;
        let group = group(name.trim_end());
        let is_final = before.is_some_and(|before| before.group == group);
        Some(Self { group, is_final, used })
    }
}

/// Parses `/proc/PID/task/TID/schedstat`: the CPU time, the time spent waiting for a CPU, and how often the thread got one.
fn parse_totals(schedstat: &str) -> Option<GroupTotals> {
    let mut fields = schedstat.split_whitespace().map(|field| field.parse().ok());
    Some(GroupTotals {
        cpu: Nanos(fields.next()??),
        waited: Nanos(fields.next()??),
        switches: fields.next()??,
        threads: 0,
    })
}

/// The group of the threads that compile.
pub(crate) const COMPILERS: &str = "JIT";

/// The group of the event loops: each of these threads serves many connections.
const EVENT_LOOPS: &str = "event loops";

/// Beginnings of thread names and the groups to which they belong. The kernel keeps 15 characters of a name. A thread that
/// is not listed belongs to a group with its own name without the number.
const GROUPS: [(&str, &str); 24] = [
    ("C1 CompilerThre", COMPILERS),
    ("C2 CompilerThre", COMPILERS),
    ("Sweeper thread", COMPILERS),
    ("JVMCI", COMPILERS),           // Graal
    ("JIT Compilation", COMPILERS), // OpenJ9
    ("GC Thread", "GC"),
    ("G1 ", "GC"),
    ("ZWorker", "GC"),
    ("ZDriver", "GC"),
    ("VM Thread", "VM"),
    ("VM Periodic", "VM"),
    ("ForkJoinPool-1-", "carriers"),
    ("XNIO-1 I/O-", EVENT_LOOPS), // Undertow
    ("reactor-http-", EVENT_LOOPS),
    ("vert.x-eventloo", EVENT_LOOPS),
    ("default-nioEven", EVENT_LOOPS), // Micronaut
    ("nioEventLoopGro", EVENT_LOOPS),
    ("epollEventLoopG", EVENT_LOOPS),
    ("http-", "workers"),
    ("https-", "workers"),
    ("catalina-exec", "workers"),
    ("XNIO-", "workers"),
    ("qtp", "workers"),
    ("tomcat-handler", "workers"),
];

/// The group of a thread with this name.
fn group(name: &str) -> String {
    let listed = GROUPS.iter().find(|(begin, _)| name.starts_with(begin));
    match listed {
        Some((_, group)) => (*group).to_owned(),
        None => {
            let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '#' | '_'));
            (if bare.is_empty() { name } else { bare }).to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    #[test]
    fn threads_with_one_purpose_belong_to_one_group() {
        assert_eq!(group("http-nio-127.0."), "workers");
        assert_eq!(group("https-openssl-n"), "workers");
        assert_eq!(group("qtp1034568234-2"), "workers");
        for name in ["XNIO-1 I/O-2", "reactor-http-ep", "vert.x-eventloo", "default-nioEven"] {
            assert_eq!(group(name), "event loops");
        }
        assert_eq!(group("XNIO-1 task-3"), "workers");
        assert_eq!(group("G1 Conc#0"), "GC");
        assert_eq!(group("GC Thread#1"), "GC");
        assert_eq!(group("C2 CompilerThre"), "JIT");
        assert_eq!(group("JVMCI-native Co"), "JIT");
        assert_eq!(group("JIT Compilation"), "JIT");
        assert_eq!(group("ForkJoinPool-1-"), "carriers");
        assert_eq!(group("my-pool-17"), "my-pool");
        assert_eq!(group("42"), "42");
    }

    #[test]
    fn the_totals_of_a_thread_are_three_numbers() {
        let expected = GroupTotals { cpu: Nanos(123), waited: Nanos(45), switches: 6, threads: 0 };
        assert_eq!(parse_totals("123 45 6\n"), Some(expected));
        assert_eq!(parse_totals("123 45"), None);
    }

    #[test]
    fn a_group_keeps_the_cpu_time_of_a_thread_that_has_ended() {
        let (done, wait) = mpsc::channel::<()>();
        let worker = thread::Builder::new()
            .name("XNIO-worker-1".to_owned())
            .spawn(move || {
                let mut sum = 0u64;
                for i in 0..20_000_000u64 {
                    sum = sum.wrapping_mul(31).wrapping_add(std::hint::black_box(i));
                }
                std::hint::black_box(sum);
                let _ = done.send(());
                thread::park(); // so that its time can be read while it is alive
            })
            .expect("a thread");
        wait.recv().expect("it worked");
        let mut threads = ThreadGroups::of(std::process::id());
        // The kernel may leave a thread out of a listing while other threads end.
        let alive = loop {
            if let Some(group) = threads.by_group().expect("our own").get("workers") {
                break *group;
            }
        };
        assert_eq!(alive.threads, 1);
        assert!(alive.cpu > Nanos(1_000_000), "{alive:?}");
        worker.thread().unpark();
        worker.join().expect("ended");
        // The kernel may list an ended thread for a moment.
        let ended = loop {
            let groups = threads.by_group().expect("our own");
            if groups["workers"].threads == 0 {
                break groups["workers"];
            }
        };
        assert!(ended.cpu >= alive.cpu && ended.switches >= alive.switches, "{ended:?}");
    }

    #[test]
    fn an_ended_process_is_an_error() {
        let mut child = std::process::Command::new("true").spawn().expect("true");
        child.wait().expect("ended");
        assert!(ThreadGroups::of(child.id()).by_group().is_err());
    }
}
