//! Findings about threads that never go on.

use super::place::InMethod;
use model::units::{Count, Share};
use say::Say;
use serde::{Deserialize, Serialize};

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! stuck_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// Threads wait for each other's locks.
        Deadlock(DeadlockSeen) = "deadlock", Explains, Application, 305;
        /// The threads of a pool wait for tasks that the same pool has yet to run.
        ThreadStarvation(OwnTasksAwaited) = "thread-starvation", Explains, Application, 307;
    } };
}

/// Threads wait for each other's locks, and so for ever.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "threads wait for each other and will never go on: {threads:semicolons}{share?; {} of the requests in flight are stuck there \
          or behind them}",
    zh = "线程相互等待，永远无法继续：{threads:semicolons}{share?；{} 的在途请求卡在其中或其后}",
    share = Some(share).filter(|share| share.0 > 0.0)
)]
pub struct DeadlockSeen {
    /// The threads; each waits for a lock that another one holds.
    pub threads: Vec<DeadlockedThread>,
    /// Share of the requests in flight that wait for locks.
    pub share: Share,
}

/// The threads of a pool wait for tasks that were given to the same pool and that no thread is left to run.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{waiting:three} of the {threads:three} threads of `{names}` wait for tasks that the same pool has yet to run{at}: these wait \
          for one of its threads, too, and {share} of the requests in flight wait behind them; the CPU is {busy} in use",
    zh = "`{names}` 的 {threads:three} 个线程中有 {waiting:three} 个{at}在等待同一线程池尚未执行的任务：这些任务同样在等待它的线程，{share} \
          的在途请求排在其后；CPU 使用率为 {busy}"
)]
pub struct OwnTasksAwaited {
    /// The pool, by the name that its threads have in common, with `#` for each number.
    pub names: String,
    /// Its threads, mean.
    pub threads: Count,
    /// Its threads that wait for its own tasks, mean.
    pub waiting: Count,
    /// The method of the application in which most of them wait; absent where none is seen.
    #[serde(flatten)]
    pub at: InMethod,
    /// Share of the requests in flight that wait for a thread of the pool.
    pub share: Share,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
}

/// A thread that waits for a lock which another thread of the deadlock holds.
#[derive(Clone, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
#[say(
    en = "{name}{at} waits for {lock}, which {held_by} holds",
    zh = "{name}{at}等待 {held_by} 持有的 {lock}"
)]
pub struct DeadlockedThread {
    pub name: String,
    /// The class of the lock that it waits for.
    pub lock: String,
    /// The name of the thread that holds the lock.
    pub held_by: String,
    /// The method of the application in which it waits, with its line.
    #[serde(flatten)]
    pub at: InMethod,
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Examples;

    impl Examples for OwnTasksAwaited {
        fn examples() -> Vec<Self> {
            let seen = |method: Option<&str>| Self {
                names: "worker-#".to_owned(),
                threads: Count(8.0),
                waiting: Count(7.99),
                at: InMethod::alone(method.map(str::to_owned)),
                share: Share(0.94),
                busy: Share(0.05),
            };
            vec![seen(None), seen(Some("shop.Statement.build:31"))]
        }
    }

    impl Examples for DeadlockSeen {
        fn examples() -> Vec<Self> {
            let thread = |name: &str, other: &str| DeadlockedThread {
                name: name.to_owned(),
                lock: "shop.Account".to_owned(),
                held_by: other.to_owned(),
                at: InMethod::example(),
            };
            let threads = vec![
                thread("http-nio-8080-exec-3", "http-nio-8080-exec-7"),
                thread("http-nio-8080-exec-7", "http-nio-8080-exec-3"),
            ];
            vec![Self { threads: threads.clone(), share: Share(0.0) }, Self { threads, share: Share(0.62) }]
        }
    }
}
