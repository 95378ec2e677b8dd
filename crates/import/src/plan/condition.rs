//! Conditions as scenario files write them.

use super::{Refused, Writer};
use crate::remark::PlanPart;
use traffic::scenario::{BinaryOperator, Expr, Function, ScriptValue, Template, UnaryOperator};

impl Writer<'_> {
    /// Writes a condition.
    pub(super) fn condition(&mut self, condition: &Expr) -> Result<String, Refused> {
        Ok(match condition {
            Expr::Constant(ScriptValue::Bool(holds)) => holds.to_string(),
            Expr::Unary(UnaryOperator::Not, inner) => format!("not ({})", self.condition(inner)?),
            Expr::Binary(BinaryOperator::And, left, right) => {
                format!("({}) and ({})", self.condition(left)?, self.condition(right)?)
            }
            Expr::Binary(BinaryOperator::Or, left, right) => {
                format!("({}) or ({})", self.condition(left)?, self.condition(right)?)
            }
            Expr::Binary(operator, left, right) => {
                let sign = match operator {
                    BinaryOperator::Compare(how) => how.sign(),
                    BinaryOperator::Contains => "contains",
                    BinaryOperator::Finds => "matches",
                    _ => return Err(PlanPart::Script),
                };
                format!("{} {sign} {}", self.operand(left)?, self.operand(right)?)
            }
            Expr::Call(Function::IsSet(_), _) => return Err(PlanPart::SetTest),
            Expr::Call(Function::Succeeded, _) => return Err(PlanPart::LastOk),
            text => {
                if let Some(slot) = text.only_variable() {
                    self.asked.push((slot, self.line));
                }
                self.operand(text)?
            }
        })
    }

    fn operand(&mut self, text: &Expr) -> Result<String, Refused> {
        let text = self.template(&Template::from(text.clone()))?;
        match (text.contains('\''), text.contains('"')) {
            (false, _) => Ok(format!("'{text}'")),
            (true, false) => Ok(format!("\"{text}\"")),
            (true, true) => Err(PlanPart::Quotes),
        }
    }
}
