//! Errors that end an experiment, in Chinese. Their English is `lab::Error`'s own.

use super::{Message, hinted, plain, sut};
use lab::{Error, JvmFact};

/// An error in Chinese, with what to do about it.
pub(super) fn chinese(error: &Error) -> Message {
    match error {
        Error::Arm { arm, source } => {
            let said = sut::chinese(source);
            Message {
                message: format!("对象 `{arm}`：{}", said.message),
                ..said
            }
        }
        Error::Sut(source) => sut::chinese(source),
        Error::Died { arm, .. } => hinted(
            format!("对象 `{arm}`：其服务器在负载下退出"),
            "原因见上面的日志；通常加大 `heap` 即可解决",
        ),
        Error::Load(_) => plain("压测端失败"),
        Error::Probe(_) => plain("无法再观测服务器"),
        Error::Strange(why) => plain(format!("另一台主机上的 prony 给出了无法理解的回答：{why}")),
        Error::Edges => plain("有一个切片结束时缺少其计数窗口的起点或终点"),
        Error::Memory { arms, heaps, memory } => hinted(
            format!("{arms} 个对象的堆共需 {heaps}，超过本机 {memory} 内存的 70 %"),
            "所有对象同时运行，以便承受相同的噪声：请设置更小的 `heap`，或用 --arm 只选其中几个",
        ),
        Error::Cpus(refused) => hinted(
            ::say::text(refused, report::Lang::Zh),
            "`lscpu -e` 会列出各 CPU 及其核心；请为每个事件循环指定一个 CPU，其余的留给服务器",
        ),
        Error::Arms {
            one,
            other,
            same: true,
        } => hinted(
            format!("对象 `{one}` 与 `{other}` 相同"),
            "请写明差异；若要了解相同对象之间相差多少，请在 [design] 中设置 `aa = true`，或运行 `prony calibrate aa`",
        ),
        Error::Arms {
            one,
            other,
            same: false,
        } => hinted(
            format!("对象 `{one}` 与 `{other}` 不相同"),
            "设置 `aa = true` 时，所有对象除名称和端口外必须相同",
        ),
        Error::UnnamedDifference {
            fact,
            one,
            one_value,
            other,
            other_value,
        } => hinted(
            format!(
                "各对象的{}不同，但没有任何对象写明：`{one}` 运行时为 {one_value}，`{other}` 为 {other_value}",
                jvm_fact(*fact)
            ),
            "请在每个对象中写明：`heap`、`jdk`，或在 `jvm_options` 中写明垃圾收集器",
        ),
        Error::Interrupted => plain("已中断"),
    }
}

fn jvm_fact(fact: JvmFact) -> &'static str {
    match fact {
        JvmFact::Collector => "垃圾收集器",
        JvmFact::Heap => "堆大小",
        JvmFact::Jdk => " JDK ",
    }
}
