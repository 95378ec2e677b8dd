//! Findings about what serves requests inside the server: its pool of threads, or a limit of tasks on virtual threads.

use super::place::RequestPlace;
use model::units::{Count, Rate, Seconds, Share};
use say::Say;
use serde::{Deserialize, Serialize};

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! thread_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// All worker threads are taken.
        ThreadPoolLimit(PoolFull) = "thread-pool-limit", Explains, Size, 380;
        /// A default of the server lets only so many requests run at once.
        ConcurrencyLimitDefault(TasksFull) = "concurrency-limit-default", Explains, Size, 385;
    } };
}

/// Requests wait for a slot while the CPU is not full. By Little's law the slots answer `slots / each` requests per second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ceiling {
    /// Requests that are answered.
    pub rate: Rate,
    /// Requests that are served at once at most.
    pub slots: Count,
    /// How long each request holds its slot.
    pub each: Seconds,
    /// Requests in flight, mean.
    pub in_flight: Count,
    /// Requests in flight that wait for a slot.
    pub waiting: Count,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
}

/// What the slots of a [`Ceiling`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slots {
    /// Worker threads.
    Threads,
    /// The few threads that handle the events of all connections, and should never wait.
    EventLoops,
    /// Tasks on virtual threads, as many as somebody chose.
    Tasks,
}

/// All worker threads, or all tasks that somebody allowed, are taken.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{law}{kept}{holders?; of those who have one {}}",
    zh = "{law}{kept}{holders?；占用者中 {}}",
    law = LittlesLaw { ceiling: *ceiling, slots: SlotsUsed::of(*slots_are, ceiling.slots) }
)]
pub struct PoolFull {
    /// Threads or tasks.
    pub slots_are: Slots,
    pub ceiling: Ceiling,
    /// What most of the threads do, as a share of them; absent where it was not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holders: Option<RequestPlace>,
    /// Threads of the pool that serve no request; absent where all of them do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<ThreadsKept>,
}

/// Threads of a pool that the server keeps for its own work.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "; {kept} of the {all} threads of its pool serve no request: they accept connections, wait for events or are held in reserve",
    zh = "；线程池的 {all} 个线程中有 {kept} 个不处理请求：它们用于接受连接、等待事件或备用"
)]
pub struct ThreadsKept {
    /// Threads that serve no request, mean.
    pub kept: Count,
    /// All threads of the pool.
    pub all: Count,
}

/// All tasks that a default allows on virtual threads are taken.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(transparent = LittlesLaw { ceiling: *ceiling, slots: SlotsUsed::DefaultTasks(ceiling.slots) })]
pub struct TasksFull {
    pub ceiling: Ceiling,
}

/// Little's law as an equation with its meaning.
#[derive(Say)]
#[say(
    en = "ceiling {rate:three}/s = {slots} / {each}: of {all} requests in flight {waiting} wait for their turn, and \
          the CPU is {busy} in use",
    zh = "上限 {rate:three}/s = {slots} / {each}：{all} 个在途请求中有 {waiting} 个在排队，而 CPU 使用率为 {busy}",
    rate = ceiling.rate,
    each = ceiling.each,
    all = ceiling.in_flight,
    waiting = ceiling.waiting,
    busy = ceiling.busy
)]
struct LittlesLaw {
    ceiling: Ceiling,
    slots: SlotsUsed,
}

/// The number of slots with its noun.
#[derive(Say)]
enum SlotsUsed {
    #[say(en = "{0} threads", zh = "{0} 个线程")]
    Threads(Count),
    #[say(en = "{0} event loops", zh = "{0} 个事件循环")]
    EventLoops(Count),
    #[say(en = "{0} requests at once on virtual threads", zh = "同时 {0} 个请求（虚拟线程）")]
    Tasks(Count),
    #[say(
        en = "{0} requests at once, its default on virtual threads",
        zh = "同时 {0} 个请求（虚拟线程的默认值）"
    )]
    DefaultTasks(Count),
}

impl SlotsUsed {
    const fn of(kind: Slots, slots: Count) -> Self {
        match kind {
            Slots::Threads => Self::Threads(slots),
            Slots::EventLoops => Self::EventLoops(slots),
            Slots::Tasks => Self::Tasks(slots),
        }
    }
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Doing;
    use crate::finding::Examples;

    const CEILING: Ceiling = Ceiling {
        rate: Rate(1950.0),
        slots: Count(200.0),
        each: Seconds(0.103),
        in_flight: Count(500.0),
        waiting: Count(300.0),
        busy: Share(0.12),
    };

    impl Examples for PoolFull {
        fn examples() -> Vec<Self> {
            let pool = |slots_are, holders| Self { slots_are, ceiling: CEILING, holders, kept: None };
            let kept = Some(ThreadsKept { kept: Count(4.0), all: Count(204.0) });
            vec![
                pool(Slots::Threads, None),
                pool(Slots::Tasks, None),
                pool(Slots::EventLoops, None),
                pool(Slots::Threads, Some(RequestPlace::example(Doing::Answer))),
                Self { kept, ..pool(Slots::Threads, None) },
            ]
        }
    }

    impl Examples for TasksFull {
        fn examples() -> Vec<Self> {
            vec![Self { ceiling: CEILING }]
        }
    }
}
