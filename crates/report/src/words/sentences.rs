//! Sentences of the laboratory in Chinese. A report holds them in English; each is recognised by its template and filled in
//! anew, as gettext does with whole messages. One without a template stays as it is.

use super::fill;

/// What is translated again where it stands inside another sentence, and may hold several.
const NESTED: [&str; 5] = ["why", "reason", "aim", "measure", "row"];

/// English and Chinese. Where two fit, the earlier one is taken.
const PAIRS: &[(&str, &str)] = &[
    // lab::remarks
    (
        "a loss was shown, but within {margin} %",
        "证明了有损失，但在 {margin} % 以内",
    ),
    (
        "a real difference, but within {margin} %",
        "差异真实存在，但在 {margin} % 以内",
    ),
    (
        "an interval needs {needed} starts, there were {starts}",
        "计算区间需要 {needed} 次启动，只有 {starts} 次",
    ),
    ("settle the gate if nothing was lost", "在没有损失时判定门限"),
    ("tell {effect} % from nothing", "分辨 {effect} % 的差异"),
    ("a little more time would {aim}", "再多一点时间即可{aim}"),
    ("about {time} more min would {aim}", "约再需 {time} 分钟即可{aim}"),
    (
        "about {time} more hours would {aim}",
        "约再需 {time} 小时即可{aim}",
    ),
    (
        "this machine is too noisy to {aim}",
        "这台机器噪声太大，无法{aim}",
    ),
    (
        "decided after {starts} of {all} starts",
        "在 {all} 次启动中的第 {starts} 次后即已判定",
    ),
    (
        "small against start-to-start variation: {against} of {all} starts point the other way",
        "相对于启动之间的波动较小：{all} 次启动中有 {against} 次方向相反",
    ),
    (
        "a few starts rule the mean: p {flips} by sign-flip, {t} by t",
        "均值由少数几次启动决定：符号翻转检验 p = {flips}，t 检验 p = {t}",
    ),
    ("see every start", "请看“每次启动”"),
    // lab::notes
    (
        "start {start} did not count and was repeated: {reason}",
        "第 {start} 次启动未计入，已重做：{reason}",
    ),
    (
        "start {start} did not count at {users} connections: {reason}",
        "第 {start} 次启动在 {users} 个连接下未计入：{reason}",
    ),
    (
        "start {start} did not count at the fixed rate: {reason}",
        "第 {start} 次启动在固定速率下未计入：{reason}",
    ),
    (
        "{arms} ran already and was never started afresh: a verdict holds for that process as it is, and the next one may differ from it by what starts differ",
        "{arms} 本已在运行，没有重新启动：判定只对当前进程成立，再次启动后的进程可能因启动之间的波动而不同",
    ),
    (
        "the certificate of {arms} was not verified: prony did not make it; that the server holds its key was",
        "{arms} 的证书未经验证：它不是由 prony 生成的；但已确认服务器持有其密钥",
    ),
    (
        "response times of start {start} did not count: {reason}",
        "第 {start} 次启动的响应时间未计入：{reason}",
    ),
    (
        "{pairs} pairs of slices in each of the first {before} starts, {later} in the later ones: what those showed to tell most in the time",
        "前 {before} 次启动各 {pairs} 对切片，之后各 {later} 对：依据前几次的波动，使同样时间内分辨力最高",
    ),
    (
        "{busy} of {all} starts began while other work used the machine: only {idle} % of it was idle at worst (wanted 60 %), after {waited} s of waiting in all",
        "{all} 次启动中有 {busy} 次开始时机器正被其他工作占用：最差时仅 {idle} % 空闲（要求 60 %），共等待 {waited} s",
    ),
    (
        "warm-up ended at its cap, not yet steady, {unsteady} {times} of {all}: both arms were cut by the same rule, so this costs precision, not fairness",
        "{all} 次预热中有 {unsteady} 次到达上限时尚未稳定：各对象按同一规则截止，因此损失的是精度而非公平",
    ),
    ("a longer `warmup_cap` may help", "加长 `warmup_cap` 或有帮助"),
    (
        "at {users} connections a request takes {time} s: slices of {slice} s, of which {counted} s count, {row}",
        "{users} 个连接下一个请求需 {time} s：切片长 {slice} s，其中 {counted} s 计入，{row}",
    ),
    ("{pairs} pairs a start", "每次启动 {pairs} 对"),
    ("one row of slices a start", "每次启动一行切片"),
    (
        "a slice holds only {rounds} rounds of requests, so its throughput may be off by up to {bias} % at its edges",
        "一个切片只容得下 {rounds} 轮请求，其吞吐量在边缘处可能偏差至多 {bias} %",
    ),
    (
        "no steady state at {users} connections: throughput times service time makes {found} users",
        "{users} 个连接下未达稳态：吞吐量乘以服务时间得到的用户数为 {found}",
    ),
    (
        "throughput counts, service times would still grow (a longer `settle` shows them)",
        "吞吐量有效，服务时间还会增长（加长 `settle` 可见）",
    ),
    (
        "at {users} connections servers closed idle ones between slices",
        "{users} 个连接下，服务器在切片之间关闭了空闲连接",
    ),
    (
        "opened again before the counted parts: {found}",
        "在计入部分之前重新建立：{found}",
    ),
    // lab::planning
    (
        "after {starts} starts: {measure} needs about {time} to tell {effect} % from nothing",
        "{starts} 次启动之后：{measure}约需 {time} 才能分辨 {effect} % 的差异",
    ),
    ("the time planned tells {effect} %", "计划的时间能分辨 {effect} %"),
    (
        "{measure} spreads less from start to start ({less} % against {more} %)",
        "{measure}在各次启动之间波动较小（{less} % 对 {more} %）",
    ),
    ("throughput", "吞吐量"),
    ("CPU per request", "每请求 CPU"),
    ("response p50", "响应时间 p50"),
    ("response p90", "响应时间 p90"),
    ("response p99", "响应时间 p99"),
    ("start-up", "启动时间"),
    ("peak memory", "峰值内存"),
    // lab::possible, lab::findings
    ("arm `{arm}` was left out: {why}", "对象 `{arm}` 未参加：{why}"),
    (
        "{void} of {all} starts did not count; the last: {reason}",
        "{all} 次启动中有 {void} 次未计入；最后一次的原因：{reason}",
    ),
    (
        "the only start did not count: {reason}",
        "唯一的一次启动未计入：{reason}",
    ),
    // lab::validity
    (
        "no steady state: users had no request in flight {percent} % of the time (limit 10 %), connections were still being opened",
        "未达稳态：用户有 {percent} % 的时间没有在途请求（上限 10 %），连接仍在建立",
    ),
    (
        "a longer `settle` or a `connect_rate` may help",
        "加长 `settle` 或设置 `connect_rate` 或有帮助",
    ),
    (
        "generator-saturated: users waited for the generator {percent} % of the time (limit 10 %)",
        "压测端饱和：用户有 {percent} % 的时间在等待压测端（上限 10 %）",
    ),
    (
        "the wall clock was set by {step} s during the round",
        "本轮期间系统时钟被调整了 {step} s",
    ),
    (
        "no right answer in a slice ({faults})",
        "有一个切片没有任何正确应答（{faults}）",
    ),
    (
        "noisy-neighbour: the hypervisor took {share} % of the CPU time (limit 10 %)",
        "邻居干扰：虚拟机管理程序占用了 {share} % 的 CPU 时间（上限 10 %）",
    ),
    (
        "an arm that was not loaded used {share} % of a core (limit 2 %)",
        "未加负载的对象占用了单核的 {share} %（上限 2 %）",
    ),
    (
        "overloaded: of {rate} requests per second {arm} left {share} % unanswered at the end of a slice (limit 5 %)",
        "过载：每秒 {rate} 个请求中，{arm} 在切片结束时有 {share} % 未应答（上限 5 %）",
    ),
    ("a lower `latency_rate` may do", "可试用较低的 `latency_rate`"),
    (
        "{arm} answered {wrong} of {requests} requests wrongly ({share} %, limit 0.01 %): {kinds}",
        "{arm} 的 {requests} 个请求中有 {wrong} 个应答错误（{share} %，上限 0.01 %）：{kinds}",
    ),
    (
        "{arm} answered {wrong} of {requests} requests wrongly, {base} {other} of {all}: more than chance explains (Fisher's exact p = {p}, limit 0.001)",
        "{arm} 的 {requests} 个请求中有 {wrong} 个应答错误，{base} 的 {all} 个中有 {other} 个：超出偶然（Fisher 精确检验 p = {p}，上限 0.001）",
    ),
    (
        "an answer of {arm} has {ours} bytes, of {base} {theirs}: the arms send unlike headers",
        "{arm} 的一个应答为 {ours} 字节，{base} 为 {theirs} 字节：各对象发送的首部不同",
    ),
    (
        "{reason}, in {slices} of {all} slices",
        "{reason}，见于 {all} 个切片中的 {slices} 个",
    ),
    // load::audit
    ("generator-saturated: {why}", "压测端饱和：{why}"),
    ("inconsistent: {why}", "数据自相矛盾：{why}"),
    (
        "an event loop used {share} % of its core (limit {limit} %)",
        "一个事件循环占用了其核的 {share} %（上限 {limit} %）",
    ),
    ("use more shards or less load", "请增加 shards 或降低负载"),
    (
        "{share} % of the requests left more than {late} ms after they could have (limit {limit} %), 99 % of them within {within} ms",
        "{share} % 的请求比可发送时刻晚了 {late} ms 以上（上限 {limit} %），其中 99 % 在 {within} ms 以内",
    ),
    (
        "less than 1 % of the requests took most of the time: the mean, {mean} ms, is beyond the 99th percentile, {p99} ms",
        "不到 1 % 的请求占去了大部分时间：均值 {mean} ms 超过了 p99 {p99} ms",
    ),
];

/// The sentence in Chinese, part by part where it has several.
pub(super) fn chinese(english: &str) -> String {
    if let Some(whole) = one(english) {
        return whole;
    }
    let parts: Vec<&str> = english.split("; ").collect();
    if parts.len() < 2 {
        return english.to_owned();
    }
    let said = parts
        .into_iter()
        .map(|part| one(part).unwrap_or_else(|| part.to_owned()));
    said.collect::<Vec<_>>().join("；")
}

fn one(english: &str) -> Option<String> {
    PAIRS.iter().find_map(|(template, chinese)| {
        let found = holes(template, english)?;
        let values: Vec<(&str, String)> = found
            .into_iter()
            .map(|(name, value)| {
                let nested = NESTED.contains(&name);
                (
                    name,
                    if nested {
                        self::chinese(value)
                    } else {
                        value.to_owned()
                    },
                )
            })
            .collect();
        let values: Vec<(&str, &dyn std::fmt::Display)> = values
            .iter()
            .map(|(name, value)| (*name, value as &dyn std::fmt::Display))
            .collect();
        Some(fill(chinese, &values))
    })
}

/// What stands in a sentence where its template has `{…}`; `None` where it is another sentence.
fn holes<'a, 'b>(template: &'a str, text: &'b str) -> Option<Vec<(&'a str, &'b str)>> {
    let mut parts = template.split('{');
    let mut rest = text.strip_prefix(parts.next()?)?;
    let mut found = Vec::new();
    for part in parts {
        let (name, literal) = part.split_once('}')?;
        let last = template.ends_with(part);
        let end = match literal {
            "" => rest.len(),
            literal if last => rest
                .len()
                .checked_sub(literal.len())
                .filter(|_| rest.ends_with(literal))?,
            literal => rest.find(literal)?,
        };
        let value = &rest[..end];
        // Only a reason may itself have several parts.
        if value.is_empty() || value.contains("; ") && !NESTED.contains(&name) {
            return None;
        }
        found.push((name, value));
        rest = &rest[end + literal.len()..];
    }
    rest.is_empty().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::super::tests::holes as names;
    use super::*;
    use std::path::Path;

    #[test]
    fn a_sentence_is_recognised_with_its_numbers_and_what_is_inside_it() {
        let said = "start 2 did not count at 500 connections: noisy-neighbour: the hypervisor took 12 % of the CPU time (limit 10 %)";
        assert_eq!(
            chinese(said),
            "第 2 次启动在 500 个连接下未计入：邻居干扰：虚拟机管理程序占用了 12 % 的 CPU 时间（上限 10 %）"
        );
        let two = "about 14 more min would tell 3 % from nothing; decided after 5 of 9 starts";
        assert_eq!(
            chinese(two),
            "约再需 14 分钟即可分辨 3 % 的差异；在 9 次启动中的第 5 次后即已判定"
        );
        let planned = "after 6 starts: CPU per request needs about 3 hours to tell 3.0 % from nothing; the time planned tells 5 %";
        assert!(
            chinese(planned).starts_with("6 次启动之后：每请求 CPU约需 3 hours 才能分辨 3.0 % 的差异；计划"),
            "{}",
            chinese(planned)
        );
        assert_eq!(chinese("something new; and more"), "something new；and more");
        assert_eq!(chinese("something new"), "something new");
    }

    #[test]
    fn both_sides_have_the_same_numbers() {
        for (english, chinese) in PAIRS {
            let spare = |name: &&str| *name != "times";
            let of = |text: &&'static str| names(text).into_iter().filter(spare).collect::<Vec<_>>();
            assert_eq!(of(english), of(chinese), "{english}");
        }
    }

    /// A sentence that changes where it is made would no longer be recognised.
    #[test]
    fn what_is_translated_is_still_said() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut sources = String::new();
        for folder in ["lab/src", "load/src", "model/src"] {
            gather(&crates.join(folder), &mut sources);
        }
        // A string that goes on in the next line.
        let joined: Vec<&str> = sources.split("\\\n").map(str::trim_start).collect();
        let sources = joined.join("");
        for (english, _) in PAIRS {
            let literals = english.split(['{', '}']).step_by(2);
            for literal in literals.filter(|literal| literal.len() > 12) {
                assert!(sources.contains(literal), "`{literal}` of `{english}`");
            }
        }
    }

    fn gather(folder: &Path, sources: &mut String) {
        for entry in std::fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                gather(&path, sources);
            } else {
                sources.push_str(&std::fs::read_to_string(&path).expect("a source"));
            }
        }
    }
}
