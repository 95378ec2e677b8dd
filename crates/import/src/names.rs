//! [`Names`]: the variables that requests of Postman and of `.http` files write as `{{name}}`.

use crate::marks::marked;
use crate::remark::Unsupported;
use std::collections::{BTreeMap, BTreeSet};

/// How deep values of variables name others.
const DEEPEST: usize = 10;

/// What stands for the variables of requests, in the order in which the requests are sent.
#[derive(Debug, Default)]
pub(crate) struct Names {
    values: BTreeMap<String, String>,
    /// Names whose values an environment gives: variables of the source do not change them.
    fixed: BTreeSet<String>,
    /// Names whose values were given for this import: not even answers change them.
    given: BTreeSet<String>,
    /// Names that answers give, so far, each with its variable in the scenario.
    taken: BTreeMap<String, String>,
    /// Names that scripts set in a way that is not read.
    lost: BTreeSet<String>,
    /// Variables of the environment in the place of names without a value.
    pub(crate) environment: BTreeSet<String>,
}

impl Names {
    /// Sets a value for this import, which nothing changes.
    pub(crate) fn give(&mut self, name: &str, value: &str) {
        self.fix(name, value);
        self.lost.remove(name);
        self.taken.remove(name);
        self.given.insert(name.to_owned());
    }

    /// Sets a value that goes before those of the source.
    pub(crate) fn fix(&mut self, name: &str, value: &str) {
        if self.fixed.insert(name.to_owned()) {
            self.values.insert(name.to_owned(), value.to_owned());
        }
    }

    /// Sets a value.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        if !self.fixed.contains(name) {
            self.values.insert(name.to_owned(), value.to_owned());
        }
        self.lost.remove(name);
    }

    /// Says that an answer gives a value from now on. Returns the name of the variable in the scenario; `None` if the value was given for
    /// this import.
    pub(crate) fn take(&mut self, name: &str) -> Option<String> {
        self.take_as(name, name)
    }

    /// Says that an answer gives a value from now on, which the scenario calls otherwise.
    pub(crate) fn take_as(&mut self, name: &str, variable: &str) -> Option<String> {
        if self.given.contains(name) {
            return None;
        }
        self.taken.insert(name.to_owned(), plain(variable));
        self.lost.remove(name);
        Some(plain(variable))
    }

    /// Says that a script sets a value that is not known.
    pub(crate) fn lose(&mut self, name: &str) {
        if self.given.contains(name) {
            return;
        }
        self.taken.remove(name);
        self.lost.insert(name.to_owned());
    }

    /// Replaces `{{name}}` by values, and by marks for what is not known before the load.
    ///
    /// # Errors
    ///
    /// Why a name cannot have its value.
    pub(crate) fn resolved(&mut self, text: &str) -> Result<String, Unsupported> {
        self.at_depth(text, 0)
    }

    fn at_depth(&mut self, text: &str, depth: usize) -> Result<String, Unsupported> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("{{") {
            let Some((name, behind)) = behind.split_once("}}") else {
                break;
            };
            out.push_str(before);
            out.push_str(&self.value(name.trim(), depth)?);
            rest = behind;
        }
        Ok(out + rest)
    }

    fn value(&mut self, name: &str, depth: usize) -> Result<String, Unsupported> {
        if let Some(dynamic) = name.strip_prefix('$') {
            return dynamic_value(dynamic).map(|expression| marked(&expression));
        }
        if self.lost.contains(name) {
            return Err(Unsupported::ScriptSets(name.to_owned()));
        }
        if let Some(variable) = self.taken.get(name) {
            return Ok(marked(variable));
        }
        match self.values.get(name).cloned() {
            Some(value) if depth < DEEPEST => self.at_depth(&value, depth + 1),
            Some(value) => Ok(value),
            None => {
                let variable = plain(name);
                self.environment.insert(variable.clone());
                Ok(marked(&format!("env('{variable}')")))
            }
        }
    }
}

/// A name as variables of a scenario and of the environment may have it.
fn plain(name: &str) -> String {
    let fits = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    name.chars().map(fits).collect()
}

/// Returns the expression of a scenario for a value that is new each time: `$guid`, `$randomInt 1 6`.
fn dynamic_value(text: &str) -> Result<String, Unsupported> {
    let words: Vec<&str> = text.split([' ', '(', ',', ')']).filter(|word| !word.is_empty()).collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<i64>().ok());
    let name = words.first().copied().unwrap_or_default();
    let of_environment = name.strip_prefix("env.").or_else(|| {
        let reads = ["processEnv", "dotenv"].contains(&name);
        words.get(1).copied().filter(|_| reads)
    });
    if let Some(variable) = of_environment {
        return Ok(format!("env('{}')", plain(variable.trim_start_matches('%'))));
    }
    let expression = match (name, words.len()) {
        ("guid" | "uuid" | "randomUUID" | "random.uuid", 1) => "uuid()".to_owned(),
        ("timestamp", 1) => "now('/1000')".to_owned(),
        ("randomInt", 1) => "random(0, 1000)".to_owned(),
        ("randomInt" | "random.integer", 3) => match (number(1), number(2)) {
            // The upper end is not one of the values.
            (Some(least), Some(end)) if end > least => format!("random({least}, {})", end - 1),
            _ => return Err(Unsupported::Dynamic(text.to_owned())),
        },
        ("random.alphanumeric" | "random.alphabetic" | "randomAlphaNumeric", 1 | 2) => {
            format!("random_text({})", number(1).unwrap_or(1))
        }
        _ => return Err(Unsupported::Dynamic(text.to_owned())),
    };
    Ok(expression)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::unmarked;

    #[test]
    fn names_have_the_values_that_they_have_at_that_moment() {
        let mut names = Names::default();
        names.fix("base", "http://h/{{version}}");
        names.set("base", "http://other");
        names.set("version", "v1");
        let said = |names: &mut Names, text: &str| {
            names.resolved(text).map(|text| unmarked(&text, |name| format!("<{name}>")))
        };
        assert_eq!(
            said(&mut names, "{{base}}/{{ id }}/{{$guid}}"),
            Ok("http://h/v1/<env('id')>/<uuid()>".to_owned())
        );
        assert_eq!(names.take("id").as_deref(), Some("id"));
        assert_eq!(
            said(&mut names, "{{id}} {{$randomInt 1 7}} {{x"),
            Ok("<id> <random(1, 6)> {{x".to_owned())
        );
        names.lose("id");
        assert_eq!(said(&mut names, "{{id}}"), Err(Unsupported::ScriptSets("id".to_owned())));
        assert_eq!(said(&mut names, "{{$randomCity}}"), Err(Unsupported::Dynamic("randomCity".to_owned())));
        assert!(names.environment.contains("id"));
        names.give("id", "9");
        names.lose("id");
        assert_eq!(names.take("id"), None);
    }
}
