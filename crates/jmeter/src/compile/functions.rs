//! Compiles JMeter's functions.

use super::Compiler;
use crate::compound::{FunctionCall, Piece};
use crate::obstacle::ObstacleKind;
use crate::tree::Object;
use traffic::scenario::{
    AtEnd, DataSource, Dialect, DigestAlgorithm, Expr, Function, PlanDifference, RowSharing, Rows,
    ScriptValue, SharedCounter, Template,
};

/// Letters and digits, from which a random text is drawn if the plan names no others.
const ALPHANUMERIC: &str = "";

impl Compiler<'_> {
    /// Compiles a function whose value is not known before the load starts.
    pub(super) fn function(&mut self, object: &Object, call: &FunctionCall) -> Template {
        if let Some(compiled) = self.time_function(object, call) {
            return compiled.unwrap_or_else(|| self.refuse_arguments(object, call));
        }
        if self.fails(call) {
            return self.refuse_arguments(object, call);
        }
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

    /// Refuses a call with arguments that are not supported.
    fn refuse_arguments(&mut self, object: &Object, call: &FunctionCall) -> Template {
        self.refuse(object, ObstacleKind::Arguments(call.source.clone()));
        Template::literal(&call.source)
    }

    /// Whether JMeter raises an exception for these arguments, as far as they are known before the load starts.
    fn fails(&self, call: &FunctionCall) -> bool {
        let argument = |at: usize| call.arguments.get(at).and_then(|argument| self.fixed(argument));
        let is_no_number = |text: &String| text.parse::<i64>().is_err();
        match call.name.as_str() {
            "__Random" => {
                let bounds =
                    [argument(0), argument(1)].map(|bound| bound.map(|bound| bound.trim().parse::<i64>()));
                match bounds {
                    [Some(Ok(least)), Some(Ok(most))] => least > most,
                    [Some(Err(_)), _] | [_, Some(Err(_))] => true,
                    _ => false,
                }
            }
            "__RandomString" => {
                argument(0).is_none_or(|length| is_no_number(&length)) && argument(0).is_some()
            }
            "__intSum" | "__longSum" => {
                let terms = call.arguments.len().saturating_sub(1);
                call.arguments.len() < 2 || (0..terms).filter_map(argument).any(|term| is_no_number(&term))
            }
            "__counter" => call.arguments.is_empty(),
            "__urldecode" => argument(0).is_some_and(|text| {
                let mut parts = text.split('%').skip(1);
                let is_code = |two: &str| two.bytes().all(|byte| byte.is_ascii_hexdigit());
                parts.any(|digits| !digits.get(..2).is_some_and(is_code))
            }),
            _ => false,
        }
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
                let letters = match call.arguments.get(1).and_then(|letters| self.fixed(letters)) {
                    _ if Self::argument_is_empty(call, 1) => {
                        self.differences.insert(PlanDifference::RandomLetters);
                        Template::literal(ALPHANUMERIC)
                    }
                    Some(letters) => Template::literal(letters.trim()),
                    None => Template::call(Function::Trim, vec![self.argument(object, call, 1)]),
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
                (self.one_of_variables(&names)?, 1)
            }
            _ => return None,
        };
        Some(self.kept(object, call, variable, value))
    }

    /// The value of one of several variables. A variable with several values counts for each of them, and one without a value for none.
    fn one_of_variables(&mut self, names: &str) -> Option<Template> {
        let names: Vec<&str> = names.split('|').filter(|name| self.may_be_set(name)).collect();
        let list = |name: &str| self.program.lists.find(name);
        if let [name] = names.as_slice()
            && let Some(list) = list(name)
        {
            let first = Expr::Constant(ScriptValue::Text("1".to_owned()));
            let drawn =
                Expr::Call(Function::RandomInteger { digits: 0 }, vec![first, Expr::ListLength(list)]);
            return Some(Expr::Item { list, index: Box::new(drawn) }.into());
        }
        let has_several = |name: &&&str| list(name).is_some() || self.is_ever_set(&format!("{name}_matchNr"));
        if names.is_empty() || names.iter().any(|name| has_several(&name)) {
            return None;
        }
        let choices = names.into_iter().map(|name| self.variable(name)).collect();
        Some(Template::call(Function::Pick, choices))
    }

    fn text_function(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        let mut first = || vec![self.argument(object, call, 0)];
        let (function, arguments, variable) = match call.name.as_str() {
            "__urlencode" => (Function::Form, first(), usize::MAX),
            "__urldecode" => (Function::Decode, first(), usize::MAX),
            "__escapeHtml" => (Function::HtmlText, first(), usize::MAX),
            "__unescapeHtml" => (Function::UnescapeHtml, first(), usize::MAX),
            "__escapeXml" => (Function::XmlText, first(), usize::MAX),
            "__digest" => return self.digest(object, call),
            "__MD5" => (Function::Digest(DigestAlgorithm::Md5), first(), 1),
            "__base64Encode" => (Function::Base64, first(), 1),
            "__base64Decode" => (Function::Base64Decode, first(), 1),
            "__uppercase" | "__toUpperCase" => (Function::Upper, first(), 1),
            "__lowercase" | "__toLowerCase" => (Function::Lower, first(), 1),
            "__changeCase" => return self.changed_case(object, call),
            "__intSum" | "__longSum" => {
                // The last argument is a variable unless it is a number.
                let last = call.arguments.last()?.as_literal().unwrap_or("0");
                let named = last.parse::<i64>().is_err();
                let count = call.arguments.len() - usize::from(named);
                let terms = (0..count).map(|at| self.argument(object, call, at)).collect();
                (Function::Sum, terms, if named { count } else { usize::MAX })
            }
            _ => return None,
        };
        Some(self.kept(object, call, variable, Template::call(function, arguments)))
    }

    /// `${__digest(SHA-256,text,salt,true,name)}`: the salt follows the text, and with `true` the digits have large letters.
    fn digest(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        let algorithm = DigestAlgorithm::of_java(&self.fixed(call.arguments.first()?)?)?;
        let mut text = self.argument(object, call, 1);
        text.append(self.argument(object, call, 2));
        let large = call.arguments.get(3).map_or(Some(String::new()), |large| self.fixed(large))?;
        let digest = Template::call(Function::Digest(algorithm), vec![text]);
        let value = match large.eq_ignore_ascii_case("true") {
            true => Template::call(Function::Upper, vec![digest]),
            false => digest,
        };
        Some(self.kept(object, call, 4, value))
    }

    fn changed_case(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        let value = self.argument(object, call, 0);
        let mode = call.arguments.get(1).map_or(Some(String::new()), |mode| self.fixed(mode))?;
        let value = match mode.to_ascii_uppercase().as_str() {
            "" | "UPPER" => Template::call(Function::Upper, vec![value]),
            "LOWER" => Template::call(Function::Lower, vec![value]),
            "CAPITALIZE" => Template::call(Function::Capitalize, vec![value]),
            _ => value,
        };
        Some(self.kept(object, call, 2, value))
    }

    fn script_or_property(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        match call.name.as_str() {
            "__jexl2" => Some(self.script_function(object, call, Dialect::Jexl2)),
            "__jexl3" => Some(self.script_function(object, call, Dialect::Jexl)),
            "__groovy" => Some(self.script_function(object, call, Dialect::Groovy)),
            "__BeanShell" => Some(self.script_function(object, call, Dialect::BeanShell)),
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
            "__V" => self.computed_variable(object, call)?,
            "__evalVar" => self.evaluated_variable(object, call)?,
            "__eval" => self.evaluated(object, call)?,
            "__log" => self.argument(object, call, 0),
            "__logn" => Template::default(),
            "__isVarDefined" => {
                let name = self.fixed(call.arguments.first()?)?;
                let variable = self.program.variables.define(&name);
                Template::call(Function::IsSet(variable), Vec::new())
            }
            "__CSVRead" => self.cell_of_file(object, call)?,
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

    /// `${__V(name_${n},default)}` is the value of the variable whose name is computed, or the default; without one it is the name.
    fn computed_variable(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        let name = call.arguments.first()?;
        let default = match call.arguments.get(1) {
            Some(default) => self.compound(object, default),
            None => self.compound(object, name),
        };
        match self.fixed(name) {
            Some(fixed) if self.fixed.contains_key(fixed.as_str()) => Some(self.variable(&fixed)),
            Some(fixed) => Some(self.named_variable(Template::literal(&fixed), default)),
            None => {
                let name = self.compound(object, name);
                Some(self.named_variable(name, default))
            }
        }
    }

    /// The value of a variable, in which variables and functions are replaced again.
    fn evaluated_variable(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        let name = self.fixed(call.arguments.first()?)?;
        if let Some(value) = self.fixed.get(&name).cloned().filter(|_| !self.from_environment.contains(&name))
        {
            return Some(self.template(object, &value));
        }
        self.is_plain(&name).then(|| self.named_variable(Template::literal(&name), Template::default()))
    }

    /// A text in which variables and functions are replaced, and in what comes of that once more.
    fn evaluated(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        let argument = call.arguments.first()?.clone();
        if let Some(text) = self.fixed(&argument) {
            return Some(self.template(object, &text));
        }
        let is_plain = |piece: &Piece| match piece {
            Piece::Literal(text) => !text.contains("${"),
            Piece::Variable(name) => self.is_plain(name),
            Piece::Call(_) => true,
        };
        argument.pieces.iter().all(is_plain).then(|| self.compound(object, &argument))
    }

    /// Whether no value that a file gives the variable has variables or functions in it.
    fn is_plain(&self, name: &str) -> bool {
        let Some(slot) = self.program.variables.find(name) else {
            return true;
        };
        self.program.data.iter().all(|data| {
            let column = data.columns.iter().position(|column| *column == slot);
            column.is_none_or(|column| {
                (0..data.rows.len()).all(|row| !data.rows.cell(row, column).contains("${"))
            })
        })
    }

    /// `${__CSVRead(file,column)}` is a cell of the user's row, which it takes with its first call, and with the first call behind
    /// `${__CSVRead(file,next)}`. Users take rows in turn, and behind the last row the first one.
    fn cell_of_file(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        let path = self.fixed(call.arguments.first()?)?;
        let column = self.fixed(call.arguments.get(1)?)?;
        if path.starts_with('*') {
            return None;
        }
        let source = self.source_of_cells(object, path.trim())?;
        if column.trim().eq_ignore_ascii_case("next") {
            let first = *self.program.data[source].columns.first()?;
            let name = self.program.variables.name(first).to_owned();
            return Some(self.forget_variable(&name));
        }
        let columns = &self.program.data[source].columns;
        let (first, slot) = (*columns.first()?, *columns.get(column.trim().parse::<usize>().ok()?)?);
        let has_row = Box::new(Expr::Call(Function::IsSet(first), Vec::new()));
        let take = Box::new(Expr::Call(Function::NextRow(source), Vec::new()));
        let mut value = Template::from(Expr::Choice(has_row, Box::new(Expr::literal("")), take));
        value.append(Template::variable(slot));
        Some(value)
    }

    /// The data source of a file that `__CSVRead` reads.
    fn source_of_cells(&mut self, object: &Object, path: &str) -> Option<usize> {
        let name = format!("__CSVRead({path})");
        if let Some(known) = self.program.data.iter().position(|known| known.name == name) {
            return Some(known);
        }
        let content = self.file_text(object, path)?;
        let delimiter = self.settings.properties.get("csvread.delimiter").map_or(",", String::as_str);
        let lines: Vec<Vec<&str>> = content.lines().map(|line| line.split(delimiter).collect()).collect();
        let width = lines.iter().map(Vec::len).max().unwrap_or(0);
        let mut rows = Rows::new(width);
        lines.into_iter().for_each(|cells| rows.push(cells));
        let columns = (0..width).map(|at| self.program.variables.define(&format!("{name} {at}"))).collect();
        let (sharing, at_end) = (RowSharing::Shared, AtEnd::Recycle);
        self.program.data.push(DataSource { name, columns, rows, sharing, at_end });
        Some(self.program.data.len() - 1)
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
