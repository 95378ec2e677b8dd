//! What is known before the load starts: values of properties, of variables that nothing changes, and of functions of them.

use super::Compiler;
use crate::compound::{Compound, FunctionCall, Piece};
use crate::obstacle::ObstacleKind;
use crate::script;
use crate::tree::Object;
use traffic::scenario::{Dialect, ExprHost, ScriptEffects, ScriptValue, Snippet, Template};

impl Compiler<'_> {
    /// Returns the value of a text, if it is known before the load starts.
    pub(super) fn fixed(&self, compound: &Compound) -> Option<String> {
        let mut text = String::new();
        for piece in &compound.pieces {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Variable(name) => text.push_str(self.fixed.get(name)?),
                Piece::Call(call) => text.push_str(&self.fixed_call(call)?),
            }
        }
        Some(text)
    }

    /// Returns the value of the text of a property, which has to be known before the load starts. A text that is not is an
    /// obstacle.
    pub(super) fn fixed_text(&mut self, object: &Object, property: &str) -> Option<String> {
        let compound = self.parsed(object, object.text(property));
        let fixed = self.fixed(&compound);
        if fixed.is_none() {
            let what = ObstacleKind::NotFixed {
                property: property.to_owned(),
                text: object.text(property).to_owned(),
            };
            self.refuse(object, what);
        }
        fixed
    }

    /// Returns a number that has to be known before the load starts; `default` where there is none.
    pub(super) fn fixed_number(&mut self, object: &Object, property: &str, default: f64) -> Option<f64> {
        let text = self.fixed_text(object, property)?;
        let text = text.trim();
        if text.is_empty() {
            return Some(default);
        }
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        if number.is_none() {
            let what = ObstacleKind::NoNumber { property: property.to_owned(), text: text.to_owned() };
            self.refuse(object, what);
        }
        number
    }

    /// Returns the value of a function, if it is known before the load starts.
    pub(super) fn fixed_call(&self, call: &FunctionCall) -> Option<String> {
        let argument = |at: usize| call.arguments.get(at).and_then(|argument| self.fixed(argument));
        match call.name.as_str() {
            "__P" | "__property" => self.fixed_property(call),
            // It writes its first argument into the log, and is its value.
            "__log" => argument(0),
            "__env" => match self.environment(call) {
                Some((_, value)) => Some(value),
                None if call.arguments.len() > 2 => argument(2),
                None => argument(0),
            },
            "__isPropDefined" => {
                let name = argument(0)?;
                let fixed = !self.set_properties.contains(&name);
                fixed.then(|| self.settings.properties.contains_key(&name).to_string())
            }
            "__intSum" | "__longSum" => {
                let numbers: Option<Vec<i64>> =
                    (0..call.arguments.len()).map(|at| argument(at)?.trim().parse().ok()).collect();
                numbers.map(|numbers| numbers.iter().sum::<i64>().to_string())
            }
            "__toUpperCase" | "__uppercase" => Some(argument(0)?.to_uppercase()),
            "__toLowerCase" | "__lowercase" => Some(argument(0)?.to_lowercase()),
            "__char" => {
                let code = |at| {
                    let text: String = argument(at)?;
                    let hex = text.trim().strip_prefix("0x").map(|hex| u32::from_str_radix(hex, 16));
                    char::from_u32(hex.unwrap_or_else(|| text.trim().parse()).ok()?)
                };
                (0..call.arguments.len()).map(code).collect()
            }
            "__jexl2" | "__jexl3" => self.fixed_script(call, Dialect::Jexl),
            "__groovy" | "__BeanShell" => self.fixed_script(call, Dialect::Groovy),
            "__javaScript" => self.fixed_script(call, Dialect::JavaScript),
            _ => None,
        }
    }

    /// Name and value of the variable of the environment that `__env` reads; `None` for other functions, and where it is not set.
    pub(super) fn environment(&self, call: &FunctionCall) -> Option<(String, String)> {
        let name = call.arguments.first().filter(|_| call.name == "__env")?;
        let name = self.fixed(name)?;
        let value = (self.settings.resources.environment)(&name)?;
        Some((name, value))
    }

    /// Whether a text has values of the environment in it.
    pub(super) fn uses_environment(&self, compound: &Compound) -> bool {
        compound.pieces.iter().any(|piece| match piece {
            Piece::Literal(_) => false,
            Piece::Variable(name) => self.from_environment.contains(name),
            Piece::Call(call) => self.environment(call).is_some(),
        })
    }

    /// Without a default, `__P` is 1 and `__property` is the name itself.
    fn fixed_property(&self, call: &FunctionCall) -> Option<String> {
        let argument = |at: usize| call.arguments.get(at).map(|argument| self.fixed(argument));
        let name = argument(0)??;
        if self.set_properties.contains(&name) {
            return None;
        }
        if let Some(value) = self.settings.properties.get(&name) {
            return Some(value.clone());
        }
        let default = if call.name == "__P" { 1 } else { 2 };
        match (argument(default), call.name.as_str()) {
            (Some(default), _) => default,
            (None, "__P") => Some("1".to_owned()),
            (None, _) => Some(name),
        }
    }

    /// A script that uses nothing but what is known gives the same value every time.
    fn fixed_script(&self, call: &FunctionCall, dialect: Dialect) -> Option<String> {
        // A variable that gets the result has to be set by the program.
        if call.arguments.len() > 1 {
            return None;
        }
        let parsed = script::parse(call.arguments.first()?, dialect).ok()?;
        let holes: Option<Vec<String>> = parsed.holes.iter().map(|hole| self.fixed(hole)).collect();
        let snippet = Snippet {
            dialect,
            statements: parsed.statements,
            holes: holes?.iter().map(|hole| Template::literal(hole)).collect(),
        };
        let mut host = FixedHost { compiler: self, depends: false };
        let run = snippet.run(&mut host, None);
        let depends = host.depends || run.effects != ScriptEffects::default();
        let value = run.value.ok()?;
        (!depends && value != ScriptValue::Null).then(|| value.to_text(dialect))
    }
}

/// Runs a script before the load starts, and finds out whether its value would be the same later.
struct FixedHost<'a> {
    compiler: &'a Compiler<'a>,
    depends: bool,
}

impl FixedHost<'_> {
    fn depends<T: Default>(&mut self) -> T {
        self.depends = true;
        T::default()
    }
}

impl ExprHost for FixedHost<'_> {
    fn named_variable(&mut self, name: &str) -> Option<String> {
        let known = self.compiler.fixed.get(name).cloned();
        self.depends |= known.is_none();
        known
    }
    fn put_named(&mut self, _: &str, _: Option<String>) {
        self.depends = true;
    }
    fn property(&mut self, name: &str) -> Option<String> {
        self.depends |= self.compiler.set_properties.contains(name);
        self.compiler.settings.properties.get(name).cloned()
    }
    fn put_property(&mut self, _: &str, _: String) {
        self.depends = true;
    }
    fn last_status(&mut self) -> Option<u16> {
        self.depends()
    }
    fn last_ok(&mut self) -> bool {
        self.depends()
    }
    fn below(&mut self, _: u64) -> u64 {
        self.depends()
    }
    fn now(&mut self) -> i64 {
        self.depends()
    }
    fn utc_offset(&mut self) -> i32 {
        self.depends()
    }
    fn user_number(&mut self) -> u64 {
        self.depends()
    }
    fn regex(&mut self, _: &str, _: &[u8], _: bool) -> Option<bool> {
        self.depends()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Settings, compile};
    use std::collections::BTreeMap;
    use traffic::scenario::Resources;

    #[test]
    fn values_of_the_environment_are_kept_apart_from_the_program() {
        let variable = r#"<elementProp name="token" elementType="Argument">
            <stringProp name="Argument.name">token</stringProp>
            <stringProp name="Argument.value">Bearer ${__env(TOKEN)}</stringProp>
          </elementProp>
        </collectionProp>
      </elementProp>
      <boolProp name="TestPlan.serialize"#;
        let plan = include_str!("../../tests/plans/arguments.jmx");
        let end = plan.find("</collectionProp>").unwrap();
        let after = end + plan[end..].find("<boolProp name=\"TestPlan.serialize").unwrap();
        let rest = &plan[after + "<boolProp name=\"TestPlan.serialize".len()..];
        let plan = format!("{}{variable}{rest}", &plan[..end]);
        let plan = plan.replace("${__threadGroupName}", "${token} ${__env(TOKEN)}");
        let settings = Settings {
            properties: BTreeMap::from([("port".to_owned(), "80".to_owned())]),
            resources: Resources {
                environment: &|name| (name == "TOKEN").then(|| "marked".to_owned()),
                ..Resources::NONE
            },
            server: None,
            now: 0,
            marks_lines: false,
        };
        let compiled = compile(&plan, &settings).unwrap();
        assert_eq!(compiled.obstacles, []);
        let mut program = compiled.program;
        assert!(format!("{program:?}").contains("marked"));
        program.forget_environment();
        let stored = format!("{program:?}");
        assert!(stored.contains("TOKEN") && !stored.contains("marked"), "{stored}");
    }
}
