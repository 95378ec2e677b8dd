//! Compiles the scripts of elements, functions and conditions.

use super::Compiler;
use super::scope::{is_assertion, is_post_processor};
use crate::compound::{Compound, FunctionCall, Piece};
use crate::obstacle::ObstacleKind;
use crate::script::{self, KnownAnswer, ParsedScript, Surroundings, UnknownInScript};
use crate::tree::Object;
use std::collections::BTreeSet;
use traffic::scenario::{Comparison, Dialect, Expr, Function, ScriptValue, Snippet, Statement, Template};

/// Returns the names of the properties that a plan sets while it runs.
pub(super) fn set_properties(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for start in ["props.put(", "setProperty("] {
        for rest in text.split(start).skip(1) {
            let rest = rest.trim_start().trim_start_matches(['"', '\'']).trim_start_matches("&quot;");
            let end = rest.find(['"', '\'', ',', ')', '&', '$']).unwrap_or(0);
            found.insert(rest[..end].trim().to_owned());
        }
    }
    found
}

impl Compiler<'_> {
    /// Compiles the script of an element; `None` for an empty one, and for one that cannot run here, which is refused.
    pub(super) fn element_script(&mut self, object: &Object) -> Option<Snippet> {
        let class = object.class.as_str();
        let (code, file, language) = match class {
            "BeanShellSampler" => ("BeanShellSampler.query", "BeanShellSampler.filename", "beanshell"),
            "BeanShellAssertion" => ("BeanShellAssertion.query", "BeanShellAssertion.filename", "beanshell"),
            _ if class.starts_with("BeanShell") => ("script", "filename", "beanshell"),
            _ => ("script", "filename", object.text("scriptLanguage")),
        };
        let compound = match object.text(file).trim() {
            "" => self.parsed(object, object.text(code)),
            // JMeter puts no variables into the script of a file.
            _ => {
                let path = self.fixed_text(object, file)?;
                Compound::literal(&self.file_text(object, path.trim())?)
            }
        };
        let dialect = match language.to_ascii_lowercase().as_str() {
            "javascript" | "rhino" | "ecmascript" | "js" | "nashorn" => Dialect::JavaScript,
            "jexl" | "jexl3" => Dialect::Jexl,
            "jexl2" => Dialect::Jexl2,
            "beanshell" | "java" | "bsh" => Dialect::BeanShell,
            "groovy" | "" => Dialect::Groovy,
            other => {
                let language = other.to_owned();
                let what = "another language".to_owned();
                self.refuse(object, ObstacleKind::Script { language, what });
                return None;
            }
        };
        // A script may be nothing but a function that does something.
        if let [Piece::Call(call)] = compound.pieces.as_slice() {
            let value = self.function(object, call);
            return Some(Snippet {
                dialect,
                statements: vec![Statement::Value(Expr::HoleText(0))],
                holes: vec![value],
            });
        }
        let answer = if is_post_processor(class) || is_assertion(class) {
            KnownAnswer::Whole
        } else {
            KnownAnswer::Status
        };
        let snippet = self.snippet(object, &compound, dialect, answer)?;
        (!snippet.statements.is_empty()).then_some(snippet)
    }

    /// Compiles a script; one that cannot run here is refused. `answer` is what it knows of the last answer.
    pub(super) fn snippet(
        &mut self,
        object: &Object,
        code: &Compound,
        dialect: Dialect,
        answer: KnownAnswer,
    ) -> Option<Snippet> {
        match self.parsed_script(code, dialect, answer) {
            Ok(parsed) => {
                let holes = parsed.holes.iter().map(|hole| self.compound(object, hole)).collect();
                Some(Snippet { dialect, statements: parsed.statements, holes })
            }
            Err(unknown) => {
                let language = dialect_name(dialect).to_owned();
                let what = ObstacleKind::Script { language, what: unknown.0 };
                self.refuse(object, what);
                None
            }
        }
    }

    /// Parses a script. What is known before the load starts becomes a part of it, as does the `${name}` of a variable that nothing sets:
    /// JMeter changes the text of a script in the same way.
    pub(super) fn parsed_script(
        &self,
        code: &Compound,
        dialect: Dialect,
        answer: KnownAnswer,
    ) -> Result<ParsedScript, UnknownInScript> {
        let mut whole = Compound::default();
        for piece in &code.pieces {
            let known = match piece {
                Piece::Literal(_) => None,
                Piece::Variable(name) if self.from_environment.contains(name) => None,
                Piece::Variable(name) if !self.may_be_set(name) => Some(format!("${{{name}}}")),
                Piece::Variable(name) => self.fixed.get(name).cloned(),
                Piece::Call(call) if self.environment(call).is_some() => None,
                Piece::Call(call) => self.fixed_call(call),
            };
            whole.push(known.map_or_else(|| piece.clone(), Piece::Literal));
        }
        let surroundings = Surroundings {
            has_environment: &|name| (self.settings.resources.environment)(name).is_some(),
            answer,
        };
        script::parse(&whole, dialect, &surroundings)
    }

    /// Compiles the script in a function's first argument; its second one names a variable that gets the value, too.
    pub(super) fn script_function(
        &mut self,
        object: &Object,
        call: &FunctionCall,
        dialect: Dialect,
    ) -> Template {
        let Some(code) = call.arguments.first() else {
            self.refuse(object, ObstacleKind::Arguments(call.source.clone()));
            return Template::default();
        };
        let Some(snippet) = self.snippet(object, code, dialect, answer_of_function(dialect)) else {
            return Template::default();
        };
        // What a closure is called for, unlike `for`, has a value: its variable has a name with a space.
        let has_value = match snippet.statements.last() {
            Some(Statement::ForEach(item, ..)) => item.contains(' '),
            Some(Statement::Append(..)) => true,
            _ => false,
        };
        if has_value {
            let what = "a loop over a list as the value".to_owned();
            self.refuse(object, ObstacleKind::Script { language: dialect_name(dialect).to_owned(), what });
        }
        let value = Expr::Script(Box::new(snippet)).into();
        self.kept(object, call, 1, value)
    }

    /// Compiles the condition of an If Controller.
    pub(super) fn if_condition(&mut self, object: &Object) -> Expr {
        let compound = self.parsed(object, object.text("IfController.condition"));
        let expression = object.text("IfController.useExpression") == "true";
        match self.fixed(&compound).as_deref().map(str::trim) {
            Some(text) if expression => return Expr::always(text.eq_ignore_ascii_case("true")),
            Some("true") => return Expr::always(true),
            Some("false" | "") => return Expr::always(false),
            _ => {}
        }
        let value = if expression {
            self.compound(object, &compound)
        } else {
            match self.snippet(object, &compound, Dialect::JavaScript, KnownAnswer::Nothing) {
                Some(snippet) => Expr::Script(Box::new(snippet)).into(),
                None => return Expr::always(false),
            }
        };
        is_text(value, "true")
    }

    /// Compiles the condition of a While Controller: it goes on until the text is `false`. The second value tells whether the
    /// condition is looked at before the first pass, too.
    pub(super) fn while_condition(&mut self, object: &Object) -> (Expr, bool) {
        let text = object.text("WhileController.condition").trim();
        match text {
            "" => return (Expr::last_ok(), false),
            "LAST" => return (Expr::last_ok(), true),
            _ => {}
        }
        let compound = self.parsed(object, text);
        let value = self.compound(object, &compound);
        (Expr::not(is_text(value, "false")), true)
    }

    /// Reads a variable by its name. Where there is none, the value is `missing`.
    pub(super) fn named_variable(&mut self, name: Template, missing: Template) -> Template {
        let read = Expr::Call(Function::Variable, vec![Expr::HoleText(0)]);
        let null = Expr::Constant(ScriptValue::Null);
        let is_there = Box::new(Expr::compare(read.clone(), Comparison::Unequal, null));
        let value = Expr::Choice(is_there, Box::new(read), Box::new(Expr::HoleText(1)));
        of_script(vec![Statement::Value(value)], vec![name, missing])
    }

    /// Unsets a variable; no text.
    pub(super) fn forget_variable(&mut self, name: &str) -> Template {
        let forget = Expr::Call(Function::RemoveVariable, vec![Expr::literal(name)]);
        let nothing = Expr::Constant(ScriptValue::Null);
        of_script(vec![Statement::Value(forget), Statement::Value(nothing)], Vec::new())
    }

    /// Reads a property that the plan changes while it runs.
    pub(super) fn changing_property(&mut self, name: Template, default: Template) -> Template {
        let read = Expr::Call(Function::Property, vec![Expr::HoleText(0), Expr::HoleText(1)]);
        let read = Expr::Call(Function::Trim, vec![read]);
        of_script(vec![Statement::Value(read)], vec![name, default])
    }

    /// Sets a property; the value of the function is nothing, or with `true` the value before.
    pub(super) fn set_property(&mut self, name: Template, value: Template, old: bool) -> Template {
        let (name_hole, value_hole) = (Expr::HoleText(0), Expr::HoleText(1));
        let put = Statement::Value(Expr::Call(Function::PutProperty, vec![name_hole.clone(), value_hole]));
        let statements = if old {
            let before = Expr::Call(Function::Property, vec![name_hole, Expr::literal("null")]);
            let kept = Statement::Assign("before".to_owned(), before);
            vec![kept, put, Statement::Value(Expr::Local("before".to_owned()))]
        } else {
            vec![put, Statement::Value(Expr::Constant(ScriptValue::Null))]
        };
        of_script(statements, vec![name, value])
    }
}

fn dialect_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::JavaScript => "JavaScript",
        Dialect::BeanShell => "BeanShell",
        Dialect::Groovy => "Groovy",
        // No plan has a script in another dialect.
        _ => "JEXL",
    }
}

/// What the script of a function knows of the last answer: only Groovy's is given it as `prev`.
pub(super) fn answer_of_function(dialect: Dialect) -> KnownAnswer {
    if dialect == Dialect::Groovy { KnownAnswer::Status } else { KnownAnswer::Nothing }
}

/// The value of a script that no plan wrote.
fn of_script(statements: Vec<Statement>, holes: Vec<Template>) -> Template {
    Expr::Script(Box::new(Snippet { dialect: Dialect::Groovy, statements, holes })).into()
}

/// The condition that a text is this one, whatever the case of its letters.
fn is_text(text: Template, wanted: &str) -> Expr {
    Expr::compare(Template::call(Function::Lower, vec![text]), Comparison::Equal, Expr::literal(wanted))
}
