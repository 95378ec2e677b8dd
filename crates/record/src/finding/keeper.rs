//! [`Keeper`]: what keeps most of what lives in a heap.

use model::units::Bytes;
use say::{Say, Writer};
use serde::{Deserialize, Serialize};

/// What it is, which tells how it is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeeperKind {
    /// The tasks that an executor has yet to run.
    #[say(
        en = "the queue of an executor",
        zh = "线程池的队列",
        hint(
            en = "give the executor a queue with a bound (`ArrayBlockingQueue`) and say what happens when it is full (`CallerRunsPolicy`, or 503 as the \
                  answer): more comes in than its threads do",
            zh = "给线程池一个有上限的队列（`ArrayBlockingQueue`），并决定队列满时怎么办（`CallerRunsPolicy`，或以 503 应答）：进入的任务比线程能处理的多"
        )
    )]
    ExecutorQueue,
    /// Another queue.
    #[say(
        en = "a queue",
        zh = "队列",
        hint(
            en = "give the queue a bound (a capacity) and let whoever fills it wait or leave something out (`offer`), or empty it in batches or with \
                  more threads",
            zh = "给队列设置上限（容量），让写入者等待或丢弃一部分（`offer`），或成批取出，或用更多线程取出"
        )
    )]
    Queue,
    /// What a channel has yet to send.
    #[say(
        en = "what a channel has yet to send",
        zh = "通道尚未发送的内容",
        hint(
            en = "write only while the channel takes more (`Channel.isWritable`, `WRITE_BUFFER_WATER_MARK`), and close clients that read too slowly",
            zh = "只在通道可写时写入（`Channel.isWritable`、`WRITE_BUFFER_WATER_MARK`），并关闭读取过慢的客户端"
        )
    )]
    Outbound,
    #[say(
        en = "a cache",
        zh = "缓存",
        hint(
            en = "bound the cache by weight instead of by number (`maximumWeight` with a `weigher`), at no more than a third of the heap, and let entries \
                  end (`expireAfterAccess`); or keep its values compressed, or outside of the heap",
            zh = "按权重而不是按数量限制缓存（`maximumWeight` 与 `weigher`），不超过堆的三分之一，并让条目到期（`expireAfterAccess`）；或压缩保存，\
                  或放到堆外"
        )
    )]
    Cache,
    /// A map, a list or an array.
    #[say(
        en = "a collection",
        zh = "集合",
        hint(
            en = "put a bound on it and remove what is over (a cache with `maximumWeight` and `expireAfterAccess` instead of a map or a list), keep less \
                  of each, or keep it outside of the heap",
            zh = "为它设置上限并移除用完的内容（用带 `maximumWeight` 与 `expireAfterAccess` 的缓存代替映射或列表）、每项少保留一些，或放到堆外"
        )
    )]
    Collection,
}

/// Objects of a class that it keeps.
#[derive(Clone, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
#[say(en = "{count} of `{class}`", zh = "{count} 个 `{class}`")]
pub struct KeptObjects {
    pub count: u64,
    pub class: String,
}

/// What keeps most of what lives in a heap.
#[derive(Clone, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
#[say(
    en = "; of the {live} that live, `{field}` ({kind}) keeps {kept}{objects?: {}}",
    zh = "；存活的 {live} 中，`{field}`（{kind}）保留了 {kept}{objects?：{}}"
)]
pub struct Keeper {
    /// What it keeps.
    pub kept: Bytes,
    /// All that lives.
    pub live: Bytes,
    /// The field of the application, or else of a library, that leads to it: `shop.Articles.byNumber`.
    pub field: String,
    pub kind: KeeperKind,
    /// The objects that tell what it keeps; absent where none stand out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<KeptObjects>,
}

/// What can be done about it.
pub(super) struct BoundTo(pub(super) KeeperKind);

impl Say for BoundTo {
    fn say(&self, out: &mut Writer) {
        self.0.hint(out);
    }
}

#[cfg(test)]
pub(super) mod examples {
    use super::*;

    impl KeeperKind {
        /// All kinds.
        pub(in crate::finding) const ALL: [Self; 5] =
            [Self::ExecutorQueue, Self::Queue, Self::Outbound, Self::Cache, Self::Collection];
    }

    impl Keeper {
        /// One with all that can be known of it.
        pub(in crate::finding) fn example() -> Self {
            Self {
                kept: Bytes(215 << 20),
                live: Bytes(231 << 20),
                field: "shop.Articles.byNumber".to_owned(),
                kind: KeeperKind::Cache,
                objects: Some(KeptObjects { count: 37_000, class: "shop.Article".to_owned() }),
            }
        }
    }
}
