//! Compiles the scripts of elements, functions and conditions.

use super::Compiler;
use crate::compound::{Compound, FunctionCall, Piece};
use crate::obstacle::ObstacleKind;
use crate::script;
use crate::tree::Object;
use std::collections::BTreeSet;
use traffic::scenario::{Comparison, Dialect, Expr, Function, ScriptValue, Snippet, Statement, Template};

/// Returns the names of the properties that a plan sets while it runs.
pub(super) fn set_properties(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for start in ["props.put(", "props.setProperty(", "__setProperty("] {
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
        if !object.text(file).trim().is_empty() {
            self.refuse(object, ObstacleKind::ScriptFile(object.text(file).trim().to_owned()));
            return None;
        }
        let compound = self.parsed(object, object.text(code));
        let dialect = match language.to_ascii_lowercase().as_str() {
            "javascript" | "rhino" | "ecmascript" | "js" | "nashorn" => Dialect::JavaScript,
            "jexl" | "jexl2" | "jexl3" => Dialect::Jexl,
            "groovy" | "beanshell" | "java" | "bsh" | "" => Dialect::Groovy,
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
        let snippet = self.snippet(object, &compound, dialect)?;
        (!snippet.statements.is_empty()).then_some(snippet)
    }

    /// Compiles a script; one that cannot run here is refused.
    pub(super) fn snippet(&mut self, object: &Object, code: &Compound, dialect: Dialect) -> Option<Snippet> {
        match script::parse(code, dialect) {
            Ok(parsed) => {
                let holes = parsed.holes.iter().map(|hole| self.compound(object, hole)).collect();
                Some(Snippet { dialect, statements: parsed.statements, holes })
            }
            Err(unknown) => {
                let language = match dialect {
                    Dialect::JavaScript => "JavaScript",
                    Dialect::Groovy if object.class.starts_with("BeanShell") => "BeanShell",
                    Dialect::Groovy => "Groovy",
                    // No plan has a script in another dialect.
                    _ => "JEXL",
                };
                let what = ObstacleKind::Script { language: language.to_owned(), what: unknown.0 };
                self.refuse(object, what);
                None
            }
        }
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
        let Some(snippet) = self.snippet(object, code, dialect) else {
            return Template::default();
        };
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
            match self.snippet(object, &compound, Dialect::JavaScript) {
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

    /// Reads a property that the plan changes while it runs.
    pub(super) fn changing_property(&mut self, name: Template, default: Template) -> Template {
        let read = Expr::Call(Function::Property, vec![Expr::HoleText(0), Expr::HoleText(1)]);
        of_script(vec![Statement::Value(read)], vec![name, default])
    }

    /// Sets a property; the value of the function is nothing, or with `true` the value before.
    pub(super) fn set_property(&mut self, name: Template, value: Template, old: bool) -> Template {
        let (name_hole, value_hole) = (Expr::HoleText(0), Expr::HoleText(1));
        let put = Statement::Value(Expr::Call(Function::PutProperty, vec![name_hole.clone(), value_hole]));
        let statements = if old {
            let before = Expr::Call(Function::Property, vec![name_hole]);
            let kept = Statement::Assign("before".to_owned(), before);
            vec![kept, put, Statement::Value(Expr::Local("before".to_owned()))]
        } else {
            vec![put, Statement::Value(Expr::Constant(ScriptValue::Null))]
        };
        of_script(statements, vec![name, value])
    }
}

/// The value of a script that no plan wrote.
fn of_script(statements: Vec<Statement>, holes: Vec<Template>) -> Template {
    Expr::Script(Box::new(Snippet { dialect: Dialect::Groovy, statements, holes })).into()
}

/// The condition that a text is this one, whatever the case of its letters.
fn is_text(text: Template, wanted: &str) -> Expr {
    Expr::compare(Template::call(Function::Lower, vec![text]), Comparison::Equal, Expr::literal(wanted))
}
