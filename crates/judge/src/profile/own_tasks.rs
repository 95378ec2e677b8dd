//! [`OwnTasks`]: a pool whose threads wait for tasks that were given to the same pool. When all of them do, no thread is left to run these.

use super::activity::Activity;
use super::frames::Kind;
use record::finding::InMethod;
use record::inspection::StackSeen;
use std::collections::BTreeMap;

/// The methods in which a thread of a pool runs the tasks that the application gives it.
const WORKERS: [&str; 2] =
    ["java.util.concurrent.ThreadPoolExecutor.runWorker", "java.util.concurrent.ForkJoinPool.runWorker"];
/// The classes of tasks that a thread of some pool has to run before anybody gets their result.
const TASKS: [&str; 3] = [
    "java.util.concurrent.FutureTask",
    "java.util.concurrent.ExecutorCompletionService$QueueingFuture",
    "java.util.concurrent.ForkJoinTask",
];
/// The beginning of the methods by which a pool runs a task of a `CompletableFuture`, which somebody else may complete, too.
const STAGES: &str = "java.util.concurrent.CompletableFuture$Async";
/// Smallest share of the threads of a pool that wait for tasks for these to be missing.
const MOST: f64 = 0.5;
/// Largest number of threads elsewhere that work, and answers that are awaited, as a share of the threads that wait: they could be what is
/// waited for.
const ELSEWHERE: f64 = 0.25;

/// The threads of a pool that wait for tasks of their own pool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OwnTasks {
    /// The name that they have in common.
    pub(crate) names: String,
    /// All threads of the pool, mean.
    pub(crate) threads: f64,
    /// Those that wait, mean.
    pub(crate) waiting: f64,
    /// The method of the application in which most of them wait, and its caller, with their lines.
    pub(crate) at: InMethod,
}

/// What a thread does, as far as this matters.
pub(super) struct Task<'e, 'a> {
    pub(super) stack: &'a StackSeen,
    pub(super) activity: &'e Activity<'a>,
    /// Threads, mean.
    pub(super) threads: f64,
}

impl OwnTasks {
    /// The pool whose threads wait for its own tasks. `full` has the threads of the pools that are all taken, and `answers` are the answers of
    /// other programs that are awaited.
    ///
    /// A task that a pool has to run is run by a thread, or waits in a queue for one. Where no other thread works, and nothing comes from
    /// other programs, it waits; and only a pool whose threads are all taken has such a queue.
    pub(super) fn of(all: &[Task<'_, '_>], full: &BTreeMap<&str, f64>, answers: f64) -> Option<Self> {
        let pools = full.iter().filter_map(|(names, threads)| Self::in_pool(all, names, *threads, answers));
        pools.max_by(|one, other| one.waiting.total_cmp(&other.waiting))
    }

    fn in_pool(all: &[Task<'_, '_>], names: &str, threads: f64, answers: f64) -> Option<Self> {
        let is_here = |task: &&Task<'_, '_>| task.stack.group == names && !task.stack.is_virtual;
        let runs_stages =
            |task: &&Task<'_, '_>| task.stack.frames.iter().any(|method| method.starts_with(STAGES));
        let is_only_pool_of_stages = all.iter().filter(runs_stages).all(|task| is_here(&task))
            && all.iter().any(|task| runs_stages(&task));
        let waits = |task: &&Task<'_, '_>| {
            let is_task = task.stack.waits_for.as_deref().is_some_and(|class| TASKS.contains(&class));
            task.activity.kind == Kind::Result
                && is_in_worker(task.stack)
                && (is_task || is_only_pool_of_stages)
        };
        let here = || all.iter().filter(is_here).filter(waits);
        let waiting: f64 = here().map(|task| task.threads).sum();
        let works = |task: &&Task<'_, '_>| {
            !is_here(task)
                && task.activity.is_work()
                && !matches!(task.activity.kind, Kind::Result | Kind::Client)
        };
        let elsewhere: f64 = all.iter().filter(works).map(|task| task.threads).sum();
        let asks = |task: &&Task<'_, '_>| matches!(task.activity.kind, Kind::Answer | Kind::Socket);
        let asked_here: f64 = all.iter().filter(is_here).filter(asks).map(|task| task.threads).sum();
        let answers = (answers - asked_here).max(0.0);
        if waiting < MOST * threads || elsewhere + answers > ELSEWHERE * waiting {
            return None;
        }
        let most = here().max_by(|one, other| one.threads.total_cmp(&other.threads))?;
        let at = |method: Option<&str>| method.and_then(|method| most.stack.place_of(method));
        let at = InMethod { method: at(most.activity.method), caller: at(most.activity.caller) };
        Some(Self { names: names.to_owned(), threads, waiting, at })
    }
}

/// Whether a thread of a pool runs a task of the application.
pub(super) fn is_in_worker(stack: &StackSeen) -> bool {
    stack.frames.iter().any(|method| WORKERS.contains(&method.as_str()))
}
