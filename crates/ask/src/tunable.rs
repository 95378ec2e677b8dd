//! [`Tunable`]: a setting of the application that trials may change. prony knows the settings of servers, but not that a pool of
//! the application is as large as the variable POOL says: a file tells it.

use crate::change::Change;
use serde::{Deserialize, Serialize};

/// A setting of the application, with the values that a trial compares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tunable {
    /// What reports call it.
    pub name: String,
    /// How the application gets it.
    pub given_by: GivenBy,
    /// The values, in the order of the file.
    pub values: Vec<String>,
}

/// How an application gets a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenBy {
    /// By a variable of its environment.
    Env(String),
    /// By a system property of its JVM.
    Property(String),
}

impl Tunable {
    /// Returns the key of the change of an arm that sets it.
    pub fn key(&self) -> String {
        match &self.given_by {
            GivenBy::Env(variable) => format!("{ENVIRONMENT}.{variable}"),
            GivenBy::Property(property) => format!("{PROPERTY}{property}"),
        }
    }

    /// Returns the change of an arm that sets it to this value.
    pub fn change(&self, value: &str) -> Change {
        Change { key: self.key(), value: value.to_owned() }
    }

    /// Whether these changes of an arm set it and nothing else.
    pub fn is_set_by(&self, changes: &[Change]) -> bool {
        matches!(changes, [change] if change.key == self.key())
    }
}

/// What the key of a change begins with that sets a variable of the environment; a point and the name follow.
pub(crate) const ENVIRONMENT: &str = "environment";
/// What the key of a change begins with that sets a system property; the name follows.
pub(crate) const PROPERTY: &str = "-D";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_known_by_its_setting() {
        let of = |given_by: GivenBy| Tunable {
            name: "pool.size".to_owned(),
            given_by,
            values: vec!["8".to_owned()],
        };
        let env = of(GivenBy::Env("POOL".to_owned()));
        let property = of(GivenBy::Property("pool.size".to_owned()));
        let changes = [env.change("8"), property.change("16")];
        assert_eq!(changes.clone().map(|change| change.key), ["environment.POOL", "-Dpool.size"]);
        assert!(env.is_set_by(&changes[..1]) && !env.is_set_by(&changes[1..]));
        assert!(!env.is_set_by(&changes) && !env.is_set_by(&[]), "more than it, or nothing");
    }
}
