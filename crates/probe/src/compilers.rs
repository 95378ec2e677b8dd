//! The compiler threads of a JVM: what they have used, and their priority.

use crate::Error;
use crate::threads::{COMPILERS, ThreadGroups};
use record::telemetry::GroupTotals;
use rustix::process::{Pid, getpriority_process, setpriority_process};

/// Nice value of compiler threads that go first.
const FIRST: i32 = -16;

/// The CPU clock of the compiler threads of a JVM, whatever its version and options are. The counter of HotSpot's performance
/// data is of less use: it holds the time by the clock on the wall, which is longer the busier the machine is, and grows only
/// when a compilation ends.
#[derive(Debug)]
pub struct CompilerClock {
    pid: u32,
    threads: ThreadGroups,
}

impl CompilerClock {
    /// For process `pid`; reads nothing yet.
    pub fn of(pid: u32) -> Self {
        Self { pid, threads: ThreadGroups::of(pid) }
    }

    /// What its compilers have used since its start, without what a thread used between its last reading and its end. `None` if
    /// no thread of it is known to be a compiler.
    ///
    /// # Errors
    /// [`Error::Proc`] when the process has ended.
    pub fn now(&mut self) -> Result<Option<GroupTotals>, Error> {
        Ok(self.threads.by_group()?.get(COMPILERS).copied())
    }

    /// Lets the compilers that were alive at the last reading go before all other threads of usual priority. Returns whether
    /// it is permitted: to root, with `CAP_SYS_NICE`, or by `ulimit -e 36`.
    pub fn put_first(&self) -> bool {
        self.set_nice(FIRST)
    }

    /// Gives the compilers that were alive at the last reading the priority of their process again. A compiler that another one
    /// started has inherited its priority, so they have to be read before.
    pub fn put_back(&self) {
        if let Ok(nice) = getpriority_process(thread_id(self.pid)) {
            self.set_nice(nice);
        }
    }

    /// Sets the nice value of the compilers; true if all that are still alive have it.
    fn set_nice(&self, nice: i32) -> bool {
        let mut all = self.threads.members(COMPILERS).map(thread_id);
        all.all(|thread| match setpriority_process(thread, nice) {
            Ok(()) => true,
            Err(error) => error == rustix::io::Errno::SRCH,
        })
    }
}

/// Linux accepts the id of a thread in place of a process id here.
fn thread_id(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    #[test]
    fn only_compilers_go_first_and_only_for_a_while() {
        let (named, is_named) = mpsc::channel();
        let compiler = thread::Builder::new().name("C2 CompilerThread0".to_owned());
        let compiler = compiler.spawn(move || {
            let id = rustix::thread::gettid().as_raw_nonzero().get();
            named.send(id).expect("it waits");
            thread::park();
        });
        let compiler = compiler.expect("a thread");
        let id = u32::try_from(is_named.recv().expect("it runs")).expect("positive");
        let nice = |id: u32| getpriority_process(thread_id(id)).expect("alive");
        let mut clock = CompilerClock::of(std::process::id());
        assert!(clock.now().expect("our own").is_some());
        let usual = nice(std::process::id());
        let permitted = clock.put_first();
        assert_eq!(permitted, nice(id) == FIRST);
        assert_eq!(nice(std::process::id()), usual, "no compiler");
        clock.put_back();
        assert_eq!(nice(id), usual);
        compiler.thread().unpark();
        compiler.join().expect("ended");
    }
}
