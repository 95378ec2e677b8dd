//! Lists in scripts: ranges, loops over them, and closures that are called for each item.

use super::{Local, Lowered, Lowering, path, shown};
use crate::script::functions;
use crate::script::kind::DeclaredKind;
use crate::script::syntax::{Raw, RawStatement};
use traffic::scenario::{BinaryOperator, Comparison, Expr, Function, ScriptValue, Statement, UnaryOperator};

impl Lowering<'_> {
    /// Returns a list; a range is one only where it is used as one, because its text is another.
    pub(super) fn list(&mut self, raw: &Raw) -> Lowered<Expr> {
        match raw {
            Raw::Range(from, to, includes_end) => {
                let ends = vec![self.expression(from)?, self.expression(to)?];
                Ok(Expr::Call(Function::Range { includes_end: *includes_end }, ends))
            }
            Raw::Binary(BinaryOperator::Add, left, right) if has_range(left) || has_range(right) => {
                Ok(Expr::binary(self.list(left)?, BinaryOperator::Add, self.list(right)?))
            }
            raw => self.expression(raw),
        }
    }

    /// A loop over a list.
    pub(super) fn for_each(&mut self, name: &str, list: &Raw, body: &[RawStatement]) -> Lowered<Statement> {
        let list = self.list(list)?;
        self.declare(name, Local::Value(DeclaredKind::Any));
        Ok(Statement::ForEach(name.to_owned(), list, self.statements(body)?))
    }

    /// A statement that calls a closure for each item, or adds to a list; `None` for any other.
    pub(super) fn list_statement(&mut self, value: &Raw) -> Lowered<Option<Statement>> {
        let Raw::Call(callee, arguments) = value else {
            return Ok(None);
        };
        let Raw::Member(of, method) = &**callee else {
            return Ok(None);
        };
        match (method.as_str(), arguments.as_slice(), &**of) {
            ("each", [Raw::Closure(names, body)], _) => {
                let list = self.list(of)?;
                self.each(names, list, body).map(Some)
            }
            ("times", [Raw::Closure(names, body)], _) => {
                let list = self.numbers_below(of)?;
                self.each(names, list, body).map(Some)
            }
            ("eachWithIndex", [Raw::Closure(names, body)], _) if names.len() == 2 => {
                self.each_with_index(names, of, body).map(Some)
            }
            ("add", [item], Raw::Name(list))
                if self.dialect.is_java() && matches!(self.local(list), Some(Local::Value(_))) =>
            {
                self.append(&Raw::Name(list.clone()), item).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Adds a value to the list that a variable of the script holds.
    pub(super) fn append(&mut self, list: &Raw, item: &Raw) -> Lowered<Statement> {
        match list {
            Raw::Name(name) if matches!(self.local(name), Some(Local::Value(_))) => {
                Ok(Statement::Append(name.clone(), self.expression(item)?))
            }
            other => Err(shown(other)),
        }
    }

    fn numbers_below(&mut self, end: &Raw) -> Lowered<Expr> {
        let zero = || Expr::Constant(ScriptValue::Int(0));
        let end = Expr::Call(Function::Maximum, vec![zero(), self.expression(end)?]);
        Ok(Expr::Call(Function::Range { includes_end: false }, vec![zero(), end]))
    }

    fn each(&mut self, names: &[String], list: Expr, body: &[RawStatement]) -> Lowered<Statement> {
        self.in_closure(names, |lowering, item| {
            no_return(body)?;
            Ok(Statement::ForEach(item.to_owned(), list, lowering.statements(body)?))
        })
    }

    fn each_with_index(&mut self, names: &[String], of: &Raw, body: &[RawStatement]) -> Lowered<Statement> {
        let list = self.list(of)?;
        let (item, place) = (&names[..1], &names[1]);
        no_return(body)?;
        let counter = self.new_name(place);
        let before = self.locals.clone();
        self.declare(place, Local::Item(counter.clone()));
        let made = self.in_closure(item, |lowering, item| {
            let one = Expr::Constant(ScriptValue::Int(1));
            let next = Expr::binary(Expr::Local(counter.clone()), BinaryOperator::Add, one);
            let mut statements = lowering.statements(body)?;
            statements.push(Statement::Assign(counter.clone(), next));
            let zero = Expr::Constant(ScriptValue::Int(0));
            let begin = Statement::Assign(counter.clone(), zero);
            let loops = Statement::ForEach(item.to_owned(), list, statements);
            Ok(Statement::If(Expr::Constant(ScriptValue::Bool(true)), vec![begin, loops], Vec::new()))
        });
        self.locals = before;
        made
    }

    /// A method of a list that calls a closure, as a value; `None` for any other. What the closure does comes before the statement in which
    /// the value stands.
    pub(super) fn of_closure(&mut self, of: &Raw, method: &str, arguments: &[Raw]) -> Lowered<Option<Expr>> {
        let [Raw::Closure(names, body)] = arguments else {
            return Ok(None);
        };
        if self.before.is_none() {
            return Err("a closure within a condition".to_owned());
        }
        if method == "with" && matches!(self.object(of)?, Some(Local::Random)) {
            let outer = std::mem::replace(&mut self.is_with_random, true);
            let value = self.closure_value(body);
            self.is_with_random = outer;
            return value.map(Some);
        }
        let begin = match method {
            "collect" | "findAll" => Expr::List(Vec::new()),
            "find" => Expr::Constant(ScriptValue::Null),
            "any" => Expr::Constant(ScriptValue::Bool(false)),
            "every" => Expr::Constant(ScriptValue::Bool(true)),
            _ => return Ok(None),
        };
        let list = self.list(of)?;
        let result = self.new_name(method);
        let loops = self.in_closure(names, |lowering, item| {
            let outer = lowering.before.replace(Vec::new());
            let value = lowering.closure_value(body);
            let mut statements = std::mem::replace(&mut lowering.before, outer).unwrap_or_default();
            statements.push(gathered(method, &result, value?, item));
            Ok(Statement::ForEach(item.to_owned(), list, statements))
        })?;
        let before = self.before.get_or_insert_default();
        before.push(Statement::Assign(result.clone(), begin));
        before.push(loops);
        Ok(Some(Expr::Local(result)))
    }

    /// Returns the value of a closure; its other statements are done before.
    fn closure_value(&mut self, body: &[RawStatement]) -> Lowered<Expr> {
        let (last, others) = body.split_last().ok_or("a closure without a value")?;
        no_return(others)?;
        let statements = self.statements(others)?;
        self.before.get_or_insert_default().extend(statements);
        match last {
            RawStatement::Value(value) | RawStatement::Return(Some(value)) => self.expression(value),
            _ => Err("a closure without a value".to_owned()),
        }
    }

    /// Calls `make` with the name of the variable that has the item; what a closure declares ends with it.
    fn in_closure(
        &mut self,
        names: &[String],
        make: impl FnOnce(&mut Self, &str) -> Lowered<Statement>,
    ) -> Lowered<Statement> {
        let before = self.locals.clone();
        let item = match names {
            [] => self.new_name("item"),
            [name] => {
                let item = self.new_name(name);
                self.declare(name, Local::Item(item.clone()));
                item
            }
            _ => return Err("a closure with several parameters".to_owned()),
        };
        let made = make(self, &item);
        self.locals = before;
        made
    }

    /// A name that no script can have.
    fn new_name(&mut self, name: &str) -> String {
        self.named += 1;
        format!("{name} {}", self.named)
    }

    /// A method of the source of random numbers whose `with` has this closure.
    pub(super) fn of_random(&mut self, callee: &Raw, arguments: &[Raw]) -> Lowered<Option<Expr>> {
        let Some(name) = path(callee).filter(|_| self.is_with_random) else {
            return Ok(None);
        };
        let arguments = self.expressions(arguments)?;
        Ok(functions::random(&name, arguments))
    }
}

/// What is done with the value of a closure for an item.
fn gathered(method: &str, result: &str, value: Expr, item: &str) -> Statement {
    let item = || Expr::Local(item.to_owned());
    let set = |value| Statement::Assign(result.to_owned(), value);
    let flag = |value| Expr::Constant(ScriptValue::Bool(value));
    match method {
        "collect" => Statement::Append(result.to_owned(), value),
        "findAll" => Statement::If(value, vec![Statement::Append(result.to_owned(), item())], Vec::new()),
        "find" => {
            let nothing = Expr::Constant(ScriptValue::Null);
            let is_first = Expr::compare(Expr::Local(result.to_owned()), Comparison::Equal, nothing);
            let fits = Expr::binary(is_first, BinaryOperator::And, value);
            Statement::If(fits, vec![set(item())], Vec::new())
        }
        "any" => Statement::If(value, vec![set(flag(true))], Vec::new()),
        _ => Statement::If(
            Expr::Unary(UnaryOperator::Not, Box::new(value)),
            vec![set(flag(false))],
            Vec::new(),
        ),
    }
}

fn has_range(raw: &Raw) -> bool {
    match raw {
        Raw::Range(..) => true,
        Raw::Binary(BinaryOperator::Add, left, right) => has_range(left) || has_range(right),
        _ => false,
    }
}

/// In a closure, `return` goes on with the next item.
fn no_return(body: &[RawStatement]) -> Lowered<()> {
    let has_return = body.iter().any(|statement| match statement {
        RawStatement::Return(_) => true,
        RawStatement::If(_, then, otherwise) | RawStatement::Try(then, otherwise) => {
            no_return(then).is_err() || no_return(otherwise).is_err()
        }
        RawStatement::While(_, body) | RawStatement::ForEach(_, _, body) => no_return(body).is_err(),
        _ => false,
    });
    if has_return { Err("`return` in a closure".to_owned()) } else { Ok(()) }
}
