//! Runs a [`Snippet`].

use super::methods::method;
use super::operators::binary;
use super::{
    BinaryOperator, Dialect, Expression, LONGEST_LOOP, ScriptFailure, ScriptFunction, ScriptHost,
    ScriptValue, Snippet, Statement, TextMethod, UnaryOperator,
};
use ScriptValue::{Bool, Float, Integer, Null, Text};

/// What a statement leads to.
enum Flow {
    /// The next statement follows; the value is the statement's.
    Next(ScriptValue),
    /// The script ends with this value.
    Ended(ScriptValue),
}

/// A run of a script.
struct Run<'a> {
    snippet: &'a Snippet,
    host: &'a mut dyn ScriptHost,
    locals: Vec<(&'a str, ScriptValue)>,
}

impl Snippet {
    /// Runs the script and returns its value.
    ///
    /// # Errors
    ///
    /// [`ScriptFailure`] where the language would raise an exception. What the script did before stays done.
    pub fn run(&self, host: &mut dyn ScriptHost) -> Result<ScriptValue, ScriptFailure> {
        let mut run = Run { snippet: self, host, locals: Vec::new() };
        match run.statements(&self.statements)? {
            Flow::Next(value) | Flow::Ended(value) => Ok(value),
        }
    }

    /// Runs the script and returns its value as text: empty for no value, and for a script that failed.
    pub fn text(&self, host: &mut dyn ScriptHost) -> String {
        match self.run(host) {
            Ok(Null) | Err(_) => String::new(),
            Ok(value) => value.to_text(self.dialect),
        }
    }

    /// Returns whether the value is true, by the rules of the language. A script that failed is not.
    pub fn is_true(&self, host: &mut dyn ScriptHost) -> bool {
        self.run(host).is_ok_and(|value| value.is_true(self.dialect))
    }
}

impl<'a> Run<'a> {
    fn dialect(&self) -> Dialect {
        self.snippet.dialect
    }

    fn statements(&mut self, statements: &'a [Statement]) -> Result<Flow, ScriptFailure> {
        let mut last = Null;
        for statement in statements {
            match self.statement(statement)? {
                Flow::Next(value) => last = value,
                ended => return Ok(ended),
            }
        }
        Ok(Flow::Next(last))
    }

    fn statement(&mut self, statement: &'a Statement) -> Result<Flow, ScriptFailure> {
        match statement {
            Statement::Assign(name, expression) => {
                let value = self.value(expression)?;
                match self.locals.iter_mut().find(|(known, _)| known == name) {
                    Some((_, old)) => *old = value.clone(),
                    None => self.locals.push((name, value.clone())),
                }
                Ok(Flow::Next(value))
            }
            Statement::Value(expression) => Ok(Flow::Next(self.value(expression)?)),
            Statement::Return(expression) => Ok(Flow::Ended(self.value(expression)?)),
            Statement::If(condition, then, otherwise) => {
                let branch = if self.truth(condition)? { then } else { otherwise };
                self.statements(branch)
            }
            Statement::While(condition, body) => self.repeat(condition, body),
            Statement::Assert(condition, message) => {
                if !self.truth(condition)? {
                    let message = self.text_of(message)?;
                    self.host.set_succeeded(false, &message);
                    return Ok(Flow::Ended(Null));
                }
                Ok(Flow::Next(Null))
            }
        }
    }

    fn repeat(&mut self, condition: &'a Expression, body: &'a [Statement]) -> Result<Flow, ScriptFailure> {
        for _ in 0..LONGEST_LOOP {
            if !self.truth(condition)? {
                return Ok(Flow::Next(Null));
            }
            if let Flow::Ended(value) = self.statements(body)? {
                return Ok(Flow::Ended(value));
            }
        }
        Err(ScriptFailure(format!("a loop did not end after {LONGEST_LOOP} turns")))
    }

    fn truth(&mut self, expression: &'a Expression) -> Result<bool, ScriptFailure> {
        Ok(self.value(expression)?.is_true(self.snippet.dialect))
    }

    fn text_of(&mut self, expression: &'a Expression) -> Result<String, ScriptFailure> {
        Ok(self.value(expression)?.to_text(self.snippet.dialect))
    }

    fn value(&mut self, expression: &'a Expression) -> Result<ScriptValue, ScriptFailure> {
        match expression {
            Expression::Constant(value) => Ok(value.clone()),
            Expression::Hole(index) => {
                let text = self.hole(*index);
                ScriptValue::of_literal(&text)
                    .ok_or_else(|| ScriptFailure(format!("`{text}` stands where a value is expected")))
            }
            Expression::HoleText(index) => Ok(Text(self.hole(*index))),
            Expression::Quoted(parts) => {
                let mut text = String::new();
                for part in parts {
                    text.push_str(&self.text_of(part)?);
                }
                Ok(Text(text))
            }
            Expression::Local(name) => {
                let found = self.locals.iter().find(|(known, _)| known == name);
                found
                    .map(|(_, value)| value.clone())
                    .ok_or_else(|| ScriptFailure(format!("`{name}` has no value")))
            }
            Expression::Unary(UnaryOperator::Not, operand) => Ok(Bool(!self.truth(operand)?)),
            Expression::Unary(UnaryOperator::Minus, operand) => match self.value(operand)? {
                Integer(value) => Ok(Integer(-value)),
                value => Ok(Float(-number(&value)?)),
            },
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right),
            Expression::Choice(condition, then, otherwise) => {
                let chosen = if self.truth(condition)? { then } else { otherwise };
                self.value(chosen)
            }
            Expression::List(items) => Ok(ScriptValue::List(self.values(items)?)),
            Expression::Method(TextMethod::Matches, receiver, arguments) => {
                let text = self.text_of(receiver)?;
                let pattern = arguments.first().map(|pattern| self.text_of(pattern));
                self.regex(&pattern.transpose()?.unwrap_or_default(), &text, true)
            }
            Expression::Method(name, receiver, arguments) => {
                let receiver = self.value(receiver)?;
                let arguments = self.values(arguments)?;
                method(self.snippet.dialect, *name, &receiver, &arguments)
            }
            Expression::Function(function, arguments) => {
                let arguments = self.values(arguments)?;
                self.function(*function, &arguments)
            }
        }
    }

    fn values(&mut self, expressions: &'a [Expression]) -> Result<Vec<ScriptValue>, ScriptFailure> {
        expressions.iter().map(|expression| self.value(expression)).collect()
    }

    fn hole(&mut self, index: usize) -> String {
        let hole = self.snippet.holes.get(index);
        hole.map(|hole| self.host.hole(hole)).unwrap_or_default()
    }

    fn regex(&mut self, pattern: &str, text: &str, whole: bool) -> Result<ScriptValue, ScriptFailure> {
        let found = self.host.regex(pattern, text, whole);
        found.map(Bool).ok_or_else(|| ScriptFailure(format!("`{pattern}` is no regular expression")))
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &'a Expression,
        right: &'a Expression,
    ) -> Result<ScriptValue, ScriptFailure> {
        let dialect = self.snippet.dialect;
        let first = self.value(left)?;
        match operator {
            // JavaScript's operators give an operand, and the others' a truth value.
            BinaryOperator::And | BinaryOperator::Or => {
                let ends = first.is_true(dialect) == (operator == BinaryOperator::Or);
                let value = if ends { first } else { self.value(right)? };
                let keeps = dialect == Dialect::JavaScript;
                Ok(if keeps { value } else { Bool(value.is_true(dialect)) })
            }
            BinaryOperator::Elvis => match first.is_true(dialect) {
                true => Ok(first),
                false => self.value(right),
            },
            BinaryOperator::Finds | BinaryOperator::Matches => {
                let pattern = self.text_of(right)?;
                let whole = operator == BinaryOperator::Matches;
                self.regex(&pattern, &first.to_text(dialect), whole)
            }
            _ => binary(dialect, operator, &first, &self.value(right)?),
        }
    }

    fn function(
        &mut self,
        function: ScriptFunction,
        arguments: &[ScriptValue],
    ) -> Result<ScriptValue, ScriptFailure> {
        let dialect = self.dialect();
        let value = |at: usize| arguments.get(at).cloned().unwrap_or(Null);
        let text = |at: usize| value(at).to_text(dialect);
        let optional = |found: Option<String>| found.map_or(Null, Text);
        match function {
            ScriptFunction::Variable => Ok(optional(self.host.variable(&text(0)))),
            ScriptFunction::PutVariable => {
                let put = (value(1) != Null).then(|| text(1));
                self.host.put(&text(0), put);
                Ok(Null)
            }
            ScriptFunction::RemoveVariable => {
                self.host.put(&text(0), None);
                Ok(Null)
            }
            ScriptFunction::Property => Ok(self.host.property(&text(0)).map_or(value(1), Text)),
            ScriptFunction::PutProperty => {
                self.host.put_property(&text(0), text(1));
                Ok(Null)
            }
            ScriptFunction::Response(part) => Ok(optional(self.host.response(part))),
            ScriptFunction::Succeeded => Ok(Bool(self.host.succeeded())),
            ScriptFunction::SetSucceeded => {
                self.host.set_succeeded(value(0).is_true(dialect), "");
                Ok(Null)
            }
            ScriptFunction::Fail => {
                self.host.set_succeeded(false, &text(0));
                Ok(Null)
            }
            ScriptFunction::Sleep => {
                self.host.sleep(number(&value(0))?.max(0.0) as u64);
                Ok(Null)
            }
            ScriptFunction::Nothing => Ok(Null),
            ScriptFunction::FormatTime => {
                let (pattern, at) = (text(0), number(&value(1))? as i64);
                let shown = self.host.format_time(&pattern, at);
                shown.map(Text).ok_or_else(|| ScriptFailure(format!("`{pattern}` is no pattern of a time")))
            }
            ScriptFunction::Now => Ok(Integer(self.host.now())),
            ScriptFunction::UserNumber => Ok(Integer(self.host.user_number() as i64)),
            _ => self.of_numbers(function, arguments),
        }
    }

    /// Functions that compute a number from numbers, or draw something random.
    fn of_numbers(
        &mut self,
        function: ScriptFunction,
        arguments: &[ScriptValue],
    ) -> Result<ScriptValue, ScriptFailure> {
        let given = |at: usize| number(arguments.get(at).unwrap_or(&Null));
        let whole = |value: f64| Ok(Integer(value as i64));
        let same_kind = |value: f64| match arguments.iter().any(|value| matches!(value, Float(_))) {
            true => Ok(Float(value)),
            false => whole(value),
        };
        match function {
            ScriptFunction::Uuid => Ok(Text(self.uuid())),
            ScriptFunction::Random => Ok(Float((self.host.random() >> 11) as f64 / (1u64 << 53) as f64)),
            ScriptFunction::RandomBetween => {
                let (from, to) = (given(0)? as i64, given(1)? as i64);
                let span = to.checked_sub(from).filter(|span| *span > 0);
                let span =
                    span.ok_or_else(|| ScriptFailure(format!("no number is from {from} up to {to}")))?;
                Ok(Integer(from + (self.host.random() % span as u64) as i64))
            }
            ScriptFunction::RandomLetters => Ok(Text(self.random_text(LETTERS, given(0)?))),
            ScriptFunction::RandomAlphanumeric => Ok(Text(self.random_text(ALPHANUMERIC, given(0)?))),
            ScriptFunction::RandomDigits => Ok(Text(self.random_text(DIGITS, given(0)?))),
            ScriptFunction::Floor => whole(given(0)?.floor()),
            ScriptFunction::Round => whole((given(0)? + 0.5).floor()),
            ScriptFunction::Ceiling => whole(given(0)?.ceil()),
            ScriptFunction::Absolute => same_kind(given(0)?.abs()),
            ScriptFunction::Minimum => same_kind(given(0)?.min(given(1)?)),
            ScriptFunction::Maximum => same_kind(given(0)?.max(given(1)?)),
            other => Err(ScriptFailure(format!("{other:?} is no function of numbers"))),
        }
    }

    fn random_text(&mut self, from: &[u8], length: f64) -> String {
        let length = length.clamp(0.0, 1e6) as usize;
        let mut letter = || char::from(from[(self.host.random() % from.len() as u64) as usize]);
        (0..length).map(|_| letter()).collect()
    }

    /// RFC 9562, version 4.
    fn uuid(&mut self) -> String {
        let (high, low) = (self.host.random(), self.host.random());
        let (high, low) = (high & !0xf000 | 0x4000, low >> 2 | 1 << 63);
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xffff,
            low >> 48,
            low & 0xffff_ffff_ffff
        )
    }
}

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS: &[u8] = b"0123456789";
const ALPHANUMERIC: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

fn number(value: &ScriptValue) -> Result<f64, ScriptFailure> {
    value.as_number().ok_or_else(|| ScriptFailure("a number was expected".to_owned()))
}
