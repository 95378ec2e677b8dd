//! Conditions as scenario files write them.

use super::{Refused, Writer};
use crate::remark::PlanPart;
use model::scenario::{Comparison, Condition, Template};

impl Writer<'_> {
    /// Writes a condition.
    pub(super) fn condition(&mut self, condition: &Condition) -> Result<String, Refused> {
        Ok(match condition {
            Condition::Always(holds) => holds.to_string(),
            Condition::Compare { left, how, right } => {
                format!("{} {} {}", self.operand(left)?, sign(*how), self.operand(right)?)
            }
            Condition::Contains { text, part } => {
                format!("{} contains {}", self.operand(text)?, self.operand(part)?)
            }
            Condition::Matches { text, pattern } => {
                format!("{} matches {}", self.operand(text)?, self.operand(pattern)?)
            }
            Condition::Truthy(text) => {
                if let Some(slot) = text.only_variable() {
                    self.asked.push((slot, self.line));
                }
                self.operand(text)?
            }
            Condition::Not(inner) => format!("not ({})", self.condition(inner)?),
            Condition::All(parts) => self.joined(parts, " and ")?,
            Condition::Any(parts) => self.joined(parts, " or ")?,
            Condition::IsSet(_) => return Err(PlanPart::SetTest),
            Condition::LastOk => return Err(PlanPart::LastOk),
        })
    }

    fn joined(&mut self, parts: &[Condition], sign: &str) -> Result<String, Refused> {
        let mut written = Vec::new();
        for part in parts {
            written.push(format!("({})", self.condition(part)?));
        }
        Ok(written.join(sign))
    }

    fn operand(&mut self, template: &Template) -> Result<String, Refused> {
        let text = self.template(template)?;
        match (text.contains('\''), text.contains('"')) {
            (false, _) => Ok(format!("'{text}'")),
            (true, false) => Ok(format!("\"{text}\"")),
            (true, true) => Err(PlanPart::Quotes),
        }
    }
}

const fn sign(how: Comparison) -> &'static str {
    match how {
        Comparison::Equal => "==",
        Comparison::Unequal => "!=",
        Comparison::Less => "<",
        Comparison::AtMost => "<=",
        Comparison::Greater => ">",
        Comparison::AtLeast => ">=",
    }
}
