//! One process: its CPU time, memory, threads, open files and disk I/O.

use crate::{Error, read};
use model::units::{Bytes, Nanos};
use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;
use record::inspection::IoCalls;
use record::telemetry::{CpuTimes, Holdings, IoTotals};

/// Nanoseconds of a clock tick. Files under /proc count 100 ticks per second, whatever the kernel uses internally.
const TICK: u64 = 10_000_000;

/// The CPU clock of a process: the CPU time of all its threads, ended ones included, in nanoseconds. The ticks of 10 ms in
/// `/proc/PID/stat` are 5 % of a slice of 0.2 s, which would be too coarse.
#[derive(Clone, Copy, Debug)]
pub struct CpuClock {
    pid: u32,
    id: ClockId,
}

impl CpuClock {
    /// The clock of process `pid`.
    ///
    /// # Errors
    /// [`Error::CpuClock`] when the process has ended.
    pub fn of(pid: u32) -> Result<Self, Error> {
        let id = clock_getcpuclockid(Pid::from_raw(pid.cast_signed()))
            .map_err(|source| Error::CpuClock { pid, source })?;
        Ok(Self { pid, id })
    }

    /// The CPU time used until now.
    ///
    /// # Errors
    /// [`Error::CpuClock`] when the process has ended.
    pub fn now(&self) -> Result<Nanos, Error> {
        let pid = self.pid;
        let time = clock_gettime(self.id).map_err(|source| Error::CpuClock { pid, source })?;
        Ok(Nanos(time.tv_sec().unsigned_abs() * 1_000_000_000 + time.tv_nsec().unsigned_abs()))
    }
}

/// The real-time priority of the calling thread, 1 to 99; `None` for the usual scheduling classes.
pub fn real_time_priority() -> Option<u32> {
    real_time(&read("/proc/thread-self/stat").ok()?)
}

/// Parses the field `rt_priority`, the 40th, of a `stat` file under /proc. The name of the command, which is the second field, may
/// contain blanks.
fn real_time(stat: &str) -> Option<u32> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let priority = after_name.split_whitespace().nth(37)?.parse().ok()?;
    (priority > 0).then_some(priority)
}

/// The peak resident memory of a process since its start (VmHWM).
///
/// # Errors
/// [`Error::Proc`] when the process has ended.
pub fn peak_memory(pid: u32) -> Result<Bytes, Error> {
    let path = format!("/proc/{pid}/status");
    let status = read(&path)?;
    let peak = number(&status, "VmHWM:").map(|kib| Bytes(kib * 1024));
    peak.ok_or_else(|| Error::Proc { path, source: std::io::Error::other("no VmHWM") })
}

/// The memory, threads and open files of process `pid` now.
///
/// # Errors
/// [`Error::Proc`] when the process has ended or belongs to another user.
pub fn holdings(pid: u32) -> Result<Holdings, Error> {
    let status = read(&format!("/proc/{pid}/status"))?;
    let limits = read(&format!("/proc/{pid}/limits"))?;
    Ok(Holdings {
        memory: Bytes(number(&status, "VmRSS:").unwrap_or(0) * 1024),
        threads: number(&status, "Threads:").unwrap_or(0),
        open_files: open_files(pid)?,
        open_files_limit: number(&limits, "Max open files"),
    })
}

/// The number of open file descriptors. Since Linux 6.2 it is the size of the folder; on older kernels the entries are
/// counted, which takes milliseconds for ten thousand of them.
fn open_files(pid: u32) -> Result<u64, Error> {
    let folder = format!("/proc/{pid}/fd");
    let size = std::fs::metadata(&folder).map(|folder| folder.len());
    let counted = || std::fs::read_dir(&folder).map(|open| open.count() as u64);
    let open = size.and_then(|size| if size > 0 { Ok(size) } else { counted() });
    open.map_err(|source| Error::Proc { path: folder, source })
}

/// The CPU time of process `pid` in user mode and in the kernel, with a resolution of 10 ms. The kernel tells the two apart
/// by sampling at its own ticks. `None` when the process has ended.
pub fn times(pid: u32) -> Option<CpuTimes> {
    let [user, kernel, ..] = parse_cpu_times(&read(&format!("/proc/{pid}/stat")).ok()?)?;
    Some(CpuTimes { user, kernel })
}

/// The CPU time of all children of process `pid` that have ended and were waited for, and of theirs, in ticks of 10 ms. `None` when the
/// process has ended.
pub fn reaped_cpu_time(pid: u32) -> Option<Nanos> {
    let [_, _, user, kernel] = parse_cpu_times(&read(&format!("/proc/{pid}/stat")).ok()?)?;
    Some(user + kernel)
}

/// The CPU time of process `pid` and of all its descendants. A database, for instance, may serve each connection in a
/// process of its own. `None` when the process has ended.
pub fn family_cpu_time(pid: u32) -> Option<Nanos> {
    let own = CpuClock::of(pid).and_then(|clock| clock.now()).ok()?;
    let alive = children(pid).into_iter().filter_map(family_cpu_time);
    Some(alive.fold(own + reaped_cpu_time(pid)?, |sum, child| sum + child))
}

/// The child processes of a process; empty where the kernel does not provide them.
fn children(pid: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten();
    let of_thread = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("children")).ok();
    let lists: Vec<String> = threads.flatten().filter_map(of_thread).collect();
    let pids = lists.iter().flat_map(|list| list.split_whitespace());
    pids.filter_map(|pid| pid.parse().ok()).collect()
}

/// Fields 14 to 17 of `/proc/PID/stat`: the CPU time in user mode and in the kernel, then both for children that have
/// ended. The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
fn parse_cpu_times(stat: &str) -> Option<[Nanos; 4]> {
    let (_, from_third) = stat.rsplit_once(')')?;
    let mut ticks = from_third.split_whitespace().skip(11).map(|field| field.parse::<u64>().ok());
    let mut next = || Some(Nanos(ticks.next()?? * TICK));
    Some([next()?, next()?, next()?, next()?])
}

/// The bytes that process `pid` caused to be read from disks and written to them; `None` where the kernel does not count
/// them.
pub fn disk(pid: u32) -> Option<IoTotals> {
    let io = read(&format!("/proc/{pid}/io")).ok()?;
    Some(IoTotals { read: number(&io, "read_bytes:")?, written: number(&io, "write_bytes:")? })
}

/// The calls of process `pid` that have read or written since it began, in all of its threads; `None` where the kernel does not count
/// them.
pub fn io_calls(pid: u32) -> Option<IoCalls> {
    let io = read(&format!("/proc/{pid}/io")).ok()?;
    Some(IoCalls {
        reads: number(&io, "syscr:")?,
        read: Bytes(number(&io, "rchar:")?),
        writes: number(&io, "syscw:")?,
        written: Bytes(number(&io, "wchar:")?),
    })
}

/// The first number on the line that begins with `name`; `None` when something else follows, as `unlimited`.
fn number(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_clock_counts_the_work_of_a_process() {
        let clock = CpuClock::of(std::process::id()).expect("our own clock");
        let before = clock.now().expect("a reading");
        let mut sum = 0u64;
        for i in 0..20_000_000u64 {
            sum = sum.wrapping_mul(31).wrapping_add(std::hint::black_box(i));
        }
        std::hint::black_box(sum);
        let worked = clock.now().expect("a reading").since(before);
        assert!(worked > Nanos(1_000_000), "{worked:?}");
    }

    #[test]
    fn a_real_time_priority_is_read_behind_a_name_with_brackets() {
        let stat = |priority| format!("7 (a (b) c) S{} {priority} 2 0", " 1".repeat(36));
        assert_eq!(real_time(&stat(5)), Some(5));
        assert_eq!(real_time(&stat(0)), None);
        assert_eq!(real_time("7 (short) S 1"), None);
    }

    #[test]
    fn time_in_user_mode_and_in_the_kernel_are_read_separately() {
        let stat = "7 (a (b) c) S 1 7 7 0 -1 4194560 1 0 0 0 120 30 2 1 20 0 1 0 5 0";
        let expected = [1_200, 300, 20, 10].map(Nanos::from_millis);
        assert_eq!(parse_cpu_times(stat), Some(expected));
        assert_eq!(parse_cpu_times("7 (short) S 1"), None);
        let own = times(std::process::id()).expect("our own");
        let clock = CpuClock::of(std::process::id()).and_then(|clock| clock.now());
        // Each of the two counters may be ahead of the clock by up to a tick.
        assert!(own.user + own.kernel <= clock.expect("our own") + Nanos(2 * TICK), "{own:?}");
        assert_eq!(times(u32::MAX), None);
    }

    #[test]
    fn a_process_that_makes_system_calls_has_time_in_both_modes() {
        // It reads and writes single bytes until it is killed.
        let mut child = std::process::Command::new("dd")
            .args(["if=/dev/zero", "of=/dev/null", "bs=1"])
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("dd");
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
        let mut spent = times(child.id()).expect("alive");
        while (spent.user == Nanos(0) || spent.kernel == Nanos(0)) && std::time::Instant::now() < deadline {
            std::thread::sleep(std::time::Duration::from_millis(20));
            spent = times(child.id()).expect("alive");
        }
        child.kill().expect("to end it");
        child.wait().expect("to reap it");
        assert!(spent.user > Nanos(0) && spent.kernel > Nanos(0), "{spent:?}");
    }

    #[test]
    fn cpu_time_of_descendants_counts_for_their_ancestor() {
        // The first child works and ends; the second one works and stays alive.
        let work = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let script = format!("sh -c '{work}'; sh -c '{work}; echo; exec sleep 2' & wait");
        let mut parent = std::process::Command::new("sh")
            .args(["-c", &script])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut byte = [0];
        let out = parent.stdout.as_mut().expect("a pipe");
        std::io::Read::read_exact(out, &mut byte).expect("both have worked");
        let clock = CpuClock::of(parent.id()).and_then(|clock| clock.now());
        let family = family_cpu_time(parent.id()).expect("alive");
        parent.kill().expect("to end it");
        parent.wait().expect("to reap it");
        let own = clock.expect("its clock");
        assert!(family > own + Nanos::from_millis(20), "{own:?} {family:?}");
    }

    #[test]
    fn open_files_memory_and_threads_of_a_process_are_counted() {
        let before = holdings(std::process::id()).expect("our own");
        let files: Vec<_> = (0..20).map(|_| std::fs::File::open("/dev/null").expect("open")).collect();
        let now = holdings(std::process::id()).expect("our own");
        drop(files);
        // Other tests of this process open and close files at the same time.
        assert!(now.open_files >= before.open_files + 10, "{before:?} {now:?}");
        assert!(now.memory > Bytes(100_000) && now.threads >= 1);
        assert!(now.open_files_limit.is_none_or(|limit| limit >= now.open_files));
        assert_eq!(number("Max open files            1024       4096  files", "Max open files"), Some(1024));
        assert_eq!(number("Max open files            unlimited", "Max open files"), None);
    }

    #[test]
    fn bytes_that_a_process_writes_to_a_disk_are_counted() {
        let Some(before) = disk(std::process::id()) else {
            return; // This kernel does not count the I/O of tasks.
        };
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a folder on a disk");
        std::fs::write(folder.path().join("file"), vec![7; 1 << 20]).expect("written");
        let now = disk(std::process::id()).expect("as before");
        assert!(now.written - before.written >= 1 << 20, "{before:?} {now:?}");
    }

    #[test]
    fn calls_that_write_are_counted_with_their_bytes() {
        let Some(before) = io_calls(std::process::id()) else {
            return; // This kernel does not count the I/O of tasks.
        };
        let mut null = std::fs::File::options().write(true).open("/dev/null").expect("open");
        for _ in 0..50 {
            std::io::Write::write_all(&mut null, b"seven b").expect("written");
        }
        let now = io_calls(std::process::id()).expect("as before");
        // Other tests of this process write at the same time.
        assert!(now.writes >= before.writes + 50, "{before:?} {now:?}");
        assert!(now.written.0 >= before.written.0 + 350, "{before:?} {now:?}");
    }

    #[test]
    fn a_running_process_has_a_cpu_clock_and_peak_memory_and_an_ended_one_has_not() {
        let mut child = std::process::Command::new("sleep").arg("5").spawn().expect("sleep");
        let clock = CpuClock::of(child.id()).expect("the child's clock");
        assert!(clock.now().is_ok());
        assert!(peak_memory(child.id()).expect("its peak") > Bytes(0));
        child.kill().expect("to end it");
        child.wait().expect("to reap it");
        assert!(clock.now().is_err());
        assert!(peak_memory(child.id()).is_err());
    }
}
