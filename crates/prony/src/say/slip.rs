//! Slips in experiment files, mixes and arms of the command line, in Chinese. Their English is `model::slip`'s own.

mod arm;
mod design;
mod hint;
mod scenario;
#[cfg(test)]
mod tests;

pub(super) use arm::java_need;

use ::say::{Say, Writer};
use model::diagnostic::{Diagnostic, Rejected, Wording};
use model::slip::{
    ExpectedValue, FleetSlip, FoundValue, NameSlip, Owner, RequestSlip, ShapeSlip, Slip, TableName,
};
use model::values::{BadQuantity, Notation};
use report::Lang;

/// A text that was rejected, with all that is needed to draw what is wrong with it.
#[derive(Debug)]
pub(crate) struct Mistakes {
    /// What is wrong, and where.
    pub(crate) rejected: Rejected,
    /// What the text is called: its file.
    pub(crate) name: String,
    /// The text.
    pub(crate) text: String,
    /// Whether it is drawn in colour.
    pub(crate) colour: bool,
}

pub(super) const CHINESE: Wording = Wording {
    error: "错误",
    hint: "提示",
    message,
    hint_text: hint::hint,
};

impl Mistakes {
    /// Draws each with its line and carets.
    pub(super) fn drawn(&self, lang: Lang) -> String {
        let wording = match lang {
            Lang::En => &Wording::ENGLISH,
            Lang::Zh => &CHINESE,
        };
        self.rejected
            .render_in(wording, &self.name, &self.text, self.colour)
    }
}

impl Say for Mistakes {
    fn say(&self, out: &mut Writer) {
        out.value(self.drawn(out.language()));
    }
}

/// A slip in a sentence of the program's own.
pub(super) struct Slipped(pub(super) Slip);

impl Say for Slipped {
    fn say(&self, out: &mut Writer) {
        match out.language() {
            Lang::En => out.value(&self.0),
            Lang::Zh => out.value(slip(&self.0)),
        }
    }
}

fn fleet(slip: &FleetSlip) -> String {
    match slip {
        FleetSlip::NotAServer(text) => format!("`{text}` 不是 NATS 服务器的地址"),
        FleetSlip::NotAHost(text) => format!("不能在 `{text}` 上启动压测机"),
        FleetSlip::NotAnAddress(text) => format!("`{text}` 不是本机网络接口的地址"),
        FleetSlip::NoPlace => "[fleet] 没有说明压测机在哪里".to_owned(),
        FleetSlip::TwoPlaces => "压测机要么在 NATS 服务器处等待，要么由 prony 在主机上启动".to_owned(),
        FleetSlip::BehindLink => "[link] 的链路在本机之内，而压测机在链路之外".to_owned(),
    }
}

fn message(diagnostic: &Diagnostic) -> String {
    let keys = diagnostic.keys.iter().map(|key| format!("`{key}`："));
    keys.collect::<String>() + &slip(&diagnostic.slip)
}

pub(super) fn slip(slip: &Slip) -> String {
    match slip {
        Slip::Toml(words) => format!("TOML 语法错误：{words}"),
        Slip::Shape(slip) => shape(slip),
        Slip::Quantity(bad) => quantity(bad),
        Slip::Name(slip) => name(slip),
        Slip::Arm(slip) => arm::value(slip),
        Slip::Service(slip) => arm::service(slip),
        Slip::Unfit(slip) => arm::unfit(slip),
        Slip::Fleet(slip) => fleet(slip),
        Slip::Design(slip) => design::design(slip),
        Slip::NotMeasured(why) => design::not_measured(why),
        Slip::Requirement(slip) => design::requirement(slip),
        Slip::Request(slip) => request(slip),
        Slip::Scenario(slip) => scenario::scenario(slip),
    }
}

fn shape(slip: &ShapeSlip) -> String {
    match slip {
        ShapeSlip::Unexpected { expected, found } => {
            format!("应为{}，实际为{}", self::expected(expected), self::found(found))
        }
        ShapeSlip::UnknownWord(word) => format!("`{word}` 不是此处可用的值"),
        ShapeSlip::UnknownKey { key, table } => format!("{}中没有 `{key}` 这个键", self::table(*table)),
        ShapeSlip::Lacks { owner, key } => format!("{}缺少 `{key}`", self::owner(owner)),
    }
}

fn expected(expected: &ExpectedValue) -> String {
    match expected {
        ExpectedValue::Text => "字符串".to_owned(),
        ExpectedValue::Truth => " true 或 false".to_owned(),
        ExpectedValue::TruthOr(word) => format!(" true、false 或 \"{word}\""),
        ExpectedValue::List => "列表".to_owned(),
        ExpectedValue::Table(TableName::Key(key)) => format!("表（{key}）"),
        ExpectedValue::Table(name) => format!("表（{}）", table(*name)),
        ExpectedValue::TableLike(example) | ExpectedValue::TablesLike(example) => {
            format!("形如 {example} 的表")
        }
        ExpectedValue::Setting => "字符串、整数、true 或 false".to_owned(),
        ExpectedValue::Figure => "数值，或形如 `12ms` 的时间".to_owned(),
        ExpectedValue::Cpus => " CPU 个数，如 0.5 或 2".to_owned(),
        ExpectedValue::Quantity(quantity) => self::example(*quantity).to_owned(),
        ExpectedValue::Integer { least, most } => format!(" {least} 到 {most} 之间的整数"),
        ExpectedValue::Between { least, most } => format!(" {least} 到 {most}"),
        ExpectedValue::CpusBetween { least, most } => format!(" {least} 到 {most} 个 CPU"),
        ExpectedValue::Levels(most) => format!(" 1 到 {most} 个档位"),
        ExpectedValue::Values(most) => format!(" 1 到 {most} 个值"),
    }
}

fn found(found: &FoundValue) -> String {
    match found {
        FoundValue::Text => "字符串".to_owned(),
        FoundValue::Integer => "整数".to_owned(),
        FoundValue::Fraction => "小数".to_owned(),
        FoundValue::Truth => " true 或 false".to_owned(),
        FoundValue::Date => "日期".to_owned(),
        FoundValue::List => "列表".to_owned(),
        FoundValue::Table => "表".to_owned(),
        FoundValue::Value(value) => format!(" {value}"),
    }
}

fn table(name: TableName) -> String {
    match name {
        TableName::Experiment => "实验文件".to_owned(),
        TableName::Arm => "对象".to_owned(),
        TableName::Mix => "请求清单".to_owned(),
        TableName::Request => "请求".to_owned(),
        TableName::Service => "服务".to_owned(),
        TableName::Question => "问题".to_owned(),
        TableName::ReferenceRow => "参考数据的行".to_owned(),
        TableName::OpenQuestion => "未解答的问题".to_owned(),
        TableName::Tunable => "要尝试的设置".to_owned(),
        TableName::Key(key) => format!("{key} "),
    }
}

fn owner(owner: &Owner) -> String {
    match owner {
        Owner::Experiment => "此实验".to_owned(),
        Owner::Reference => "此参考数据".to_owned(),
        Owner::ReferenceRow => "此行".to_owned(),
        Owner::OpenQuestion => "此问题".to_owned(),
        Owner::Request => "此请求".to_owned(),
        Owner::DataSource => "这些数据".to_owned(),
        Owner::Workload => "该 workload ".to_owned(),
        Owner::Arm | Owner::ArmWithoutServer => "此对象".to_owned(),
        Owner::Service(name) => format!("服务 `{name}` "),
        Owner::Tunable(name) => format!("设置 `{name}` "),
    }
}

fn example(quantity: Notation) -> &'static str {
    match quantity {
        Notation::Duration => "时长，如 `10s`",
        Notation::Count => "个数，如 `10k`",
        Notation::Size => "大小，如 `256M`",
        Notation::Rate => "每秒的速率，如 `1000` 或 `50/1s`",
        Notation::BitRate => "链路速率，如 `45Mbit`",
        Notation::Pause => "停顿时间，如 `100ms` 或 `50ms-150ms`",
        Notation::Course => "速率过程，如 `10s:0-1000,1m:1000`",
        Notation::Share => "比例，如 `2%`",
        Notation::ErrorRate => "错误率，如 `1%`",
    }
}

fn quantity(bad: &BadQuantity) -> String {
    let (quantity, text) = match bad {
        BadQuantity::Form { quantity, text } => (quantity, text),
        BadQuantity::Duration(text) => return format!("时长 `{text}` 必须在 0 到 365 天之间"),
        BadQuantity::ErrorRate(rate) => {
            return format!("没有错误率 {rate} 的统计表；请用 1%、5% 或 10%");
        }
    };
    let correction = match quantity {
        Notation::Duration => "不是时长；例如可写 `10s`、`500ms` 或 `1m30s`",
        Notation::Count => "不是个数；例如可写 `1000`、`10k` 或 `1M`",
        Notation::Size => "不是大小；例如可写 `256M`（按 1024 进位）或 `1G`",
        Notation::Rate => "不是速率；例如可写 `1000`（每秒总数）或 `600/m`",
        Notation::BitRate => "不是链路速率；例如可写 `45Mbit` 或 `1Gbit`",
        Notation::Pause => {
            "不是停顿时间；可写 `100ms`、`50ms-150ms`、`gaussian:100ms,20ms` 或 `exponential:100ms`"
        }
        Notation::Course => {
            "不是速率过程；例如可写 `10s:0-1000,1m:1000`（时间:速率，或 时间:起始速率-结束速率）"
        }
        Notation::Share | Notation::ErrorRate => "不是 0 到 100 % 之间的比例；例如可写 `2%` 或 `0.02`",
    };
    format!("`{text}` {correction}")
}

fn name(slip: &NameSlip) -> String {
    match slip {
        NameSlip::UnknownApp(name) => format!("没有名为 `{name}` 的应用"),
        NameSlip::UnknownServer(name) => format!("没有名为 `{name}` 的服务器"),
        NameSlip::UnknownRelease { server, version } => format!("prony 不能运行 {server} {version}"),
        NameSlip::UnknownMeasure(id) => format!("没有名为 `{id}` 的指标"),
        NameSlip::UnknownArm(name) => format!("没有名为 `{name}` 的对象"),
        NameSlip::UnknownService(name) => format!("没有名为 `{name}` 的服务"),
        NameSlip::NothingToRequire(key) => {
            format!("`{key}` 既不是指标也不是对象，无法对其提出要求")
        }
        NameSlip::UnknownStep(name) => format!("没有名为 `{name}` 的步骤"),
        NameSlip::NotOfAStep(id) => format!("`{id}` 不按步骤测量"),
        NameSlip::NotARelease(text) => format!("`{text}` 不符合“服务器:版本”的格式"),
        NameSlip::UnknownPath { app, path } => format!("`{app}` 不响应 `{path}`"),
        NameSlip::NeedsServlets { app, server } => {
            format!("`{server}` 不支持 servlet，而应用 `{app}` 需要 servlet")
        }
        NameSlip::SameName(name) => format!("有两个对象都名为 `{name}`"),
        NameSlip::NoArms => "对象列表为空".to_owned(),
        NameSlip::OneArm => "只有一个对象，无从比较".to_owned(),
    }
}

fn request(slip: &RequestSlip) -> String {
    match slip {
        RequestSlip::NoRequest => "没有列出任何请求".to_owned(),
        RequestSlip::NoSlash => "路径必须以斜杠开头".to_owned(),
        RequestSlip::NotAPath(text) => format!("`{text}` 不是路径"),
        RequestSlip::NotAServer(text) => format!("`{text}` 不能作为步骤的服务器"),
        RequestSlip::NotAMethod(text) => format!("`{text}` 不是请求方法"),
        RequestSlip::AnswerKnown => "`expect` 只用于您自己的服务器：内置应用的应答是已知的".to_owned(),
        RequestSlip::NoQuestion => "问题为空".to_owned(),
    }
}
