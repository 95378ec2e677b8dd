//! Rows of [`super::Remedy`]: what to change in the load, or in the machine that makes it.

macro_rules! load_rows {
    ($($before:tt)*) => { remedies! { $($before)*
        /// Measure again: the generator was woken too late, because a hypervisor lets the machine wait or its CPU saves power.
        #[say(
            en = "measure again, or use a dedicated machine: a hypervisor that makes this machine wait has this effect, and so has a CPU that \
                  saves power",
            zh = "请重新测量：虚拟机管理程序让本机等待，或 CPU 处于节能状态时都会如此；或者使用专用的机器"
        )]
        MeasureAgain,
        /// Free CPUs: other programs had the CPU that the generator needed.
        #[say(
            en = "give the generator CPUs of its own, lower the load, or use a machine that nobody else uses",
            zh = "为压测端保留专用的 CPU、降低负载，或使用没有别人使用的机器"
        )]
        FreeCpusForGenerator,
        /// Give the generator more resources, because it is the limit itself.
        #[say(
            en = "use more event loops (`shards`), give the generator CPUs of its own, or use fewer connections",
            zh = "增加事件循环（`shards`）、为压测端保留专用的 CPU，或减少连接"
        )]
        EnlargeGenerator,
        /// Use fewer local ports, or allow more.
        #[say(
            en = "keep connections (`keepalive = true`), widen net.ipv4.ip_local_port_range, or limit `connect_rate`",
            zh = "保持连接（`keepalive = true`）、扩大 net.ipv4.ip_local_port_range，或限制 `connect_rate`"
        )]
        SparePorts,
        /// Let the generator open more files.
        #[say(
            en = "raise the limit of open files of prony (`ulimit -n`)",
            zh = "提高 prony 可打开的文件数上限（`ulimit -n`）"
        )]
        RaiseGeneratorFiles,
        /// Measure while the machine is quiet.
        #[say(
            en = "measure when the host is quiet, on a dedicated machine, or for longer: the arms meet the same noise in turn",
            zh = "请在主机空闲时测量、使用专用机器，或延长时间：各对象轮流面对同样的噪声"
        )]
        MeasureWhenQuiet,
        /// Give the load and other programs CPUs of their own.
        #[say(
            en = "the load and what else runs here take more CPU than the server: give them CPUs of their own, or run fewer arms at once",
            zh = "压测端和机器上的其他程序比服务器占用更多 CPU：请为它们提供各自的 CPU，或减少同时运行的对象"
        )]
        SeparateCpus,
        /// Let the warm-up last longer.
        #[say(en = "set a longer `warmup` and `warmup_cap`", zh = "加长 `warmup` 与 `warmup_cap`")]
        WarmUpLonger,
        /// Widen the link, or send less over it.
        #[say(
            en = "use a wider link or smaller answers (compression); servers can only be compared where the link is not full",
            zh = "使用带宽更大的链路，或减小应答（压缩）；只有在链路未满时才能比较服务器"
        )]
        WidenLink,
    } };
}
pub(super) use load_rows;
