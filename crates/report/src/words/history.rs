//! The texts of what runs cannot be compared in a history, and of its gate, in both languages.

use record::history::WhyLeftOut;
use say::Language;

/// The texts of a language; gaps are `{name}`.
pub(crate) struct HistoryWords {
    pub(crate) differs: &'static str,
    pub(crate) absent: &'static str,
    pub(crate) more_differs: &'static str,
    pub(crate) nothing_differs: &'static str,
    pub(crate) accepted: &'static str,
    pub(crate) dismissed: &'static str,
    pub(crate) worse: &'static str,
    pub(crate) worse_since: &'static str,
    pub(crate) no_change: &'static str,
    pub(crate) too_few: &'static str,
    pub(crate) no_figure: &'static str,
    pub(crate) no_run: &'static str,
    pub(crate) foreign: &'static str,
    pub(crate) foreign_series: &'static str,
    pub(crate) foreign_errors: &'static str,
    pub(crate) foreign_mean: &'static str,
    other_class: &'static str,
    other_method: &'static str,
    other_workload: &'static str,
    other_anchor: &'static str,
}

impl HistoryWords {
    /// Why runs are not in the series, with the gap `{runs}`.
    pub(crate) const fn left_out(&self, why: WhyLeftOut) -> &'static str {
        match why {
            WhyLeftOut::MachineClass => self.other_class,
            WhyLeftOut::Method => self.other_method,
            WhyLeftOut::Workload => self.other_workload,
            WhyLeftOut::Anchor => self.other_anchor,
        }
    }
}

/// The texts of a language.
pub(crate) const fn of(lang: Language) -> &'static HistoryWords {
    match lang {
        Language::En => &EN,
        Language::Zh => &ZH,
    }
}

static EN: HistoryWords = HistoryWords {
    differs: "{name}: {before} → {after}",
    absent: "absent",
    more_differs: "{more} more facts differ: `prony diff {before} {run}` lists them",
    nothing_differs: "no stored fact differs between {before} and {run}",
    accepted: "accepted as the new level ({who})",
    dismissed: "dismissed: not counted as a change ({who})",
    worse: "gate: worse than before, beside {anchor}, which stayed the same build:",
    worse_since: "{percent} % since {run} (p {p}); the run before it is {before}",
    no_change: "gate: the newest run, {run}, shows no change for the worse (series of the headline: {series}, with at least {runs} \
                runs; baseline: {anchor})",
    too_few: "gate: no change can be shown yet, because a series of the headline has {runs} of the {needed} runs that this takes \
              (newest run: {run})",
    no_figure: "gate: the newest run, {run}, has no valid figure of its headline: `prony report {run}` says why",
    no_run: "gate: no run of this experiment has ended",
    foreign: "foreign series: prony has not measured them, and they take part in no verdict",
    foreign_series: "{series} ({tool}):",
    foreign_errors: "failed requests",
    foreign_mean: "mean time",
    other_class: "runs on machines of another class than the newest, which are not in these series: {runs}",
    other_method: "runs of other versions of prony, which are not in these series: {runs}",
    other_workload: "runs with other requests or another load, which are not in these series: {runs}",
    other_anchor: "runs with another build or other settings of the baseline, which are not in these series: {runs}. A ratio to \
                   another build means something else: pin the baseline to a version, a tag or a commit",
};

static ZH: HistoryWords = HistoryWords {
    differs: "{name}：{before} → {after}",
    absent: "无",
    more_differs: "另有 {more} 项事实不同：`prony diff {before} {run}` 列出全部",
    nothing_differs: "{before} 与 {run} 之间没有已保存的事实不同",
    accepted: "已接受为新的水平（{who}）",
    dismissed: "已驳回：不计为变化（{who}）",
    worse: "门禁：与之前相比变差，参照 {anchor}（其构建始终相同）：",
    worse_since: "自 {run} 起 {percent} %（p {p}）；其前一次运行是 {before}",
    no_change: "门禁：最近一次运行 {run} 没有显示变差（主要指标的序列：{series} 个，每个至少 {runs} 次运行；基线：{anchor}）",
    too_few: "门禁：尚不能显示变化，因为主要指标的某个序列只有 {runs} 次运行，而需要 {needed} 次（最近一次运行：{run}）",
    no_figure: "门禁：最近一次运行 {run} 的主要指标没有有效数值：`prony report {run}` 说明原因",
    no_run: "门禁：此实验没有已结束的运行",
    foreign: "外部序列：并非由 prony 测得，不参与任何结论",
    foreign_series: "{series}（{tool}）：",
    foreign_errors: "失败的请求",
    foreign_mean: "平均时间",
    other_class: "另有 {runs} 次运行的机器类别与最近一次不同，未计入这些序列",
    other_method: "另有 {runs} 次运行来自其他版本的 prony，未计入这些序列",
    other_workload: "另有 {runs} 次运行的请求或负载不同，未计入这些序列",
    other_anchor: "另有 {runs} 次运行的基线构建或设置不同，未计入这些序列。与另一个构建之比含义不同：请把基线固定到一个版本、标签或提交",
};
