//! CPU time of a process by group of threads: who in a server does the work, and who waits for a CPU.

use crate::Error;
use model::telemetry::GroupTotals;
use model::units::Nanos;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

/// The threads of one process. Those that end keep their part of their group's totals, so that totals never fall.
#[derive(Debug)]
pub struct Threads {
    folder: String,
    alive: HashMap<u32, Thread>,
    ended: BTreeMap<String, GroupTotals>,
}

/// One thread as it was last seen.
#[derive(Debug)]
struct Thread {
    group: String,
    /// Seen twice under this name: a JVM names a thread shortly after it has begun, and never again.
    sure: bool,
    used: GroupTotals,
}

impl Threads {
    /// Of process `pid`.
    pub fn of(pid: u32) -> Self {
        Self {
            folder: format!("/proc/{pid}/task"),
            alive: HashMap::new(),
            ended: BTreeMap::new(),
        }
    }

    /// What the threads have used, by the name of their group. Of a thread that ended, up to when it was last seen.
    ///
    /// # Errors
    /// The process is gone, or not ours to look at.
    pub fn by_group(&mut self) -> Result<BTreeMap<String, GroupTotals>, Error> {
        let entries = fs::read_dir(&self.folder).map_err(|source| Error::Proc {
            path: self.folder.clone(),
            source,
        })?;
        let mut before = std::mem::take(&mut self.alive);
        for entry in entries.flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            // A thread may end between the listing and the reading.
            if let Some(thread) = Thread::read(&entry.path(), before.remove(&id)) {
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
}

fn add(sum: &mut GroupTotals, used: GroupTotals) {
    sum.cpu = sum.cpu + used.cpu;
    sum.waited = sum.waited + used.waited;
    sum.switches += used.switches;
}

impl Thread {
    fn read(task: &Path, before: Option<Self>) -> Option<Self> {
        let used = totals(&fs::read_to_string(task.join("schedstat")).ok()?)?;
        if let Some(known) = before.as_ref().filter(|known| known.sure) {
            let group = known.group.clone();
            return Some(Self {
                group,
                sure: true,
                used,
            });
        }
        let name = fs::read_to_string(task.join("comm")).ok()?;
        let group = group(name.trim_end());
        let sure = before.is_some_and(|before| before.group == group);
        Some(Self { group, sure, used })
    }
}

/// CPU time, time of waiting for a CPU, and times that it got one, from `/proc/PID/task/TID/schedstat`.
fn totals(schedstat: &str) -> Option<GroupTotals> {
    let mut fields = schedstat.split_whitespace().map(|field| field.parse().ok());
    Some(GroupTotals {
        cpu: Nanos(fields.next()??),
        waited: Nanos(fields.next()??),
        switches: fields.next()??,
        threads: 0,
    })
}

/// Names that threads of one purpose share, as far as the kernel's 15 characters show them. What is not listed is known by
/// its own name without its number.
const GROUPS: [(&str, &str); 16] = [
    ("C1 CompilerThre", "JIT"),
    ("C2 CompilerThre", "JIT"),
    ("Sweeper thread", "JIT"),
    ("GC Thread", "GC"),
    ("G1 ", "GC"),
    ("ZWorker", "GC"),
    ("ZDriver", "GC"),
    ("VM Thread", "VM"),
    ("VM Periodic", "VM"),
    ("ForkJoinPool-1-", "carriers"),
    ("http-", "workers"),
    ("https-", "workers"),
    ("catalina-exec", "workers"),
    ("XNIO-", "workers"),
    ("qtp", "workers"),
    ("tomcat-handler", "workers"),
];

/// The group of a thread by its name.
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
    fn threads_of_one_purpose_are_one_group() {
        assert_eq!(group("http-nio-127.0."), "workers");
        assert_eq!(group("https-openssl-n"), "workers");
        assert_eq!(group("qtp1034568234-2"), "workers");
        assert_eq!(group("G1 Conc#0"), "GC");
        assert_eq!(group("GC Thread#1"), "GC");
        assert_eq!(group("C2 CompilerThre"), "JIT");
        assert_eq!(group("ForkJoinPool-1-"), "carriers");
        assert_eq!(group("my-pool-17"), "my-pool");
        assert_eq!(group("42"), "42");
    }

    #[test]
    fn three_numbers_are_a_threads_totals() {
        let expected = GroupTotals {
            cpu: Nanos(123),
            waited: Nanos(45),
            switches: 6,
            threads: 0,
        };
        assert_eq!(totals("123 45 6\n"), Some(expected));
        assert_eq!(totals("123 45"), None);
    }

    #[test]
    fn the_group_that_works_has_the_time_also_when_its_thread_has_ended() {
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
                thread::park(); // Its time is read while it lives.
            })
            .expect("a thread");
        wait.recv().expect("it worked");
        let mut threads = Threads::of(std::process::id());
        let alive = threads.by_group().expect("our own")["workers"];
        assert_eq!(alive.threads, 1);
        assert!(alive.cpu > Nanos(1_000_000), "{alive:?}");
        worker.thread().unpark();
        worker.join().expect("ended");
        // The kernel may list an ended thread for a moment longer.
        let ended = loop {
            let groups = threads.by_group().expect("our own");
            if groups["workers"].threads == 0 {
                break groups["workers"];
            }
        };
        assert!(
            ended.cpu >= alive.cpu && ended.switches >= alive.switches,
            "{ended:?}"
        );
    }

    #[test]
    fn a_process_that_is_gone_has_no_threads() {
        let mut child = std::process::Command::new("true").spawn().expect("true");
        child.wait().expect("ended");
        assert!(Threads::of(child.id()).by_group().is_err());
    }
}
