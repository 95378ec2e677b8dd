//! Turns the tree of a script into [`Statement`]s: finds out what each name and call means.

mod bytes;
mod declared;
mod loops;

use super::Surroundings;
use super::functions;
use super::kind::{DeclaredKind, KnownKind, kind_of};
use super::moment::{self, DateStyle};
use super::syntax::{self, Raw, RawStatement};
use super::token::{self, QuotedPart, Source};
use crate::compound::{Compound, FunctionCall, Piece};
use traffic::scenario::{
    BinaryOperator, Comparison, Conversion, Dialect, Expr, Function, ScriptValue, Statement, Template,
};

pub(super) type Lowered<T> = Result<T, String>;

/// What a variable of the script holds.
#[derive(Clone, Debug)]
pub(super) enum Local {
    Value(DeclaredKind),
    /// The parameter of a closure, under the name that its variable has here.
    Item(String),
    /// A source of random numbers.
    Random,
    /// A moment, as milliseconds since 1970.
    Moment,
    /// A way to write times, by its pattern.
    TimeFormat(Expr),
    /// A part of a JSON text, with its path.
    Json(Expr, Template),
    /// The last answer, or another object of JMeter, under the name that JMeter gives it.
    Object(&'static str),
}

pub(super) struct Lowering<'a> {
    pub(super) dialect: Dialect,
    surroundings: &'a Surroundings<'a>,
    holes: Vec<Compound>,
    locals: Vec<(String, Local)>,
    /// What has to be done before the present statement; `None` where nothing can be, such as within a condition that may not be evaluated.
    before: Option<Vec<Statement>>,
    /// Whether the present closure belongs to a source of random numbers.
    is_with_random: bool,
    /// The number of names that were made up.
    named: usize,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(holes: Vec<Compound>, dialect: Dialect, surroundings: &'a Surroundings<'a>) -> Self {
        Self {
            dialect,
            surroundings,
            holes,
            locals: Vec::new(),
            before: None,
            is_with_random: false,
            named: 0,
        }
    }

    /// The holes of the script, with those that were added while it was lowered.
    pub(super) fn into_holes(self) -> Vec<Compound> {
        self.holes
    }

    pub(super) fn statements(&mut self, raw: &[RawStatement]) -> Lowered<Vec<Statement>> {
        let mut statements = Vec::new();
        for statement in raw {
            let outer = self.before.replace(Vec::new());
            let lowered = self.statement(statement);
            statements.extend(std::mem::replace(&mut self.before, outer).unwrap_or_default());
            statements.extend(lowered?);
        }
        Ok(statements)
    }

    /// `None` for a statement that only names an object.
    fn statement(&mut self, raw: &RawStatement) -> Lowered<Option<Statement>> {
        Ok(Some(match raw {
            RawStatement::Assign(target, value, declared) => {
                return self.assign(target, value, declared.as_deref());
            }
            RawStatement::Declare(name, kind) => {
                let kind = DeclaredKind::of(kind).ok_or_else(|| format!("`{kind}`"))?;
                self.declare(name, Local::Value(kind));
                Statement::Assign(name.clone(), Expr::Constant(ScriptValue::Null))
            }
            RawStatement::Value(value) => match self.list_statement(value)? {
                Some(statement) => statement,
                None => match self.parsed_for_itself(value)? {
                    Some(statement) => statement,
                    None => Statement::Value(self.expression(value)?),
                },
            },
            RawStatement::ForEach(name, list, body) => self.for_each(name, list, body)?,
            RawStatement::Append(list, item) => self.append(list, item)?,
            RawStatement::If(condition, then, otherwise) => Statement::If(
                self.expression(condition)?,
                self.statements(then)?,
                self.statements(otherwise)?,
            ),
            RawStatement::While(condition, body) => {
                let condition = self.apart(|lowering| lowering.expression(condition))?;
                Statement::While(condition, self.statements(body)?)
            }
            RawStatement::Assert(condition, message) => {
                let message = match message {
                    Some(message) => self.expression(message)?,
                    None => Expr::literal("assertion failed"),
                };
                Statement::Assert(self.expression(condition)?, message)
            }
            RawStatement::Try(body, otherwise) => {
                Statement::Try(self.statements(body)?, self.statements(otherwise)?)
            }
            RawStatement::Throw(Raw::New(_, arguments)) => Statement::Throw(match arguments.as_slice() {
                [message] => self.expression(message)?,
                _ => Expr::literal("the script failed"),
            }),
            RawStatement::Throw(other) => return Err(shown(other)),
            RawStatement::Return(value) => Statement::Return(match value {
                Some(value) => self.expression(value)?,
                None => Expr::Constant(ScriptValue::Null),
            }),
        }))
    }

    fn assign(&mut self, target: &Raw, value: &Raw, declared: Option<&str>) -> Lowered<Option<Statement>> {
        match target {
            Raw::Name(name) => {
                let is_failure = matches!(name.as_str(), "Failure" | "FailureMessage") && declared.is_none();
                if is_failure && self.dialect == Dialect::BeanShell {
                    let value = self.expression(value)?;
                    return Ok(functions::failure(name, &value).flatten());
                }
                if let Some(bytes) = self.assigned_bytes(name, value, declared)? {
                    return Ok(Some(bytes));
                }
                if let Some(object) = self.object(value)? {
                    self.declare(name, object);
                    return Ok(None);
                }
                if let Some((text, path)) = self.json(value)? {
                    return Ok(Some(self.kept_json(name, text, path)));
                }
                if let Some(moment) = self.moment(value)? {
                    self.declare(name, Local::Moment);
                    return Ok(Some(Statement::Assign(name.clone(), moment)));
                }
                let kind = match (declared, self.local(name)) {
                    (Some(kind), _) => DeclaredKind::of(kind).ok_or_else(|| format!("`{kind}`"))?,
                    (None, Some(Local::Value(kind))) if !kind.is_bytes() => *kind,
                    (None, _) => DeclaredKind::Any,
                };
                let value = self.expression(value)?;
                self.declare(name, Local::Value(kind));
                Ok(Some(Statement::Assign(name.clone(), self.of_kind(value, kind, declared.is_some())?)))
            }
            other => Err(shown(other)),
        }
    }

    pub(super) fn declare(&mut self, name: &str, local: Local) {
        self.locals.retain(|(known, _)| known != name);
        self.locals.push((name.to_owned(), local));
    }

    pub(super) fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().find(|(known, _)| known == name).map(|(_, local)| local)
    }

    /// Returns what a variable holds if it is given an object and not a value.
    pub(super) fn object(&mut self, raw: &Raw) -> Lowered<Option<Local>> {
        match raw {
            Raw::New(class, _) if class == "Random" || class == "SecureRandom" => Ok(Some(Local::Random)),
            Raw::New(class, _) if class == "JsonSlurper" => Ok(Some(Local::Object("JsonSlurper"))),
            Raw::New(class, arguments) if class == "SimpleDateFormat" => {
                let pattern = arguments.first().ok_or_else(|| shown(raw))?;
                let pattern = self.expression(pattern)?;
                Ok(Some(Local::TimeFormat(moment::checked(pattern, DateStyle::Simple)?)))
            }
            Raw::Call(callee, arguments) => match (path(callee).as_deref(), arguments.as_slice()) {
                (Some("ThreadLocalRandom.current"), []) => Ok(Some(Local::Random)),
                (Some("DateTimeFormatter.ofPattern"), [pattern, ..]) => {
                    let pattern = self.expression(pattern)?;
                    Ok(Some(Local::TimeFormat(moment::checked(pattern, DateStyle::Formatter)?)))
                }
                (Some("ctx.getPreviousResult"), []) => Ok(Some(Local::Object("prev"))),
                (Some("ctx.getVariables"), []) => Ok(Some(Local::Object("vars"))),
                _ => Ok(None),
            },
            Raw::Name(name) => match (name.as_str(), self.local(name)) {
                (_, Some(Local::Value(_) | Local::Item(_) | Local::Moment | Local::Json(..))) => Ok(None),
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

    pub(super) fn expressions(&mut self, raw: &[Raw]) -> Lowered<Vec<Expr>> {
        raw.iter().map(|raw| self.expression(raw)).collect()
    }

    /// Lowers what is evaluated at another time than the statement in which it stands, or not at all.
    fn apart<T>(&mut self, lower: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let outer = self.before.take();
        let lowered = lower(self);
        self.before = outer;
        lowered
    }

    fn boxed(&mut self, raw: &Raw) -> Lowered<Box<Expr>> {
        Ok(Box::new(self.expression(raw)?))
    }

    /// Lowers what has a value that can be written as a text.
    pub(super) fn expression(&mut self, raw: &Raw) -> Lowered<Expr> {
        match self.bytes(raw) {
            Some(_) => Err("bytes as a text".to_owned()),
            None => self.value(raw),
        }
    }

    /// Lowers what has a value; bytes are the text that they are of.
    fn value(&mut self, raw: &Raw) -> Lowered<Expr> {
        if let Some((text, path)) = self.json(raw)? {
            return Ok(Expr::Call(Function::Json, vec![text, path.into()]));
        }
        Ok(match raw {
            Raw::Constant(value) => Expr::Constant(value.clone()),
            Raw::Hole(index) => self.hole_as_local(*index).unwrap_or(Expr::Hole(*index)),
            Raw::Quoted(parts) => self.quoted(parts)?,
            Raw::Unary(operator, operand) => Expr::Unary(*operator, self.boxed(operand)?),
            Raw::Binary(BinaryOperator::Item, of, key) => self.item(of, key)?,
            Raw::Binary(
                operator @ BinaryOperator::Compare(Comparison::Equal | Comparison::Unequal),
                left,
                right,
            ) => {
                self.check_comparison(left, right)?;
                let [left, right] = [left, right].map(|side| self.compared(side));
                Expr::Binary(*operator, Box::new(left?), Box::new(right?))
            }
            // JEXL's operator compares the whole text.
            Raw::Binary(BinaryOperator::Finds, left, right) if self.dialect.is_jexl() => {
                Expr::Binary(BinaryOperator::Matches, self.boxed(left)?, self.boxed(right)?)
            }
            Raw::Binary(operator @ (BinaryOperator::And | BinaryOperator::Or), left, right) => {
                let left = self.boxed(left)?;
                Expr::Binary(*operator, left, self.apart(|lowering| lowering.boxed(right))?)
            }
            Raw::Binary(operator, left, right) => {
                Expr::Binary(*operator, self.boxed(left)?, self.boxed(right)?)
            }
            Raw::Choice(condition, then, otherwise) => {
                let condition = self.boxed(condition)?;
                let then = self.apart(|lowering| lowering.boxed(then))?;
                Expr::Choice(condition, then, self.apart(|lowering| lowering.boxed(otherwise))?)
            }
            Raw::Range(..) => return Err("a range as a value".to_owned()),
            Raw::Closure(..) => return Err("a closure as a value".to_owned()),
            Raw::List(items) => Expr::List(self.expressions(items)?),
            Raw::Cast(value, conversion, kind) => {
                let value = self.expression(value)?;
                functions::cast(value, *conversion, kind).ok_or_else(|| format!("`as {kind}`"))?
            }
            Raw::Name(name) => match self.local(name) {
                Some(Local::Value(_)) => Expr::Local(name.clone()),
                Some(Local::Item(item)) => Expr::Local(item.clone()),
                Some(Local::Moment) => return Err("a date as a text".to_owned()),
                _ => functions::name(name, self.dialect).ok_or_else(|| shown(raw))?,
            },
            Raw::InstanceOf(of, class) => self.instance_of(of, class)?,
            Raw::New(class, arguments) => self.new_object(class, arguments, raw)?,
            Raw::Member(of, name) => self.member(of, name, raw)?,
            Raw::Call(callee, arguments) => self.call(callee, arguments)?,
        })
    }

    /// Lowers `new Class(arguments)`; `raw` is all of it.
    fn new_object(&mut self, class: &str, arguments: &[Raw], raw: &Raw) -> Lowered<Expr> {
        match (class, arguments) {
            ("Date", _) => Err("a date as a text".to_owned()),
            ("String", [value] | [value, _]) => self.value(value),
            ("ArrayList" | "LinkedList", []) if self.dialect.is_java() => Ok(Expr::List(Vec::new())),
            ("Integer" | "Long" | "Double" | "BigDecimal", [value]) => {
                let value = self.expression(value)?;
                functions::cast(value, Conversion::Parse, class).ok_or_else(|| shown(raw))
            }
            _ => Err(shown(raw)),
        }
    }

    /// A `${name}` that JMeter does not know stays in the script, where Groovy takes it for a variable of the script.
    fn hole_as_local(&self, index: usize) -> Option<Expr> {
        match self.holes.get(index)?.pieces.as_slice() {
            [Piece::Variable(name)] => match self.local(name) {
                Some(Local::Value(kind)) if !kind.is_bytes() => Some(Expr::Local(name.clone())),
                _ => None,
            },
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
                QuotedPart::Code(code) => {
                    let source = Source { text: code.clone(), holes: Vec::new() };
                    let code = syntax::expression(&token::tokens(&source, self.dialect)?, self.dialect)?;
                    lowered.push(self.expression(&code)?);
                }
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
                return Ok(Expr::binary(self.list(of)?, BinaryOperator::Item, self.expression(key)?));
            }
        };
        Ok(Expr::Call(function, vec![self.expression(key)?]))
    }

    /// A value that is compared. In JavaScript, `undefined` equals null.
    fn compared(&mut self, raw: &Raw) -> Lowered<Expr> {
        match raw {
            Raw::Name(name) if name == "undefined" && self.dialect == Dialect::JavaScript => {
                Ok(Expr::Constant(ScriptValue::Null))
            }
            raw => self.expression(raw),
        }
    }

    /// BeanShell compares texts by reference, so that a text that was computed equals none.
    fn check_comparison(&self, left: &Raw, right: &Raw) -> Lowered<()> {
        if self.dialect != Dialect::BeanShell {
            return Ok(());
        }
        let declared = |name: &str| match self.local(name) {
            Some(Local::Value(kind)) => Some(*kind),
            _ => None,
        };
        let kinds = [left, right].map(|side| kind_of(side, &declared));
        match kinds {
            [KnownKind::Plain, _]
            | [_, KnownKind::Plain]
            | [KnownKind::WrittenText, KnownKind::WrittenText] => Ok(()),
            _ => Err("`==` between texts, which compares references".to_owned()),
        }
    }

    fn member(&mut self, of: &Raw, name: &str, whole: &Raw) -> Lowered<Expr> {
        if name == "time"
            && let Some(moment) = self.moment(of)?
        {
            return Ok(moment);
        }
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
                for getter in [&getter, &format!("{path}.is{first}{}", letters.as_str())] {
                    if let Some(found) = self.function(getter, &[])? {
                        return Ok(found);
                    }
                }
            }
            _ => {}
        }
        if let Some(found) = path(whole).and_then(|name| functions::name(&name, self.dialect)) {
            return Ok(found);
        }
        match name {
            "length" | "size" => Ok(Expr::Call(Function::Length, vec![self.expression(of)?])),
            "bytes" if self.dialect == Dialect::Groovy => self.expression(of),
            _ => Err(shown(whole)),
        }
    }

    /// Returns the path of an object, with the name that JMeter gives it where the script gave it another one.
    fn receiver_path(&self, of: &Raw) -> Option<String> {
        match of {
            Raw::Name(name) => match self.local(name) {
                Some(Local::Object(object)) => Some((*object).to_owned()),
                Some(_) => None,
                None => path(of),
            },
            Raw::Call(callee, arguments) if arguments.is_empty() => match path(callee)?.as_str() {
                "ctx.getPreviousResult" => Some("prev".to_owned()),
                "ctx.getVariables" => Some("vars".to_owned()),
                "FileServer.getFileServer" => Some("FileServer".to_owned()),
                getter @ ("ctx.getThreadGroup"
                | "ctx.getThread"
                | "Thread.currentThread"
                | "Base64.getEncoder"
                | "Base64.getDecoder"
                | "Base64.getUrlEncoder") => Some(getter.to_owned()),
                _ => None,
            },
            _ => path(of),
        }
    }

    fn call(&mut self, callee: &Raw, arguments: &[Raw]) -> Lowered<Expr> {
        let unknown = || shown(callee);
        let Raw::Member(of, method) = callee else {
            if let Some(found) = self.of_random(callee, arguments)? {
                return Ok(found);
            }
            let name = path(callee).ok_or_else(unknown)?;
            return self.function(&name, arguments)?.ok_or_else(unknown);
        };
        if let Some(path) = self.receiver_path(of) {
            let full = format!("{path}.{method}");
            if full == "System.getenv" {
                return self.environment(arguments).ok_or_else(unknown);
            }
            if let Some(found) = self.function(&full, arguments)? {
                return Ok(found);
            }
        }
        if let Some(found) = self.of_closure(of, method, arguments)? {
            return Ok(found);
        }
        if let Some(found) = self.of_object(of, method, arguments)? {
            return Ok(found);
        }
        if let Some(found) = self.of_moment(of, method, arguments)? {
            return Ok(found);
        }
        if matches!(method.as_str(), "size" | "length")
            && arguments.is_empty()
            && let Some((text, mut path)) = self.json(of)?
        {
            path.push_literal(".length()");
            return Ok(Expr::Call(Function::Json, vec![text, path.into()]));
        }
        if functions::takes_regex(method, self.dialect) {
            let arguments = self.expressions(arguments)?;
            return functions::of_regex(method, self.list(of)?, &arguments).ok_or_else(unknown);
        }
        let found = functions::method(method, self.dialect).ok_or_else(unknown)?;
        let arguments = self.expressions(arguments)?;
        if !functions::takes(method, &found, &arguments, self.dialect) {
            return Err(unknown());
        }
        let of = match found.takes_bytes() {
            true => self.of_bytes(of)?,
            false => self.list(of)?,
        };
        Ok(found.call(of, arguments))
    }

    /// The value of a variable of the environment, which is put into the script as a function puts it into a text.
    fn environment(&mut self, arguments: &[Raw]) -> Option<Expr> {
        let [Raw::Quoted(parts)] = arguments else {
            return None;
        };
        let [QuotedPart::Literal(name)] = parts.as_slice() else {
            return None;
        };
        if !(self.surroundings.has_environment)(name) {
            return Some(Expr::Constant(ScriptValue::Null));
        }
        let call = FunctionCall {
            name: "__env".to_owned(),
            arguments: vec![Compound::literal(name)],
            source: format!("${{__env({name})}}"),
        };
        self.holes.push(Compound { pieces: vec![Piece::Call(call)] });
        Some(Expr::HoleText(self.holes.len() - 1))
    }

    /// Returns what a function of this name means; `None` for a name that is none.
    fn function(&mut self, name: &str, arguments: &[Raw]) -> Lowered<Option<Expr>> {
        if functions::needs_answer(name) > self.surroundings.answer {
            return Ok(None);
        }
        let Some(meaning) = functions::function(name, arguments.len(), self.dialect) else {
            return Ok(None);
        };
        if meaning.is_nothing() {
            return Ok(Some(Expr::Call(Function::Nothing, Vec::new())));
        }
        let arguments = match meaning.takes_bytes() {
            true => arguments.iter().map(|raw| self.of_bytes(raw)).collect::<Lowered<_>>()?,
            false => self.expressions(arguments)?,
        };
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
                let Some(time) = self.moment(time)? else {
                    return Ok(None);
                };
                Ok(Some(Expr::Call(Function::FormatTime, vec![pattern, time])))
            }
            _ => Ok(None),
        }
    }
}

/// Returns the dotted name of a class or method without its package: `UUID.randomUUID` for `java.util.UUID.randomUUID`.
pub(super) fn path(raw: &Raw) -> Option<String> {
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
pub(super) fn shown(raw: &Raw) -> String {
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
