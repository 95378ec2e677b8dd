//! Findings about what a JVM itself says in its log: that memory is used up, or that there is no room for compiled code.

use super::keeper::Keeper;
use super::leak::Leaked;
use model::units::{Bytes, Count, Share};
use say::Say;
use serde::{Deserialize, Serialize};

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! jvm_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// The JVM has thrown an `OutOfMemoryError`.
        OutOfMemory(MemoryUsedUp) = "out-of-memory", Explains, Application, 203;
        /// There is no room for compiled code any more, and the JVM has switched its compilers off.
        CodeCacheFull(CodeCache) = "code-cache-full", Explains, Application, 207;
    } };
}

/// What an `OutOfMemoryError` lacks, by its own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lacked {
    /// Room in the heap: nothing more was freed, or hardly anything with all effort.
    #[say(en = "the heap is full of what is kept", zh = "堆已被仍在使用的对象占满")]
    Heap,
    /// Room for classes.
    #[say(en = "the metaspace is full of classes", zh = "元空间已被类占满")]
    Metaspace,
    /// A thread of the system, because of a limit or for lack of memory outside of the heap.
    #[say(
        en = "no more threads can be started (a limit of processes or memory)",
        zh = "无法再创建线程（进程数或内存的限制）"
    )]
    Threads,
    /// Direct memory.
    #[say(en = "the direct memory is used up", zh = "直接内存已用尽")]
    Direct,
    /// A smaller array than one was asked for.
    #[say(en = "an array was asked for that is larger than any may be", zh = "申请的数组超过了允许的大小")]
    Array,
}

impl Lacked {
    /// All variants.
    pub const ALL: [Self; 5] = [Self::Heap, Self::Metaspace, Self::Threads, Self::Direct, Self::Array];

    /// The name of the number of such errors of a start, among the facts of an arm.
    pub const fn fact(self) -> &'static str {
        match self {
            Self::Heap => "jvm.out_of_memory.heap",
            Self::Metaspace => "jvm.out_of_memory.metaspace",
            Self::Threads => "jvm.out_of_memory.threads",
            Self::Direct => "jvm.out_of_memory.direct",
            Self::Array => "jvm.out_of_memory.array",
        }
    }

    /// What grows without an end where this is lacking.
    pub const fn leaked(self) -> Leaked {
        match self {
            Self::Heap | Self::Array => Leaked::Heap,
            Self::Metaspace => Leaked::Classes,
            Self::Threads => Leaked::Threads,
            Self::Direct => Leaked::Direct,
        }
    }
}

/// The JVM has thrown errors because memory was used up. Threads that such an error meets end in the middle of their work.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "the server's log has {count:three} `OutOfMemoryError` a start: {lacked}{heap?, {}}{keeper}{silent?; since then it answers nothing rightly}",
    zh = "服务器日志中每次启动有 {count:three} 个 `OutOfMemoryError`：{lacked}{heap?（{}）}{keeper}{silent?；此后它没有任何正确的应答}"
)]
pub struct MemoryUsedUp {
    /// What was used up in most of the errors.
    pub lacked: Lacked,
    /// Such errors in the log of a start, mean.
    pub count: Count,
    /// The size of the heap, where that is full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<Bytes>,
    /// Whether no answer is right.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub silent: bool,
    /// What keeps most of the heap; absent where nothing does, or it was not looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keeper: Option<Keeper>,
}

/// The number of lines by which a JVM says in a start that its compilers are off, among the facts of an arm.
pub const CODE_CACHE_FULL: &str = "jvm.code_cache_full";
/// The size in bytes of the room for compiled code, as the JVM tells it when that is full, among the facts of an arm.
pub const CODE_CACHE_BYTES: &str = "jvm.code_cache_bytes";

/// There is no room for compiled code any more.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "the JVM's code cache{size? of {}} is full, and its compilers are off, as its log says: what is not compiled yet runs in the \
          interpreter; {busy} of the CPU is in use",
    zh = "JVM 的代码缓存{size?（{}）}已满，日志显示编译器已停用：尚未编译的代码只能解释执行；CPU 使用率为 {busy}"
)]
pub struct CodeCache {
    /// Its size; absent where the JVM does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Bytes>,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Examples;

    impl Examples for MemoryUsedUp {
        fn examples() -> Vec<Self> {
            let used_up =
                |lacked| Self { lacked, count: Count(3.0), heap: None, silent: false, keeper: None };
            let dead = Self { heap: Some(Bytes(256 << 20)), silent: true, ..used_up(Lacked::Heap) };
            let kept = Self { keeper: Some(Keeper::example()), ..dead.clone() };
            Lacked::ALL.map(used_up).into_iter().chain([dead, kept]).collect()
        }
    }

    impl Examples for CodeCache {
        fn examples() -> Vec<Self> {
            vec![
                Self { size: None, busy: Share(0.97) },
                Self { size: Some(Bytes(4 << 20)), busy: Share(0.97) },
            ]
        }
    }
}
