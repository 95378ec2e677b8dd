//! Compiles JMeter's functions.

use super::Compiler;
use crate::compound::FunctionCall;
use crate::obstacle::ObstacleKind;
use crate::tree::Object;
use traffic::scenario::{Dialect, Function, SharedCounter, Template, TimePart};

/// Letters and digits, from which a random text is drawn if the plan names no others.
const ALPHANUMERIC: &str = "";

impl Compiler<'_> {
    /// Compiles a function whose value is not known before the load starts.
    pub(super) fn function(&mut self, object: &Object, call: &FunctionCall) -> Template {
        let compiled = self
            .random_function(object, call)
            .or_else(|| self.text_function(object, call))
            .or_else(|| self.script_or_property(object, call))
            .or_else(|| self.other_function(object, call));
        compiled.unwrap_or_else(|| {
            self.refuse(object, ObstacleKind::Function(call.name.clone()));
            Template::literal(&call.source)
        })
    }

    pub(super) fn argument(&mut self, object: &Object, call: &FunctionCall, at: usize) -> Template {
        match call.arguments.get(at) {
            Some(argument) => self.compound(object, argument),
            None => Template::default(),
        }
    }

    fn argument_is_empty(call: &FunctionCall, at: usize) -> bool {
        call.arguments
            .get(at)
            .is_none_or(|argument| argument.as_literal().is_some_and(|text| text.trim().is_empty()))
    }

    /// Puts a value into the variable that the argument names, too, if it names one.
    pub(super) fn kept(
        &mut self,
        object: &Object,
        call: &FunctionCall,
        at: usize,
        value: Template,
    ) -> Template {
        if Self::argument_is_empty(call, at) {
            return value;
        }
        let name = call.arguments.get(at).and_then(|name| self.fixed(name));
        match name {
            Some(name) => {
                Template::call(Function::Keep(self.program.variables.define(name.trim())), vec![value])
            }
            None => {
                self.refuse(object, ObstacleKind::Arguments(call.source.clone()));
                value
            }
        }
    }

    fn random_function(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        let (value, variable) = match call.name.as_str() {
            "__Random" => {
                let bounds = vec![self.argument(object, call, 0), self.argument(object, call, 1)];
                (Template::call(Function::RandomInteger { digits: 0 }, bounds), 2)
            }
            "__RandomString" => {
                let letters = if Self::argument_is_empty(call, 1) {
                    Template::literal(ALPHANUMERIC)
                } else {
                    self.argument(object, call, 1)
                };
                let length = self.argument(object, call, 0);
                (Template::call(Function::RandomText, vec![length, letters]), 2)
            }
            "__UUID" => (Template::call(Function::Uuid, Vec::new()), usize::MAX),
            "__chooseRandom" => {
                // The last argument of this function of a plug-in is the variable.
                let last = call.arguments.len().saturating_sub(1);
                let choices = (0..last).map(|at| self.argument(object, call, at)).collect();
                (Template::call(Function::Pick, choices), last)
            }
            "__RandomFromMultipleVars" => {
                let names = self.fixed(call.arguments.first()?)?;
                let choices = names.split('|').map(|name| self.variable(name.trim())).collect();
                (Template::call(Function::Pick, choices), 1)
            }
            _ => return None,
        };
        Some(self.kept(object, call, variable, value))
    }

    fn text_function(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        let mut first = || vec![self.argument(object, call, 0)];
        let (function, arguments, variable) = match call.name.as_str() {
            "__urlencode" => (Function::Form, first(), usize::MAX),
            "__urldecode" => (Function::Decode, first(), usize::MAX),
            "__base64Encode" => (Function::Base64, first(), 1),
            "__base64Decode" => (Function::Base64Decode, first(), 1),
            "__uppercase" | "__toUpperCase" => (Function::Upper, first(), 1),
            "__lowercase" | "__toLowerCase" => (Function::Lower, first(), 1),
            "__changeCase" => {
                let value = self.argument(object, call, 0);
                let mode = call.arguments.get(1).and_then(|mode| self.fixed(mode)).unwrap_or_default();
                match mode.trim() {
                    "" | "UPPER" => (Function::Upper, vec![value], 2),
                    "LOWER" => (Function::Lower, vec![value], 2),
                    _ => {
                        self.refuse(object, ObstacleKind::Arguments(call.source.clone()));
                        return Some(value);
                    }
                }
            }
            "__intSum" | "__longSum" => {
                // The last argument is a variable unless it is a number.
                let last = call.arguments.last()?.as_literal().map(str::trim).unwrap_or("0");
                let named = last.parse::<i64>().is_err();
                let count = call.arguments.len() - usize::from(named);
                let terms = (0..count).map(|at| self.argument(object, call, at)).collect();
                (Function::Sum, terms, if named { count } else { usize::MAX })
            }
            _ => return None,
        };
        Some(self.kept(object, call, variable, Template::call(function, arguments)))
    }

    fn script_or_property(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        match call.name.as_str() {
            "__jexl2" | "__jexl3" => Some(self.script_function(object, call, Dialect::Jexl)),
            "__groovy" | "__BeanShell" => Some(self.script_function(object, call, Dialect::Groovy)),
            "__javaScript" => Some(self.script_function(object, call, Dialect::JavaScript)),
            "__P" | "__property" => {
                let name = self.argument(object, call, 0);
                let at = if call.name == "__P" { 1 } else { 2 };
                let default = match call.arguments.get(at) {
                    Some(default) => self.compound(object, default),
                    None if call.name == "__P" => Template::literal("1"),
                    None => name.clone(),
                };
                let value = self.changing_property(name, default);
                Some(if at == 2 { self.kept(object, call, 1, value) } else { value })
            }
            "__setProperty" => {
                let (name, value) = (self.argument(object, call, 0), self.argument(object, call, 1));
                let old = call
                    .arguments
                    .get(2)
                    .and_then(|old| self.fixed(old))
                    .is_some_and(|old| old.trim() == "true");
                Some(self.set_property(name, value, old))
            }
            _ => None,
        }
    }

    fn other_function(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        Some(match call.name.as_str() {
            "__time" => {
                let value = self.now(object, call, Vec::new());
                self.kept(object, call, 1, value)
            }
            "__timeShift" => {
                if !Self::argument_is_empty(call, 1) {
                    self.refuse(object, ObstacleKind::Arguments(call.source.clone()));
                    return Some(Template::default());
                }
                let shift = call.arguments.get(2).and_then(|shift| self.fixed(shift)).unwrap_or_default();
                let Some(shift) = iso_duration(shift.trim()) else {
                    self.refuse(object, ObstacleKind::Arguments(call.source.clone()));
                    return Some(Template::default());
                };
                let value = self.now(object, call, vec![Template::literal(&shift.to_string())]);
                self.kept(object, call, 4, value)
            }
            "__threadNum" => Template::call(Function::UserNumber, Vec::new()),
            "__threadGroupName" => Template::call(Function::GroupName, Vec::new()),
            "__samplerName" => Template::literal(&object.name),
            "__TestPlanName" => Template::literal("plan.jmx"),
            "__counter" => {
                let of_user = call.arguments.first().and_then(|own| self.fixed(own));
                let per_user = of_user.is_some_and(|own| own.trim().eq_ignore_ascii_case("true"));
                let counter = self.counter(call, per_user);
                let value = Template::call(Function::Next { counter, digits: 0 }, Vec::new());
                self.kept(object, call, 1, value)
            }
            "__V" | "__evalVar" => self.computed_variable(object, call)?,
            "__eval" => self.argument(object, call, 0),
            "__log" => self.argument(object, call, 0),
            "__logn" => Template::default(),
            "__isVarDefined" => {
                let name = self.fixed(call.arguments.first()?)?;
                let variable = self.program.variables.define(name.trim());
                Template::call(Function::IsSet(variable), Vec::new())
            }
            "__FileToString" => {
                let path = self.fixed(call.arguments.first()?)?;
                let content = self.file_text(object, path.trim())?;
                self.kept(object, call, 2, Template::literal(&content))
            }
            _ => return None,
        })
    }

    /// Calls of `__counter` with the same text share a counter, as JMeter has one for each place.
    fn counter(&mut self, _: &FunctionCall, per_user: bool) -> usize {
        self.program.counters.push(SharedCounter { start: 1, step: 1, end: None, per_user, restarts: false });
        self.program.counters.len() - 1
    }

    fn now(&mut self, object: &Object, call: &FunctionCall, shift: Vec<Template>) -> Template {
        let pattern = call.arguments.first().map(|pattern| self.fixed(pattern));
        let format = match pattern {
            None => Ok(Vec::new()),
            Some(Some(pattern)) => TimePart::parse(&pattern).map_err(|_| ()),
            Some(None) => Err(()),
        };
        match format {
            Ok(format) => Template::call(Function::Time(format), shift),
            Err(()) => {
                self.refuse(object, ObstacleKind::Arguments(call.source.clone()));
                Template::default()
            }
        }
    }

    /// `${__V(name_${n})}` is the value of the variable whose name is computed, or the name where there is none.
    fn computed_variable(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        let name = call.arguments.first()?;
        if let Some(fixed) = self.fixed(name) {
            return Some(self.variable(fixed.trim()));
        }
        let name = self.compound(object, name);
        Some(self.named_variable(name.clone(), name))
    }

    /// Reads a text file that the plan names; one that cannot be read is refused.
    pub(super) fn file_text(&mut self, object: &Object, path: &str) -> Option<String> {
        let bytes = self.file_bytes(object, path)?;
        Some(
            String::from_utf8(bytes)
                .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect()),
        )
    }

    /// Reads a file that the plan names; one that cannot be read is refused.
    pub(super) fn file_bytes(&mut self, object: &Object, path: &str) -> Option<Vec<u8>> {
        match (self.settings.resources.read)(std::path::Path::new(path)) {
            Ok(bytes) => Some(bytes),
            Err(why) => {
                let path = path.to_owned();
                self.refuse(object, ObstacleKind::File { path, why });
                None
            }
        }
    }
}

/// Parses a duration of ISO 8601 in days, hours, minutes and seconds, such as `P1DT2H` or `-PT30S`: milliseconds. An empty text is
/// no shift.
fn iso_duration(text: &str) -> Option<i64> {
    if text.is_empty() {
        return Some(0);
    }
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (mut total, mut number, mut time) = (0f64, String::new(), false);
    for c in text.strip_prefix(['P', 'p'])?.chars() {
        let unit = match c.to_ascii_uppercase() {
            'T' => {
                time = true;
                continue;
            }
            'D' => 86_400.0,
            'H' if time => 3600.0,
            'M' if time => 60.0,
            'S' if time => 1.0,
            c if c.is_ascii_digit() || c == '.' || c == '-' => {
                number.push(c);
                continue;
            }
            _ => return None,
        };
        total += std::mem::take(&mut number).parse::<f64>().ok()? * unit;
    }
    number.is_empty().then(|| sign * (total * 1000.0) as i64)
}
