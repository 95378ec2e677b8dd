//! What is known before the load starts: values of properties, of variables that nothing changes, and of functions of them.

use super::Compiler;
use super::scripts::answer_of_function;
use crate::compound::{Compound, FunctionCall, Piece};
use crate::obstacle::ObstacleKind;
use crate::tree::Object;
use std::cell::Cell;
use traffic::scenario::{Dialect, ExprHost, ScriptEffects, ScriptValue, Snippet};

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
            "__intSum" | "__longSum" if call.arguments.len() > 1 => {
                let numbers: Option<Vec<i64>> =
                    (0..call.arguments.len()).map(|at| argument(at)?.parse().ok()).collect();
                let sum = numbers?.iter().fold(0, |sum: i64, number| sum.wrapping_add(*number));
                Some(if call.name == "__intSum" { (sum as i32).to_string() } else { sum.to_string() })
            }
            "__escapeOroRegexpChars" if call.arguments.len() == 1 => {
                let is_word = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
                let quoted = |c: char| [(!is_word(&c)).then_some('\\'), Some(c)];
                Some(argument(0)?.chars().flat_map(quoted).flatten().collect())
            }
            "__toUpperCase" | "__uppercase" => Some(argument(0)?.to_uppercase()),
            "__toLowerCase" | "__lowercase" => Some(argument(0)?.to_lowercase()),
            "__char" => {
                let text = |at| Some(character(argument(at)?.trim()).map(String::from).unwrap_or_default());
                (0..call.arguments.len()).map(text).collect()
            }
            "__jexl2" => self.fixed_script(call, Dialect::Jexl2),
            "__jexl3" => self.fixed_script(call, Dialect::Jexl),
            "__groovy" => self.fixed_script(call, Dialect::Groovy),
            "__BeanShell" => self.fixed_script(call, Dialect::BeanShell),
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

    /// Without a default, `__P` is 1 and `__property` is the name itself. Spaces around the value are dropped.
    fn fixed_property(&self, call: &FunctionCall) -> Option<String> {
        let argument = |at: usize| call.arguments.get(at).map(|argument| self.fixed(argument));
        let name = argument(0)??;
        let puts_variable =
            call.name == "__property" && argument(1).is_some_and(|name| name.as_deref() != Some(""));
        if puts_variable || self.set_properties.contains(&name) {
            return None;
        }
        if let Some(value) = self.settings.properties.get(&name) {
            return Some(value.trim().to_owned());
        }
        let default = if call.name == "__P" { 1 } else { 2 };
        match (argument(default), call.name.as_str()) {
            (Some(default), _) => default.map(|default| default.trim().to_owned()),
            (None, "__P") => Some("1".to_owned()),
            (None, _) => Some(name),
        }
    }

    /// A script that uses nothing but what is known gives the same value every time.
    fn fixed_script(&self, call: &FunctionCall, dialect: Dialect) -> Option<String> {
        // A variable that gets the result has to be set by the program.
        if call.arguments.get(1).is_some_and(|name| name.as_literal() != Some("")) {
            return None;
        }
        let parsed =
            self.parsed_script(call.arguments.first()?, dialect, answer_of_function(dialect)).ok()?;
        if !parsed.holes.is_empty() {
            return None;
        }
        let snippet = Snippet { dialect, statements: parsed.statements, holes: Vec::new() };
        let mut host = FixedHost { compiler: self, depends: Cell::new(false) };
        let run = snippet.run(&mut host, None);
        let depends = host.depends.get() || run.effects != ScriptEffects::default();
        let value = run.value.ok()?;
        (!depends && value != ScriptValue::Null).then(|| value.to_text(dialect))
    }
}

/// The character of a number of Unicode, such as `65`, `0x41` or `0101`.
fn character(number: &str) -> Option<char> {
    let code = match (number.strip_prefix("0x").or(number.strip_prefix("0X")), number.strip_prefix('0')) {
        (Some(hex), _) => u32::from_str_radix(hex, 16),
        (None, Some(octal)) if !octal.is_empty() => u32::from_str_radix(octal, 8),
        _ => number.parse(),
    };
    char::from_u32(code.ok()?)
}

/// Runs a script before the load starts, and finds out whether its value would be the same later.
struct FixedHost<'a> {
    compiler: &'a Compiler<'a>,
    depends: Cell<bool>,
}

impl FixedHost<'_> {
    fn depends<T: Default>(&self) -> T {
        self.depends.set(true);
        T::default()
    }
}

impl ExprHost for FixedHost<'_> {
    fn environment(&self, _: usize) -> &str {
        self.depends()
    }
    fn variable(&self, _: usize) -> Option<&[u8]> {
        self.depends()
    }
    fn set_variable(&mut self, _: usize, _: &[u8]) {
        self.depends()
    }
    fn item(&self, _: usize, _: i64) -> &[u8] {
        self.depends()
    }
    fn list_length(&self, _: usize) -> usize {
        self.depends()
    }
    fn next_number(&mut self, _: usize) -> i64 {
        self.depends()
    }
    fn group_name(&self) -> &str {
        self.depends()
    }
    fn iteration(&self) -> u64 {
        self.depends()
    }
    fn session(&self) -> u64 {
        self.depends()
    }
    fn named_variable(&mut self, name: &str) -> Option<String> {
        let known = self.compiler.fixed.get(name).cloned();
        if known.is_none() || self.compiler.from_environment.contains(name) {
            self.depends.set(true);
        }
        known
    }
    fn put_named(&mut self, _: &str, _: Option<String>) {
        self.depends()
    }
    fn property(&mut self, name: &str) -> Option<String> {
        if self.compiler.set_properties.contains(name) {
            self.depends.set(true);
        }
        self.compiler.settings.properties.get(name).cloned()
    }
    fn put_property(&mut self, _: &str, _: String) {
        self.depends()
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
            ..Settings::default()
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
