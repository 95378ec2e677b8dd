//! Findings on the side of the clients: what the generator lacked, and wrong answers.

use crate::say::text::BilingualText;
use crate::words::Lang;
use ::say::numbers::{count, percent, seconds, three};
use ::say::text;
use model::faults::FaultCounts;
use model::finding::{DescriptorsExhausted, FastErrors, Lacking, LateGenerator, PortsExhausted, Starved};

/// The generator could not keep up.
pub(super) fn late_generator(generator: &LateGenerator, lang: Lang) -> String {
    let in_starts = generator.share_of_starts > generator.share_of_slices;
    let share = percent(generator.share_of_slices.max(generator.share_of_starts));
    let starved = generator.starved.map_or_else(String::new, |starved| without_cpu(starved, lang));
    let why = generator.why.as_ref();
    let why = why.and_then(|why| Some(text(&why.limit_reached()?, lang)));
    match lang {
        Lang::En => {
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            let what = if in_starts { "starts" } else { "slices" };
            format!("the generator could not keep up in {share} of the {what}{why}{starved}")
        }
        Lang::Zh => {
            let why = why.map_or_else(String::new, |why| format!("：{why}"));
            let what = if in_starts { "启动" } else { "切片" };
            format!("压测端在 {share} 的{what}中跟不上{why}{starved}")
        }
    }
}

/// The addition that the generator was late although it used little CPU.
fn without_cpu(Starved { cpus, idle }: Starved, lang: Lang) -> String {
    let cpus = three(cpus);
    match (idle.map(percent), lang) {
        (Some(idle), Lang::En) => {
            format!(
                "; it used {cpus} CPUs only and was woken too late, though {idle} of the CPU time was idle"
            )
        }
        (Some(idle), Lang::Zh) => {
            format!("；它只用了 {cpus} 个 CPU，却被唤醒得太晚，而 {idle} 的 CPU 时间是空闲的")
        }
        (None, Lang::En) => {
            format!("; it used {cpus} CPUs only and got none when it needed one: others had them")
        }
        (None, Lang::Zh) => format!("；它只用了 {cpus} 个 CPU，需要时却得不到：CPU 被别人占用"),
    }
}

/// The generator had no local port left.
pub(super) fn ports(ports: PortsExhausted, lang: Lang) -> String {
    let (failed, share) = (count(ports.failed as f64), percent(ports.share));
    match lang {
        Lang::En => format!(
            "{failed} connections could not be opened because no local port was free ({share} of the requests): a port \
             stays unusable for a minute after its connection was closed"
        ),
        Lang::Zh => format!(
            "{failed} 个连接因没有本地端口而无法建立（占请求的 {share}）：连接关闭后，其端口要闲置一分钟"
        ),
    }
}

/// The generator or the server had no file descriptor left.
pub(super) fn descriptors(descriptors: DescriptorsExhausted, lang: Lang) -> String {
    match descriptors {
        DescriptorsExhausted::OfGenerator { failed, share } => {
            let (failed, share) = (count(failed as f64), percent(share));
            match lang {
                Lang::En => format!(
                    "{failed} connections could not be opened, because the generator had no descriptor left ({share} of \
                     the requests)"
                ),
                Lang::Zh => {
                    format!("{failed} 个连接因压测端的文件描述符用尽而无法建立（占请求的 {share}）")
                }
            }
        }
        DescriptorsExhausted::OfServer { open, limit, lacking } => {
            let (open, limit, lacking) = (count(open), count(limit), lacking_text(lacking, lang));
            match lang {
                Lang::En => format!(
                    "the server has {open} of {limit} files and sockets open, and {lacking}: it accepts no connection more"
                ),
                Lang::Zh => format!(
                    "服务器已打开 {limit} 个文件与套接字中的 {open} 个，{lacking}：它不再接受新的连接"
                ),
            }
        }
    }
}

/// How one sees that a server accepts no further connections.
fn lacking_text(lacking: Lacking, lang: Lang) -> String {
    match (lacking, lang) {
        (Lacking::Users { left_out, users }, Lang::En) => {
            format!("{} of {} users are not served", count(left_out), count(users))
        }
        (Lacking::Users { left_out, users }, Lang::Zh) => {
            format!("{} 个用户中有 {} 个得不到服务", count(users), count(left_out))
        }
        (Lacking::Requests { failed }, Lang::En) => format!("{} of the requests failed", percent(failed)),
        (Lacking::Requests { failed }, Lang::Zh) => format!("{} 的请求失败", percent(failed)),
    }
}

/// Errors are answered faster than work is done.
pub(super) fn fast_errors(errors: &FastErrors, lang: Lang) -> String {
    let (share, each) = (percent(errors.share), seconds(errors.each));
    let kinds = text(&FaultCounts(&errors.faults), lang);
    let right = errors.right.map(seconds);
    match lang {
        Lang::En => {
            let right = right.map_or_else(String::new, |time| format!("; right answers took {time}"));
            format!("{share} of the requests failed, in {each} each{right}: {kinds}")
        }
        Lang::Zh => {
            let right = right.map_or_else(String::new, |time| format!("，正确应答用时 {time}"));
            format!("{share} 的请求失败，每个用时 {each}{right}：{kinds}")
        }
    }
}

pub(in crate::say) const MEASURE_AGAIN: BilingualText = BilingualText {
    en: "measure again, or use a dedicated machine: a hypervisor that makes this machine wait has this effect, and so has \
         a CPU that saves power",
    zh: "请重新测量：虚拟机管理程序让本机等待，或 CPU 处于节能状态时都会如此；或者使用专用的机器",
};

pub(in crate::say) const FREE_CPUS_FOR_GENERATOR: BilingualText = BilingualText {
    en: "give the generator CPUs of its own, lower the load, or use a machine that nobody else uses",
    zh: "为压测端保留专用的 CPU、降低负载，或使用没有别人使用的机器",
};

pub(in crate::say) const ENLARGE_GENERATOR: BilingualText = BilingualText {
    en: "use more event loops (`shards`), give the generator CPUs of its own, or use fewer connections",
    zh: "增加事件循环（`shards`）、为压测端保留专用的 CPU，或减少连接",
};

pub(in crate::say) const SPARE_PORTS: BilingualText = BilingualText {
    en: "keep connections (`keepalive = true`), widen net.ipv4.ip_local_port_range, or limit `connect_rate`",
    zh: "保持连接（`keepalive = true`）、扩大 net.ipv4.ip_local_port_range，或限制 `connect_rate`",
};

pub(in crate::say) const RAISE_GENERATOR_FILES: BilingualText = BilingualText {
    en: "raise the limit of open files of prony (`ulimit -n`)",
    zh: "提高 prony 可打开的文件数上限（`ulimit -n`）",
};

pub(in crate::say) const RAISE_SERVER_FILES: BilingualText = BilingualText {
    en: "raise its limit of open files (`open_files` of the arm; LimitNOFILE of a unit, `ulimit -n`)",
    zh: "提高其可打开的文件数上限（对象的 `open_files`；systemd 单元的 LimitNOFILE，`ulimit -n`）",
};

pub(in crate::say) const READ_SERVER_LOG: BilingualText = BilingualText {
    en: "look into the server's log for what fails; no throughput counts while answers are wrong",
    zh: "请从服务器日志中查明失败的原因；应答正确之前，任何吞吐量都不算数",
};
