//! Notes in Chinese.

use super::{layout, machines, priors};
use crate::say::{self, Lang, text};
use crate::units;
use crate::words;
use model::isolation::NotSeparated;
use model::measure::Measure;
use model::note::{
    ArmCount, ArmNote, Forecast, LeftOut, LoadNote, Part, RunNote, SharedCpus, SlowService, TunedValue,
    Unavailable,
};

/// A note on the starts of a run.
pub(super) fn run(note: &RunNote) -> String {
    match note {
        RunNote::NotCounted {
            start,
            part,
            reason: why,
        } => not_counted(*start, *part, &text(why, Lang::Zh)),
        RunNote::LatePercentile {
            measure: percentile,
            starts,
            all,
            last,
        } => format!(
            "因请求发送得晚，{all} 次启动中有 {starts} 次的{}未计入；最后一次的原因：{}",
            measure(*percentile),
            text(last, Lang::Zh)
        ),
        RunNote::SlicesRepeated { repeated, all } => format!(
            "{all} 组切片中有 {repeated} 组重新测量，因为其间虚拟机管理程序占用了超过 10 % 的 CPU 时间，或编译器占用了某服务器超过 10 % 的 CPU 时间"
        ),
        RunNote::LearntPriors(changes) => priors::learnt(changes, Lang::Zh),
        RunNote::CompilersBusy { .. } | RunNote::BudgetTooShort { .. } | RunNote::StartedAtOnce { .. } => {
            layout::run(note, Lang::Zh)
        }
        RunNote::PairsChanged { .. } | RunNote::TimeMoved { .. } => pairs_changed(note),
        RunNote::MachineBusy {
            busy,
            all,
            idle,
            waited,
        } => format!(
            "{all} 次启动中有 {busy} 次开始时机器正被其他工作占用：最差时仅 {:.0} % 空闲（要求 60 %），共等待 {waited:.0} s",
            100.0 * idle
        ),
        RunNote::SharedCores(why) => shared_cores(*why),
        RunNote::StartContinued { start, levels } => format!(
            "第 {start} 次启动在中断后继续：其中 {levels} 个级别在中断前测得，所用的服务器比其余级别启动得更早"
        ),
        RunNote::WarmupUnsteady { unsteady, all } => format!(
            "{all} 次预热中有 {unsteady} 次到达上限时尚未稳定；各对象按同一规则截止，但各次启动之间的数值波动更大；加长 `warmup_cap` 或有帮助"
        ),
        RunNote::WarmupDrift { arm, baseline, gain } => format!(
            "从一次启动的第一对切片到最后一对，{}：二者之一仍在预热；请将 `warmup` 与 `warmup_cap` 加倍",
            match *gain > 0.0 {
                true => format!("{arm} 相对 {baseline} 提高了 {:.1} %", 100.0 * gain),
                false => format!("{arm} 相对 {baseline} 下降了 {:.1} %", -100.0 * gain),
            }
        ),
        RunNote::Interrupted { starts, run } => {
            format!("运行提前结束，已完成 {starts} 次启动；`prony run --resume {run}` 可继续")
        }
        RunNote::Forecast(forecast) => self::forecast(forecast),
        RunNote::Legacy(text) => text.clone(),
    }
}

/// Why the generator and the servers shared cores.
fn shared_cores(why: NotSeparated) -> String {
    let share = "压测端与服务器共用 CPU，彼此占用对方的时间";
    match why {
        NotSeparated::FewCpus { usable, online } if usable < online => format!(
            "{share}：本机有 {online} 个 CPU，而 prony 只能使用 {usable} 个（`taskset` 或控制组的限制）；达到 4 个时双方各有自己的 CPU"
        ),
        NotSeparated::FewCpus { usable, .. } => {
            format!("{share}：本机有 {usable} 个 CPU；达到 4 个时双方各有自己的 CPU")
        }
        NotSeparated::FewCores { loops, usable } => format!(
            "{share}：若为压测端的 {loops} 个事件循环分出核心，服务器将只剩下 {usable} 个 CPU 中的不到一半"
        ),
        NotSeparated::Limit { allowed, left } => {
            format!("{share}：有对象可用 {allowed} 个 CPU，而服务器只会剩下 {left} 个")
        }
        NotSeparated::Link => format!("{share}：服务器位于独立链路之后；`[machine]` 仍可将 CPU 分开"),
        NotSeparated::RanAlready => {
            format!("若服务器在本机，则{share}：有服务器早已在运行，prony 无法选择它的 CPU")
        }
        NotSeparated::OneCore { generator, server } => format!(
            "压测端与服务器共用一个核心：CPU {generator} 与 {server} 是同一核心的硬件线程，彼此拖慢对方"
        ),
    }
}

/// How the numbers of pairs were chosen anew. Empty for other notes.
fn pairs_changed(note: &RunNote) -> String {
    match note {
        RunNote::PairsChanged {
            before,
            starts,
            after,
        } => format!(
            "前 {starts} 次启动各 {before} 对切片，之后各 {after} 对：前几次启动表明，这样在同样时间内结果最精确"
        ),
        RunNote::TimeMoved {
            starts,
            closed_before,
            closed_after,
            stage_before,
            stage_after,
        } => format!(
            "前 {starts} 次启动各有闭环切片 {closed_before} 对、固定速率切片 {stage_before} 对，之后各为 {closed_after} 对和 {stage_after} 对：\
             前几次启动表明，这样在同样时间内结果最精确"
        ),
        _ => String::new(),
    }
}

fn not_counted(start: u32, part: Part, reason: &str) -> String {
    match part {
        Part::Whole => format!("第 {start} 次启动未计入，已重做：{reason}"),
        Part::LastStart => format!("第 {start} 次启动未计入，也未重做：{reason}"),
        Part::Level { users } => format!("第 {start} 次启动在 {users} 个连接下未计入：{reason}"),
        Part::CpuPerRequest { users } => {
            format!("第 {start} 次启动在 {users} 个连接下的每请求 CPU 未计入：{reason}")
        }
        Part::FixedRate => format!("第 {start} 次启动在固定速率下未计入：{reason}"),
        Part::ResponseTimes => format!("第 {start} 次启动的响应时间未计入：{reason}"),
    }
}

fn forecast(forecast: &Forecast) -> String {
    let mut text = format!(
        "{} 次启动之后：{}共约需 {}才能检测出 {:.1} % 的差异",
        forecast.starts,
        measure(forecast.measure),
        time(forecast.needed),
        100.0 * forecast.effect
    );
    if let Some(effect) = forecast.planned_effect {
        text.push_str(&format!("；计划的时间能检测出 {:.0} % 的差异", 100.0 * effect));
    }
    if let Some(steadier) = &forecast.steadier {
        text.push_str(&format!(
            "；{}在各次启动之间波动较小（{:.1} % 对 {:.1} %）",
            measure(steadier.measure),
            100.0 * steadier.deviation,
            100.0 * steadier.headline_deviation
        ));
    }
    text
}

pub(super) fn measure(measure: Measure) -> &'static str {
    words::of(Lang::Zh).measure(measure)
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 5400.0 => format!("{:.0} 分钟", (s / 60.0).max(1.0)),
        s if s < 172_800.0 => format!("{:.0} 小时", s / 3600.0),
        _ => "数天".to_owned(),
    }
}

/// A note on single arms.
pub(super) fn arm(note: &ArmNote) -> String {
    match note {
        ArmNote::NeverRestarted { arms } => format!(
            "{} 不是由 prony 启动的：判定只对当时运行的进程成立，再次启动后的差别可能与启动之间的波动一样大",
            arms.join(" 与 ")
        ),
        ArmNote::CertificateNotVerified { arms } => format!(
            "{} 的证书未经验证，因为它不是由 prony 生成的；但已确认服务器持有其密钥",
            arms.join(" 与 ")
        ),
        ArmNote::Elsewhere { arms, host } => machines::elsewhere_chinese(arms, host),
        ArmNote::OnSeveralMachines { machines } => machines::several_chinese(machines),
        ArmNote::LeftOut(LeftOut { arm, why }) => format!("对象 `{arm}` 未参加：{}", unavailable(why)),
        ArmNote::RequirementWithoutArm { arm } => {
            format!("`[require.{arm}]` 未作判定：本次运行中没有该名称的对象")
        }
        ArmNote::UnlikeHeaders {
            arm,
            bytes,
            baseline,
            baseline_bytes,
        } => format!(
            "{arm} 的一个应答除正文外有 {bytes:.0} 字节，{baseline} 有 {baseline_bytes:.0} 字节：各对象发送的首部不同"
        ),
        ArmNote::NotProfiled { arms, why } => {
            let why = why.as_ref().map_or_else(String::new, |why| format!("：{why}"));
            format!("未能剖析 {} 的 CPU 时间{why}", arms.join("、"))
        }
        ArmNote::NoTrial { arm, cause, remedy } => format!(
            "{arm} 的 {} 未做尝试：所建议的改动针对负载、机器或应用，而非服务器的设置（{}）",
            cause,
            say::remedy(remedy, Lang::Zh)
        ),
        ArmNote::NothingToTune { arm, cause, remedy } => format!(
            "{arm} 的 {cause} 未做尝试：prony 不知道如何设置过小的那一项（{}）；在文件中写 `[tune]`，如 \
             `\"pool.size\" = {{ env = \"POOL\", values = [8, 16, 32] }}`，`--prove` 便会尝试这些值",
            say::remedy(remedy, Lang::Zh)
        ),
        ArmNote::Tuned {
            arm,
            cause,
            setting,
            values,
        } => {
            let values = values.iter().map(tuned_value).collect::<Vec<_>>();
            format!(
                "因 {cause} 尝试了 {arm} 的 {setting}；吞吐量为未改动时的倍数：{}",
                values.join("、")
            )
        }
        ArmNote::TrialFailed { arm, cause, run } => format!(
            "对 {arm} 的 {} 的尝试没有结果：运行 {run} 中没有一次启动有效；请在没有其他程序运行的机器上重试",
            cause
        ),
    }
}

fn tuned_value(tuned: &TunedValue) -> String {
    let value = &tuned.value;
    match &tuned.throughput {
        Some(factor) => {
            let (times, ends) = units::factor(factor);
            format!("取 {value} 时 {times}{ends}")
        }
        None => format!("取 {value} 时未知"),
    }
}

fn unavailable(why: &Unavailable) -> String {
    match why {
        Unavailable::HostNotGiven { host } => format!("未给出其主机的地址（`--host {host}=ssh://USER@BOX`）"),
        Unavailable::NativeImageMissing => {
            "未安装 native-image：GRAALVM_HOME/bin、JAVA_HOME/bin 与 PATH 中都没有它".to_owned()
        }
        Unavailable::Other(text) | Unavailable::Legacy(text) => text.clone(),
    }
}

/// A note on the load.
pub(super) fn load(note: &LoadNote) -> String {
    match note {
        LoadNote::SlowService(slow) => slow_service(slow),
        LoadNote::NoSteadyState { users, arms } => format!(
            "{users} 个连接下未达稳态：吞吐量乘以服务时间得到的用户数为 {}；吞吐量有效，但服务时间还会增长（加长 `settle` 可见）",
            list(arms, |arm| format!("{} {}", arm.arm, arm.count))
        ),
        LoadNote::ConnectionsReopened { users, arms } => format!(
            "{users} 个连接下，服务器在切片之间关闭了空闲连接；在计入部分之前重新建立：{}",
            list(arms, |arm| format!("{} {} 个", arm.arm, arm.count))
        ),
        LoadNote::ArmsAtOnce { .. } => layout::load(note, Lang::Zh),
        LoadNote::SharedCpus(shared) => shared_cpus(shared),
        LoadNote::LoadedTogether {
            rate, for_cpu: true, ..
        } => format!(
            "每请求 CPU 是在所有对象同时承受负载时测得的，每个 {}：所得数值是该对象与其他对象并行时的数值",
            units::rate(*rate)
        ),
        LoadNote::LoadedTogether { arms, rate, .. } => format!(
            "固定速率下 {arms} 个对象同时承受负载，每个 {}：所得数值是该对象与其他对象并行时的数值，任一对象占用机器都会改变所有对象的响应时间",
            units::rate(*rate)
        ),
        LoadNote::FellBehind => "服务器跟不上该速率：未完成的请求过多，压测已终止".to_owned(),
        LoadNote::OtherServers(servers) => format!(
            "部分请求发往其他服务器：{}；合计包含所有请求，各步骤另有自己的数据",
            servers.join("、")
        ),
        LoadNote::LeftOut(elements) => format!("计划中的以下元件不受支持，已略去：{}", elements.join("、")),
        LoadNote::PlanDiffers(difference) => say::plan_difference(*difference, Lang::Zh).to_owned(),
        LoadNote::Fleet {
            agents,
            of,
            start_spread,
            refused,
        } => say::fleet::whole(*agents, *of, *start_spread, *refused, Lang::Zh),
        LoadNote::SlicesTogether { slices, median, p99 } => {
            say::fleet::together(*slices, *median, *p99, Lang::Zh)
        }
        LoadNote::Agent(facts) => say::fleet::agent(facts, Lang::Zh),
        LoadNote::SmallerLoad(lost) => say::fleet::smaller(lost, Lang::Zh),
        LoadNote::HiddenTail { mean, p99 } => format!(
            "不到 1 % 的请求占去了大部分时间：均值 {:.1} ms 超过了 p99 {:.1} ms",
            1e3 * mean,
            1e3 * p99
        ),
    }
}

fn shared_cpus(shared: &SharedCpus) -> String {
    let SharedCpus {
        users,
        cpus,
        arm,
        baseline,
        ..
    } = shared;
    let (server, generator) = (1e6 * shared.server, 1e6 * shared.generator);
    let total = server + generator;
    let more = |micros: f64| if micros > 0.0 { "多" } else { "少" };
    let of_both = match server * generator >= 0.0 {
        true => format!(
            "{arm} 每请求比 {baseline} {}用 {:.1} µs CPU，其中 {:.1} µs 用在压测端",
            more(total),
            total.abs(),
            generator.abs()
        ),
        false => format!(
            "与 {baseline} 相比，{arm} 的每个请求在服务器上{}用 {:.1} µs CPU，在压测端{}用 {:.1} µs",
            more(server),
            server.abs(),
            more(generator),
            generator.abs()
        ),
    };
    format!(
        "在 {users} 个连接下，压测端与服务器共用 {cpus} 个 CPU 且已用满，因此吞吐量由两者共同决定：{of_both}"
    )
}

fn slow_service(slow: &SlowService) -> String {
    let mut text = format!(
        "{} 个连接下一个请求需 {:.2} s：切片长 {:.1} s，其中 {:.1} s 计入，{}",
        slow.users,
        slow.service,
        slow.slice,
        slow.counted,
        match slow.pairs {
            1 => "每次启动一行切片".to_owned(),
            pairs => format!("每次启动 {pairs} 对"),
        }
    );
    if let Some(rounds) = slow.few_rounds {
        text.push_str(&format!(
            "；一个切片只容得下 {rounds:.0} 轮请求，其吞吐量在边缘处可能偏差至多 {:.0} %",
            100.0 / rounds
        ));
    }
    if let Some(total) = slow.total {
        text.push_str(&format!("；共 {total:.0} s"));
    }
    text
}

fn list(arms: &[ArmCount], write: impl Fn(&ArmCount) -> String) -> String {
    arms.iter().map(write).collect::<Vec<_>>().join("，")
}
