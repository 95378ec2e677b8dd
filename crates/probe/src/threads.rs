//! CPU time of a process by group of threads: who in a server does the work, and who waits for a CPU.

use crate::Error;
use model::telemetry::GroupTotals;
use model::units::Nanos;
use std::collections::BTreeMap;
use std::fs;

/// CPU time by group of threads, by the group's name. Threads that have ended are gone with their time: differences of two
/// readings hold for groups whose threads stay.
///
/// # Errors
/// The process is gone, or not ours to look at.
pub fn by_group(pid: u32) -> Result<BTreeMap<String, GroupTotals>, Error> {
    let folder = format!("/proc/{pid}/task");
    let entries = fs::read_dir(&folder).map_err(|source| Error::Proc { path: folder, source })?;
    let mut groups: BTreeMap<String, GroupTotals> = BTreeMap::new();
    for entry in entries.flatten() {
        let task = entry.path();
        // A thread may end between the listing and the reading.
        let file = |name: &str| fs::read_to_string(task.join(name)).ok();
        let (Some(name), Some((cpu, waited))) = (file("comm"), file("schedstat").as_deref().and_then(times))
        else {
            continue;
        };
        let group = groups.entry(group(name.trim_end())).or_default();
        group.threads += 1;
        group.cpu = group.cpu + cpu;
        group.waited = group.waited + waited;
    }
    Ok(groups)
}

/// CPU time and time of waiting for a CPU, from `/proc/PID/task/TID/schedstat`.
fn times(schedstat: &str) -> Option<(Nanos, Nanos)> {
    let mut fields = schedstat
        .split_whitespace()
        .map(|field| field.parse().ok().map(Nanos));
    Some((fields.next()??, fields.next()??))
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
    fn the_group_that_works_has_the_time() {
        let (done, wait) = mpsc::channel::<()>();
        let worker = thread::Builder::new()
            .name("http-worker-1".to_owned())
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
        let groups = by_group(std::process::id()).expect("our own");
        worker.thread().unpark();
        worker.join().expect("ended");
        let workers = groups["workers"];
        assert_eq!(workers.threads, 1);
        assert!(workers.cpu > Nanos(1_000_000), "{workers:?}");
        assert_eq!(times("123 45 6\n"), Some((Nanos(123), Nanos(45))));
        assert_eq!(times("123"), None);
    }

    #[test]
    fn a_process_that_is_gone_has_no_threads() {
        let mut child = std::process::Command::new("true").spawn().expect("true");
        child.wait().expect("ended");
        assert!(by_group(child.id()).is_err());
    }
}
