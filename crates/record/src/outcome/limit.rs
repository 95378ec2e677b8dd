//! [`Limit`]: a limit that a server may also not have.

use serde::{Deserialize, Serialize};

/// A limit that a server may also not have: a number, or `"unlimited"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "StoredLimit", into = "StoredLimit")]
pub enum Limit {
    /// At most this number.
    At(u64),
    /// Any number.
    None,
}

/// The stored form of a limit.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredLimit {
    Number(u64),
    Word(String),
}

const UNLIMITED: &str = "unlimited";

impl From<Limit> for StoredLimit {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::At(number) => Self::Number(number),
            Limit::None => Self::Word(UNLIMITED.to_owned()),
        }
    }
}

impl TryFrom<StoredLimit> for Limit {
    type Error = String;

    fn try_from(written: StoredLimit) -> Result<Self, String> {
        match written {
            StoredLimit::Number(number) => Ok(Self::At(number)),
            StoredLimit::Word(word) => word.parse(),
        }
    }
}

impl std::str::FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == UNLIMITED {
            return Ok(Self::None);
        }
        let number = text.parse().map_err(|_| format!("`{text}` is no limit"))?;
        Ok(Self::At(number))
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::At(number) => number.fmt(f),
            Self::None => UNLIMITED.fmt(f),
        }
    }
}
