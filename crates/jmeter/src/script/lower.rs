//! Turns the tree of a script into [`Statement`]s: finds out what each name and call means.

use super::functions::{self, Meaning};
use super::syntax::{Raw, RawStatement};
use super::token::QuotedPart;
use crate::compound::{Compound, Piece};
use traffic::scenario::{BinaryOperator, Expr, Function, ScriptValue, Statement, Template};

type Lowered<T> = Result<T, String>;

/// What a variable of the script holds.
#[derive(Clone, Debug)]
enum Local {
    Value,
    /// A source of random numbers.
    Random,
    /// A way to write times, by its pattern.
    TimeFormat(Expr),
    /// The last answer, or another object of JMeter, under the name that JMeter gives it.
    Object(&'static str),
}

pub(super) struct Lowering<'a> {
    holes: &'a [Compound],
    locals: Vec<(String, Local)>,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(holes: &'a [Compound]) -> Self {
        Self { holes, locals: Vec::new() }
    }

    pub(super) fn statements(&mut self, raw: &[RawStatement]) -> Lowered<Vec<Statement>> {
        let mut statements = Vec::new();
        for statement in raw {
            statements.extend(self.statement(statement)?);
        }
        Ok(statements)
    }

    /// `None` for a statement that only names an object.
    fn statement(&mut self, raw: &RawStatement) -> Lowered<Option<Statement>> {
        Ok(Some(match raw {
            RawStatement::Assign(target, value) => return self.assign(target, value),
            RawStatement::Value(value) => Statement::Value(self.expression(value)?),
            RawStatement::If(condition, then, otherwise) => Statement::If(
                self.expression(condition)?,
                self.statements(then)?,
                self.statements(otherwise)?,
            ),
            RawStatement::While(condition, body) => {
                Statement::While(self.expression(condition)?, self.statements(body)?)
            }
            RawStatement::Assert(condition, message) => {
                let message = match message {
                    Some(message) => self.expression(message)?,
                    None => Expr::literal("assertion failed"),
                };
                Statement::Assert(self.expression(condition)?, message)
            }
            RawStatement::Return(value) => Statement::Return(match value {
                Some(value) => self.expression(value)?,
                None => Expr::Constant(ScriptValue::Null),
            }),
        }))
    }

    fn assign(&mut self, target: &Raw, value: &Raw) -> Lowered<Option<Statement>> {
        let put = |function, name, value| Ok(Some(Statement::Value(Expr::Call(function, vec![name, value]))));
        match target {
            Raw::Name(name) => {
                if let Some(object) = self.object(value)? {
                    self.declare(name, object);
                    return Ok(None);
                }
                let value = self.expression(value)?;
                if let Some(statement) = functions::failure(name, &value) {
                    return Ok(statement);
                }
                self.declare(name, Local::Value);
                Ok(Some(Statement::Assign(name.clone(), value)))
            }
            Raw::Binary(BinaryOperator::Item, of, key) if **of == Raw::Name("vars".to_owned()) => {
                let (key, value) = (self.expression(key)?, self.expression(value)?);
                put(Function::PutVariable, key, value)
            }
            Raw::Member(of, key) if **of == Raw::Name("vars".to_owned()) => {
                let value = self.expression(value)?;
                put(Function::PutVariable, Expr::literal(key), value)
            }
            Raw::Binary(BinaryOperator::Item, of, key) if **of == Raw::Name("props".to_owned()) => {
                let (key, value) = (self.expression(key)?, self.expression(value)?);
                put(Function::PutProperty, key, value)
            }
            other => Err(shown(other)),
        }
    }

    fn declare(&mut self, name: &str, local: Local) {
        self.locals.retain(|(known, _)| known != name);
        self.locals.push((name.to_owned(), local));
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().find(|(known, _)| known == name).map(|(_, local)| local)
    }

    /// Returns what a variable holds if it is given an object and not a value.
    fn object(&mut self, raw: &Raw) -> Lowered<Option<Local>> {
        match raw {
            Raw::New(class, _) if class == "Random" || class == "SecureRandom" => Ok(Some(Local::Random)),
            Raw::New(class, arguments) if class == "SimpleDateFormat" => {
                let pattern = arguments.first().ok_or_else(|| shown(raw))?;
                Ok(Some(Local::TimeFormat(self.expression(pattern)?)))
            }
            Raw::Call(callee, arguments) => match (path(callee).as_deref(), arguments.as_slice()) {
                (Some("ThreadLocalRandom.current"), []) => Ok(Some(Local::Random)),
                (Some("DateTimeFormatter.ofPattern"), [pattern, ..]) => {
                    Ok(Some(Local::TimeFormat(self.expression(pattern)?)))
                }
                (Some("ctx.getPreviousResult"), []) => Ok(Some(Local::Object("prev"))),
                _ => Ok(None),
            },
            Raw::Name(name) => match (name.as_str(), self.local(name)) {
                (_, Some(Local::Value)) => Ok(None),
                (_, Some(object)) => Ok(Some(object.clone())),
                ("prev" | "SampleResult", None) => Ok(Some(Local::Object("prev"))),
                ("vars", None) => Ok(Some(Local::Object("vars"))),
                ("props", None) => Ok(Some(Local::Object("props"))),
                ("log", None) => Ok(Some(Local::Object("log"))),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn expressions(&mut self, raw: &[Raw]) -> Lowered<Vec<Expr>> {
        raw.iter().map(|raw| self.expression(raw)).collect()
    }

    fn boxed(&mut self, raw: &Raw) -> Lowered<Box<Expr>> {
        Ok(Box::new(self.expression(raw)?))
    }

    fn expression(&mut self, raw: &Raw) -> Lowered<Expr> {
        Ok(match raw {
            Raw::Constant(value) => Expr::Constant(value.clone()),
            Raw::Hole(index) => self.hole_as_local(*index).unwrap_or(Expr::Hole(*index)),
            Raw::Quoted(parts) => self.quoted(parts)?,
            Raw::Unary(operator, operand) => Expr::Unary(*operator, self.boxed(operand)?),
            Raw::Binary(BinaryOperator::Item, of, key) => self.item(of, key)?,
            Raw::Binary(operator, left, right) => {
                Expr::Binary(*operator, self.boxed(left)?, self.boxed(right)?)
            }
            Raw::Choice(condition, then, otherwise) => {
                Expr::Choice(self.boxed(condition)?, self.boxed(then)?, self.boxed(otherwise)?)
            }
            Raw::List(items) => Expr::List(self.expressions(items)?),
            Raw::Cast(value, kind) => {
                functions::cast(self.expression(value)?, kind).ok_or_else(|| format!("`as {kind}`"))?
            }
            Raw::Name(name) => match self.local(name) {
                Some(Local::Value) => Expr::Local(name.clone()),
                _ => functions::name(name).ok_or_else(|| shown(raw))?,
            },
            Raw::New(class, arguments) => match (class.as_str(), arguments.as_slice()) {
                ("Date", []) => Expr::Call(Function::Time(Vec::new()), Vec::new()),
                ("Date" | "String" | "Integer" | "Long", [value]) => self.expression(value)?,
                _ => return Err(shown(raw)),
            },
            Raw::Member(of, name) => self.member(of, name, raw)?,
            Raw::Call(callee, arguments) => self.call(callee, arguments)?,
        })
    }

    /// A `${name}` that JMeter does not know stays in the script, where Groovy takes it for a variable of the script.
    fn hole_as_local(&self, index: usize) -> Option<Expr> {
        match self.holes.get(index)?.pieces.as_slice() {
            [Piece::Variable(name)] if matches!(self.local(name), Some(Local::Value)) => {
                Some(Expr::Local(name.clone()))
            }
            _ => None,
        }
    }

    fn quoted(&mut self, parts: &[QuotedPart]) -> Lowered<Expr> {
        let mut lowered = Vec::new();
        for part in parts {
            match part {
                QuotedPart::Literal(literal) if literal.is_empty() => {}
                QuotedPart::Literal(literal) => lowered.push(Expr::literal(literal)),
                QuotedPart::Hole(index) => {
                    lowered.push(self.hole_as_local(*index).unwrap_or(Expr::HoleText(*index)));
                }
                QuotedPart::Name(name) => lowered.push(self.expression(&Raw::Name(name.clone()))?),
            }
        }
        Ok(match lowered.as_slice() {
            [] => Expr::literal(""),
            [Expr::Constant(_) | Expr::HoleText(_)] => lowered.remove(0),
            _ => {
                let mut text = Template::default();
                lowered.into_iter().for_each(|part| text.push(part));
                Expr::Text(text)
            }
        })
    }

    fn item(&mut self, of: &Raw, key: &Raw) -> Lowered<Expr> {
        let function = match path(of).as_deref() {
            Some("vars") => Function::Variable,
            Some("props") => Function::Property,
            _ => {
                return Ok(Expr::binary(self.expression(of)?, BinaryOperator::Item, self.expression(key)?));
            }
        };
        Ok(Expr::Call(function, vec![self.expression(key)?]))
    }

    fn member(&mut self, of: &Raw, name: &str, whole: &Raw) -> Lowered<Expr> {
        let object = self.receiver_path(of);
        match (object.as_deref(), name) {
            (Some("vars"), _) => return Ok(Expr::Call(Function::Variable, vec![Expr::literal(name)])),
            (Some("props"), _) => {
                return Ok(Expr::Call(Function::Property, vec![Expr::literal(name)]));
            }
            (Some(path), _) => {
                // Groovy calls `getName()` for `name`.
                let mut letters = name.chars();
                let first = letters.next().map(|c| c.to_ascii_uppercase()).unwrap_or_default();
                let getter = format!("{path}.get{first}{}", letters.as_str());
                if let Some(Meaning::Function(function)) = functions::function(&getter, 0) {
                    return Ok(Expr::Call(function, Vec::new()));
                }
            }
            _ => {}
        }
        match name {
            "length" | "size" => Ok(Expr::Call(Function::Length, vec![self.expression(of)?])),
            "time" => self.expression(of),
            _ => Err(shown(whole)),
        }
    }

    /// Returns the path of an object, with the name that JMeter gives it where the script gave it another one.
    fn receiver_path(&self, of: &Raw) -> Option<String> {
        match of {
            Raw::Name(name) => match self.local(name) {
                Some(Local::Object(object)) => Some((*object).to_owned()),
                Some(Local::Value | Local::Random | Local::TimeFormat(_)) => None,
                None => path(of),
            },
            Raw::Call(callee, arguments) if arguments.is_empty() => {
                (path(callee)? == "ctx.getPreviousResult").then(|| "prev".to_owned())
            }
            _ => path(of),
        }
    }

    fn call(&mut self, callee: &Raw, arguments: &[Raw]) -> Lowered<Expr> {
        let unknown = || shown(callee);
        let Raw::Member(of, method) = callee else {
            let name = path(callee).ok_or_else(unknown)?;
            return self.function(&name, arguments)?.ok_or_else(unknown);
        };
        if let Some(path) = self.receiver_path(of) {
            let full = format!("{path}.{method}");
            if let Some(found) = self.function(&full, arguments)? {
                return Ok(found);
            }
        }
        if let Some(found) = self.of_object(of, method, arguments)? {
            return Ok(found);
        }
        if method == "format" || method == "getTime" || method == "toInstant" {
            return self.of_time(of, method, arguments)?.ok_or_else(unknown);
        }
        let found = functions::method(method).ok_or_else(unknown)?;
        let arguments = self.expressions(arguments)?;
        if !functions::takes(&found, &arguments) {
            return Err(unknown());
        }
        Ok(found.call(self.expression(of)?, arguments))
    }

    /// Returns what a function of this name means; `None` for a name that is none.
    fn function(&mut self, name: &str, arguments: &[Raw]) -> Lowered<Option<Expr>> {
        let Some(meaning) = functions::function(name, arguments.len()) else {
            return Ok(None);
        };
        if let Meaning::Function(Function::Nothing) = meaning {
            return Ok(Some(Expr::Call(Function::Nothing, Vec::new())));
        }
        let arguments = self.expressions(arguments)?;
        Ok(meaning.call(arguments))
    }

    /// Methods of a source of random numbers and of a way to write times.
    fn of_object(&mut self, of: &Raw, method: &str, arguments: &[Raw]) -> Lowered<Option<Expr>> {
        let object = match of {
            Raw::Name(name) => self.local(name).cloned(),
            other => self.object(other)?,
        };
        match object {
            Some(Local::Random) => {
                let arguments = self.expressions(arguments)?;
                Ok(functions::random(method, arguments))
            }
            Some(Local::TimeFormat(pattern)) if method == "format" => {
                let [time] = arguments else { return Ok(None) };
                let time = self.expression(time)?;
                Ok(Some(Expr::Call(Function::FormatTime, vec![pattern, time])))
            }
            _ => Ok(None),
        }
    }

    /// Methods of a time, which is a number of milliseconds here.
    fn of_time(&mut self, of: &Raw, method: &str, arguments: &[Raw]) -> Lowered<Option<Expr>> {
        match (method, arguments) {
            ("getTime", []) => Ok(Some(self.expression(of)?)),
            ("format", [pattern]) => {
                let time = self.expression(of)?;
                let pattern = match self.object(pattern)? {
                    Some(Local::TimeFormat(pattern)) => pattern,
                    _ => self.expression(pattern)?,
                };
                Ok(Some(Expr::Call(Function::FormatTime, vec![pattern, time])))
            }
            _ => Ok(None),
        }
    }
}

/// Returns the dotted name of a class or method without its package: `UUID.randomUUID` for `java.util.UUID.randomUUID`.
fn path(raw: &Raw) -> Option<String> {
    let full = full_path(raw)?;
    let parts: Vec<&str> = full.split('.').collect();
    let class = parts.iter().position(|part| part.starts_with(char::is_uppercase));
    Some(match class {
        Some(class) => parts[class..].join("."),
        None => full,
    })
}

fn full_path(raw: &Raw) -> Option<String> {
    match raw {
        Raw::Name(name) => Some(name.clone()),
        Raw::Member(of, name) => Some(format!("{}.{name}", full_path(of)?)),
        _ => None,
    }
}

/// Shows a part of a script that cannot run here.
fn shown(raw: &Raw) -> String {
    match raw {
        Raw::New(class, _) => format!("`new {class}`"),
        Raw::Call(callee, _) => shown(callee),
        Raw::Member(of, name) => match full_path(raw) {
            Some(path) => format!("`{path}`"),
            None => match &**of {
                Raw::New(class, _) => format!("`new {class}().{name}`"),
                _ => format!("`.{name}`"),
            },
        },
        Raw::Name(name) => format!("`{name}`"),
        _ => "an assignment".to_owned(),
    }
}
