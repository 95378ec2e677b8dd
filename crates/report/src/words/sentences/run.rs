//! What is said of a run, its starts and its slices: notes, remarks, reasons why something does not count.

/// English and Chinese. Where two fit, the earlier one is taken.
pub(super) const PAIRS: &[(&str, &str)] = &[
    // While a run is prepared: lab, sut.
    ("fetching {what} with Maven", "正在用 Maven 获取 {what}"),
    ("fetching JDK {release} with pip", "正在用 pip 获取 JDK {release}"),
    (
        "building the application {app} ({label}) with Maven",
        "正在用 Maven 构建应用 {app}（{label}）",
    ),
    (
        "compiling the application {app} ({label}) with native-image",
        "正在用 native-image 编译应用 {app}（{label}）",
    ),
    (
        "migrating the application from javax to jakarta",
        "正在将应用从 javax 迁移到 jakarta",
    ),
    (
        "{arm}: what it answers first to GET {path} is taken for right",
        "{arm}：以其对 GET {path} 的首个应答为正确应答",
    ),
    (
        "{arm}: no `arguments` name {place}: the jar has to listen on the environment's PORT",
        "{arm}：`arguments` 中没有 {place}：该 jar 须监听环境变量 PORT 指定的端口",
    ),
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
        "a new run of {starts} starts, about {time} min, would {aim}",
        "重新运行 {starts} 次启动（约 {time} 分钟）即可{aim}",
    ),
    (
        "this machine is too noisy to {aim}",
        "这台机器噪声太大，无法{aim}",
    ),
    (
        "{own} of {all} starts counted for it",
        "{all} 次启动中有 {own} 次对其有效",
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
        "CPU per request of start {start} did not count at {users} connections: {reason}",
        "第 {start} 次启动在 {users} 个连接下的每请求 CPU 未计入：{reason}",
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
        "{what} from the first to the last pair of a start: one of the two was still warming up; double `warmup` and `warmup_cap`",
        "从一次启动的第一对切片到最后一对，{what}：二者之一仍在预热；请将 `warmup` 与 `warmup_cap` 加倍",
    ),
    (
        "{arm} gained {share} on {base}",
        "{arm} 相对 {base} 提高了 {share}",
    ),
    (
        "{arm} lost {share} against {base}",
        "{arm} 相对 {base} 下降了 {share}",
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
    ("{seconds} s in all", "共 {seconds} s"),
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
    // lab::capacity
    (
        "up to {tried} users were tried: more of them brought no more",
        "最多试到 {tried} 个用户：再增加用户，吞吐量不再提高",
    ),
    (
        "{tried} users were too many for the generator: {why}",
        "{tried} 个用户超出了压测端的能力：{why}",
    ),
    (
        "at {tried} users errors began: {why}",
        "在 {tried} 个用户时开始出错：{why}",
    ),
    (
        "{tried} users are the most that were asked for",
        "{tried} 个用户是所要求的上限",
    ),
    ("fewer than six numbers of users counted", "计入的用户数不足六种"),
    (
        "throughput was still growing with the most users",
        "在最多的用户数下吞吐量仍在增长",
    ),
    (
        "the steps lie off any such curve: so few runs of residuals have a chance of {p}",
        "各台阶偏离任何此类曲线：残差游程如此之少的概率为 {p}",
    ),
    (
        "two straight lines lie nearer: throughput in proportion to users up to {limit}/s, as of a pool that is then full",
        "两条直线更贴近：吞吐量与用户数成正比，直至 {limit}/s，如同一个随后被占满的池",
    ),
    // lab::prove
    (
        "{cause} of {arm} was tried in vain: no start of run {run} counted; run it again where nothing else runs",
        "{arm} 的 {cause} 已尝试但无结果：运行 {run} 中没有一次启动有效；请在没有其他程序运行时重试",
    ),
    (
        "{cause} of {arm} was not tried: what it suggests changes the load, the machine or the application, not the server's settings ({try})",
        "{arm} 的 {cause} 未做尝试：所建议的改动针对负载、机器或应用，而非服务器的设置（{try}）",
    ),
    // lab::max_rate
    (
        "in {silent} of {all} starts {reason}",
        "在 {all} 次启动中的 {silent} 次，{reason}",
    ),
    (
        "{arm}: in {silent} of {all} starts {reason}",
        "{arm}：在 {all} 次启动中的 {silent} 次，{reason}",
    ),
    (
        "the generator could do no more than {rate} requests per second: {why}",
        "压测端每秒最多只能发送 {rate} 个请求：{why}",
    ),
    (
        "the objective was not kept at the lowest rate that was tried",
        "在试过的最低速率下也未满足要求",
    ),
    (
        "the objective was kept at the highest rate that was tried",
        "在试过的最高速率下仍满足要求",
    ),
    // lab::planning
    (
        "after {starts} starts: {measure} needs about {time} to tell {effect} % from nothing",
        "{starts} 次启动之后：{measure}约需 {time}才能分辨 {effect} % 的差异",
    ),
    ("the time planned tells {effect} %", "计划的时间能分辨 {effect} %"),
    (
        "{measure} spreads less from start to start ({less} % against {more} %)",
        "{measure}在各次启动之间波动较小（{less} % 对 {more} %）",
    ),
    ("{hours} hours", "{hours} 小时"),
    ("days", "数天"),
    ("{minutes} min", "{minutes} 分钟"),
    ("throughput", "吞吐量"),
    ("CPU per request", "每请求 CPU"),
    ("response p50", "响应时间 p50"),
    ("response p90", "响应时间 p90"),
    ("response p99", "响应时间 p99"),
    ("start-up", "启动时间"),
    ("peak memory", "峰值内存"),
    // lab::possible, lab::findings
    ("arm `{arm}` was left out: {why}", "对象 `{arm}` 未参加：{why}"),
    // lab::requirements
    (
        "what `[require.{arm}]` asks was not judged: this run has no arm of that name",
        "`[require.{arm}]` 的要求未作判定：本次运行中没有该名称的对象",
    ),
    // lab::judge
    (
        "ended before its time, with {rounds} whole {times}",
        "提前结束，已完成 {rounds} 次完整的启动",
    ),
    (
        "`prony run --resume {run}` goes on with it",
        "`prony run --resume {run}` 可继续",
    ),
    (
        "{void} of {all} starts did not count; the last: {reason}",
        "{all} 次启动中有 {void} 次未计入；最后一次的原因：{reason}",
    ),
    (
        "the only start did not count: {reason}",
        "唯一的一次启动未计入：{reason}",
    ),
    // lab::course
    ("a measure has no value in it", "其中有一个指标没有数值"),
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
        "users waited for the generator {percent} % of the time (limit 10 %)",
        "用户有 {percent} % 的时间在等待压测端（上限 10 %）",
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
        "{again} of {all} groups of slices were measured again: the hypervisor took more than 10 % of the CPU time meanwhile",
        "{all} 组切片中有 {again} 组重新测量：其间虚拟机管理程序占用了超过 10 % 的 CPU 时间",
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
        "an answer of {arm} has {ours} bytes beside its body, of {base} {theirs}: the arms send unlike headers",
        "{arm} 的一个应答除正文外有 {ours} 字节，{base} 有 {theirs} 字节：各对象发送的首部不同",
    ),
    (
        "an answer of {arm} has a body of {ours} bytes, of {base} {theirs}: they do not answer alike; where that is meant, write `unlike_answers = true`",
        "{arm} 的一个应答正文为 {ours} 字节，{base} 为 {theirs} 字节：二者的应答不同；若有意如此，请写 `unlike_answers = true`",
    ),
    ("no answer at all", "完全没有应答"),
    ("link-saturated: {why}", "链路饱和：{why}"),
    (
        "{used} of the {rate} that the link passes were used (limit 90 %): it was the link that was measured",
        "链路可通过 {rate}，已用 {used}（上限 90 %）：测到的是链路",
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
    (
        "for {held} % of {of} for more than {late} ms (limit {limit} %)",
        "{of}超过 {late} ms 的时间占 {held} %（上限 {limit} %）",
    ),
    (
        "the time requests were in flight, answers lay unseen",
        "有在途请求时，已到达的应答未被读取",
    ),
    (
        "the time, answers may have lain unseen in turns of the event loop",
        "应答可能在事件循环的一轮中未被读取",
    ),
    (
        "for {full} % of the time requests were in flight the send buffer was too small (limit {limit} %)",
        "在有在途请求的时间中，{full} % 的时间里发送缓冲区太小（上限 {limit} %）",
    ),
    (
        "the kernel dropped {drops} segments on their way into the receive queues (limit {limit} % of {requests} requests)",
        "内核在放入接收队列之前丢弃了 {drops} 个报文段（上限为 {requests} 个请求的 {limit} %）",
    ),
    (
        "{ports} connects found no free local port (limit 0)",
        "{ports} 次建立连接时没有空闲的本地端口（上限 0）",
    ),
    (
        "{descriptors} connects found no free file descriptor (limit 0)",
        "{descriptors} 次建立连接时没有空闲的文件描述符（上限 0）",
    ),
    (
        "by Little's law the number in flight is off by a factor of {factor} (limit {limit} %)",
        "按利特尔法则，在途请求数相差 {factor} 倍（上限 {limit} %）",
    ),
    (
        "{phases} add up to {sum} ns, the {whole} time is {mean} ns (limit {limit} %)",
        "{phases}之和为 {sum} ns，而{whole}时间为 {mean} ns（上限 {limit} %）",
    ),
    ("waiting, first byte and body", "等待、首字节与正文"),
    ("first byte and body", "首字节与正文"),
    ("service", "服务"),
    ("response", "响应"),
    // lab::round: what a start is at
    ("starting {arm}", "正在启动 {arm}"),
    ("warming up", "正在预热"),
    ("finding out how slow it is", "正在估计服务有多慢"),
    (
        "finding a rate at which the generator is on time",
        "正在寻找压测端能够准时发送的速率",
    ),
    ("probing {arm} at {rate}/s", "正在以 {rate}/s 探测 {arm}"),
    ("connecting {users} users", "正在建立 {users} 个用户的连接"),
    ("measuring at {users} connections", "正在以 {users} 个连接测量"),
    ("measuring at a fixed rate", "正在以固定速率测量"),
    ("measuring", "正在测量"),
    ("looking into {arm}", "正在检查 {arm}"),
    ("reading settings", "正在读取生效的配置"),
    ("stopping", "正在停止服务器"),
];
