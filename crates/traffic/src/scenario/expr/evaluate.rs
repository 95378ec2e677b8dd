//! Evaluates expressions and runs scripts.

use super::conversion::converted;
use super::methods::method;
use super::operators::{binary, json_order};
use super::{
    AnswerParts, BinaryOperator, Comparison, Dialect, Expr, ExprHost, Function, LONGEST_LOOP, ResponsePart,
    ScriptEffects, ScriptFailure, ScriptRun, ScriptValue, Snippet, Statement, Template, UnaryOperator,
};
use ScriptValue::{Bool, Float, Int, Integer, Null, Text};
use model::units::Nanos;

/// What a statement leads to.
enum Flow {
    /// The next statement follows; the value is the statement's.
    Next(ScriptValue),
    /// The script ends with this value.
    Ended(ScriptValue),
}

/// Evaluates by the rules of one dialect: a text, a filter, or a run of a script.
pub(super) struct Evaluator<'a, 'h, H> {
    pub(super) host: &'h mut H,
    pub(super) dialect: Dialect,
    pub(super) holes: &'a [Template],
    locals: Vec<(&'a str, ScriptValue)>,
    answer: Option<AnswerParts<'h>>,
    effects: ScriptEffects,
}

type Value = Result<ScriptValue, ScriptFailure>;

impl Snippet {
    /// Runs the script, behind an answer if one is given.
    pub fn run<H: ExprHost>(&self, host: &mut H, answer: Option<AnswerParts<'_>>) -> ScriptRun {
        let mut run = Evaluator { holes: &self.holes, answer, ..Evaluator::new(host, self.dialect) };
        let value = run.statements(&self.statements).map(|flow| match flow {
            Flow::Next(value) | Flow::Ended(value) => value,
        });
        ScriptRun { value, effects: run.effects }
    }
}

impl Expr {
    /// Whether a condition of a scenario holds.
    pub fn holds<H: ExprHost>(&self, host: &mut H) -> bool {
        Evaluator::new(host, Dialect::Text).truth(self).unwrap_or(false)
    }

    /// Whether a filter of a JSONPath holds for the value that the host tests.
    pub fn holds_in_json<H: ExprHost>(&self, host: &mut H) -> bool {
        Evaluator::new(host, Dialect::JsonPath).truth(self).unwrap_or(false)
    }
}

impl<'a, 'h, H: ExprHost> Evaluator<'a, 'h, H> {
    pub(super) fn new(host: &'h mut H, dialect: Dialect) -> Self {
        Self {
            host,
            dialect,
            holes: &[],
            locals: Vec::new(),
            answer: None,
            effects: ScriptEffects::default(),
        }
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
                self.assign(name, value.clone());
                Ok(Flow::Next(value))
            }
            Statement::Value(expression) => Ok(Flow::Next(self.value(expression)?)),
            Statement::Return(expression) => Ok(Flow::Ended(self.value(expression)?)),
            Statement::If(condition, then, otherwise) => {
                let branch = if self.truth(condition)? { then } else { otherwise };
                match self.statements(branch)? {
                    // Only a statement that stands for itself has a value in BeanShell.
                    Flow::Next(_) if self.dialect == Dialect::BeanShell => Ok(Flow::Next(Null)),
                    flow => Ok(flow),
                }
            }
            Statement::While(condition, body) => self.repeat(condition, body),
            Statement::ForEach(name, list, body) => self.for_each(name, list, body),
            Statement::Append(name, item) => {
                let item = self.value(item)?;
                match self.locals.iter_mut().find(|(known, _)| known == name) {
                    Some((_, ScriptValue::List(items))) if items.len() < LONGEST_LOOP => items.push(item),
                    _ => return Err(ScriptFailure(format!("`{name}` is no list to which a value fits"))),
                }
                Ok(Flow::Next(Null))
            }
            Statement::Try(body, otherwise) => match self.statements(body) {
                Ok(flow) => Ok(flow),
                Err(_) => self.statements(otherwise),
            },
            Statement::Throw(message) => Err(ScriptFailure(self.text_of(message)?)),
            Statement::Assert(condition, message) => {
                if !self.truth(condition)? {
                    let message = self.text_of(message)?;
                    self.effects.verdict = Some((false, message));
                    return Ok(Flow::Ended(Null));
                }
                Ok(Flow::Next(Null))
            }
        }
    }

    fn assign(&mut self, name: &'a str, value: ScriptValue) {
        match self.locals.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.locals.push((name, value)),
        }
    }

    fn for_each(
        &mut self,
        name: &'a str,
        list: &'a Expr,
        body: &'a [Statement],
    ) -> Result<Flow, ScriptFailure> {
        let items = match self.value(list)? {
            ScriptValue::List(items) => items,
            Null if self.dialect == Dialect::Groovy => Vec::new(),
            Text(text) if self.dialect == Dialect::Groovy => {
                text.chars().map(|c| Text(c.to_string())).collect()
            }
            _ => return Err(ScriptFailure("a loop goes over something that is no list".to_owned())),
        };
        for item in items {
            self.assign(name, item);
            if let Flow::Ended(value) = self.statements(body)? {
                return Ok(Flow::Ended(value));
            }
        }
        Ok(Flow::Next(Null))
    }

    fn repeat(&mut self, condition: &'a Expr, body: &'a [Statement]) -> Result<Flow, ScriptFailure> {
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

    pub(super) fn truth(&mut self, expression: &'a Expr) -> Result<bool, ScriptFailure> {
        match (self.dialect, expression) {
            (Dialect::Text, Expr::Variable(slot)) if self.host.variable(*slot).is_none() => Ok(false),
            (Dialect::JsonPath, Expr::At(path)) => Ok(self.host.at(path).is_some()),
            (Dialect::BeanShell, _) => match self.value(expression)? {
                Bool(holds) => Ok(holds),
                other => Err(ScriptFailure(format!("`{}` is no truth value", other.to_text(self.dialect)))),
            },
            _ => match self.value(expression)? {
                Null if self.dialect.is_jexl() => Err(ScriptFailure("null is no truth value".to_owned())),
                value => Ok(value.is_true(self.dialect)),
            },
        }
    }

    fn text_of(&mut self, expression: &'a Expr) -> Result<String, ScriptFailure> {
        Ok(self.value(expression)?.to_text(self.dialect))
    }

    pub(super) fn value(&mut self, expression: &'a Expr) -> Value {
        match expression {
            Expr::Constant(value) => Ok(value.clone()),
            Expr::Hole(index) => {
                let text = self.hole(*index);
                ScriptValue::of_literal(&text, self.dialect)
                    .ok_or_else(|| ScriptFailure(format!("`{text}` stands where a value is expected")))
            }
            Expr::Local(name) => {
                let found = self.locals.iter().find(|(known, _)| known == name);
                found
                    .map(|(_, value)| value.clone())
                    .ok_or_else(|| ScriptFailure(format!("`{name}` has no value")))
            }
            Expr::At(path) => {
                self.host.at(path).ok_or_else(|| ScriptFailure("the path leads to nothing".to_owned()))
            }
            Expr::Unary(UnaryOperator::Not, operand) => Ok(Bool(!self.truth(operand)?)),
            Expr::Unary(UnaryOperator::Minus, operand) => match self.value(operand)? {
                Int(value) => Ok(Int(value.wrapping_neg())),
                Integer(value) => Ok(Integer(value.wrapping_neg())),
                ScriptValue::Decimal(value) => Ok(ScriptValue::Decimal(value.negated())),
                value => Ok(Float(-number(&value)?)),
            },
            Expr::Binary(operator, left, right) => self.binary(*operator, left, right),
            Expr::Choice(condition, then, otherwise) => {
                let chosen = if self.truth(condition)? { then } else { otherwise };
                self.value(chosen)
            }
            Expr::List(items) => Ok(ScriptValue::List(self.values(items)?)),
            Expr::Call(function, arguments) if !function.is_written() => self.call(function, arguments),
            _ => {
                let mut text = Vec::new();
                self.write(expression, &mut text)?;
                Ok(Text(string(text)))
            }
        }
    }

    fn values(&mut self, expressions: &'a [Expr]) -> Result<Vec<ScriptValue>, ScriptFailure> {
        expressions.iter().map(|expression| self.value(expression)).collect()
    }

    fn hole(&mut self, index: usize) -> String {
        let mut text = Vec::new();
        if let Some(hole) = self.holes.get(index) {
            hole.write(self.host, &mut text);
        }
        string(text)
    }

    fn regex(&mut self, pattern: &str, text: &[u8], whole: bool) -> Value {
        match self.host.regex(pattern, text, whole) {
            Some(found) => Ok(Bool(found)),
            None if self.dialect == Dialect::Text || self.dialect == Dialect::JsonPath => Ok(Bool(false)),
            None => Err(ScriptFailure(format!("`{pattern}` is no regular expression"))),
        }
    }

    fn binary(&mut self, operator: BinaryOperator, left: &'a Expr, right: &'a Expr) -> Value {
        let dialect = self.dialect;
        match (operator, dialect) {
            (BinaryOperator::And | BinaryOperator::Or, Dialect::JavaScript) => {
                // JavaScript's operators give an operand, and the others' a truth value.
                let first = self.value(left)?;
                let ends = first.is_true(dialect) == (operator == BinaryOperator::Or);
                if ends { Ok(first) } else { self.value(right) }
            }
            (BinaryOperator::And, _) => Ok(Bool(self.truth(left)? && self.truth(right)?)),
            (BinaryOperator::Or, _) => Ok(Bool(self.truth(left)? || self.truth(right)?)),
            (BinaryOperator::Elvis, _) => {
                let first = self.value(left)?;
                if first.is_true(dialect) { Ok(first) } else { self.value(right) }
            }
            (_, Dialect::Text) => self.of_texts(operator, left, right),
            (BinaryOperator::Compare(how), Dialect::JsonPath) => Ok(Bool(self.json_fits(how, left, right))),
            (BinaryOperator::Finds, Dialect::JsonPath) => match self.value(left) {
                Ok(Text(text)) => {
                    let pattern = self.text_of(right)?;
                    self.regex(&pattern, text.as_bytes(), false)
                }
                _ => Ok(Bool(false)),
            },
            (BinaryOperator::Finds | BinaryOperator::Matches, _) => {
                let (text, pattern) = (self.text_of(left)?, self.text_of(right)?);
                self.regex(&pattern, text.as_bytes(), operator == BinaryOperator::Matches)
            }
            _ => binary(dialect, operator, &self.value(left)?, &self.value(right)?),
        }
    }

    /// What leads to nothing has no order.
    fn json_fits(&mut self, how: Comparison, left: &'a Expr, right: &'a Expr) -> bool {
        let (left, right) = (self.value(left).ok(), self.value(right).ok());
        how.fits(left.zip(right).and_then(|(left, right)| json_order(&left, &right)))
    }

    /// Operators of texts look at bytes, so that a text that is no UTF-8 stays what it is.
    fn of_texts(&mut self, operator: BinaryOperator, left: &'a Expr, right: &'a Expr) -> Value {
        let (text, other) = (self.rendered(left)?, self.rendered(right)?);
        let value = match operator {
            BinaryOperator::Compare(how) => Ok(Bool(how.holds(&text, &other))),
            BinaryOperator::Contains => {
                Ok(Bool(other.is_empty() || text.windows(other.len()).any(|window| window == other)))
            }
            BinaryOperator::Finds | BinaryOperator::Matches => {
                let whole = operator == BinaryOperator::Matches;
                self.regex(&String::from_utf8_lossy(&other), &text, whole)
            }
            operator => Err(ScriptFailure(format!("{operator:?} is no operator of texts"))),
        };
        self.host.keep_buffer(text);
        self.host.keep_buffer(other);
        value
    }

    fn call(&mut self, function: &Function, arguments: &'a [Expr]) -> Value {
        match function {
            Function::Time(_) => Ok(Integer(self.moment(arguments)?)),
            Function::Sum => {
                let mut sum = 0_i64;
                for argument in arguments {
                    sum += self.whole(argument)?;
                }
                Ok(Integer(sum))
            }
            Function::UserNumber => Ok(ScriptValue::whole(self.host.user_number() as i64, self.dialect)),
            Function::Iteration => Ok(Integer(self.host.iteration() as i64)),
            Function::Session => Ok(Integer(self.host.session() as i64)),
            Function::Succeeded => Ok(Bool(self.host.last_ok())),
            Function::NextRow(source) => {
                self.host.next_row(*source);
                Ok(Null)
            }
            Function::IsSet(slot) => Ok(Bool(self.host.variable(*slot).is_some())),
            Function::Response(part) => Ok(match self.response(*part) {
                Some(text) => Text(text),
                None if self.dialect == Dialect::Text => Text(String::new()),
                None => Null,
            }),
            _ => {
                let arguments = self.values(arguments)?;
                self.script_call(function, &arguments)
            }
        }
    }

    /// The present time in milliseconds since 1970, shifted by the argument if there is one.
    pub(super) fn moment(&mut self, arguments: &'a [Expr]) -> Result<i64, ScriptFailure> {
        let shift = arguments.first().map(|shift| self.whole(shift)).transpose()?;
        Ok(self.host.now() + shift.unwrap_or(0))
    }

    fn response(&mut self, part: ResponsePart) -> Option<String> {
        match self.answer {
            Some(answer) => Some(answer(part)),
            None => {
                let status = self.host.last_status();
                status.filter(|_| part == ResponsePart::Status).map(|status| status.to_string())
            }
        }
    }

    /// Functions that know variables, properties and answers.
    fn script_call(&mut self, function: &Function, arguments: &[ScriptValue]) -> Value {
        let dialect = self.dialect;
        let value = |at: usize| arguments.get(at).cloned().unwrap_or(Null);
        let text = |at: usize| value(at).to_text(dialect);
        match function {
            Function::Variable => return Ok(self.host.named_variable(&text(0)).map_or(Null, Text)),
            Function::Property => return Ok(self.host.property(&text(0)).map_or(value(1), Text)),
            Function::FormatTime => {
                let (pattern, at) = (text(0), number(&value(1))? as i64);
                return self.format_time(&pattern, at);
            }
            Function::PutVariable
                if dialect != Dialect::JavaScript && !matches!(value(1), Null | Text(_)) =>
            {
                return Err(ScriptFailure(format!("the value of {} is no text", text(0))));
            }
            Function::PutVariable => {
                let put = (value(1) != Null).then(|| text(1));
                self.host.put_named(&text(0), put);
            }
            Function::RemoveVariable => {
                let old = self.host.named_variable(&text(0));
                self.host.put_named(&text(0), None);
                return Ok(old.map_or(Null, Text));
            }
            Function::Json => {
                let value = self.host.json(&text(0), &text(1), dialect);
                return value.ok_or_else(|| ScriptFailure(format!("`{}` leads to no simple value", text(1))));
            }
            Function::ReplaceMatches { all } => {
                let replaced = self.host.replaced(&text(1), &text(0), &text(2), *all);
                let wrong = || ScriptFailure(format!("`{}` is no regular expression", text(1)));
                return replaced.filter(|_| value(0) != Null).map(Text).ok_or_else(wrong);
            }
            Function::JsonKind => {
                let kind = self.host.json_kind(&text(0), &text(1));
                let no_json = || ScriptFailure("a text is no JSON".to_owned());
                return kind.map(|kind| Text(kind.to_owned())).ok_or_else(no_json);
            }
            Function::PutProperty => self.host.put_property(&text(0), text(1)),
            Function::SetSucceeded => {
                self.effects.verdict = Some((value(0).is_true(dialect), String::new()));
            }
            Function::Fail => self.effects.verdict = Some((false, text(0))),
            Function::Sleep => {
                let milliseconds = number(&value(0))?.max(0.0) as u64;
                self.effects.sleep = self.effects.sleep + Nanos(milliseconds.saturating_mul(1_000_000));
            }
            Function::Nothing => {}
            _ => return self.of_numbers(function, arguments),
        }
        Ok(if dialect == Dialect::JavaScript { Text("undefined".to_owned()) } else { Null })
    }

    fn format_time(&mut self, pattern: &str, at: i64) -> Value {
        let wrong = |_| ScriptFailure(format!("`{pattern}` is no pattern of a time"));
        let parts = crate::scenario::TimePart::parse(pattern).map_err(wrong)?;
        let mut text = Vec::new();
        crate::scenario::write_time(&parts, at, self.host.utc_offset(), &mut text);
        Ok(Text(string(text)))
    }

    /// Functions that compute a number from numbers, or draw one.
    fn of_numbers(&mut self, function: &Function, arguments: &[ScriptValue]) -> Value {
        let dialect = self.dialect;
        let given = |at: usize| number(arguments.get(at).unwrap_or(&Null));
        // Java's functions give numbers with a fraction where JavaScript's have one kind of number.
        let rounded = |value: f64| match dialect.is_java() {
            true => Ok(Float(value)),
            false => Ok(Integer(value as i64)),
        };
        let same_kind = |value: f64| match arguments {
            _ if arguments.iter().all(|given| matches!(given, Int(_))) => Ok(Int(value as i32)),
            _ if arguments.iter().all(|given| matches!(given, Int(_) | Integer(_))) => {
                Ok(Integer(value as i64))
            }
            [Int(_) | Integer(_), ScriptValue::Decimal(_)]
            | [ScriptValue::Decimal(_), Int(_) | Integer(_)] => {
                Err(ScriptFailure("Groovy finds no method for these kinds of numbers".to_owned()))
            }
            _ if dialect == Dialect::JavaScript && value.fract() == 0.0 => Ok(Integer(value as i64)),
            _ => Ok(Float(value)),
        };
        match function {
            Function::Random => Ok(Float(self.host.below(1 << 53) as f64 / (1_u64 << 53) as f64)),
            Function::RandomBetween => {
                let (from, to) = (given(0)? as i64, given(1)? as i64);
                let span = to.checked_sub(from).filter(|span| *span > 0);
                let span =
                    span.ok_or_else(|| ScriptFailure(format!("no number is from {from} up to {to}")))?;
                Ok(ScriptValue::whole(from + self.host.below(span as u64) as i64, dialect))
            }
            Function::Number(conversion, kind) => {
                converted(dialect, *conversion, *kind, arguments.first().unwrap_or(&Null))
            }
            Function::ToBool => Ok(Bool(arguments.first().is_some_and(|value| value.is_true(dialect)))),
            Function::Floor => rounded(given(0)?.floor()),
            Function::Round => Ok(Integer((given(0)? + 0.5).floor() as i64)),
            Function::Ceiling => rounded(given(0)?.ceil()),
            Function::Absolute => same_kind(given(0)?.abs()),
            Function::Minimum => same_kind(given(0)?.min(given(1)?)),
            Function::Maximum => same_kind(given(0)?.max(given(1)?)),
            other => method(self.dialect, other, arguments),
        }
    }

    /// The whole number that an expression gives. In the dialect of texts, what is none counts as 0.
    pub(super) fn whole(&mut self, expression: &'a Expr) -> Result<i64, ScriptFailure> {
        if self.dialect != Dialect::Text {
            return Ok(number(&self.value(expression)?)? as i64);
        }
        if let Some(text) = expression.as_literal() {
            return Ok(text.trim().parse().unwrap_or(0));
        }
        let text = self.rendered(expression)?;
        let number = std::str::from_utf8(&text).ok().and_then(|text| text.trim().parse().ok());
        self.host.keep_buffer(text);
        Ok(number.unwrap_or(0))
    }
}

/// The text; what is no UTF-8 in it is replaced.
pub(super) fn string(text: Vec<u8>) -> String {
    String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn number(value: &ScriptValue) -> Result<f64, ScriptFailure> {
    value.as_number().ok_or_else(|| ScriptFailure("a number was expected".to_owned()))
}
