//! Parses the common subset of Groovy, JavaScript, BeanShell and JEXL into a tree of names, calls and operators.

mod closures;

use super::token::{Lexeme, QuotedPart, Token};
use traffic::scenario::{BinaryOperator, Comparison, Conversion, Dialect, ScriptValue, UnaryOperator};

/// An expression as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Raw {
    Constant(ScriptValue),
    Quoted(Vec<QuotedPart>),
    Hole(usize),
    Name(String),
    Member(Box<Raw>, String),
    Call(Box<Raw>, Vec<Raw>),
    /// `new Class(arguments)`; the class is without its package.
    New(String, Vec<Raw>),
    /// `value instanceof type`; the type is without its package.
    InstanceOf(Box<Raw>, String),
    /// `(type) value` or `value as type`.
    Cast(Box<Raw>, Conversion, String),
    Unary(UnaryOperator, Box<Raw>),
    Binary(BinaryOperator, Box<Raw>, Box<Raw>),
    Choice(Box<Raw>, Box<Raw>, Box<Raw>),
    List(Vec<Raw>),
    /// From one value to another one, which belongs to it if the flag is set.
    Range(Box<Raw>, Box<Raw>, bool),
    /// The names of its parameters, and what it does.
    Closure(Vec<String>, Vec<RawStatement>),
}

/// A statement as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RawStatement {
    /// A value for a variable of the script or of JMeter, and the type of a variable that is declared; `def` is an empty type.
    Assign(Raw, Raw, Option<String>),
    /// A variable without a value.
    Declare(String, String),
    Value(Raw),
    If(Raw, Vec<RawStatement>, Vec<RawStatement>),
    While(Raw, Vec<RawStatement>),
    /// The name of the variable that has each item of the list in turn.
    ForEach(String, Raw, Vec<RawStatement>),
    /// Adds the second value to the list that is the first.
    Append(Raw, Raw),
    Assert(Raw, Option<Raw>),
    /// What is tried, and what is done where it fails.
    Try(Vec<RawStatement>, Vec<RawStatement>),
    Throw(Raw),
    Return(Option<Raw>),
}

type Parsed<T> = Result<T, String>;

/// Expressions and blocks are nested at most this deep.
const DEEPEST: usize = 64;

/// Parses a whole script. The error is what cannot be read.
pub(super) fn script(tokens: &[Token], dialect: Dialect) -> Parsed<Vec<RawStatement>> {
    let mut parser = Parser { tokens, dialect, at: 0, depth: 0 };
    let mut statements = Vec::new();
    while parser.peek().is_some() {
        parser.statement(&mut statements)?;
    }
    Ok(statements)
}

/// Parses an expression that stands for itself. The error is what cannot be read.
pub(super) fn expression(tokens: &[Token], dialect: Dialect) -> Parsed<Raw> {
    let mut parser = Parser { tokens, dialect, at: 0, depth: 0 };
    let value = parser.expression()?;
    if parser.peek().is_some() { Err(parser.unexpected()) } else { Ok(value) }
}

struct Parser<'a> {
    tokens: &'a [Token],
    dialect: Dialect,
    at: usize,
    depth: usize,
}

/// Operators by how tightly they bind, the loosest first.
const LEVELS: [&[(&str, BinaryOperator)]; 6] = [
    &[("||", BinaryOperator::Or), ("or", BinaryOperator::Or)],
    &[("&&", BinaryOperator::And), ("and", BinaryOperator::And)],
    &[
        ("===", BinaryOperator::Identical),
        ("!==", BinaryOperator::NotIdentical),
        ("==~", BinaryOperator::Matches),
        ("==", BinaryOperator::Compare(Comparison::Equal)),
        ("!=", BinaryOperator::Compare(Comparison::Unequal)),
        ("=~", BinaryOperator::Finds),
        ("eq", BinaryOperator::Compare(Comparison::Equal)),
        ("ne", BinaryOperator::Compare(Comparison::Unequal)),
    ],
    &[
        ("<=", BinaryOperator::Compare(Comparison::AtMost)),
        (">=", BinaryOperator::Compare(Comparison::AtLeast)),
        ("<", BinaryOperator::Compare(Comparison::Less)),
        (">", BinaryOperator::Compare(Comparison::Greater)),
        ("lt", BinaryOperator::Compare(Comparison::Less)),
        ("le", BinaryOperator::Compare(Comparison::AtMost)),
        ("gt", BinaryOperator::Compare(Comparison::Greater)),
        ("ge", BinaryOperator::Compare(Comparison::AtLeast)),
    ],
    &[("+", BinaryOperator::Add), ("-", BinaryOperator::Subtract)],
    &[("*", BinaryOperator::Multiply), ("/", BinaryOperator::Divide), ("%", BinaryOperator::Remainder)],
];

/// What follows the name of a type in that of its arrays.
pub(super) const ARRAY: &str = "[]";

/// `as` binds as comparisons do.
const CAST_LEVEL: usize = 3;

impl Parser<'_> {
    fn peek(&self) -> Option<&Lexeme> {
        self.tokens.get(self.at).map(|token| &token.what)
    }

    fn begins_line(&self) -> bool {
        self.tokens.get(self.at).is_none_or(|token| token.begins_line)
    }

    fn is_symbol(&self, wanted: &str) -> bool {
        matches!(self.peek(), Some(Lexeme::Symbol(symbol)) if *symbol == wanted)
    }

    fn is_word(&self, wanted: &str) -> bool {
        matches!(self.peek(), Some(Lexeme::Word(word)) if word == wanted)
    }

    fn takes(&mut self, wanted: &str) -> bool {
        let found = self.is_symbol(wanted) || self.is_word(wanted);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: &str) -> Parsed<()> {
        if self.takes(wanted) {
            return Ok(());
        }
        Err(self.unexpected())
    }

    fn unexpected(&self) -> String {
        match self.peek() {
            None => "its end".to_owned(),
            Some(Lexeme::Word(word)) => format!("`{word}`"),
            Some(Lexeme::Symbol(symbol)) => format!("`{symbol}`"),
            Some(Lexeme::Number(value)) => format!("{value:?}"),
            Some(Lexeme::Quoted(_)) => "a text".to_owned(),
            Some(Lexeme::Hole(_)) => "a variable".to_owned(),
        }
    }

    fn word(&mut self) -> Parsed<String> {
        match self.peek() {
            Some(Lexeme::Word(word)) => {
                let word = word.clone();
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// Calls `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("so deep a nesting".to_owned());
        }
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn block(&mut self) -> Parsed<Vec<RawStatement>> {
        let mut statements = Vec::new();
        if !self.takes("{") {
            self.nested(|parser| parser.statement(&mut statements))?;
            return Ok(statements);
        }
        while !self.takes("}") {
            self.nested(|parser| parser.statement(&mut statements))?;
        }
        Ok(statements)
    }

    /// Parses a statement, which may be several ones of the tree.
    fn statement(&mut self, into: &mut Vec<RawStatement>) -> Parsed<()> {
        if self.takes(";") {
            return Ok(());
        }
        let Some(Lexeme::Word(word)) = self.peek() else {
            return self.simple(into);
        };
        match word.as_str() {
            "import" | "package" => self.skip_line(),
            "if" => self.if_statement(into)?,
            "while" => {
                self.at += 1;
                let condition = self.in_parentheses()?;
                into.push(RawStatement::While(condition, self.block()?));
            }
            "for" => self.for_statement(into)?,
            "return" => {
                self.at += 1;
                let none = self.begins_line() || self.is_symbol(";") || self.is_symbol("}");
                let value = if none { None } else { Some(self.expression()?) };
                into.push(RawStatement::Return(value));
            }
            "assert" => {
                self.at += 1;
                let condition = self.expression()?;
                let message =
                    if self.takes(":") || self.takes(",") { Some(self.expression()?) } else { None };
                into.push(RawStatement::Assert(condition, message));
            }
            "try" => self.try_statement(into)?,
            "throw" => {
                self.at += 1;
                into.push(RawStatement::Throw(self.expression()?));
            }
            "class" | "function" | "switch" | "do" => return Err(format!("`{word}`")),
            _ => self.simple(into)?,
        }
        Ok(())
    }

    fn skip_line(&mut self) {
        self.at += 1;
        while self.peek().is_some() && !self.begins_line() && !self.takes(";") {
            self.at += 1;
        }
    }

    fn in_parentheses(&mut self) -> Parsed<Raw> {
        self.expect("(")?;
        let value = self.expression()?;
        self.expect(")")?;
        Ok(value)
    }

    fn if_statement(&mut self, into: &mut Vec<RawStatement>) -> Parsed<()> {
        self.at += 1;
        let condition = self.in_parentheses()?;
        let then = self.block()?;
        let semicolon = self.is_symbol(";")
            && self.tokens.get(self.at + 1).is_some_and(|next| next.what == Lexeme::Word("else".to_owned()));
        self.at += usize::from(semicolon);
        let otherwise = if self.takes("else") { self.block()? } else { Vec::new() };
        into.push(RawStatement::If(condition, then, otherwise));
        Ok(())
    }

    fn try_statement(&mut self, into: &mut Vec<RawStatement>) -> Parsed<()> {
        self.at += 1;
        let body = self.block()?;
        self.expect("catch")?;
        self.expect("(")?;
        while !self.takes(")") {
            self.word()?;
            while self.takes(".") || self.takes("|") {
                self.word()?;
            }
        }
        let otherwise = self.block()?;
        if self.is_word("finally") {
            return Err("`finally`".to_owned());
        }
        into.push(RawStatement::Try(body, otherwise));
        Ok(())
    }

    /// `for (first; condition; step)`, and loops over lists.
    fn for_statement(&mut self, into: &mut Vec<RawStatement>) -> Parsed<()> {
        self.at += 1;
        self.expect("(")?;
        if let Some(over_list) = self.loop_over_list()? {
            into.push(over_list);
            return Ok(());
        }
        self.simple(into)?;
        let condition = self.expression()?;
        self.expect(";")?;
        let mut step = Vec::new();
        self.simple(&mut step)?;
        self.expect(")")?;
        let mut body = self.block()?;
        body.extend(step);
        into.push(RawStatement::While(condition, body));
        Ok(())
    }

    /// A declaration, an assignment or an expression.
    fn simple(&mut self, into: &mut Vec<RawStatement>) -> Parsed<()> {
        let declared = self.declared_type();
        if let Some(kind) = &declared
            && self.declared_names(kind, into)?
        {
            return self.end_of_statement();
        }
        let target = self.expression()?;
        let changed = |operator, by| {
            RawStatement::Assign(target.clone(), Raw::Binary(operator, Box::new(target.clone()), by), None)
        };
        let dialect = self.dialect;
        let one = || Box::new(Raw::Constant(ScriptValue::whole(1, dialect)));
        let statement = if self.takes("=") {
            RawStatement::Assign(target.clone(), self.expression()?, declared)
        } else if self.takes("+=") {
            let by = Box::new(self.expression()?);
            changed(BinaryOperator::Add, by)
        } else if self.takes("-=") {
            let by = Box::new(self.expression()?);
            changed(BinaryOperator::Subtract, by)
        } else if self.takes("++") {
            changed(BinaryOperator::Add, one())
        } else if self.takes("--") {
            changed(BinaryOperator::Subtract, one())
        } else if self.dialect == Dialect::Groovy && self.takes("<<") {
            RawStatement::Append(target, self.expression()?)
        } else {
            RawStatement::Value(target)
        };
        into.push(statement);
        self.end_of_statement()
    }

    fn end_of_statement(&mut self) -> Parsed<()> {
        let ends = self.takes(";")
            || self.begins_line()
            || self.is_symbol("}")
            || self.is_symbol(")")
            || self.is_word("else");
        if ends { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Reads `def`, `var`, `final` and the type of a declaration, such as `String` or `java.util.Date`, which is returned without its
    /// package. `None` where no declaration begins.
    fn declared_type(&mut self) -> Option<String> {
        let mut declared = None;
        while ["def", "var", "let", "const", "final"].iter().any(|word| self.is_word(word)) {
            declared = Some(match &self.tokens[self.at].what {
                Lexeme::Word(word) if word != "final" && self.dialect == Dialect::BeanShell => word.clone(),
                _ => String::new(),
            });
            self.at += 1;
        }
        if !self.dialect.is_java() {
            return declared;
        }
        let mut at = self.at;
        let word = |at: usize| match self.tokens.get(at).map(|token| &token.what) {
            Some(Lexeme::Word(word)) => Some(word.clone()),
            _ => None,
        };
        let symbol = |at: usize, wanted: &str| matches!(self.tokens.get(at).map(|t| &t.what), Some(Lexeme::Symbol(symbol)) if *symbol == wanted);
        if self.is_word("new") || self.is_word("return") {
            return declared;
        }
        while symbol(at + 1, ".") && word(at + 2).is_some() {
            at += 2;
        }
        // What begins otherwise is no type but a method without parentheses.
        let is_type = |name: &str| {
            let primitives = ["int", "long", "double", "float", "boolean", "short", "byte", "char"];
            name.starts_with(char::is_uppercase) || primitives.contains(&name)
        };
        let Some(mut name) = word(at).filter(|name| is_type(name)) else { return declared };
        if symbol(at + 1, "[") && symbol(at + 2, "]") {
            at += 2;
            name += ARRAY;
        }
        let ends = |at: usize| {
            symbol(at, ";") || symbol(at, ",") || self.tokens.get(at).is_none_or(|token| token.begins_line)
        };
        let same_line = self.tokens.get(at + 1).is_some_and(|token| !token.begins_line);
        if word(at + 1).is_some() && same_line && (symbol(at + 2, "=") || ends(at + 2)) {
            self.at = at + 1;
            declared = Some(name);
        }
        declared
    }

    /// Reads the names of variables that are declared together, or of one without a value; `false` for one with a value.
    fn declared_names(&mut self, kind: &str, into: &mut Vec<RawStatement>) -> Parsed<bool> {
        let begin = self.at;
        let mut found = Vec::new();
        while let Some(Lexeme::Word(name)) = self.peek().cloned() {
            self.at += 1;
            found.push(if self.takes("=") {
                RawStatement::Assign(Raw::Name(name), self.expression()?, Some(kind.to_owned()))
            } else {
                RawStatement::Declare(name, kind.to_owned())
            });
            if !self.takes(",") {
                break;
            }
        }
        let is_end = self.begins_line() || self.is_symbol(";") || self.is_symbol("}") || self.is_symbol(")");
        if found.is_empty() || !is_end {
            self.at = begin;
            return Ok(false);
        }
        into.extend(found);
        Ok(true)
    }

    fn expression(&mut self) -> Parsed<Raw> {
        self.nested(|parser| {
            let condition = parser.binary(0)?;
            if parser.takes("?:") {
                let other = parser.expression()?;
                return Ok(Raw::Binary(BinaryOperator::Elvis, Box::new(condition), Box::new(other)));
            }
            if !parser.takes("?") {
                return Ok(condition);
            }
            let then = parser.expression()?;
            parser.expect(":")?;
            let otherwise = parser.expression()?;
            Ok(Raw::Choice(Box::new(condition), Box::new(then), Box::new(otherwise)))
        })
    }

    fn binary(&mut self, level: usize) -> Parsed<Raw> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        if level == CAST_LEVEL {
            left = self.range(left)?;
        }
        loop {
            // A sign at the begin of a line begins a new statement.
            let new_line = self.begins_line() && (self.is_symbol("-") || self.is_symbol("+"));
            if level == CAST_LEVEL && self.takes("as") {
                left = Raw::Cast(Box::new(left), Conversion::Coerce, self.word()?);
                continue;
            }
            if level == CAST_LEVEL && self.dialect.is_java() && self.takes("instanceof") {
                left = Raw::InstanceOf(Box::new(left), self.class_name()?);
                continue;
            }
            let found =
                operators.iter().find(|(name, _)| !new_line && (self.is_symbol(name) || self.is_word(name)));
            let Some((_, operator)) = found else {
                return Ok(left);
            };
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = Raw::Binary(*operator, Box::new(left), Box::new(right));
        }
    }

    fn unary(&mut self) -> Parsed<Raw> {
        if self.takes("!") || self.takes("not") {
            let operand = self.nested(Self::unary)?;
            return Ok(Raw::Unary(UnaryOperator::Not, Box::new(operand)));
        }
        if self.takes("-") {
            let operand = self.nested(Self::unary)?;
            return Ok(Raw::Unary(UnaryOperator::Minus, Box::new(operand)));
        }
        if self.is_symbol("(")
            && let Some(Lexeme::Word(name)) = self.tokens.get(self.at + 1).map(|t| &t.what)
            && ["int", "long", "Integer", "Long", "String", "double", "float", "Double", "BigDecimal"]
                .contains(&name.as_str())
            && self.tokens.get(self.at + 2).map(|t| &t.what) == Some(&Lexeme::Symbol(")"))
        {
            let name = name.clone();
            self.at += 3;
            let operand = self.nested(Self::unary)?;
            return Ok(Raw::Cast(Box::new(operand), Conversion::Cast, name));
        }
        let operand = self.primary()?;
        self.postfix(operand)
    }

    fn postfix(&mut self, mut value: Raw) -> Parsed<Raw> {
        loop {
            if self.takes(".") || self.takes("?.") {
                value = Raw::Member(Box::new(value), self.word()?);
            } else if self.is_symbol("(") && !self.begins_line() {
                self.at += 1;
                value = Raw::Call(Box::new(value), self.list_until(")")?);
            } else if self.is_symbol("[") && !self.begins_line() && self.dialect != Dialect::Jexl2 {
                self.at += 1;
                let index = self.expression()?;
                self.expect("]")?;
                value = Raw::Binary(BinaryOperator::Item, Box::new(value), Box::new(index));
            } else if self.is_closure(&value) {
                value = self.with_closure(value)?;
            } else if self.is_command(&value) {
                let mut arguments = vec![self.expression()?];
                while self.takes(",") {
                    arguments.push(self.expression()?);
                }
                value = Raw::Call(Box::new(value), arguments);
            } else {
                return Ok(value);
            }
        }
    }

    /// Groovy needs no parentheses around the arguments of a statement, as in `log.info "text"`.
    fn is_command(&self, value: &Raw) -> bool {
        let is_print = match value {
            Raw::Member(of, _) => **of == Raw::Name("log".to_owned()),
            Raw::Name(name) => name == "println",
            _ => false,
        };
        let operand = match self.peek() {
            Some(Lexeme::Quoted(_) | Lexeme::Hole(_)) => true,
            Some(Lexeme::Word(_)) => is_print,
            _ => false,
        };
        operand && !self.begins_line() && matches!(value, Raw::Member(..) | Raw::Name(_))
    }

    fn list_until(&mut self, close: &str) -> Parsed<Vec<Raw>> {
        let mut items = Vec::new();
        while !self.takes(close) {
            items.push(self.expression()?);
            if !self.is_symbol(close) {
                self.expect(",")?;
            }
        }
        Ok(items)
    }

    fn primary(&mut self) -> Parsed<Raw> {
        let Some(lexeme) = self.peek().cloned() else {
            return Err(self.unexpected());
        };
        let unexpected = self.unexpected();
        self.at += 1;
        match lexeme {
            Lexeme::Number(value) => Ok(Raw::Constant(value)),
            Lexeme::Quoted(parts) => Ok(Raw::Quoted(parts)),
            Lexeme::Hole(index) => Ok(Raw::Hole(index)),
            Lexeme::Symbol("(") => {
                let value = self.expression()?;
                self.expect(")")?;
                Ok(value)
            }
            Lexeme::Symbol("[") if self.dialect != Dialect::Jexl2 => Ok(Raw::List(self.list_until("]")?)),
            Lexeme::Word(word) => match word.as_str() {
                "true" => Ok(Raw::Constant(ScriptValue::Bool(true))),
                "false" => Ok(Raw::Constant(ScriptValue::Bool(false))),
                "null" => Ok(Raw::Constant(ScriptValue::Null)),
                "new" => self.new_object(),
                "empty" if !self.is_symbol("(") => {
                    let operand = self.nested(Self::unary)?;
                    Ok(Raw::Call(Box::new(Raw::Name(word)), vec![operand]))
                }
                _ => Ok(Raw::Name(word)),
            },
            Lexeme::Symbol(_) => Err(unexpected),
        }
    }

    fn new_object(&mut self) -> Parsed<Raw> {
        let class = self.class_name()?;
        self.expect("(")?;
        Ok(Raw::New(class, self.list_until(")")?))
    }

    /// Reads the name of a class, and drops its package.
    fn class_name(&mut self) -> Parsed<String> {
        let mut class = self.word()?;
        while self.takes(".") {
            class = self.word()?;
        }
        Ok(class)
    }
}
