//! Findings about the accept queue, in which complete connections wait until the server takes them.

use model::units::{Count, Seconds, Share};
use say::{Say, Writer};
use serde::{Deserialize, Serialize};

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! queue_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// The queue of connections that wait to be accepted was full: connects take a second or more.
        AcceptQueueOverflow(QueueOverflow) = "accept-queue-overflow", Explains, Outside, 390;
    } };
}

/// The accept queue was full, so that the kernel dropped what would have completed a connection.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum QueueOverflow {
    /// While requests were counted.
    #[say(
        en = "the accept queue of {limit} overflowed {overflows:count} times: {is_late?{late} of the connects took a second \
              or more, {on_time} of them as long as this kernel waits before it sends SYN again ({retries} s); \
              {connecting} of the users were connecting at any moment|{connecting} of the users were connecting at any \
              moment, because this kernel sends SYN again after {retries} s only}",
        zh = "长度为 {limit} 的 accept 队列溢出了 {overflows:count} 次：{is_late?{late} 的连接用时一秒以上，其中 {on_time} \
              与本机内核重发 SYN 的间隔（{retries} s）相符；任一时刻有 {connecting} 的用户正在建立连接|任一时刻有 \
              {connecting} 的用户正在建立连接，因为本机内核在 {retries} s 之后才重发 SYN}",
        is_late = late.0 != 0.0,
        retries = WholeSeconds(retries)
    )]
    UnderLoad {
        /// Length of the queue.
        limit: Count,
        /// How often it overflowed.
        overflows: u64,
        /// Share of the connects that took a second or more. Where it is 0 although users are connecting, they miss whole
        /// slices, which are shorter than the wait before a retry.
        late: Share,
        /// Share of these late connects that the kernel's retries explain.
        on_time: Share,
        /// When the kernel sends a SYN again, since the first; the first few times.
        retries: Vec<Seconds>,
        /// Share of the users that were connecting at any moment.
        connecting: Share,
    },
    /// While all users connected at once, before anything was counted.
    #[say(
        en = "while {users} users connected at once the accept queue of {limit:count} overflowed {overflows} times: SYN was \
              sent again {again} times, a second and more later ({retries} s); all were connected before anything was counted",
        zh = "{users} 个用户同时建立连接时，长度为 {limit:count} 的 accept 队列溢出了 {overflows} 次：SYN 在一秒以上之后（{retries} \
              s）重发了 {again} 次；计数开始之前全部连接均已建立",
        retries = WholeSeconds(retries)
    )]
    AtConnecting {
        /// Users that connected.
        users: Count,
        /// Length of the queue.
        limit: u32,
        /// How often it overflowed, mean over starts.
        overflows: Count,
        /// How often a SYN was sent again, mean over starts.
        again: Count,
        /// When the kernel sends a SYN again, since the first; the first few times.
        retries: Vec<Seconds>,
    },
}

/// Times in whole seconds: `1, 3, 7`.
struct WholeSeconds<'a>(&'a [Seconds]);

impl Say for WholeSeconds<'_> {
    fn say(&self, out: &mut Writer) {
        let whole: Vec<String> = self.0.iter().map(|time| format!("{:.0}", time.0)).collect();
        out.value(whole.join(", "));
    }
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Examples;

    impl Examples for QueueOverflow {
        fn examples() -> Vec<Self> {
            let retries = [1.0, 3.0, 7.0].map(Seconds).to_vec();
            vec![
                Self::UnderLoad {
                    limit: Count(100.0),
                    overflows: 1673,
                    late: Share(0.11),
                    on_time: Share(0.98),
                    retries: retries.clone(),
                    connecting: Share(0.24),
                },
                Self::UnderLoad {
                    limit: Count(50.0),
                    overflows: 356,
                    late: Share(0.0),
                    on_time: Share(0.0),
                    retries: retries.clone(),
                    connecting: Share(0.68),
                },
                Self::AtConnecting {
                    users: Count(40.0),
                    limit: 10,
                    overflows: Count(20.0),
                    again: Count(35.0),
                    retries,
                },
            ]
        }
    }
}
