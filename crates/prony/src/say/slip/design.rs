//! Slips in what an experiment asks for.

use model::slip::{DesignSlip, NotMeasured, RequirementSlip};

pub(super) fn design(slip: &DesignSlip) -> String {
    match slip {
        DesignSlip::CapUntilSure => "`until_sure` 表示启动次数不设上限，而 `starts` 设了上限".to_owned(),
        DesignSlip::TwoMargins => "主指标的门限与等效界限会用同一规则回答两个问题".to_owned(),
        DesignSlip::OddPairs => "配对数必须为偶数".to_owned(),
        DesignSlip::LevelOrder { level, before } => format!("档位 {level} 不大于它前面的 {before}"),
        DesignSlip::ObjectiveWithoutFind => "`objective` 只用于 find = \"max-rate\"".to_owned(),
        DesignSlip::ObjectiveOfCapacity => {
            "find = \"capacity\" 不需要 objective：容量是不计响应时间的最高吞吐量".to_owned()
        }
        DesignSlip::NoObjective => "`max-rate` 需要一个速率必须满足的 objective".to_owned(),
        DesignSlip::FewLevels(count) => format!("{count} 种用户数不足以得出容量曲线"),
        DesignSlip::LevelsOfMaxRate => "find = \"max-rate\" 只接受一个连接数，不能给出多个".to_owned(),
        DesignSlip::NoFixedRate(find) => format!("find = \"{find}\" 时没有固定速率测量"),
        DesignSlip::WithoutFixedRate(key) => {
            format!("`latency_pairs = 0` 时没有固定速率测量，因此 `{key}` 不起作用")
        }
        DesignSlip::OtherFindInQuick => "[quick] 的 `find` 不能与 [load] 的不同".to_owned(),
        DesignSlip::Ports(text) => format!("`{text}` 不是端口范围"),
        DesignSlip::CpuList(text) => format!("`{text}` 不是 CPU 列表"),
        DesignSlip::CpuOnBothSides(cpu) => format!("CPU {cpu} 不能既属于压测端又属于服务器"),
        DesignSlip::SharedAndDivided => {
            "[load] 的 `shared_cpus` 让双方共用全部 CPU，而 [machine] 将其分开".to_owned()
        }
        DesignSlip::CpusOfRunning(name) => format!("`{name}` 已在运行，无法选择它的 CPU"),
        DesignSlip::TunedBy(name) => {
            format!("`{name}` 需要 `env` 或 `property` 之一，说明应用从何处得到它")
        }
        DesignSlip::NothingToTune(name) => {
            format!("没有对象能得到 `{name}`：服务器不由 prony 启动，或不在 JVM 中")
        }
    }
}

pub(super) fn not_measured(why: &NotMeasured) -> String {
    match why {
        NotMeasured::WithoutFind { find, measure } => {
            format!("没有 find = \"{find}\" 就不测量 {}", measure.id())
        }
        NotMeasured::WithFind { find, measure } => {
            format!("find = \"{find}\" 时不比较 {}", measure.id())
        }
        NotMeasured::WithoutFixedRate(measure) => {
            format!("`latency_pairs = 0` 时不测量 {}", measure.id())
        }
    }
}

pub(super) fn requirement(slip: &RequirementSlip) -> String {
    match slip {
        RequirementSlip::NotAnObjective(text) => format!("`{text}` 不是有效的 objective"),
        RequirementSlip::NotAPercentile(name) => {
            format!("`{name}` 不是响应时间的百分位数：可用 response_p50、response_p90 或 response_p99")
        }
        RequirementSlip::NoUnit(text) => format!("`{text}` 没有单位"),
        RequirementSlip::ZeroLimit => "界限必须大于 0".to_owned(),
        RequirementSlip::RelativeErrors => "不能相对于基线对错误提出要求".to_owned(),
        RequirementSlip::NotUnderstood(text) => format!("无法理解此处的 `{text}`"),
        RequirementSlip::NotARequirement(text) => format!("`{text}` 不是有效的要求"),
        RequirementSlip::UpperBound(text) => format!("此指标越大越好，而 \"{text}\" 的要求相反"),
        RequirementSlip::LowerBound(text) => format!("此指标越小越好，而 \"{text}\" 的要求相反"),
        RequirementSlip::OfTheBaseline => "基线不可能比自身差".to_owned(),
        RequirementSlip::GateOfOneArm => "相对于基线对主指标的要求就是门限，它适用于所有对象".to_owned(),
        RequirementSlip::GateTwice => "`gate` 已经提出了这一要求".to_owned(),
        RequirementSlip::NoSteps => "本实验没有场景，因此没有可以提出要求的步骤".to_owned(),
    }
}
