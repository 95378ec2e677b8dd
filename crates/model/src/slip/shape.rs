//! Keys and values of the wrong shape: what was expected where, and what stands there.

use crate::values::Notation;

/// A key or a value of the wrong shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeSlip {
    /// A value of another type, or outside its range.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What can stand there.
        expected: ExpectedValue,
        /// What stands there.
        found: FoundValue,
    },
    /// A word that is none of those that can stand there.
    #[error("`{0}` is not known here")]
    UnknownWord(String),
    /// A key that its table does not have.
    #[error("unknown key `{key}` in {table}")]
    UnknownKey {
        key: String,
        /// Where it stands.
        table: TableName,
    },
    /// A key that has to be there, and is not.
    #[error("{owner} `{key}`")]
    Lacks {
        /// What lacks it.
        owner: Owner,
        key: &'static str,
    },
}

/// What can stand in a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpectedValue {
    /// A string.
    #[error("a string")]
    Text,
    /// A boolean.
    #[error("true or false")]
    Truth,
    /// A boolean, or this word.
    #[error("true, false or \"{0}\"")]
    TruthOr(&'static str),
    /// A list.
    #[error("a list")]
    List,
    /// The table of that name.
    #[error("a table ({0})")]
    Table(TableName),
    /// A table of free keys, with an example of one.
    #[error("a table as {0}")]
    TableLike(&'static str),
    /// Tables in a table, with an example of one.
    #[error("tables as {0}")]
    TablesLike(&'static str),
    /// The value of a server's own setting.
    #[error("a string, an integer, true or false")]
    Setting,
    /// A number of a reference.
    #[error("a number, or a time as `12ms`")]
    Figure,
    /// A number of CPUs.
    #[error("a number of CPUs as 0.5 or 2")]
    Cpus,
    /// A quantity in its own notation.
    #[error("{}", .0.example())]
    Quantity(Notation),
    /// An integer in a range.
    #[error("an integer from {least} to {most}")]
    Integer { least: u64, most: u64 },
    /// A quantity in a range; its ends have their unit.
    #[error("{least} to {most}")]
    Between { least: String, most: String },
    /// A number of CPUs in a range.
    #[error("{least} to {most} CPUs")]
    CpusBetween { least: String, most: String },
    /// A list of at least one level, and at most so many.
    #[error("1 to {0} levels")]
    Levels(usize),
    /// A list of at least one value, and at most so many.
    #[error("1 to {0} values")]
    Values(usize),
}

/// What stands in a place instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FoundValue {
    #[error("a string")]
    Text,
    #[error("an integer")]
    Integer,
    #[error("a number with a fraction")]
    Fraction,
    #[error("true or false")]
    Truth,
    #[error("a date")]
    Date,
    #[error("a list")]
    List,
    #[error("a table")]
    Table,
    /// A value of the right type, outside its range; with its unit.
    #[error("{0}")]
    Value(String),
}

/// What a message calls a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableName {
    #[error("an experiment")]
    Experiment,
    #[error("an arm")]
    Arm,
    #[error("a mix of requests")]
    Mix,
    #[error("a request")]
    Request,
    #[error("a service")]
    Service,
    #[error("a question")]
    Question,
    #[error("a row of the reference")]
    ReferenceRow,
    #[error("a question that was left open")]
    OpenQuestion,
    #[error("a setting to try")]
    Tunable,
    /// By its key, as the file has it: `[load]`.
    #[error("{0}")]
    Key(&'static str),
}

/// What lacks a key, in the words that come before the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Owner {
    #[error("this experiment has no")]
    Experiment,
    #[error("this reference has no")]
    Reference,
    #[error("this row names no")]
    ReferenceRow,
    #[error("this question has no")]
    OpenQuestion,
    #[error("this request has no")]
    Request,
    #[error("these data have no")]
    DataSource,
    #[error("this workload has no")]
    Workload,
    #[error("this arm has no")]
    Arm,
    /// The arm has not even a server.
    #[error("this arm names no")]
    ArmWithoutServer,
    #[error("the service `{0}` has no")]
    Service(String),
    #[error("the setting `{0}` has no")]
    Tunable(String),
}
