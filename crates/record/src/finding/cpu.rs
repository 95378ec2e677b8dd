//! Findings about the CPU: how much there is, who else takes it, and what the server does with it.

use super::work::CpuUse;
use model::units::{Count, Cpus, Seconds, Share};
use say::Say;
use serde::{Deserialize, Serialize};

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! cpu_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// The server used up its quota of CPU time and had to wait.
        CpuQuotaThrottled(QuotaUsed) = "cpu-quota-throttled", Explains, Outside, 250;
        /// Somebody else took the CPU: another guest of the hypervisor, or another program here.
        NoisyNeighbour(Neighbour) = "noisy-neighbour", Explains, Outside, 420;
        /// The JVM is still compiling.
        JitWarmingUp(Compiling) = "jit-warming-up", Explains, Outside, 430;
        /// The CPU is full of the server's own work.
        ServerCpuSaturated(CpuFull) = "server-cpu-saturated", Explains, Outside, 470;
    } };
}

/// The quota of CPU time is used up.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "the server used {used:three} of the {quota:three} CPUs of its quota{waited? and had to wait in {} of all periods}; \
          the machine has {cpus}{jvm}",
    zh = "服务器用了 {quota:three} 个 CPU 配额中的 {used:three} 个{waited?，并在 {} 的周期中不得不等待}；机器有 {cpus} 个{jvm}"
)]
pub struct QuotaUsed {
    /// What the server used.
    pub used: Cpus,
    /// What it may use.
    pub quota: Cpus,
    /// Share of the quota's periods in which it had to wait; absent where the kernel does not tell.
    pub waited: Option<Share>,
    /// What the machine has.
    pub cpus: Cpus,
    /// The JVM's own threads, where it has more of them than the quota has CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jvm: Option<JvmBeyondQuota>,
}

/// A JVM that works with more threads at a time than its quota has CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "; its JVM sees {processors} CPUs, and collects with {collecting} and compiles with {compiling} threads at a time, which use up the \
          quota together{own?: they took {} of the server's CPU}",
    zh = "；其 JVM 看到 {processors} 个 CPU，同时用 {collecting} 个线程收集垃圾、{compiling} 个线程编译，它们一起耗尽配额{own?：占服务器 CPU 的 {}}"
)]
pub struct JvmBeyondQuota {
    pub processors: Count,
    /// Threads that collect while all others stand still.
    pub collecting: Count,
    /// Threads that compile at a time.
    pub compiling: Count,
    /// Share of the server's CPU time that both take; absent without telemetry.
    pub own: Option<Share>,
}

/// Somebody else took CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Neighbour {
    /// Programs on this machine that are no part of the run.
    #[say(
        en = "programs that are no part of this run took {share} of the CPU time",
        zh = "与本次运行无关的程序占用了 {share} 的 CPU 时间"
    )]
    Programs {
        /// Share of the machine's CPU time.
        share: Share,
    },
    /// The hypervisor, for another guest.
    #[say(
        en = "the hypervisor took {share} of the CPU time for somebody else",
        zh = "虚拟机管理程序将 {share} 的 CPU 时间给了别人"
    )]
    Hypervisor {
        /// Share of the machine's CPU time.
        share: Share,
    },
    /// The hypervisor took so much that starts did not count.
    #[say(en = "the hypervisor spoilt {share} of the starts", zh = "虚拟机管理程序使 {share} 的启动作废")]
    SpoiltStarts {
        /// Share of the starts.
        share: Share,
    },
    /// The hypervisor took little of all CPU time, but much of what was wanted, and made the generator late.
    #[say(
        en = "the hypervisor took {share} of the CPU time that was wanted here, which made the generator late",
        zh = "虚拟机管理程序占用了本机所需 CPU 时间的 {share}，压测端因此迟到"
    )]
    LateGenerator {
        /// Share of the CPU time that was wanted.
        share: Share,
    },
}

/// The JVM still compiles.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "compilers use {share} of the server's CPU: the JVM is still warming up",
    zh = "编译器占用了服务器 {share} 的 CPU：JVM 仍在预热"
)]
pub struct Compiling {
    /// Share of the server's CPU time that its compilers use.
    pub share: Share,
}

/// The CPU is full, mostly of the server's own work.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "the CPU is full: the server uses {used:three} of {cpus} CPUs{shares} at {micros:three} µs a request, the generator \
          {generator:three}{uses?; of the server's CPU {:clauses}}",
    zh = "CPU 已满：服务器用了 {cpus} 个 CPU 中的 {used:three} 个{shares}，每请求 {micros:three} µs，压测端 {generator:three} 个{uses?；服务器的 CPU 中 \
          {:clauses}}",
    micros = per_request.as_micros()
)]
pub struct CpuFull {
    /// What the server used.
    pub used: Cpus,
    /// What the machine has.
    pub cpus: Cpus,
    /// What the server's CPU time went to; absent where that was not read.
    pub shares: Option<CpuShares>,
    /// CPU time of the server per request.
    pub per_request: Seconds,
    /// What the generator used.
    pub generator: Cpus,
    /// What the server's CPU time is used for most, the largest first; empty where its threads were not seen, or where no method
    /// stands out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<CpuUse>,
}

/// Whether a share is 0, as it is for nearly all servers.
fn is_none(share: &Share) -> bool {
    share.0 == 0.0
}

/// What the server's CPU time goes to, as shares of it.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = " ({children?{} processes that it started, }{application} application, {kernel} kernel, {jit} \
          JIT, {gc} GC)",
    zh = "（{children?它启动的进程 {}，}应用 {application}，内核 {kernel}，JIT {jit}，GC {gc}）",
    children = Some(children).filter(|share| !is_none(share))
)]
pub struct CpuShares {
    /// The application and the server's own code.
    pub application: Share,
    /// The processes that the server has started.
    #[serde(default, skip_serializing_if = "is_none")]
    pub children: Share,
    /// The kernel, which works for the server.
    pub kernel: Share,
    /// The JVM's compilers.
    pub jit: Share,
    /// The JVM's collector.
    pub gc: Share,
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Examples;

    impl Examples for QuotaUsed {
        fn examples() -> Vec<Self> {
            let used =
                |waited| Self { used: Cpus(0.48), quota: Cpus(0.5), waited, cpus: Cpus(2.0), jvm: None };
            let jvm = |own| {
                let (processors, collecting, compiling) = (Count(8.0), Count(8.0), Count(4.0));
                Some(JvmBeyondQuota { processors, collecting, compiling, own })
            };
            let beyond = |own| Self { jvm: jvm(own), ..used(None) };
            vec![used(None), used(Some(Share(0.95))), beyond(None), beyond(Some(Share(0.4)))]
        }
    }

    impl Examples for Neighbour {
        fn examples() -> Vec<Self> {
            let share = Share(0.31);
            vec![
                Self::Programs { share },
                Self::Hypervisor { share },
                Self::SpoiltStarts { share },
                Self::LateGenerator { share },
            ]
        }
    }

    impl Examples for Compiling {
        fn examples() -> Vec<Self> {
            vec![Self { share: Share(0.38) }]
        }
    }

    impl Examples for CpuFull {
        fn examples() -> Vec<Self> {
            let shares = CpuShares {
                application: Share(0.6),
                children: Share(0.0),
                kernel: Share(0.32),
                jit: Share(0.05),
                gc: Share(0.03),
            };
            let forked = CpuShares { application: Share(0.1), children: Share(0.5), ..shares };
            let full = |shares| Self {
                used: Cpus(1.42),
                cpus: Cpus(2.0),
                shares,
                per_request: Seconds(2.4e-5),
                generator: Cpus(0.4),
                uses: Vec::new(),
            };
            let used =
                CpuUse::examples().into_iter().map(|used| Self { uses: vec![used], ..full(Some(shares)) });
            let plain = [full(None), full(Some(shares)), full(Some(forked))];
            plain.into_iter().chain(used).collect()
        }
    }
}
