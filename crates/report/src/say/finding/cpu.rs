//! Findings on CPU time: a quota, other programs, compilers, and a server that uses all of it.

use crate::say::text::BilingualText;
use crate::words::Lang;
use ::say::numbers::{percent, three};
use model::finding::{Compiling, CpuFull, CpuShares, Neighbour, QuotaUsed};

/// The quota of CPU time is used up.
pub(super) fn quota(quota: QuotaUsed, lang: Lang) -> String {
    let (used, allowed, cpus) = (three(quota.used), three(quota.quota), quota.cpus);
    let waited = quota.waited.map(percent);
    match lang {
        Lang::En => {
            let waited = waited
                .map_or_else(String::new, |share| format!(" and had to wait in {share} of all periods"));
            format!(
                "the server used {used} of the {allowed} CPUs of its quota{waited}; the machine has {cpus}"
            )
        }
        Lang::Zh => {
            let waited =
                waited.map_or_else(String::new, |share| format!("，并在 {share} 的周期中不得不等待"));
            format!("服务器用了 {allowed} 个 CPU 配额中的 {used} 个{waited}；机器有 {cpus} 个")
        }
    }
}

/// The hypervisor or other programs took CPU time.
pub(super) fn neighbour(neighbour: Neighbour, lang: Lang) -> String {
    let (Neighbour::Programs { share }
    | Neighbour::Hypervisor { share }
    | Neighbour::SpoiltStarts { share }
    | Neighbour::LateGenerator { share }) = neighbour;
    let share = percent(share);
    match (neighbour, lang) {
        (Neighbour::Programs { .. }, Lang::En) => {
            format!("programs that are no part of this run took {share} of the CPU time")
        }
        (Neighbour::Programs { .. }, Lang::Zh) => format!("与本次运行无关的程序占用了 {share} 的 CPU 时间"),
        (Neighbour::Hypervisor { .. }, Lang::En) => {
            format!("the hypervisor took {share} of the CPU time for somebody else")
        }
        (Neighbour::Hypervisor { .. }, Lang::Zh) => {
            format!("虚拟机管理程序将 {share} 的 CPU 时间给了别人")
        }
        (Neighbour::SpoiltStarts { .. }, Lang::En) => {
            format!("the hypervisor spoilt {share} of the starts")
        }
        (Neighbour::SpoiltStarts { .. }, Lang::Zh) => format!("虚拟机管理程序使 {share} 的启动作废"),
        (Neighbour::LateGenerator { .. }, Lang::En) => format!(
            "the hypervisor took {share} of the CPU time that was wanted here, which made the generator late"
        ),
        (Neighbour::LateGenerator { .. }, Lang::Zh) => {
            format!("虚拟机管理程序占用了本机所需 CPU 时间的 {share}，压测端因此迟到")
        }
    }
}

/// The JVM still compiles.
pub(super) fn compiling(compiling: Compiling, lang: Lang) -> String {
    let share = percent(compiling.share);
    match lang {
        Lang::En => format!("compilers use {share} of the server's CPU: the JVM is still warming up"),
        Lang::Zh => format!("编译器占用了服务器 {share} 的 CPU：JVM 仍在预热"),
    }
}

/// The CPU is full, and the server uses most of it.
pub(super) fn full(full: CpuFull, lang: Lang) -> String {
    let (used, generator) = (three(full.used), three(full.generator));
    let (cpus, each) = (full.cpus, three(full.per_request * 1e6));
    let shares = full.shares.map_or_else(String::new, |shares| went_to(shares, lang));
    match lang {
        Lang::En => format!(
            "the CPU is full: the server uses {used} of {cpus} CPUs{shares} at {each} µs a request, the generator {generator}"
        ),
        Lang::Zh => format!(
            "CPU 已满：服务器用了 {cpus} 个 CPU 中的 {used} 个{shares}，每请求 {each} µs，压测端 {generator} 个"
        ),
    }
}

/// What the server used its CPU for, in brackets.
fn went_to(shares: CpuShares, lang: Lang) -> String {
    let [application, kernel, jit, gc] =
        [shares.application, shares.kernel, shares.jit, shares.gc].map(percent);
    let children = (shares.children > 0.0).then(|| percent(shares.children));
    let children = match (children, lang) {
        (None, _) => String::new(),
        (Some(share), Lang::En) => format!("{share} processes that it started, "),
        (Some(share), Lang::Zh) => format!("它启动的进程 {share}，"),
    };
    match lang {
        Lang::En => format!(" ({children}{application} application, {kernel} kernel, {jit} JIT, {gc} GC)"),
        Lang::Zh => format!("（{children}应用 {application}，内核 {kernel}，JIT {jit}，GC {gc}）"),
    }
}

/// The advice to raise the CPU quota to this number of CPUs.
pub(in crate::say) fn raise_quota(to: f64, lang: Lang) -> String {
    match lang {
        Lang::En => format!(
            "allow it more CPU (`cpus = {to}`): in a container `--cpus` or the quota of its control group"
        ),
        Lang::Zh => format!("给它更多 CPU（`cpus = {to}`）：容器的 `--cpus`，或其控制组的配额"),
    }
}

pub(in crate::say) const MEASURE_WHEN_QUIET: BilingualText = BilingualText {
    en: "measure when the host is quiet, on a dedicated machine, or for longer: the arms meet the same noise in turn",
    zh: "请在主机空闲时测量、使用专用机器，或延长时间：各对象轮流面对同样的噪声",
};

pub(in crate::say) const WARM_UP_LONGER: BilingualText =
    BilingualText { en: "set a longer `warmup` and `warmup_cap`", zh: "加长 `warmup` 与 `warmup_cap`" };

pub(in crate::say) const ACCEPT_FULL_CPU: BilingualText = BilingualText {
    en: "nothing is wrong: this is what it can do; less CPU per request or more CPUs raise it",
    zh: "没有问题：这就是它的能力；降低每请求 CPU 或增加 CPU 可以提高",
};

pub(in crate::say) const ACCEPT_SHARED_CPU: BilingualText = BilingualText {
    en: "nothing is wrong, but the generator uses a part of the same CPUs: the server alone could do more; on a machine with four \
         CPUs or more the generator has its own",
    zh: "没有问题，但压测端占用了同一批 CPU 的一部分：服务器单独运行时能做得更多；机器有四个或更多 CPU 时，压测端会使用专用的 CPU",
};

pub(in crate::say) const SPARE_CPU: BilingualText = BilingualText {
    en: "it cannot hold this rate: less CPU per request or more CPUs raise it",
    zh: "它承受不了这个速率：降低每请求 CPU 或增加 CPU 可以提高",
};
