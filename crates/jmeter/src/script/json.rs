//! JSON in scripts: a part of a text is a path that is followed when its value is needed.

use super::lower::{Local, Lowered, Lowering, path};
use super::syntax::Raw;
use traffic::scenario::{BinaryOperator, Dialect, Expr, ScriptValue, Template};

impl Lowering<'_> {
    /// Returns the text and the path of a part of a parsed JSON text; `None` for what is none.
    pub(super) fn json(&mut self, raw: &Raw) -> Lowered<Option<(Expr, Template)>> {
        match raw {
            Raw::Name(name) => Ok(match self.local(name) {
                Some(Local::Json(text, path)) => Some((text.clone(), path.clone())),
                _ => None,
            }),
            Raw::Call(callee, arguments) => self.parsed_json(callee, arguments),
            Raw::Member(of, name) => {
                let Some((text, mut path)) = self.json(of)? else {
                    return Ok(None);
                };
                if name == "length" && self.dialect == Dialect::JavaScript {
                    path.push_literal(".length()");
                } else {
                    path.push_literal(&format!("['{name}']"));
                }
                Ok(Some((text, path)))
            }
            Raw::Binary(BinaryOperator::Item, of, key) => self.item_of_json(of, key),
            _ => Ok(None),
        }
    }

    fn parsed_json(&mut self, callee: &Raw, arguments: &[Raw]) -> Lowered<Option<(Expr, Template)>> {
        let Raw::Member(of, method) = callee else {
            return Ok(None);
        };
        match (method.as_str(), arguments) {
            ("parseText", [text]) if self.is_slurper(of)? => {
                Ok(Some((self.expression(text)?, Template::literal("$"))))
            }
            ("parse", [text])
                if self.dialect == Dialect::JavaScript && path(callee).as_deref() == Some("JSON.parse") =>
            {
                Ok(Some((self.expression(text)?, Template::literal("$"))))
            }
            ("get", [key]) => self.item_of_json(of, key),
            _ => Ok(None),
        }
    }

    fn is_slurper(&mut self, raw: &Raw) -> Lowered<bool> {
        Ok(matches!(self.object(raw)?, Some(Local::Object("JsonSlurper"))))
    }

    fn item_of_json(&mut self, of: &Raw, key: &Raw) -> Lowered<Option<(Expr, Template)>> {
        let Some((text, mut path)) = self.json(of)? else {
            return Ok(None);
        };
        match self.expression(key)? {
            Expr::Constant(ScriptValue::Text(name)) => path.push_literal(&format!("['{name}']")),
            index => {
                path.push_literal("[");
                path.push(index);
                path.push_literal("]");
            }
        }
        Ok(Some((text, path)))
    }
}
