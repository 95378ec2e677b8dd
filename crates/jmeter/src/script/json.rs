//! JSON in scripts: a part of a text is a path that is followed when its value is needed.

use super::lower::{Local, Lowered, Lowering, path};
use super::syntax::Raw;
use traffic::scenario::{BinaryOperator, Dialect, Expr, Function, ScriptValue, Statement, Template};

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

    /// Gives a variable a part of a JSON text. The text is kept as it is now, and one that is no JSON fails here.
    pub(super) fn kept_json(&mut self, name: &str, text: Expr, path: Template) -> Statement {
        let kept = format!("text of {name}");
        let is_parsed = path.as_literal() == Some("$");
        self.declare(name, Local::Json(Expr::Local(kept.clone()), path));
        let keep = Statement::Assign(kept.clone(), text);
        if !is_parsed {
            return keep;
        }
        let parse = Statement::Value(kind_of_json(Expr::Local(kept), Template::literal("$")));
        Statement::If(Expr::Constant(ScriptValue::Bool(true)), vec![keep, parse], Vec::new())
    }

    /// A text that is parsed only to find out whether it is JSON; `None` for anything else.
    pub(super) fn parsed_for_itself(&mut self, raw: &Raw) -> Lowered<Option<Statement>> {
        let Raw::Call(callee, arguments) = raw else {
            return Ok(None);
        };
        let parsed = self.parsed_json(callee, arguments)?;
        let is_whole = |(_, path): &(Expr, Template)| path.as_literal() == Some("$");
        Ok(parsed.filter(is_whole).map(|(text, path)| {
            let nothing = Statement::Value(Expr::Constant(ScriptValue::Null));
            let parse = Statement::Value(kind_of_json(text, path));
            Statement::If(Expr::Constant(ScriptValue::Bool(true)), vec![parse, nothing], Vec::new())
        }))
    }

    /// Whether a part of a JSON text is of a class or an interface of Java.
    pub(super) fn instance_of(&mut self, of: &Raw, class: &str) -> Lowered<Expr> {
        let kind = match class {
            "Map" => "object",
            "List" => "array",
            "String" => "text",
            "Number" => "number",
            "Boolean" => "truth",
            _ => return Err(format!("`instanceof {class}`")),
        };
        let Some((text, path)) = self.json(of)? else {
            return Err("`instanceof` for something else than a part of JSON".to_owned());
        };
        Ok(Expr::Call(Function::Equals, vec![kind_of_json(text, path), Expr::literal(kind)]))
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

/// The kind of a part of a JSON text.
fn kind_of_json(text: Expr, path: Template) -> Expr {
    Expr::Call(Function::JsonKind, vec![text, path.into()])
}
