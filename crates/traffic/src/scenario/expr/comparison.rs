//! [`Comparison`]: how two values are compared.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    /// Both are equal.
    Equal,
    /// They differ.
    Unequal,
    /// The left one is less.
    Less,
    /// The left one is less, or both are equal.
    AtMost,
    /// The left one is greater.
    Greater,
    /// The left one is greater, or both are equal.
    AtLeast,
}

impl Comparison {
    /// The signs of comparisons. One that begins with another one stands before it.
    pub const SIGNS: [(&str, Self); 6] = [
        ("==", Self::Equal),
        ("!=", Self::Unequal),
        ("<=", Self::AtMost),
        (">=", Self::AtLeast),
        ("<", Self::Less),
        (">", Self::Greater),
    ];

    /// Returns how it is written.
    pub fn sign(self) -> &'static str {
        let found = Self::SIGNS.iter().find(|(_, how)| *how == self);
        found.map_or("", |(sign, _)| sign)
    }

    /// Whether two texts compare so: as numbers if both are numbers, otherwise byte by byte.
    pub fn holds(self, left: &[u8], right: &[u8]) -> bool {
        let number = |text: &[u8]| std::str::from_utf8(text).ok()?.trim().parse::<f64>().ok();
        let order = match (number(left), number(right)) {
            (Some(left), Some(right)) => left.partial_cmp(&right),
            _ => Some(left.cmp(right)),
        };
        self.fits(order)
    }

    /// Whether values in this order compare so; `None` stands for values that have no order.
    pub fn fits(self, order: Option<Ordering>) -> bool {
        let Some(order) = order else {
            return self == Self::Unequal;
        };
        match self {
            Self::Equal => order.is_eq(),
            Self::Unequal => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }
}
