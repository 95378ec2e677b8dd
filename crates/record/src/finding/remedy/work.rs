//! Rows of [`super::Remedy`]: what to do about answers and about the work on the CPU.

macro_rules! work_rows {
    ($($before:tt)*) => { remedies! { $($before)*
        /// Find out what fails, from the log of the server.
        #[say(
            en = "look into the server's log for what fails; no throughput counts while answers are wrong",
            zh = "请从服务器日志中查明失败的原因；应答正确之前，任何吞吐量都不算数"
        )]
        ReadServerLog,
        /// Let answers end where they say that they do.
        #[say(
            en = "let answers end where they say that they do: what follows is taken for the begin of the next one. Look for a Content-Length in \
                  characters instead of bytes, a body after 204 or 304 or of HEAD, and what writes behind the answer",
            zh = "让应答在其声明之处结束：其后的字节会被当作下一个应答的开头。请检查 Content-Length 是否按字符而非字节计算、204、304 或 HEAD \
                  的应答是否带有正文，以及是什么在应答之后继续写入"
        )]
        EndAnswers,
        /// Change nothing: the CPU is full because a closed loop asks as fast as it is answered.
        #[say(
            en = "nothing is wrong: this is what it can do; less CPU per request or more CPUs raise it",
            zh = "没有问题：这就是它的能力；降低每请求 CPU 或增加 CPU 可以提高"
        )]
        AcceptFullCpu,
        /// Nothing is wrong, but the generator uses much of the same CPUs.
        #[say(
            en = "nothing is wrong, but the generator uses a part of the same CPUs: the server alone could do more; on a machine with four \
                  CPUs or more the generator has its own",
            zh = "没有问题，但压测端占用了同一批 CPU 的一部分：服务器单独运行时能做得更多；机器有四个或更多 CPU 时，压测端会使用专用的 CPU"
        )]
        AcceptSharedCpu,
        /// Use less CPU or add some: the server cannot hold the load with the CPU that it has.
        #[say(
            en = "it cannot hold this rate: less CPU per request or more CPUs raise it",
            zh = "它承受不了这个速率：降低每请求 CPU 或增加 CPU 可以提高"
        )]
        SpareCpu,
        /// Do less of what the CPU time is used for.
        #[say(
            en = "{spared}; without it at most {times:.1} times as many requests",
            zh = "{spared}；若完全去掉，请求数最多为原来的 {times:.1} 倍",
            spared = Spared { work: *work, method: method.as_deref() }
        )]
        SpareWork {
            /// The kind of work; absent where no rule knows it.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            work: Option<CpuWork>,
            /// The method of the application that does it.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            method: Option<String>,
            /// How many times as many requests the same CPU would answer without it (Amdahl's law).
            times: f64,
        },
        /// Give the code of the JVM's compilers more room.
        #[say(
            en = "give the compiled code more room (`-XX:ReservedCodeCacheSize`; 240 MiB are the default, and takes memory only as it fills), and leave `-XX:+UseCodeCacheFlushing` on",
            zh = "给编译后的代码更多空间（`-XX:ReservedCodeCacheSize`；默认 240 MiB，只在填充时才占用内存），并保持 `-XX:+UseCodeCacheFlushing` 开启"
        )]
        EnlargeCodeCache,
    } };
}
pub(super) use work_rows;
