//! The values that variables get which were declared with a type.

use super::{Lowered, Lowering};
use crate::script::kind::DeclaredKind;
use traffic::scenario::{
    BinaryOperator, Comparison, Conversion, Dialect, Expr, Function, NumberKind, ScriptValue,
};

impl Lowering<'_> {
    /// Returns the value that a variable of this kind gets.
    pub(super) fn of_kind(&self, value: Expr, kind: DeclaredKind, is_new: bool) -> Lowered<Expr> {
        let function = match kind {
            // Groovy divides whole numbers as Java does where it knows that a double is wanted.
            DeclaredKind::Number(NumberKind::Double)
                if self.dialect == Dialect::Groovy && divides(&value) =>
            {
                return Err("a quotient for a double".to_owned());
            }
            DeclaredKind::Number(kind) if self.dialect == Dialect::BeanShell && !is_new => {
                Function::Number(Conversion::Reassign, kind)
            }
            DeclaredKind::Number(kind) => Function::Number(Conversion::Assign, kind),
            DeclaredKind::Text if self.dialect == Dialect::Groovy && value.as_literal().is_none() => {
                // A variable of a text may have no value, which stays nothing.
                let is_nothing =
                    Expr::compare(value.clone(), Comparison::Equal, Expr::Constant(ScriptValue::Null));
                let has_effect = matches!(&value, Expr::Call(..));
                if has_effect {
                    return Ok(value);
                }
                let text = Expr::Call(Function::ToText, vec![value]);
                let nothing = Expr::Constant(ScriptValue::Null);
                return Ok(Expr::Choice(Box::new(is_nothing), Box::new(nothing), Box::new(text)));
            }
            DeclaredKind::Bool if self.dialect == Dialect::Groovy => Function::ToBool,
            _ => return Ok(value),
        };
        Ok(Expr::Call(function, vec![value]))
    }
}

/// Whether a value is a quotient.
fn divides(value: &Expr) -> bool {
    matches!(value, Expr::Binary(BinaryOperator::Divide, ..))
}
