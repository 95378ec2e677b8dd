//! Keys and values of the wrong shape: what was expected where, and what stands there.

use crate::values::Notation;
use say::{Say, Writer};

/// A key or a value of the wrong shape.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum ShapeSlip {
    /// A value of another type, or outside its range.
    #[say(en = "expected {expected}, found {found}", zh = "应为{expected}，实际为{found}")]
    Unexpected {
        /// What can stand there.
        expected: ExpectedValue,
        /// What stands there.
        found: FoundValue,
    },
    /// A word that cannot stand there.
    #[say(en = "`{0}` is not known here", zh = "`{0}` 不是此处可用的值")]
    UnknownWord(String),
    /// A key that its table does not have.
    #[say(en = "unknown key `{key}` in {table}", zh = "{table}中没有 `{key}` 这个键")]
    UnknownKey {
        key: String,
        /// Where it stands.
        table: TableName,
    },
    /// A key that has to be there, and is not.
    #[say(en = "{owner} `{key}`", zh = "{owner}缺少 `{key}`")]
    Lacks {
        /// What lacks it.
        owner: Owner,
        key: &'static str,
    },
}

/// What can stand in a place.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum ExpectedValue {
    /// A string.
    #[say(en = "a string", zh = "字符串")]
    Text,
    /// A boolean.
    #[say(en = "true or false", zh = "true 或 false")]
    Truth,
    /// A boolean, or this word.
    #[say(en = "true, false or \"{0}\"", zh = "true、false 或 \"{0}\"")]
    TruthOr(&'static str),
    /// A list.
    #[say(en = "a list", zh = "列表")]
    List,
    /// The table of that name.
    #[say(
        en = "a table ({name})",
        zh = "表（{name}）",
        name = Enclosed(*_0)
    )]
    Table(TableName),
    /// A table of free keys, with an example of one.
    #[say(en = "a table as {0}", zh = "形如 {0} 的表")]
    TableLike(&'static str),
    /// Tables in a table, with an example of one.
    #[say(en = "tables as {0}", zh = "形如 {0} 的表")]
    TablesLike(&'static str),
    /// The value of a server's own setting.
    #[say(en = "a string, an integer, true or false", zh = "字符串、整数、true 或 false")]
    Setting,
    /// A number of a reference.
    #[say(en = "a number, or a time as `12ms`", zh = "数值，或形如 `12ms` 的时间")]
    Figure,
    /// A number of CPUs.
    #[say(en = "a number of CPUs as 0.5 or 2", zh = "CPU 个数，如 0.5 或 2")]
    Cpus,
    /// A quantity in its own notation.
    #[say(transparent)]
    Quantity(Notation),
    /// An integer in a range.
    #[say(en = "an integer from {least} to {most}", zh = "{least} 到 {most} 之间的整数")]
    Integer { least: u64, most: u64 },
    /// A quantity in a range; its ends have their unit.
    #[say(en = "{least} to {most}", zh = "{least} 到 {most}")]
    Between { least: String, most: String },
    /// A number of CPUs in a range.
    #[say(en = "{least} to {most} CPUs", zh = "{least} 到 {most} 个 CPU")]
    CpusBetween { least: String, most: String },
    /// A list of at least one level, and at most so many.
    #[say(en = "1 to {0} levels", zh = "1 到 {0} 个档位")]
    Levels(usize),
    /// A list of at least one value, and at most so many.
    #[say(en = "1 to {0} values", zh = "1 到 {0} 个值")]
    Values(usize),
}

/// What stands in a place instead.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum FoundValue {
    #[say(en = "a string", zh = "字符串")]
    Text,
    #[say(en = "an integer", zh = "整数")]
    Integer,
    #[say(en = "a number with a fraction", zh = "小数")]
    Fraction,
    #[say(en = "true or false", zh = "true 或 false")]
    Truth,
    #[say(en = "a date", zh = "日期")]
    Date,
    #[say(en = "a list", zh = "列表")]
    List,
    #[say(en = "a table", zh = "表")]
    Table,
    /// A value of the right type, outside its range; with its unit.
    #[say(en = "{0}", zh = " {0}")]
    Value(String),
}

/// What a message calls a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum TableName {
    #[say(en = "an experiment", zh = "实验文件")]
    Experiment,
    #[say(en = "an arm", zh = "对象")]
    Arm,
    #[say(en = "a mix of requests", zh = "请求清单")]
    Mix,
    #[say(en = "a request", zh = "请求")]
    Request,
    #[say(en = "a service", zh = "服务")]
    Service,
    #[say(en = "a question", zh = "问题")]
    Question,
    #[say(en = "a row of the reference", zh = "参考数据的行")]
    ReferenceRow,
    #[say(en = "a question that was left open", zh = "未解答的问题")]
    OpenQuestion,
    #[say(en = "a setting to try", zh = "要尝试的设置")]
    Tunable,
    /// By its key, as the file has it: `[load]`.
    #[say(en = "{0}", zh = "{0} ")]
    Key(&'static str),
}

/// The name of a table in parentheses, where no blank follows its key.
struct Enclosed(TableName);

impl Say for Enclosed {
    fn say(&self, out: &mut Writer) {
        match self.0 {
            TableName::Key(key) => out.value(key),
            name => name.say(out),
        }
    }
}

/// What lacks a key, in the words that come before the key.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum Owner {
    #[say(en = "this experiment has no", zh = "此实验")]
    Experiment,
    #[say(en = "this reference has no", zh = "此参考数据")]
    Reference,
    #[say(en = "this row names no", zh = "此行")]
    ReferenceRow,
    #[say(en = "this question has no", zh = "此问题")]
    OpenQuestion,
    #[say(en = "this request has no", zh = "此请求")]
    Request,
    #[say(en = "these data have no", zh = "这些数据")]
    DataSource,
    #[say(en = "this workload has no", zh = "该 workload")]
    Workload,
    #[say(en = "this arm has no", zh = "此对象")]
    Arm,
    /// The arm has not even a server.
    #[say(en = "this arm names no", zh = "此对象")]
    ArmWithoutServer,
    #[say(en = "the service `{0}` has no", zh = "服务 `{0}`")]
    Service(String),
    #[say(en = "the setting `{0}` has no", zh = "设置 `{0}`")]
    Tunable(String),
}
