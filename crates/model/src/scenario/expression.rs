//! [`Condition`]: what decides whether a user does something.

use super::Template;
use serde::{Deserialize, Serialize};

/// Something that holds or does not when a user comes to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Condition {
    /// It always holds, or never.
    Always(bool),
    /// Two texts compare so. If both are numbers, they are compared as numbers, otherwise byte by byte.
    Compare {
        /// The text on the left.
        left: Template,
        how: Comparison,
        /// The text on the right.
        right: Template,
    },
    /// The text contains the other one.
    Contains {
        text: Template,
        /// What has to occur in it.
        part: Template,
    },
    /// A part of the text fits a regular expression.
    Matches { text: Template, pattern: Template },
    /// The text is not empty, and it is neither `false` nor `0`. An unset variable is empty here.
    Truthy(Template),
    /// The variable of this slot is set.
    IsSet(usize),
    /// The last request of the user got a right answer.
    LastOk,
    /// The condition within does not hold.
    Not(Box<Condition>),
    /// All of them hold; they are looked at in this order, until one does not.
    All(Vec<Condition>),
    /// At least one of them holds; they are looked at in this order, until one does.
    Any(Vec<Condition>),
}

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

/// What a condition is evaluated in: the state of one user.
pub trait Scope {
    /// Appends the text of a template to `out`.
    fn render(&mut self, template: &Template, out: &mut Vec<u8>);
    /// Whether the variable of this slot is set.
    fn is_set(&self, variable: usize) -> bool;
    /// Whether the last request got a right answer.
    fn last_ok(&self) -> bool;
    /// Whether a part of the text fits the regular expression; false where the expression is wrong.
    fn finds(&mut self, pattern: &str, text: &[u8]) -> bool;
}

impl Condition {
    /// Whether it holds.
    pub fn holds(&self, scope: &mut dyn Scope) -> bool {
        let mut render = |template: &Template| {
            let mut text = Vec::new();
            scope.render(template, &mut text);
            text
        };
        match self {
            Self::Always(holds) => *holds,
            Self::Compare { left, how, right } => {
                let (left, right) = (render(left), render(right));
                how.holds(&left, &right)
            }
            Self::Contains { text, part } => {
                let (text, part) = (render(text), render(part));
                part.is_empty() || text.windows(part.len()).any(|window| window == part)
            }
            Self::Matches { text, pattern } => {
                let (text, pattern) = (render(text), render(pattern));
                scope.finds(&String::from_utf8_lossy(&pattern), &text)
            }
            Self::Truthy(template) => {
                let unset = template.only_variable().is_some_and(|variable| !scope.is_set(variable));
                let mut text = Vec::new();
                scope.render(template, &mut text);
                !unset && !matches!(text.as_slice(), b"" | b"false" | b"0")
            }
            Self::IsSet(variable) => scope.is_set(*variable),
            Self::LastOk => scope.last_ok(),
            Self::Not(inner) => !inner.holds(scope),
            Self::All(parts) => parts.iter().all(|part| part.holds(scope)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(scope)),
        }
    }
}

impl Comparison {
    /// Whether two texts compare so: as numbers if both are numbers, otherwise byte by byte.
    pub fn holds(self, left: &[u8], right: &[u8]) -> bool {
        let number = |text: &[u8]| std::str::from_utf8(text).ok()?.trim().parse::<f64>().ok();
        let order = match (number(left), number(right)) {
            (Some(left), Some(right)) => left.partial_cmp(&right),
            _ => Some(left.cmp(right)),
        };
        self.fits(order)
    }

    /// Whether values in this order compare so; `None` is that of numbers that cannot be compared.
    pub fn fits(self, order: Option<std::cmp::Ordering>) -> bool {
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
