//! Findings about what a server keeps of requests that are over.

use super::keeper::Keeper;
use model::units::{Bytes, Count, Seconds};
use say::{Say, Writer};
use serde::{Deserialize, Serialize};

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! leak_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// The server keeps something of every request.
        ResourceLeak(Leak) = "resource-leak", Explains, Application, 205;
    } };
}

/// What grows with the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leaked {
    /// Objects in the heap.
    #[say(
        en = "objects",
        zh = "对象",
        hint(
            en = "find what keeps them (a heap dump shows the path to their root): a map or list that nobody empties, listeners, \
                  `ThreadLocal`, a cache or a queue without a bound; a larger heap only makes it last longer",
            zh = "查明是什么保留了它们（堆转储可显示到根的路径）：没有清理的集合、监听器、`ThreadLocal`、没有上限的缓存或队列；更大的堆只能拖延时间"
        )
    )]
    Heap,
    /// Platform threads.
    #[say(
        en = "threads",
        zh = "线程",
        hint(
            en = "do not start threads, executors, timers or clients for each request: share one, or end it (`shutdown`, `close`); \
                  no setting of memory helps",
            zh = "不要为每个请求启动线程、执行器、定时器或客户端：共用一个，或将其关闭（`shutdown`、`close`）；调整内存没有帮助"
        )
    )]
    Threads,
    /// Classes.
    #[say(
        en = "classes",
        zh = "类",
        hint(
            en = "do not make classes for each request (scripts, proxies, class loaders, generated mappers): make them once; neither a \
                  larger heap nor a larger metaspace helps for long",
            zh = "不要为每个请求生成类（脚本、代理、类加载器、生成的映射器）：只生成一次；加大堆或元空间都只能缓解一时"
        )
    )]
    Classes,
    /// Buffers outside the heap.
    #[say(
        en = "direct buffers",
        zh = "直接缓冲区",
        hint(
            en = "release direct buffers, or use a pool of them; a larger heap makes it worse, because they are freed by collections",
            zh = "释放直接缓冲区或使用缓冲池；更大的堆会使情况更糟，因为它们要等垃圾收集才释放"
        )
    )]
    Direct,
    /// Descriptors of files and sockets.
    #[say(
        en = "open files or sockets",
        zh = "打开的文件或套接字",
        hint(
            en = "close files, streams and connections (try-with-resources); a higher limit of open files only makes it last longer",
            zh = "关闭文件、流和连接（try-with-resources）；提高打开文件数上限只能拖延时间"
        )
    )]
    Files,
}

/// The server keeps something of every request.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Leak {
    /// Bytes of the heap.
    #[say(
        en = "each request leaves {each} in the heap that no collection frees{classes?, mostly {:commas}}: {live} of {heap} are live\
              {full_in?, and at this rate it is full in {}}{keeper}",
        zh = "每个请求在堆中留下 {each} 无法回收{classes?，主要是 {:commas}}：{heap} 中有 {live} 存活{full_in?，按此速率 {} 后堆满}{keeper}",
        classes = quoted(classes)
    )]
    Heap {
        /// Bytes that a request leaves.
        each: Bytes,
        /// Classes of most of them.
        classes: Vec<String>,
        /// What is live.
        live: Bytes,
        /// The heap.
        heap: Bytes,
        /// When the heap is full, at the rate of this load.
        full_in: Option<Seconds>,
        /// What keeps most of what lives; absent where nothing does, or it was not looked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keeper: Option<Keeper>,
    },
    /// Bytes outside the heap.
    #[say(
        en = "each request leaves {each} of direct buffers behind: {direct} now",
        zh = "每个请求留下 {each} 的直接缓冲区：现有 {direct}"
    )]
    Direct {
        /// Bytes that a request leaves.
        each: Bytes,
        /// All of them.
        direct: Bytes,
    },
    /// Things that are counted.
    #[say(
        en = "{requests} requests left {more} {what} behind: {now} now{names?, most of the new ones `{}`}",
        zh = "{requests} 个请求留下 {more} 个{what}：现有 {now} 个{names?，新增的多为 `{}`}"
    )]
    Counted {
        what: Leaked,
        /// How many more there are.
        more: Count,
        /// Requests that left them.
        requests: u64,
        /// How many there are after the load.
        now: Count,
        /// The names of most of the new ones, with `#` for each number; for threads.
        names: Option<String>,
    },
}

impl Leak {
    /// What grows.
    pub const fn what(&self) -> Leaked {
        match self {
            Self::Heap { .. } => Leaked::Heap,
            Self::Direct { .. } => Leaked::Direct,
            Self::Counted { what, .. } => *what,
        }
    }
}

/// Names of classes as code.
fn quoted(names: &[String]) -> Vec<String> {
    names.iter().map(|name| format!("`{name}`")).collect()
}

/// What can be done about it.
pub(super) struct Mended(pub(super) Leaked);

impl Say for Mended {
    fn say(&self, out: &mut Writer) {
        self.0.hint(out);
    }
}

#[cfg(test)]
pub(super) mod examples {
    use super::*;
    use crate::finding::Examples;

    impl Leaked {
        /// All kinds.
        pub(in crate::finding) const ALL: [Self; 5] =
            [Self::Heap, Self::Threads, Self::Classes, Self::Direct, Self::Files];
    }

    impl Examples for Leak {
        fn examples() -> Vec<Self> {
            let heap = |classes: &[&str], full_in| Self::Heap {
                each: Bytes(2100),
                classes: classes.iter().map(|name| (*name).to_owned()).collect(),
                live: Bytes(140 << 20),
                heap: Bytes(512 << 20),
                full_in,
                keeper: None,
            };
            let kept = Self::Heap {
                each: Bytes(2100),
                classes: Vec::new(),
                live: Bytes(140 << 20),
                heap: Bytes(512 << 20),
                full_in: None,
                keeper: Some(Keeper::example()),
            };
            let mut all = vec![
                kept,
                heap(&[], None),
                heap(&["byte[]", "shop.Session"], Some(Seconds(340.0))),
                Self::Direct { each: Bytes(65_536), direct: Bytes(90 << 20) },
            ];
            let counted = |what, names: Option<&str>| Self::Counted {
                what,
                more: Count(390.0),
                requests: 400,
                now: Count(431.0),
                names: names.map(str::to_owned),
            };
            all.extend([Leaked::Threads, Leaked::Classes, Leaked::Files].map(|what| counted(what, None)));
            all.push(counted(Leaked::Threads, Some("pool-#-thread-#")));
            all
        }
    }
}
