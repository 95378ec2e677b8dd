//! Reads processes from `/proc`, and signals them.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::fs;
use std::path::Path;

/// The state of a process at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessState {
    pub(crate) group: u32,
    /// CPU time of all its threads, in clock ticks of a hundredth of a second.
    pub(crate) cpu_ticks: u64,
    /// Clock ticks from boot to start: with the process id, an identity that is not reused.
    pub(crate) start: u64,
    pub(crate) zombie: bool,
}

/// The state of the process with this id, if there is one.
pub(crate) fn see(pid: u32) -> Option<ProcessState> {
    parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Parses `PID (NAME) STATE PPID GROUP …`. The name may hold anything, so fields are counted from the last parenthesis.
fn parse_stat(stat: &str) -> Option<ProcessState> {
    let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace();
    let state = fields.next()?;
    let group = fields.nth(1)?.parse().ok()?;
    let user: u64 = fields.nth(8)?.parse().ok()?;
    let kernel: u64 = fields.next()?.parse().ok()?;
    let start = fields.nth(6)?.parse().ok()?;
    let zombie = matches!(state, "Z" | "X");
    Some(ProcessState { group, cpu_ticks: user + kernel, start, zombie })
}

/// All process ids.
pub(crate) fn pids() -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The living members of a process group.
pub(crate) fn members(group: u32) -> Vec<u32> {
    let alive = |pid: &u32| see(*pid).is_some_and(|seen| seen.group == group && !seen.zombie);
    pids().into_iter().filter(alive).collect()
}

/// A process with all that it has started, and that these have started, as far as they live; it is the first.
pub(crate) fn with_descendants(pid: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = pids().into_iter().filter_map(|one| Some((one, parent(one)?))).collect();
    let mut family = vec![pid];
    let mut at = 0;
    while let Some(of) = family.get(at).copied() {
        family.extend(parents.iter().filter(|(_, parent)| *parent == of).map(|(one, _)| *one));
        at += 1;
    }
    family
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Whether the process works inside this folder.
pub(crate) fn works_in(pid: u32, folder: &Path) -> bool {
    fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(folder))
}

/// Whether the process is a JVM: the library of the JVM is in its memory.
pub(crate) fn is_jvm(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/maps")).is_ok_and(|maps| maps.contains("/libjvm.so"))
}

/// Whether the process is a PostgreSQL: its program has that name.
pub(crate) fn is_postgres(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim_end() == "postgres")
}

/// The name of a process, for messages.
pub(crate) fn name(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm"))
        .map_or_else(|_| "?".to_owned(), |name| name.trim().to_owned())
}

/// Signals one process. It is no error if the process has ended.
pub(crate) fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = raw(pid) {
        let _ = kill_process(pid, signal);
    }
}

/// Signals a process group. It is no error if the group has ended.
pub(crate) fn signal_group(group: u32, signal: Signal) {
    if let Some(group) = raw(group) {
        let _ = kill_process_group(group, signal);
    }
}

fn raw(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

/// Processes that outlive the leader of their group, for tests.
#[cfg(test)]
pub(crate) mod testing {
    use super::see;
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::thread::sleep;
    use std::time::Duration;

    /// Runs a shell command in a folder as the leader of a group. The command prints the id of the process that it starts, which is the
    /// second value.
    pub(crate) fn leader(command: &str, folder: &Path) -> (Child, u32) {
        let mut leader = Command::new("sh")
            .args(["-c", command])
            .current_dir(folder)
            .process_group(0)
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh starts");
        let mut member = String::new();
        let output = leader.stdout.as_mut().expect("a pipe");
        BufReader::new(output).read_line(&mut member).expect("a line");
        (leader, member.trim().parse().expect("a process id"))
    }

    /// Waits until a killed process has ended, which it has a moment after the signal; fails after ten seconds.
    pub(crate) fn await_end(pid: u32) {
        let lives = || see(pid).is_some_and(|seen| !seen.zombie);
        for _ in 0..5000 {
            if !lives() {
                return;
            }
            sleep(Duration::from_millis(2));
        }
        panic!("process {pid} lives");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_with_what_it_has_started() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("it starts");
        let family = with_descendants(std::process::id());
        child.kill().and_then(|()| child.wait()).expect("it ends");
        assert!(family[0] == std::process::id() && family.contains(&child.id()), "{family:?}");
    }

    #[test]
    fn a_stat_line_is_read_from_its_last_parenthesis() {
        let line = "42 (a) b) c) S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 31 0 98765 1000 200";
        let seen = ProcessState { group: 42, cpu_ticks: 11, start: 98765, zombie: false };
        assert_eq!(parse_stat(line), Some(seen));
        assert_eq!(parse_stat("42 (java"), None);
    }

    #[test]
    fn we_see_ourselves() {
        let own = std::process::id();
        let seen = see(own).expect("we live");
        assert!(!seen.zombie);
        assert!(members(seen.group).contains(&own));
    }
}
