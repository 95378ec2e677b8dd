//! The texts of two runs side by side, in both languages.

use record::pair::NotComparable;
use say::Language;

/// The texts of a language; gaps are `{name}`, and marks are as in Markdown.
pub(crate) struct PairWords {
    pub(crate) title: &'static str,
    pub(crate) side: &'static str,
    pub(crate) interrupted: &'static str,
    pub(crate) same_run: &'static str,
    pub(crate) other_class: &'static str,
    pub(crate) other_method: &'static str,
    pub(crate) other_workload: &'static str,
    pub(crate) no_common_arm: &'static str,
    pub(crate) differ: &'static str,
    pub(crate) alike: &'static str,
    pub(crate) all_alike: &'static str,
    pub(crate) absent: &'static str,
    pub(crate) anchored: &'static str,
    pub(crate) anchored_how: &'static str,
    pub(crate) no_anchor: &'static str,
    pub(crate) values: &'static str,
    pub(crate) values_how: &'static str,
    pub(crate) difference: &'static str,
    pub(crate) why_not: &'static str,
    pub(crate) verdicts: &'static str,
    pub(crate) fixed: &'static str,
    pub(crate) once: &'static str,
    why_not_same_run: &'static str,
    why_not_class: &'static str,
    why_not_method: &'static str,
    why_not_workload: &'static str,
    why_not_one_run: &'static str,
    why_not_invalid: &'static str,
    why_not_rate: &'static str,
    why_not_pace: &'static str,
    why_not_users: &'static str,
}

impl PairWords {
    /// The reason in a few words, for the row of a table.
    pub(crate) const fn reason(&self, reason: NotComparable) -> &'static str {
        match reason {
            NotComparable::SameRun => self.why_not_same_run,
            NotComparable::MachineClass => self.why_not_class,
            NotComparable::Method => self.why_not_method,
            NotComparable::Workload => self.why_not_workload,
            NotComparable::Users => self.why_not_users,
            NotComparable::OneRunOnly => self.why_not_one_run,
            NotComparable::Invalid => self.why_not_invalid,
            NotComparable::Rate => self.why_not_rate,
            NotComparable::Pace => self.why_not_pace,
        }
    }
}

/// The texts of a language.
pub(crate) const fn of(lang: Language) -> &'static PairWords {
    match lang {
        Language::En => &EN,
        Language::Zh => &ZH,
    }
}

static EN: PairWords = PairWords {
    title: "Two runs side by side",
    side: "{side} is {run} ({experiment}), measured for {minutes} min (starts: {starts}) on {machine}.",
    interrupted: "Its user ended it early.",
    same_run: "Both are the same run, so that there is nothing to compare.",
    other_class: "The machines are of different classes. No figures are compared, because a difference may come from the machine.",
    other_method: "The versions of prony differ, and may measure in different ways. No figures are compared; `prony report --recompute` \
                   judges stored slices anew, but does not measure them anew.",
    other_workload: "The requests or the load differ, so that only start-up times are compared.",
    no_common_arm: "No arm has the same name in both runs.",
    differ: "Facts that differ",
    alike: "{alike} other facts of machine, arms and design are the same.",
    all_alike: "No fact of machine, arms and design differs ({alike} are the same).",
    absent: "absent",
    anchored: "{arm} against {anchor}, in both runs",
    anchored_how: "{anchor} is the same in both runs, as far as their facts tell. The figures are ratios to it: inside a run both arms met \
                   the same noise, so that the drift of the machine between the runs cancels. Intervals are 95 % each (Welch, over the \
                   starts of both runs), and are not corrected for their number or for the moment at which a run ended.",
    no_anchor: "No baseline of these runs is the same arm in both, so that nothing cancels the drift of the machine between them. To compare \
                with an anchor, keep one arm unchanged in both runs and make it the baseline, or measure the arms in one run: \
                `prony run FILE --against RUN`.",
    values: "{arm}: values of each run",
    values_how: "These runs were not interleaved, so that the drift of the machine between them is contained in these differences. They have \
                 no interval, because starts of one run do not show that drift. For the anchor, the difference *is* the drift.",
    difference: "difference B to A",
    why_not: "not compared",
    verdicts: "Verdicts of each run, against its own baseline",
    fixed: "at the fixed rate",
    once: "of each start",
    why_not_same_run: "same run",
    why_not_class: "other machine class",
    why_not_method: "other prony",
    why_not_workload: "other workload",
    why_not_one_run: "in one run only",
    why_not_invalid: "invalid in a run",
    why_not_rate: "other fixed rate",
    why_not_pace: "other pace",
    why_not_users: "other numbers of users",
};

static ZH: PairWords = PairWords {
    title: "两次运行对照",
    side: "{side} 为 {run}（{experiment}）：{starts} 次启动，用时 {minutes} 分钟，机器：{machine}。",
    interrupted: "该运行被用户提前结束。",
    same_run: "两者是同一次运行，没有可比较的内容。",
    other_class: "两台机器不属于同一类别。差异可能来自机器，因此不比较任何数值。",
    other_method: "两次运行的 prony 版本不同，测量方法可能不同，因此不比较任何数值；`prony report --recompute` \
                   只重新判定已保存的数据，并不重新测量。",
    other_workload: "请求或负载不同，因此只比较启动时间。",
    no_common_arm: "两次运行中没有同名的对象。",
    differ: "不同的事实",
    alike: "机器、对象与设计的其余 {alike} 项事实相同。",
    all_alike: "机器、对象与设计的事实没有不同（共 {alike} 项相同）。",
    absent: "无",
    anchored: "{arm} 相对于 {anchor}（两次运行）",
    anchored_how: "就已记录的事实而言，{anchor} 在两次运行中相同。下列数值是与它的比值：同一次运行中的两个对象处于相同的噪声之下，\
                   因此机器在两次运行之间的漂移被抵消。每个区间的置信度为 95 %（Welch 方法，基于两次运行的各次启动），\
                   未对区间的数量或运行结束的时刻作校正。",
    no_anchor: "两次运行的基线都不是同一个对象，因此无法抵消机器在两次运行之间的漂移。若要借助锚点比较，请在两次运行中保留一个不变的对象作为基线，\
                或在同一次运行中测量它们：`prony run FILE --against RUN`。",
    values: "{arm}：各次运行的测量值",
    values_how: "这两次运行并非交替进行，因此下列差异包含机器在两次运行之间的漂移。它们没有区间，因为同一次运行的各次启动无法体现这种漂移。\
                 对锚点而言，差异*就是*漂移。",
    difference: "B 相对于 A 的差异",
    why_not: "不可比的原因",
    verdicts: "各次运行相对于自身基线的结论",
    fixed: "固定速率下",
    once: "每次启动",
    why_not_same_run: "同一次运行",
    why_not_class: "机器类别不同",
    why_not_method: "prony 版本不同",
    why_not_workload: "负载不同",
    why_not_one_run: "仅一次运行有此项",
    why_not_invalid: "某次运行中无效",
    why_not_rate: "固定速率不同",
    why_not_pace: "节奏不同",
    why_not_users: "用户数不同",
};
